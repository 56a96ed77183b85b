# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# CPUs that were not online when the drivers were loaded (maxcpus=6): --all-cpus-online brings them, and a level change takes those of
# all power domains that it does not enable.

come_online() {
	grep -c ^processor /proc/cpuinfo > $work/first
	isst -a -o $work/none perf-profile get-lock-status > $work/late 2>&1
	echo $? > $work/late.status
}

late() {
	{
		equal 'CPUs at first' 6 "$(cat $work/first)"
		status_is 0 "$(cat $work/late.status)"
		equal 'CPUs online' 0-15 "$(cat $cpus_dir/online)"
		holds $work/late 'online cpu 15'
	} > $work/wrong
	verdict '-a of CPUs that were never online' $work/wrong
	{
		isst perf-profile set-config-level -l 1 -o > $work/got 2>&1
		status_is 0 $?
		equal 'CPUs offline' 3,7,11,15 "$(cat $cpus_dir/offline)"
		equal 'expedited grace periods' 0 "$(cat /sys/kernel/rcu_expedited)"
		isst --dry-run perf-profile set-config-level -l 0 -o > $work/got 2>&1
		holds $work/got 'Would change /sys/kernel/rcu_expedited: 0 -> 1'
		isst perf-profile set-config-level -l 0 -o > $work/got 2>&1
		status_is 0 $?
		equal 'CPUs online' 0-15 "$(cat $cpus_dir/online)"
		equal 'expedited grace periods' 0 "$(cat /sys/kernel/rcu_expedited)"
	} > $work/wrong
	verdict 'perf-profile set-config-level -o (CPUs that came late)' $work/wrong
}
