#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# user: the boot service of a fleet of servers with several power domains a package: one CPU for each domain
# platforms: graniterapids-2s128c graniterapids-6776p graniterapids-2s64c
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
run() {
	intel-speed-select "$@" > "$log" 2>&1
	status=$?
	echo "status $status, $(grep -c "$word" "$log") times $word, $(grep -c -i -E 'fail|error' "$log") bad words: ${*: -4}"
}

intel-speed-select perf-profile info > "$log" 2>&1
cpus=$(awk '/powerdomain-/ { domain = $1 } /cpu-[0-9]/ { sub("cpu-", "", $1); print $1 }' "$log" | sort -n -u)
echo "one CPU for each power domain: $(paste -s -d ' ' <<< "$cpus")"
for cpu in $cpus; do
	word=enable:success
	run --cpu "$cpu" turbo-freq enable
	word=disable:success
	run --cpu "$cpu" core-power disable
done
word=config:success
run core-power config --clos 0 --weight 0 --min 0 --max 25500
run core-power config --clos 3 --weight 0 --min 0 --max 3000
word=assoc:success
run --cpu "$(cat /sys/devices/system/cpu/online)" core-power assoc --clos 0
intel-speed-select -c "$(cat /sys/devices/system/cpu/online)" core-power get-assoc 2>&1 | grep -o 'clos:[0-9]' | sort | uniq -c
intel-speed-select core-power info 2>&1 | grep enable-status | sort | uniq -c
intel-speed-select perf-profile info 2>&1 | grep 'speed-select-turbo-freq:' | sort | uniq -c
