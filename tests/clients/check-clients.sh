#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check-clients.sh BUILD [ARGUMENTS OF clients.py...]
# Runs the client programs with the command that is built in BUILD, and with the packaged reference tool where it can be had.
set -eu

build=$1
shift
here=$(dirname "$0")
top=$here/../..
reference=$build/reference${REFERENCE:+-given}

command -v python3 > /dev/null || { echo "check-clients: SKIPPED, there is no python3 here" >&2; exit 0; }
# shellcheck source=tests/support/tap.sh
. "$top/tests/support/tap.sh"
runs_programs "$build" || { echo "check-clients: SKIPPED: $cannot_run" >&2; exit 0; }
sh "$top/tests/parity/build-helper.sh" "$build"
# In memory if possible: each call stores the state of its emulated machine.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	export TMPDIR=/dev/shm
fi
if sh "$top/tests/reference/fetch.sh" "$reference"; then
	exec python3 "$here/clients.py" --build "$build" --reference "$reference" "$@"
fi
echo "check-clients: without the packaged reference tool (linux-cpupower), which cannot be had; REFERENCE=path gives one" >&2
exec python3 "$here/clients.py" --build "$build" "$@"
