# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# Every command that changes the firmware's state, in text and JSON: its output, and the registers of the simulated
# hardware hold afterwards. The states are written by hand from the manual page and the tables of the hardware.

changing() {
	level_changes
	base_freq
	turbo_freq
	core_power
	turbo_mode
	nothing_to_do
	dry_runs
}

level_changes() {
	changes "$(printf 'perf-profile\n  set_tdp_level:success')" io - '' perf-profile set-config-level -l 1 <<-E
	* + level 1
	E
	changes "$(printf 'perf-profile\n  set_tdp_level:success')" - 3 '' perf-profile set-config-level -l 1 <<-E
	0 0 level 1
	0 $(domains_of_limits 0) turbo-limits 0x2021222324252627
	E
	changes "$(printf 'perf-profile\n  set_tdp_level:success')" io - 'isst perf-profile set-config-level -l 1' \
		perf-profile set-config-level -l 0 <<-E
	E
}

base_freq() {
	changes "$(printf 'base-freq\n  enable:success')" io - '' base-freq enable <<-E
	* + base-freq 1
	E
	changes "$(printf 'base-freq\n  disable:success')" io - 'isst base-freq enable' base-freq disable <<-E
	E
	changes "$(printf 'base-freq\n  enable:success')" io - '' base-freq enable -a <<-E
	$(base_freq_auto '*' 0)
	E
	{
		equal 'lowest scaling limits' 4200000 "$(cat $cpus_dir/cpufreq/policy*/scaling_min_freq | uniq)"
		equal 'base frequencies' "$(awk '{ print $5 == 1 ? 2500000 : 2000000 }' $work/topology)" \
			"$(awk '{ print $1 }' $work/topology | while read -r cpu; do cat $cpus_dir/cpu$cpu/cpufreq/base_frequency; done)"
	} > $work/wrong
	verdict 'base-freq enable -a: scaling limits' $work/wrong
	changes "$(printf 'base-freq\n  disable:success')" io - 'isst base-freq enable -a' base-freq disable -a <<-E
	E
	equal 'lowest scaling limits' 800000 "$(cat $cpus_dir/cpufreq/policy*/scaling_min_freq | uniq)" > $work/wrong
	verdict 'base-freq disable -a: scaling limits' $work/wrong
}

turbo_freq() {
	changes "$(printf 'turbo-freq\n  enable:success')" io - '' turbo-freq enable <<-E
	* + core-power 1
	* + ordered 1
	* + turbo-freq 1
	* * turbo-limits 0xffffffffffffffff
	E
	changes "$(printf 'turbo-freq\n  enable:success')" io - '' turbo-freq enable -t 0x1122334455667788 <<-E
	* + core-power 1
	* + ordered 1
	* + turbo-freq 1
	* * turbo-limits 0x1122334455667788
	E
	turbo_freq_auto
	changes "$(printf 'turbo-freq\n  disable:success')" io - 'isst turbo-freq enable' turbo-freq disable <<-E
	* + core-power 1
	* + ordered 1
	E
	changes "$(printf 'turbo-freq\n  disable:success')" - 0 'isst -c 0 turbo-freq enable -a' turbo-freq disable -a <<-E
	E
}

# High priority for one core: one more unit shows it, in text under the same path again.
turbo_freq_auto() {
	power_on
	run isst -c 5 turbo-freq enable -a
	{
		tree "$(printf 'turbo-freq\n  enable:success')" 5 -
		tree "$(printf 'turbo-freq --auto\n  enable:success')" 5 -
	} > $work/tree
	{ shown_as_text 0; turbo_freq_auto_state | holds_registers; } > $work/wrong
	verdict '-c 5 turbo-freq enable -a' $work/wrong
}

core_power() {
	changes "$(printf 'core-power\n  enable:success')" io - '' core-power enable -p 1 <<-E
	* + core-power 1
	* + ordered 1
	E
	changes "$(printf 'core-power\n  disable:success')" io - 'isst core-power enable -p 1' core-power disable <<-E
	* + ordered 1
	E
	case $transport in
	msr) set -- '' 0 0 ;;
	mailbox) set -- '-e 5 -w 9' 5 9 ;;
	tpmi) set -- '-w 9' 0 9 ;;
	esac
	if [ "$transport" != msr ]; then	# before Ice Lake it is always ordered
		changes "$(printf 'core-power\n  enable:success')" io - '' core-power enable <<-E
		* + core-power 1
		E
	fi
	changes "$(printf 'core-power\n  config:success')" - - '' core-power config -c 2 -n 1200 -m 3100 $1 <<-E
	* + class 2 $2 $3 12 31
	E
	isst core-power get-config -c 2 > $work/out
	tree "$(class_body 2 "$2" "$3" '1200 MHz' '3100 MHz')" '' io > $work/tree
	status=0
	shown_as_text 0 > $work/wrong
	verdict 'core-power get-config -c 2 (after core-power config)' $work/wrong
	changes "$(printf 'core-power\n  assoc:success')" - 6 '' core-power assoc -c 2 <<-E
	0 $(awk '$1 == 6 { print $4, "association", $5 }' $work/topology) 2
	E
	reads "$(printf 'get-assoc\n  clos:2')" - 6 core-power get-assoc
}

turbo_mode() {
	changes "$(printf 'turbo-mode\n  set-trl:success')" - - '' turbo-mode set-trl -t 0x1214161820222426 <<-E
	* * turbo-limits 0x1214161820222426
	E
	reads "$(printf 'get-trl\n  trl:0x1214161820222426')" - - turbo-mode get-trl
	power_on
	run isst turbo-mode disable
	{
		status_is 0 $status
		equal 'highest scaling limits' 2200000 "$(cat $cpus_dir/cpufreq/policy*/scaling_max_freq | uniq)"
	} > $work/wrong
	verdict 'turbo-mode disable' $work/wrong
	run isst -f json turbo-mode enable
	{
		status_is 0 $status
		equal 'highest scaling limits' 4200000 "$(cat $cpus_dir/cpufreq/policy*/scaling_max_freq | uniq)"
		tree "$(printf 'turbo-mode\n  enable:success')" "$(cut -d ' ' -f 1 $work/topology | paste -s -d ,)" - > $work/tree
		shown_as_json 0
	} > $work/wrong
	verdict '-f json turbo-mode enable' $work/wrong
}

# What is as asked already is not written.
nothing_to_do() {
	for words in 'perf-profile set-config-level -l 1' 'base-freq enable -a' 'core-power enable -p 1' \
		'core-power config -c 1 -n 900' 'turbo-mode set-trl -t 0x1010101010101010'; do
		power_on
		isst $words > /dev/null 2>&1
		echo > $hardware/changes
		run isst $words
		cat $work/out $work/err > $work/said
		{ status_is 0 $status; holds $work/said unchanged; nothing_changed; } > $work/wrong
		verdict "$words (a second time)" $work/wrong
	done
}

dry_runs() {
	for words in 'perf-profile set-config-level -l 1 -o' 'base-freq enable -a' 'turbo-freq enable -a' 'core-power enable -p 1' \
		'core-power config -c 1 -n 900' 'turbo-mode set-trl -t 0x1010101010101010'; do
		power_on
		cat $hardware/registers > $work/registers
		run isst --dry-run $words
		{
			status_is 0 $status
			holds $work/out 'Would change'
			nothing_changed
			same registers $work/registers $hardware/registers
		} > $work/wrong
		verdict "--dry-run $words" $work/wrong
	done
}
