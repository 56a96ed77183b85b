# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# Every command that reads, in text and JSON, against what the tables of the played hardware hold.

reading() {
	power_on
	information
	reads 'get-lock-status:unlocked' io - perf-profile get-lock-status
	reads 'get-config-levels:1' io - perf-profile get-config-levels
	case $transport in tpmi) version=1 ;; *) version=3 ;; esac
	reads "get-config-version:$version" io - perf-profile get-config-version
	reads 'get-config-enabled:enabled' io - perf-profile get-config-enabled
	reads 'get-config-current_level:0' io - perf-profile get-config-current-level
	reads '@level-0 @level-1' io - perf-profile info
	reads '@level-0' io - perf-profile info -l 0
	reads '@level-1' - 0,13 perf-profile info -l 1
	reads '@base-freq-0' io - base-freq info
	reads '@base-freq-1' io - base-freq info -l 1
	reads '@turbo-freq-0' io - turbo-freq info
	reads '@turbo-freq-1' io - turbo-freq info -l 1
	reads '@bucket-1' - 9 turbo-freq info -l 1 -b 1
	reads '@type-avx2' - 9 turbo-freq info -l 1 -r avx2
	reads '@core-power' io - core-power info
	for class in 0 1 2 3; do
		reads "$(class_body $class 0 0 '0 MHz' 'Max Turbo frequency')" io - core-power get-config -c $class
	done
	reads "$(printf 'get-assoc\n  clos:0')" - 0,1,2,14 core-power get-assoc
	reads "$(printf 'get-trl\n  trl:0x1f20212223242526')" - - turbo-mode get-trl
	nothing_changed > $work/wrong
	verdict 'reading commands change nothing' $work/wrong
	options
	wrong_usage
	captured
}

information() {
	case $transport in
	mailbox) version=1 mailbox=1 mmio=1 ;;
	msr) version=1 mailbox=1 mmio=0 ;;
	tpmi) version=3 mailbox=0 mmio=0 ;;
	esac
	{
		cat $work/banner
		echo "Platform: API version : $version"
		echo 'Platform: Driver version : 1'
		echo "Platform: mbox supported : $mailbox"
		echo "Platform: mmio supported : $mmio"
		echo 'Intel(R) SST-PP (feature perf-profile) is supported'
		echo 'TDP level change control is unlocked, max level: 1'
		echo 'Intel(R) SST-TF (feature turbo-freq) is supported'
		echo 'Intel(R) SST-BF (feature base-freq) is supported'
		echo 'Intel(R) SST-CP (feature core-power) is supported'
	} > $work/expected
	run isst --info
	{ status_is 0 $status; same output $work/expected $work/out; } > $work/wrong
	verdict '--info' $work/wrong
	run intel-speed-select --info
	{
		status_is 0 $status
		sed 1,2d $work/expected > $work/results
		same 'standard error' $work/results $work/err
	} > $work/wrong
	verdict 'intel-speed-select --info' $work/wrong
	run isst -f json --info
	flat_json < $work/out > $work/flat
	{
		status_is 0 $status
		for word in api-version:$version max-level:1 level-change-control:unlocked perf-profile:supported \
			turbo-freq:supported base-freq:supported core-power:supported mbox-supported:$mailbox mmio-supported:$mmio; do
			holds $work/flat $word
		done
	} > $work/wrong
	verdict '-f json --info' $work/wrong
	for word in --version --help 'perf-profile --help' 'turbo-freq enable --help' 'platform list' 'platform show guide'; do
		run isst $word
		{ status_is 0 $status; [ -s $work/out ] || echo 'prints nothing'; } > $work/wrong
		verdict "$word" $work/wrong
	done
}

options() {
	tree 'get-config-levels:1' '' io > $work/tree
	run isst -o $work/file perf-profile get-config-levels
	{ is_empty output $work/out; mv $work/file $work/out; shown_as_text 0; } > $work/wrong
	verdict '-o FILE perf-profile get-config-levels' $work/wrong
	run isst -p 1 -r 9 perf-profile get-config-levels
	shown_as_text 0 > $work/wrong
	verdict '-p 1 -r 9 perf-profile get-config-levels' $work/wrong
	run isst -d perf-profile get-config-levels
	{
		shown_as_text 0
		awk '/^map / { print $2, $NF }' $work/err > $work/mapped
		awk '{ print "logical_cpu:" $1, "punit_core:" $5 + int($5 / 2) }' $work/topology > $work/expected
		same 'trace of CPUs' $work/expected $work/mapped
	} > $work/wrong
	verdict '-d perf-profile get-config-levels' $work/wrong
}

# Nothing may be sent for what is wrong.
wrong_usage() {
	fails 2 '' perf-profile set-config-level
	fails 2 'ten' perf-profile set-config-level -l ten
	fails 2 '4' core-power config -c 4
	fails 2 '' perf-profile no-such-command
	fails 2 'min' core-power config -c 1 -n 3000 -m 2000
	fails 3 '2' perf-profile set-config-level -l 2
	fails 3 '999' -c 999 core-power get-assoc
}

# The machine can be captured, and is the same when it is replayed.
captured() {
	run isst platform capture /tmp/captured
	status_is 0 $status > $work/wrong
	verdict 'platform capture' $work/wrong
	for words in 'perf-profile info' 'core-power info' 'turbo-freq info' 'core-power get-config -c 1' 'turbo-mode get-trl'; do
		run isst $words
		cp $work/out $work/expected
		run isst --emulate /tmp/captured --emulate-state /tmp/state $words
		grep -v '^Emulated machine' $work/out > $work/replayed
		{ status_is 0 $status; same replayed $work/expected $work/replayed; } > $work/wrong
		verdict "--emulate /tmp/captured $words" $work/wrong
	done
	for words in statistics reset; do
		run isst --emulate /tmp/captured --emulate-state /tmp/state platform $words
		status_is 0 $status > $work/wrong
		verdict "platform $words" $work/wrong
	done
}
