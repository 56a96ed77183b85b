#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# user: a kernel validation suite: everything with -o FILE, grep and awk in the file
# platforms: guide icelake-2s40c sapphirerapids-2s56c graniterapids-6776p
fail=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
out=$work/out

verdict() {	# NAME STATUS
	if [ "$2" -eq 0 ]; then echo "$1: pass"; else echo "$1: FAIL"; fail=1; fi
}

intel-speed-select -o "$out" --info > /dev/null 2>&1
intel-speed-select -o "$out" perf-profile get-lock-status > /dev/null 2>&1
echo "locks: $(grep -c unlocked "$out")"
intel-speed-select -o "$out" perf-profile get-config-levels > /dev/null 2>&1
echo "levels: $(awk -F: '/get-config-levels/ { print $2 }' "$out" | sort -u | tr '\n' ' ')"
intel-speed-select -o "$out" perf-profile info -l 0 > /dev/null 2>&1
echo "base: $(grep ' base-frequency(MHz)' "$out" | awk -F: '{ print $2 }' | sort -u | tr '\n' ' ')"

for priority in 0 1; do
	intel-speed-select -o "$out" core-power enable -p $priority > /dev/null 2>&1
	verdict "core-power enable -p $priority" $?
	echo "  $(grep -c 'enable:success' "$out") units"
	intel-speed-select -o "$out" core-power info > /dev/null 2>&1
	echo "  $(grep -c 'enable-status:enabled' "$out") enabled, $(grep priority-type "$out" | sort -u | tr -d ' ' | tr '\n' ' ')"
	intel-speed-select -o "$out" core-power disable -p $priority > /dev/null 2>&1
	verdict "core-power disable -p $priority" $?
	echo "  $(grep -c 'disable:success' "$out") units"
	intel-speed-select -o "$out" core-power info > /dev/null 2>&1
	echo "  $(grep -c 'clos-enable-status:disabled' "$out") disabled"
done

no_turbo=/sys/devices/system/cpu/intel_pstate/no_turbo
for level in $(intel-speed-select perf-profile info 2>&1 | sed -n 's/.*perf-profile-level-\([0-9]*\).*/\1/p' | sort -u); do
	intel-speed-select -o "$out" -d perf-profile set-config-level -l "$level" -o > /dev/null 2>&1
	verdict "level $level" $?
	echo "  $(grep -c 'set_tdp_level:success' "$out") units"
	intel-speed-select -o "$out" perf-profile get-config-current-level > /dev/null 2>&1
	echo "  $(awk -F: '/get-config-current_level/ { print $2 }' "$out" | sort -u | tr '\n' ' ')"
	if intel-speed-select base-freq info -l "$level" 2>&1 | grep -q high-priority-base; then
		echo 1 > $no_turbo
		intel-speed-select -o "$out" base-freq enable -a > /dev/null 2>&1
		verdict "base-freq enable -a" $?
		echo "  $(grep -c 'enable:success' "$out") units"
		echo "  base frequencies $(cat /sys/devices/system/cpu/cpu*/cpufreq/base_frequency 2> /dev/null | sort | uniq -c | tr -s ' \n' ' ')"
		intel-speed-select -o "$out" base-freq disable -a > /dev/null 2>&1
		verdict "base-freq disable -a" $?
		echo 0 > $no_turbo
	fi
	if intel-speed-select turbo-freq info -l "$level" 2>&1 | grep -q bucket-0; then
		intel-speed-select -o "$out" turbo-freq enable -a > /dev/null 2>&1
		verdict "turbo-freq enable -a" $?
		echo "  $(grep -c 'enable:success' "$out") successes"
		intel-speed-select -o "$out" turbo-freq disable -a > /dev/null 2>&1
		verdict "turbo-freq disable -a" $?
	fi
done
exit $fail
