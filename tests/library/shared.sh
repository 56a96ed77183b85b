#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library as a shared object: what it exports, whether programs survive its growth, and whether it can be used from
# a language without C headers: shared.sh BUILD. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-shared.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE
now=$build/tests/library/now
grown=$build/tests/library/grown
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# The functions that a shared library exports, each with a version, which is in the name of its node.
exported() {	# $1: library
	nm -D --defined-only "$1" | grep -v ' A ' | sed 's/.* //' | grep '@@LIBISST_' | sed 's/@.*//'
}

# Each name that is exported carries ISST_API in a header, and the other way round.
check_exports() {
	{ exported "$build/libisst.so"; exported "$build/libisst-emulator.so"; } | sort > "$scratch/exported"
	grep -v '^#' "$root"/include/*.h -h | tr '\n' ' ' | sed 's/ISST_API/\n&/g' |
		sed -n 's/^ISST_API \([^(;]*\)(.*/\1/p' | sed 's/.*[ *]//' | sort > "$scratch/declared"
	[ "$(wc -l < "$scratch/declared")" -gt 100 ] || { echo "too few are declared"; return 1; }
	diff "$scratch/declared" "$scratch/exported" && ! grep -v '^isst_' "$scratch/exported" &&
		! nm -D --defined-only "$build/libisst.so" "$build/libisst-emulator.so" | grep -v -e ' A LIBISST_' -e '@@LIBISST_' | grep ' isst_'
}

# What null.c does not call is not known to survive NULL.
check_null() {
	missing=$(while read -r name; do
		grep -qw "$name" "$root/tests/library/null.c" || echo "$name"
	done < "$scratch/declared")
	[ -z "$missing" ] || { echo "tests/library/null.c does not call $missing"; return 1; }
}

run_on() {	# $1: directory of the library; $2: name
	rm -rf "$scratch/state"
	LD_LIBRARY_PATH=$1 "$build/tests/library/grows" "$scratch/state" > "$scratch/$2" 2>&1 ||
		{ cat "$scratch/$2"; return 1; }
}

# The program is the same file, and the libraries are not.
check_growth() {
	run_on "$now" now && run_on "$grown" grown || return 1
	[ "$(wc -l < "$scratch/now")" -gt 500 ] || { echo "too little was printed"; return 1; }
	! LD_LIBRARY_PATH=$now "$build/tests/library/grows" grown || { echo "not the library of now"; return 1; }
	LD_LIBRARY_PATH=$grown "$build/tests/library/grows" grown || { echo "not the grown library"; return 1; }
	diff "$scratch/now" "$scratch/grown"
}

check_abi() {
	abidiff --drop-private-types --headers-dir1 "$root/include" --headers-dir2 "$root/include" \
		"$now/libisst.so" "$grown/libisst.so"
}

check_walk() {	# $1: platform
	python3 "$root/tests/library/programs/walk.py" "$now/libisst.so" "$build/isst" "$1" "$scratch/walk"
}

[ -e "$build/libisst.so" ] || skip_all "built without shared libraries"
check "every function that is exported is declared in a header, and no other" check_exports
check "every function is given NULL" check_null
if grep -q -e -fsanitize= "$build/flags"; then
	skip "programs run on a shared library" "it has sanitizers"
	finish
	exit
fi
check "a program runs unchanged on a library that has grown" check_growth
if command -v abidiff > /dev/null; then
	check "abidiff says that the grown library is compatible" check_abi
else
	skip "abidiff says that the grown library is compatible" "abigail-tools is not installed"
fi
for platform in guide emeraldrapids-2s64c graniterapids-unlocked diamondrapids-2s32c; do
	if command -v python3 > /dev/null; then
		rm -rf "$scratch/walk"
		check "levels of $platform read without C headers are those of the command" check_walk $platform
	else
		skip "levels of $platform read without C headers are those of the command" "no python3"
	fi
done
finish
