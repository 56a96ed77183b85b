#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check-boot.sh BUILD
# Boots this system's systemd in containers, with the units of system/ and the built command on an emulated machine: whether the
# device is there at once, late or never, a mistake in the configuration, another machine, a resume; and what the sandbox of the
# units leaves the command. Needs root, systemd-nspawn and the unified cgroup hierarchy. Speaks TAP.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)

# shellcheck source=tests/support/tap.sh
. "$here/../support/tap.sh"

if [ -z "${ISST_BOOT_INSIDE:-}" ]; then
	[ "$(id -u)" -eq 0 ] || skip_all 'only root can boot a container'
	command -v systemd-nspawn > /dev/null || skip_all 'systemd-nspawn is not installed (systemd-container)'
	unshare -m true 2> /dev/null || skip_all 'there are no mount namespaces'
	ISST_BOOT_INSIDE=yes exec unshare -m bash "$here/check-boot.sh" "$build"
fi

# shellcheck source=tests/system/root.sh
. "$here/root.sh"
mount --make-rprivate /
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-boot.XXXXXX")
mount -t tmpfs none "$scratch"
machine=
nspawn=
stop() {
	[ -z "$machine" ] || kill -KILL "$machine" 2> /dev/null || true
	[ -z "$nspawn" ] || wait "$nspawn" 2> /dev/null || true
	machine=
	nspawn=
}
cleanup() {
	stop
	umount -R -l "$scratch" && rmdir "$scratch"
}
trap cleanup EXIT
umount -R -l /sys/fs/cgroup 2> /dev/null || true
mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null || {
	mount -t sysfs none /sys && mount -t cgroup2 none /sys/fs/cgroup
} || skip_all 'there is no unified cgroup hierarchy'

# check_equal NAME EXPECTED ACTUAL
check_equal() {
	local status=0
	[ "$2" = "$3" ] || status=1
	printf 'expected: %s\nfound:    %s\n' "$2" "${3//$'\n'/$'\n'          }" > "$scratch/said"
	report "$status" "$boot: $1" < "$scratch/said"
}

# ---- Containers ----

stage=$scratch/stage
make -s -C "$here/../.." BUILD="$build" SYSTEM_BUILD="$scratch/generated" PREFIX=/usr DESTDIR="$stage" install-system
install -D "$build/intel-speed-select" "$stage/usr/bin/isst"

# new_root NAME: a system with the units enabled, whose command has an emulated machine; begins what is written in $boot
new_root() {
	boot=$1
	root=$scratch/$(printf %s "$1" | tr ' ' -)
	state=$root/var/lib/emulated
	mkdir -p "$root"
	container_root "$root" "$stage"
	mkdir -p "$root/etc/isst" "$state"
	printf '%s\n' '# isst configuration 1' 'core-power on ordered' > "$root/etc/isst/isst.conf"
	for unit in isst-config isst-resume isst-watch; do
		mkdir -p "$root/etc/systemd/system/$unit.service.d"
		# All of the unit but what excludes containers and emulated machines.
		{
			# An empty condition is none of any kind.
			printf '[Unit]\nConditionVirtualization=\n'
			[ $unit = isst-watch ] || echo ConditionPathExists=/etc/isst/isst.conf
			echo '[Service]'
			sed -n -e 's/^\(Exec[A-Za-z]*\)=.*/\1=\n&/p' "$stage/usr/lib/systemd/system/$unit.service" | sed 's/ --real / /'
			printf 'Environment=ISST_EMULATE=guide ISST_EMULATE_STATE=/var/lib/emulated\nReadWritePaths=/var/lib/emulated\n'
		} > "$root/etc/systemd/system/$unit.service.d/emulated.conf"
	done
	systemctl --quiet --root="$root" enable isst-config.service isst-resume.service 2> /dev/null
	ISST_EMULATE=guide ISST_EMULATE_STATE=$state "$build/isst" platform reset > /dev/null
	ISST_EMULATE=guide ISST_EMULATE_STATE=$state "$build/isst" perf-profile get-config-levels > /dev/null
}

# add_unit NAME LINE...: a unit of the container's, which multi-user.target wants
add_unit() {
	local name=$1
	shift
	printf '%s\n' "$@" > "$root/etc/systemd/system/$name"
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -sfn "../$name" "$root/etc/systemd/system/multi-user.target.wants/$name"
}

# What works for the first container works for the others.
without_container() {
	sed 's/^/# /' "$scratch/console"
	[ "$count" -eq 0 ] || exit 1
	skip_all 'systemd-nspawn does not work here'
}

start() {
	SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 SYSTEMD_NSPAWN_API_VFS_WRITABLE=1 \
		systemd-nspawn --quiet --register=no --keep-unit --private-network --system-call-filter=bpf --console=pipe \
		--link-journal=no --bind="$state:/var/lib/emulated" -b -D "$root" systemd.unit=multi-user.target \
		> "$scratch/console" 2>&1 < /dev/null &
	nspawn=$!
	until machine=$(pgrep -P "$nspawn") && inside systemctl list-units > /dev/null 2>&1; do
		kill -0 "$nspawn" 2> /dev/null || without_container
		sleep 0.1
	done
}

inside() {
	nsenter -t "$machine" -m -p -u -i -n "$@"
}

# await SECONDS UNIT STATE: until the unit is in that state
await() {
	for _ in $(seq "$(($1 * 10))"); do
		[ "$(property "$2" ActiveState)" != "$3" ] || return 0
		sleep 0.1
	done
	return 0
}

property() {
	inside systemctl show --value -p "$2" "$1"
}

# The unit's lines without dates.
journal() {
	inside journalctl --no-pager -o cat -u "$1" | grep -v '^$' || true
}

check_state() {	# check_state UNIT STATE RESULT STATUS
	check_equal "$1" "$2 $3 $4" "$(property "$1" ActiveState) $(property "$1" Result) $(property "$1" ExecMainStatus)"
}

fault() {
	printf '%s\n' "$@" > "$state/faults"
}

equal() {
	ISST_EMULATE=guide ISST_EMULATE_STATE=$state "$build/isst" config check "$root/etc/isst/isst.conf" | tail -n 1
}

oneshot() {
	printf '%s\n' '[Service]' 'Type=oneshot' 'RemainAfterExit=yes' "ExecStart=$1"
}

# ---- The device is there ----

new_root 'device at once'
rm "$root/etc/systemd/system/tuned.service"
mapfile -t unit < <(oneshot 'sleep 1')
add_unit tuned.service "${unit[@]}"
mapfile -t unit < <(oneshot true)
add_unit kubelet.service "${unit[@]}"
start
await 30 multi-user.target active
check_state isst-config.service active success 0
check_equal 'the machine is as configured' config\ check:equal "$(equal)"
check_equal 'tuned, isst-config and kubelet start in this order' yes "$(
	a=$(property tuned.service ExecMainExitTimestampMonotonic)
	b=$(property isst-config.service ExecMainStartTimestampMonotonic)
	c=$(property isst-config.service ExecMainExitTimestampMonotonic)
	d=$(property kubelet.service ExecMainStartTimestampMonotonic)
	[ "$a" -le "$b" ] && [ "$c" -le "$d" ] && echo yes || echo "$a $b $c $d"
)"
check_equal 'no unit of the project has a warning' '' "$(inside journalctl --no-pager -o cat -p warning | grep -i isst || true)"

# An edited configuration, and a mistake in it.
printf '%s\n' '# isst configuration 1' 'core-power off' > "$root/etc/isst/isst.conf"
inside systemctl reload isst-config.service
check_equal 'reload applies the file again' config\ check:equal "$(equal)"
echo 'level x' >> "$root/etc/isst/isst.conf"
inside systemctl reload isst-config.service 2> /dev/null || true
check_equal 'a reload that fails leaves the service active' active "$(property isst-config.service ActiveState)"

# The stand-in for sleeping loses core-power, as mailbox servers do.
printf '%s\n' '# isst configuration 1' 'core-power on ordered' > "$root/etc/isst/isst.conf"
inside systemctl reload isst-config.service
rm "$root/etc/systemd/system/systemd-suspend.service"
printf '%s\n' '[Unit]' 'DefaultDependencies=no' '[Service]' 'Type=oneshot' 'Environment=ISST_EMULATE=guide ISST_EMULATE_STATE=/var/lib/emulated' \
	'ExecStart=isst core-power disable' > "$root/etc/systemd/system/systemd-suspend.service"
inside systemctl daemon-reload
inside systemctl start suspend.target
await 10 isst-resume.service inactive
check_state isst-resume.service inactive success 0
check_equal 'after a resume the machine is as configured' config\ check:equal "$(equal)"
check_equal 'the resume applied it' 1 "$(journal isst-resume.service | grep -c '^config apply:success$')"
check_equal 'the sleep target is over' inactive "$(property suspend.target ActiveState)"

# What the sandbox leaves: the same unit with a probe in place of the command.
inside mknod /dev/isst_interface c 10 229
inside mknod /dev/other_device c 4 64
cp "$here/probe.sh" "$root/etc/probe.sh"
mkdir -p "$root/run"
sed -e 's|^ExecStart=.*|ExecStart=sh /etc/probe.sh|' -e '/^ExecReload/d' -e '/^ConditionVirtualization/d' -e '/^Before=kubelet/d' \
	"$stage/usr/lib/systemd/system/isst-config.service" > "$root/etc/systemd/system/probe.service"
inside systemctl daemon-reload
inside systemctl start probe.service || true
check_equal 'the sandbox leaves what the command needs, and no more' "$(cat "$here/probe.expected")" \
	"$(journal probe.service | sed -n 's/^probe: //p')"
check_equal 'lines of the system log arrive' 1 "$(inside journalctl --no-pager -o cat -t isst-probe | grep -c 'a line')"
check_equal '/run/isst stays' '755 root root' "$(inside stat -c '%a %U %G' /run/isst)"
stop

# ---- The device appears late ----

new_root 'device after some seconds'
# Its modules are not loaded yet, either.
fault 'platform-info api-version 0' 'read /sys/module/isst_if_*/initstate ENOENT'
start
await 20 multi-user.target active
sleep 2
check_equal 'the boot goes on meanwhile' 'active activating' "$(property multi-user.target ActiveState) $(property isst-config.service ActiveState)"
: > "$state/faults"
await 10 isst-config.service active
check_state isst-config.service active success 0
check_equal 'the machine is as configured' config\ check:equal "$(equal)"
check_equal 'the journal has what it waited for' \
	'Waiting up to 30 s: the Speed Select driver is loaded, but none of its transports: load isst_if_mbox_pci and isst_if_mmio' \
	"$(journal isst-config.service | grep Waiting)"
stop

# ---- There is no device ----

new_root 'no device'
fault 'open ENOENT'
start
await 20 multi-user.target active
check_equal 'the boot goes on meanwhile' 'active activating' "$(property multi-user.target ActiveState) $(property isst-config.service ActiveState)"
await 40 isst-config.service failed
check_state isst-config.service failed exit-code 3
check_equal 'it waited for half a minute' yes "$(
	waited=$(($(property isst-config.service ExecMainExitTimestampMonotonic) - $(property isst-config.service ExecMainStartTimestampMonotonic)))
	[ "$waited" -ge 30000000 ] && [ "$waited" -le 33000000 ] && echo yes || echo "$waited us"
)"
check_equal 'the journal names the cause once' 1 "$(journal isst-config.service | grep -c '^Error: .*no Speed Select driver on this machine')"
stop

# ---- The watcher ----

level() {	# level NUMBER: another process sets the level of the first package
	ISST_EMULATE=guide ISST_EMULATE_STATE=$state "$build/isst" -c 0 perf-profile set-config-level -l "$1" > /dev/null
}

# await_line TEXT: until the watcher's journal has so many lines that match
await_line() {
	for _ in $(seq 200); do
		[ "$(journal isst-watch.service | grep -c "$1")" -lt "$2" ] || return 0
		sleep 0.1
	done
	journal isst-watch.service
}

new_root 'a watcher'
printf '%s\n' '[Service]' 'RestartSec=1' > "$root/etc/systemd/system/isst-watch.service.d/restart.conf"
systemctl --quiet --root="$root" enable isst-watch.service 2> /dev/null
start
await 30 isst-watch.service active
check_state isst-watch.service active success 0
check_equal 'it is ready only when it knows the machine' notify "$(property isst-watch.service Type)"
level 1
check_equal 'the journal has what another process changed' '' "$(await_line 'level: 0 -> 1' 1)"
inside systemctl reload isst-watch.service
check_state isst-watch.service active success 0
first=$(property isst-watch.service MainPID)
inside kill -KILL "$first"
await_restart() {
	for _ in $(seq 200); do
		[ "$(property isst-watch.service MainPID)" = "$first" ] || [ "$(property isst-watch.service ActiveState)" != active ] || return 0
		sleep 0.1
	done
	property isst-watch.service ActiveState
}
check_equal 'one that was killed starts again' '' "$(await_restart)"
level 0
check_equal 'and goes on' '' "$(await_line 'level: 1 -> 0' 1)"
inside systemctl restart isst-watch.service
check_state isst-watch.service active success 0
inside systemctl stop isst-watch.service
check_state isst-watch.service inactive success 0
check_equal 'no unit of the project has a warning' '' \
	"$(inside journalctl --no-pager -o cat -p warning | grep -i isst | grep -v -e 'status=9/KILL' -e "'signal'" || true)"
stop

new_root 'a watcher that repairs'
sed 's/ --real / /' "$stage/usr/share/doc/isst/isst-watch-apply.conf" > "$root/etc/systemd/system/isst-watch.service.d/zz-apply.conf"
systemctl --quiet --root="$root" enable isst-watch.service 2> /dev/null
start
await 30 isst-watch.service active
ISST_EMULATE=guide ISST_EMULATE_STATE=$state "$build/isst" core-power disable > /dev/null
for _ in $(seq 400); do
	[ "$(equal)" != 'config check:equal' ] || break
	sleep 0.1
done
check_equal 'what another process changed is as configured again' config\ check:equal "$(equal)"
check_equal 'the journal has both' '' "$(await_line 'package [01], die 0: applied$' 2)"
check_state isst-watch.service active success 0
stop

new_root 'a watcher without a driver'
fault 'open ENOENT'
printf '%s\n' '[Service]' 'RestartSec=1' > "$root/etc/systemd/system/isst-watch.service.d/restart.conf"
rm "$root/etc/isst/isst.conf"
systemctl --quiet --root="$root" enable isst-watch.service 2> /dev/null
start
await 20 multi-user.target active
await_line 'no Speed Select driver' 1
: > "$state/faults"
await 20 isst-watch.service active
check_state isst-watch.service active success 0
stop

# ---- The configuration ----

new_root 'a mistake in the configuration'
fault 'open ENOENT'
echo 'levle 1' >> "$root/etc/isst/isst.conf"
start
await 20 isst-config.service failed
check_state isst-config.service failed exit-code 2
check_equal 'at once' yes "$(
	took=$(($(property isst-config.service ExecMainExitTimestampMonotonic) - $(property isst-config.service ExecMainStartTimestampMonotonic)))
	[ "$took" -le 3000000 ] && echo yes || echo "$took us"
)"
check_equal 'the journal names the line' 1 "$(journal isst-config.service | grep -c '^Error: /etc/isst/isst.conf:3: ')"
stop

new_root 'another machine, which is skipped'
fault 'open ENOENT'
sed -i '1a match model 0xad else skip' "$root/etc/isst/isst.conf"
start
await 20 isst-config.service active
check_state isst-config.service active success 0
check_equal 'the journal has the reason' 'Information: skipped: the configuration is for another machine' \
	"$(journal isst-config.service | grep skipped:)"
stop

new_root 'no configuration'
rm "$root/etc/isst/isst.conf"
start
await 20 multi-user.target active
check_equal 'nothing is started' 'inactive no' "$(property isst-config.service ActiveState) $(property isst-config.service ConditionResult)"
stop

finish
