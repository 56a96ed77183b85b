# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# A controller sets the level of the first package, and --oob follows: by hotplug, by partitions, after the drivers were unloaded
# and loaded, and after a resume. There are no thermal events here: it looks every two seconds, and hears uevents.

pid_file=/run/isst/watch-follow.pid

watching() {
	# The driver of MSRs carries the same mailbox.
	[ "$transport" != msr ] || return 0
	# Packages share turbo ratio limits: their dies have one level.
	dies=0
	[ "$(awk '$1 == 0' $work/units.- | wc -l)" = 1 ] || dies='0 1'
	leaving=$(awk '$2 == 0 && $5 == 3 { print $1 }' $work/topology)
	followed by_hotplug
	followed by_partitions -g
	over_reload
	over_unbind
	over_hand
	over_uevents
	over_lock
	[ "$transport" != mailbox ] || over_resume
}

set_levels() {	# $1: level
	for die in $dies; do
		control oob $die $1 0
	done
}

await() {	# a command
	for _ in $(seq 300); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "not within 30 s: $*"
	tail -n 12 $work/followed
}

start_watch() {	# the options
	power_on
	isst "$@" --oob -o $work/followed > $work/said 2>&1
	status_is 0 $?
	[ -s $pid_file ] || { echo 'there is no daemon'; cat $work/said; }
}

has_ended() {
	[ ! -e $pid_file ]
}

stop_watch() {
	kill "$(cat $pid_file)" && await has_ended
	equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"
	[ ! -e /run/isst/journal ] || echo 'a journal is left'
}

have_left() {	# $1: level
	for cpu in $leaving; do
		[ "$(cat $cpus_dir/cpu$cpu/online)" = $((1 - $1)) ] || return 1
	done
}

by_hotplug() {	# $1: level
	have_left $1 && [ "$(cat $cpus_dir/cpu*/online | grep -c 0)" = $(($1 * $(echo $leaving | wc -w))) ]
}

by_partitions() {	# $1: level
	[ "$(cat /sys/fs/cgroup/0-0-*/cpuset.cpus.partition /sys/fs/cgroup/0-1-*/cpuset.cpus.partition 2> /dev/null | grep -c isolated)" = \
		$(($1 * $(echo $dies | wc -w))) ]
}

# Ends the watch.
follow_levels() {	# $1: how
	set_levels 1
	await $1 1
	set_levels 0
	await $1 0
	stop_watch
}

followed() {	# $1: how; the other words: options
	how=$1
	shift
	{
		start_watch "$@"
		follow_levels $how
	} > $work/wrong 2>&1
	verdict "${*:+$* }--oob: CPUs follow a controller ($how)" $work/wrong
}

over_reload() {
	{
		start_watch
		reload true
		follow_levels by_hotplug
	} > $work/wrong 2>&1
	verdict '--oob: drivers are unloaded and loaded meanwhile, and it goes on' $work/wrong
}

# Lines `DRIVER DEVICE` of what the drivers are bound to.
list_bound() {
	for device in /sys/bus/pci/drivers/isst_if*/* /sys/bus/auxiliary/drivers/*isst*/*; do
		[ ! -e $device/driver ] || echo "${device%/*} ${device##*/}"
	done
}

over_unbind() {
	{
		start_watch
		list_bound > $work/bound
		[ -s $work/bound ] || echo 'no driver is bound'
		while read -r driver device; do
			echo $device > $driver/unbind
		done < $work/bound
		set_levels 1
		sleep 3
		while read -r driver device; do
			until echo $device > $driver/bind || [ -e $driver/$device ]; do
				sleep 0.1
			done
		done < $work/bound
		await by_hotplug 1
		set_levels 0
		await by_hotplug 0
		stop_watch
	} > $work/wrong 2>&1
	verdict '--oob: drivers are unbound and bound meanwhile, and it goes on' $work/wrong
}

# Timekeeping goes on in this test of suspend: the level is found by a look.
over_resume() {
	{
		start_watch
		echo devices > /sys/power/pm_test
		echo freeze > /sys/power/state
		echo none > /sys/power/pm_test
		follow_levels by_hotplug
	} > $work/wrong 2>&1
	verdict '--oob: it goes on after a resume' $work/wrong
}

# A CPU that both levels have.
over_hand() {
	kept=$(awk '$2 == 0 && $5 == 1 { print $1; exit }' $work/topology)
	{
		start_watch
		echo 0 > $cpus_dir/cpu$kept/online
		set_levels 1
		await have_left 1
		set_levels 0
		await have_left 0
		equal "CPU $kept online" 0 "$(cat $cpus_dir/cpu$kept/online)"
		echo 1 > $cpus_dir/cpu$kept/online
		stop_watch
	} > $work/wrong 2>&1
	verdict '--oob: a CPU that was taken offline by hand stays offline' $work/wrong
}

# Another program takes a CPU of the other package off- and online all the time, each with a uevent.
toggle() {
	while [ -e $work/toggling ]; do
		for online in 0 1; do
			echo $online > $cpus_dir/cpu$1/online
			sleep 0.4
		done
	done
}

over_uevents() {
	{
		start_watch
		: > $work/toggling
		toggle "$(awk '$2 == 1 && $5 == 1 { print $1; exit }' $work/topology)" &
		set_levels 1
		await have_left 1
		rm -f $work/toggling
		wait $!
		set_levels 0
		await by_hotplug 0
		stop_watch
	} > $work/wrong 2>&1
	verdict '--oob: uevents that do not end do not keep it from looking' $work/wrong
}

over_lock() {
	{
		start_watch
		hold 10 &
		holder=$!
		sleep 1
		set_levels 1
		sleep 5
		by_hotplug 0 || ! kill -0 $holder || echo 'CPUs were taken offline beside another run that holds the lock'
		wait $holder
		await by_hotplug 1
		set_levels 0
		await by_hotplug 0
		stop_watch
	} > $work/wrong 2>&1
	verdict '--oob: a run that holds the lock is waited for' $work/wrong
}
