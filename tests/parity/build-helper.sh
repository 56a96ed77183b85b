#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build-helper.sh BUILD: makes tests/parity/machine-state in BUILD, which prints the state of an emulated machine and the
# contents of its kernel's files. BUILD has been built.
set -eu
build=$1
top=$(dirname "$0")/../..
mkdir -p "$build/tests/parity"
# Made anew under another name first: another run may be using it.
objects=$build/emulator-platforms.o
for source in "$top"/src/emulator/*.c "$top"/src/emulator/*/*.c "$top"/src/base/*.c "$top"/src/common/*.c; do
	name=${source#"$top/"}
	case ${name##*/} in
	none.c) ;;
	*) objects="$objects $build/${name%.c}.o" ;;
	esac
done
# shellcheck disable=SC2086  # names of ours
${CC:-cc} -D_GNU_SOURCE -O2 -I"$top/include" -I"$top/src" -I"$top/tests" -o "$build/tests/parity/machine-state.new" \
	"$top/tests/parity/machine_state.c" "$top/tests/support/keep.c" "$top/tests/support/snapshot.c" $objects -lcmocka
mv "$build/tests/parity/machine-state.new" "$build/tests/parity/machine-state"
