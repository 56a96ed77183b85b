#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs test programs, some at a time, and counts their tests: run-tests.sh PROGRAM...
# Each program speaks TAP. What a failing program printed is shown whole; the last line is the sum.
# RUNNER, where set, is put before each program (valgrind, say). JOBS: how many run at a time.
set -u
export LC_ALL=C
jobs=${JOBS:-$(nproc)}
# In memory where there is such a place: the emulated machines are made of thousands of files.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-tests.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export CMOCKA_MESSAGE_OUTPUT=TAP TMPDIR="$scratch"
[ $# -gt 0 ] || { echo "run-tests.sh: no test program was named" >&2; exit 1; }

# xargs keeps all processors busy; and unlike jobs of the shell its children do not ignore SIGINT and SIGQUIT.
export scratch
# shellcheck disable=SC2016  # expanded by the inner shell
printf '%s\n' "$@" | xargs -P "$jobs" -I PROGRAM sh -c '
	name=$(echo "$1" | tr / _)
	${RUNNER:-} "$1" > "$scratch/$name.log" 2>&1
	echo $? > "$scratch/$name.status"
' run-one PROGRAM

passed=0 failed=0 skipped=0
for program in "$@"; do
	name=$(echo "$program" | tr / _)
	good=$(grep -c '^ok ' "$scratch/$name.log")
	bad=$(grep '^not ok ' "$scratch/$name.log" | grep -vc '# SKIP')
	left_out=$(grep -c '^not ok .*# SKIP' "$scratch/$name.log")
	skips=$(grep -c '# SKIP' "$scratch/$name.log")
	status=$(cat "$scratch/$name.status")
	# A program that dies, finds leaks, or has no test has failed even where no single test did.
	if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ $((good + skips)) -eq 0 ]; }; then
		bad=1
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + left_out))
	skipped=$((skipped + skips))
	if [ "$bad" -gt 0 ]; then
		echo "==== $program (exit status $status)"
		cat "$scratch/$name.log"
	else
		echo "$program: $good"
		grep '# SKIP' "$scratch/$name.log"
	fi
done
if [ "$skipped" -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
