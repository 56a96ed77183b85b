#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Other programs on an emulated machine: launched.sh BUILD. Speaks TAP. First C programs (each .c file beside this
# one), then shells and what they start, then what is refused or warned of.
set -u
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE ISST_EMULATE_UNLOCK
# What the processor cannot do is told once by `isst emulate`; below one test asks for it.
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

[ -e "$build/libisst-emulator-preload.so" ] || skip_all "this build has no emulator"
runs_programs "$build" || skip_all "sanitizers do not go into programs without them"

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

for program in probe children kernel paths routes contents attributes placement interrupted forked locked threads words code device tpmi-tiny:device; do
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

# What the tests of a user need is in a directory of that user's.
user=65534
as_user() {
	setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}
user_on_machine() {
	as_user "$programs/isst" --emulate "$user_scratch/tiny.platform" --emulate-state "$user_scratch/state" "$@"
}
if [ "$(id -u)" -eq 0 ] && command -v setpriv > /dev/null && as_user test -x "$programs/isst" 2> /dev/null; then
	user_scratch=$(mktemp -d /tmp/isst-preload.XXXXXX) || exit 1
	trap 'rm -rf "$scratch" "$user_scratch"' EXIT
	cp "$platforms/tiny.platform" "$build/tests/launch/paths" "$build/tests/launch/routes" "$user_scratch"
	chown "$user:$user" "$user_scratch"
	for program in paths routes; do
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
	cp /proc/self/status '$scratch/copies/status' && sed -n 's/^Cpus_allowed_list:.//p' '$scratch/copies/status'"
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
isst_if_common
" -- on_machine emulate -- sh -c "echo /sys/module/isst_*; cat /sys/module/isst_if_mmio/initstate; sed -n 's/ .*//p' /proc/modules | head -n 1"
expect "which no other module uses" 0 "directory
" -- on_machine emulate -- sh -c 'cd /sys/module/isst_if_mmio && stat -c %F holders && ls -A holders'
if command -v lsmod > /dev/null; then
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

# ---- System calls ----

# What stands for directories of the machine is not the way into the system: a program that removes the state must not walk
# from there into it. Nor do links lead out of it, in a state from elsewhere.
machine
mkdir "$scratch/kept"
touch "$scratch/kept/file"
on_machine emulate -- ls $cpus > "$scratch/found"
# shellcheck disable=SC2016 # what the program expands
expect "no path below the state leads into the system" 0 "sys
" -- on_machine emulate -- sh -c 'ls $ISST_EMULATE_STATE/names; rm -f "$ISST_EMULATE_STATE/names$1/kept/file"' sh "$scratch"
expect "and what is there stays" 0 "file
" -- ls "$scratch/kept"
rm -rf "$scratch/state/names/sys/devices/system/cpu"
ln -s "$scratch/kept" "$scratch/state/names/sys/devices/system/cpu"
on_machine emulate -- ls $cpus > "$scratch/found" 2>&1
expect "a link in the state does not lead there either" 0 "file
" -- ls "$scratch/kept"
machine

# Of what walks a tree whose names are there by now: no directory is made once more, and the machine is locked for each
# directory, not for each name.
count_calls() {
	on_machine emulate -- find $cpus > /dev/null
	isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" emulate -- \
		strace -f -o "$scratch/trace" find $cpus -mindepth 1 > "$scratch/names"
	[ -s "$scratch/names" ] || return 1
	awk -v names="$(wc -l < "$scratch/names")" '
		/ mkdir(at)?\(.*cpu/ { made++ }
		/ flock\(/ { locked++ }
		END {
			if (made)
				print made " directories made"
			if (locked > names)
				print locked " locks and unlocks for " names " names"
		}' "$scratch/trace"
}
if strace -o /dev/null true 2> /dev/null; then
	expect "a walk makes no names twice, and locks the machine once for several" 0 "" -- count_calls
fi

# ---- Changes to the kernel ----

# There are no such modules, and C libraries do not have all of these functions.
cat > "$scratch/changes.py" << 'END'
import ctypes, os
functions = ctypes.CDLL(None, use_errno=True)
for call in (
    lambda: functions.delete_module(b"isst-nonesuch", 0),
    lambda: functions.init_module(None, ctypes.c_ulong(0), b""),
    lambda: functions.finit_module(-1, b"", 0),
    lambda: functions.move_mount(-100, b"/nonesuch", -100, b"/sys/fs/cgroup", 0),
    lambda: functions.mount_setattr(-100, b"/sys/fs/cgroup", 0x40000000, None, ctypes.c_ulong(0)),
):
    print(call(), os.strerror(ctypes.get_errno()), flush=True)
END
if command -v python3 > /dev/null; then
	expect "no function changes modules, or mounts on the machine's files" 0 "isst emulate: modules are not loaded or removed: they would be those of the real kernel
-1 Operation not permitted
isst emulate: modules are not loaded or removed: they would be those of the real kernel
-1 Operation not permitted
isst emulate: modules are not loaded or removed: they would be those of the real kernel
-1 Operation not permitted
isst emulate: /sys/fs/cgroup: mounts are not changed there: they would be those of the real machine
-1 Operation not permitted
isst emulate: /sys/fs/cgroup: mounts are not changed there: they would be those of the real machine
-1 Operation not permitted
" -- on_machine emulate -- python3 "$scratch/changes.py"
fi
if command -v rmmod > /dev/null; then
	expect "rmmod removes no module" 0 "isst emulate: modules are not loaded or removed: they would be those of the real kernel
live
" -- on_machine emulate -- sh -c 'rmmod isst_if_mmio 2>&1 | grep "^isst"; cat /sys/module/isst_if_mmio/initstate'
fi

# ---- CPUID ----

# Some processors cannot make it fault: no line of every run is about that.
expect "no program is told about CPUID" 0 "" -- on_machine emulate -- sh -c 'sh -c true'

cat > "$scratch/identify.c" << 'END'
#include <isst.h>
#include <stdio.h>
int main(void)
{
	struct isst_context *context = NULL;

	if (isst_open(NULL, &context) || isst_discover(context))
		return 1;
	printf("%x\n", isst_platform_model(context));
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

if [ "$(id -u)" -eq 0 ]; then
	expect "but root opens what is directly below /proc, and writes nothing to it" 0 "bash: line 2: echo: write error: Input/output error
bash: line 3: /proc/sys/kernel/osrelease: Permission denied
" -- on_machine emulate -- bash -c ": > /proc/version
		echo x > /proc/cpuinfo
		: > /proc/sys/kernel/osrelease; true"
fi

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
cat > "$scratch/dup.py" << 'END'
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_TRUNC)
online = sys.argv[2] + "/cpu3/online"
refused = 0
for state in "0", "1":
    with open(online, "w") as stream:
        stream.write(state)
    for number in range(900, 1024):
        try:
            os.dup2(file, number)
        except OSError:
            refused += 1
print(refused > 0, os.path.getsize(sys.argv[1]), open(online).read())
END
if command -v python3 > /dev/null; then
	expect "nothing is duplicated to the emulator's descriptors" 0 "True 0 1

" -- on_machine emulate -- python3 "$scratch/dup.py" "$scratch/file" "$cpus"
fi

# ---- What is not reached ----

machine
# They would be without the library.
expect "programs gain no privileges" 0 "NoNewPrivs:	1
" -- on_machine emulate -- grep NoNewPrivs /proc/self/status
expect "without a machine nothing is run" 2 \
	"Error: emulate requires a platform: isst --emulate NAME|PATH emulate -- PROGRAM
" -- isst emulate -- true
expect "without a program nothing is run" 2 "Error: emulate requires a program to run
" -- isst --emulate guide emulate
# A directory of the program's name comes before it.
hiding=$scratch/before:$scratch:$PATH
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
echo 'int main(void) { return 0; }' > "$scratch/static.c"
if ${CC:-cc} -static -o "$scratch/static" "$scratch/static.c" 2> /dev/null; then
	expect "a static program is refused" 126 "Error: Cannot run $scratch/static on an emulated machine: it is statically \
linked, so it would see the real one
" -- on_machine emulate -- "$scratch/static"
	cp "$scratch/static" "$scratch/ld-linux-static"
	expect "whatever it is called" 126 "Error: Cannot run $scratch/ld-linux-static on an emulated machine: it is \
statically linked, so it would see the real one
" -- on_machine emulate -- "$scratch/ld-linux-static"
	expect "a program of the working directory is found by an empty word of PATH" 126 "Error: Cannot run static on an \
emulated machine: it is statically linked, so it would see the real one
" -- sh -c "cd '$scratch' && PATH=\$PATH: isst --emulate '$platforms/tiny.platform' --emulate-state state emulate -- static"
	mkdir -p "$scratch/before/static"
	expect "and behind a directory of its name" 126 "Error: Cannot run static on an emulated machine: it is statically \
linked, so it would see the real one
" -- env PATH="$hiding" isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" \
		emulate -- static
	if [ -w $cpus ]; then
		expect "a static program in a script that could change the real machine is not started" 0 "126
isst emulate: $scratch/static is not started: it is statically linked, and could change the real machine
" -- on_machine emulate -- sh -c "'$scratch/static' 2> '$scratch/message'; echo \$?; grep '^isst' '$scratch/message'"
		expect "nor is one behind a directory of its name" 0 "126
isst emulate: $scratch/static is not started: it is statically linked, and could change the real machine
" -- on_machine emulate -- env PATH="$hiding" sh -c "env static 2> '$scratch/message'; echo \$?
			grep '^isst' '$scratch/message'"
	else
		expect "a static program in a script is warned of" 0 "isst emulate: $scratch/static sees the real machine: \
it is statically linked
" -- on_machine emulate -- sh -c "$scratch/static"
		expect "and so is one behind a directory of its name" 0 "isst emulate: $scratch/static sees the real machine: \
it is statically linked
" -- on_machine emulate -- env PATH="$hiding" env static
	fi
else
	skip "static programs" "this compiler links none"
fi
if [ -w $cpus ]; then
	harm=', and could change the real machine'
	refused() {
		printf '1\nisst emulate: %s is not started: %s%s\n' "$1" "$2" "$harm"
	}
else
	harm=
	refused() {
		printf '0\nisst emulate: %s sees the real machine: %s\n' "$1" "$2"
	}
fi
linker=$(readelf -l "$(command -v cat)" 2> /dev/null | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cat > "$scratch/ways.py" << 'END'
# Another way to start a program: ways.py WAY PROGRAM [LINKER]; whether that failed
import ctypes, os, sys
way, program = sys.argv[1:3]
functions = ctypes.CDLL(None)
actions, process = ctypes.create_string_buffer(256), ctypes.c_int()
words = lambda *texts: (ctypes.c_char_p * (len(texts) + 1))(*[text.encode() for text in texts], None)
functions.posix_spawn_file_actions_init(actions)
if way == "addchdir":
    directory, name = os.path.split(program)
    functions.posix_spawn_file_actions_addchdir_np(actions, directory.encode())
    run, arguments = "./" + name, words(name)
else:
    run, arguments = sys.argv[3], words("ld.so", program)
environment = words(*[f"{name}={value}" for name, value in os.environ.items()])
print(int(functions.posix_spawn(ctypes.byref(process), run.encode(), actions, None, arguments, environment) != 0))
END
if [ -x "$scratch/static" ] && command -v python3 > /dev/null; then
	expect "a static program that is started in another directory is seen" 0 "$(refused './static' 'it is statically linked')
" -- on_machine emulate -- sh -c "python3 '$scratch/ways.py' addchdir '$scratch/static' 2>&1 | sed 's|/proc/self/fd/[0-9]*/||' | sort"
	[ -z "$linker" ] ||
		expect "and one that the dynamic linker starts" 0 "$(refused "$linker" 'it is statically linked')
" -- on_machine emulate -- sh -c "python3 '$scratch/ways.py' linker '$scratch/static' '$linker' 2>&1 | sort"
fi
# The library is replaced while programs run, by one that cannot be loaded.
mkdir "$scratch/replaced" && cp "$build/intel-speed-select" "$build/libisst-emulator-preload.so" "$scratch/replaced"
cat > "$scratch/replace.sh" << 'END'
cat /sys/devices/system/cpu/online
cd "$1" && : > new && mv new libisst-emulator-preload.so
"$2" cat /sys/devices/system/cpu/online > /dev/null
echo $?
END
replaced() {
	on_copy=$scratch/replaced/intel-speed-select
	"$on_copy" --emulate "$platforms/tiny.platform" --emulate-state "$scratch/state" emulate -- \
		sh "$scratch/replace.sh" "$scratch/replaced" "$(command -v env)" 2>&1 | grep -v -e '^sh: ' -e "^$scratch/replace.sh: " -e ERROR
}
machine
if [ -w $cpus ]; then
	expect "without its library no program is started that could change the real machine" 0 "0-3
isst emulate: $(command -v env) is not started: the preload library was replaced since this program started$harm
126
" -- replaced
fi
# One that its user may start but not read.
unreadable=${user_scratch:-$scratch}/unreadable
if [ "$(id -u)" -ne 0 ]; then
	run_as_user=on_machine
elif [ -n "${user_scratch:-}" ]; then
	run_as_user=user_on_machine
	rm -rf "$user_scratch/state"
else
	run_as_user=
fi
if [ -x "$scratch/static" ] && [ -n "$run_as_user" ]; then
	cp "$scratch/static" "$unreadable" && chmod 0111 "$unreadable"
	expect "a static program that cannot be read is refused" 126 "Error: Cannot run $unreadable on an emulated machine: it cannot \
be read, and may be statically linked, so it would see the real one
" -- "$run_as_user" emulate -- "$unreadable"
	expect "and in a script it is warned of" 0 "isst emulate: $unreadable sees the real machine: it cannot be read, \
and may be statically linked
" -- "$run_as_user" emulate -- sh -c "$unreadable"
fi
if ${CC:-cc} -static-pie -o "$scratch/static" "$scratch/static.c" 2> /dev/null; then
	expect "and so is one whose addresses are not fixed" 126 "Error: Cannot run $scratch/static on an emulated machine: \
it is statically linked, so it would see the real one
" -- on_machine emulate -- "$scratch/static"
fi
if [ -n "$linker" ]; then
	cp "$linker" "$scratch/another-linker"
	expect "the dynamic linker is none of them, whatever it is called" 0 "0-3
" -- on_machine emulate -- "$scratch/another-linker" "$(command -v cat)" $cpus/online
fi
# With another user or group in effect than its own, as with set-user-ID, the dynamic linker ignores the library.
cat > "$scratch/effective.py" << 'END'
import ctypes, os, sys
{"user": os.seteuid, "group": os.setegid}[sys.argv[1]](65534)
functions = ctypes.CDLL(None, use_errno=True)
functions.popen.restype = ctypes.c_void_p
command = b"echo reached"
WRDE_CMDSUB = 4
for call in (
    lambda: os.execv("/bin/sh", ["sh", "-c", command]),
    lambda: functions.system(command),
    lambda: functions.popen(command, b"r"),
    lambda: functions.wordexp(b"$(" + command + b")", ctypes.create_string_buffer(64), 0) == WRDE_CMDSUB,
):
    try:
        print(call(), os.strerror(ctypes.get_errno()), flush=True)
    except OSError as error:
        print(error.strerror, flush=True)
END
if [ "$(id -u)" -eq 0 ] && [ -w $cpus ] && command -v python3 > /dev/null; then
	distrusted="isst emulate: /bin/sh is not started: its user or group in effect is not that of the process, so the \
dynamic linker ignores the preload library, and could change the real machine"
	for whose in user group; do
		machine
		expect "with another $whose in effect no program is started" 0 "$distrusted
Operation not permitted
$distrusted
-1 Operation not permitted
$distrusted
None Operation not permitted
$distrusted
True Operation not permitted
" -- on_machine emulate -- python3 "$scratch/effective.py" $whose
	done
else
	skip "another user in effect" "not root, /sys is not writable, or there is no python3"
fi
# shellcheck disable=SC2016 # what the program expands
expect "a machine within a machine has the library once" 0 "1
" -- on_machine emulate -- isst --emulate "$platforms/tiny.platform" --emulate-state "$scratch/inner" emulate -- \
	sh -c 'echo "$LD_PRELOAD" | tr ": " "\n\n" | grep -c preload'
expect "a library without a machine lets nothing run" 1 "isst emulate: ISST_EMULATE is not set: no machine to emulate
" -- env LD_PRELOAD="$programs/libisst-emulator-preload.so" cat $cpus/online
expect "nor does a machine that cannot be opened" 1 "isst emulate: No built-in platform \"gude\" (isst platform list); the path of a file must \
contain a slash, as in ./gude
" -- env LD_PRELOAD="$programs/libisst-emulator-preload.so" ISST_EMULATE=gude cat $cpus/online

if [ "$(id -u)" -ne 0 ]; then
	expect "/run belongs to the user of the machine, as /run/isst does" 0 "$(id -u)
$(id -u)
" -- on_machine emulate -- sh -c 'cd /run; stat -c %u . /run/'
else
	skip "/run belongs to the user of the machine, as /run/isst does" "it is root's"
fi
finish
