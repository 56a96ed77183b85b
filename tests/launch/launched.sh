#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Other programs on an emulated machine: launched.sh BUILD. Speaks TAP. First C programs (each .c file beside this
# one), then shells and what they start, static programs, what is missing, and what a start leaves behind.
set -u
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE ISST_EMULATE_UNLOCK
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
platforms=$(cd "${ISST_PLATFORMS:-tests/platforms}" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-preload.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
programs=$(sh "$(dirname "$0")/reachable.sh" "$build" "$scratch") || exit 1
PATH=$programs:$PATH
cpus=/sys/devices/system/cpu
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

runs_programs "$build" || skip_all "$cannot_run"

# The machine of a test: the smallest one, made anew.
machine() {
	rm -rf "$scratch/state"
}

platform=tiny
on_machine() {
	isst --emulate "$platforms/$platform.platform" --emulate-state "$scratch/state" "$@"
}

# as_expected STATUS EXPECTED-STATUS: and the output
as_expected() {
	[ "$1" -eq "$2" ] || echo "status $1, not $2"
	diff "$scratch/expected" "$scratch/found"
	silent
}

# expect WHAT STATUS EXPECTED -- COMMAND...: status and output, both streams, of a command on the machine
expect() {
	what=$1
	status=$2
	printf '%s' "$3" > "$scratch/expected"
	shift 4
	"$@" > "$scratch/found" 2>&1 < /dev/null
	check "$what" as_expected $? "$status"
}

# ---- C programs ----

# count_tests PROGRAM: the tests of a C program, whose output is in a file
count_tests() {
	grep -E '^(ok|not ok) |^#' "$scratch/program" > "$scratch/tap" || sed 's/^/# /' "$scratch/program"
	# Each numbers its tests from 1.
	awk -v count="$count" '
		/^ok / { $2 = ++count }
		/^not ok / { $3 = ++count }
		{ print }' "$scratch/tap"
	found=$(grep -c -E '^(ok|not ok) ' "$scratch/tap")
	count=$((count + found))
	# A skipped test is "not ok" with a remark in older versions of cmocka.
	failed=$((failed + $(grep '^not ok ' "$scratch/tap" | grep -c -v '# SKIP')))
	if [ "$found" -eq 0 ]; then
		report 1 "the C program $1 runs" < "$scratch/program"
	fi
}

for program in probe children paths contents attributes placement interrupted forked locked threads code escapes device tpmi-tiny:device; do
	case $program in
	*:*) platform=${program%:*} ;;
	esac
	program=${program#*:}
	machine
	on_machine emulate -- "$build/tests/launch/$program" > "$scratch/program" 2>&1 < /dev/null
	count_tests "$program"
done
platform=tiny

# ---- An ordinary user ----

# What the tests of a user need is in a directory of that user's. /dev/fuse is for all users, as distributions have it.
user=65534
as_user() {
	# shellcheck disable=SC2016 # what the inner shell expands
	unshare --mount sh -c 'mount --bind "$0" /dev/fuse &&
		exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' "$scratch/fuse" "$@"
}
user_on_machine() {
	as_user "$programs/isst" --emulate "$user_scratch/tiny.platform" --emulate-state "$user_scratch/state" "$@"
}
if [ "$(id -u)" -eq 0 ] && mknod -m 666 "$scratch/fuse" c 10 229 2> /dev/null && as_user test -x "$programs/isst" 2> /dev/null; then
	user_scratch=$(mktemp -d /tmp/isst-preload.XXXXXX) || exit 1
	trap 'rm -rf "$scratch" "$user_scratch"' EXIT
	cp "$platforms/tiny.platform" "$build/tests/launch/paths" "$build/tests/launch/escapes" "$build/tests/launch/placement" "$user_scratch"
	chown "$user:$user" "$user_scratch"
	for program in paths placement escapes; do
		rm -rf "$user_scratch/state"
		user_on_machine emulate -- "$user_scratch/$program" > "$scratch/program" 2>&1 < /dev/null
		count_tests "$program"
	done
	rm -rf "$user_scratch/state"
	expect "a user finds the directory of tools, and may write to it" 0 "$user
$user
$user
text
" -- user_on_machine emulate -- sh -c 'stat -c %u /run /run/isst; cd /run/isst && stat -c %u ..; echo text > file; cat /run/isst/file'
	rm -rf "$user_scratch/state"
	# shellcheck disable=SC2016 # what the program expands
	expect "one who is to be root is it for shells, and owns what root does" 0 "0 0 0
0:0 /sys/devices/system/cpu/online
0:0 /run
0:0 /run/isst/file
0
" -- user_on_machine emulate --as-user 0 -- bash -c 'echo $EUID $UID $(id -g); touch /run/isst/file
		chown root:root /run/isst/file /sys/devices/system/cpu/online && stat -c "%u:%g %n" /sys/devices/system/cpu/online /run /run/isst/file
		isst -c 0 core-power enable > /run/isst/out 2>&1; echo $?'
	# shellcheck disable=SC2016 # what the program expands
	expect "one who is to be another one owns the same files" 0 "1234 1234 $user
1234:$user /run
1234:$user /run/isst/file
" -- user_on_machine emulate --as-user 1234 -- bash -c 'echo $EUID $UID $(id -g); touch /run/isst/file
		chown 1234 /run/isst/file && stat -c "%u:%g %n" /run /run/isst/file'
else
	skip "an ordinary user" "not root, or other users cannot reach the programs"
fi

# ---- Shells ----

for shell in sh bash; do
	machine
	expect "$shell reads, writes, lists" 0 "0-3
0-2
cpu0 cpu1 cpu2 cpu3
device
" -- on_machine emulate -- $shell -c "cat $cpus/online; echo 0 > $cpus/cpu3/online; cat < $cpus/online
		cd $cpus && echo cpu[0-9]*; test -c /dev/isst_interface && echo device"
	expect "$shell learns of a refused write" 0 "refused
" -- on_machine emulate -- $shell -c "echo 5 2> /dev/null > $cpus/cpu3/online || echo refused"
	expect "$shell chooses a governor" 0 "performance
powersave
refused
" -- on_machine emulate -- $shell -c "cd $cpus; echo performance > cpu1/cpufreq/scaling_governor
		cat cpu1/cpufreq/scaling_governor cpu2/cpufreq/scaling_governor
		echo fastest 2> /dev/null > cpu1/cpufreq/scaling_governor || echo refused"
	expect "the next program of $shell meets the same machine" 0 "3
" -- on_machine emulate -- $shell -c "cat $cpus/offline"
done
machine
expect "programs write to what the shell has opened" 0 "0-2
0-3
cat: write error: Invalid argument
printf: write error: Invalid argument
" -- on_machine emulate -- sh -c "echo 0 | cat > $cpus/cpu3/online; cat $cpus/online
	echo 1 | tee $cpus/cpu3/online > /dev/null; cat $cpus/online
	echo 7 | cat > $cpus/cpu3/online; env printf 7 > $cpus/cpu3/online; true"
printf 0 > "$scratch/zero"
expect "and so does what copies within the kernel" 0 "0-2
" -- on_machine emulate -- sh -c "cat '$scratch/zero' > $cpus/cpu3/online; cat $cpus/online"
expect "a program's exit status is that of emulate" 7 "" -- on_machine emulate -- sh -c 'exit 7'
expect "the user id that is asked for is seen" 0 "1234
" -- on_machine emulate --as-user 1234 -- sh -c 'id -u'
# A shell gives up an effective id that is another than the real one.
# shellcheck disable=SC2016 # what the program expands
expect "by bash as well" 0 "1234 1234
" -- on_machine emulate --as-user 1234 -- bash -c 'echo $EUID $UID'
machine
expect "an environment that is cleared does not lead out of it" 0 "0-3
" -- on_machine emulate -- env -i cat $cpus/online
expect "nor does a library path that is replaced" 0 "0-3
" -- on_machine emulate -- env LD_PRELOAD=libc.so.6 cat $cpus/online
expect "isst in a script works on the same machine" 0 "0-2
      get-config-current_level:0
" -- on_machine emulate -- sh -c "echo 0 > $cpus/cpu3/online; cat $cpus/online
	isst perf-profile get-config-current-level 2> /dev/null | grep current"
expect "isst finds the files of its arguments where the script finds them" 0 "written
0
0
answers.txt
0
3
isst/one
isst/two
three
2
" -- on_machine emulate -- sh -c "isst -o /run/isst/info --info 2> /dev/null; test -s /run/isst/info && echo written
	isst config save 2> /dev/null > /run/isst/saved; isst config apply /run/isst/saved > /dev/null 2>&1; echo \$?
	isst -o /run/isst_log config check /var/run/isst/saved 2> /dev/null; echo \$?
	isst platform capture /run/isst/captured 2> /dev/null > /dev/null; ls /run/isst/captured/isst
	isst --emulate /run/isst/captured --emulate-state /run/isst/other -c 0 perf-profile info > /dev/null 2>&1; echo \$?
	ls -d /run/isst_log /run/isst/other/state /run/isst/saved | wc -l
	cd /run && isst -o isst/one --info 2> /dev/null; isst -o //run/./isst//two --info 2> /dev/null; ls isst/one isst/two
	cd isst && isst -o three --info 2> /dev/null; ls three; isst -o /run/isst/three/ --info > /dev/null 2>&1; echo \$?"
machine
mkdir -m 700 "$scratch/state"
expect "which are the system's for one that is not run on the machine" 2 "Error: cannot read the configuration \
/run/isst/nonesuch/saved: No such file or directory
" -- sh -c "isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' config apply /run/isst/nonesuch/saved 2>&1"
expect "without the machine's lock, if that is asked for" 0 "unlocked
" -- isst --emulate "$platforms/locked.platform" --emulate-state "$scratch/locked" --emulate-unlock emulate -- \
	sh -c "isst perf-profile get-lock-status 2>&1 | grep -o unlocked"
machine
echo "write $cpus/cpu2/online EBUSY" > "$scratch/faults"
mkdir -m 700 "$scratch/state" && mv "$scratch/faults" "$scratch/state"
expect "fault rules count for all programs" 1 "bash: line 1: echo: write error: Device or resource busy
" -- on_machine emulate -- bash -c "echo 0 > $cpus/cpu2/online"

machine
echo "open EACCES" > "$scratch/faults"
mkdir -m 700 "$scratch/state" && mv "$scratch/faults" "$scratch/state"
expect "and those for the device" 2 "sh: 1: cannot open /dev/isst_interface: Permission denied
" -- on_machine emulate -- sh -c ": < /dev/isst_interface"
expect "however it is opened" 2 "sh: 1: cannot create /dev/isst_interface: Permission denied
" -- on_machine emulate -- sh -c "exec 9<> /dev/isst_interface"
machine

expect "directories of the system list what the machine has there" 0 "/dev/isst_interface
isst_interface
isst
" -- on_machine emulate -- sh -c 'echo /dev/isst_int*; ls /dev | grep -x isst_interface; ls /run | grep -x isst'
expect "and nothing that it does not have" 1 "cpu
" -- isst --emulate "$platforms/no-device.platform" --emulate-state "$scratch/no-device" emulate -- \
	sh -c 'ls /dev | grep -x cpu; ls /dev | grep -x isst_interface'

# ---- Copying ----

machine
mkdir "$scratch/copies"
frequency=$(on_machine emulate -- cat $cpus/cpu1/cpufreq/scaling_max_freq)
expect "cp copies a file, as it is at that moment" 0 "$frequency
0-2
" -- on_machine emulate -- sh -c "cd '$scratch/copies' && cp $cpus/cpu1/cpufreq/scaling_max_freq backup && cat backup
	echo 0 > $cpus/cpu3/online; cp $cpus/online . && cat online; echo 1 > $cpus/cpu3/online"
expect "and /proc/cpuinfo as a whole" 0 "" -- on_machine emulate -- sh -c "cp /proc/cpuinfo '$scratch/copies' &&
	cat /proc/cpuinfo | cmp - '$scratch/copies/cpuinfo'"
expect "and files of the system that have lines of the machine" 0 "5
4
0-3
" -- on_machine emulate -- sh -c "cp /proc/stat '$scratch/copies/stat' && grep -c '^cpu' '$scratch/copies/stat'
	tail -n +2 /proc/stat | grep -c '^cpu'
	cat /proc/self/status > '$scratch/copies/status' && sed -n 's/^Cpus_allowed_list:.//p' '$scratch/copies/status'"
for copy in install 'cp --sparse=always' 'cp -p'; do
	expect "$copy copies a file" 0 "" -- on_machine emulate -- sh -c \
		"$copy $cpus/cpu1/cpufreq/scaling_max_freq '$scratch/copies/other' && cmp '$scratch/copies/backup' '$scratch/copies/other'"
done
for options in -r -a; do
	rm -rf "$scratch/copies/directory"
	expect "cp $options copies a directory, and makes no links" 0 "" -- on_machine emulate -- sh -c \
		"cd $cpus/cpu1 && cp $options . '$scratch/copies/directory' && find '$scratch/copies/directory' -type f -links +1 &&
		find . -type f | while read -r file; do cat \$file | cmp - '$scratch/copies/directory/'\$file; done"
done
expect "mv to another place copies, and leaves the file" 1 "mv: cannot remove '$cpus/cpu1/online': Operation not permitted
" -- on_machine emulate -- mv $cpus/cpu1/online "$scratch/copies/moved"
expect "which both are there" 0 "1
1
" -- on_machine emulate -- cat "$scratch/copies/moved" $cpus/cpu1/online
expect "mv renames nothing there" 1 "mv: cannot move '$cpus/cpu1/online' to '$cpus/cpu1/offline': Operation not permitted
" -- on_machine emulate -- mv $cpus/cpu1/online $cpus/cpu1/offline
expect "a copy is written back" 0 "0-2
" -- on_machine emulate -- sh -c "echo 0 > '$scratch/copies/moved'; cp '$scratch/copies/moved' $cpus/cpu3/online
	cat $cpus/online; echo 1 > $cpus/cpu3/online"
expect "grep, tail and wc read what there is" 0 "0-3
3
4
" -- on_machine emulate -- sh -c "grep 0 $cpus/online; tail -c 2 $cpus/online; wc -c < $cpus/online"
if command -v tar > /dev/null; then
	# As on a server, whose files are shorter than the kernel says, too.
	expect "tar has each file in whole, and no links" 0 "tar: cpu1/online: File shrank by 4094 bytes; padding with zeros
0
1
" -- sh -c "isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' emulate -- \
		tar -C $cpus -cf '$scratch/copies/archive' cpu1/online cpu1/topology 2>&1 | grep online
		tar -tvf '$scratch/copies/archive' | grep -c '^h'
		tar -xOf '$scratch/copies/archive' cpu1/online | tr -d '\\0'"
fi

# ---- NUMA ----

nodes=/sys/devices/system/node
expect "nodes are packages" 0 "0-1
0-1
14-27,42-55
0
1
27
" -- isst --emulate guide --emulate-state "$scratch/guide" emulate -- sh -c "cat $nodes/online $nodes/has_cpu $nodes/node1/cpulist
	cat $nodes/node0/cpu3/topology/physical_package_id $cpus/cpu14/node1/cpu27/topology/physical_package_id
	cd $cpus/cpu14 && ls -d node* $nodes/node1/cpu27 | sed -n 's|.*/cpu||p'"
expect "lscpu shows the nodes, and which of their CPUs are online" 0 "0-13,28-41
14-27,42-54
" -- isst --emulate guide --emulate-state "$scratch/guide" emulate -- sh -c \
	"echo 0 > $cpus/cpu55/online; lscpu | sed -n 's/^ *NUMA node[01] CPU(s): *//p'"
machine
expect "programs may use the machine's CPUs, or those that taskset leaves them" 0 "4
1
2
pid's current affinity list: 1,2
" -- on_machine emulate -- sh -c "nproc; taskset -c 3 nproc; taskset -c 1,2 nproc
	taskset -c 1,2 sh -c 'taskset -cp \$\$' | sed 's/^pid [0-9]*/pid/'"
expect "the driver's modules are there" 0 "/sys/module/isst_if_common /sys/module/isst_if_mbox_pci /sys/module/isst_if_mmio
live
" -- on_machine emulate -- sh -c "echo /sys/module/isst_*; cat /sys/module/isst_if_mmio/initstate"
expect "which no other module uses" 0 "directory
" -- on_machine emulate -- sh -c 'cd /sys/module/isst_if_mmio && stat -c %F holders && ls -A holders'
# A kernel without modules has no file in /proc that another one could be mounted over.
if command -v lsmod > /dev/null && [ -e /proc/modules ]; then
	expect "lsmod lists them" 0 "isst_if_common 0
isst_if_mbox_pci 0
isst_if_mmio 0
" -- on_machine emulate -- sh -c 'lsmod | sed -n "s/^\(isst_[a-z_]*\) .* /\1 /p"'
fi
expect "names vanish for running programs, and come back" 0 "cpufreq cpuidle firmware_node node0 online power
cpufreq cpuidle firmware_node node0 online power thermal_throttle topology
3 of them
" -- on_machine emulate -- sh -c "cd $cpus/cpu3; ls > /dev/null; echo 0 > online; echo *; echo 1 > online; echo *
	echo 0 > online; echo \$(find $cpus -name core_id | wc -l) of them; echo 1 > online"
# While one program looks all the time, which has the kernel keep names, another one changes the machine, and asks: it
# takes the time in which a signal is handled.
looks_while_another_changes() {
	look="test -d $cpus/cpu3/topology && seen=1 || seen=0"
	: > "$scratch/looking"
	on_machine emulate -- sh -c "cd '$scratch' && while test -e looking; do $look
		test ! -e asked || { $look; echo \$seen > seen; rm asked; }; done" &
	on_machine emulate -- sh -c "cd '$scratch' && for wanted in $(seq 60 | sed 's/.*[02468]$/1/; t; s/.*/0/' | tr '\n' ' '); do
		echo \$wanted > $cpus/cpu3/online
		for try in $(seq -s ' ' 100); do
			: > asked; while test -e asked; do :; done; read -r seen < seen
			test \$seen != \$wanted || continue 2; sleep 0.05
		done
		echo \$seen in place of \$wanted; exit 1
	done"
	rm "$scratch/looking"
	wait
}
expect "and soon where another program changes the machine" 0 "" -- looks_while_another_changes
if command -v rdmsr > /dev/null; then
	expect "rdmsr reads registers" 0 "1c1e
" -- on_machine emulate -- rdmsr -p 1 0x1ad
fi
if command -v numactl > /dev/null; then
	expect "numactl shows the nodes" 0 "available: 2 nodes (0-1)
node 1 cpus: 14 15 16 17 18 19 20 21 22 23 24 25 26 27 42 43 44 45 46 47 48 49 50 51 52 53 54
" -- isst --emulate guide --emulate-state "$scratch/guide" emulate -- sh -c "numactl -H | grep -e available -e 'node 1 cpus'"
	expect "numactl runs programs on them" 0 "2
27
policy: bind
membind: 1 
" -- isst --emulate guide --emulate-state "$scratch/guide" emulate -- \
		sh -c "numactl -C 3,4 nproc; numactl -N 1 nproc; numactl -m 1 numactl --show | grep -e policy -e membind"
	for shape in graniterapids-2s128c:256 icelake-8s40c:80; do
		expect "numactl on ${shape%:*}" 0 "${shape#*:}
1
pid's current affinity list: 300
${shape#*:}
" -- isst --emulate "${shape%:*}" --emulate-state "$scratch/${shape%:*}" emulate -- sh -c \
			"numactl -H | sed -n 's/node 1 cpus: //p' | wc -w; numactl -C 300 nproc
			taskset -c 300 sh -c 'taskset -cp \$\$' | sed 's/^pid [0-9]*/pid/'; numactl -N 1 nproc"
	done
fi

# ---- CPUID ----

cat > "$scratch/identify.c" << 'END'
#include <isst.h>
#include <stdio.h>
int main(void)
{
	struct isst_context *context = NULL;

	if (isst_open(NULL, &context) || isst_discover(context))
		return 1;
	printf("%x\n", (unsigned int)isst_platform_fact(context, ISST_FACT_MODEL));
	isst_close(context);
	return 0;
}
END
# Without a driver the library knows the machine by its processor alone.
if cp -L "$build/libisst.so.0" "$scratch" 2> /dev/null &&
	${CC:-cc} -I "$root/include" "$scratch/identify.c" -o "$scratch/identify" "$scratch/libisst.so.0" 2> /dev/null; then
	for shape in cascadelake-6230n:55 guide:6a; do
		expect "a program with the library finds the processor of ${shape%:*}" 0 "${shape#*:}
" -- isst --emulate "${shape%:*}" --emulate-state "$scratch/identify-${shape%:*}" emulate -- \
			env LD_LIBRARY_PATH="$scratch" "$scratch/identify"
	done
else
	skip "programs with the library" "there is no compiler or no shared library"
fi

# ---- MSRs ----

# The driver keeps what was written by it, and writes it again when the CPU comes online (before Linux 6.16); what is written
# to the register itself it does not know.
cat > "$scratch/msr.py" << 'END'
import os, sys
TURBO_RATIO_LIMITS = 0x1ad
def access(value=None):
    register = os.open("/dev/cpu/3/msr", os.O_RDWR)
    try:
        if value is None:
            return "%#x" % int.from_bytes(os.pread(register, 8, TURBO_RATIO_LIMITS), "little")
        os.pwrite(register, value.to_bytes(8, "little"), TURBO_RATIO_LIMITS)
    except OSError as error:
        return error.strerror
    finally:
        os.close(register)
access(0x1111111111111111)
os.system("isst -c 0 turbo-mode set-trl -t 0x1212121212121212 > " + os.devnull)
for state in "0", "1":
    with open(sys.argv[1] + "/cpu3/online", "w") as stream:
        stream.write(state)
print(access())
with open(os.environ["ISST_EMULATE_STATE"] + "/faults", "w") as stream:
    stream.write("msr 0x1ad EIO\n")
print(access(), access(1), sep="\n")
END
if command -v python3 > /dev/null; then
	machine
	expect "registers are written beside the driver, and fail by rule" 0 "0x1212121212121212
Input/output error
Input/output error
" -- on_machine emulate -- env PATH="$programs:$PATH" python3 "$scratch/msr.py" "$cpus"
fi

# ---- The lock of the device ----

if command -v flock > /dev/null; then
	machine
	expect "a program that holds the lock of changes is waited for, in vain" 0 "6
0
" -- on_machine emulate -- sh -c "isst core-power disable > /dev/null 2>&1
		flock /run/isst/lock isst --lock-timeout 1 core-power enable > /dev/null 2>&1; echo \$?
		isst --lock-timeout 1 core-power enable > /dev/null 2>&1; echo \$?"
	expect "a lock of the device is that of all programs of the machine" 0 "busy
free
" -- sh -c "flock '$scratch/state/device' isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' emulate -- \
		sh -c 'flock -n /dev/isst_interface echo free || echo busy'
		isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' emulate -- flock -n /dev/isst_interface echo free"
fi

# ---- Permissions ----

identifier=$cpus/intel_uncore_frequency/uncore00/package_id
expect "what nobody may write is not opened for that, by root either" 0 "0
refused
" -- isst --emulate "$platforms/tpmi-tiny.platform" --emulate-state "$scratch/tpmi" emulate -- \
	bash -c "cat $identifier; : 2> /dev/null > $identifier || echo refused"

# ---- The emulator's own descriptors ----

machine
few_descriptors() (
	# shellcheck disable=SC3045
	ulimit -n 64
	# shellcheck disable=SC2016
	on_machine emulate -- bash -c 'echo 0 > '"$cpus"'/cpu3/online; exec 5> "$1"; echo 1 > '"$cpus"'/cpu3/online
		cat '"$cpus"'/online; cat "$1"' - "$scratch/file"
)
expect "few descriptors are enough, and none becomes a file of the program" 0 "0-3
" -- few_descriptors
# A program may also lower the limit itself: below what the emulator has open, and what it would open next.
for limit in 256 20; do
	machine
	expect "a program may have $limit descriptors only" 0 "0-2
opened
" -- on_machine emulate -- bash -c "ulimit -n $limit; echo 0 > $cpus/cpu3/online; read -r list < $cpus/online; echo \$list
		exec 9<> /dev/isst_interface && echo opened"
done
# ---- What is not run ----

machine
expect "without a machine nothing is run" 2 \
	"Error: emulate requires a platform: isst --emulate NAME|PATH emulate -- PROGRAM
" -- isst emulate -- true
expect "without a program nothing is run" 2 "Error: emulate requires a program to run
" -- isst --emulate guide emulate
# Where a directory of PATH may not be searched, as of a PATH of root's, execvp(3) answers "Permission denied".
run_missing() (
	PATH=$programs:/usr/bin:/bin
	on_machine emulate -- nonesuch
)
expect "a program that is missing is named" 127 "Error: Cannot run nonesuch: No such file or directory
" -- run_missing
expect "a platform that is missing is named" 2 "Error: No built-in platform \"gude\" (isst platform list); the path of a file must contain a \
slash, as in ./gude; did you mean 'guide'?
" -- isst --emulate gude emulate -- true
linker=$(readelf -l "$(command -v cat)" 2> /dev/null | sed -n 's/.*interpreter: \(.*\)\]/\1/p')

# ---- Static programs ----

cat > "$scratch/static.c" << 'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What the machine is, by system calls alone. */
int main(void)
{
	int file = (int)syscall(SYS_openat, AT_FDCWD, "/sys/devices/system/cpu/online", O_RDONLY), cpus = 0;
	unsigned char mask[1024] = { 0 };
	struct utsname name;
	char content[10] = "";

	if (read(file, content, sizeof(content) - 1) < 0 || uname(&name) ||
	    syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask) < 0)
		return 1;
	for (unsigned int i = 0; i < 8 * sizeof(mask); i++)
		cpus += mask[i / 8] >> i % 8 & 1;
	printf("%s%d %s\n", content, cpus, name.release);
	return 0;
}
END
cat > "$scratch/static.go" << 'END'
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	online, _ := os.ReadFile("/sys/devices/system/cpu/online")
	entries, _ := os.ReadDir("/sys/devices/system/cpu/cpu0/topology")
	failed := os.WriteFile("/sys/devices/system/cpu/cpu3/online", []byte("5"), 0)
	fmt.Print(string(online), runtime.NumCPU(), " ", len(entries) > 4, " ", failed != nil, "\n")
}
END
machine
release=$(on_machine emulate -- uname -r)
for kind in -static -static-pie -no-pie; do
	if ${CC:-cc} "$kind" -o "$scratch/static" "$scratch/static.c" 2> /dev/null; then
		expect "a program that is linked with $kind meets the machine" 0 "0-3
4 $release
" -- on_machine emulate -- "$scratch/static"
	fi
done
for linking in -static -dynamic; do
	if command -v musl-gcc > /dev/null && musl-gcc "${linking#-dynamic}" -o "$scratch/musl" "$scratch/static.c" 2> /dev/null; then
		expect "a program of musl meets the machine ($linking)" 0 "0-3
4 $release
" -- on_machine emulate -- "$scratch/musl"
	fi
done
if command -v busybox > /dev/null; then
	expect "busybox meets the machine" 0 "0-3
4
$release
" -- on_machine emulate -- busybox sh -c "busybox cat $cpus/online; busybox nproc; busybox uname -r"
fi
# A build of Go's library takes a minute; later ones are taken from its cache.
for static in 0 1; do
	if [ -n "${ISST_EVERY:-}" ] && CGO_ENABLED=$static go build -o "$scratch/go" "$scratch/static.go" 2> /dev/null; then
		expect "a Go program meets the machine (cgo: $static)" 0 "0-3
4 true true
" -- on_machine emulate -- "$scratch/go"
	fi
done
if [ -n "$linker" ]; then
	expect "and one that the dynamic linker starts" 0 "0-3
" -- on_machine emulate -- "$linker" "$(command -v cat)" $cpus/online
fi
if command -v python3 > /dev/null && [ "$(id -u)" -eq 0 ]; then
	expect "a program of another user in effect meets the machine" 0 "0-3
" -- on_machine emulate -- python3 -c "import os; os.seteuid(65534); os.system('cat $cpus/online')"
fi

# ---- Files of the system ----

rm -rf "$scratch/work" "$scratch/elsewhere" "$scratch/temporary"
mkdir "$scratch/work" "$scratch/elsewhere" "$scratch/temporary"
read_only() (
	cd "$scratch/work" || exit 1
	TMPDIR=$scratch/temporary isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" emulate --read-only "$@" \
		-- sh -c "touch here && touch '$scratch/temporary/file' && echo temporary
		touch '$scratch/elsewhere/file' 2> /dev/null && echo elsewhere
		touch '$root/here' /etc/isst-here 2> /dev/null && echo system
		echo 0 > $cpus/cpu3/online && cat $cpus/online; echo 1 > $cpus/cpu3/online
		isst -c 0 core-power enable > /dev/null 2>&1 && echo changed; echo > /dev/null && echo null"
)
machine
expect "with --read-only programs write to their directories and to the machine" 0 "temporary
0-2
changed
null
" -- read_only
expect "and to what --writable names" 0 "temporary
elsewhere
0-2
changed
null
" -- read_only --writable "$scratch/elsewhere"
many_writable() (
	for number in $(seq 100); do
		mkdir -p "$scratch/many/$number"
		set -- "$@" --writable "$scratch/many/$number"
	done
	cd "$scratch/work" || exit 1
	TMPDIR=$scratch/temporary isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" emulate --read-only "$@" \
		-- sh -c "cd '$scratch/many'; for number in *; do touch \$number/file; done; touch file 2> /dev/null || echo refused"
	find "$scratch/many" -name file | wc -l
)
expect "of which there may be many" 0 "refused
100
" -- many_writable
expect "which has to be there" 2 "Error: Cannot keep $scratch/nonesuch writable: No such file or directory
" -- read_only --writable "$scratch/nonesuch"
expect "--writable goes with --read-only" 2 "Error: option --writable requires --read-only
" -- on_machine emulate --writable / -- true
expect "and with --read-only not for all files at once" 2 "Error: Cannot keep / writable: all other files are below it
" -- sh -c "cd / && isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' emulate --read-only -- true"
expect "a directory of the system that is passed on is the system's" 0 "$(cat /sys/devices/system/cpu/possible)
" -- sh -c "isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' emulate -- \
	python3 -c \"import os; print(open(os.open('possible', os.O_RDONLY, dir_fd=5)).read(), end='')\" 5< /sys/devices/system/cpu"
expect "a start in a directory of the machine meets the machine" 0 "0-3
" -- sh -c "cd $cpus && isst --emulate '$platforms/tiny.platform' --emulate-state '$scratch/state' emulate -- cat online"

# What root's services would do for it, and the kernel's files in the root of another system.
among_services() {
	mkdir -p "$scratch/other/sys"
	# shellcheck disable=SC2016 # what the inner shell expands
	unshare --mount sh -c 'mount -t tmpfs run /run && mount -t sysfs sysfs "$0/other/sys" || exit
		mkdir -p /run/systemd/system /run/systemd/resolve /run/dbus /run/kept
		touch /run/systemd/private /run/systemd/resolve/names /run/docker.sock /run/initctl
		exec "$@"' "$scratch" isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" emulate -- \
		sh -c "cd /run && ls -d dbus docker.sock initctl kept systemd/* systemd/*/* 2> /dev/null
			true 2> /dev/null > '$scratch/other/sys/kernel/mm/transparent_hugepage/enabled' || echo refused"
}
if unshare --mount mount -t sysfs sysfs /mnt 2> /dev/null; then
	expect "services of the system do nothing for programs, nor do other mounts" 0 "kept
systemd/resolve
systemd/resolve/names
refused
" -- among_services
else
	skip "services and other mounts" "not allowed to mount"
fi

machine
expect "a state that is damaged while it is used is an error, and an end of nothing else" 0 "0-3
cat: $cpus/online: Input/output error
still there
" -- on_machine emulate -- sh -c "cat $cpus/online; head -c 20000 /dev/zero | dd of='$scratch/state/state' conv=notrunc status=none
	cat $cpus/online; test -d $cpus && echo still there"
machine

expect "nor one that is cut off" 0 "0-3
cat: $cpus/online: Input/output error
still there
" -- on_machine emulate -- sh -c "exec 9< $cpus/online; cat $cpus/online; : > '$scratch/state/state'; exec 9<&-
	cat $cpus/online; test -d $cpus && echo still there"
machine

# An association in power domain 2, which is not a valid one of the machine.
crash_machine() {
	isst --emulate graniterapids-6776p --emulate-state "$scratch/crashed" emulate -- python3 -c "import fcntl, os, struct
os.fork() and (os.wait(), os.execlp('nproc', 'nproc'))
fcntl.ioctl(open('/dev/isst_interface'), 0xc008fe08, struct.pack('<HHHBBHH', 1, 1, 1, 0, 2, 0, 0))
print('goes on')"
}
expect "who crashes the machine's kernel ends, and is told" 0 "Emulated kernel: CLOS_ASSOC for socket 0 power domain 2, which is not in the valid mask: a real kernel crashes here
256
" -- crash_machine

# ---- Where it cannot work ----

cannot="Error: Cannot run programs on an emulated machine:"
expect "a machine is not run within a machine" 3 "$cannot this is one already
" -- on_machine emulate -- isst --emulate guide --emulate-state "$scratch/other" emulate -- true
if [ "$(id -u)" -eq 0 ] && [ -n "${user_scratch:-}" ]; then
	# As unshare(1) of this system, and its programs.
	in_mounts() {	# $1: a script; then its arguments
		unshare --mount sh -c "$@"
	}
	on_this() {
		isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" emulate -- true
	}
	chmod 600 "$scratch/fuse"
	expect "/dev/fuse may be root's" 3 "$cannot /dev/fuse cannot be opened: Permission denied; run it as root, or allow users to \
use it: chmod 666 /dev/fuse
" -- user_on_machine emulate -- true
	expect "or missing" 3 "$cannot /dev/fuse cannot be opened: No such file or directory; load the kernel module fuse
" -- in_mounts 'mount -t tmpfs none /dev && exec "$@"' sh "$programs/isst" --emulate guide --emulate-state "$scratch/none" \
		emulate -- true
	expect "namespaces may be forbidden" 3 "$cannot a user namespace cannot be made: No space left on device; set sysctl \
user.max_user_namespaces to 1000 or so
" -- unshare --user --map-root-user --mount sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"' sh "$programs/isst" \
		--emulate guide --emulate-state "$scratch/none" emulate -- true
	expect "and mounts, as in a container" 3 "$cannot a user namespace cannot be made: Operation not permitted; in a container, start \
it with --device /dev/fuse --cap-add SYS_ADMIN
" -- "$build/tests/launch/contained" "$programs/isst" --emulate guide --emulate-state "$scratch/none" emulate -- true
	on_this
fi

# ---- Lives ----

count_servers() {
	pgrep -f -c "emulate-state $scratch/state " || true
}
# Ends when the servers have ended, within two seconds.
no_server_is_left() {
	for _ in $(seq 100); do
		[ "$(count_servers)" -gt 0 ] || return 0
		sleep 0.02
	done
	pgrep -f -a "emulate-state $scratch/state "
	return 1
}
server() {	# $1: its name
	for process in $(pgrep -f "emulate-state $scratch/state "); do
		[ "$(cat "/proc/$process/comm" 2> /dev/null)" != "$1" ] || echo "$process"
	done
}
mounts_before=$(wc -l < /proc/self/mountinfo)
# What a start that is killed leaves: kill_in_order WHAT...: program, isst-files or isst-calls
kill_in_order() {
	rm -f "$scratch/started"
	on_machine emulate -- sh -c "echo \$\$ > '$scratch/started.new'; mv '$scratch/started.new' '$scratch/started'
		while :; do echo 0 > $cpus/cpu3/online; echo 1 > $cpus/cpu3/online; done" 2> /dev/null &
	until [ -s "$scratch/started" ]; do sleep 0.01; done
	program=$(cat "$scratch/started")
	for victim; do
		case $victim in
		program) kill -9 "$program" ;;
		*) server "$victim" | xargs kill -9 ;;
		esac
	done 2> /dev/null
	# What has lost its machine is ended here, if it does not by itself.
	sleep 0.05
	kill -9 "$program" 2> /dev/null
	wait 2> /dev/null
	no_server_is_left && [ "$(wc -l < /proc/self/mountinfo)" -eq "$mounts_before" ] &&
		isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" perf-profile info > /dev/null 2>&1 &&
		echo 'whole'
}
machine
for order in 'program' 'isst-files' 'isst-calls' 'program isst-files' 'isst-files program' 'isst-calls program' \
	'program isst-calls isst-files' 'isst-files isst-calls program' 'isst-calls isst-files program'; do
	# shellcheck disable=SC2086 # words
	expect "kill -9: $order" 0 "whole
" -- kill_in_order $order
done
lost_files() {
	on_machine emulate -- sh -c "until [ -e '$scratch/killed' ]; do sleep 0.01; done; cat $cpus/online 2> /dev/null; echo \$?" &
	until [ -n "$(server isst-files)" ]; do sleep 0.01; done
	server isst-files | xargs kill -9
	# What it was asked meanwhile would be aborted.
	until [ -z "$(server isst-files)" ]; do sleep 0.01; done
	touch "$scratch/killed"
	wait
}
expect "what has lost its machine finds no other" 0 "1
" -- lost_files
# The soft limits of the caller, under which a program may live long and open much, are not those of servers.
limited() (
	rm -f "$scratch/seen"
	# shellcheck disable=SC3045
	ulimit -S -t 100 && ulimit -S -n 100
	on_machine emulate -- sh -c "until [ -e '$scratch/seen' ]; do sleep 0.01; done; ulimit -S -n" &
	for server in isst-files isst-calls; do
		until [ -n "$(server $server)" ]; do sleep 0.01; done
		sed -n 's/^Max \(cpu time\|open files\) *\([^ ]*\) *\([^ ]*\).*/\1 \2 \3/p' "/proc/$(server $server)/limits" |
			awk '$3 != $4 { print "limited:", $0 }'
	done
	touch "$scratch/seen"
	wait
)
machine
expect "a program's limits are not those of its servers" 0 "100
" -- limited
# Several programs, and isst outside, on one state; what each sees is the same.
together() {
	for cpu in 1 2; do
		on_machine emulate -- sh -c "i=0; while [ \$i -lt 30 ]; do i=\$((i + 1)); echo 0 > $cpus/cpu$cpu/online
			echo 1 > $cpus/cpu$cpu/online; done; echo 0 > $cpus/cpu$cpu/online" &
	done
	# It reads while others write: each time a list that there was.
	on_machine emulate -- sh -c "i=0; while [ \$i -lt 100 ]; do i=\$((i + 1)); cat $cpus/online; done" |
		grep -vx -e 0-3 -e 0,2-3 -e 0-1,3 -e 0,3 &
	for _ in 1 2 3 4 5; do
		isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" core-power enable -c 0 > /dev/null 2>&1 ||
			isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" -c 0 core-power enable > /dev/null 2>&1 || echo failed
	done
	wait
	on_machine emulate -- sh -c "cat $cpus/offline; nproc"
}
machine
expect "programs and isst outside work at once on one state" 0 "1-2
2
" -- together
# What isst waits for while it has the machine's lock must not wait for that lock.
between_calls() {
	on_machine emulate -- sh -c "'$build/tests/launch/device' until-killed & i=0
		while [ \$i -lt 100 ]; do i=\$((i + 1)); timeout 20 isst core-power info || break; done | grep -c core-power
		kill \$!"
}
machine
expect "isst and a program that calls the driver do not lock each other out" 0 "100
" -- between_calls
many_starts() {
	before=$(find "$scratch/state" | wc -l)
	for _ in $(seq "${ISST_STARTS:-50}"); do
		on_machine emulate -- true || echo "status $?"
	done
	no_server_is_left
	[ "$(wc -l < /proc/self/mountinfo)" -eq "$mounts_before" ] || echo mounts
	[ "$(find "$scratch/state" | wc -l)" -eq "$before" ] || find "$scratch/state"
}
on_machine emulate -- true
expect "many starts leave nothing behind" 0 "" -- many_starts

if [ "$(id -u)" -ne 0 ]; then
	expect "/run belongs to the user of the machine, as /run/isst does" 0 "$(id -u)
$(id -u)
" -- on_machine emulate -- sh -c 'cd /run; stat -c %u . /run/'
else
	skip "/run belongs to the user of the machine, as /run/isst does" "it is root's"
fi
finish
