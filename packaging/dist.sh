#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the release archive from the last commit, or from an unpacked release archive: dist.sh DIRECTORY
# The same commit gives the same bytes: names are sorted, the owner is root, and all files have the time of the commit, or that of
# SOURCE_DATE_EPOCH.
set -eu
umask 022
export LC_ALL=C TZ=UTC
cd "$(dirname "$0")/.."
version=$(sed -n 's/^#define ISST_VERSION "\(.*\)"/\1/p' include/isst.h)
name=isst-$version
mkdir -p "$1"
directory=$(cd "$1" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-dist.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/$name"

if [ -e .git ]; then
	[ -z "$(git status --porcelain)" ] || echo "dist: the archive lacks what is not committed" >&2
	epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
	git archive --format=tar HEAD > "$scratch/files.tar"
else
	epoch=${SOURCE_DATE_EPOCH:-$(stat -c %Y include/isst.h)}
	tar --exclude='./build*' --exclude='__pycache__' -cf "$scratch/files.tar" .
fi
tar -xf "$scratch/files.tar" -C "$scratch/$name"
tar --format=gnu --sort=name --owner=root:0 --group=root:0 --mode=u=rwX,go=rX --mtime="@$epoch" \
	-C "$scratch" -cf "$scratch/$name.tar" "$name"
xz -6 -T 1 --check=crc64 "$scratch/$name.tar"
mv "$scratch/$name.tar.xz" "$directory"
echo "$directory/$name.tar.xz"
