#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --oob as scripts use it, in the foreground and as a daemon, while another process changes the level: oob.sh BUILD. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-oob.XXXXXX") || exit 1
daemon=
cleanup() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2> /dev/null
	rm -rf "$scratch"
}
trap cleanup EXIT
export LC_ALL=C PATH="$build:$build/tests/command:$PATH"
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
cd "$scratch" || exit 1

# on PLATFORM: a machine of its own
on() {
	export ISST_EMULATE="$1" ISST_EMULATE_STATE="$scratch/state-$1"
	pid_file=$ISST_EMULATE_STATE/run/watch-follow.pid
}

set_level() {	# $1: level
	intel-speed-select -c 0 perf-profile set-config-level -l "$1" > changed 2>&1
}

# Within 30 seconds.
await() {	# a command
	for _ in $(seq 300); do
		"$@" > /dev/null 2>&1 && return
		sleep 0.1
	done
	echo "not within 30 seconds: $*"
	cat F messages 2> /dev/null
	return 1
}

gone() {	# $1: process
	! kill -0 "$1" 2> /dev/null
}

end() {	# $1: process; ends it, and returns its status
	kill -TERM "$1" && wait "$1"
}

online() {
	kernel-files cat /sys/devices/system/cpu/online
}

# ---- In the foreground ----

# The use that a public test has of it: the file has both kinds of lines, SIGTERM ends it with 0.
foreground() {	# the options of it
	intel-speed-select --oob "$@" -o F > output 2> messages &
	run=$!
}

follows() {	# $1: CPUs that the level leaves online
	await grep -x 'offline cpu 13' F && await grep -x 'offline cpu 41' F && online > now && [ "$(cat now)" = "$1" ]
}

returns() {
	await grep -x 'online cpu 13' F && await grep -x 'online cpu 41' F && online > now && [ "$(cat now)" = 0-55 ]
}

# Debug writes it, too.
has_banner() {
	head -n 2 output | grep -x 'Executing on CPU model:106\[0x6a\]'
}

on guide
foreground -d
check 'events are used' await grep -x 'hfi is initialized' F
check 'no CPU is touched at the start' sh -c '! grep "line cpu" F'
set_level 1
check 'a level that another process sets is followed' follows 0-12,14-40,42-55
set_level 0
check 'and back' returns
check 'SIGTERM ends it with 0' end $run
check 'the banner is printed' has_banner
check 'it reports what it runs in' grep -x 'OOB mode is enabled in debug mode' messages
# shellcheck disable=SC2016  # expanded by the inner shell
check 'it leaves nothing in the runtime directory' sh -c '! ls "$1/run" | grep -e thermal -e watch' sh "$ISST_EMULATE_STATE"

# ---- With an interval ----

on guide
foreground -w 1 -n
# Nothing shows that it knows the machine: the second change is one that it sees.
polls() {
	for level in 1 0 1 0 1 0 1 0; do
		sleep 2
		set_level $level
		! grep -q -x 'offline cpu 13' F || return 0
	done
	return 1
}
check 'an interval does without events' polls
check 'SIGTERM ends that with 0' end $run
check 'no event is mentioned' sh -c '! grep hfi F'

# ---- As a daemon ----

has_number() {
	daemon=$(cat "$pid_file") && kill -0 "$daemon"
}

is_apart() {
	[ "$(cut -d ' ' -f 6 "/proc/$daemon/stat")" = "$daemon" ] && [ "$(readlink "/proc/$daemon/fd/0")" = /dev/null ] &&
		[ "$(readlink "/proc/$daemon/fd/2")" = /dev/null ]
}

second() {
	intel-speed-select --oob > second 2>&1
	[ $? -eq 6 ] && grep "^Error: process $daemon does this already$" second
}

watcher() {
	isst watch --follow > second 2>&1
	[ $? -eq 6 ]
}

ends() {
	kill -TERM "$daemon" && await gone "$daemon" && daemon= && [ ! -e "$pid_file" ]
}

on icelake-2s36c
rm -f F
check 'the parent of a daemon ends with 0' sh -c 'intel-speed-select --oob -o F > output 2> messages'
check 'it prints what it does' grep -x 'OOB mode is enabled and will run as daemon' messages
check 'events are used by the daemon' grep -x 'hfi is initialized' F
check 'its number is in the runtime directory' has_number
check 'session, directory and streams are its own' is_apart
check 'a second one is refused' second
check 'as is a watcher for the same purpose' watcher
check 'nothing is in /tmp' sh -c '! ls -d /tmp/hfi-events.pid'
set_level 1
check 'it follows a level' await grep '^offline cpu' F
check 'SIGTERM ends it, and its file' ends

# A parent whose daemon cannot work has its status.
refuses() {	# $1: status; $2: message; $3...: a command line
	status=$1
	message=$2
	shift 2
	"$@" > output 2> messages
	[ $? -eq "$status" ] && grep "$message" messages && ! grep -q 'will run as daemon' messages
}
on guide
echo 'open ENOENT' > "$ISST_EMULATE_STATE/faults"
check 'without a driver it does not begin' refuses 3 'no Speed Select driver on this machine' intel-speed-select --oob
rm "$ISST_EMULATE_STATE/faults"
check 'nor where no level can be followed' refuses 3 '^Error: ' intel-speed-select --emulate cascadelake-6230n --emulate-state preset --oob

finish
