#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# user: a study of consolidating virtual machines; errors go to /dev/null, the last lines are its reset
# platforms: guide icelake-2s40c icelake-2s36c graniterapids-6776p
for last in 1 3; do
	intel-speed-select --cpu 0-$last turbo-freq enable -a 2> /dev/null > /dev/null
	intel-speed-select -c 0-$((last + 1)) core-power get-assoc 2>&1 | grep -o clos:. | tr '\n' ' '
	echo
	intel-speed-select --cpu 0-$last turbo-freq disable -a 2> /dev/null > /dev/null
done
intel-speed-select base-freq enable -a > /dev/null 2>&1
cat /sys/devices/system/cpu/cpu*/cpufreq/base_frequency | sort | uniq -c
intel-speed-select base-freq disable -a > /dev/null 2>&1
for clos in 0 1 2 3; do
	intel-speed-select core-power config -c $clos > /dev/null 2>&1
done
intel-speed-select core-power disable > /dev/null 2>&1
for clos in 0 1 2 3; do
	intel-speed-select core-power get-config -c $clos 2>&1 | grep -E 'clos-(min|max)' | sort | uniq -c
done
