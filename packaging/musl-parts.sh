#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What musl-gcc lacks, gathered from the system in a directory: musl-parts.sh DIRECTORY. In include/ the headers of libcap
# and of the kernel, in lib/ a static libcap, which needs little enough of its C library to be linked with musl.
set -u
directory=$1
archive=$(cc -print-file-name=libcap.a)
header=/usr/include/sys/capability.h

missing() {
	echo "musl-parts: no $1" >&2
	exit 1
}

command -v musl-gcc > /dev/null || missing musl-gcc
[ -e "$archive" ] || missing "static libcap"
[ -e "$header" ] || missing "$header"

mkdir -p "$directory/include/sys" "$directory/lib"
cp "$header" "$directory/include/sys"
cp "$archive" "$directory/lib"
for part in linux asm asm-generic; do
	for place in /usr/include "/usr/include/$(cc -print-multiarch)"; do
		[ ! -d "$place/$part" ] || ln -sfn "$place/$part" "$directory/include/$part"
	done
done
