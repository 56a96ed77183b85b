#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# user: the vendor's kit for high priority cores on accelerator hosts; stops at the first non-zero status
# platforms: graniterapids-6776p graniterapids-2s64c graniterapids-2s128c icelake-2s40c
set -e
problem='malformed arguments|Error:|Failed to get turbo-freq info'

check() {	# a command line; its output, and whether it holds a problem
	output=$(intel-speed-select "$@" 2>&1)
	if grep -E -q "$problem" <<< "$output"; then
		echo "problem with $*"
		return 1
	fi
}

intel-speed-select --info 2>&1 | grep -E 'SST-(TF|CP)'
level=$(intel-speed-select perf-profile get-config-current-level 2>&1 | awk -F: '/get-config-current_level/ { print $2; exit }')
# The first CPU and the size of the first bucket for each domain that has CPUs.
table=$(intel-speed-select turbo-freq info -l "$level" 2>&1 | awk '
	/package-/ { package = $1 } /die-/ { die = $1 } /powerdomain-/ { domain = $1 } /cpu-/ { cpu = $1 }
	/bucket-0/ { wanted = 1 }
	wanted && /high-priority-cores-count:/ { split($1, part, ":"); print package, die, domain, part[2], cpu; wanted = 0 }')
echo "$table"
if intel-speed-select turbo-freq info -l 9 2>&1 | grep -E -q "$problem"; then
	echo "a level that is not there: noticed"
else
	echo "a level that is not there: not noticed"
fi

check core-power enable --priority 1
check core-power config -c 0 -n 3000 -m 25500
check core-power config -c 2 -n 800 -m 2300
echo "high=$(intel-speed-select core-power get-config -c 0 2>&1 | grep -c 'clos-min:3000 MHz') low=$(
	intel-speed-select core-power get-config -c 2 2>&1 | grep -c 'clos-max:2300 MHz')"

every=$(cat /sys/devices/system/cpu/online)
last=${every##*-}
for ((start = 0; start <= last; start += 64)); do
	end=$((start + 63 < last ? start + 63 : last))
	check -c "$start-$end" core-power assoc -c 2
done
high=$(awk '$NF != "cpu-None" { sub("cpu-", "", $NF); print $NF }' <<< "$table" | paste -s -d ,)
check -c "$high" core-power assoc -c 0
echo "CPUs of high priority: $high"
for cpu in ${high//,/ } $last; do
	intel-speed-select -c "$cpu" core-power get-assoc 2>&1 | awk -v cpu="$cpu" '/clos:/ { sub(/.*clos:/, ""); print "CPU", cpu, "in", $0 }'
done
# As in some of its versions, without a number behind the option.
check core-power disable --clos
check core-power enable --clos
intel-speed-select core-power info 2>&1 | awk '/enable-status|priority-type/ { print $1 }' | sort | uniq -c | sed 's/^ *//'
