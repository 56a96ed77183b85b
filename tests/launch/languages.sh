#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs in other languages and with other C libraries on an emulated machine, unmodified, and the recipes of
# docs/testing-your-scripts.md: languages.sh BUILD. Speaks TAP.
set -u
export LC_ALL=C GO111MODULE=off
unset ISST_EMULATE ISST_EMULATE_STATE ISST_EMULATE_UNLOCK
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
platforms=$(cd "${ISST_PLATFORMS:-tests/platforms}" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-languages.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
PATH=$build:$PATH
cpus=/sys/devices/system/cpu
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

runs_programs "$build" || skip_all "$cannot_run"

# prints EXPECTED PLATFORM PROGRAM...: what a program prints on a machine made anew, by both streams
prints() {
	expected=$1
	platform=$2
	shift 2
	rm -rf "$scratch/state"
	isst --emulate "$platform" --emulate-state "$scratch/state" emulate -- "$@" > "$scratch/found" 2>&1 < /dev/null
	result=$?
	[ "$result" -eq 0 ] || echo "status $result"
	printf '%s\n' "$expected" | diff - "$scratch/found"
	silent
}

# try NEEDED WHAT EXPECTED PROGRAM...: on the smallest machine, if NEEDED is installed
try() {
	needed=$1
	what=$2
	shift 2
	if ! command -v "$needed" > /dev/null; then
		skip "$what" "there is no $needed"
		return
	fi
	expected=$1
	shift
	check "$what" prints "$expected" "$platforms/tiny.platform" "$@"
}

# ---- Go, which has system calls of its own in dynamic programs, too ----

refused="wrong write $cpus/cpu1/cpufreq/scaling_max_freq: invalid argument"
mailbox="CPUs 4 online 0-3 release 6.12.0
siblings 0-1 base 2000000
API 1 mailbox 1 MMIO 1
without an argument: bad address
0x7f/00: errno 0
0x80000103
limit 1500000 $refused
MSR 0x1ad 0x1c1e <nil>
online 0,2-3 topology true"
tpmi="CPUs 16 online 0-15 release 6.12.0
siblings 1,9 base 2000000
API 3 mailbox 0 MMIO 0
without an argument: inappropriate ioctl for device
levels: errno 0
3 mask 11 current 0
limit 1500000 $refused
MSR 0x1ad 0x21232527 <nil>
online 0,2-15 topology true"
build_go() {
	cp "$root/tests/launch/sst.go" "$scratch/sst.go"
	[ "$1" -eq 0 ] || sed -i 's/^import (/import "C"\n\n&/' "$scratch/sst.go"
	CGO_ENABLED=$1 go build -o "$scratch/sst" "$scratch/sst.go" > "$scratch/said" 2>&1
}
if command -v go > /dev/null; then
	for dynamic in 0 1; do
		if ! build_go "$dynamic"; then
			report 1 "a Go program is built (CGO_ENABLED=$dynamic)" < "$scratch/said"
			continue
		fi
		check "Go, CGO_ENABLED=$dynamic, on a mailbox machine" prints "$mailbox" "$platforms/tiny.platform" "$scratch/sst"
		check "Go, CGO_ENABLED=$dynamic, on a TPMI machine" prints "$tpmi" "$platforms/tpmi-tiny.platform" "$scratch/sst"
	done
else
	skip "programs in Go" "there is no go"
fi

# ---- C libraries ----

cat > "$scratch/walk.c" << 'END'
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	DIR *stream = opendir("/sys/devices/system/cpu/cpufreq");
	struct dirent *entry;
	struct stat status;
	int policies = 0;

	while (stream && (entry = readdir(stream)))
		policies += entry->d_name[0] == 'p';
	printf("%ld CPUs, %d policies, device %d\n", sysconf(_SC_NPROCESSORS_ONLN), policies,
	       stat("/dev/isst_interface", &status) == 0 && S_ISCHR(status.st_mode));
	return 0;
}
END
for way in 'cc' 'cc -static' 'musl-gcc' 'musl-gcc -static'; do
	# shellcheck disable=SC2086 # words
	if command -v ${way%% *} > /dev/null && $way -o "$scratch/walk" "$scratch/walk.c" 2> /dev/null; then
		try sh "a C program by $way" "4 CPUs, 4 policies, device 1" "$scratch/walk"
	else
		skip "a C program by $way" "it cannot be built"
	fi
done
# shellcheck disable=SC2016 # what the program expands
try busybox busybox '4
0-3
device
6.12.0
0-2' busybox sh -c 'busybox nproc; busybox cat $1/online; busybox test -c /dev/isst_interface && echo device; busybox uname -r
	echo 0 > $1/cpu3/online; busybox cat $1/online' sh "$cpus"

# ---- Interpreters ----

try python3 Python '4 4 6.12.0 4
4
Invalid argument
0-3' python3 -c "import ctypes, glob, os
print(os.cpu_count(), len(os.sched_getaffinity(0)), os.uname().release, len(glob.glob('$cpus/cpufreq/policy*')))
print(ctypes.CDLL('libc.so.6').get_nprocs())
try:
    open('$cpus/cpu3/online', 'wb', 0).write(b'x')
except OSError as error:
    print(error.strerror)
print(open('$cpus/online').read(), end='')"
# shellcheck disable=SC2016 # what the program expands
try perl Perl '0-3
cpu0 cpu1 cpu2 cpu3
0-2' perl -e '$| = 1; chdir shift; system("cat", "online"); opendir D, "."; print join(" ", sort grep /^cpu\d/, readdir D), "\n";
	open F, ">", "cpu3/online"; print F 0; close F; open F, "<", "online"; print <F>;' "$cpus"
try node Node.js '4 Intel(R) Xeon(R) Processor 6.12.0
true' node -e 'const os = require("os"), fs = require("fs");
	console.log(os.cpus().length, os.cpus()[2].model, os.release());
	console.log(fs.statSync("/dev/isst_interface").isCharacterDevice());'

# ---- Tools ----

try cpupower cpupower 'analyzing CPU 1:
  driver: intel_pstate' sh -c 'cpupower -c 1 frequency-info -d'
try x86_energy_perf_policy x86_energy_perf_policy 'cpu1: EPB 6
cpu1: HWP_REQ: min 8 max 30 des 0 epp 128 window 0x0 (0*10^0us) use_pkg 0
cpu1: HWP_CAP: low 8 eff 8 guar 20 high 30' x86_energy_perf_policy --cpu 1
try lstopo-no-graphics lstopo 'Core L#0
Core L#1' lstopo-no-graphics --no-io --no-caches --only core

if [ -d /lib/modules ]; then
	try modprobe modprobe '0
0
modprobe: FATAL: Module isst_tpmi not found in directory /lib/modules/6.12.0
1' sh -c 'modprobe isst_if_mmio; echo $?; modprobe msr; echo $?; modprobe isst_tpmi; echo $?'
else
	skip modprobe "the system has no /lib/modules"
fi
check "what looks for debugfs finds it" prints "debugfs /sys/kernel/debug debugfs rw,nosuid,nodev,noexec,relatime 0 0
cgroup2
pfs_dump" "$platforms/tpmi-tiny.platform" sh -c 'grep debugfs /proc/mounts; sed -n "s/ .sys.fs.cgroup .*//p" /proc/self/mounts
	ls /sys/kernel/debug/tpmi-0000:00:03.1 | grep pfs'

# ---- Recipes ----

# Blocks of the page: block LANGUAGE NUMBER
page=$root/docs/testing-your-scripts.md
block() {
	awk -v begin="\`\`\`$1" -v number="$2" '
		/^```$/ { inside = 0 }
		inside { print }
		$0 == begin && --number == 0 { inside = 1 }' "$page"
}
mkdir "$scratch/recipes"
cd "$scratch/recipes" || exit 1
printf '#!/bin/sh\ncat %s/present\n' "$cpus" > test.sh
chmod +x test.sh
export ISST_EMULATE_STATE="$scratch/recipes/state"
recipe() {
	rm -rf "$ISST_EMULATE_STATE"
	sh -e -c "$1"
}
if command -v go > /dev/null; then
	block go 1 > server_test.go
	check "the recipe for Go" recipe "$(block sh 1)"
else
	skip "the recipe for Go" "there is no go"
fi
if command -v ansible-playbook > /dev/null; then
	block yaml 1 > playbook.yml
	check "the recipe for Ansible" recipe "export LC_ALL=C.UTF-8; $(block sh 2)"
else
	skip "the recipe for Ansible" "there is no ansible-playbook"
fi
# As the two services run them, but for what is installed before, and as this user.
for server in icelake-2s40c graniterapids-6776p sierraforest-2s112c; do
	check "GitHub Actions, on $server" recipe "$(block yaml 2 | sed -n "s/\${{ matrix.server }}/$server/; s/^ *- run: sudo isst/isst/p")"
	check "GitLab, on $server" recipe "SERVER=$server; $(block yaml 3 | sed -n 's/^ *- isst/isst/p')"
done

finish
