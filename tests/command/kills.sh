#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# isst with and config try killed by SIGKILL at each change, on the way there and back, and at seeded times, from a state that is not
# the one after boot: kills.sh BUILD. The next run that changes something has to bring back the state before, which is
# compared register for register. Speaks TAP. ISST_KILLS: how many kills at seeded times; ISST_SEED: of those.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-kills.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C PATH="$build:$PATH" ISST_KILLS="${ISST_KILLS:-10}" ISST_SEED="${ISST_SEED:-1}"
unset ISST_EMULATE ISST_EMULATE_STATE
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# Runs on the emulated machine, in a directory of its own.
cat > "$scratch/loops.sh" <<'END'
faults=${ISST_EMULATE_STATE:?}/faults
kills=0

quiet() { "$@" > said 2>&1; }

fail() {
	echo "$*"
	cat said
	exit 1
}

# The next run holds nothing of its own. $1: what was killed
compare() {
	kills=$((kills + 1))
	rm -f "$faults"
	quiet isst with --set 'clos 0: unmanaged' -- true || fail "$1: the next run fails"
	rm -rf after
	quiet isst platform capture after || fail "$1: cannot be captured"
	diff -r before after > said || fail "$1: another state than before"
	quiet isst journal show
	grep -q 'no change was interrupted' said || fail "$1: a journal is left"
}

with() { quiet isst with --config there -- true; }

# Refused as soon as it is held.
try() {
	rm -f status
	{
		isst config try there < /dev/null > said 2>&1 &
		echo $! > run
		wait $!
		echo $? > status
	} 2> none &
	until [ -s status ] || grep -q USR1 said; do sleep 0.01; done
	[ -s status ] || kill -TERM "$(cat run)" 2> none
	wait
	return "$(cat status)"
}

# Kills at each change in turn, until a run is through. $1: the run
kill_at_each_change() {
	changes=0
	while
		: > said
		echo "change any signal KILL after $changes times 1" > "$faults"
		"$1"
		[ $? -eq 137 ]
	do
		compare "$1, after $changes changes"
		changes=$((changes + 1))
	done
	rm -f "$faults"
	[ "$changes" -gt 8 ] || fail "$1: only $changes changes were made"
}

kill_at_times() {
	while [ "$ISST_KILLS" -gt 0 ]; do
		ISST_KILLS=$((ISST_KILLS - 1))
		ISST_SEED=$(((ISST_SEED * 1103515245 + 12345) % 2147483648))
		isst with --config there -- sleep 0.02 > said 2>&1 &
		sleep "0.0$(printf '%02d' $((ISST_SEED / 65536 % 80)))"
		kill -9 $! 2> none
		wait $! 2> none
		compare "with, seed $ISST_SEED"
	done
}

quiet isst config apply state || fail "the state before cannot be made"
quiet isst platform capture before || fail "the state before cannot be captured"
with || fail "the state there cannot be held"
kill_at_each_change with
kill_at_each_change try
kill_at_times
echo "$kills kills, $changes changes"
END

# The name of the test ends with what was counted. $1: platform; $2: the state before; $3: the one in between
check_kills() {
	mkdir "$scratch/$1"
	(
		cd "$scratch/$1" || exit 1
		printf '# isst configuration 1\n%s\n' "$2" > state
		printf '# isst configuration 1\n%s\n' "$3" > there
		isst --emulate "$root/tests/platforms/$1.platform" --emulate-state "$PWD/emulated" emulate \
			sh "$scratch/loops.sh"
	) > "$scratch/said" 2>&1
	status=$?
	last=$(tail -n 1 "$scratch/said")
	report $status "$1: $last" < "$scratch/said"
}

if ! runs_programs "$build"; then
	skip "runs that are killed" "no program can be run on the emulated machine"
	finish
	exit
fi

# A mailbox; registers of TPMI in two packages; CPUs that the level takes offline.
check_kills tiny 'core-power on
clos 1: max 2000
cpu 0: association 1' 'level 1
core-power on ordered
clos 1: min 1000 max 1500
cpu 0: association 2
scaling-max 2000'
check_kills tpmi-two-packages 'core-power on
clos 3: max 1500
package 1: uncore-max 2000' 'package 0: level 1
package 0: turbo-freq on
clos 3: max 1000
uncore-max none'
check_kills multi-die 'core-power on ordered
clos 2: max 2000
cpus offline 3' 'level 1
cpus by-level
cpu 0-1: association 1'

finish
