#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Where the built programs can be run together with the object of CPUID: reachable.sh BUILD SCRATCH. Prints BUILD, or
# where its path holds what separates paths from each other for the dynamic linker, a directory with copies below SCRATCH.
set -eu
case $1 in
*[\ :]*)
	mkdir "$2/programs"
	cp -P "$1/intel-speed-select" "$1/isst" "$2/programs"
	[ ! -e "$1/libisst-emulator-preload.so" ] || cp "$1/libisst-emulator-preload.so" "$2/programs"
	echo "$2/programs"
	;;
*)
	echo "$1"
	;;
esac
