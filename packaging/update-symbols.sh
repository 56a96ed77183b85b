#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the symbols files of the Debian packages from the maps of the shared libraries: each symbol with the version of its node.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."

number=$(sed -n 's/^SONAME := //p' Makefile)

symbols() {	# $1: library; $2: its map
	printf '%s.so.%s %s%s #MINVER#\n* Build-Depends-Package: libisst-dev\n' "$1" "$number" "$1" "$number"
	awk '
		$2 == "{" {
			node = $1
			version = node
			sub(/.*_/, "", version)
			print " " node "@" node " " version
		}
		/^\t[a-z_0-9]+;$/ {
			gsub(/[\t;]/, "")
			print " " $0 "@" node " " version
		}' "$2" | sort
}

for map in src/*/lib*.map; do
	library=$(basename "$map" .map)
	symbols "$library" "$map" > "packaging/debian/$library$number.symbols"
done
