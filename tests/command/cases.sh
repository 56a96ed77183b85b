#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the command cases with the built programs, from where they can be preloaded: cases.sh BUILD. Speaks TAP.
set -eu
build=$(cd "$1" && pwd -P)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-cases.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
programs=$(sh tests/preload/reachable.sh "$build" "$scratch")
cases=tests/command/cases
# A sanitizer's runtime has to come before the preload library: other programs cannot be run on the emulated machine then.
if ! "$programs/isst" --emulate tests/platforms/tiny.platform --emulate-state "$scratch/machine" emulate -- true 2> /dev/null; then
	cases=$scratch/cases
	mkdir "$cases"
	echo "1..$(grep -l 'isst emulate' tests/command/cases/*.case | wc -l)"
	for file in tests/command/cases/*.case; do
		if grep -q 'isst emulate' "$file"; then
			echo "ok # SKIP $(basename "$file"): no program can be run on the emulated machine"
		else
			ln -s "$(realpath "$file")" "$cases/"
		fi
	done
fi
"$build/tests/command/run_cases" "$programs" "$cases" tests/platforms
