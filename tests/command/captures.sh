#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Captures every built-in platform and every test platform, replays the captures, and compares what
# each reading command prints: captures.sh BUILD. Speaks TAP. Only the line that names the emulated
# machine may differ.
here=$(dirname "$0")
# shellcheck source=tests/command/replay.sh
. "$here/replay.sh"

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

# One platform: one result line, followed by its differences. compare PLATFORM NUMBER [changed]
compare()
{
	name=$(basename "$1" .platform)
	[ $# -eq 2 ] || change "$1"
	if ! "$isst" --emulate "$1" --emulate-state "$scratch/state" platform capture "$scratch/$name" \
		> "$scratch/capture" 2>&1; then
		echo "not ok $2 - $name is captured"
		sed 's/^/# /' "$scratch/capture"
	else
		writes=$("$isst" --emulate "$1" --emulate-state "$scratch/state" platform statistics 2>&1 |
			sed -n 's/^ *writes://p')
		print_all "$1" "$scratch/state" text > "$scratch/expected"
		print_all "$scratch/$name" "$scratch/replayed" text > "$scratch/found"
		if [ "$writes" != 0 ]; then
			echo "not ok $2 - $name is only read"
		elif diff "$scratch/expected" "$scratch/found" > "$scratch/difference"; then
			echo "ok $2 - $name${3:+, $3,} prints the same when it is replayed"
		else
			echo "not ok $2 - $name${3:+, $3,} prints the same when it is replayed"
			head -40 "$scratch/difference" | sed 's/^/# /'
		fi
	fi
	rm -rf "${scratch:?}/state" "$scratch/replayed" "${scratch:?}/$name"
}

"$isst" platform list 2>/dev/null | sed -n 's/^ *\([^ ][^ ]*\)  .*/\1/p' > "$scratch/platforms"
ls tests/platforms/*.platform >> "$scratch/platforms"
[ -s "$scratch/platforms" ] || { echo "not ok 1 - there are platforms"; exit 1; }
number=0
while read -r platform; do
	number=$((number + 1))
	compare "$platform" $number
done < "$scratch/platforms"
# Of each firmware interface one that is no more as it was at first.
for platform in guide icelake-2s40c cooperlake graniterapids-unlocked tests/platforms/tpmi-tiny.platform; do
	number=$((number + 1))
	compare "$platform" $number changed
done
echo "1..$number"
