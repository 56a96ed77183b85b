#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Replays captured servers, and compares what the command prints of them with tables of their values and
# with the built-in platforms that are to be the same servers: replays.sh BUILD. Speaks TAP.
# The captures are in $ISST_CAPTURES, or in ../shared/recorded; they are not part of the project, and where
# one is missing its tests are skipped.
here=$(dirname "$0")
# shellcheck source=tests/command/replay.sh
. "$here/replay.sh"
# shellcheck source=tests/support/tap.sh
. "$here/../support/tap.sh"
captured=${ISST_CAPTURES:-../shared/recorded}
case $captured in /*) ;; *) captured=$PWD/$captured ;; esac
kernel_files=${isst%/isst}/tests/command/kernel-files
report_lines=40
: > "$scratch/wrong"

# One result line: whether $scratch/wrong is empty, and its content.
result()
{
	[ ! -s "$scratch/wrong" ]
	report $? "$1" < "$scratch/wrong"
	: > "$scratch/wrong"
}

# Whether a capture exists: capture NAME TEST...; otherwise its tests are skipped.
capture()
{
	machine=$1
	shift
	[ -d "$captured/$machine" ] && return
	for test in "$@"; do
		skip "$machine: $test" "$captured/$machine is not there"
	done
	return 1
}

# Runs the command on the capture: on_machine WORDS...; both streams, and a status other than 0.
on_machine()
{
	"$isst" --emulate "$captured/$machine" --emulate-state "$scratch/$machine" "$@" 2>&1 < /dev/null ||
		echo "status $?"
}

leaves()
{
	on_machine "$@" | awk -f "$here/leaves.awk"
}

# Keeps what two files differ in.
same()
{
	diff "$scratch/$1" "$scratch/$2" >> "$scratch/wrong"
}

# ---- TPMI ----

levels='levels, frequencies, masks, CPU lists and buckets are those of the table'
features='base-freq info and turbo-freq info print the same'
json='JSON has the same content as text'
summary='level summary, lock and core-power are those of the table'
builtin='the built-in platform prints exactly the same, and has the same registers'

# of_feature NODE WORDS...: what a feature's own command has to print is a part of the whole.
of_feature()
{
	sed -n "s:perf-profile-level-0/\\($1/\\):\\1:p" "$scratch/levels" > "$scratch/expected"
	shift
	leaves "$@" > "$scratch/found"
	same expected found
}

# The units of the table.
units()
{
	sed 's:/perf-profile-level-0/.*::' "$scratch/levels" | uniq
}

# check_units LEAF WORDS...: what the command has to print for each of them.
check_units()
{
	value=$1
	shift
	units | sed "s|\$|/$value|" > "$scratch/expected"
	leaves "$@" > "$scratch/found"
	same expected found
}

# One server: check_tpmi PLATFORM TURBO-LIMITS SUPPORTED(yes|no), the table on standard input.
check_tpmi()
{
	awk -f "$here/replayed-levels.awk" > "$scratch/levels"
	[ -s "$scratch/levels" ] || echo "the table is empty" > "$scratch/wrong"

	leaves perf-profile info > "$scratch/found"
	same levels found
	result "$machine: $levels"

	if [ "$3" = yes ]; then
		of_feature speed-select-base-freq-properties base-freq info
		of_feature speed-select-turbo-freq-properties turbo-freq info --level 0
	else
		for feature in base-freq turbo-freq; do
			on_machine --format json $feature info > "$scratch/found"
			grep -q -E "$feature feature is not present at this level 0 \(packages? (1, power domain 4|0-1, power domains 0,3-4)\)" \
				"$scratch/found" || cat "$scratch/found" > "$scratch/wrong"
			grep -q '^status 3$' "$scratch/found" || echo "$feature info succeeds" >> "$scratch/wrong"
		done
	fi
	result "$machine: $features"

	leaves --format json perf-profile info > "$scratch/found"
	same levels found
	result "$machine: $json"

	check_units get-config-levels:0 perf-profile get-config-levels
	check_units get-config-version:1 perf-profile get-config-version
	check_units get-config-enabled:enabled perf-profile get-config-enabled
	check_units get-config-current_level:0 perf-profile get-config-current-level
	check_units get-lock-status:locked perf-profile get-lock-status
	units | grep -v None | sed "s|\$|/get-trl/trl:$2|" > "$scratch/expected"
	leaves turbo-mode get-trl > "$scratch/found"
	same expected found
	if [ "$3" = yes ]; then
		units | sed 's|$|/core-power/clos-max:Max Turbo frequency|' > "$scratch/expected"
		leaves core-power get-config --clos 2 | grep clos-max > "$scratch/found"
		same expected found
	fi
	result "$machine: $summary"

	print_all "$captured/$machine" "$scratch/$machine" text json > "$scratch/of-capture"
	print_all "$1" "$scratch/$1" text json > "$scratch/of-platform"
	same of-capture of-platform
	for dump in "$captured/$machine"/sys/kernel/debug/tpmi-*/tpmi-id-05/mem_dump; do
		# At which address they are is another matter.
		ISST_EMULATE=$1 ISST_EMULATE_STATE=$scratch/$1 "$kernel_files" cat "${dump#"$captured/$machine"}" |
			sed 's/offset:.*//' > "$scratch/found"
		sed 's/offset:.*//' "$dump" > "$scratch/expected"
		same expected found
	done
	result "$machine: $builtin"
}

if capture gnr0 "$levels" "$features" "$json" "$summary" "$builtin"; then
	check_tpmi graniterapids-2s128c 0x2020212223242627 yes <<-'END'
		cpus 512
		base 2000 1900 1500 1400
		power 500
		tjunction 100
		memory 8800
		uncore compute 800 2200 1400
		uncore io 400 2500 800
		limits 0 39 38 36 35 34 33 32 32
		limits 1 39 36 34 33 30 30 29 29
		limits 2 36 33 31 30 28 28 27 27
		limits 3 35 32 30 29 25 25 24 24
		limits 4 30 27 26 25 21 20 20 20
		base-freq 2200 1800 100 500
		turbo-freq-cores 30 60 96
		turbo-freq 0 39 38 34
		turbo-freq 1 39 34 30
		turbo-freq 2 36 31 28
		turbo-freq 3 33 28 25
		turbo-freq 4 27 23 21
		clip 0 20
		clip 1 20
		clip 2 19
		clip 3 15
		clip 4 14
		domain 0 0 0-42,256-298 21,26,30,32,36,38,40,43 18,21-22,25-26,31-33,35-42,274,277-278,281-282,287-289,291-298
		domain 0 1 43-85,299-341 21,26,30,32,36,38,40,43 43,45,48,50,52,55-57,60,62,67-68,73,75,84-85,299,301,304,306,308,311-313,316,318,323-324,329,331,340-341
		domain 0 2 86-127,342-383 22,26,30,32,36,38,40,42 86-87,91-93,97,100,104,107,109-110,115,119,123,126-127,342-343,347-349,353,356,360,363,365-366,371,375,379,382-383
		domain 0 3 - - -
		domain 0 4 - - -
		domain 1 0 128-170,384-426 21,26,30,32,36,38,40,43 128-129,132,142-143,147,150,153,155-156,158,160-161,163,165,167,384-385,388,398-399,403,406,409,411-412,414,416-417,419,421,423
		domain 1 1 171-213,427-469 21,26,30,32,36,38,40,43 172,176,180-181,183,189-193,197-198,203,206,208,211,428,432,436-437,439,445-449,453-454,459,462,464,467
		domain 1 2 214-255,470-511 22,26,30,32,36,38,40,42 217-218,221,223,227,235-239,243-245,247-249,473-474,477,479,483,491-495,499-501,503-505
		domain 1 3 - - -
		domain 1 4 - - -
	END
fi

if capture gnr3 "$levels" "$features" "$json" "$summary" "$builtin"; then
	check_tpmi graniterapids-2s64c 0x2020212223242627 yes <<-'END'
		cpus 256
		base 2100 1800 1500 1300
		power 300
		tjunction 100
		memory 6400
		uncore compute 800 2200 1400
		uncore io 400 2500 800
		limits 0 39 38 36 35 34 33 32 32
		limits 1 38 35 34 33 32 31 30 30
		limits 2 37 33 32 31 29 28 27 27
		limits 3 36 33 31 30 28 27 26 26
		limits 4 30 27 26 25 20 20 19 19
		base-freq 2300 1900 100 300
		turbo-freq-cores 16 32 48
		turbo-freq 0 39 37 34
		turbo-freq 1 38 34 31
		turbo-freq 2 37 31 28
		turbo-freq 3 36 30 27
		turbo-freq 4 25 22 20
		clip 0 21
		clip 1 21
		clip 2 18
		clip 3 15
		clip 4 13
		domain 0 0 0-31,128-159 16,20,22,24,26,28,30,32 7-9,11,15,17,21,23,135-137,139,143,145,149,151
		domain 0 1 32-63,160-191 16,20,22,24,26,28,30,32 33,36,39,41,45,50,61-62,161,164,167,169,173,178,189-190
		domain 0 3 - - -
		domain 0 4 - - -
		domain 1 0 64-95,192-223 16,20,22,24,26,28,30,32 64-65,76,85-87,90,94,192-193,204,213-215,218,222
		domain 1 1 96-127,224-255 16,20,22,24,26,28,30,32 96-97,100,102-103,107,113,117,224-225,228,230-231,235,241,245
		domain 1 3 - - -
		domain 1 4 - - -
	END
fi

if capture srf2 "$levels" "$features" "$json" "$summary" "$builtin"; then
	check_tpmi sierraforest-2s112c 0x1b1b1b1b1b1b1b1b no <<-'END'
		cpus 224
		base 2000 1500 0 0
		power 250
		tjunction 106
		memory 5600
		uncore compute 800 2200 1200
		uncore io 400 2200 800
		limits 0 27 27 27 27 27 27 27 27
		core-power no
		domain 0 0 0-111 28,28,28,28,28,28,28,28 -
		domain 0 3 - - -
		domain 0 4 - - -
		domain 1 0 112-223 28,28,28,28,28,28,28,28 -
		domain 1 3 - - -
		domain 1 4 - - -
	END
fi

# ---- Mailbox: the answers of its firmware were not captured, what can be had without them was ----

frequencies='CPUs and their frequencies are those of the table'
limits='turbo ratio limits are those of the table'
silent='values that were not captured are reported as failures, not invented'
refused='the processor is refused'

# kernel_files PATTERN...: what each of the kernel's files holds.
kernel_files()
{
	ISST_EMULATE=$captured/$machine ISST_EMULATE_STATE=$scratch/$machine "$kernel_files" \
		-C /sys/devices/system/cpu cat "$@"
}

# check_frequencies CPUS HIGHEST-KHZ BASE-KHZ [HIGH-KHZ LIST]: every CPU's base frequency and the highest one.
check_frequencies()
{
	on_machine --info > /dev/null
	[ "$(kernel_files online)" = "0-$(($1 - 1))" ] || kernel_files online > "$scratch/wrong"
	cpu=0
	while [ $cpu -lt "$1" ]; do
		khz=$3
		case ",${5:-}," in *",$cpu,"*) khz=$4 ;; esac
		echo "$cpu $khz $2"
		cpu=$((cpu + 1))
	done > "$scratch/expected"
	cpu=0
	# shellcheck disable=SC2046  # a number each
	while [ $cpu -lt "$1" ]; do
		echo $cpu $(kernel_files cpu$cpu/cpufreq/base_frequency cpu$cpu/cpufreq/cpuinfo_max_freq)
		cpu=$((cpu + 1))
	done > "$scratch/found"
	same expected found
	result "$machine: $frequencies"
}

# check_limits LIMITS CPU...: one unit for each package, which the CPU stands for.
check_limits()
{
	value=$1
	shift
	package=0
	for cpu in "$@"; do
		echo "package-$package/die-$package/cpu-$cpu/get-trl/trl:$value"
		package=$((package + 1))
	done > "$scratch/expected"
	leaves turbo-mode get-trl > "$scratch/found"
	same expected found
	result "$machine: $limits"
}

# Neither a level nor its lock, nor classes or features, are known.
check_silent()
{
	for words in 'perf-profile info' 'perf-profile get-lock-status' 'base-freq info' 'core-power info'; do
		# shellcheck disable=SC2086  # words of a command line
		on_machine --format json $words > "$scratch/found"
		grep -q '^status [13]$' "$scratch/found" || echo "$words does not fail" >> "$scratch/wrong"
		awk -f "$here/leaves.awk" "$scratch/found" >> "$scratch/wrong"
	done
	result "$machine: $silent"
}

# check_refused MESSAGE: with status 3, in both formats.
check_refused()
{
	for format in text json; do
		on_machine --format $format perf-profile info > "$scratch/found"
		if ! grep -q "$1" "$scratch/found" || ! grep -q '^status 3$' "$scratch/found"; then
			cat "$scratch/found" >> "$scratch/wrong"
		fi
	done
	result "$machine: $refused"
}

if capture icx2s0 "$frequencies" "$limits" "$silent"; then
	high=8,9,11,12,14,15,21,22,25,28,29,30,41,42,44,48,50,51,54,55,59,61,65,68
	high=$high,80,81,83,84,86,87,93,94,97,100,101,102,113,114,116,120,122,123,126,127,131,133,137,140
	check_frequencies 144 3500000 2100000 2700000 $high
	check_limits 0x1f1f212222232323 0 36
	check_silent
fi
if capture spr1 "$frequencies" "$limits" "$silent"; then
	check_frequencies 320 3800000 2200000
	check_limits 0x1f1f202021232526 0 40 80 120
	check_silent
fi
if capture emr0 "$frequencies" "$limits" "$silent"; then
	check_frequencies 256 3900000 1900000
	check_limits 0x1d1d1e1e1f212327 0 64
	check_silent
fi
if capture clx2s0 "$frequencies" "$refused"; then
	check_frequencies 96 3900000 2400000
	check_refused 'this Cascade Lake processor (stepping 6) has no accessible Speed Select'
fi
if capture sklep0 "$frequencies" "$refused"; then
	check_frequencies 104 3700000 2100000
	check_refused 'no Speed Select driver on this machine'
fi

finish
