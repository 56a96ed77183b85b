#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# user: an Ansible collection for container hosts: features off first, as a reset; a non-zero status ends the playbook
# platforms: guide icelake-2s36c icelake-2s40c sapphirerapids-2s56c cooperlake locked=tests/platforms/locked.platform
task() {	# NAME COMMAND...: prints what the playbook registers as stderr
	name=$1
	shift
	if ! stderr=$("$@" 2>&1 > /dev/null); then
		echo "$name: the playbook ends here"
		exit 1
	fi
	echo "$name: ok"
}

task 'information' intel-speed-select --info
case $stderr in *'SST-PP (feature perf-profile) is supported'*) echo '  perf-profile' ;; esac
case $stderr in *'SST-BF (feature base-freq) is supported'*) bf=yes && echo '  base-freq' ;; esac
case $stderr in *'SST-TF (feature turbo-freq) is supported'*) tf=yes && echo '  turbo-freq' ;; esac
case $stderr in *'SST-CP (feature core-power) is supported'*) cp=yes && echo '  core-power' ;; esac

task 'base-freq off' intel-speed-select base-freq disable -a
task 'turbo-freq off' intel-speed-select turbo-freq disable -a
task 'core-power off' intel-speed-select core-power disable -a

task 'levels' intel-speed-select perf-profile get-config-levels
highest=$(sed -n 's/.*get-config-levels:\([0-9]*\).*/\1/p' <<< "$stderr" | sort -n | tail -n 1)
echo "  highest $highest"
task 'lock' intel-speed-select perf-profile get-lock-status
if [[ $stderr == *unlocked* ]]; then
	stdout=$(intel-speed-select -d perf-profile set-config-level -l 0 -o 2>&1 | grep 'online cpu')
	echo "  $(wc -l <<< "$stdout") CPUs named"
fi
if [ -n "${bf:-}" ] && intel-speed-select base-freq info -l 0 2>&1 | grep -q high-priority; then
	task 'base-freq on' intel-speed-select base-freq enable -a
	[[ $stderr == *enable:succes* ]] && echo '  enabled'
	task 'base-freq off again' intel-speed-select base-freq disable -a
fi
if [ -n "${tf:-}" ] && intel-speed-select turbo-freq info -l 0 2>&1 | grep -q bucket-0; then
	task 'turbo-freq on' intel-speed-select turbo-freq enable -a
	[[ $stderr == *enable:succes* ]] && echo '  enabled'
	task 'turbo-freq off again' intel-speed-select turbo-freq disable -a
fi
if [ -n "${cp:-}" ]; then
	task 'core-power on' intel-speed-select core-power enable -a
	task 'ordered' intel-speed-select core-power enable --priority 1
	task 'CLOS 0' intel-speed-select core-power config -c 0 -p 1 --min 2600 --max 3500
	task 'CLOS 3' intel-speed-select core-power config -c 3 --min 1000 --max 2000
	task 'association' intel-speed-select -c 1,3 core-power assoc -c 3
	task 'look' intel-speed-select -c 1 core-power get-assoc
	sed -n 's/.*\(clos:[0-9]\).*/  \1/p' <<< "$stderr"
	task 'core-power off again' intel-speed-select core-power disable -a
fi
