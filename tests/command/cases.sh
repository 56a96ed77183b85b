#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the command cases with the built programs, from where they can be preloaded: cases.sh BUILD. Speaks TAP.
# ISST_CASES=N: each Nth case only.
set -eu
# shellcheck source=tests/command/programs.sh
. tests/command/programs.sh
build=$(cd "$1" && pwd -P)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-cases.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
programs=$(sh tests/preload/reachable.sh "$build" "$scratch")
cases=tests/command/cases
for file in "$cases"/*.case; do
	echo "$file"
done | awk -v each="${ISST_CASES:-1}" 'NR % each == 0' > "$scratch/chosen"
: > "$scratch/impossible"
# A sanitizer's runtime has to come before the preload library: other programs cannot be run on the emulated machine then.
if ! "$programs/isst" --emulate tests/platforms/tiny.platform --emulate-state "$scratch/machine" emulate -- true 2> /dev/null; then
	xargs grep -l -E "$runs_program" < "$scratch/chosen" > "$scratch/impossible" || true
	echo "1..$(wc -l < "$scratch/impossible")"
	sed 's|.*/\(.*\)|ok # SKIP \1: no program can be run on the emulated machine|' "$scratch/impossible"
fi
if [ -n "${ISST_CASES:-}" ] || [ -s "$scratch/impossible" ]; then
	cases=$scratch/cases
	mkdir "$cases"
	grep -v -x -F -f "$scratch/impossible" "$scratch/chosen" | while read -r file; do
		ln -s "$PWD/$file" "$cases/"
	done
fi
"$build/tests/command/run_cases" "$programs" "$cases" tests/platforms
