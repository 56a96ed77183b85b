#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Puts the recipes for Alpine and Arch beside a release archive, with its checksum: recipes.sh ARCHIVE DIRECTORY
set -eu
archive=$(realpath "$1")
checksum=$(sha512sum < "$archive" | cut -d ' ' -f 1)
for recipe in alpine/APKBUILD arch/PKGBUILD; do
	directory=$2/${recipe%/*}
	mkdir -p "$directory"
	sed "s/@SHA512@/$checksum/" "$(dirname "$0")/$recipe" > "$2/$recipe"
	cp "$archive" "$directory"
done
