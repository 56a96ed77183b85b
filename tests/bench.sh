#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What commands cost by server size, counted by the emulator: bench.sh BUILD
# Prints a table for two reading commands on 1, 2, 4 and 8 packages of the 40-core server, one for two changing
# commands on 2 and 8, and one for the largest servers of either kind; fails where a bound is broken.
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

# One line of figures: what PACKAGES dies opens calls commands files ms
measure() {
	what=$1 packages=$2
	shift 2
	set -- "$build/isst" --emulate "$(platform "$packages")" --emulate-state "$scratch/state-$packages" "$@"
	isst=$1 emulate=$2 machine=$3 option=$4 state=$5
	# The first run makes the state and the cache of offline CPUs.
	"$@" > /dev/null
	"$isst" "$emulate" "$machine" "$option" "$state" platform statistics --clear > /dev/null
	before=$(now)
	"$@" > /dev/null
	after=$(now)
	"$isst" "$emulate" "$machine" "$option" "$state" platform statistics |
		awk -v what="$what" -v packages="$packages" -v ms=$((after - before)) -F: '
			{ gsub(/ /, "", $1); figure[$1] = $2 }
			END {
				print what, packages, packages, figure["device-opens"], figure["driver-calls"],
					figure["commands"], figure["files-opened"], ms
			}'
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
	}' "$scratch/figures"

# ---- Changes ----

# One line of figures: what PACKAGES opens calls commands writes ms, from the machine's first state
measure_change() {
	what=$1 packages=$2
	shift 2
	set -- "$build/isst" --emulate "$(platform "$packages")" --emulate-state "$scratch/state-$packages" "$@"
	isst=$1 emulate=$2 machine=$3 option=$4 state=$5
	"$isst" "$emulate" "$machine" "$option" "$state" platform reset > /dev/null
	"$isst" "$emulate" "$machine" "$option" "$state" --info > /dev/null
	"$isst" "$emulate" "$machine" "$option" "$state" platform statistics --clear > /dev/null
	before=$(now)
	"$@" > /dev/null
	after=$(now)
	"$isst" "$emulate" "$machine" "$option" "$state" platform statistics |
		awk -v what="$what" -v packages="$packages" -v ms=$((after - before)) -F: '
			{ gsub(/ /, "", $1); figure[$1] = $2 }
			END {
				print what, packages, figure["device-opens"], figure["driver-calls"], figure["commands"],
					figure["writes"], ms
			}'
}

for packages in 2 8; do
	measure_change turbo-freq-enable "$packages" -c 0-15 turbo-freq enable -a
	measure_change core-power-assoc "$packages" -c "0-$((packages * cores * 2 - 1))" core-power assoc -c 2
done > "$scratch/unsorted"
sort -k 1,1 -k 2,2n "$scratch/unsorted" > "$scratch/figures"

printf '\nChanges: turbo-freq enable -a -c 0-15 (16 cores of package 0), core-power assoc of all CPUs.\n'
awk -v cores="$cores" '
	function ceil(n) {
		return int((n + 63) / 64)
	}
	# Writes at most: one for each item. turbo-freq: four switches, four CLOS, each core once, in one package.
	function most_writes(what, p) {
		return what == "core-power-assoc" ? cores * p : 4 + 4 + cores
	}
	# Calls at most. Platform information, CPU numbers; summary, features, core-power, turbo-freq data in two phases;
	# then each step reads, writes and reads back.
	function most_calls(what, p,    calls) {
		calls = 1 + ceil(2 * cores * p) + 5
		if (what == "core-power-assoc")
			return calls + 3 * ceil(cores * p)
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
	}' "$scratch/figures"

# ---- The largest machines of either kind ----

# Power domains of the TPMI server: all of them, those with CPUs; cores, CPUs, packages.
tpmi_domains=10 tpmi_compute=6 tpmi_cores=256 tpmi_cpus=512 tpmi_packages=2

# One line of figures: what PLATFORM opens calls commands files writes ms, from the machine's first state
measure_large() {
	what=$1 machine=$2
	shift 2
	set -- "$build/isst" --emulate "$machine" --emulate-unlock --emulate-state "$scratch/large-$machine" "$@"
	isst=$1 emulate=$2 name=$3 unlock=$4 option=$5 state=$6
	"$isst" "$emulate" "$name" "$unlock" "$option" "$state" platform reset > /dev/null
	"$isst" "$emulate" "$name" "$unlock" "$option" "$state" --info > /dev/null
	"$isst" "$emulate" "$name" "$unlock" "$option" "$state" platform statistics --clear > /dev/null
	before=$(now)
	"$@" > /dev/null 2>&1
	after=$(now)
	"$isst" "$emulate" "$name" "$unlock" "$option" "$state" platform statistics |
		awk -v what="$what" -v machine="$machine" -v ms=$((after - before)) -F: '
			{ gsub(/ /, "", $1); figure[$1] = $2 }
			END {
				print what, machine, figure["device-opens"], figure["driver-calls"], figure["commands"],
					figure["files-opened"], figure["writes"], ms
			}'
}

for machine in graniterapids-2s128c icelake-8s40c; do
	case $machine in
	icelake-*) last=639 ;;
	*) last=511 ;;
	esac
	measure_large --info "$machine" --info
	measure_large perf-profile-info "$machine" perf-profile info
	measure_large get-assoc "$machine" -c "0-$last" core-power get-assoc
	measure_large assoc "$machine" -c "0-$last" core-power assoc -c 1
	measure_large turbo-freq-enable "$machine" -c 0-15 turbo-freq enable -a
	measure_large set-config-level "$machine" perf-profile set-config-level -l 0 -o
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
			return calls + 3 * packages # two summaries and core-power, of one domain each
		if (what == "perf-profile-info") # summaries, core-power, level, SST-BF and its mask, SST-TF; core masks
			return calls + 7 * domains + compute
		if (what == "get-assoc")
			return calls + compute + ceil(cores)
		if (what == "assoc") # summaries and core-power; read, written and read back
			return calls + 3 * compute + 3 * (compute + ceil(cores))
		return 0
	}
	BEGIN {
		format = "%-18s %-21s %6s %13s %9s %7s %7s %6s\n"
		printf format, "command", "platform", "opens", "driver calls", "commands", "files", "writes", "ms"
	}
	{
		calls = $2 ~ /^granite/ ? bound($1) : 0
		printf format, $1, $2, $3 " [1]", $4 (calls ? " [" calls "]" : ""), $5, $6, $7, $8
		if ($3 != 1 || (calls && $4 > calls)) {
			print "bench.sh: " $1 " on " $2 " breaks a bound" > "/dev/stderr"
			broken = 1
		}
	}
	END {
		exit broken
	}' "$scratch/figures"

# ---- Compared with the distribution's package of the kernel tree's tool ----

printf '\nCompared with the reference (docs/performance.md describes the columns):\n'
sh "$here/bench/compare.sh" "$build"
