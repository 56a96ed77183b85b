#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What commands cost by server size, counted by the emulator: bench.sh BUILD
# Prints a table for two reading commands on 1, 2, 4 and 8 packages of the 40-core server, one for two changing
# commands on 2 and 8, one for the largest servers of either kind, and one for a configuration; fails in the end where a
# bound is broken.
set -eu
export LC_ALL=C
build=$(cd "${1:-build}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# In memory if possible: each call stores the state of its emulated machine.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
unset ISST_EMULATE ISST_EMULATE_STATE
broken= # a bound; the rest is measured all the same

# The server: 40 cores of 2 threads and one die in each package, five levels in four of which the features differ.
cores=40 levels=5 base_freq_levels=2 turbo_freq_levels=2 trl_types=3 second_halves=1
# Files that every run reads (possible, present, online, boot id); files of each package and each die: the CPUs of a
# die, its number, the package's number.
files_fixed=4 files_each=3

# A platform of the tests, or else a built-in one.
platform() {
	file=$here/platforms/icelake-${1}s40c.platform
	if [ -f "$file" ]; then echo "$file"; else echo "icelake-${1}s40c"; fi
}

# Milliseconds of the clock; whole seconds where date does not know %N.
now() {
	date +%s%N | sed 's/%*N$/000000000/; s/......$//'
}

# choose PLATFORM [OPTION]: the machine of what follows
choose() {
	machine=$1 unlock=${2:-} state=$scratch/state-${1##*/}
}

# isst on that machine.
on() {
	"$build/isst" --emulate "$machine" ${unlock:+"$unlock"} --emulate-state "$state" "$@"
}

# The first change since boot also keeps the whole state that it finds. Others are measured after a change, and back.
keep_boot_state() {
	on core-power config --clos 3 --weight 1 > /dev/null 2>&1
	on core-power config --clos 3 > /dev/null 2>&1
}

# from_boot WHAT: the state after boot, with the cache of offline CPUs
from_boot() {
	on platform reset > /dev/null
	on --info > /dev/null
	[ "$1" = first-since-boot ] || keep_boot_state
}

# timed WORDS...: isst on that machine, from cleared statistics; ms is what it took
timed() {
	on platform statistics --clear > /dev/null
	before=$(now)
	on "$@" > /dev/null 2> "$scratch/messages" || { cat "$scratch/messages" >&2; return 1; }
	ms=$(($(now) - before))
}

# figures WORDS NAME...: one line: the words, the statistics of these names, ms
figures() {
	words=$1
	shift
	on platform statistics | awk -v line="$words" -v names="$*" -v ms="$ms" -F: '
		{ gsub(/ /, "", $1); figure[$1] = $2 }
		END {
			count = split(names, name, " ")
			for (i = 1; i <= count; i++)
				line = line " " figure[name[i]]
			print line, ms
		}'
}

# measure WHAT PACKAGES WORDS...: what PACKAGES dies opens calls commands files ms
measure() {
	what=$1 packages=$2
	shift 2
	choose "$(platform "$packages")"
	on "$@" > /dev/null
	timed "$@"
	figures "$what $packages $packages" device-opens driver-calls commands files-opened
}

for packages in 1 2 4 8; do
	measure perf-profile-info "$packages" perf-profile info
	measure --info "$packages" --info
done > "$scratch/unsorted"
sort -k 1,1 -k 2,2n "$scratch/unsorted" > "$scratch/figures"

awk -v cores="$cores" -v levels="$levels" -v bf="$base_freq_levels" -v tf="$turbo_freq_levels" \
	-v types="$trl_types" -v halves="$second_halves" -v a="$files_fixed" -v b="$files_each" '
	function ceil(n) {
		return int((n + 63) / 64)
	}
	# Calls that the requests of each kind and dependency phase need at most. p: packages.
	function bound(what, p,    calls) {
		calls = 1 + ceil(2 * cores * p) # platform information, CPU numbers
		calls += ceil(p) # level summary
		if (what == "--info")
			return calls + ceil(levels * p) + ceil(2 * p) # features; core-power and CLOS state
		# Features of all levels; core-power.
		calls += ceil((levels + 1) * p)
		# Level data: TDP, temperature, uncore, base, memory, cores in halves, ratios in halves; features of levels that have them.
		calls += ceil((levels * (5 + 1 + halves + 2 * types) + bf * (3 + 1 + halves) + tf * (1 + 2)) * p)
		calls += ceil(p) # MSR: sizes of the turbo buckets
		calls += ceil(tf * types * p) # turbo-freq frequencies, of up to four buckets
		return calls
	}
	BEGIN {
		print "The 40-core server (icelake-Ns40c), counted by the emulator; [at most]."
		format = "%-18s %8s %6s %14s %9s %15s %6s\n"
		printf format, "command", "packages", "opens", "driver calls", "commands", "files", "ms"
	}
	{
		calls = bound($1, $2)
		files = a + b * ($2 + $3)
		printf format, $1, $2, $4 " [1]", $5 " [" calls "]", $6, $7 " [" files "]", $8
		if ($4 != 1 || $5 > calls || $7 > files) {
			print "bench.sh: " $1 " on " $2 " packages breaks a bound" > "/dev/stderr"
			broken = 1
		}
	}
	END {
		printf "\nfiles opened: at most a + b x (packages + dies), a = %d, b = %d\n", a, b
		print "driver calls: at most the sum of ceil(n / 64) over kinds of requests and phases that depend on each other:"
		print "  1 platform information; GET_PHY_ID: n = CPUs; level summary: n = packages;"
		print "  --info: features of all levels; core-power and CLOS state;"
		print "  perf-profile info: features; data of all levels with SST-BF and SST-TF; MSR 0x1ae: n = packages; SST-TF rest"
		exit broken
	}' "$scratch/figures" || broken=yes

# ---- Changes ----

# measure_change WHAT PACKAGES WORDS...: what PACKAGES opens calls commands writes ms, from the machine's first state
measure_change() {
	what=$1 packages=$2
	shift 2
	choose "$(platform "$packages")"
	from_boot "$what"
	timed "$@"
	figures "$what $packages" device-opens driver-calls commands writes
}

for packages in 2 8; do
	measure_change turbo-freq-enable "$packages" -c 0-15 turbo-freq enable -a
	measure_change core-power-assoc "$packages" -c "0-$((packages * cores * 2 - 1))" core-power assoc -c 2
	measure_change first-since-boot "$packages" -c "0-$((packages * cores * 2 - 1))" core-power assoc -c 2
done > "$scratch/unsorted"
sort -k 1,1 -k 2,2n "$scratch/unsorted" > "$scratch/figures"

printf '\nChanges: turbo-freq enable -a -c 0-15 (16 cores of package 0), core-power assoc of all CPUs, also
as the first change since boot, which keeps the state that it finds.\n'
awk -v cores="$cores" '
	function ceil(n) {
		return int((n + 63) / 64)
	}
	# Writes at most: one for each item. turbo-freq: four switches, four CLOS, each core once, in one package.
	function most_writes(what, p) {
		return what == "turbo-freq-enable" ? 4 + 4 + cores : cores * p
	}
	# Calls at most. Platform information, CPU numbers; summary, features, core-power, turbo-freq data in two phases;
	# then each step reads, writes and reads back.
	function most_calls(what, p,    calls) {
		calls = 1 + ceil(2 * cores * p) + 5
		if (what == "core-power-assoc")
			return calls + 3 * ceil(cores * p)
		# The whole state: summary, features and switches; CLOS and associations; turbo ratio limits; then what
		# they mean at the level: summary, features, bucket sizes, frequencies and masks.
		if (what == "first-since-boot") {
			calls += 3 * ceil(cores * p)
			calls += 2 * ceil(3 * p) + ceil(p) + ceil((4 + cores) * p) + ceil(p)
			return calls + ceil(p) + ceil(2 * p) + ceil(p) + ceil(13 * p)
		}
		# Four switches (what they disturb is read as well), CLOS, associations, levels for the record.
		return calls + 4 * 4 + 3 + 3 * ceil(cores) + 1
	}
	BEGIN {
		format = "%-18s %8s %6s %14s %9s %11s %6s\n"
		printf format, "command", "packages", "opens", "driver calls", "commands", "writes", "ms"
	}
	{
		calls = most_calls($1, $2)
		writes = most_writes($1, $2)
		printf format, $1, $2, $3 " [1]", $4 " [" calls "]", $5, $6 " [" writes "]", $7
		if ($3 != 1 || $4 > calls || $6 > writes) {
			print "bench.sh: " $1 " on " $2 " packages breaks a bound" > "/dev/stderr"
			broken = 1
		}
	}
	END {
		print "\nwrites: one for each core, and one for each CLOS and switch of a domain; none for what has its value already"
		exit broken
	}' "$scratch/figures" || broken=yes

# ---- The largest machines of either kind ----

# Power domains of the TPMI server: all of them, those with CPUs; cores, CPUs, packages.
tpmi_domains=10 tpmi_compute=6 tpmi_cores=256 tpmi_cpus=512 tpmi_packages=2

# measure_large WHAT WORDS...: what PLATFORM opens calls commands files writes ms, from the machine's first state
measure_large() {
	what=$1
	shift
	from_boot "$what"
	timed "$@"
	figures "$what $machine" device-opens driver-calls commands files-opened writes
}

for machine in graniterapids-2s128c icelake-8s40c; do
	choose "$machine" --emulate-unlock
	case $machine in
	icelake-*) last=639 ;;
	*) last=511 ;;
	esac
	measure_large --info --info
	measure_large perf-profile-info perf-profile info
	measure_large explain explain
	measure_large get-assoc -c "0-$last" core-power get-assoc
	measure_large assoc -c "0-$last" core-power assoc -c 1
	measure_large turbo-freq-enable -c 0-15 turbo-freq enable -a
	measure_large set-config-level perf-profile set-config-level -l 0 -o
done > "$scratch/figures"

printf '\nThe largest servers: graniterapids-2s128c (TPMI, 512 CPUs), icelake-8s40c (mailbox, 640 CPUs).\n'
awk -v domains="$tpmi_domains" -v compute="$tpmi_compute" -v cores="$tpmi_cores" -v cpus="$tpmi_cpus" \
	-v packages="$tpmi_packages" '
	function ceil(n) {
		return int((n + 63) / 64)
	}
	# Calls on the TPMI server at most: every request is one call, but for CPU numbers and associations, which go
	# in batches after one look at core-power for each domain. 0: no bound is stated.
	function bound(what,    calls) {
		calls = 1 + ceil(cpus) + packages # platform information, CPU numbers, domains
		if (what == "--info")
			return calls + 4 * packages # three summaries, one of them as classes hold by SST-TF; core-power; of one domain each
		if (what == "perf-profile-info") # summaries, core-power, level, SST-BF and its mask, SST-TF; core masks
			return calls + 7 * domains + compute
		if (what == "get-assoc")
			return calls + compute + ceil(cores)
		if (what == "assoc") # summaries and core-power; read, written and read back
			return calls + 3 * compute + 3 * (compute + ceil(cores))
		# Summaries; core-power, level, SST-BF, SST-TF and their masks; associations, as core-power is off without CLOS;
		# turbo ratio limits, by one CPU of each domain at once.
		if (what == "explain")
			return calls + domains + 9 * compute + ceil(cores) + ceil(compute)
		return 0
	}
	# Files at most: seven of cpufreq for each CPU, and of some servers one for each core; others are few.
	function most_files(what, machine) {
		return what == "explain" ? 8 * (machine ~ /^granite/ ? cpus : 640) : 0
	}
	BEGIN {
		format = "%-18s %-21s %6s %13s %9s %12s %7s %6s\n"
		printf format, "command", "platform", "opens", "driver calls", "commands", "files", "writes", "ms"
	}
	{
		calls = $2 ~ /^granite/ ? bound($1) : 0
		files = most_files($1, $2)
		printf format, $1, $2, $3 " [1]", $4 (calls ? " [" calls "]" : ""), $5, $6 (files ? " [" files "]" : ""), $7, $8
		if ($3 != 1 || (calls && $4 > calls) || (files && $6 > files)) {
			print "bench.sh: " $1 " on " $2 " breaks a bound" > "/dev/stderr"
			broken = 1
		}
	}
	END {
		exit broken
	}' "$scratch/figures" || broken=yes

# ---- A configuration ----

# measure_configuration WHAT FROM-BOOT WORDS...: what RESULT opens calls commands files writes ms, where these are
# milliseconds of processor time, of the run with the least; FROM-BOOT: whether each run finds the state after boot
measure_configuration() {
	what=$1 from_boot=$2
	shift 2
	for _ in 1 2 3 4 5; do
		[ "$from_boot" = no ] || from_boot "$what"
		on platform statistics --clear > /dev/null
		ms=$("$scratch/measure" "$scratch/printed" "$build/isst" --emulate "$machine" --emulate-state "$state" "$@" | cut -d ' ' -f 2)
		result=$(sed -n 's/^config [a-z]*://p' "$scratch/printed")
		figures "$what ${result:-none}" device-opens driver-calls commands files-opened writes
	done | sort -n -k 8,8 | head -n 1
}

${CC:-cc} -O2 -Wall -Wextra -o "$scratch/measure" "$here/bench/measure.c"
choose graniterapids-6776p
{
	measure_configuration check-differs yes config check "$here/bench/pct.conf"
	measure_configuration first-since-boot yes config apply "$here/bench/pct.conf"
	measure_configuration apply yes config apply "$here/bench/pct.conf"
	measure_configuration check-equal no config check "$here/bench/pct.conf"
	measure_configuration apply-again no config apply "$here/bench/pct.conf"
} > "$scratch/figures"

# The policy of the vendor's kit for that feature, whose script takes 4.1 s for it; ms: processor time. Calls and commands are exact: they may
# become less, never more; for files it is a twentieth more. Writes: the CLOS of 112 of 128 cores; in each of eight power
# domains four classes, CLOS 3 once more, whose maximum follows when the cores are in it, core-power and turbo-freq; turbo
# ratio limits, twice. Firmware may reset classes when core-power goes on: those of each domain are read before and
# after that.
printf '\nA configuration: Priority Core Turbo on graniterapids-6776p (tests/bench/pct.conf: 8 of 64 cores of each package); ms: processor time.\n'
awk '
	BEGIN {
		format = "%-18s %-9s %6s %13s %11s %11s %10s %8s\n"
		printf format, "command", "result", "opens", "driver calls", "commands", "files", "writes", "ms"
		bound["check-differs"] = "differs 98 477 683 0 50"
		bound["first-since-boot"] = "success 470 1325 3623 170 50"
		bound["apply"] = "success 371 1099 2416 170 50"
		bound["check-equal"] = "equal 98 477 683 0 50"
		bound["apply-again"] = "success 114 493 2410 0 50"
	}
	{
		split(bound[$1], most, " ")
		printf format, $1, $2, $3 " [1]", $4 " [" most[2] "]", $5 " [" most[3] "]", $6 " [" most[4] "]", $7 " [" most[5] "]",
			$8 " [" most[6] "]"
		if ($2 != most[1] || $3 != 1 || $4 > most[2] || $5 > most[3] || $6 > most[4] || $7 != most[5] ||
				$8 >= most[6]) {
			print "bench.sh: " $1 " of a configuration breaks a bound" > "/dev/stderr"
			broken = 1
		}
	}
	END { exit broken }' "$scratch/figures" || broken=yes

# Long ones, whose problems and skips are as many as their lines: none of them may be compared with each other. Twice as many
# lines take less than three times as long, and less than five seconds of processor time.
printf '\nConfigurations of 50000 and of 100000 lines; ms: processor time.\n'
for statement in 'package &: level 0' '? package &: level 0' 'clos 4: weight &' 'clos 1: max &'; do
	for lines in 50000 100000; do
		{
			echo '# isst configuration 1'
			seq 100 $((lines + 99)) | sed "s/.*/$statement/"
		} > "$scratch/long.conf"
		for _ in 1 2 3; do
			"$scratch/measure" /dev/null "$build/isst" --emulate guide --emulate-state "$scratch/state-long" \
				config check "$scratch/long.conf" 2> /dev/null | cut -d ' ' -f 2
		done | sort -n | head -n 1
	done | xargs echo "$statement:"
done > "$scratch/figures"
awk '
	{
		print
		if ($NF >= 5000 || $NF > 3 * $(NF - 1) + 100) {
			print "bench.sh: a long configuration breaks a bound: " $0 > "/dev/stderr"
			broken = 1
		}
	}
	END { exit broken }' "$scratch/figures" || broken=yes

# ---- Status ----

# measure_status WHAT WORDS...: what PLATFORM opens calls commands files ms, where these are milliseconds of processor
# time, the least of several runs
measure_status() {
	what=$1
	shift
	from_boot first-since-boot
	for _ in 1 2 3 4 5 6 7 8; do
		on platform statistics --clear > /dev/null
		"$scratch/measure" /dev/null "$build/isst" --emulate "$machine" --emulate-state "$state" "$@"
	done | sort -n -k 2,2 | head -n 1 > "$scratch/time"
	ms=$(cut -d ' ' -f 2 "$scratch/time")
	figures "$what $machine" device-opens driver-calls commands files-opened
}

# measure_round WHAT OPTIONS...: what one more round of --watch costs: the difference between two and three of them. A
# run ends as it begins to print a round that is not read any more.
measure_round() {
	what=$1
	shift
	for until in '/^running/q' '/^running/{x;s/^/x/;/xx/q;x}'; do
		on platform statistics --clear > /dev/null
		on status "$@" --watch 1 | sed -n "$until"
		on platform statistics
	done | awk -v what="$what" -v machine="$machine" -F: '
		{ gsub(/ /, "", $1); figure[$1] = $2 - figure[$1] }
		END {
			print what, machine, figure["device-opens"], figure["driver-calls"], figure["commands"],
				figure["files-opened"], "-"
		}'
}

# Formats for other programs, which read buckets and performance limit reasons as well.
measure_formats() {
	for format in json-v2 openmetrics nfd facts; do
		measure_status "status-$format" --format "$format" status
	done
}

for machine in guide icelake-8s40c graniterapids-2s128c; do
	choose "$machine"
	measure_status status status
	measure_status status-map status --map
	measure_formats
	measure_round watch-round
	measure_round watch-round-map --map
done > "$scratch/figures"

# Calls and commands are exact: they may become less, never more; for files it is a twentieth more. Processor time is that
# of the emulator as well. By TPMI each domain with core-power is asked once more for SST-TF, by which classes hold, too.
# A round of --watch reads the energy and the limit of each package.
printf '\nstatus, its formats for other programs, and one more round of status --watch; ms: processor time.\n'
awk '
	BEGIN {
		format = "%-18s %-21s %6s %13s %11s %13s %9s\n"
		printf format, "command", "platform", "opens", "driver calls", "commands", "files", "ms"
		bound["status guide"] = "1 10 131 271"
		bound["status-map guide"] = "1 6 93 16"
		bound["status-json-v2 guide"] = "1 10 131 272"
		bound["status-openmetrics guide"] = "1 14 147 284"
		bound["status-nfd guide"] = "1 14 147 284"
		bound["status-facts guide"] = "1 14 147 284"
		bound["watch-round guide"] = "1 6 46 334"
		bound["watch-round-map guide"] = "1 4 36 81"
		bound["status icelake-8s40c"] = "1 24 1153 2781"
		bound["status-map icelake-8s40c"] = "1 19 993 47"
		bound["status-json-v2 icelake-8s40c"] = "1 24 1153 2782"
		bound["status-openmetrics icelake-8s40c"] = "1 28 1217 2806"
		bound["status-nfd icelake-8s40c"] = "1 28 1217 2806"
		bound["status-facts icelake-8s40c"] = "1 28 1217 2806"
		bound["watch-round icelake-8s40c"] = "1 10 392 3429"
		bound["watch-round-map icelake-8s40c"] = "1 8 352 739"
		bound["status graniterapids-2s128c"] = "1 137 893 2253 20"
		bound["status-map graniterapids-2s128c"] = "1 61 817 24"
		bound["status-json-v2 graniterapids-2s128c"] = "1 137 893 2254"
		bound["status-openmetrics graniterapids-2s128c"] = "1 155 911 2294"
		bound["status-nfd graniterapids-2s128c"] = "1 155 911 2294"
		bound["status-facts graniterapids-2s128c"] = "1 155 911 2294"
		bound["watch-round graniterapids-2s128c"] = "1 100 352 2762"
		bound["watch-round-map graniterapids-2s128c"] = "1 50 302 565"
	}
	{
		split(bound[$1 " " $2], most, " ")
		printf format, $1, $2, $3 " [" most[1] "]", $4 " [" most[2] "]", $5 " [" most[3] "]", $6 " [" most[4] "]",
			$7 (most[5] ? " [" most[5] "]" : "")
		if (!(($1 " " $2) in bound) || $3 > most[1] || $4 > most[2] || $5 > most[3] || $6 > most[4] ||
				(most[5] && $7 >= most[5])) {
			print "bench.sh: " $1 " on " $2 " breaks a bound" > "/dev/stderr"
			broken = 1
		}
	}
	END { exit broken }' "$scratch/figures" || broken=yes

# ---- Growth ----

sh "$here/bench/growth.sh" "$build" || broken=yes

# ---- Compared with the distribution's package of the kernel tree's tool ----

printf '\nCompared with the reference (docs/internals/performance.md describes the columns):\n'
sh "$here/bench/compare.sh" "$build" || broken=yes
[ -z "$broken" ]
