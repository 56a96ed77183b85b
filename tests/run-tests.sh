#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs test programs, some at a time, and counts their tests: run-tests.sh PROGRAM...
# Each program speaks TAP. A line is printed for each program as soon as it has ended: which one of how many, its tests,
# its seconds, and what was skipped; of a failing program all is shown but the tests that passed (those, too, where it
# died), and its failures once more before the CPU time of all programs and the sum, which is the last line.
# RUNNER, where set, is put before each program (valgrind, say). JOBS: how many run at a time.
# TEST_DEADLINE: the seconds that a program has, 1200 by default. Then its process group is killed, and it has failed. There is
# none where env(1) or timeout(1) are not those of coreutils.
set -u
export LC_ALL=C
# What others may write is not believed (src/base/runtime_file.c), and some tests write such files themselves.
umask 022
jobs=${JOBS:-$(nproc)}
deadline=${TEST_DEADLINE:-1200}
# In memory if possible: each call stores the state of its emulated machine.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-tests.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export CMOCKA_MESSAGE_OUTPUT=TAP TMPDIR="$scratch"
[ $# -gt 0 ] || { echo "run-tests.sh: no test program was named" >&2; exit 1; }

# Runs all of them, and says of each one that has ended: how long it took, and its name.
run_all() {
	export scratch deadline bounded
	# What started this may ignore SIGINT and SIGQUIT, as scripts do for what runs in the background; tests send them.
	default_signals='' bounded=''
	! env --default-signal=INT,QUIT true 2> /dev/null || default_signals='env --default-signal=INT,QUIT'
	# It makes a process group of its own for the program, and passes on to that what ends it.
	! timeout -k 10 10 true 2> /dev/null || [ -z "$default_signals" ] || bounded="$default_signals timeout -k 10 $deadline"
	# xargs keeps all processors busy; and unlike jobs of the shell its children do not ignore SIGINT and SIGQUIT.
	# shellcheck disable=SC2016,SC2086  # expanded by the inner shell; words on purpose
	printf '%s\0' "$@" | xargs -0 -P "$jobs" -I PROGRAM $default_signals sh -c '
		name=$(printf "%s" "$1" | tr / _)
		begin=$(date +%s.%N)
		program=
		trap "[ -z \"\$program\" ] || kill -TERM \$program; exit 130" INT TERM HUP
		if [ -n "$bounded" ]; then
			$bounded ${RUNNER:-} "$1" > "$scratch/$name.log" 2>&1 &
			program=$!
			wait $program
		else
			${RUNNER:-} "$1" > "$scratch/$name.log" 2>&1
		fi
		status=$?
		end=$(date +%s.%N)
		# 124: ended by SIGTERM, 137: by SIGKILL, which a program may be for other reasons.
		case $status in 124 | 137)
			[ $((${end%.*} - ${begin%.*})) -lt "$deadline" ] || status="not ended within $deadline s"
		esac
		echo "$status" > "$scratch/$name.status"
		printf "%s %s %s\n" "$begin" "$end" "$1"
	' run-one PROGRAM
	times > "$scratch/times"
}

# Tests of a log: passed, failed, skipped; and how many more or fewer were announced than there are, by all groups of a
# program together. Skipped ones are `ok` or `not ok` with a remark: versions of cmocka differ. A program that announces no
# test at all, with a reason, is one that was skipped.
count_tests() {
	awk '
		/^(ok|not ok) .*# [Ss][Kk][Ii][Pp]/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		/^1\.\.0 *# *[Ss][Kk][Ii][Pp]/ { skipped++; planned++; plans++; next }
		/^1\.\.[0-9]+/ { planned += substr($1, 4); plans++ }
		END { print passed + 0, failed + 0, skipped + 0, plans ? planned - passed - failed - skipped : 0 }' "$1"
}

# between BEGIN END: seconds; whole ones where date does not know fractions
between() {
	awk -v begin="$1" -v end="$2" 'BEGIN { printf "%.1f s", end - begin }'
}

# report PROGRAM TIME: one program that has ended
report() {
	log=$scratch/$(printf '%s' "$1" | tr / _)
	status=$(cat "$log.status")
	time=$2
	# cmocka cuts long messages off, and the test's own line comes right behind.
	if [ "$status" != 0 ]; then
		sed -E '/^(#|ok |not ok )/!s/(.)(not ok [0-9]+ - )/\1\
\2/' "$log.log" > "$log.lines"
		mv "$log.lines" "$log.log"
	fi
	# shellcheck disable=SC2046  # four numbers
	set -- "$1" $(count_tests "$log.log")
	good=$2 bad=$3 left_out=$4 missing=$5
	ending="exit status $status"
	case $status in *\ *) ending=$status ;; esac
	# What does not help to find a failure.
	passing='^ok |^not ok .*# [Ss][Kk][Ii][Pp]'
	# A program that dies, finds leaks, has no test, or others than it announced, has failed even where no single
	# test did.
	if [ "$bad" -eq 0 ] && { [ "$status" != 0 ] || [ $((good + left_out)) -eq 0 ] || [ "$missing" -ne 0 ]; }; then
		bad=1
		passing='# [Ss][Kk][Ii][Pp]'
	fi
	ended=$((ended + 1))
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + left_out))
	place=$(printf "[%${#total}d/%d]" "$ended" "$total")
	if [ "$bad" -gt 0 ]; then
		echo "$place ==== $1 ($ending, $time)"
		grep -Ev "$passing" "$log.log"
		{
			echo "failed: $1 ($ending)"
			grep '^not ok ' "$log.log" | grep -Ev "$passing"
		} >> "$scratch/failures"
	else
		echo "$place $1: $good ($time)"
	fi
	sed -n -E '/# skip/I { s/^1\.\.0//; s/^(not )?ok *[0-9]* *-? *//; s/ *# *skip:? */: /I; s/^:? */  skipped: /; s/: $//; p }' "$log.log"
}

total=$#
run_all "$@" | {
	ended=0 passed=0 failed=0 skipped=0
	while read -r begin end program; do
		report "$program" "$(between "$begin" "$end")"
	done
	if [ "$ended" -ne "$total" ]; then
		echo "run-tests.sh: $((total - ended)) programs have not ended"
		failed=$((failed + total - ended))
	fi
	[ ! -f "$scratch/failures" ] || cat "$scratch/failures"
	# The second line is that of the children: user and system time, each as MINUTESmSECONDSs.
	awk 'NR == 2 {
		gsub(/[ms]/, " ")
		printf "CPU time: %.0f s\n", ($1 + $3) * 60 + $2 + $4
	}' "$scratch/times"
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" -eq 0 ]
}
