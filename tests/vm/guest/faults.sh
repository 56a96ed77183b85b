# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# What goes wrong: hardware that is locked, busy or refuses, two runs at a time, a run that is killed.

faults() {
	before='control lock 1; sleep 1' fault=
	fails 1 locked perf-profile set-config-level -l 1
	before=
	locked_is_shown
	core_power_is_needed
	case $transport in
	tpmi) tpmi_refusals ;;
	*) busy_mailbox; mailbox_refusals ;;
	esac
	before='' fault=''
	two_at_a_time
	lock_held
	killed
}

locked_is_shown() {
	power_on
	control lock 1
	tree 'get-lock-status:locked' '' io > $work/tree
	[ "$transport" != tpmi ] || sleep 1
	run isst perf-profile get-lock-status
	shown_as_text 0 > $work/wrong
	verdict 'perf-profile get-lock-status (locked)' $work/wrong
}

# Of a mailbox; on TPMI servers, which may boot so, core-power goes off.
core_power_is_needed() {
	if [ "$transport" = tpmi ]; then
		power_on
		isst turbo-freq enable > $work/before 2>&1
		run isst core-power disable
		{
			status_is 0 $status
			holds $work/err 'turbo-freq'
			grep ' core-power-status ' $hardware/registers | grep -v '0x[02]$'
			grep -c ' profile-status 0x200$' $hardware/registers > $work/count
			equal 'domains with turbo-freq' 6 "$(cat $work/count)"
		} > $work/wrong
		verdict 'core-power disable (after turbo-freq enable)' $work/wrong
		return
	fi
	before='isst turbo-freq enable' fault=
	fails 1 'turbo-freq feature is still enabled' core-power disable
	before=
}

busy_mailbox() {
	power_on
	control busy 1
	tree 'get-config-levels:1' '' - > $work/tree
	run isst perf-profile get-config-levels
	shown_as_text 0 > $work/wrong
	verdict 'perf-profile get-config-levels (mailbox busy once)' $work/wrong
	power_on
	control busy 2
	run isst -r 9 perf-profile set-config-level -l 1
	{ status_is 0 $status; echo '* + level 1' | holds_registers; } > $work/wrong
	verdict '-r 9 perf-profile set-config-level -l 1 (mailbox busy twice)' $work/wrong
	power_on
	control stuck 3000
	run isst perf-profile get-config-levels
	{ cat $work/out $work/err > $work/said; status_is 1 $status; holds $work/said 'Error'; } > $work/wrong
	verdict 'perf-profile get-config-levels (mailbox stuck)' $work/wrong
	before='' fault='control stuck 3000'
	fails 1 'Error' perf-profile set-config-level -l 1
	power_on
	control stuck 400
	run isst -p 100 -r 20 perf-profile get-config-levels
	shown_as_text 0 > $work/wrong
	verdict '-p 100 -r 20 perf-profile get-config-levels (mailbox stuck for 400 ms)' $work/wrong
}

# The last die refuses: what the first ones did is rolled back.
mailbox_refusals() {
	last=$(($(units '' - | wc -l) - 1))
	before='' fault="control refuse 7f 08 $last 0"
	fails 1 'rolled back' perf-profile set-config-level -l 1
	fault="control refuse 7f 02 $last 0"
	fails 1 'rolled back' base-freq enable -a
	fails 1 'rolled back' turbo-freq enable -a
	fault="control refuse 95 03 $last 0"
	fails 1 'rolled back' core-power enable -p 1
	before='isst base-freq enable -a' fault="control refuse 7f 02 $last 0"
	fails 1 'rolled back' base-freq disable -a
	before=
	[ "$transport" = msr ] || return 0
	fault="control refuse d0 01 $last 0"
	fails 1 'rolled back' core-power config -c 1 -n 900
	fault="control refuse d0 00 $last 0"
	fails 1 'rolled back' -c 0-15 core-power assoc -c 1
}

tpmi_refusals() {
	last=$(($(units '' - | wc -l) - 1))
	level_is_refused
	io_refuses
	before=
	fault="control refuse-features $last"
	fails 1 'rolled back' base-freq enable -a
	fails 1 'rolled back' turbo-freq enable
	fault="control refuse-core-power $last"
	fails 1 'rolled back' core-power enable -p 1
}

# The driver keeps a level that was refused in its control register; all domains have their old level again.
level_is_refused() {
	power_on
	control refuse-level $last
	run isst perf-profile set-config-level -l 1
	cat $work/out $work/err > $work/said
	{
		status_is 1 "$status"
		holds $work/said "package 1, power domain 1"
		holds $work/said 'rolled back'
		registers < /dev/null | grep -v '^package-1 domain-1 profile' > $work/registers
		grep -v '^package-1 domain-1 profile' $hardware/registers > $work/now
		same registers $work/registers $work/now
		grep -q '^package-1 domain-1 profile-status 0x.0$' $hardware/registers || echo 'the level that was refused is there'
	} > $work/wrong
	verdict "perf-profile set-config-level -l 1 (control refuse-level $last: exit status 1)" $work/wrong
	sleep 1
}

# Domains without CPUs whose firmware refuses are left out, and the others are changed.
io_refuses() {
	power_on
	control refuse-features -1
	tree "$(printf 'base-freq\n  enable:success')" '' - > $work/tree
	run isst base-freq enable
	{
		shown_as_text 0
		holds $work/err 'packages 0-1, power domain 2: turbo-freq and base-freq: wrote off, on, read back off, off;'
		echo '* * base-freq 1' | registers | grep -v ' domain-2 profile-' > $work/registers
		grep -v ' domain-2 profile-' $hardware/registers > $work/now
		same registers $work/registers $work/now
		[ "$(grep -c ' domain-2 profile-status ' $hardware/registers)" = 2 ] || echo 'there are no two domains of I/O'
	} > $work/wrong
	verdict 'base-freq enable (control refuse-features -1)' $work/wrong
}

# Two changes at once, one after the other in the end.
two_at_a_time() {
	power_on
	isst turbo-mode set-trl -t 0x1010101010101010 > $work/first 2>&1 &
	first=$!
	isst perf-profile set-config-level -l 1 > $work/second 2>&1 &
	second=$!
	one=0 two=0
	wait $first || one=$?
	wait $second || two=$?
	{
		status_is 0 $one
		status_is 0 $two
		cat $hardware/registers > $work/now
		{ echo '* + level 1'; } | registers > $work/registers
		{ echo '* + level 1'; echo '* * turbo-limits 0x1010101010101010'; } | registers > $work/other
		cmp -s $work/registers $work/now || same registers $work/other $work/now
	} > $work/wrong
	verdict 'two changes at the same time' $work/wrong
}

lock_held() {
	power_on
	hold 4 &
	holder=$!
	sleep 1
	run isst --lock-timeout 0 perf-profile set-config-level -l 1
	cat $work/out $work/err > $work/said
	{ status_is 6 $status; holds $work/said 'holds the lock'; nothing_changed; } > $work/wrong
	verdict '--lock-timeout 0 perf-profile set-config-level -l 1 (another run holds the lock)' $work/wrong
	run isst perf-profile get-config-levels
	status_is 0 $status > $work/wrong
	verdict 'perf-profile get-config-levels (another run holds the lock)' $work/wrong
	wait $holder
}

changes_began() {
	read -r change < $hardware/changes && [ -n "$change" ]
}

# Killed in the middle, where it is slow; the next run finds the journal.
killed() {
	power_on
	cat $hardware/registers > $work/registers
	case $transport in
	tpmi) control refuse-features 1; isst base-freq enable -a > /dev/null 2>&1 & ;;
	*) isst -p 60 base-freq enable -a > /dev/null 2>&1 & ;;
	esac
	victim=$!
	until changes_began || ! kill -0 $victim 2> /dev/null; do
		:
	done
	kill -KILL $victim 2> /dev/null
	wait $victim 2> /dev/null
	{
		[ -e /run/isst/journal ] || echo 'no journal is left behind'
		cmp -s $work/registers $hardware/registers && echo 'nothing had been changed yet'
	} > $work/wrong
	verdict 'base-freq enable -a (killed in the middle): journal and half a change' $work/wrong
	[ "$transport" != tpmi ] || control refuse-features 99
	run isst turbo-mode set-trl -t 0x1010101010101010
	cat $work/out $work/err > $work/said
	{
		status_is 0 $status
		holds $work/said 'rolled back the incomplete change of an interrupted run'
		[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
		echo '* * turbo-limits 0x1010101010101010' | holds_registers
	} > $work/wrong
	verdict 'turbo-mode set-trl -t 0x1010101010101010 (after a killed run): its half change is rolled back' $work/wrong
}
