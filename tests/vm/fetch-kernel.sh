#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fetch-kernel.sh SERIES DIRECTORY
# Fetches Debian's kernel of a series (6.1: bookworm, 6.12: bookworm-backports, 7: the newest of trixie-backports) through
# the package manager and without installing anything, and makes in DIRECTORY:
#   vmlinuz   the kernel
#   modules/  its Speed Select drivers, unmodified
#   headers   what modules are built against
#   builder   a system with compiler and libc of the kernel's release, in which modules are built, with headers in it; only
#             where the headers need that (7): made by debootstrap, as root
#   version   kernel and package
# Exit status 3 when there is none to be had; what is missing is reported on standard error.
set -eu

series=$1
directory=$2
case $series in
6.1) suites=bookworm pattern='^linux-image-6\.1\.0-[0-9]+-amd64$' ;;
6.12) suites='bookworm bookworm-backports' pattern='^linux-image-6\.12\.[0-9]+[+]deb12-amd64$' ;;
7) suites='trixie trixie-backports' pattern='^linux-image-7\.[0-9.]+[+]deb13-amd64$' ;;
*) echo "fetch-kernel: no series $series" >&2; exit 2 ;;
esac

missing() {
	echo "fetch-kernel: $*" >&2
	exit 3
}

[ -e "$directory/version" ] && exit 0
for tool in apt-get apt-cache dpkg xz; do
	command -v $tool > /dev/null || missing "no $tool here"
done

# The addresses are those that the system itself is configured with; its configuration is not touched.
archive=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2> /dev/null | head -n 1)
[ -n "$archive" ] || archive=$(awk '$1 == "deb" { print $(NF > 3 && $2 ~ /^\[/ ? 3 : 2); exit }' \
	/etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null)
[ -n "$archive" ] || missing 'no package archive is configured'

rm -rf "$directory"
mkdir -p "$directory/apt/lists/partial" "$directory/apt/cache/archives/partial" "$directory/packages" "$directory/root"
directory=$(cd "$directory" && pwd)
for suite in $suites; do
	echo "deb $archive $suite main"
done > "$directory/apt/sources.list"

apt() {	# $1: program; the other words: its arguments
	program=$1
	shift
	"$program" -qq -o Dir::Etc::sourcelist="$directory/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$directory/apt/lists" -o Dir::Cache="$directory/apt/cache" \
		-o APT::Architectures="$(dpkg --print-architecture)" -o APT::Sandbox::User=root "$@"
}

apt apt-get update > "$directory/log" 2>&1 || missing "the package lists of $suites: $(tail -n 1 "$directory/log")"
image=$(apt apt-cache search --names-only "$pattern" | cut -d ' ' -f 1 | sort -V | tail -n 1)
[ -n "$image" ] || missing "no kernel of the series $series is in $suites any more"
version=${image#linux-image-}

# Since Linux 7 kernel and modules are packages of their own, and some modules' names have a dash.
make_builder() {
	builder=$directory/builder
	command -v debootstrap > /dev/null || missing "no debootstrap here, for a system that builds modules of Linux $series"
	[ "$(id -u)" = 0 ] || missing "not root: debootstrap cannot make a system that builds modules of Linux $series"
	debootstrap --variant=minbase --include=gcc-14,make,libelf1t64 trixie "$builder" "$archive" >> "$directory/log" 2>&1 ||
		missing "a system that builds modules of Linux $series: $(tail -n 1 "$directory/log")"
	mkdir -p "$builder/kernel"
	name=${version%-amd64}
	(cd "$directory/packages" && apt apt-get download "linux-headers-$version" "linux-headers-$name-common" \
		"linux-kbuild-$name" "linux-binary-$version" "linux-modules-$version") >> "$directory/log" 2>&1 ||
		missing "packages of $version: $(tail -n 1 "$directory/log")"
	for package in "$directory"/packages/linux-headers-* "$directory"/packages/linux-kbuild-*; do
		dpkg -x "$package" "$builder"
	done
	for package in "$directory"/packages/linux-binary-* "$directory"/packages/linux-modules-*; do
		dpkg --fsys-tarfile "$package" | tar x -C "$directory/packages" --wildcards --no-anchored 'vmlinuz*' \
			'drivers/platform/x86/intel/*' 2>> "$directory/log" || true
	done
	find "$directory/packages" -name 'vmlinuz*' -type f -exec mv {} "$directory/vmlinuz" \;
	rmdir "$builder/kernel"
	echo "/usr/src/linux-headers-$version" > "$directory/headers"
}

take_modules() {	# renames those with a dash to what the others are called
	mkdir "$directory/modules"
	find "$directory/packages" \( -name 'isst*.ko*' -o -name 'intel[-_]vsec*.ko*' -o -name 'intel[-_]tpmi*.ko*' \) |
		while read -r module; do
			mv "$module" "$directory/modules/$(basename "$module" | sed 's/^intel-/intel_/')"
		done
	for module in "$directory"/modules/*.xz; do
		[ ! -e "$module" ] || xz -d "$module"
	done
	for file in "$directory/vmlinuz" "$directory/modules/isst_if_common.ko"; do
		[ -e "$file" ] || missing "$(basename "$file") is not in the packages of $version"
	done
}

if [ "$series" = 7 ]; then
	make_builder
	take_modules
	package=$(dpkg-deb -W "$directory"/packages/linux-binary-*.deb | tr '\t' ' ')
	rm -rf "$directory/packages" "$directory/apt"
	printf '%s\n%s\n' "$version" "$package" > "$directory/version"
	exit 0
fi
common=linux-headers-${version%-amd64}-common
kbuild=$(apt apt-cache depends "linux-headers-$version" | sed -n 's/.* \(linux-kbuild-[^ ]*\)$/\1/p' | head -n 1)
(cd "$directory/packages" && apt apt-get download "$image" "linux-headers-$version" "$common" "$kbuild") \
	>> "$directory/log" 2>&1 || missing "packages of $version: $(tail -n 1 "$directory/log")"

for package in "$directory"/packages/linux-headers-* "$directory"/packages/linux-kbuild-*; do
	dpkg -x "$package" "$directory/root"
done
dpkg --fsys-tarfile "$directory"/packages/linux-image-*.deb | tar x -C "$directory/packages" --wildcards \
	'./boot/vmlinuz*' './*/kernel/drivers/platform/x86/intel/*'
mv "$directory"/packages/boot/vmlinuz* "$directory/vmlinuz"
take_modules
# The headers name each other by where they would be installed.
echo "include $directory/root/usr/src/$common/Makefile" > "$directory/root/usr/src/linux-headers-$version/Makefile"
ln -s "root/usr/src/linux-headers-$version" "$directory/headers"
package=$(dpkg-deb -W "$directory"/packages/linux-image-*.deb | tr '\t' ' ')
rm -rf "$directory/packages" "$directory/apt"
printf '%s\n%s\n' "$version" "$package" > "$directory/version"
