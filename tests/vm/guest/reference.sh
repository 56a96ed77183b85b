# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154,SC2086,SC2034 # variables come from init and lib.sh and hold no blanks
# The packaged reference tool on the same hardware: what it prints, and what it leaves in the registers, is what the tool
# prints and leaves. Differences are decisions; differences.table names them, and only what it names may differ.

reference() {
	if [ ! -e /vm/reference-version ]; then
		echo "skip - $series $transport: the reference tool: there is none to be had"
		return
	fi
	echo "# reference: $(paste -s -d ' ' /vm/reference-version)"
	while read -r words; do
		prints_the_same "$words"
	done <<-E
	--info
	perf-profile info
	perf-profile info -l 1
	perf-profile get-lock-status
	perf-profile get-config-levels
	perf-profile get-config-version
	perf-profile get-config-enabled
	perf-profile get-config-current-level
	base-freq info -l 0
	base-freq info -l 1
	turbo-freq info -l 0
	turbo-freq info -l 1
	turbo-freq info -l 1 -b 1
	core-power info
	core-power get-config -c 1
	-c 0,6 core-power get-assoc
	turbo-mode get-trl
	-f json perf-profile info -l 1
	-f json core-power info
	-f json -c 0,6 core-power get-assoc
	E
	case $transport in
	msr) settings='-n 900 -m 3000' ;;
	tpmi) settings='-w 5 -n 900 -m 3000' ;;
	mailbox) settings='-e 3 -w 5 -n 900 -m 3000' ;;
	esac
	while read -r words; do
		leaves_the_same "${words%;*}" "${words##*;}"
	done <<-E
	;perf-profile set-config-level -l 1
	perf-profile set-config-level -l 1;perf-profile set-config-level -l 0
	;base-freq enable
	base-freq enable;base-freq disable
	;base-freq enable -a
	;turbo-freq enable
	turbo-freq enable;turbo-freq disable
	;-c 5 turbo-freq enable -a
	;core-power enable -p 1
	;core-power enable -p 0
	core-power enable -p 1;core-power disable
	;core-power config -c 1 $settings
	;-c 6 core-power assoc -c 2
	;turbo-mode set-trl -t 0x1214161820222426
	E
}

# The commands of sed for what may differ, and the names of the decisions.
differences() {	# $1: command $2: printed or left; leaves $work/sed and $allowed
	: > $work/sed
	allowed=
	while IFS="$(printf '\t')" read -r where what command decision edit; do
		case $where in '#'* | '') continue ;; esac
		[ "$where" = '*' ] || [ "$where" = "$transport" ] || continue
		# shellcheck disable=SC2254
		case $1 in $command) ;; *) continue ;; esac
		[ "$what" = "$2" ] || continue
		echo "$edit" >> $work/sed
		allowed="${allowed:+$allowed, }$decision"
	done < /vm/differences.table
}

# Equal, or equal once what may differ is taken out of both.
compare() {	# $1: name $2: command $3: printed or left $4: file of the reference $5: file of the tool
	if cmp -s "$4" "$5"; then
		pass "$1"
		return
	fi
	differences "$2" "$3"
	sed -E -f $work/sed "$4" | sort > $work/theirs
	sed -E -f $work/sed "$5" | sort > $work/ours
	same "reference (-), tool (+)" $work/theirs $work/ours > $work/wrong
	verdict "$1${allowed:+ (but for $allowed)}" $work/wrong
}

# Results and errors as a line for each value; further messages have a different wording.
leaves_of() {	# $1: command
	case $1 in
	--info) sed 1,2d $work/out ;;
	*json*) flat_json < $work/err | grep -v '^Information:' ;;
	*) flat_text < $work/err; grep '^Error:' $work/err ;;
	esac
}

# Both tools print results on standard error under this name.
prints_the_same() {	# $1: command
	power_on
	run reference-tool $1 < /dev/null
	cat $work/err >> $work/out
	leaves_of "$1" > $work/reference.printed
	run intel-speed-select $1 < /dev/null
	cat $work/err >> $work/out
	leaves_of "$1" > $work/printed
	compare "$1: prints what the reference prints" "$1" printed $work/reference.printed $work/printed
}

leaves_the_same() {	# $1: command before $2: command
	for tool in reference-tool intel-speed-select; do
		power_on
		[ -z "$1" ] || $tool $1 > $work/before 2>&1 < /dev/null
		run $tool $2 < /dev/null
		leaves_of "$2" > $work/$tool.printed
		sleep 0.05
		cat $hardware/registers > $work/$tool.left
	done
	name="$2${1:+ (after $1)}"
	compare "$name: leaves the registers that the reference leaves" "$2" left \
		$work/reference-tool.left $work/intel-speed-select.left
	compare "$name: prints what the reference prints" "$2" printed \
		$work/reference-tool.printed $work/intel-speed-select.printed
}
