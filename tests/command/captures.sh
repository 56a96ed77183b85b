#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Captures every built-in platform and test platforms, replays the captures, and compares what
# each reading command prints: captures.sh BUILD. Speaks TAP. Only the line that names the emulated
# machine may differ.
here=$(dirname "$0")
# shellcheck source=tests/command/replay.sh
. "$here/replay.sh"
# shellcheck source=tests/support/tap.sh
. "$here/../support/tap.sh"

# Changes: what a machine can do of them it does, the others fail.
cat > "$scratch/changes" <<'END'
perf-profile set-config-level --level 1
core-power enable --priority 1
core-power config --clos 1 --min 1000 --max 2000 --weight 3
--cpu 1,3 core-power assoc --clos 2
base-freq enable
turbo-freq enable
turbo-mode set-trl --trl 0x1f1e1d1c1b1a1918
turbo-mode disable
--cpu 5 turbo-mode enable
END

change()
{
	while read -r words; do
		# shellcheck disable=SC2086  # words of a command line
		"$isst" --emulate "$1" --emulate-state "$scratch/state" $words > /dev/null 2>&1 < /dev/null
	done < "$scratch/changes"
	"$isst" --emulate "$1" --emulate-state "$scratch/state" platform statistics --clear > /dev/null 2>&1
}

# Prints what differs. compare PLATFORM [changed]
compare()
{
	name=$(basename "$1" .platform)
	rm -rf "${scratch:?}/state" "$scratch/replayed" "${scratch:?}/$name"
	[ $# -eq 1 ] || change "$1"
	"$isst" --emulate "$1" --emulate-state "$scratch/state" platform capture "$scratch/$name" > "$scratch/capture" 2>&1 ||
		{ cat "$scratch/capture"; return 1; }
	writes=$("$isst" --emulate "$1" --emulate-state "$scratch/state" platform statistics 2>&1 | sed -n 's/^ *writes://p')
	[ "$writes" = 0 ] || { echo "writes: $writes"; return 1; }
	print_all "$1" "$scratch/state" text > "$scratch/expected"
	print_all "$scratch/$name" "$scratch/replayed" text > "$scratch/found"
	diff "$scratch/expected" "$scratch/found"
}

check_replay()	# PLATFORM [changed]
{
	check "$(basename "$1" .platform)${2:+, $2,} is captured, without a write, and prints the same when it is replayed" compare "$@"
}

report_lines=40
"$isst" platform list 2>/dev/null | sed -n 's/^ *\([^ ][^ ]*\)  .*/\1/p' > "$scratch/platforms"
# With the large machines all test platforms, otherwise each twelfth.
each=12
[ "${ISST_LARGE:-}" != yes ] || each=1
printf '%s\n' tests/platforms/*.platform | awk -v each="$each" 'NR % each == 0' >> "$scratch/platforms"
check "there are platforms" test -s "$scratch/platforms"
while read -r platform; do
	check_replay "$platform"
done < "$scratch/platforms"
# Of each firmware interface one that is no more as it was at first.
for platform in guide icelake-2s40c cooperlake graniterapids-unlocked tests/platforms/tpmi-tiny.platform; do
	check_replay "$platform" changed
done
finish
