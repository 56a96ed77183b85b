#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The installed headers in programs of others: every standard of C and C++ takes them without a warning, and so does the
# macro that walks a set. CC and CXX are those of the environment: headers.sh. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-headers.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

cat > "$scratch/program.c" << 'EOF'
#include <isst-config.h>
#include <isst-emulator.h>
#include <isst-explain.h>
#include <isst-journal.h>

unsigned int count_pairs(const struct isst_cpuset *set);

unsigned int count_pairs(const struct isst_cpuset *set)
{
	unsigned int outer, inner, pairs = 0;

	isst_cpuset_for_each(outer, set)
		isst_cpuset_for_each(inner, set)
			pairs += outer < inner;
	return pairs;
}
EOF
cp "$scratch/program.c" "$scratch/program.cc"

compile() {	# $1: compiler, which may be several words; $2: standard; $3: file
	# shellcheck disable=SC2086
	$1 "-std=$2" -pedantic -Wall -Wextra -Wshadow -Wconversion -Werror "-I$root/include" -c -o "$scratch/program.o" "$3"
}

check_standard() {	# $1: compiler; $2: standard; $3: file
	if ! command -v "${1%% *}" > /dev/null; then
		skip "$2 compiles the headers without a warning" "there is no $1"
		return
	fi
	check "$2 compiles the headers without a warning" compile "$1" "$2" "$scratch/$3"
}

for standard in c89 c99 c11 gnu17; do
	check_standard "${CC:-cc}" $standard program.c
done
for standard in c++98 c++11 c++17; do
	check_standard "${CXX:-c++}" $standard program.cc
done
finish
