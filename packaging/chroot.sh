#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that need other systems to build and install in. A system is a directory of layers over a base that
# debootstrap made; what runs in it writes to its own layer only. Mounts are those of a private namespace, and end with it.
# shellcheck source=tests/packages.sh
. "$(dirname "$0")/../tests/packages.sh"

# base_make DIRECTORY SUITE [ARCHITECTURE]: a minimal system, kept for later runs
base_make() {
	[ -e "$1/.complete" ] && return 0
	rm -rf "$1"
	mkdir -p "$(dirname "$1")"
	archive=$(archive_address) || return 1
	debootstrap --variant=minbase ${3:+--arch="$3"} "$2" "$1" "$archive" > "$1.log" 2>&1 || { tail -n 3 "$1.log" >&2; return 1; }
	rm -f "$1"/var/cache/apt/archives/*.deb
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	: > "$1/.complete"
}

# system_make DIRECTORY BASE...: an empty layer over others, the topmost first
system_make() {
	rm -rf "$1"
	mkdir -p "$1/upper" "$1/work" "$1/root"
	system=$1
	shift
	lower=
	for base in "$@"; do
		if [ -e "$base/lower" ]; then
			lower=$lower:$(realpath "$base/upper"):$(cat "$base/lower")
		else
			lower=$lower:$(realpath "$base")
		fi
	done
	printf '%s\n' "${lower#:}" > "$system/lower"
}

# system_run DIRECTORY COMMAND...: as root in that system, with no variable but those of the list below; $SHARE of the caller, a
# directory, is /share there
system_run() {
	system=$(realpath "$1")
	shift
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare --mount --pid --fork --kill-child sh -euc '
		system=$1 share=$2
		shift 2
		mount -t overlay overlay -o "lowerdir=$(cat "$system/lower"),upperdir=$system/upper,workdir=$system/work" "$system/root"
		cd "$system/root"
		mount -t proc proc proc
		mount -t sysfs sysfs sys
		mount --rbind /dev dev
		mount -t tmpfs -o mode=1777 tmpfs tmp
		mount -t tmpfs -o mode=755 tmpfs run
		if [ -n "$share" ]; then
			mkdir run/share
			mount --bind "$share" run/share
		fi
		exec env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
			TMPDIR=/tmp PYTHONDONTWRITEBYTECODE=1 ${DEB_BUILD_OPTIONS:+"DEB_BUILD_OPTIONS=$DEB_BUILD_OPTIONS"} \
			${SOURCE_DATE_EPOCH:+"SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"} \
			chroot . "$@"' system "$system" "${SHARE:-}" "$@"
}

# system_install DIRECTORY PACKAGE...: from the distribution, without what is merely recommended
system_install() {
	target=$1
	shift
	system_run "$target" sh -euc 'apt-get -qq update
		apt-get -qq -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io install "$@"
		apt-get clean' install "$@" > "$target/log" 2>&1 || { tail -n 5 "$target/log" >&2; return 1; }
}
