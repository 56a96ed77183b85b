#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command as one file: static.sh BUILD. Speaks TAP. It is compared with the command of BUILD.
# shellcheck source=tests/portability/common.sh
. "$(dirname "$0")/common.sh"
native=$(cd "$1" && pwd) || exit 1
largest=1200000 # bytes, by musl and without the emulator
unset CC

if [ ! -e "$(cc -print-file-name=libcap.a)" ]; then
	skip "the command is built as one file" "no static libcap"
	finish
	exit
fi
copy_tree "$scratch/tree"
cd "$scratch/tree" || exit 1

build_static() {	# $1: build directory; the other words: variables
	directory=$1
	shift
	make -s -j "$(nproc)" BUILD="$directory" COMMIT="$(cat "$native/commit")" WERROR=yes "$@" static
}

needs_nothing() {	# $1: build directory
	readelf -lW "$1/isst-static" > "$scratch/headers" && ! grep -e INTERP "$scratch/headers" &&
		! readelf -dW "$1/isst-static" | grep NEEDED && ! readelf -SW "$1/isst-static" | grep ' \.symtab'
}

is_small() {	# $1: build directory
	size=$(wc -c < "$1/isst-static")
	echo "$size bytes"
	[ "$size" -le "$largest" ]
}

# run DIRECTORY PROGRAM WORDS...: by the name isst, on which streams depend
run() {
	rm -rf "${scratch:?}/$1" "$scratch/state"
	mkdir "$scratch/$1"
	ln -s "$2" "$scratch/$1/isst"
	directory=$scratch/$1
	shift 2
	"$directory/isst" "$@" > "$directory/out" 2> "$directory/errors"
	echo "status $?" >> "$directory/errors"
	rm "$directory/isst"
}

# same BUILD-DIRECTORY WORDS...: output, messages and status are those of the other command
same() {
	program=$PWD/$1/isst-static
	shift
	run one "$program" "$@"
	run other "$native/intel-speed-select" "$@"
	[ -s "$scratch/one/out" ] && diff -r "$scratch/one" "$scratch/other"
}

# refuses BUILD-DIRECTORY STATUS MESSAGE WORDS...
refuses() {
	program=$PWD/$1/isst-static
	expected=$2
	message=$3
	shift 3
	run one "$program" "$@"
	cat "$scratch/one/errors"
	grep -q "^status $expected$" "$scratch/one/errors" && grep -q -F -e "$message" "$scratch/one/errors"
}

check "builds without the emulator" build_static alone
check "needs no shared library" needs_nothing alone
if command -v musl-gcc > /dev/null; then
	check "has at most $largest bytes" is_small alone
else
	skip "has at most $largest bytes" "no musl-gcc"
fi
check "prints its version" same alone --version
check "looks at this machine" same alone --info
check "has no emulator" refuses alone 3 'this build has no emulator' --emulate guide --info
check "builds with the emulator" build_static emulating EMULATOR=yes
check "needs no shared library with the emulator" needs_nothing emulating
check "prints its version with the emulator" same emulating --version
for platform in guide graniterapids-unlocked; do
	check "describes the emulated $platform" same emulating --emulate $platform --emulate-state "$scratch/state" --info
	check "reads the levels of the emulated $platform" \
		same emulating --emulate $platform --emulate-state "$scratch/state" perf-profile info
done
check "runs other programs on an emulated machine" same emulating --emulate guide --emulate-state "$scratch/state" emulate cat /proc/version
finish
