#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks the manual pages of section 3, which are made from the comments of the headers: check-man3.sh BUILD. Speaks TAP.
# What the pages should describe is read from the headers here as well, by other means than docs/man3/man3.py.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "${1:-$root/build}" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-man3.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
pages=$build/man3
PATH=$(sh "$root/tests/preload/reachable.sh" "$build" "$scratch"):$PATH
export LC_ALL=C PATH ISST_EMULATE=guide ISST_EMULATE_STATE="$scratch/state" ISST_EMULATE_QUIET=yes
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# Each function as TYPE, a tab, its NAME, a tab, and its arguments.
functions_of() {	# $@: headers
	grep -hv '^#' "$@" | tr '\n\t' '  ' | sed 's/ISST_API/\n&/g' |
		sed -n 's/^ISST_API \([^(;]*[ *]\)\(isst_[a-z0-9_]*\)(\([^;]*\));.*/\1\t\2\t\3/p'
}

# The lines of a section of a page, as source.
section() {	# $1: page; $2: heading
	awk -v heading=".Sh $2" '$0 == heading { inside = 1; next } /^\.Sh / { inside = 0 } inside' "$pages/$1.3"
}

# Whether a section names a function.
names_function() {	# $1: page; $2: heading; $3: function
	section "$1" "$2" | grep -q -w "Fn $3"
}

each_page_has() {	# $1: heading; $2: file with functions
	while read -r name; do
		names_function "$name" "$1" "$name" || echo "the page of $name does not name it in $1"
	done < "$2"
	[ "$(wc -l < "$2")" -gt 10 ] || echo "too few functions were found"
	silent
}

check_pages() {
	while read -r name; do
		[ -f "$pages/$name.3" ] || { echo "$name has no page"; continue; }
		section "$name" NAME | grep -q -w -x -e ".Nm $name" -e ".Nm $name ," || echo "NAME of the page of $name does not name it"
		section "$name" SYNOPSIS | grep -q -x ".Fo $name" || echo "SYNOPSIS of the page of $name does not have it"
		section "$name" DESCRIPTION | grep -q -w "^\\.It Fn $name" || echo "the page of $name does not describe it"
	done < "$scratch/names"
	[ "$(wc -l < "$scratch/names")" -gt 100 ] || echo "too few functions were found"
	silent
}

# A page that is left of a function that is no more would be installed.
check_no_others() {
	for page in "$pages"/*.3; do
		name=$(basename "$page" .3)
		case $name in
		libisst | libisst-emulator) ;;
		*) grep -q "\(^\|[ *]\)$name(" "$root"/include/*.h || echo "$name is in no header" ;;
		esac
	done
	silent
}

# Arguments have the same types and names, in the same order.
check_arguments() {
	while IFS='	' read -r _ name arguments; do
		printf '%s\n' "$arguments" | sed 's/  */ /g' > "$scratch/declared"
		awk -v name=".Fo $name" '$0 == name { inside = 1; next } $0 == ".Fc" { inside = 0 } inside' "$pages/$name.3" |
			sed 's/^\.Fa //; s/^"\(.*\)"$/\1/' | paste -s -d , - | sed 's/, */, /g' > "$scratch/described"
		diff "$scratch/declared" "$scratch/described"
	done < "$scratch/functions"
	silent
}

# Those that return numbers, and never an error.
NUMBERS='isst_value_at isst_value_by_name isst_value_type isst_finding_code_at isst_finding_code isst_finding_severity
isst_change_warning_code_at isst_warning_code_at isst_item_kind'

returning_errors() {
	awk -F '\t' '$1 ~ /^int *$/ { print $2 }' "$scratch/functions" | grep -v -x "$(echo "$NUMBERS" | tr -s ' ' '\n')"
}

# Whether RETURN VALUES names a function in its sentence on errors, which is the first one.
returns_errors() {	# $1: function
	section "$1" "RETURN VALUES" | awk '{ print } /negative errno/ { found = 1; exit } END { exit !found }' > "$scratch/sentence" &&
		grep -q -w "Fn $1" "$scratch/sentence"
}

# The functions of which RETURN VALUES states that they return errors, and an errno for each in ERRORS or above.
check_errors() {
	returning_errors > "$scratch/failing"
	while read -r name; do
		returns_errors "$name" || echo "RETURN VALUES of the page of $name does not state that it returns errors"
		section "$name" ERRORS | grep -q '^\.It Bq Er E' || echo "the page of $name names no error"
	done < "$scratch/failing"
	for name in $NUMBERS; do
		! returns_errors "$name" || echo "RETURN VALUES of the page of $name states that it returns errors"
	done
	silent
}

# What belongs to the caller, and what does not.
check_memory() {
	awk -F '\t' '$1 ~ /\*/ || $3 ~ /(struct [a-z_]+|char) \*\*[a-z]/ || $2 ~ /_free$|isst_close$/ { print $2 }' "$scratch/functions" |
		grep -v -x isst_cpuset_add_list > "$scratch/pointers"
	each_page_has MEMORY "$scratch/pointers"
}

check_threads() {
	each_page_has "THREAD SAFETY" "$scratch/names"
}

# A version that there is; not one of a function that is yet to come.
check_history() {
	version=$(sed -n 's/^#define ISST_VERSION "\(.*\)"/\1/p' "$root/include/isst.h")
	while read -r name; do
		section "$name" HISTORY | grep -o '[0-9]*\.[0-9]*\.[0-9]*' > "$scratch/since" || echo "the page of $name has no version"
		newest=$(printf '%s\n' "$version" | sort -V - "$scratch/since" | tail -n 1)
		[ "$newest" = "$version" ] || echo "$name is of $newest, which is yet to come"
	done < "$scratch/names"
	silent
}

# Headers that lack something make no pages.
refuses() {	# $1: script for sed; $2: the message
	mkdir -p "$scratch/include"
	cp "$root"/include/*.h "$scratch/include"
	sed "$1" "$root/include/isst.h" > "$scratch/include/isst.h"
	! cmp -s "$root/include/isst.h" "$scratch/include/isst.h" || { echo "the header is unchanged"; return 1; }
	! python3 "$root/docs/man3/man3.py" "$scratch/pages" "$scratch/include/isst.h" "$root/docs/man3/libisst.3.in" \
		> "$scratch/refused" 2>&1 || { echo "pages were made"; return 1; }
	grep -q -e "$2" "$scratch/refused" || { cat "$scratch/refused"; return 1; }
}

check_mandoc() {
	find "$pages" -name '*.3' -type f -exec mandoc -T lint -W warning {} + 2> "$scratch/none"
}

# Every warning but those of long names, which cannot be broken, and of lines with them, which cannot be adjusted.
check_groff() {
	find "$pages" -name '*.3' -type f -exec groff -mdoc -ww -W break -Tutf8 -P-c -z {} ';' 2>&1
	silent
}

# A program as a reader sees it in the page.
program_of() {	# $1: page
	section "$1" EXAMPLES | awk '$0 == ".Bd -literal" { inside = 1; next } $0 == ".Ed" { inside = 0 } inside' |
		sed 's/\\&//g; s/\\-/-/g; s/\\e/\\/g'
}

compile() {	# $1: page; $2: language; the other words: compiler
	page=$1
	language=$2
	shift 2
	program_of "$page" > "$scratch/$page.c"
	[ "$(wc -l < "$scratch/$page.c")" -gt 20 ] || { echo "no program in $page(3)"; return 1; }
	"$@" -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror -I"$root/include" -o "$scratch/$page-$language" \
		-x "$language" "$scratch/$page.c" -x none "$build/libisst.a" "$build/libisst-emulator.a" -lcap
}

check_levels() {
	isst emulate -- "$1" > "$scratch/printed" || return 1
	printf 'package %s, die 0: level 0, 2600 MHz\n' 0 1 | diff - "$scratch/printed"
}

check_change() {
	"$1" "$scratch/changed" > "$scratch/printed" || return 1
	grep -q -x 'package 1, die 0: core-power: 0 -> 1' "$scratch/printed" || { cat "$scratch/printed"; return 1; }
	isst --emulate guide --emulate-state "$scratch/changed" -c 0 core-power info 2>&1 |
		grep -q 'enable-status:enabled' || { echo "core-power is off"; return 1; }
}

emulator=yes
isst platform list > /dev/null 2>&1 || emulator=no
overviews=libisst
set -- "$root/include/isst.h"
if [ "$emulator" = yes ]; then
	overviews='libisst libisst-emulator'
	set -- "$@" "$root/include/isst-emulator.h"
fi
functions_of "$@" > "$scratch/functions"
cut -f2 "$scratch/functions" > "$scratch/names"

check "each function has a page that describes it" check_pages
check "each page is that of a function" check_no_others
check "the pages have the arguments of the headers" check_arguments
check "the pages of functions that return errors name them" check_errors
check "the pages of functions that return pointers state to whom they belong" check_memory
check "each page states which functions are thread-safe" check_threads
check "each page states since when its functions exist" check_history
check "a function without comment has no page" refuses '/^\/\*\* The identity of the CPU/d' 'isst_platform_family has no comment'
check "an errno without meaning has no page" refuses 's/^ \*  -ESTALE .*//' 'ESTALE has no meaning'
if command -v mandoc > /dev/null; then
	check "mandoc has no warnings" check_mandoc
else
	skip "mandoc has no warnings" "mandoc is not installed"
fi
if command -v groff > /dev/null && groff -mdoc -z /dev/null > /dev/null 2>&1; then
	check "groff has no warnings" check_groff
else
	skip "groff has no warnings" "groff with mdoc is not installed"
fi

# The library may need the compiler and options of its build.
compiler=$(sed -n 1p "$build/flags")
instruments=$(sed 1d "$build/flags" | tr ' ' '\n' | grep -e '^-fsanitize=' -e '^--coverage$')
if command -v "${compiler%% *}" > /dev/null; then
	languages=c
	# shellcheck disable=SC2086  # compiler (ccache gcc, say) and instruments are words on purpose
	echo | $compiler -x c++ -fsyntax-only - 2> /dev/null && languages='c c++'
	for language in $languages; do
		for page in $overviews; do
			# shellcheck disable=SC2086  # as above
			check "the program of $page(3) compiles as $language" compile "$page" "$language" $compiler $instruments
		done
		if [ "$emulator" = yes ]; then
			check "the program of libisst-emulator(3) makes a change ($language)" check_change "$scratch/libisst-emulator-$language"
			rm -rf "$scratch/changed"
		fi
		if [ "$emulator" = yes ] && runs_programs "$build"; then
			check "the program of libisst(3) prints levels ($language)" check_levels "$scratch/libisst-$language"
		else
			skip "the program of libisst(3) prints levels ($language)" "this build has no emulator that runs it"
		fi
	done
else
	skip "the programs of the pages" "no $compiler"
fi

finish
