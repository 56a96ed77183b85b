#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh check CC: whether that compiler can make fuzzers. fuzz.sh run BUILD SECONDS FUZZER...: runs each for so long,
# from the seeds in BUILD/seeds; fails where one has a finding, whose input it keeps in BUILD/findings.
set -u
export LC_ALL=C

if [ "$1" = check ]; then
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-fuzz.XXXXXX") || exit 1
	trap 'rm -rf "$scratch"' EXIT
	echo 'int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size)
		{ (void)data; (void)size; return 0; }' > "$scratch/empty.c"
	# shellcheck disable=SC2086  # a compiler may be several words
	if ! $2 -fsanitize=fuzzer,address,undefined -o "$scratch/empty" "$scratch/empty.c" 2> "$scratch/errors"; then
		echo "make fuzz needs clang with libFuzzer and the sanitizers' libraries, which \"make deps-dev\" installs:" >&2
		head -3 "$scratch/errors" >&2
		exit 1
	fi
	exit 0
fi

build=$2
seconds=$3
mkdir -p "$build/findings" || exit 1
failed=0
ISST_PLATFORMS=${ISST_PLATFORMS:-$PWD/tests/platforms}
export ISST_PLATFORMS
shift 3
for name; do
	fuzzer=$build/tests/fuzz/$name
	mkdir -p "$build/corpus/$name"
	begin=$(date +%s)
	"$fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -len_control=0 -verbosity=0 \
		-artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "$build/seeds/$name" \
		> "$build/findings/$name.log" 2>&1
	status=$?
	took=$(($(date +%s) - begin))
	if [ $status -eq 0 ]; then
		echo "$name: $took s, $(find "$build/corpus/$name" -type f | wc -l) inputs beyond the seeds, no finding"
	else
		failed=1
		echo "$name: finding (status $status); again with: $fuzzer $(find "$build/findings" -name "$name-*" | head -1)"
		tail -40 "$build/findings/$name.log"
	fi
done
[ $failed -eq 0 ]
