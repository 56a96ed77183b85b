#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check-parity.sh BUILD [--sample] [ARGUMENTS OF parity.py...]
# Compares the command that is built in BUILD with the packaged reference tool (README.md). REFERENCE_SUITE takes it from
# another suite of the distribution, REFERENCE=path is another program. Without one to be had the check is skipped.
# --sample: a few machines only, one of each kind; explanations may then be without use.
set -eu

build=$1
shift
here=$(dirname "$0")
top=$here/../..
reference=$build/reference${REFERENCE_SUITE:+-$REFERENCE_SUITE}${REFERENCE:+-given}
built_in="icelake-8s40c graniterapids-2s128c sapphirerapids-4s40c emeraldrapids-2s64c graniterapids-unlocked graniterapids-6776p
	graniterapids-2s64c sapphirerapids-2s56c sierraforest-2s112c icelake-2s40c icelake-2s36c cooperlake
	diamondrapids-2s32c guide cascadelake-6230n"
sample="graniterapids-unlocked guide cooperlake cascadelake-6230n tiny packages-differ offline tpmi-tiny locked"
small="tiny packages-differ offline tpmi-tiny sparse core32 skylake-mailbox locked features-on tpmi-api2"

command -v python3 > /dev/null || { echo "check-parity: SKIPPED, there is no python3 here" >&2; exit 0; }
# shellcheck disable=SC2086 # no suite is no argument
if ! sh "$top/tests/reference/fetch.sh" "$reference" ${REFERENCE_SUITE:-}; then
	echo "check-parity: SKIPPED, the packaged reference tool (linux-cpupower) cannot be had; REFERENCE=path gives one" >&2
	exit 0
fi
# shellcheck source=tests/support/tap.sh
. "$top/tests/support/tap.sh"
runs_programs "$build" || { echo "check-parity: SKIPPED: $cannot_run" >&2; exit 0; }
sh "$here/build-helper.sh" "$build"
# In memory if possible: each call stores the state of its emulated machine.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	export TMPDIR=/dev/shm
fi
platforms=$built_in
for name in $small; do
	platforms="$platforms $name=$(realpath "$top/tests/platforms/$name.platform")"
done
if [ "${1:-}" = --sample ]; then
	shift
	for name in $sample; do
		set -- "$@" --platform "$name"
	done
fi
# shellcheck disable=SC2086 # one argument for each platform
exec python3 "$here/parity.py" --build "$build" --reference "$reference" "$@" $platforms
