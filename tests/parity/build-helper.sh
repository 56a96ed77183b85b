#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build-helper.sh BUILD: makes tests/parity/machine-state in BUILD, which prints the state of an emulated machine.
set -eu
build=$1
top=$(dirname "$0")/../..
mkdir -p "$build/tests/parity"
# Made anew under another name first: another run may be using it.
${CC:-cc} -D_GNU_SOURCE -O2 -I"$top/include" -I"$top/src" -I"$top/tests" -o "$build/tests/parity/machine-state.new" \
	"$top/tests/parity/machine_state.c" "$top/tests/support/keep.c" "$top/tests/support/snapshot.c" -lcmocka
mv "$build/tests/parity/machine-state.new" "$build/tests/parity/machine-state"
