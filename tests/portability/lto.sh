#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Link-time optimisation, of gcc and of clang with its own linker: lto.sh BUILD. Speaks TAP.
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"
native=$(cd "$1" && pwd) || exit 1
copy_tree "$scratch/tree"
cd "$scratch/tree" || exit 1

# build_with COMPILER LINKER-OPTION: what it makes answers as the ordinary build does
build_with() {
	make -s -j "$(nproc)" CC="$1" BUILD="with-$1" CFLAGS='-O2 -flto' LDFLAGS="$2" WERROR=yes all || return 1
	for words in --info 'emulate -- cat /sys/devices/system/cpu/online'; do
		# shellcheck disable=SC2086  # words
		"with-$1/isst" --emulate guide --emulate-state "$scratch/$1" $words > found 2>&1 || return 1
		# shellcheck disable=SC2086  # words
		"$native/isst" --emulate guide --emulate-state "$scratch/native" $words > expected 2>&1 || return 1
		diff expected found || return 1
	done
	# Nothing but the interface is seen of the library.
	nm -g --defined-only "with-$1/libisst.a" | sed -n 's/.* T //p' | sort > found
	nm -g --defined-only "$native/libisst.a" | sed -n 's/.* T //p' | sort > expected
	diff expected found
}

for compiler in gcc clang; do
	option=
	[ $compiler = gcc ] || option=-fuse-ld=lld
	if ! echo 'int main(void) { return 0; }' | $compiler -flto $option -x c -o "$scratch/probe" - 2> /dev/null; then
		skip "$compiler -flto" "no $compiler that links so"
	else
		check "$compiler -flto" build_with $compiler "$option"
	fi
done
finish
