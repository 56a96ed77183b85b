# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# How long a level takes that has half of the cores, with -o, by the reference tool and by this one. In this boot time is a
# count of instructions of all CPUs and of what they wait for, whatever else the computer below does.

speed() {
	[ -e /vm/reference-version ] || { echo "skip - $series $transport: the reference tool: there is none to be had"; return; }
	power_on
	control halve 1
	: > $work/times
	: > $work/wrong
	for round in 1 2 3 4 5; do
		for tool in reference-tool isst; do
			set_level $tool 1 "$(awk '$5 < 2 { print $1 }' $work/topology | ranges)"
			set_level $tool 0 "$(cat $cpus_dir/present)"
		done
	done
	# Five of each: the third is the median.
	for of in 'reference-tool 1' 'reference-tool 0' 'isst 1' 'isst 0'; do
		grep "^$of " $work/times | cut -d ' ' -f 3 | sort -n | sed -n 3p
	done | paste -s -d ' ' > $work/medians
	awk '{ print "# seconds: level 1: reference " $1 ", isst " $3 "; level 0: reference " $2 ", isst " $4 }' $work/medians
	awk '$1 < 1.5 * $3 || $2 < 1.5 * $4' $work/medians >> $work/wrong
	verdict 'perf-profile set-config-level -o of half of the CPUs: 1.5 times as fast as the reference' $work/wrong
}

set_level() {	# $1: tool $2: level $3: CPUs that are online then
	read -r from rest < /proc/uptime
	$1 perf-profile set-config-level -l $2 -o > $work/got 2>&1 || { echo "$1 failed:"; cat $work/got; } >> $work/wrong
	read -r until rest < /proc/uptime
	equal "CPUs online after $1" "$3" "$(cat $cpus_dir/online)" >> $work/wrong
	awk -v words="$1 $2" -v from="$from" -v until="$until" 'BEGIN { printf "%s %.2f\n", words, until - from }' >> $work/times
}
