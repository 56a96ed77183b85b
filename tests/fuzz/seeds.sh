#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Creates the seeds of the fuzzers from the files of the tests: seeds.sh BUILD SEEDS. One directory for each fuzzer.
set -eu
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE
build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
seeds=$(cd "$2" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-seeds.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
for fuzzer in cpu_lists kernel_files platform_files fault_rules captures command_lines commands remembered configurations json_paths kernel_events; do
	mkdir "$seeds/$fuzzer"
done

# Platform files, and the lists that stand in them.
for file in src/emulator/platforms/*.platform tests/platforms/*.platform; do
	sed '/^#/d' "$file" > "$seeds/platform_files/$(basename "$file")"
done
cat tests/platforms/*.platform | sed -n 's/^[a-z-]*\(cores\|cpus\|offline\) = //p' | sort -u | head -60 > "$scratch/lists"
number=0
while read -r list; do
	number=$((number + 1))
	printf '%s' "$list" > "$seeds/cpu_lists/$number"
	printf '%s\n' "$list" > "$seeds/kernel_files/$number"
done < "$scratch/lists"
printf '2400000\n' > "$seeds/kernel_files/number"

cp tests/configuration/files/*.conf "$seeds/configurations"

# Fault rules and command lines of the cases.
sed -n 's/^fault //p' tests/command/cases/*.case | sort -u | split -l 3 - "$seeds/fault_rules/rules"
sed -n 's/^\$ \(isst\|intel-speed-select\) \([^|;&<>]*\)$/\2/p' tests/command/cases/*.case | sort -u > "$scratch/commands"
number=0
while read -r line; do
	number=$((number + 1))
	printf '%s' "$line" | tr ' ' '\n' > "$seeds/command_lines/$number"
done < "$scratch/commands"

# Paths of json-v2.
number=0
for path in 'domains[0].levels[1].base_mhz' 'domains[package=0,die=1].cpu' messages exit_status 'a[' '[0]' 'a.b[c=]'; do
	number=$((number + 1))
	printf '%s' "$path" > "$seeds/json_paths/$number"
done

# Messages of the kernel behind the byte that selects what reads them: the description of a family with two groups, two
# events with one CPU each, and uevents.
le() {	# le BYTES NUMBER...: numbers of so many bytes
	bytes=$1
	shift
	for value; do
		for _ in $(seq "$bytes"); do
			printf '%b' "\\0$(printf %o $((value % 256)))"
			value=$((value / 256))
		done
	done
}
attribute() {	# attribute TYPE TEXT: text with a NUL, and what aligns it
	le 2 $((${#2} + 5)) "$1"
	printf '%s' "$2"
	for _ in $(seq $((4 - ${#2} % 4))); do
		le 1 0
	done
}
{
	le 1 0; le 4 96; le 2 16 0; le 4 0 0; le 1 1 2; le 2 0
	attribute 2 thermal; le 2 6 1 28 0 56 32775
	le 2 28 32769 8 2; le 4 2; attribute 1 sampling
	le 2 24 32770 8 2; le 4 3; attribute 1 event
} > "$seeds/kernel_events/family"
{
	le 1 1
	for event in 2 14; do
		le 4 48; le 2 28 0; le 4 0 0; le 1 $event 2; le 2 0 28 32788
		le 2 8 21; le 4 7; le 2 8 22; le 4 512; le 2 8 23; le 4 1020
	done
} > "$seeds/kernel_events/events"
printf '\002online@/devices/system/cpu/cpu3\0ACTION=online\0SUBSYSTEM=cpu\0SEQNUM=7\0' > "$seeds/kernel_events/cpu"
printf '\002add@/module/isst_if_common\0ACTION=add\0SUBSYSTEM=module\0SEQNUM=8\0' > "$seeds/kernel_events/module"

# Captured machines.
for name in tiny tpmi-tiny no-mmio; do
	platform=$PWD/tests/platforms/$name.platform
	[ -e "$platform" ] || continue
	"$build/isst" --emulate "$platform" --emulate-state "$scratch/$name" platform capture "$scratch/$name.capture" > /dev/null
	number=0
	for file in proc/cpuinfo sys/inlinefiles.txt msr/msr.txt isst/answers.txt \
		sys/kernel/debug/tpmi-0000:00:03.1/tpmi-id-05/mem_dump; do
		if [ -e "$scratch/$name.capture/$file" ]; then
			printf '=== %u\n' $number
			cat "$scratch/$name.capture/$file"
		fi
		number=$((number + 1))
	done > "$seeds/captures/$name"
done

# What runs remember: the journal of one that was killed, saved settings, the cache of offline CPUs. Behind the two
# bytes that select platform and file.
number=0
for name in tiny tpmi-tiny; do
	platform=$PWD/tests/platforms/$name.platform
	state=$scratch/$name.remembered
	on() {
		"$build/isst" --emulate "$platform" --emulate-state "$state" "$@" > /dev/null 2>&1 || true
	}
	keep() {
		boot=$(ISST_EMULATE=$platform ISST_EMULATE_STATE=$state "$build/isst" emulate -- \
			cat /proc/sys/kernel/random/boot_id 2> /dev/null)
		[ -e "$state/run/$2" ] || return 0
		{
			printf '%b' "\\00$number\\00$1"
			sed "s/$boot/@BOOT@/" "$state/run/$2"
		} > "$seeds/remembered/$name-$2${3:-}"
	}
	on base-freq enable -a
	keep 1 saved-settings
	on base-freq disable -a
	on turbo-freq enable -a
	keep 2 saved-settings -turbo-freq
	on turbo-freq disable -a
	echo 0 > "$scratch/zero"
	ISST_EMULATE=$platform ISST_EMULATE_STATE=$state "$build/isst" emulate -- \
		sh -c 'echo 0 > /sys/devices/system/cpu/cpu1/online' > /dev/null 2>&1 || true
	on perf-profile info
	keep 3 topology
	for writes in 1 3 6; do
		on platform reset "$platform"
		on --info
		echo "change any signal KILL after $writes times 1" > "$state/faults"
		on turbo-freq enable -a
		rm -f "$state/faults"
		keep 0 journal "-$writes"
		on --info
	done
	number=$((number + 1))
done

# Command lines on healthy machines, and on some on which three calls in a hundred are disturbed.
for line in $(seq 0 24); do
	octal=$(printf '%03o' "$line")
	for platform in 0 1; do
		printf '%b' "\\000$platform\\0$octal" > "$seeds/commands/$platform-$line"
		{
			printf '%b' "\\000$platform\\0$octal"
			awk -v seed="$line$platform" 'BEGIN {
				srand(seed)
				for (i = 0; i < 1500; i++)
					printf "%c", rand() < 0.03 ? 176 + int(rand() * 80) : 1 + int(rand() * 100)
			}'
		} > "$seeds/commands/$platform-$line-disturbed"
	done
done
