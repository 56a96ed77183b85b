#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library and the command with musl instead of glibc: musl.sh BUILD. Speaks TAP.
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/command/programs.sh
. "$top/tests/command/programs.sh"
native=$(cd "$1" && pwd) || exit 1

if ! why=$(sh "$top/packaging/musl-parts.sh" "$scratch" 2>&1); then
	skip "builds and works with musl" "${why#musl-parts: }"
	finish
	exit
fi

copy_tree "$scratch/tree"
cd "$scratch/tree" || exit 1
mkdir "$scratch/cases"

build_with_musl() {
	make -s -j "$(nproc)" CC=musl-gcc BUILD=with-musl CPPFLAGS="-isystem $scratch/include" LDFLAGS="-L$scratch/lib" \
		WERROR=yes SHARED=no all
}

is_of_musl() {
	readelf -l with-musl/intel-speed-select | grep ld-musl
}

# The case of the full pipe is always among them: musl by itself writes the first line at once.
# There is no emulation of CPUID, EIO and EBUSY have other texts in musl, and what two streams leave in one file (streams-*), or
# a killed run in any, depends on when musl empties its buffers.
run_cases() {
	find tests/command/cases -name '*.case' ! -name 'streams-*' -exec grep -L -E -e 'Input/output error' \
		-e 'Device or resource busy' -e "$runs_program" -e 'signal KILL' {} + |
		{ sample_cases; echo tests/command/cases/a-full-pipe-holds-nothing-up.case; } | sort -u | xargs cp -t "$scratch/cases"
	"$native/tests/command/run_cases" with-musl "$scratch/cases" tests/platforms
}

check "builds with musl" build_with_musl
check "the command is one of musl's" is_of_musl
check "commands answer with musl as with glibc" run_cases
finish
