#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# isst explain on machines that are all right, and with staged faults (faults.table): faults.sh BUILD [PATTERN]. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
pattern=${2:-.}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-explain.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE
PATH=$build:$PATH
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# For setups, and for remedies.
on_machine() {	# the other words: a program, on the emulated machine
	runs_programs "$build" || { : > "$scratch/impossible"; return 1; }
	isst emulate "$@"
}

write() {	# $1: value; the other words: files below /sys/devices/system/cpu
	value=$1
	shift
	# shellcheck disable=SC2016
	on_machine sh -c 'value=$1; shift; for file; do echo "$value" > "/sys/devices/system/cpu/$file" || exit 1; done' sh \
		"$value" "$@"
}

fault() {	# $1: a fault rule
	printf '%s\n' "$1" >> "$ISST_EMULATE_STATE/faults"
}

suspend() {
	echo mem | on_machine tee /sys/power/state
}

apply() {	# the words: statements of a configuration
	{ echo '# isst configuration 1'; printf '%s\n' "$@"; } > "$scratch/applied"
	isst config apply "$scratch/applied"
}

# The machine of a line, in a state of its own.
make_machine() {	# $1: platform; $2: edit
	ISST_EMULATE=$1
	[ ! -f "$root/tests/platforms/$1.platform" ] || ISST_EMULATE=$root/tests/platforms/$1.platform
	if [ -n "$2" ]; then
		isst platform show "$ISST_EMULATE" | sed "$2" > "$scratch/edited.platform" || return 1
		ISST_EMULATE=$scratch/edited.platform
	fi
	ISST_EMULATE_STATE=$scratch/state
	options=
	rm -rf "$ISST_EMULATE_STATE"
	mkdir -m 700 "$ISST_EMULATE_STATE"
	export ISST_EMULATE ISST_EMULATE_STATE
}

# Prints what is found, advisories as well.
explain() {	# $@: options
	isst explain --advisories "$@"
}

# Codes in their order, but advisories.
codes() {
	sed -n 's/^\(critical\|warning\|note\): \([^:]*\):.*/\2/p' "$scratch/found"
}

# The severest findings come first.
check_order() {
	sed -n 's/^\(critical\|warning\|note\|advisory\): .*/\1/p' "$scratch/found" |
		sed 's/critical/1/; s/warning/2/; s/note/3/; s/advisory/4/' | sort -c || { cat "$scratch/found"; return 1; }
}

# Notes and advisories leave the status 0.
explain_staged() {
	# shellcheck disable=SC2086  # several words
	explain $options > "$scratch/found" 2>&1
	status=$?
	expected=0
	! grep -q -e '^critical: ' -e '^warning: ' "$scratch/found" || expected=1
	[ "$status" -eq "$expected" ] || { echo "status $status, not $expected"; cat "$scratch/found"; return 1; }
	! grep -qF '(null)' "$scratch/found" || { echo "a text is missing"; cat "$scratch/found"; return 1; }
	check_order
}

# The first finding has this code, and the severity of the code, or that of a word behind it: `CODE (note)`.
is_first() {	# $1: code
	case $1 in
	*\ \(note\)) severity=note ;;
	*) severity=$(sed -n "s/^$1 //p" "$scratch/coded") ;;
	esac
	sed -n 's/^\(critical\|warning\|note\): \([^:]*\):.*/\1 \2/p' "$scratch/found" | sed 1q | grep -qx "$severity ${1% (note)}"
}

# What a remedy may not bring about: a critical finding or a warning that was not there before.
severe() {
	sed -n 's/^\(critical\|warning\): \([^:]*\):.*/\1 \2/p' "$scratch/found" | sort -u
}

# Carries out the remedies of all findings with the code of the first one.
fix() {	# $1: code
	awk -v code="$1:" '/^[^ ]/ { found = $2 == code } found && sub(/^  Remedy: /, "")' "$scratch/found" > "$scratch/remedy"
	while read -r remedy; do
		case $remedy in
		isst\ *) sh -c "$remedy" < /dev/null ;;
		echo\ *) on_machine bash -c "$remedy" < /dev/null ;;
		*) echo "not a command: $remedy"; return 1 ;;
		esac || return 1
	done < "$scratch/remedy" > "$scratch/fixed" 2>&1 || { cat "$scratch/remedy" "$scratch/fixed"; return 1; }
	[ -s "$scratch/remedy" ]
}

check_fault() {	# $1: code; $2: platform; $3: edit; $4: setup
	make_machine "$2" "$3" || { echo "there is no such machine"; return 1; }
	if [ -n "$4" ]; then
		eval "$4" > "$scratch/setup" 2>&1 || { echo "it cannot be staged"; cat "$scratch/setup"; return 1; }
	fi
	case $1 in [-+]*)
		explain > "$scratch/found" 2>&1
		case $(grep -c "^[a-z]*: ${1#?}:" "$scratch/found")$1 in
		1+* | 0-*) return 0 ;;
		esac
		cat "$scratch/found"
		return 1
		;;
	esac
	explain_staged || return 1
	is_first "${1#=}" || { cat "$scratch/found"; return 1; }
	case $1 in =*) return 0 ;; esac
	severe > "$scratch/before"
	fix "${1% (note)}" || return 1
	# shellcheck disable=SC2086  # several words
	explain $options > "$scratch/found" 2>&1
	severe > "$scratch/after"
	if codes | grep -qx "${1% (note)}" || comm -13 "$scratch/before" "$scratch/after" | grep -q .; then
		cat "$scratch/remedy" "$scratch/found"
		return 1
	fi
}

# The Xeon 6962P boots with SST-TF on and core-power off, which is worth a note, as are the cores that SST-TF clips; the 8360Y
# with SST-BF on.
check_healthy() {	# $1: platform
	make_machine "$1" "" || return 1
	explain_staged || return 1
	case $1 in
	graniterapids-6962p) [ "$(codes | tr '\n' ' ')" = 'turbo-freq-without-core-power low-priority ' ] ;;
	icelake-2s36c) [ "$(codes)" = low-base-frequency ] ;;
	*) grep -qx 'Nothing found\.' "$scratch/found" && [ -z "$(codes)" ] ;;
	esac
}

# CPUs that are left alone, and registers of servers with TPMI: whoever reads them there is killed. The same rules kill a run
# where nothing is to be left alone, so that they are known to work.
check_left_alone() {	# $1: platform; $2: CPU; $3: left alone, or not; $4: a fault rule; $5: edit
	whole=$5
	[ "$3" != alone ] || whole="$5; s/^\[level 0\]/[cgroup]\nisolcpus = $2\n&/"
	make_machine "$1" "$whole" || return 1
	fault "$4"
	explain > "$scratch/found" 2>&1
	status=$?
	cat "$scratch/found"
	if [ "$3" = alone ]; then
		[ "$status" -eq 0 ] && ! grep "CPU $2.*\(cannot\|may not\) be" "$scratch/found"
	else
		[ "$status" -eq 137 ]
	fi
}

# Hints where files cannot be read: by what was read, and only then.
check_hint() {	# $1: edit; $2: the hint; $3: a fault rule
	make_machine graniterapids-unlocked "$1" || return 1
	fault "$3"
	explain > "$scratch/found" 2>&1
	cat "$scratch/found"
	if [ -n "$2" ]; then
		grep -qF "$2" "$scratch/found"
	else
		! grep -q -e lockdown -e container "$scratch/found"
	fi
}

# Codes with their severities, as the library's table and the document have them; and those that are staged.
coded() {
	tr '\n' ' ' < "$root/src/explain/codes.c" | grep -o 'ROW([A-Z_]*, *"[a-z-]*", *[A-Z]*' |
		sed 's/ROW([A-Z_]*, *"\([a-z-]*\)", *\([A-Z]*\)/\1 \2/' | tr '[:upper:]' '[:lower:]' | grep -v ' advisory$'
}

documented() {
	# shellcheck disable=SC2016  # backquotes of the document
	sed -n '/^## Findings/,/^## Performance/s/^| `\([a-z-]*\)` | \([a-z]*\) .*/\1 \2/p' "$root/docs/explain.md"
}

check_documented() {
	[ "$(wc -l < "$scratch/coded")" -gt 30 ] || { echo "too few codes are known"; return 1; }
	documented | diff "$scratch/coded" -
}

check_advisories() {
	tr -d '\n\t' < "$root/src/explain/advisories.c" | grep -o '[.]name = "[a-z-]*",' | cut -d '"' -f2 | sort > "$scratch/advisories"
	[ -s "$scratch/advisories" ] || { echo "no advisories are known"; return 1; }
	# shellcheck disable=SC2016  # backquotes of the document
	sed -n '/^## Advisories/,/^## What/s/^| `\([a-z-]*\)` .*/\1/p' "$root/docs/explain.md" | sort | diff "$scratch/advisories" - &&
		sed -n 's/^+\([a-z-]*\) .*/\1/p' "$root/tests/explain/faults.table" | sort -u | diff "$scratch/advisories" -
}

check_staged() {
	grep -v -e '^[-#+]' -e '^$' "$root/tests/explain/faults.table" | sed 's/^=//; s/ *|.*//; s/ (note)$//' | sort -u > "$scratch/staged"
	cut -d ' ' -f1 "$scratch/coded" | sort | diff - "$scratch/staged"
}

coded > "$scratch/coded"
check_documented > "$scratch/why" 2>&1
report $? "docs/explain.md has the codes in their order, and their severities" < "$scratch/why"
check_advisories > "$scratch/why" 2>&1
report $? "docs/explain.md has the advisories, and each is staged" < "$scratch/why"
check_staged > "$scratch/why" 2>&1
report $? "each code is staged" < "$scratch/why"

for platform in $(isst platform list | awk '{ print $1 }' | grep -e "$pattern"); do
	check_healthy "$platform" > "$scratch/why" 2>&1
	report $? "nothing is found on $platform" < "$scratch/why"
done

grep -v -e '^#' -e '^$' "$root/tests/explain/faults.table" | grep -e "$pattern" > "$scratch/table"
while IFS='|' read -r code platform edit setup; do
	code=${code% } platform=${platform# } platform=${platform% }
	edit=${edit# } edit=${edit% }
	rm -f "$scratch/impossible"
	check_fault "$code" "$platform" "$edit" "$setup" > "$scratch/why" 2>&1 < /dev/null
	status=$?
	# Some shells print what follows a backslash in their own way.
	what="${code#[=+-]} on $platform:$(printf '%s' "$setup" | tr '\134' ' ')"
	if [ -e "$scratch/impossible" ]; then
		skip "$what" "no program can be run on the emulated machine"
	else
		report $status "$what" < "$scratch/why"
	fi
done < "$scratch/table"

while IFS='|' read -r platform cpu alone rule edit; do
	check_left_alone "$platform" "$cpu" "$alone" "$rule" "$edit" > "$scratch/why" 2>&1 < /dev/null
	report $? "$platform, CPU $cpu $alone: $rule ${edit:+($edit)}" < "$scratch/why"
done << 'end'
graniterapids-unlocked|70|alone|read /sys/devices/system/cpu/cpu70/cpufreq/* signal KILL
graniterapids-unlocked|70|alone|read /sys/devices/system/cpu/cpu70/thermal_throttle/* signal KILL
graniterapids-unlocked|70|alone|msr any cpu 70 signal KILL
graniterapids-unlocked|70|alone|msr 0x64f signal KILL|s/^kernel = .*/kernel = 6.10/
graniterapids-unlocked|70|not alone|read /sys/devices/system/cpu/cpu70/cpufreq/* signal KILL
guide|0|alone|read /sys/devices/system/cpu/cpu0/cpufreq/* signal KILL
guide|0|alone|read /sys/devices/system/cpu/cpu0/thermal_throttle/* signal KILL
guide|0|alone|msr 0x64f cpu 0 signal KILL
guide|0|alone|msr 0x1ad cpu 0 signal KILL
guide|14-27,42-55|alone|msr 0x1ad cpu 14 signal KILL
guide|14-26|alone|msr any cpu 14 signal KILL
guide|0|not alone|msr 0x1ad cpu 0 signal KILL
guide|0|not alone|msr 0x64f cpu 0 signal KILL
guide|0|not alone|read /sys/devices/system/cpu/cpu0/thermal_throttle/* signal KILL
end

# shellcheck disable=SC2016  # backslashes for sed
{
	check_hint 's/^\[level 0\]/[system]\nlockdown = integrity\n&/' 'kernel lockdown is in force (integrity' '# none' > "$scratch/why" 2>&1
	report $? "lockdown is the reason that files of debugfs cannot be read" < "$scratch/why"
	check_hint 's/^\[level 0\]/[system]\ncontainer = docker\n&/' 'this is a container (/run/systemd/container: docker)' \
		'list /sys/kernel/debug EACCES' > "$scratch/why" 2>&1
	report $? "a container can be the reason that files cannot be read" < "$scratch/why"
	check_hint 's/^\[level 0\]/[system]\ncontainer = docker\n&/' 'this is a container (/run/systemd/container: docker)' \
		'list /sys/kernel/debug ENOENT' > "$scratch/why" 2>&1
	report $? "a container can be the reason that files are missing" < "$scratch/why"
	check_hint '' 'there is no /sys/kernel/debug/tpmi-*/plr' 'list /sys/kernel/debug ENOENT' > "$scratch/why" 2>&1
	report $? "performance limit reasons that are missing are named" < "$scratch/why"
	check_hint 's/^\[level 0\]/[system]\ncontainer = docker\n&/' '' '# none' > "$scratch/why" 2>&1
	report $? "nothing is concluded where all can be read" < "$scratch/why"
	check_hint '' '' 'list /sys/kernel/debug EACCES' > "$scratch/why" 2>&1
	report $? "nothing is guessed where there is no sign of a reason" < "$scratch/why"
}

finish
