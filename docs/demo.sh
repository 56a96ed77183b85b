#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples of the kernel's Speed Select guide, reading and changing, on the emulated machine of the guide:
# demo.sh BUILD. Ends with 1 as soon as a command fails.
set -eu
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/isst-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
state=$work/machine
PATH=$build:$PATH
export PATH ISST_EMULATE=guide ISST_EMULATE_STATE="$state"

heading() {
	printf '\n## %s\n' "$*"
}

# Prints a command line and runs it. The banner, which is always the same, and the progress messages about CPUs are
# removed from its output: the kernel's files show the result.
run_expecting() {	# $1: its exit status; the other words: the command
	expected=$1
	shift
	printf '\n# %s\n' "$*"
	status=0
	"$@" > "$work/output" 2>&1 || status=$?
	sed '/^Intel(R) Speed Select Technology$/,/^Emulated machine: /d; /^o[nf][a-z]* cpu [0-9]*$/d' "$work/output"
	if [ "$status" -ne "$expected" ]; then
		printf '\ndemo: ended with %s, not %s: %s\n' "$status" "$expected" "$*" >&2
		exit 1
	fi
}

run() {
	run_expecting 0 "$@"
}

# The same for a command that has to fail.
run_refused() {
	run_expecting "$@"
	echo "(exit status $status)"
}

# Prints files of the emulated kernel, relative to /sys/devices/system/cpu, with their values.
values() {
	printf '\n# cd /sys/devices/system/cpu && grep -H . %s\n' "$*"
	ISST_EMULATE_QUIET=yes isst emulate -- sh -c 'cd /sys/devices/system/cpu && grep -H . "$@"' sh "$@"
}

heading 'Supported features of the platform. The following examples omit the banner'
printf '\n# intel-speed-select --info\n'
intel-speed-select --info 2>&1
heading 'Performance levels, and whether they are locked'
run isst perf-profile get-config-levels
run isst perf-profile get-lock-status
run isst perf-profile get-config-version
run isst perf-profile get-config-enabled
run isst perf-profile get-config-current-level

heading 'Properties of the base level, and of level 4 with fewer CPUs and a higher base frequency'
run isst -c 0 perf-profile info -l 0
run isst -c 0 perf-profile info -l 4

heading 'Level 4: what would be changed'
run isst --dry-run -c 0 perf-profile set-config-level -l 4 -o
heading 'Level 4: before'
values online cpu0/cpufreq/base_frequency
heading 'Level 4: the change. Without -o no CPU would go offline'
run isst perf-profile set-config-level -l 4 -o
heading 'Level 4: after'
run isst perf-profile get-config-current-level
values online cpu0/cpufreq/base_frequency
heading 'SST-BF at level 4: refused, because the level does not support it'
run_refused 3 isst base-freq enable -a
heading 'Back to level 0, with all CPUs'
run isst perf-profile set-config-level -l 0 -o
run isst perf-profile get-config-current-level
values online cpu0/cpufreq/base_frequency

heading 'SST-CP: core power and its classes of service, before'
run isst core-power info
run isst core-power get-config -c 0
run isst -c 10 core-power get-assoc
heading 'SST-CP: enabled, CLOS 0 configured with defaults and CLOS 3 with limits, CPU 10 in CLOS 3'
run isst core-power enable
run isst core-power config -c 0
run isst core-power config -c 3 -w 15 -n 800 -m 2400
run isst -c 10 core-power assoc -c 3
heading 'SST-CP: after. CPU 38 is the sibling thread of CPU 10: a class applies to a whole core'
run isst -c 0 core-power info
run isst -c 0 core-power get-config -c 0
run isst -c 0 core-power get-config -c 3
run isst -c 10,38 core-power get-assoc
heading 'SST-CP: back to the previous settings'
run isst -c 10 core-power assoc -c 0
run isst core-power config -c 3
run isst core-power disable
run isst -c 0 core-power info

heading 'SST-BF: the CPUs that can have a higher base frequency'
run isst -c 0 base-freq info -l 0
heading 'SST-BF: before. CPU 5 is one of them, CPU 4 is not'
values cpu4/cpufreq/base_frequency cpu5/cpufreq/base_frequency cpu5/cpufreq/scaling_min_freq
run isst -c 4,5 core-power get-assoc
heading 'SST-BF: enabled, with matching classes of service'
run isst base-freq enable -a
heading 'SST-BF: after'
values cpu4/cpufreq/base_frequency cpu5/cpufreq/base_frequency cpu5/cpufreq/scaling_min_freq
run isst -c 4,5 core-power get-assoc
run isst -c 0 core-power get-config -c 0
run isst -c 0 core-power info
heading 'SST-BF: enabled again. Nothing is written'
run isst base-freq enable -a
heading 'SST-BF: disabled, and the previous settings are restored'
run isst base-freq disable -a
values cpu4/cpufreq/base_frequency cpu5/cpufreq/base_frequency cpu5/cpufreq/scaling_min_freq
run isst -c 4,5 core-power get-assoc
run isst -c 0 core-power info

heading 'SST-TF: turbo frequencies of a few cores'
run isst -c 0 turbo-freq info -l 0
run isst -c 0 turbo-freq info -l 0 -b 0 -r avx2
heading 'SST-TF: before'
run isst -c 0 turbo-mode get-trl
run isst -c 11,12,13 core-power get-assoc
heading 'SST-TF: enabled, with high priority for the cores of CPUs 12 and 13'
run isst -c 12,13 turbo-freq enable -a
heading 'SST-TF: after. 12 and 13 are in CLOS 0, all others of the package in CLOS 3'
run isst -c 0 turbo-mode get-trl
run isst -c 11,12,13 core-power get-assoc
run isst -c 0 core-power info
heading 'SST-TF needs core-power: disabling core-power is refused'
run_refused 1 isst -c 0 core-power disable
heading 'SST-TF: disabled, and the previous settings are restored'
run isst -c 12,13 turbo-freq disable -a
run isst -c 0 turbo-mode get-trl
run isst -c 11,12,13 core-power get-assoc
run isst -c 0 core-power info

heading 'A change that fails: the emulated processor refuses a step, and the preceding ones are rolled back'
echo 'mailbox 0x7f/0x02 ENXIO' > "$state/faults"
run_refused 1 isst -c 12,13 turbo-freq enable -a
rm "$state/faults"
run isst -c 0 core-power info

heading 'The same as JSON, for scripts'
run isst -f json perf-profile get-config-levels
run isst -f json --dry-run -c 0 core-power enable
heading 'No hardware was touched: this was an emulated machine. On a server with Speed Select, unset ISST_EMULATE.'
