#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC1090,SC2154,SC2086 # variables come from init and lib.sh and hold no blanks
# The checks of one boot, as root in the guest.
cd /tmp || exit 1
for part in lib $parts; do
	. "/vm/$part.sh"
done
case $parts in late) come_online ;; esac
find_topology
find_units
find_banner
registers < /dev/null > $work/registers
same registers $work/registers $hardware/registers > $work/wrong
verdict 'the hardware at power on' $work/wrong
for part in $parts; do
	$part
	echo "# $part: until $(cut -d ' ' -f 1 /proc/uptime) s"
done
