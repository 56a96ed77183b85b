# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For test scripts that speak TAP; to be sourced. Scripts that call check or silent have a directory $scratch.
count=0
failed=0
skipped=0

# Of what a failed test printed, so many of the last lines are shown (tail -n).
report_lines=+1

# A directory where all of it is kept, as failure-NUMBER; empty: none.
failures=

report() {	# $1: status; $2: what is checked; standard input: what to print if it failed
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		cat > /dev/null
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		tail -n "$report_lines" | sed 's/^/# /'
	fi
}

skip() {	# $1: what is not checked; $2: why
	count=$((count + 1))
	skipped=$((skipped + 1))
	echo "ok $count - $1 # SKIP $2"
}

# Ends the script, before its first test.
skip_all() {	# $1: why
	echo "1..0 # SKIP $1"
	exit 0
}

# shellcheck disable=SC2154  # scratch: of the script
check() {	# $1: what is checked; the other words: a command that succeeds
	checked=$1
	shift
	if "$@" > "$scratch/said" 2>&1; then
		report 0 "$checked" < /dev/null
	else
		report $? "$checked" < "$scratch/said"
		[ -z "$failures" ] || cp "$scratch/said" "$failures/failure-$count"
	fi
}

# Within a command that check runs: whether it has printed nothing so far.
# shellcheck disable=SC2154  # scratch: of the script
silent() {
	[ ! -s "$scratch/said" ]
}

succeeds_silently() {	# a command
	"$@" && silent
}

# The end of a script: the number of tests, and whether none failed.
finish() {
	echo "1..$count"
	[ "$failed" -eq 0 ]
}

# Whether programs can be run on the emulated machine; $cannot_run: why not.
runs_programs() {	# $1: the build directory
	machine_state=$(mktemp -d) || return 1
	# shellcheck disable=SC2034 # of the script
	cannot_run=$("$1/isst" --emulate guide --emulate-state "$machine_state" emulate -- true 2>&1)
	set -- $?
	rm -rf "$machine_state"
	return "$1"
}
