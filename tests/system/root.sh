# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For check-boot.sh, by sourcing it: the root directory of a container with this system's own /usr, over which a staging
# directory lies, and an /etc of its own. Works in a private mount namespace only.

# container_root ROOT STAGE
container_root() {
	mkdir -p "$1/usr" "$1/etc/systemd/system" "$1/proc" "$1/sys" "$1/dev" "$1/run" "$1/tmp" "$1/root" "$1/var/tmp" "$1/var/lib" "$1/mnt"
	for link in bin sbin lib lib64; do
		ln -sfn "usr/$link" "$1/$link"
	done
	mount -t overlay -o "lowerdir=$2/usr:/usr" overlay "$1/usr"
	cp /etc/passwd /etc/group /etc/shadow /etc/nsswitch.conf "$1/etc/"
	cp -r /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d "$1/etc/"
	cp -r /etc/alternatives "$1/etc/"
	ln -sfn ../usr/lib/os-release "$1/etc/os-release"
	# With a machine id there is no first boot, which enables services by presets.
	echo 0123456789abcdef0123456789abcdef > "$1/etc/machine-id"
	echo isst-boot > "$1/etc/hostname"
	# What has no place here, or would work on the devices of this machine.
	for unit in tuned.service dbus.service dbus.socket systemd-resolved.service systemd-networkd.service systemd-logind.service \
		systemd-pstore.service e2scrub_reap.service systemd-udevd.service systemd-udevd-control.socket \
		systemd-udevd-kernel.socket systemd-udev-trigger.service systemd-sysctl.service systemd-modules-load.service \
		systemd-random-seed.service systemd-remount-fs.service kmod-static-nodes.service systemd-suspend.service \
		systemd-hibernate.service getty.target; do
		ln -sfn /dev/null "$1/etc/systemd/system/$unit"
	done
}
