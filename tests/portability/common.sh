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
# shellcheck source=tests/support/tap.sh
. "$top/tests/support/tap.sh"
# Of a build, the end is enough.
report_lines=60

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
