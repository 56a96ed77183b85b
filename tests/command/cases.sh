#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the command cases with the built programs, from where they can be preloaded: cases.sh BUILD. Speaks TAP.
set -eu
build=$(cd "$1" && pwd -P)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-cases.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
programs=$(sh tests/preload/reachable.sh "$build" "$scratch")
"$build/tests/command/run_cases" "$programs" tests/command/cases tests/platforms
