#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare.sh BUILD
# Runs intel-speed-select and the distribution's package of it (tests/reference/fetch.sh) on the same emulated machines,
# and prints what each command costs: system calls, opens of the device, driver calls, commands, time, memory. Both are run
# by isst emulate, ours from a build without an emulator (BUILD-no-emulator), so that they do the same with the same. Fails where ours takes more of what can be counted exactly than tests/bench/bounds allows, or where it misses
# a ratio that is stated there, or where a level change without --online takes more processor time than the reference's;
# never for another time.
set -eu
export LC_ALL=C
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
emulating=$build/isst
ours=$build-no-emulator/intel-speed-select
preload=$build/libisst-emulator-preload.so
CC=${CC:-cc} # as for make it may be several words
tools=$build/bench
latency=40
firmware=0

# In memory if possible, so that no disk is measured.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then TMPDIR=/dev/shm; fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
unset ISST_EMULATE ISST_EMULATE_STATE ISST_EMULATE_UNLOCK

# ---- Preparing ----

# What the programs are run with, and what counts.
build_tools() {
	cd "$here/../.."
	mkdir -p "$tools"
	make -s BUILD="$build-no-emulator" EMULATOR=no all
	$CC -O2 -Wall -Wextra -o "$tools/measure" "$here/measure.c"
	$CC -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -o "$tools/watch.so" \
		"$here/watch.c" "$here/dispatch.c" -ldl
}

# The words that start the reference, without the shell that wraps them; nothing where there is none.
reference_words() {
	sh "$here/../reference/fetch.sh" "$build/reference" > "$scratch/fetch" 2>&1 || return 0
	sed -n 's/^exec //; s/ "\$@"$//p' "$build/reference/run"
}

# ---- Running ----

# What programs know a platform by: its file, if it is one of the scratch directory.
machine_of() {	# $1: platform
	if [ -f "$scratch/$1.platform" ]; then echo "$scratch/$1.platform"; else echo "$1"; fi
}

# Microseconds that the firmware takes for a command, from now on. CPU numbers are of a table of the driver.
set_latency() {	# $1: platform $2: program $3: latency
	firmware=$3
	for place in mailbox mmio msr tpmi; do echo "$place any delay ${3}us"; done > "$scratch/$1-$2/faults"
	if [ "$3" = 0 ]; then rm "$scratch/$1-$2/faults"; fi
}

# The machine in its first state, as programs know it that ran before; what a command switches back is switched first.
prepare() {	# $1: platform $2: program $3: command
	rm -f "$scratch/$1-$2"/run/*
	"$emulating" --emulate "$(machine_of "$1")" --emulate-state "$scratch/$1-$2" --emulate-unlock platform reset > /dev/null
	# Our first change since boot keeps the state that it finds; bench.sh has a row for that.
	if [ "$2" = ours ]; then
		run_program "$1" "$2" NOTHING core-power config -c 3 -w 1 > /dev/null
		run_program "$1" "$2" NOTHING core-power config -c 3 > /dev/null
	fi
	# What they keep about the machine's topology is made by the first command; --info does not make it for both.
	run_program "$1" "$2" NOTHING perf-profile get-lock-status > /dev/null
	case ${3:-} in
	*'base-freq disable'*) run_program "$1" "$2" NOTHING base-freq enable -a > /dev/null ;;
	*'turbo-freq disable'*) run_program "$1" "$2" NOTHING -c 0-15 turbo-freq enable -a > /dev/null ;;
	*'turbo-mode enable'*) run_program "$1" "$2" NOTHING turbo-mode disable > /dev/null ;;
	esac
	if [ "$firmware" != 0 ]; then set_latency "$1" "$2" "$firmware"; fi
}

# Another program on a machine.
on_machine() {	# $1: platform $2: program of the comparison; then the words
	machine=$(machine_of "$1") state=$scratch/$1-$2
	shift 2
	"$emulating" --emulate "$machine" --emulate-state "$state" --emulate-unlock emulate -- "$@"
}

# One run of a program: prints what `measure` does.
run_program() {	# $1: platform $2: program $3: what to watch, CALLS or TIME; then the program's arguments
	platform=$1 program=$2 watch=$3
	shift 3
	if [ "$program" = ours ]; then set -- "$ours" "$@"; else eval "set -- $reference \"\$@\""; fi
	on_machine "$platform" "$program" "$tools/measure" "$scratch/output-$platform-$program" \
		"LD_PRELOAD=$tools/watch.so:$preload" "ISST_BENCH_$watch=$scratch/watched-$platform-$program" "$@"
}

# All runs of a command: one for each set of CPUs, of which the reference takes fewer at a time. Prints a line for each:
# what `measure` does, and what was watched.
run_command() {	# $1: platform $2: program $3: what to watch $4: sets of CPUs, or - $5: the command
	for cpus in $4; do
		if [ "$cpus" = - ]; then option=; else option="-c $cpus"; fi
		# shellcheck disable=SC2086 # words
		set -- "$1" "$2" "$3" "$4" "$5" "$(run_program "$1" "$2" "$3" $option $5)"
		echo "$6 $(cat "$scratch/watched-$1-$2")"
	done
}

# Whether a program meets the emulated machine, and can work on it: by a command that only reads.
sees_machine() {	# $1: platform $2: program
	prepare "$1" "$2"
	statistics "$1" "$2" | grep -q 'device-opens:[1-9]' && grep -q 'get-lock-status:' "$scratch/output-$1-$2"
}

changes() {	# $1: command
	case $1 in
	*get-config* | *get-assoc*) return 1 ;;
	*enable* | *disable* | *' assoc '* | *' config '* | *set-config-level*) return 0 ;;
	esac
	return 1
}

statistics() {	# $1: platform $2: program; then options
	platform=$1 program=$2
	shift 2
	"$emulating" --emulate "$(machine_of "$platform")" --emulate-state "$scratch/$platform-$program" --emulate-unlock \
		platform statistics "$@"
}

# Prints: calls opens driver-calls accesses status files allocations; without CPU numbers, which the driver looks up in a table.
count() {	# $1: platform $2: program $3: sets of CPUs $4: command
	if changes "$4"; then prepare "$1" "$2" "$4"; fi
	statistics "$1" "$2" --clear > /dev/null
	run_command "$1" "$2" CALLS "$3" "$4" > "$scratch/runs"
	statistics "$1" "$2" | awk -F: '
		FNR == NR {
			split($0, field, " ")
			status += field[4]; calls += field[5]; number_calls += field[6]; numbers += field[7]; allocations += field[8]
			next
		}
		{ gsub(/ /, "", $1); figure[$1] = $2 }
		END {
			print calls, figure["device-opens"], figure["driver-calls"] - number_calls, figure["commands"] - numbers,
				status, figure["files-opened"], allocations
		}' "$scratch/runs" -
}

# Prints: own wall processor memory, of the quickest of several runs
take_time() {	# $1: platform $2: program $3: sets of CPUs $4: command $5: repetitions
	for _ in $(seq "$5"); do
		if changes "$4"; then prepare "$1" "$2" "$4"; fi
		run_command "$1" "$2" TIME "$3" "$4" | awk '
			{ wall += $1; processor += $2; own += $5; memory = $3 > memory ? $3 : memory }
			END { print own, wall, processor, memory }'
	done | sort -n -k 2,2 | awk '
		NR == 1 { own = $1; wall = $2; processor = $3; memory = $4 }
		{
			own = $1 < own ? $1 : own
			processor = $3 < processor ? $3 : processor
			memory = $4 > memory ? $4 : memory
		}
		END { print own, wall, processor, memory }'
}

# One line of figures for each program: platform name program counts times times-with-latency
measure_command() {	# $1: platform $2: name $3: our set of CPUs $4: the reference's sets $5: command
	case $2 in
	*${COMPARE:-}*) ;; # COMPARE: a part of the names of those that are measured
	*) return 0 ;;
	esac
	for program in $able; do
		if [ "$program" = ours ]; then sets=$3; else sets=$4; fi
		counted=$(count "$1" "$program" "$sets" "$5")
		if changes "$5"; then repetitions=2; else repetitions=3; fi
		timed=$(take_time "$1" "$program" "$sets" "$5" "$repetitions")
		set_latency "$1" "$program" "$latency"
		delayed=$(take_time "$1" "$program" "$sets" "$5" 1)
		set_latency "$1" "$program" 0
		echo "$1 $2 $program $counted $timed $delayed"
	done
}

# Sets which programs work on a machine.
find_able() {	# $1: platform
	able=
	for program in ours $others; do
		if sees_machine "$1" "$program"; then
			able="$able $program"
		else
			echo "bench: on $1 $program does not work and is left out" >&2
		fi
	done
}

# The commands of the table. $1: platform $2: last CPU $3: all CPUs, as many at a time as the reference takes $4: a level
measure_platform() {
	find_able "$1"
	measure_command "$1" --info - - --info
	measure_command "$1" 'perf-profile_info' - - 'perf-profile info'
	measure_command "$1" get-assoc "0-$2" "$3" 'core-power get-assoc'
	measure_command "$1" assoc "0-$2" "$3" 'core-power assoc -c 1'
	measure_command "$1" turbo-freq_enable 0-15 0-15 'turbo-freq enable -a'
	measure_command "$1" turbo-freq_disable 0-15 0-15 'turbo-freq disable -a'
	measure_command "$1" base-freq_enable - - 'base-freq enable -a'
	measure_command "$1" base-freq_disable - - 'base-freq disable -a'
	measure_command "$1" core-power_enable - - 'core-power enable'
	measure_command "$1" core-power_disable - - 'core-power disable'
	measure_command "$1" core-power_config - - 'core-power config -c 1 -w 3'
	measure_command "$1" get-config - - 'core-power get-config -c 0'
	measure_command "$1" turbo-mode_disable - - 'turbo-mode disable'
	measure_command "$1" turbo-mode_enable - - 'turbo-mode enable'
	measure_command "$1" get-trl - - 'turbo-mode get-trl'
	measure_command "$1" core-power_info - - 'core-power info'
	measure_command "$1" base-freq_info - - 'base-freq info -l 0'
	measure_command "$1" turbo-freq_info - - 'turbo-freq info -l 0'
	measure_command "$1" get-lock-status - - 'perf-profile get-lock-status'
	measure_command "$1" get-config-levels - - 'perf-profile get-config-levels'
	if [ "$4" != - ]; then
		measure_command "$1" level_without_-o - - "perf-profile set-config-level -l $4"
		measure_command "$1" set-config-level - - "perf-profile set-config-level -l $4 -o"
	fi
}

# What README has of commands that both know.
measure_readme() {	# $1: platform
	find_able "$1"
	measure_command "$1" --info - - --info
	measure_command "$1" base-freq_info 0 0 'base-freq info -l 0'
	measure_command "$1" base-freq_enable 0 0 'base-freq enable'
}

least() {
	sort -n | head -n 1
}

# A tracer has to find the same number of system calls as the watching library. Each looks three times: a run may have to wait.
check_counting() {
	command -v strace > /dev/null || { echo "bench: no strace to check the number of system calls with"; return 0; }
	prepare guide ours
	counted=$(for _ in 1 2 3; do run_command guide ours CALLS - 'perf-profile info'; done | awk '{ print $5 }' | least)
	traced=$(for _ in 1 2 3; do
		on_machine guide ours strace -f -qq -o "$scratch/trace" -E "LD_PRELOAD=$tools/watch.so:$preload" \
			"$ours" perf-profile info > "$scratch/traced" 2>&1 || true
		awk -f "$here/count-calls.awk" "$scratch/trace"
	done | least)
	if [ "$counted" != "$traced" ]; then
		echo "bench: $counted system calls were counted, strace reports $traced" >&2
		return 1
	fi
	echo "The count of system calls equals that of strace (guide, perf-profile info: $traced)."
}

# What a look of watch costs while nothing changes: the difference between runs of 10 and 15 looks, which do not wait.
measure_look() {	# $1: platform $2: name; then options of watch
	platform=$1 look=$2
	shift 2
	for waits in 10 15; do
		statistics "$platform" ours --clear > /dev/null
		ISST_BENCH_WAITS=$waits run_program "$platform" ours CALLS watch --no-events "$@" > "$scratch/runs"
		echo "calls:$(cut -d ' ' -f 1 "$scratch/watched-$platform-ours")"
		statistics "$platform" ours
	done | awk -v platform="$platform" -v look="$look" -F: '
		{ gsub(/ /, "", $1); figure[$1] = $2 - figure[$1] }
		END {
			print platform, look, figure["calls"] / 5, figure["device-opens"] / 5, figure["driver-calls"] / 5,
				figure["commands"] / 5, figure["files-opened"] / 5
		}'
}

# Milliseconds of processor time of 1000 looks at 2 seconds, those at everything among them, and of the emulator.
time_looks() {	# $1: platform
	for waits in 10 1010; do
		for _ in 1 2 3; do
			ISST_BENCH_WAITS=$waits "$tools/measure" "$scratch/output" "LD_PRELOAD=$tools/watch.so" "$emulating" \
				--emulate "$1" --emulate-state "$scratch/$1-ours" --emulate-unlock watch --no-events
		done | cut -d ' ' -f 2 | least
	done | paste -s -d ' ' | awk '{ print $2 - $1 }'
}

# Milliseconds that --help takes at best, on no machine at all.
start_up() {	# $1: program, or "reference"
	if [ "$1" = reference ]; then eval "set -- $reference"; fi
	if [ $# = 0 ]; then echo -; return; fi
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		"$tools/measure" /dev/null "$@" --help
	done | sort -n | awk 'NR == 1 { printf "%.1f", $1 }'
}

# Milliseconds of processor time to parse the slowest of some configurations of 40 000 lines. Their last line is wrong, or
# contradicts one of the others, so that no machine is accessed. With a look at each pair of lines it would be 10 000 and more.
parse_long() {
	while IFS='|' read -r line last; do
		awk -v line="$line\n" -v last="$last" 'BEGIN {
			print "# isst configuration 1"
			for (i = 0; i < 40000; i++) printf line, i, i
			print last
		}' > "$scratch/long.conf"
		"$tools/measure" "$scratch/parsed" "$ours" config check "$scratch/long.conf"
		grep -q 'long.conf:40002: ' "$scratch/parsed" || echo 0 1e9 0 0
	done <<-'END' | sort -n -k 2,2 | awk 'END { print $2 }'
		level 0|wrong
		cpu %u: scaling-max 2000|wrong
		cpu 0-%u: association 0|wrong
		package %u: level 0|wrong
		package 0-1: level 0|wrong
		package %u cpu %u: association 0|wrong
		package %u domain %u: level 0|wrong
		package %u: high-priority 4|package 7: turbo-freq off
		package %u clos 0: min 3000|package 7 clos 0: max 2000
		cpu %u: scaling-min 3000|cpu 7: scaling-max 2000
	END
}

# ---- The whole ----

build_tools
able=
reference=$(reference_words)
others=${reference:+reference}
if [ -z "$reference" ]; then
	echo "bench: no reference to compare with: $(tail -n 1 "$scratch/fetch")"
fi
find_able guide 2> "$scratch/unable"
case $able in
*ours*) if [ -z "${COMPARE:-}" ]; then check_counting; fi ;;
*) echo "bench: comparison skipped: $(cat "$scratch/unable")"; exit 0 ;;
esac
echo "Ours: $("$emulating" --version | sed -n 's/^isst /&/p'). The reference: ${reference:+$(paste -s -d ' ' "$build/reference/version")}."
echo "--help: ours $(start_up "$emulating") ms; without the emulator $(start_up "$ours") ms; the reference $(start_up reference) ms (goal: 2 ms)"
long=0
[ -n "${COMPARE:-}" ] || long=$(parse_long)
echo "A configuration of 40 000 lines: $long ms of processor time (bound: 1000 ms)"
for platform in guide graniterapids-2s128c; do
	prepare "$platform" ours
	measure_look "$platform" small
	measure_look "$platform" whole --interval 3600
done > "$scratch/figures"
looks=$(time_looks graniterapids-2s128c)
echo "1000 looks at 512 CPUs, of 2000 seconds: $looks ms of processor time, the emulator included (bound: 400, 0.02 % of a CPU)"
awk '
	BEGIN {
		# For system calls and files a twentieth more than counted; the others are exact.
		bound["guide small"] = "27 1 2 4 5"
		bound["guide whole"] = "807 2 6 50 259"
		bound["graniterapids-2s128c small"] = "46 1 20 20 5"
		bound["graniterapids-2s128c whole"] = "6720 2 105 358 2191"
		split("system-calls opens driver-calls commands files", name, " ")
	}
	{
		line = "A look of watch (" $1 ", " $2 "):"
		split(bound[$1 " " $2], most, " ")
		for (i = 1; i <= 5; i++) {
			line = line " " name[i] " " $(i + 2) " [" most[i] "]"
			broken = broken || $(i + 2) > most[i]
		}
		print line
	}
	END { exit broken }' "$scratch/figures" || { echo "bench: a look of watch breaks a bound" >&2; exit 1; }
{
	measure_platform guide 55 0-55 1
	measure_platform icelake-2s40c 159 0-159 1
	measure_platform icelake-8s40c 639 '0-319 320-639' 1
	measure_platform graniterapids-2s128c 511 0-511 -
	find_able graniterapids-unlocked
	measure_command graniterapids-unlocked level_without_-o - - 'perf-profile set-config-level -l 1'
	measure_command graniterapids-unlocked set-config-level - - 'perf-profile set-config-level -l 1 -o'
	for kind in mailbox tpmi; do
		sed 's/^packages = .*/packages = 0-31/' "$here/platforms/$kind.platform" > "$scratch/$kind-4096.platform"
		measure_readme "$kind-4096"
	done
} > "$scratch/figures"
awk -f "$here/table.awk" "$here/bounds" "$scratch/figures"
awk -v long="$long" 'BEGIN { exit !(long < 1000) }' || { echo "bench: parsing a long configuration takes too long" >&2; exit 1; }
