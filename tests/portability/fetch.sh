#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The libraries of other architectures that cross.sh builds with, unpacked and not installed: fetch.sh BUILD ARCHITECTURE...
# They go to BUILD/foreign-ARCHITECTURE; the system's dpkg is not aware of these architectures.
set -eu
# shellcheck source=tests/packages.sh
. "$(dirname "$0")/../packages.sh"
build=$1
shift

if ! command -v apt-get > /dev/null; then
	echo "portability: no apt-get here; builds for $* will be skipped"
	exit 0
fi
mkdir -p "$build"
build=$(cd "$build" && pwd)
archive=$(archive_address) || { echo "portability: no package archive is configured" >&2; exit 1; }
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
for architecture in "$@"; do
	[ ! -e "$build/foreign-$architecture/complete" ] || continue
	echo "portability: fetching libraries for $architecture"
	if ! packages_prepare "$build/foreign-$architecture" "$architecture" "$archive" "$suite" ||
		! packages_unpack libcap-dev libcap2 libcmocka-dev libcmocka0; then
		echo "portability: $archive has no libraries for $architecture in $suite:" >&2
		tail -n 3 "$build/foreign-$architecture/log" >&2
		exit 1
	fi
	# Links to absolute names would lead to what the system itself may have of that architecture; libcap is then linked
	# from its archive.
	find "$build/foreign-$architecture/root" -lname '/*' -delete
	touch "$build/foreign-$architecture/complete"
done
