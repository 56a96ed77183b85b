#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The binary interface of the shared libraries is the one in this directory: abi.sh BUILD [update].
#   *.symbols    what each library exports, with versions
#   *.abi        its functions with their types, as abidw describes them; structs are opaque
#   *.constants  the public constants, which functions take as plain numbers
# It speaks TAP, and shows that it would notice changes; with `update` it writes that of BUILD.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
here=$root/tests/abi
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-abi.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
CC=${CC:-cc}
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# ---- What an interface is ----

print_symbols() {	# $1: library
	nm -D --defined-only "$1" | sed -n '/ A /!s/.* //p' | sort
}

# Paths, lines and names of parameters are no part of it.
print_types() {	# $1: library; $2: directory of its headers
	abidw --headers-dir "$2" --drop-private-types --exported-interfaces-only --no-show-locs --no-corpus-path \
		--no-comp-dir-path --no-elf-needed --no-parameter-names --no-architecture --no-write-default-sizes \
		--type-id-style hash "$1"
}

# The members of enums, and the macros that are values; not those of the version, which each release changes.
name_constants() {	# $1: header
	grep -o 'ISST_[A-Z0-9_]*' "$1" | sort -u > "$scratch/mentioned"
	$CC -I"$root/include" -E -P "$1" | tr '\n' ' ' | grep -o 'enum [a-z_]* {[^}]*}' | sed 's/^[^{]*{//; s/[,}]/\n/g' |
		sed -n 's/^ *\([A-Z][A-Z0-9_]*\).*/\1/p' | sort -u | comm -12 - "$scratch/mentioned"
	sed -n 's/^#define \(ISST_[A-Z0-9_]*\) .*/\1/p' "$1" | grep -v -e '^ISST_API$' -e 'VERSION'
}

print_constants() {	# $1: header
	name_constants "$1" | sort -u > "$scratch/names"
	{
		printf '#include "%s"\n#include <stdio.h>\n\nint main(void)\n{\n' "$1"
		sed 's/.*/\tprintf("%s %lld\\n", "&", (long long)(&));/' "$scratch/names"
		printf '\treturn 0;\n}\n'
	} > "$scratch/constants.c"
	$CC -Wall -Werror -I"$root/include" -o "$scratch/constants" "$scratch/constants.c" && "$scratch/constants"
}

# ---- Comparing ----

same_symbols() {	# $1: library; $2: file of this directory
	print_symbols "$1" | diff "$2" -
}

# Also what abidiff calls harmless counts.
same_types() {	# $1: library; $2: directory of its headers; $3: file of this directory
	print_types "$1" "$2" > "$scratch/now.abi" && abidiff --harmless "$3" "$scratch/now.abi"
}

same_constants() {	# $1: header; $2: file of this directory
	print_constants "$1" > "$scratch/values" && [ -s "$scratch/values" ] && diff "$2" "$scratch/values"
}

# Not an error of the program that compares.
noticed() {	# a command that compares
	"$@" > "$scratch/difference" 2>&1
	status=$?
	case $1-$status in
	same_types-4 | same_types-8 | same_types-12 | same_symbols-1 | same_constants-1) return 0 ;;
	esac
	echo "status $status of $*"
	cat "$scratch/difference"
	return 1
}

# ---- Changes that are to be noticed ----

# A library with a public struct and an enum, as none of the real ones has: write_library DIRECTORY, where a caller changes
# its header, build_library DIRECTORY.
write_library() {
	mkdir -p "$1/include"
	cat > "$1/include/probe.h" <<- 'END'
		enum probe_kind { PROBE_ONE = 1, PROBE_TWO };
		struct probe { int number; enum probe_kind kind; };
		int probe_read(const struct probe *probe, unsigned int flags);
		int probe_write(struct probe *probe);
	END
}

build_library() {
	cat > "$1/probe.c" <<- 'END'
		#include "probe.h"
		int probe_read(const struct probe *probe, FLAGS flags) { return probe->number + (int)flags; }
		int probe_write(struct probe *probe) { return probe->kind == PROBE_TWO; }
	END
	$CC -g -fPIC -shared -I"$1/include" -D"FLAGS=${2:-unsigned int}" -o "$1/libprobe.so" "$1/probe.c"
}

# probe_with SED-SCRIPT [TYPE]: the library with another header
probe_with() {
	rm -rf "$scratch/variant"
	write_library "$scratch/variant"
	sed -i "$1" "$scratch/variant/include/probe.h"
	build_library "$scratch/variant" "${2:-unsigned int}" &&
		noticed same_types "$scratch/variant/libprobe.so" "$scratch/variant/include" "$scratch/probe.abi"
}

same_again() {
	same_types "$scratch/probe/libprobe.so" "$scratch/probe/include" "$scratch/probe.abi"
}

# The real library without one of its functions.
remove_symbol() {
	grep -v 'isst_version;' "$root/src/library/libisst.map" > "$scratch/less.map"
	# shellcheck disable=SC2086  # a compiler with options
	$CC -shared -Wl,--version-script="$scratch/less.map" -o "$scratch/less.so" -Wl,--whole-archive \
		"$build/libisst.a" -Wl,--no-whole-archive -lcap &&
		noticed same_symbols "$scratch/less.so" "$here/libisst.symbols"
}

renumber_constant() {
	sed 's/ISST_VALUE_LEVEL = [0-9]*/ISST_VALUE_LEVEL = 7777/' "$root/include/isst.h" > "$scratch/isst.h"
	! cmp -s "$scratch/isst.h" "$root/include/isst.h" && noticed same_constants "$scratch/isst.h" "$here/isst.constants"
}

add_constant() {
	sed 's/^\(enum isst_part {\)$/\1 ISST_PART_NEW = 7777,/' "$root/include/isst.h" > "$scratch/isst.h"
	! cmp -s "$scratch/isst.h" "$root/include/isst.h" && noticed same_constants "$scratch/isst.h" "$here/isst.constants"
}

# ---- The soname ----

soname() {
	readelf -d "$build/libisst.so" | sed -n 's/.*Library soname: \[\(.*\)\]$/\1/p'
}

# The libraries and their Debian packages, wherever they are named.
names_of_libraries() {
	pattern='libisst(-emulator)?(\.so\.)?[0-9]+'
	cd "$root" && grep -rnoIE "$pattern" packaging docs src tests/portability && find packaging | grep -oE "$pattern" |
		sed 's/^/packaging:/'
}

same_number() {
	number=$(soname)
	number=${number##*.}
	(names_of_libraries) > "$scratch/names"
	grep -q ":libisst\.so\.$number\$" "$scratch/names" || { echo "no file names libisst.so.$number"; return 1; }
	! grep -vE ":libisst(-emulator)?(\.so\.)?$number\$" "$scratch/names"
}

stays_with_versions() {
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -n -C "$root" BUILD=build-none VERSION=7.8.9 build-none/libisst.so.7.8.9 > "$scratch/commands" &&
		grep -F -e "-Wl,-soname,$(soname) " "$scratch/commands"
}

# ---- The two programs ----

libraries='libisst libisst-emulator'

headers_of() {	# $1: library
	case $1 in
	libisst) echo isst isst-config isst-explain isst-journal ;;
	*) echo "${1#lib}" ;;
	esac
}

check_types() {
	for library in $libraries; do
		check "$library.so has the functions and types of $library.abi" \
			same_types "$build/$library.so" "$root/include" "$here/$library.abi"
	done
	write_library "$scratch/probe"
	build_library "$scratch/probe" && print_types "$scratch/probe/libprobe.so" "$scratch/probe/include" > "$scratch/probe.abi"
	check "an interface is the same as itself" same_again
	check "a public struct that has grown is noticed" probe_with 's/int number;/& int more;/'
	check "a member of another type is noticed" probe_with 's/int number;/long number;/'
	check "an enum that has grown is noticed" probe_with 's/PROBE_TWO/& , PROBE_THREE/'
	check "an enum with other numbers is noticed" probe_with 's/PROBE_ONE = 1/PROBE_ONE = 2/'
	check "a parameter of another type is noticed" probe_with 's/unsigned int flags/unsigned long flags/' 'unsigned long'
}

no_types() {
	command -v abidiff > /dev/null || { echo "abigail-tools is not installed"; return; }
	readelf -SW "$build/libisst.so" | grep -q ' \.debug_info' || { echo "built without debugging information"; return; }
	# Of types in a source file, version 5 of DWARF by clang names it in a way that abidw does not know: none seems private.
	! readelf -p .comment "$build/libisst.so" | grep -q clang || { echo "built by clang"; return; }
	! grep -q -e -fsanitize= -e -flto "$build/flags" || echo "its debugging information is not that of a usual build"
}

check_all() {
	for library in $libraries; do
		check "$library.so exports the symbols of $library.symbols" same_symbols "$build/$library.so" "$here/$library.symbols"
		for header in $(headers_of "$library"); do
			check "the constants are those of $header.constants" \
				same_constants "$root/include/$header.h" "$here/$header.constants"
		done
	done
	if grep -q -e -fsanitize= -e -flto "$build/flags"; then
		skip "a removed function is noticed" "the static library is not that of a usual build"
	else
		check "a removed function is noticed" remove_symbol
	fi
	check "packages, Python module and documents name the libraries by their soname" same_number
	check "another version has the same soname" stays_with_versions
	check "a constant with another number is noticed" renumber_constant
	check "a new constant is noticed" add_constant
	why=$(no_types)
	if [ -n "$why" ]; then
		skip "the types of the functions are those of the files" "$why"
	else
		check_types
	fi
	finish
}

update() {
	why=$(no_types)
	[ -z "$why" ] || { echo "cannot write the interface: $why" >&2; exit 1; }
	for library in $libraries; do
		for header in $(headers_of "$library"); do
			print_constants "$root/include/$header.h" > "$here/$header.constants" || exit 1
		done
		print_symbols "$build/$library.so" > "$here/$library.symbols" &&
			print_types "$build/$library.so" "$root/include" > "$here/$library.abi" || exit 1
	done
}

[ -e "$build/libisst-emulator.so" ] || libraries=libisst
if [ "${2:-}" = update ]; then
	update
else
	check_all
fi
