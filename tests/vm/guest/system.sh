# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# What the tool does with the kernel around the driver: hotplug, cpuset partitions, limits of a batch.

system() {
	hotplug
	partitions
	batches
}

# CPUs of the core that level 1 takes away, as a list of ranges.
taken_away() {
	awk '$5 == 3 { print $1 }' $work/topology | ranges
}

hotplug() {
	power_on
	run isst perf-profile set-config-level -l 1 -o
	{
		status_is 0 $status
		equal 'CPUs online' "$(kept)" "$(cat $cpus_dir/online)"
		equal 'CPUs offline' "$(taken_away)" "$(cat $cpus_dir/offline)"
		echo '* + level 1' | holds_registers
	} > $work/wrong
	verdict 'perf-profile set-config-level -l 1 -o: CPUs go offline' $work/wrong
	run isst perf-profile info -l 0
	tree '@level-0' '' io > $work/tree
	shown_as_text 0 > $work/wrong
	verdict 'perf-profile info -l 0 (with CPUs offline)' $work/wrong
	run isst perf-profile set-config-level -l 0 -o
	{
		status_is 0 $status
		equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"
		holds_registers < /dev/null
	} > $work/wrong
	verdict 'perf-profile set-config-level -l 0 -o: CPUs come back' $work/wrong
	echo 0 > $cpus_dir/cpu7/online
	run isst -a perf-profile get-config-levels
	{ status_is 0 $status; equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"; } > $work/wrong
	verdict '-a perf-profile get-config-levels' $work/wrong
	echo 0 > $cpus_dir/cpu7/online
	run isst -c 7 core-power get-assoc
	{ cat $work/out $work/err > $work/said; status_is 3 $status; holds $work/said 'offline'; } > $work/wrong
	verdict '-c 7 core-power get-assoc (with CPU 7 offline)' $work/wrong
	echo 1 > $cpus_dir/cpu7/online
}

groups() {
	find /sys/fs/cgroup -mindepth 1 -maxdepth 1 -type d | sort
}

partitions() {
	power_on
	run isst -g perf-profile set-config-level -l 1 -o
	{
		status_is 0 $status
		equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"
		for group in $(groups); do
			equal "type of $group" isolated "$(cat $group/cpuset.cpus.partition)"
		done
		equal 'CPUs left' "$(kept)" "$(cat /sys/fs/cgroup/cpuset.cpus.effective)"
		equal 'groups' "$(units '' - | awk '{ print "/sys/fs/cgroup/" $1 "-" $2 "-" ("'$transport'" == "tpmi" ? $3 : 0) }')" "$(groups)"
		echo '* + level 1' | holds_registers
	} > $work/wrong
	verdict '-g perf-profile set-config-level -l 1 -o: CPUs become isolated' $work/wrong
	run isst --cgroupv2 perf-profile set-config-level -l 0 -o
	{
		status_is 0 $status
		equal groups '' "$(groups)"
		equal 'CPUs left' "$(cat $cpus_dir/present)" "$(cat /sys/fs/cgroup/cpuset.cpus.effective)"
		holds_registers < /dev/null
	} > $work/wrong
	verdict '--cgroupv2 perf-profile set-config-level -l 0 -o: groups are removed' $work/wrong
	run isst -g --dry-run perf-profile set-config-level -l 1 -o
	{ status_is 0 $status; equal groups '' "$(groups)"; holds_registers < /dev/null; } > $work/wrong
	verdict '-g --dry-run perf-profile set-config-level -l 1 -o' $work/wrong
	foreign_partition
}

# Another group holds a CPU exclusively: nothing is changed, and its partition stays valid.
foreign_partition() {
	power_on
	cpu=$(awk '$5 == 3 { print $1; exit }' $work/topology)
	mkdir /sys/fs/cgroup/other
	echo "$cpu" > /sys/fs/cgroup/other/cpuset.cpus
	echo root > /sys/fs/cgroup/other/cpuset.cpus.partition
	run isst -g perf-profile set-config-level -l 1 -o
	{
		[ "$status" != 0 ] || echo 'exit status: expected a failure, got 0'
		holds_registers < /dev/null
		equal groups /sys/fs/cgroup/other "$(groups)"
		equal 'the other partition' root "$(cat /sys/fs/cgroup/other/cpuset.cpus.partition)"
		holds $work/err "CPU $cpu belongs to another cpuset partition"
	} > $work/wrong
	verdict '-g perf-profile set-config-level -l 1 -o (a CPU belongs to another partition): refused' $work/wrong
	echo member > /sys/fs/cgroup/other/cpuset.cpus.partition
	rmdir /sys/fs/cgroup/other
}

# The driver takes 64 commands at a time; one table of levels needs more.
batches() {
	equal 'batch of 64' 64 "$(batch 64)" > $work/wrong
	equal 'batch of 65' 'Invalid argument' "$(batch 65)" >> $work/wrong
	verdict 'batches of the driver: 64 commands are taken, 65 refused' $work/wrong
	[ "$transport" != tpmi ] || return 0
	isst -d perf-profile info 2> $work/err > $work/out
	awk '/^MBOX_COMMAND:/ { if ($2 > most) most = $2; sum += $2; calls++ }
		END { if (most > 64) print "a batch of", most
		      if (sum <= 64) print "only", sum, "commands"
		      if (calls > int(sum / 64) + 8) print calls, "calls for", sum, "commands" }' $work/err > $work/wrong
	verdict '-d perf-profile info: more than 64 commands in batches of 64 at most' $work/wrong
}
