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

packages_of() {	# $1: package manager; the other words: sets
	manager=$1
	shift
	for set in "$@"; do
		case $manager-$set in
		apt-build) echo gcc libc6-dev make pkg-config libcap-dev libcmocka-dev libcap2-bin ;;
		apt-dev) echo python3 python3-jsonschema python3-prometheus-client clang libclang-rt-dev clang-format clang-tidy cppcheck valgrind gcovr mandoc \
			shellcheck abigail-tools numactl msr-tools zsh fish ;;
		apt-cross-check) echo python3 strace qemu-system-x86 busybox-static cpio xz-utils gcc-12 libelf-dev debootstrap ;;
		apt-portability) echo clang lld gcc-aarch64-linux-gnu gcc-s390x-linux-gnu libc6-dev-arm64-cross libc6-dev-s390x-cross \
			qemu-user musl-tools ;;
		apt-system) echo systemd systemd-container dbus tuned ansible-core ;;
		apt-packages) echo debootstrap xz-utils shellcheck musl-tools ;;
		dnf-build) echo gcc glibc-devel make pkgconf-pkg-config libcap-devel libcmocka-devel ;;
		dnf-dev) echo python3 python3-jsonschema python3-prometheus_client clang compiler-rt clang-tools-extra cppcheck valgrind gcovr mandoc \
			ShellCheck libabigail numactl msr-tools zsh fish ;;
		dnf-cross-check) echo python3 strace ;;
		dnf-portability) echo clang lld ;;
		dnf-system) echo systemd systemd-container dbus-daemon tuned ansible-core ;;
		dnf-packages) echo debootstrap dpkg xz ShellCheck musl-gcc ;;
		zypper-build) echo gcc glibc-devel make pkg-config libcap-devel libcap-progs libcmocka-devel ;;
		zypper-dev) echo python3 python3-jsonschema python3-prometheus_client clang clang-tools cppcheck valgrind gcovr mandoc ShellCheck zsh fish ;;
		zypper-cross-check) echo python3 strace ;;
		zypper-portability) echo clang lld ;;
		zypper-system) echo systemd systemd-container dbus-1-daemon tuned ansible ;;
		zypper-packages) echo debootstrap dpkg xz ShellCheck ;;
		*) echo "deps: unknown set $set" >&2; exit 1 ;;
		esac
	done
}

if command -v apt-get > /dev/null; then
	packages=$(packages_of apt "$@")
	missing=
	for package in $packages; do
		dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q ' installed$' || missing="$missing $package"
	done
	install="apt-get install -y --no-install-recommends$missing"
	update='apt-get update'
elif command -v dnf > /dev/null; then
	packages=$(packages_of dnf "$@")
	missing=
	for package in $packages; do
		rpm -q --quiet --whatprovides "$package" || missing="$missing $package"
	done
	install="dnf install -y$missing"
	update=:
elif command -v zypper > /dev/null; then
	packages=$(packages_of zypper "$@")
	missing=
	for package in $packages; do
		rpm -q --quiet --whatprovides "$package" || missing="$missing $package"
	done
	install="zypper --non-interactive install$missing"
	update=:
else
	echo "deps: no package manager that is known here (apt, dnf, zypper); needed are a C compiler, make, libcap and cmocka" >&2
	exit 1
fi

if [ -z "$missing" ]; then
	echo "deps: everything is installed: $packages"
	exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "deps: not root; to install what is missing run:  sudo sh -c '$update && $install'" >&2
	exit 1
fi
echo "deps: installing$missing"
sh -c "$update"
DEBIAN_FRONTEND=noninteractive $install
