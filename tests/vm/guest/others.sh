# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# Others change the machine, too: a management controller sets the level of die 0 before, during and after commands that
# change something. By TPMI the register in which the host requests levels stays as it is then, and each write of a feature
# requests that level once more; the same goes for a level that the firmware has refused.

others() {
	# Packages share turbo ratio limits: their dies have one level.
	oob='control oob 0 1 0'
	[ "$(awk '$1 == 0' $work/units.- | wc -l)" = 1 ] || oob="$oob; control oob 1 1 0"
	features_after "$oob" '0 * level 1'
	[ "$transport" != tpmi ] ||
		features_after 'control refuse-level 0; isst perf-profile set-config-level -l 1; control accept' ''
	level_moves_meanwhile
	level_moves_afterwards
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

# What programs can see. By TPMI not what was requested; and limits pass for clipped ones that a level replaced at once.
visible_registers() {
	grep -v -e ' profile-control ' -e ' turbo-limits ' $hardware/registers
}

# All but the level is as before, or nothing was left that the controller could act after.
level_moves_meanwhile() {
	power_on
	control oob 0 1 0
	visible_registers > $work/moved
	printf '# isst configuration 1\nbase-freq on\n' > $work/configuration
	for words in 'base-freq enable' 'base-freq enable -a' 'turbo-freq enable' 'turbo-freq enable -a' \
		'config apply -'; do
		acted=0
		for after in 1 2 3 4 6 8; do
			power_on
			control oob 0 1 $after
			run isst $words < $work/configuration
			[ $status != 0 ] || break
			acted=$((acted + 1))
			cat $work/out $work/err > $work/said
			visible_registers > $work/now
			{
				status_is 1 $status
				holds $work/said 'while the change was made: another process or a management controller changed it'
				same "registers, level set after change $after" $work/moved $work/now
				[ ! -e /run/isst/journal ] || echo 'the journal is left behind'
			} > $work/wrong
			[ ! -s $work/wrong ] || break
		done
		[ $acted != 0 ] || echo 'the level did not move' >> $work/wrong
		verdict "$words (a controller sets a level meanwhile)" $work/wrong
	done
}

# What was made stays as it is; the next command finds the other level.
level_moves_afterwards() {
	power_on
	isst base-freq enable > $work/before 2>&1
	control oob 0 1 0
	run isst config check --set 'level 0'
	{ status_is 1 $status; holds $work/out 'differs'; } > $work/wrong
	verdict 'config check (a controller has set a level)' $work/wrong
}
