# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Runs in the sandbox of isst-config.service, in the place of the command: what works, and what does not.
# shellcheck disable=SC2016,SC2317  # expanded by an inner shell; called by try

# try NAME COMMAND...
try() {
	probe_name=$1
	shift
	if "$@" > /dev/null 2>&1; then
		echo "probe: $probe_name: yes"
	else
		echo "probe: $probe_name: no"
	fi
}

partition() {
	mkdir /sys/fs/cgroup/isst-probe && rmdir /sys/fs/cgroup/isst-probe
}

cpu_file=/sys/devices/system/cpu/cpu1/online
[ -e "$cpu_file" ] || cpu_file=/sys/devices/system/cpu/uevent
capabilities=$(sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status)

try 'open the driver' sh -c ': < /dev/isst_interface'
try 'write files of CPUs' test -w "$cpu_file"
try 'make a cgroup' partition
try 'write to /run/isst' sh -c ': > /run/isst/probe && rm /run/isst/probe'
try 'read the list of locks' test -r /proc/locks
try 'send a line to the system log' logger -t isst-probe 'a line'
# CAP_DAC_OVERRIDE, CAP_SYS_ADMIN, CAP_SYS_NICE
try 'the capabilities of a change, and no other' test "$capabilities" = 0000000000a00002
try 'change capabilities' setpriv --inh-caps=-all true
try 'open another device' sh -c ': < /dev/other_device'
try 'write elsewhere in /run' sh -c ': > /run/probe'
try 'write to /etc' sh -c ': > /etc/isst/probe'
try 'write to /usr' sh -c ': > /usr/probe'
try 'write other files of sysfs' test -w /sys/kernel/uevent_helper
try 'write settings of the kernel' test -w /proc/sys/kernel/hostname
try 'see the network' sh -c 'test $(ls /sys/class/net | wc -l) -gt 1'
try 'mount' mount -t tmpfs none /mnt
try 'make a namespace' unshare -U true
exit 0
