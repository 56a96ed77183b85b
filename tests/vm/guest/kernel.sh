# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# States in which an administrator may have left the kernel: CPUs offline, SMT off, turbo off, files that may not be written,
# firmware that takes its time, runs that are killed at any moment.

kernel() {
	slow_levels
	turbo_off
	one_offline
	no_smt
	domain_offline
	read_only
	killed_at_random
	resumed
}

limits() {	# min or max: the limits of all CPUs, a word each
	cat $cpus_dir/cpu[0-9]*/cpufreq/scaling_$1_freq 2> /dev/null | tr '\n' ' '
}

# The driver for TPMI waits 20 ms for a level, and answers with an error where it takes longer.
slow_levels() {
	for delay in 10 60 400 900; do
		for words in 'perf-profile set-config-level -l 1' 'perf-profile set-config-level -l 1 -o'; do
			power_on
			control slow $delay
			run isst $words
			{
				status_is 0 $status
				[ $status = 0 ] || grep -v 'line cpu' $work/err
				echo '* + level 1' | holds_registers
			} > $work/wrong
			verdict "$words (the firmware takes $delay ms)" $work/wrong
			control slow 0
			isst perf-profile set-config-level -l 0 -o > $work/before 2>&1
		done
	done
}

# Until the kernel has given all CPUs their range, which it does one after the other behind a write of no_turbo.
settle() {
	former=
	now=$(cat $cpus_dir/cpu[0-9]*/cpufreq/cpuinfo_max_freq $cpus_dir/cpu[0-9]*/cpufreq/scaling_max_freq 2> /dev/null)
	until [ "$now" = "$former" ]; do
		former=$now
		sleep 0.5
		now=$(cat $cpus_dir/cpu[0-9]*/cpufreq/cpuinfo_max_freq $cpus_dir/cpu[0-9]*/cpufreq/scaling_max_freq 2> /dev/null)
	done
}

# What base-freq enable -a leaves of the limits where turbo is off: each CPU at its own base frequency, at once and for good.
turbo_off() {
	power_on
	limits min > $work/limits.before
	echo 1 > $cpus_dir/intel_pstate/no_turbo
	settle
	run isst base-freq enable -a
	settle
	{
		status_is 0 $status
		cat $cpus_dir/cpu[0-9]*/cpufreq/base_frequency 2> /dev/null | tr '\n' ' ' > $work/bases
		equal 'lower limits' "$(cat $work/bases)" "$(limits min)"
	} > $work/wrong
	verdict 'base-freq enable -a (no_turbo): each CPU is held at its own base frequency' $work/wrong
	run isst base-freq enable -a
	cat $work/out $work/err > $work/said
	{ status_is 0 $status; holds $work/said 'unchanged'; } > $work/wrong
	verdict 'base-freq enable -a (no_turbo, again): unchanged' $work/wrong
	run isst base-freq disable -a
	echo 0 > $cpus_dir/intel_pstate/no_turbo
	settle
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		equal 'lower limits' "$(cat $work/limits.before)" "$(limits min)"
		holds_registers < /dev/null
	} > $work/wrong
	verdict 'base-freq disable -a (no_turbo): as before' $work/wrong
}

# Since Linux 5.19 the cpufreq directory of an offline CPU stays and answers EBUSY.
one_offline() {
	power_on
	run isst base-freq enable -a
	status_is 0 $status > $work/wrong
	echo 0 > $cpus_dir/cpu7/online
	run isst --dry-run perf-profile set-config-level -l 1
	{ status_is 0 $status; [ $status = 0 ] || cat $work/err; } >> $work/wrong
	verdict '--dry-run perf-profile set-config-level -l 1 (CPU 7 offline)' $work/wrong
	run isst base-freq disable -a
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		holds_registers < /dev/null
	} > $work/wrong
	verdict 'base-freq disable -a (CPU 7 offline)' $work/wrong
	echo 1 > $cpus_dir/cpu7/online
	power_on
	echo 0 > $cpus_dir/cpu7/online
	for words in 'base-freq enable -a' 'base-freq disable -a' 'perf-profile set-config-level -l 1' \
		'perf-profile set-config-level -l 0' 'turbo-mode disable' 'turbo-mode enable'; do
		run isst $words
		{ status_is 0 $status; [ $status = 0 ] || cat $work/err; } > $work/wrong
		verdict "$words (CPU 7 offline)" $work/wrong
	done
	echo 1 > $cpus_dir/cpu7/online
	holds_registers < /dev/null > $work/wrong
	verdict 'CPU 7 offline: as before in the end' $work/wrong
}

# Without SMT the kernel refuses to bring siblings online.
no_smt() {
	power_on
	[ "$(cat $cpus_dir/smt/control)" = on ] || return 0
	echo off > $cpus_dir/smt/control
	cat $cpus_dir/online > $work/online
	run isst perf-profile set-config-level -l 1 -o
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		echo '* + level 1' | holds_registers
	} > $work/wrong
	verdict 'perf-profile set-config-level -l 1 -o (SMT off)' $work/wrong
	run isst perf-profile set-config-level -l 0 -o
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		equal 'CPUs online' "$(cat $work/online)" "$(cat $cpus_dir/online)"
		holds_registers < /dev/null
	} > $work/wrong
	verdict 'perf-profile set-config-level -l 0 -o (SMT off)' $work/wrong
	run isst -a perf-profile get-config-levels
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		equal 'CPUs online' "$(cat $work/online)" "$(cat $cpus_dir/online)"
	} > $work/wrong
	verdict '-a perf-profile get-config-levels (SMT off)' $work/wrong
	echo on > $cpus_dir/smt/control
}

last_die_offline() {
	for cpu in $last_cpus; do
		echo 0 > $cpus_dir/cpu$cpu/online
	done
}

# The driver knows the core numbers of those CPUs alone that have been online since it was loaded. What belongs to a
# domain whose CPUs are all offline it is unknown whether it is an I/O domain.
domain_offline() {
	[ "$transport" = tpmi ] || return 0
	power_on
	rm -f /run/isst/topology
	last_cpus=$(awk '$2 == 1 && $4 == 1 { print $1 }' $work/topology)
	reload last_die_offline > $work/wrong 2>&1
	verdict 'drivers unloaded, and loaded with the last power domain offline' $work/wrong
	run isst perf-profile info -l 1
	{
		status_is 1 $status
		holds $work/err 'package 1, power domain 1: the CPUs of its cores are unknown'
	} > $work/wrong
	verdict 'perf-profile info -l 1 (all CPUs of a power domain offline since boot: reported, exit status 1)' $work/wrong
	control refuse-level 3
	run isst perf-profile set-config-level -l 1
	cat $work/out $work/err > $work/said
	{
		[ $status != 0 ] || echo 'a power domain refused the level, and the status is 0'
		holds $work/said 'package 1, power domain 1'
	} > $work/wrong
	verdict 'perf-profile set-config-level -l 1 (the power domain that is offline refuses)' $work/wrong
	sleep 3
	control reset
	sleep 1
	rm -f /run/isst/journal
	power_on
	run isst base-freq enable -a
	{
		status_is 1 $status
		holds $work/err 'package 1, power domain 1: the CPUs of its cores are unknown'
		holds_registers < /dev/null
	} > $work/wrong
	verdict 'base-freq enable -a (all CPUs of a power domain offline since boot: nothing is changed)' $work/wrong
	run isst -c 0 base-freq enable -a
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		equal 'domains with base-freq' 1 "$(grep -c ' profile-status 0x100$' $hardware/registers)"
	} > $work/wrong
	run isst -c 0 base-freq disable -a
	{ status_is 0 $status; [ $status = 0 ] || cat $work/err; holds_registers < /dev/null; } >> $work/wrong
	verdict '-c 0 base-freq enable -a, disable -a (all CPUs of another power domain offline since boot)' $work/wrong
	power_on
	run isst perf-profile set-config-level -l 1 -o
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		echo '* + level 1' | holds_registers
	} > $work/wrong
	run isst perf-profile set-config-level -l 0 -o
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"
		holds_registers < /dev/null
	} >> $work/wrong
	verdict 'perf-profile set-config-level -l 1 -o, -l 0 -o (all CPUs of a power domain offline since boot)' $work/wrong
	for cpu in $last_cpus; do
		echo 1 > $cpus_dir/cpu$cpu/online
	done
	rm -f /run/isst/topology
	control reset
	reload true > $work/wrong 2>&1
	run isst perf-profile info -l 0
	tree '@level-0' '' io > $work/tree
	shown_as_text 0 >> $work/wrong
	verdict 'perf-profile info -l 0 (CPUs online, drivers loaded again)' $work/wrong
}

read_only() {
	power_on
	cat $hardware/registers > $work/registers
	mount -o remount,ro /sys
	run isst perf-profile set-config-level -l 1 -o
	mount -o remount,rw /sys
	cat $work/out $work/err > $work/said
	{
		[ $status = 1 ] || [ $status = 4 ] || status_is '1 or 4' $status
		holds $work/said 'ead-only'
		! grep -q 'requires root' $work/said || echo 'it reports that it needs root, which it is'
		same registers $work/registers $hardware/registers
		equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"
	} > $work/wrong
	verdict 'perf-profile set-config-level -l 1 -o (/sys is read-only)' $work/wrong
}

# After a run that was killed at any moment the next one finds its complete change, or rolls it back.
killed_at_random() {
	power_on
	isst base-freq enable -a > $work/before 2>&1
	cat $hardware/registers > $work/registers.after
	limits min > $work/limits.after
	power_on
	cat $hardware/registers > $work/registers.before
	limits min > $work/limits.before
	: > $work/wrong
	seed=1
	for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		power_on
		isst base-freq enable -a > $work/victim 2>&1 &
		victim=$!
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		usleep $((seed / 65536 % 400 * 1000))
		kill -KILL $victim 2> /dev/null
		wait $victim 2> /dev/null
		sleep 0.1
		run isst turbo-mode set-trl -t "$(sed -n 's/^package-0 domain-0 turbo-limits //p' $work/registers.before)"
		sleep 0.1
		cat $hardware/registers > $work/now
		limits min > $work/limits.now
		{
			status_is 0 $status
			[ $status = 0 ] || cat $work/err
			[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
			if cmp -s $work/registers.before $work/now; then
				cmp -s $work/limits.before $work/limits.now || echo 'registers as before, limits not'
			elif cmp -s $work/registers.after $work/now; then
				cmp -s $work/limits.after $work/limits.now || echo 'registers changed, limits not'
			else
				same registers $work/registers.before $work/now
			fi
		} > $work/wrong.round
		[ ! -s $work/wrong.round ] || { echo "round $round:"; cat $work/wrong.round; } >> $work/wrong
	done
	verdict 'base-freq enable -a, killed at twelve random moments: all of it or nothing' $work/wrong
}

# On resume drivers of mailboxes send again what each CPU set last since they were loaded, the oldest at the end; those of TPMI write
# the registers. The devices are suspended and resumed alone.
resumed() {
	[ "$transport" != msr ] || return 0
	# What other checks set is what the drivers would send, too.
	reload > $work/wrong 2>&1
	power_on
	lowest=$(awk '$2 == 1 { print $1; exit }' $work/topology)
	other=$(awk '$2 == 1 && ++n == 2 { print $1; exit }' $work/topology)
	run isst -c $lowest perf-profile set-config-level -l 1
	status_is 0 $status >> $work/wrong
	echo 0 > $cpus_dir/cpu$lowest/online
	run isst -c $other perf-profile set-config-level -l 0
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/err
		holds_registers < /dev/null
	} >> $work/wrong
	echo devices > /sys/power/pm_test
	echo freeze > /sys/power/state
	echo none > /sys/power/pm_test
	holds_registers < /dev/null >> $work/wrong
	echo 1 > $cpus_dir/cpu$lowest/online
	verdict 'perf-profile set-config-level -l 0 (the CPU that set level 1 is offline; after a resume)' $work/wrong
}
