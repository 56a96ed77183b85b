#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what the project needs, through the distribution's package manager: deps.sh SET...
# build: compiling and testing. dev: lint, valgrind, coverage, man page checks, what some tests use. cross-check: comparing with the
# packaged tool, and the kernel's drivers in a virtual machine. portability: other compilers and C libraries (those of
# other architectures are fetched by tests/portability/fetch.sh, and not installed). system: what the units, the TuneD profile and
# the Ansible role are tested with; where systemd runs, TuneD starts when it is installed, and changes settings. packages: what
# makes the systems in which packages are built and installed, and the static command.
# Prints what it installs; without root it prints the command to run instead.
set -eu

# SET MANAGER PACKAGE...
table='
build apt-get gcc libc6-dev make pkg-config libcap-dev libcmocka-dev libcap2-bin
build dnf gcc glibc-devel make pkgconf-pkg-config libcap-devel libcmocka-devel
build zypper gcc glibc-devel make pkg-config libcap-devel libcap-progs libcmocka-devel
dev apt-get jq python3 python3-jsonschema python3-prometheus-client mypy clang libclang-rt-dev clang-format clang-tidy
dev apt-get cppcheck valgrind gcovr mandoc shellcheck abigail-tools numactl msr-tools zsh fish
dev dnf jq python3 python3-jsonschema python3-prometheus_client python3-mypy clang compiler-rt clang-tools-extra
dev dnf cppcheck valgrind gcovr mandoc ShellCheck libabigail numactl msr-tools zsh fish
dev zypper jq python3 python3-jsonschema python3-prometheus_client python3-mypy clang clang-tools cppcheck valgrind gcovr mandoc ShellCheck zsh fish
cross-check apt-get python3 strace qemu-system-x86 busybox-static cpio xz-utils gcc-12 libelf-dev debootstrap
cross-check dnf python3 strace
cross-check zypper python3 strace
portability apt-get clang lld gcc-aarch64-linux-gnu gcc-s390x-linux-gnu libc6-dev-arm64-cross libc6-dev-s390x-cross qemu-user musl-tools
portability dnf clang lld
portability zypper clang lld
system apt-get systemd systemd-container dbus tuned ansible-core
system dnf systemd systemd-container dbus-daemon tuned ansible-core
system zypper systemd systemd-container dbus-1-daemon tuned ansible
packages apt-get debootstrap xz-utils shellcheck musl-tools
packages dnf debootstrap dpkg xz ShellCheck musl-gcc
packages zypper debootstrap dpkg xz ShellCheck'

packages_of() {	# $1: package manager; the other words: sets
	manager=$1
	shift
	for set in "$@"; do
		echo "$table" | sed -n "s/^$set $manager //p" | grep . || { echo "deps: unknown set $set" >&2; exit 1; }
	done
}

is_installed() {	# $1: package
	if [ "$manager" = apt-get ]; then
		dpkg-query -W -f '${Status}' "$1" 2> /dev/null | grep -q ' installed$'
	else
		rpm -q --quiet --whatprovides "$1"
	fi
}

update=:
if command -v apt-get > /dev/null; then
	manager=apt-get install='apt-get install -y --no-install-recommends' update='apt-get update'
elif command -v dnf > /dev/null; then
	manager=dnf install='dnf install -y'
elif command -v zypper > /dev/null; then
	manager=zypper install='zypper --non-interactive install'
else
	echo "deps: no package manager that is known here (apt, dnf, zypper); needed are a C compiler, make, libcap and cmocka" >&2
	exit 1
fi

packages=$(packages_of "$manager" "$@")
missing=
for package in $packages; do
	is_installed "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
	# shellcheck disable=SC2086  # on one line
	echo "deps: everything is installed:" $packages
	exit 0
fi
install=$install$missing
if [ "$(id -u)" -ne 0 ]; then
	echo "deps: not root; to install what is missing run:  sudo sh -c '$update && $install'" >&2
	exit 1
fi
echo "deps: installing$missing"
sh -c "$update"
DEBIAN_FRONTEND=noninteractive $install
