#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/run-tests.sh: its counts, its output and its exit status. Prints TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
runner=$root/tests/run-tests.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-runner.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset RUNNER TEST_DEADLINE
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# program NAME SCRIPT: a test program
program() {
	printf '#!/bin/sh\n%s\n' "$2" > "$1"
	chmod +x "$1"
}

# as_expected STATUS EXPECTED-STATUS: and the output
as_expected() {
	[ "$1" -eq "$2" ] || echo "status $1, not $2"
	diff expected found
	silent
}

# expect WHAT STATUS OUTPUT PROGRAM...: one at a time, so that the order is known
expect() {
	what=$1
	status=$2
	printf '%s\n' "$3" > expected
	shift 3
	JOBS=1 sh "$runner" "$@" > timed 2>&1
	ended=$?
	sed 's/[0-9]*\.[0-9] s)$/T s)/; s/^CPU time: [0-9]* s$/CPU time: T s/' timed > found
	check "$what" as_expected "$ended" "$status"
}

program good 'echo "ok 1 - a"; echo "ok 2 - b"'
program bad 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# b is not a"; exit 1'
program skips 'echo "ok 1 - a"; echo "not ok 2 # SKIP b"; echo "ok 3 - c # SKIP why"; echo "ok 4 - d # skip"'
program cut 'echo "1..3"; echo "ok 1 - a is not ok 5 - x"; echo "| a message that is cut not ok 2 - b"; echo "and anothernot ok 3 - c"; exit 2'
program whole 'echo "1..0 # SKIP not here"'
program dies 'echo "ok 1 - a"; exit 139'
program none 'true'
program ends 'echo "1..5"; echo "ok 1 - a"'
program more 'echo "ok 1 - a"; echo "ok 2 - b"; echo "1..1"'
program groups 'echo "1..1"; echo "ok 1 - a"; echo "1..2"; echo "ok 1 - b"; echo "not ok 2 # SKIP c"'
program "with a space" 'echo "ok 1 - a"'

expect "programs and the sum" 0 "[1/2] ./good: 2 (T s)
[2/2] ./with a space: 1 (T s)
CPU time: T s
3 passed, 0 failed" ./good "./with a space"
expect "what failed is shown where it did and at the end" 1 "[1/2] ==== ./bad (exit status 1, T s)
not ok 2 - b
# b is not a
[2/2] ./good: 2 (T s)
failed: ./bad (exit status 1)
not ok 2 - b
CPU time: T s
3 passed, 1 failed" ./bad ./good
expect "D5: a skipped test counts once, and not as passed, in both notations" 0 "[1/1] ./skips: 1 (T s)
  skipped: b
  skipped: c: why
  skipped: d
CPU time: T s
1 passed, 0 failed, 3 skipped" ./skips
expect "a test that fails right behind a message is counted" 1 "[1/1] ==== ./cut (exit status 2, T s)
1..3
| a message that is cut 
not ok 2 - b
and another
not ok 3 - c
failed: ./cut (exit status 2)
not ok 2 - b
not ok 3 - c
CPU time: T s
1 passed, 2 failed" ./cut
expect "a program that is skipped as a whole counts once" 0 "[1/2] ./whole: 0 (T s)
  skipped: not here
[2/2] ./good: 2 (T s)
CPU time: T s
2 passed, 0 failed, 1 skipped" ./whole ./good
expect "a program that dies has failed though its tests passed" 1 "[1/1] ==== ./dies (exit status 139, T s)
ok 1 - a
failed: ./dies (exit status 139)
CPU time: T s
1 passed, 1 failed" ./dies
expect "a program without tests has failed" 1 "[1/1] ==== ./none (exit status 0, T s)
failed: ./none (exit status 0)
CPU time: T s
0 passed, 1 failed" ./none
expect "a program that ends before its last test has failed" 1 "[1/1] ==== ./ends (exit status 0, T s)
1..5
ok 1 - a
failed: ./ends (exit status 0)
CPU time: T s
1 passed, 1 failed" ./ends
expect "a program with more tests than it announced has failed" 1 "[1/1] ==== ./more (exit status 0, T s)
ok 1 - a
ok 2 - b
1..1
failed: ./more (exit status 0)
CPU time: T s
2 passed, 1 failed" ./more
expect "each group of tests announces its own" 0 "[1/1] ./groups: 2 (T s)
  skipped: c
CPU time: T s
2 passed, 0 failed, 1 skipped" ./groups
# The second one ends when the line of the first one has been seen, or gives up.
program waits "for i in 1 2 3 4 5 6 7 8 9 10; do
	grep -q ' ./good: 2' '$scratch/progress' && echo 'ok 1 - a' && exit 0
	sleep 1
done
echo 'not ok 1 - a'"
JOBS=1 sh "$runner" ./good ./waits > progress 2>&1
[ "$(tail -n 1 progress)" = "3 passed, 0 failed" ]
report $? "D5: a program's line is printed when it has ended, not when all have" < progress
program rests 'sleep 1; echo "ok 1 - a"'
sh "$runner" ./rests > timed 2>&1
grep -q '^\[1/1\] ./rests: 1 ([1-9][0-9]*\.[0-9] s)$' timed && grep -q '^CPU time: 0 s$' timed
report $? "time by the clock is told of each program, CPU time of all" < timed
if env --default-signal=INT true 2> /dev/null; then
	# What a program has started ends with it.
	program hangs "echo 'ok 1 - a'; sleep 300 & echo \$! > '$scratch/left'; wait"
	TEST_DEADLINE=1
	export TEST_DEADLINE
	expect "a program that does not end has failed, and is killed with what it has started" 1 "[1/2] ==== ./hangs (not ended within 1 s, T s)
ok 1 - a
[2/2] ./good: 2 (T s)
failed: ./hangs (not ended within 1 s)
CPU time: T s
3 passed, 1 failed" ./hangs ./good
	unset TEST_DEADLINE
	# A process that its parent has not waited for is left, but has ended.
	! grep -s '^State:' "/proc/$(cat left)/status" | grep -v 'Z (zombie)' > remains
	report $? "nothing of it is left" < remains
	# shellcheck disable=SC2016  # expanded by the program
	program interrupted 'kill -INT $$; echo "not ok 1 - a"'
	(trap '' INT QUIT && exec sh "$runner" ./interrupted) > timed 2>&1
	grep -q '^failed: ./interrupted (exit status 130)$' timed
	report $? "a program can be interrupted where the runner ignores it" < timed
else
	skip "a program can be interrupted where the runner ignores it" "env knows no signals"
fi
finish
