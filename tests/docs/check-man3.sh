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
PATH=$(sh "$root/tests/launch/reachable.sh" "$build" "$scratch"):$PATH
export LC_ALL=C PATH ISST_EMULATE=guide ISST_EMULATE_STATE="$scratch/state"
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# Each function as TYPE, a tab, its NAME, a tab, and its arguments.
functions_of() {	# $@: headers
	grep -hv '^#' "$@" | tr '\n\t' '  ' | sed 's/ISST_API/\n&/g' |
		sed -n 's/^ISST_API \([^(;]*[ *]\)\(isst_[a-z0-9_]*\)(\([^;]*\));.*/\1\t\2\t\3/p'
}

# All pages as one table, which the checks share: page, section and line, with tabs between them.
table_of_pages() {
	awk '
	FNR == 1 {
		page = FILENAME
		sub(/.*\//, "", page)
		sub(/\.3$/, "", page)
		section = ""
	}
	/^\.Sh / { section = substr($0, 5); next }
	{ print page "\t" section "\t" $0 }' "$pages"/*.3
}

# The lines of a section of a page, as source.
section() {	# $1: page; $2: heading
	awk -F '\t' -v page="$1" -v heading="$2" '
	$1 == page && $2 == heading {
		sub(/^[^\t]*\t[^\t]*\t/, "")
		print
	}' "$scratch/table"
}

# The pages that name their own function in a section, by a macro.
pages_naming() {	# $1: heading; $2: the lines' beginnings, a regular expression; $3: macro
	awk -F '\t' -v heading="$1" -v line="$2" -v macro="$3" '
	$2 == heading && $3 ~ line {
		words = split($3, word, " ")
		for (i = 1; i < words; i++)
			if ((word[i] == macro || word[i] == "." macro) && word[i + 1] == $1)
				print $1
	}' "$scratch/table" | sort -u
}

# each_page_names PAGES HEADING LINE MACRO: file with the functions of these pages; the others as above
each_page_names() {
	pages_naming "$2" "$3" "$4" > "$scratch/naming"
	sort -u "$1" | comm -23 - "$scratch/naming" | sed "s/.*/the page of & does not name it in $2/"
}

each_page_has() {	# $1: heading; $2: file with functions
	each_page_names "$2" "$1" . Fn
	[ "$(wc -l < "$2")" -gt 10 ] || echo "too few functions were found"
	silent
}

check_pages() {
	cut -f1 "$scratch/table" | sort -u > "$scratch/there"
	sort -u "$scratch/names" | comm -23 - "$scratch/there" | sed 's/$/ has no page/'
	each_page_names "$scratch/names" NAME '^[.]Nm ' Nm
	each_page_names "$scratch/names" SYNOPSIS '^[.]Fo [a-z0-9_]+$' Fo
	each_page_names "$scratch/names" DESCRIPTION '^[.]It Fn ' Fn
	[ "$(wc -l < "$scratch/names")" -gt 100 ] || echo "too few functions were found"
	silent
}

# A page that is left of a function that is no more would be installed.
check_no_others() {
	grep -h -o '\(^\|[ *]\)[A-Za-z][A-Za-z0-9_]*(' "$root"/include/*.h | tr -d ' *(' | sort -u > "$scratch/in-headers"
	find "$pages" -name '*.3' | sed 's|.*/||; s/\.3$//' | grep -v -x -e libisst -e libisst-emulator | sort |
		comm -23 - "$scratch/in-headers" | sed 's/$/ is in no header/'
	silent
}

# Arguments have the same types and names, in the same order.
check_arguments() {
	awk -F '\t' -v OFS='\t' '{ gsub(/  */, " ", $3); print $2, $3 }' "$scratch/functions" | sort > "$scratch/declared"
	awk -F '\t' '
	$3 ~ /^\.Fo / { name = substr($3, 5); arguments = ""; next }
	name != "" && $3 == ".Fc" {
		if (name == $1)
			print name "\t" arguments
		name = ""
	}
	name != "" {
		argument = $3
		sub(/^\.Fa /, "", argument)
		gsub(/^"|"$/, "", argument)
		gsub(/, */, ", ", argument)
		arguments = arguments (arguments == "" ? "" : ", ") argument
	}' "$scratch/table" | sort > "$scratch/all-described"
	cut -f1 "$scratch/declared" | sort -u | join -t '	' - "$scratch/all-described" > "$scratch/described"
	diff "$scratch/declared" "$scratch/described"
	silent
}

# Those that return numbers, and never an error.
NUMBERS='isst_value_at isst_value_type isst_finding_code isst_finding_severity
isst_message_code isst_message_code_at isst_message_error isst_message_level isst_item_kind isst_events_descriptor isst_events_take'

returning_errors() {
	awk -F '\t' '$1 ~ /^int *$/ { print $2 }' "$scratch/functions" | grep -v -x "$(echo "$NUMBERS" | tr -s ' ' '\n')"
}

# The pages whose RETURN VALUES names their function in its sentence on errors, which is the first one.
pages_returning_errors() {
	awk -F '\t' '
	$1 != page { page = $1; ended = 0; named = 0 }
	$2 == "RETURN VALUES" && !ended {
		words = split($3, word, " ")
		for (i = 1; i < words; i++)
			if (word[i] ~ /^\.?Fn$/ && word[i + 1] == page)
				named = 1
		if ($3 ~ /negative errno/) {
			ended = 1
			if (named)
				print page
		}
	}' "$scratch/table" | sort -u
}

# The functions of which RETURN VALUES states that they return errors, and an errno for each in ERRORS or above.
check_errors() {
	returning_errors | sort > "$scratch/failing"
	pages_returning_errors > "$scratch/stated"
	comm -23 "$scratch/failing" "$scratch/stated" | sed 's/.*/RETURN VALUES of the page of & does not state that it returns errors/'
	awk -F '\t' '$2 == "ERRORS" && $3 ~ /^\.It Bq Er E/ { print $1 }' "$scratch/table" | sort -u |
		comm -23 "$scratch/failing" - | sed 's/.*/the page of & names no error/'
	echo "$NUMBERS" | tr -s ' ' '\n' | sort | comm -12 - "$scratch/stated" |
		sed 's/.*/RETURN VALUES of the page of & states that it returns errors/'
	[ "$(wc -l < "$scratch/failing")" -gt 10 ] || echo "too few functions were found"
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
	awk -F '\t' '$2 == "HISTORY" && match($3, /[0-9]+\.[0-9]+\.[0-9]+/) {
		print substr($3, RSTART, RLENGTH) "\t" $1
	}' "$scratch/table" > "$scratch/since"
	cut -f2 "$scratch/since" | sort -u > "$scratch/there"
	sort -u "$scratch/names" | comm -23 - "$scratch/there" | sed 's/.*/the page of & has no version/'
	cut -f1 "$scratch/since" | sort -u | while read -r since; do
		newest=$(printf '%s\n' "$version" "$since" | sort -V | tail -n 1)
		[ "$newest" = "$version" ] || sed -n "s/^$newest	\(.*\)/\1 is of $newest, which is yet to come/p" "$scratch/since"
	done
	silent
}

# Headers that lack something make no pages.
refuses() {	# $1: script for sed; $2: the message
	mkdir -p "$scratch/include"
	cp "$root"/include/*.h "$scratch/include"
	sed "$1" "$root/include/isst.h" > "$scratch/include/isst.h"
	! cmp -s "$root/include/isst.h" "$scratch/include/isst.h" || { echo "the header is unchanged"; return 1; }
	! python3 "$root/docs/man3/man3.py" "$scratch/pages" "$root/docs/man3/libisst.3.in" "$scratch/include/isst.h" \
			"$root/include/isst-config.h" "$root/include/isst-explain.h" "$root/include/isst-journal.h" \
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
set -- "$root/include/isst.h" "$root/include/isst-config.h" "$root/include/isst-explain.h" "$root/include/isst-journal.h"
if [ "$emulator" = yes ]; then
	overviews='libisst libisst-emulator'
	set -- "$@" "$root/include/isst-emulator.h"
fi
functions_of "$@" > "$scratch/functions"
cut -f2 "$scratch/functions" > "$scratch/names"
table_of_pages > "$scratch/table"

check "each function has a page that describes it" check_pages
check "each page is that of a function" check_no_others
check "the pages have the arguments of the headers" check_arguments
check "the pages of functions that return errors name them" check_errors
check "the pages of functions that return pointers state to whom they belong" check_memory
check "each page states which functions are thread-safe" check_threads
check "each page states since when its functions exist" check_history
check "a function without comment has no page" refuses '/^\/\*\* The number of CPUs in the set/d' 'isst_cpuset_count has no comment'
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
