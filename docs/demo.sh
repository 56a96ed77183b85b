#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A tour of an emulated server, the machine of the kernel's Speed Select guide: its examples, and what isst adds: demo.sh BUILD.
# Ends with 1 as soon as a command does not end as it should.
set -eu
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/isst-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
PATH=$build:$PATH
export PATH ISST_EMULATE=guide ISST_EMULATE_STATE="$work/machine"

heading() {
	printf '\n## %s\n' "$*"
}

# Prints a command line and runs it. The banner, which is always the same, and the progress messages about CPUs are
# removed from its output.
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
	[ "$status" -eq 0 ] || echo "(exit status $status)"
}

run() {
	run_expecting 0 "$@"
}

# Prints files of the emulated kernel, relative to /sys/devices/system/cpu, with their values.
values() {
	printf '\n# cd /sys/devices/system/cpu && grep -H . %s\n' "$*"
	isst emulate -- sh -c 'cd /sys/devices/system/cpu && grep -H . "$@"' sh "$@"
}

heading 'Does this server support it, and in which state is it? The following examples omit the banner'
run intel-speed-select --info
run isst status
run isst levels
heading 'A level with fewer CPUs and a higher base frequency, and back'
run isst -c 0 perf-profile set-config-level -l 4 -o
values online cpu0/cpufreq/base_frequency
run isst -c 0 perf-profile set-config-level -l 0 -o

heading 'SST-BF: CPU 5 gets a higher base frequency, CPU 4 a lower one'
run isst -c 0 base-freq info -l 0
run isst -c 0 base-freq enable -a
values cpu4/cpufreq/base_frequency cpu5/cpufreq/base_frequency
isst -c 0 base-freq disable -a > "$work/output"

heading 'SST-TF: the core of CPU 12 gets a higher turbo frequency, all others of its package a lower one'
run isst -c 12 turbo-freq enable -a
run isst status
heading 'Why do CPUs 2 and 12 run as they do?'
run isst explain -c 2,12
isst -c 12 turbo-freq disable -a > "$work/output"

heading 'A change that fails: the emulated processor refuses a step, and the preceding ones are rolled back'
echo 'mailbox 0x7f/0x02 ENXIO' > "$ISST_EMULATE_STATE/faults"
run_expecting 1 isst -c 12 turbo-freq enable -a
rm "$ISST_EMULATE_STATE/faults"

heading 'What the server shall be is written down, compared and applied'
printf '%s\n' '# isst configuration 1' 'clos 3: max base' 'cpu 10: association 3' 'core-power on ordered' > "$work/server.conf"
cd "$work"
run cat server.conf
run_expecting 1 isst config check server.conf
run isst config apply server.conf
run isst config check server.conf
isst config reset --boot > "$work/output"

cat <<'END'

## Nothing of this touched hardware. To try next, in this directory
export PATH="$PWD/build:$PATH" ISST_EMULATE=guide
isst explain                       # docs/explain.md
isst turbo-freq plan --high-priority 2/package
isst --format json-v2 status       # for programs
isst --emulate graniterapids-6776p status --map
isst emulate -- lscpu              # other programs, such as your scripts: docs/testing-your-scripts.md
On a server with Speed Select, unset ISST_EMULATE. docs/first-steps.md is a longer tour, and README.md has three jobs.
END
