#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What scripts share, by sourcing it, that take packages from the distribution's archive without installing them. apt
# keeps lists and files of its own in a directory that is named; the system's configuration is read, never changed.

# archive_address: the first archive that the system itself is configured with; status 1 where there is none
archive_address() {
	address=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2> /dev/null | head -n 1)
	[ -n "$address" ] || address=$(awk '$1 == "deb" { print $(NF > 3 && $2 ~ /^\[/ ? 3 : 2); exit }' /etc/apt/sources.list \
		/etc/apt/sources.list.d/*.list 2> /dev/null)
	printf '%s\n' "$address"
	[ -n "$address" ]
}

# packages_prepare DIRECTORY ARCHITECTURE ARCHIVE SUITE...: an apt of its own, in DIRECTORY; gets the lists
packages_prepare() {
	packages_directory=$1
	packages_architecture=$2
	archive=$3
	shift 3
	rm -rf "$packages_directory"
	mkdir -p "$packages_directory/lists/partial" "$packages_directory/cache/archives/partial" "$packages_directory/packages"
	: > "$packages_directory/status"
	printf "deb $archive %s main\n" "$@" | sort -u > "$packages_directory/sources.list"
	packages_run apt-get update > "$packages_directory/log" 2>&1
}

# packages_run apt-get|apt-cache WORDS...: with that configuration
packages_run() {
	program=$1
	shift
	"$program" -qq -o Dir::Etc::sourcelist="$packages_directory/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$packages_directory/lists" -o Dir::State::status="$packages_directory/status" \
		-o Dir::Cache="$packages_directory/cache" -o APT::Sandbox::User="$(id -un)" \
		-o APT::Architecture="$packages_architecture" -o APT::Architectures="$packages_architecture" "$@"
}

# packages_unpack PACKAGE...: their files, below DIRECTORY/root; then nothing but these and the log is left
packages_unpack() {
	(cd "$packages_directory/packages" && packages_run apt-get download "$@") >> "$packages_directory/log" 2>&1 || return 1
	for deb in "$packages_directory"/packages/*.deb; do
		dpkg -x "$deb" "$packages_directory/root" || return 1
	done
	rm -rf "$packages_directory/lists" "$packages_directory/cache" "$packages_directory/packages"
}
