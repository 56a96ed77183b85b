#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command and the libraries require nothing from glibc that 2.28 (RHEL 8) does not have: symbols.sh BUILD. Speaks TAP.
#
# What is linked on a newer system bears the versions of that system, for functions too that moved from one library of
# glibc to another (pthread_mutex_lock@GLIBC_2.34) although they are old. So what counts is the function: glibc
# keeps each old version of a function for old programs, and one that has no version up to 2.28 did not exist.
# Of these some were no functions, but inline in the headers of their time.
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"
build=$(cd "$1" && pwd) || exit 1
newest=28
inline='stat fstat lstat fstatat mknod mknodat'

library=$($CC -print-file-name=libc.so.6)
if ! objdump -T "$library" 2> /dev/null | grep -q 'GLIBC_2\.'; then
	skip "nothing newer than glibc 2.$newest is asked for" "this C library is not glibc"
	finish
	exit
fi

# The functions that glibc shows to old programs, one a line.
for part in libc.so.6 libpthread.so.0 libdl.so.2 libm.so.6; do
	objdump -T "$($CC -print-file-name="$part")" 2> /dev/null
done | sed -n 's/^.*[( ]GLIBC_2\.\([0-9]*\)[.0-9]*)\{0,1\} *\([^ ]*\)$/\1 \2/p' |
	awk -v newest="$newest" '$1 <= newest { print $2 }' | sort -u > "$scratch/old"

# Of the names on standard input those that are newer; none is success
newer() {
	sort -u > "$scratch/names"
	[ -s "$scratch/names" ] || { echo "no names were found"; return 1; }
	# shellcheck disable=SC2086  # words
	printf '%s\n' $inline | sort - "$scratch/old" | comm -23 "$scratch/names" - > "$scratch/newer"
	[ ! -s "$scratch/newer" ] || { echo "not in glibc 2.$newest:"; cat "$scratch/newer"; return 1; }
}

imports() {
	objdump -T "$1" | sed -n '/\*UND\*.*GLIBC_/s/.* //p' | newer
}

# By name and not by the linker the preload object finds what it stands before: of these none may be inline.
found_by_name() {
	(inline='' && newer)
}

replaced() {
	grep -oh 'REAL([a-z_0-9]*)' "$top"/src/preload/*.c | sed 's/REAL(\(.*\))/\1/' | found_by_name
}

notices() {
	! echo strerrorname_np | newer && echo fstat | newer && ! echo fstat | found_by_name
}

check "a function that is newer is noticed" notices
check "the command asks for nothing newer than glibc 2.$newest" imports "$build/intel-speed-select"
for library in libisst libisst-emulator; do
	[ ! -e "$build/$library.so" ] || check "nor does $library.so" imports "$build/$library.so"
done
if [ -e "$build/libisst-emulator-preload.so" ]; then
	check "nor does the preload library" imports "$build/libisst-emulator-preload.so"
	check "nor does it find such things by name" replaced
fi
finish
