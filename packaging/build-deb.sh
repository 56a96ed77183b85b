#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages into a directory, with what debian/control names installed: build-deb.sh DIRECTORY [OPTION...]
# The options are those of dpkg-buildpackage, by default -b -uc -us; DEB_BUILD_OPTIONS=nocheck leaves out the tests.
set -eu
output=$1
shift
[ $# -gt 0 ] || set -- -b -uc -us
mkdir -p "$output"
output=$(cd "$output" && pwd)
cd "$(dirname "$0")"
archive=$(sh dist.sh "$output")
version=$(basename "$archive" .tar.xz | sed 's/^isst-//')
mv "$archive" "$output/isst_$version.orig.tar.xz"
rm -rf "$output/isst-$version"
tar -C "$output" -xf "$output/isst_$version.orig.tar.xz"
cd "$output/isst-$version"
cp -R packaging/debian debian
dpkg-buildpackage "$@"
