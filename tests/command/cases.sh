#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the command cases with the built programs: cases.sh BUILD. Speaks TAP.
# ISST_CASES=N: each Nth case only.
set -eu
# shellcheck source=tests/command/programs.sh
. tests/command/programs.sh
build=$(cd "$1" && pwd -P)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-cases.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
programs=$(sh tests/launch/reachable.sh "$build" "$scratch")
cases=tests/command/cases
for file in "$cases"/*.case; do
	echo "$file"
done | awk -v each="${ISST_CASES:-1}" 'NR % each == 0' > "$scratch/chosen"
: > "$scratch/impossible"
# A system may forbid what running other programs takes.
if ! "$programs/isst" --emulate tests/platforms/tiny.platform --emulate-state "$scratch/machine" emulate -- true 2> /dev/null; then
	xargs grep -l -E "$runs_program" < "$scratch/chosen" > "$scratch/impossible" || true
	echo "1..$(wc -l < "$scratch/impossible")"
	sed 's|.*/\(.*\)|ok # SKIP \1: no program can be run on the emulated machine|' "$scratch/impossible"
fi
# They are rewritten where they are.
if [ -n "${ISST_UPDATE_CASES:-}" ]; then
	"$build/tests/command/run_cases" "$programs" "$cases" tests/platforms
	exit
fi
# Two at a time, as many of them wait. Children of xargs do not ignore SIGINT and SIGQUIT, as jobs of the shell do.
mkdir "$scratch/part1" "$scratch/part2"
part=1
grep -v -x -F -f "$scratch/impossible" "$scratch/chosen" | while read -r file; do
	ln -s "$PWD/$file" "$scratch/part$part/"
	part=$((3 - part))
done
# Of a sample of one there is no second part.
rmdir "$scratch/part2" 2> /dev/null || true
status=0
# shellcheck disable=SC2016  # expanded by the inner shell
find "$scratch" -maxdepth 1 -name 'part?' -print0 | xargs -0 -P 2 -I PART \
	sh -c '"$1" "$2" "$3" tests/platforms > "$3.log" 2>&1' run "$build/tests/command/run_cases" "$programs" PART || status=1
cat "$scratch"/part?.log
exit $status
