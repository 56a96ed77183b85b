#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# check-tuned.sh BUILD
# The TuneD profile with this system's own TuneD and a message bus of its own, on an emulated machine: activated, verified, with
# and without a difference, and turned off. Needs root and TuneD; changes nothing outside of its mount namespace. Speaks TAP.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
# shellcheck source=tests/support/tap.sh
. "$here/../support/tap.sh"

if [ -z "${ISST_TUNED_INSIDE:-}" ]; then
	for program in tuned tuned-adm dbus-daemon unshare; do
		command -v "$program" > /dev/null || skip_all "$program is not installed"
	done
	if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2> /dev/null; then
		skip_all 'root and mount namespaces are needed'
	fi
	ISST_TUNED_INSIDE=yes exec unshare -m bash "$here/check-tuned.sh" "$build"
fi

mount --make-rprivate /
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-tuned.XXXXXX")
tuned=
bus=
cleanup() {
	[ -z "$tuned" ] || kill "$tuned" 2> /dev/null || true
	[ -z "$tuned" ] || wait "$tuned" 2> /dev/null || true
	[ -z "$bus" ] || kill "$bus" 2> /dev/null || true
	rm -rf "$scratch"
}
trap cleanup EXIT

# What TuneD, the profile and the command write, they write here.
mkdir -p "$scratch/etc" "$scratch/work" "$scratch/stage"
mount -t overlay -o "lowerdir=/etc,upperdir=$scratch/etc,workdir=$scratch/work" overlay /etc
make -s -C "$here/../.." BUILD="$build" SYSTEM_BUILD="$scratch/generated" BINDIR="$build" TUNEDDIR=/etc/tuned \
	ANSIBLEDIR="$scratch/stage" UNITDIR="$scratch/stage" TMPFILESDIR="$scratch/stage" install-system
mkdir -p /etc/isst
mount -t tmpfs none /var/log
mkdir -p /var/log/tuned
mount -t tmpfs none /run
mkdir -p /run/tuned /run/isst

export ISST_EMULATE=guide ISST_EMULATE_STATE=$scratch/machine
mkdir "$ISST_EMULATE_STATE"
isst=$build/isst
printf '%s\n' '# isst configuration 1' 'core-power on ordered' 'clos 1: max 2000' > /etc/isst/isst.conf
"$isst" -c 0 core-power config -c 2 --max 1500 > /dev/null 2>&1	# a setting that has to return
"$isst" config save --all "$scratch/before.conf" > /dev/null

dbus-daemon --session --fork --print-address=3 --print-pid=4 3> "$scratch/address" 4> "$scratch/pid"
bus=$(cat "$scratch/pid")
DBUS_SYSTEM_BUS_ADDRESS=$(cat "$scratch/address")
export DBUS_SYSTEM_BUS_ADDRESS
tuned --log=/var/log/tuned/tuned.log --profile isst > "$scratch/tuned.out" 2>&1 &
tuned=$!
for _ in $(seq 100); do
	tuned-adm active 2> /dev/null | grep -q 'Current active profile: isst' && [ -e /run/isst/before-tuned.conf ] &&
		"$isst" config check /etc/isst/isst.conf > /dev/null 2>&1 && break
	sleep 0.1
done

as_configured() { "$isst" config check /etc/isst/isst.conf > /dev/null; }
as_before() { "$isst" config check "$scratch/before.conf" > /dev/null; }

# Before TuneD 2.23, and since then.
python=$(sed -n '1s/^#! *\([^ ]*\).*/\1/p' "$(command -v tuned)")
for place in /etc/tuned /etc/tuned/profiles; do
	check "TuneD finds the profile in $place" "$python" -c 'import sys
from tuned.profiles.locator import Locator
locator = Locator([sys.argv[1]])
sys.exit("isst" not in locator.list_profiles() or locator.get_config("isst") != sys.argv[1] + "/isst/tuned.conf")' "$place"
	check "and the script beside it" test -x "$place/isst/isst.sh"
done
check 'TuneD activates the profile' eval "tuned-adm active | grep -x 'Current active profile: isst'"
check 'and the machine is as configured' eval as_configured
check 'tuned-adm verify succeeds' eval 'tuned-adm verify'
"$isst" core-power disable > /dev/null 2>&1
check 'tuned-adm verify fails when another program has changed something' eval '! tuned-adm verify'
check 'the log of TuneD has the script' eval "grep -q 'isst.sh.*verify' /var/log/tuned/tuned.log"
check 'activating it again repairs that' eval 'tuned-adm profile isst && as_configured && tuned-adm verify'
check 'tuned-adm off returns to the state before' eval 'tuned-adm off && as_before'
check 'and leaves nothing behind' eval 'test ! -e /run/isst/before-tuned.conf'

# With the arguments of TuneD.
script=/etc/tuned/isst/isst.sh
printf '%s\n' '# isst configuration 1' 'match model 0xad' 'core-power on' > /etc/isst/isst.conf
check 'verify fails on another machine' eval "! $script verify"
check 'but not where what is missing is ignored' eval "$script verify ignore_missing"
check 'a start on another machine fails and changes nothing' eval "! $script start && as_before"
check 'a stop afterwards returns to the same state' eval "$script stop full_rollback && as_before"
check 'a stop without a start does nothing' eval "$script stop"
printf '%s\n' '# isst configuration 1' 'core-power on' > /etc/tuned/isst/isst.conf
check 'a configuration beside the script counts' eval "$script start && $script verify"
check 'a second start keeps the state before the first' eval "$script start && $script stop && as_before"
rm /etc/tuned/isst/isst.conf
check 'verify writes the differences to standard error, which TuneD logs' eval \
	"printf '%s\n' '# isst configuration 1' 'core-power on' > /etc/isst/isst.conf; ! $script verify 2> $scratch/err > $scratch/out &&
	grep 'core-power: on is wanted' $scratch/err && ! test -s $scratch/out"
check 'and that the machine could not be compared' eval \
	"echo 'mailbox 0x7f/0x00 EIO' > $ISST_EMULATE_STATE/faults
	printf '%s\n' '# isst configuration 1' 'level 1' > /etc/isst/isst.conf; ! $script verify 2> $scratch/err &&
	grep 'could not be compared' $scratch/err && ! grep differs $scratch/err"
rm -f "$ISST_EMULATE_STATE/faults"
check 'which it does not write of a difference' eval \
	"! $script verify 2> $scratch/err && grep differs $scratch/err && ! grep 'could not be compared' $scratch/err"
printf '%s\n' '# isst configuration 1' 'core-power on' > /etc/isst/isst.conf
check 'a start waits for a driver that comes late' eval \
	"echo 'open ENOENT times 3' > $ISST_EMULATE_STATE/faults; $script start && $script verify && $script stop && as_before"
check 'a start where the configuration is skipped does nothing' eval \
	"printf '%s\n' '# isst configuration 1' 'match model 0xad else skip' 'core-power on' > /etc/isst/isst.conf; $script start &&
	test ! -e /run/isst/before-tuned.conf && as_before"
check 'another word is refused' eval "$script restart; test \$? -eq 2"
finish
