# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# Others change the machine, too: a management controller sets the level of die 0 before, during and after commands that
# change something. By TPMI the register in which the host requests levels stays as it is then, and each write of a feature
# requests that level once more; the same goes for a level that the firmware has refused.

others() {
	case $transport in
	tpmi) refused='control refuse-level 0' ;;
	*) refused='control refuse 7f 08 0 0' ;;
	esac
	refused="$refused; isst perf-profile set-config-level -l 1; control accept"
	late='control slow 400; isst perf-profile set-config-level -l 1; control slow 0'
	features_after 'controller 1' '0 * level 1'
	printf '# isst configuration 1\nbase-freq on\n' > $work/base-freq
	defaults='config reset --only clos,associations,features,limits,cpus'
	commands > $work/commands
	for phase in before refused late meanwhile afterwards; do
		while IFS=';' read -r final relies before words state; do
			level_$phase < /dev/null
		done < $work/commands
	done
	final=0 before='' words='perf-profile set-config-level -l 0' state='* + level 0'
	level_before
	base_frequencies_move
	level_moves_while_held
}

controller() {	# $1: the level that it sets in all dies of package 0, which share turbo ratio limits
	for die in $(seq 0 $(($(awk '$1 == 0' $work/units.- | wc -l) - 1))); do
		control oob $die $1 0
	done
}

# The level stays, whatever was requested last.
features_after() {	# $1: commands before $2: the level of die 0, as registers have it
	changes "$(printf 'turbo-freq\n  enable:success')" io - "$1" turbo-freq enable <<-E
	$2
	* + core-power 1
	* + ordered 1
	* + turbo-freq 1
	* * turbo-limits 0xffffffffffffffff
	E
	changes "$(printf 'turbo-freq\n  disable:success')" io - "isst turbo-freq enable; $1" turbo-freq disable <<-E
	$2
	* + core-power 1
	* + ordered 1
	E
	changes "$(printf 'base-freq\n  enable:success')" io - "$1" base-freq enable <<-E
	$2
	* + base-freq 1
	E
	changes "$(printf 'base-freq\n  disable:success')" io - "isst base-freq enable; $1" base-freq disable <<-E
	$2
	E
	power_on
	eval "$1" > $work/before 2>&1
	run isst config apply --set 'base-freq on'
	{
		status_is 0 $status
		printf '%s\n* + base-freq 1\n' "$2" | holds_registers
	} > $work/wrong
	verdict "config apply (after $1)" $work/wrong
}

# All commands that change what the firmware holds, a line each: `FINAL;RELIES;BEFORE;COMMAND;STATE`. FINAL: the level behind it;
# RELIES: what it writes is the level, or follows from the level; BEFORE: commands before it; STATE: how registers differ from
# those at power on, with / between lines.
commands() {
	on='* + core-power 1/* + ordered 1'
	cat <<-E
	1;relies;;perf-profile set-config-level -l 1;* + level 1
	1;relies;;perf-profile set-config-level -l 1 -o;* + level 1
	0;relies;isst perf-profile set-config-level -l 1;perf-profile set-config-level -l 0;* + level 0
	0;relies;isst perf-profile set-config-level -l 1 -o;perf-profile set-config-level -l 0 -o;* + level 0
	0;relies;;base-freq enable;* + base-freq 1
	0;relies;isst base-freq enable;base-freq disable;
	0;relies;;base-freq enable -a;@high_base_frequencies
	0;relies;isst base-freq enable -a;base-freq disable -a;@left_by_base_freq
	0;relies;;turbo-freq enable;$on/* + turbo-freq 1/* * turbo-limits 0xffffffffffffffff
	0;relies;isst turbo-freq enable;turbo-freq disable;$on
	0;relies;;-c 5 turbo-freq enable -a;@turbo_freq_auto_state
	0;relies;isst -c 5 turbo-freq enable -a;-c 5 turbo-freq disable -a;@left_by_turbo_freq
	0;;;core-power enable -p 1;$on
	0;relies;isst core-power enable -p 1;core-power disable;* + ordered 1
	0;;;core-power config -c 2 -n 1200 -m 3100;* + class 2 0 0 12 31
	0;;;-c 6 core-power assoc -c 2;0 $(awk '$1 == 6 { print $4, "association", $5 }' $work/topology) 2
	0;relies;;turbo-mode set-trl -t 0x1214161820222426;* * turbo-limits 0x1214161820222426
	0;relies;;config apply $work/base-freq;* + base-freq 1
	0;relies;isst base-freq enable -a;$defaults;
	E
}

# What was saved belongs to level 0: where the level is another one ($moved: package and domains), all but core-power stays.
left_by_base_freq() {
	[ -n "$moved" ] || return 0
	base_freq_auto '*' 0 | sed -n "s/^[*] + \(ordered\|class\)/$moved \1/p; s/^[*] [*] association/${moved% *} &/p" |
		sed 's/ [*] [*] association/ * association/'
}

left_by_turbo_freq() {
	[ -n "$moved" ] || return 0
	turbo_freq_auto_state | sed -n "/ordered\|association/p; s/^0 + class/0 ${moved#* } class/p" |
		sed "s/^0 + ordered/0 ${moved#* } ordered/"
}

state_lines() {
	case $state in
	@*) ${state#@} ;;
	*) echo "$state" | tr / '\n' ;;
	esac
}

start() {	# the machine in which the command is run
	for cpu in $(tr ',' ' ' < $cpus_dir/offline); do
		for number in $(seq ${cpu%-*} ${cpu#*-}); do
			echo 1 > $cpus_dir/cpu$number/online
		done
	done
	power_on
	eval "$before" > $work/before 2>&1
}

# All but the level that was requested last, which the driver writes with a feature alone; but for the bit that says that a level was
# refused; and but for the priority type of model 0x55, which is always ordered: what switches core-power off leaves it so.
without_requests() {
	case $transport in
	msr) sed '/ qos /s/ 0x4$/ 0x0/' "$@" ;;
	*) sed '/ profile-control /d; / profile-status /{ s/0x1\(.\)$/0x\1/; s/\(0x.\)1\(.\)$/\10\2/; }' "$@" ;;
	esac
}

cpus_of_level() {	# of the level that -o has set
	case $words in
	*'-l 1 -o'*) kept ;;
	*) cat $cpus_dir/present ;;
	esac
}

# A command after others, which leave levels as $1 and $moved have them; $high: the state after base-freq enable -a.
made_after() {	# $1: lines of levels $2: what the commands did, in words; the others: the commands
	levels=$1 what=$2
	shift 2
	start
	eval "$*" > $work/before 2>&1
	run isst $words
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/out $work/err
		{ echo "$levels"; state_lines; } | registers | without_requests > $work/registers
		without_requests $hardware/registers > $work/now
		same registers $work/registers $work/now
		equal 'CPUs online' "$(cpus_of_level)" "$(cat $cpus_dir/online)"
		[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
	} > $work/wrong
	verdict "$words (${before:+after $before, }$what)" $work/wrong
}

high_base_frequencies() {
	eval "$high"
}

level_before() {
	high="base_freq_auto '*' 0; base_freq_auto 0 1" moved='0 *'
	case $before in
	*set-config-level*) made_after '0 * level 0' 'a controller has set a level' controller 0 ;;
	*) made_after '0 * level 1' 'a controller has set a level' controller 1 ;;
	esac
}

level_refused() {
	case $words in *set-config-level*) return ;; esac
	high="base_freq_auto '*' 0" moved=
	made_after '* + level 0' 'a level was refused' "$refused"
}

level_late() {
	case $words in *set-config-level*) return ;; esac
	high="base_freq_auto '*' 1" moved='* +'
	made_after '* + level 1' 'a level came late' "$late"
}

# Limits of package 0 are those of one level or another.
visible_registers() {
	without_requests "$@" | grep -v '^package-0 .* turbo-limits '
}

level_of_first_die() {
	sed -n 's/^package-0 domain-0 \(level\|profile-status\) .*\(.\)$/\2/p' $hardware/registers
}

# The controller acts behind each of the first changes. What relies on the level fails, and the rest is as before; all else is made. (Classes
# and associations are mere memory on most machines: the hardware does not see them change.)
level_meanwhile() {
	case $words in *'core-power config'* | *'core-power assoc'*) return ;; esac
	case $words in
	*set-config-level*) said=': level' ;;
	*) said='while the change was made: another process or a management controller changed it' ;;
	esac
	start
	control oob 0 $((1 - final)) 0
	visible_registers $hardware/registers > $work/moved
	[ -n "$relies" ] || { echo "0 0 level 1"; state_lines; } | registers | visible_registers > $work/moved
	acted=0
	: > $work/wrong
	case $words in *set-config-level*) afters='1 2' ;; *) afters='1 2 3 6' ;; esac
	for after in $afters; do
		start
		cat $cpus_dir/online > $work/online
		control oob 0 $((1 - final)) $after
		run isst $words
		# The firmware may have counted what was before the command.
		if [ "$(level_of_first_die)" != $((1 - final)) ]; then
			[ $acted = 0 ] || break
			continue
		fi
		acted=$((acted + 1))
		cat $work/out $work/err > $work/said
		visible_registers $hardware/registers > $work/now
		{
			status_is "${relies:+1}" "${status#0}"
			[ -z "$relies" ] || holds $work/said "$said"
			same "registers, level set after change $after" $work/moved $work/now
			equal 'CPUs online' "$(cat $work/online)" "$(cat $cpus_dir/online)"
			[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
		} > $work/wrong
		[ ! -s $work/wrong ] || break
	done
	[ $acted != 0 ] || echo 'the level did not move' >> $work/wrong
	verdict "$words (${before:+after $before, }a controller sets a level meanwhile)" $work/wrong
}

# What was made stays as it is; the next commands find the other level, and keep it.
level_afterwards() {
	start
	run isst $words
	status_is 0 $status > $work/wrong
	controller $((1 - final))
	run isst config check --set "level $final"
	{ status_is 1 $status; holds $work/out 'differs'; } >> $work/wrong
	run isst $defaults
	{
		status_is 0 $status
		[ $status = 0 ] || cat $work/out $work/err
		printf '* + level %s\n0 * level %s\n' $final $((1 - final)) | registers | without_requests > $work/registers
		without_requests $hardware/registers > $work/now
		same registers $work/registers $work/now
		equal 'CPUs online' "$(cat $cpus_dir/present)" "$(cat $cpus_dir/online)"
		[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
	} >> $work/wrong
	verdict "$words; config check, config reset (${before:+after $before, }a controller sets a level in between)" $work/wrong
}

highest_limits() {
	awk -v cpus=$cpus_dir '{ print cpus "/cpu" $1 "/cpufreq/scaling_max_freq" }' $work/topology | xargs cat
}

# Turbo mode writes limits of cpufreq alone, which follow from the level.
base_frequencies_move() {
	awk '{ print $2 == 0 ? 2600000 : 2200000 }' $work/topology > $work/limits.moved
	awk '{ print 4200000 }' $work/topology > $work/limits.none
	before=
	start
	controller 1
	run isst turbo-mode disable
	highest_limits > $work/limits
	{ status_is 0 $status; same limits $work/limits.moved $work/limits; } > $work/wrong
	verdict 'turbo-mode disable (a controller has set a level)' $work/wrong
	controller 0
	run isst turbo-mode enable
	highest_limits > $work/limits
	{ status_is 0 $status; same limits $work/limits.none $work/limits; } > $work/wrong
	verdict 'turbo-mode enable (after turbo-mode disable, a controller has set a level)' $work/wrong
}

# A change that is undone later: all but the level.
level_moves_while_held() {
	for words in "with --config $work/base-freq -- sleep 2" "config try --timeout 2 $work/base-freq"; do
		start
		isst $words < /dev/null > $work/said 2>&1 &
		holder=$!
		sleep 1
		controller 1
		status=0
		wait $holder || status=$?
		{
			case $words in
			with*) status_is 0 $status ;;
			*) status_is 1 $status ;;
			esac
			holds $work/said 'not rolled back, because another process changed it since'
			echo '0 * level 1' | registers | without_requests > $work/registers
			without_requests $hardware/registers > $work/now
			same registers $work/registers $work/now
			[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
		} > $work/wrong
		verdict "$words (a controller sets a level meanwhile)" $work/wrong
	done
}
