#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the scripts of this directory: a copy of the tree, a sample of the command cases, and TAP.
# CASES=all: all cases instead of every tenth.
set -u
export LC_ALL=C
# No variables of the make that runs this script; make below gets its variables by name.
unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL
unset ISST_EMULATE ISST_EMULATE_STATE ISST_EMULATE_UNLOCK
CC=${CC:-cc}
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-portability.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
count=0
failures=0

# check WHAT COMMAND...: the output of the command is shown if it fails
check() {
	what=$1
	shift
	count=$((count + 1))
	if "$@" > "$scratch/said" 2>&1; then
		echo "ok $count - $what"
	else
		failures=$((failures + 1))
		echo "not ok $count - $what"
		tail -n 60 "$scratch/said" | sed 's/^/# /'
	fi
}

# skip WHAT WHY
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# copy_tree DIRECTORY: the sources without what was built of them
copy_tree() {
	mkdir -p "$1"
	(cd "$top" && tar -cf - --exclude='./build*' --exclude=./.git .) | tar -C "$1" -xf -
}

# sample_cases: of the files that standard input names, one a line, those that are to be run; the largest machines show
# nothing else, and take long.
sample_cases() {
	sort | if [ "${CASES:-}" = all ]; then cat; else
		xargs grep -L '^platform .*8s' | awk 'NR % 10 == 1'
	fi
}

finish() {
	echo "1..$count"
	[ "$failures" -eq 0 ]
}
