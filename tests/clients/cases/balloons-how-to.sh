#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# user: the how-to of a Kubernetes resource policy, and its script that resets everything
# platforms: icelake-2s40c sapphirerapids-2s56c graniterapids-6776p sierraforest-2s112c
intel-speed-select core-power config -c 0 --min 3000 --max 25500 2>&1 | grep -c config:success
intel-speed-select core-power config -c 1 --min 0 --max 2000 2>&1 | grep -c config:success
intel-speed-select core-power enable 2>&1 | grep -c enable:success
intel-speed-select -c 2-5 core-power assoc --clos 1 2>&1 | grep -c assoc:success
intel-speed-select turbo-freq info -l 1 2>&1 | grep -E 'bucket|high-priority' | head -n 4
intel-speed-select core-power get-config -c 1 2>&1 | grep -E 'clos-(min|max)' | sort -u
intel-speed-select -c 0-7 core-power get-assoc 2>&1 | grep -o 'clos:.' | sort | uniq -c
echo reset
for clos in 0 1 2 3; do
	intel-speed-select core-power config -c $clos --min 0 --max 25500 > /dev/null 2>&1
done
intel-speed-select -c "$(cat /sys/devices/system/cpu/online)" core-power assoc --clos 0 > /dev/null 2>&1
intel-speed-select turbo-freq disable -a > /dev/null 2>&1
intel-speed-select base-freq disable -a > /dev/null 2>&1
intel-speed-select --debug core-power disable 2>&1 | grep -c disable:success
intel-speed-select core-power get-config -c 1 2>&1 | grep -E 'clos-(min|max)' | sort -u
intel-speed-select -c 0-7 core-power get-assoc 2>&1 | grep -o 'clos:.' | sort | uniq -c
