#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make deps all` where the compiler is one of the packages that are missing: the build is the same as with a compiler
# that was there before. The package manager is a fake one, which installs a link to the compiler. Speaks TAP.
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"

# The one of the environment, of which the build would make use, may need another that is hidden below.
unset CC

tools=$scratch/tools
tree=$scratch/tree
compiler=$(command -v cc) || {
	echo "1..0 # SKIP no compiler is called cc"
	exit 0
}

# All programs but compilers.
make_tools() {
	mkdir "$tools"
	for directory in $(echo "$PATH" | tr : ' '); do
		find "$directory/" -maxdepth 1 -perm /111 ! -name '*cc' ! -name '*cc-[0-9]*' ! -name 'clang*' ! -name 'c[89]9*' \
			-exec ln -s -t "$tools" {} + 2> /dev/null
	done
	rm -f "$tools/dpkg-query" "$tools/apt-get" "$tools/id"
	printf '#!/bin/sh\nexit 1\n' > "$tools/dpkg-query"
	printf '#!/bin/sh\necho 0\n' > "$tools/id"
	# shellcheck disable=SC2016  # expanded by the fake
	printf '#!/bin/sh\n[ "$1" = update ] || ln -s "%s" "%s/cc"\n' "$compiler" "$tools" > "$tools/apt-get"
	chmod +x "$tools/dpkg-query" "$tools/id" "$tools/apt-get"
}

build_without_compiler() {
	! PATH="$tools" command -v cc || return 1
	# In any order, and several at a time.
	PATH="$tools" make -C "$tree" -s -j "$(nproc)" CFLAGS=-O0 BUILD=installed all deps
}

configure_with_compiler() {
	make -C "$tree" -s CFLAGS=-O0 BUILD=there there/flags && diff "$tree/there/flags" "$tree/installed/flags"
}

same_files() {
	make -C "$tree" -s -n CFLAGS=-O0 BUILD=there all | grep -o 'there/lib[a-z-]*\.so$' | sort -u |
		while read -r library; do
			[ -e "$tree/installed/${library#there/}" ] || echo "$library was not built"
		done > "$scratch/missing"
	cat "$scratch/missing"
	! [ -s "$scratch/missing" ]
}

# With -n nothing is installed.
dry_run() {
	rm -f "$tools/cc"
	PATH="$tools" make -C "$tree" -n BUILD=none deps demo > "$scratch/plan"
	! PATH="$tools" command -v cc && grep -q 'docs/demo.sh none' "$scratch/plan"
}

# The compiler is not asked for anything.
only_deps() {
	PATH="$tools" make -C "$tree" -s help > "$scratch/printed" 2>&1 || return 1
	! grep -i -e 'not found' -e 'no such file' "$scratch/printed"
}

make_tools
copy_tree "$tree"
check "make deps installs the compiler before the build asks it for its options" build_without_compiler
check "the options are those of a compiler that was there before" configure_with_compiler
check "the same libraries are built" same_files
check "make -n deps installs nothing" dry_run
check "make help prints no errors without a compiler" only_deps
finish
