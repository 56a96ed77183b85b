#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the command does with privileges that its caller does not have, by file capabilities or set-uid: it lends
# them to nothing that the caller names. privileged.sh BUILD. Speaks TAP. Only root can make such programs, and a user
# who is not root has to run them, on a file system that supports them; otherwise the tests are skipped.
set -u
build=$(cd "$1" && pwd) || exit 1
user=65534
# shellcheck source=tests/support/tap.sh
. "$(dirname "$0")/../support/tap.sh"
scratch=

clean_up() {
	rm -rf "$scratch"
}
trap clean_up EXIT

# The tests cannot be run here.
leave() {	# $1: why
	skip "borrowed privileges" "$1"
	finish
	exit
}

as_user() {
	setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}

# A directory that the user can reach, on a file system where set-uid and file capabilities count.
find_scratch() {
	for parent in "${TMPDIR:-/tmp}" /tmp /var/tmp "$build"; do
		scratch=$(mktemp -d "$parent/isst-privileged.XXXXXX" 2> /dev/null) || continue
		chmod 755 "$scratch"
		if cp /usr/bin/cat "$scratch/probe" && setcap cap_dac_override+ep "$scratch/probe" 2> /dev/null &&
			as_user test -r "$scratch/probe" &&
			as_user "$scratch/probe" /proc/self/status 2> /dev/null | grep -q '^CapEff:.*[1-9a-f]'; then
			return 0
		fi
		rm -rf "$scratch"
	done
	return 1
}

# A command fails with a status, and says so. refused STATUS WORDS... ; its output is in $scratch/said.
refused() {
	expected=$1
	shift
	(cd "$scratch/own" && as_user "$@") > "$scratch/said" 2>&1 < /dev/null
	status=$?
	[ "$status" -eq "$expected" ] && return 0
	echo "status $status" >> "$scratch/said"
	return 1
}

[ "$(id -u)" -eq 0 ] || leave "not run as root"
for tool in setcap setpriv; do
	command -v "$tool" > /dev/null || leave "there is no $tool"
done
find_scratch || leave "no file system here supports file capabilities for another user"

mkdir -m 755 "$scratch/capable" "$scratch/set-uid" "$scratch/plain"
for kind in capable set-uid plain; do
	cp "$build/intel-speed-select" "$scratch/$kind/isst"
	[ ! -e "$build/libisst-emulator-preload.so" ] || cp "$build/libisst-emulator-preload.so" "$scratch/$kind"
done
setcap cap_sys_admin,cap_dac_override+ep "$scratch/capable/isst"
chmod 4755 "$scratch/set-uid/isst"
mkdir "$scratch/own"
chown "$user" "$scratch/own"

emulator=yes
"$scratch/plain/isst" platform list > /dev/null 2>&1 || emulator=no

for kind in capable set-uid; do
	isst=$scratch/$kind/isst
	echo "root's, 600" > "$scratch/secret"
	chmod 600 "$scratch/secret"

	refused 4 "$isst" -o "$scratch/secret" --version && [ "$(cat "$scratch/secret")" = "root's, 600" ]
	report $? "$kind: a file of root is not overwritten by --out" < "$scratch/said"

	refused 4 "$isst" -o "$scratch/new" --version && [ ! -e "$scratch/new" ]
	report $? "$kind: no file is created by --out where the caller may not" < "$scratch/said"

	# On a machine without the driver the file is created before that is found out.
	refused 4 "$isst" -o "$scratch/secret" perf-profile info && [ "$(cat "$scratch/secret")" = "root's, 600" ]
	report $? "$kind: nor by a command that asks the machine" < "$scratch/said"

	rm -f "$scratch/own/file"
	refused 0 "$isst" -o file --version && [ "$(stat -c %u "$scratch/own/file")" = "$user" ]
	report $? "$kind: a file that --out creates is the caller's" < "$scratch/said"

	[ "$emulator" = yes ] || continue
	cp "$scratch/secret" "$scratch/secret.platform"
	for words in "platform show $scratch/secret.platform" "--emulate $scratch/secret.platform --info" \
		"--emulate guide --info" "--emulate guide emulate -- cat $scratch/secret" \
		"platform statistics guide" "platform reset guide" "platform capture $scratch/own/capture"; do
		# shellcheck disable=SC2086  # words of a command line
		refused 4 "$isst" $words && ! grep -q "root's, 600" "$scratch/said"
		report $? "$kind: refused: isst $(echo "$words" | sed "s,$scratch/,,g")" < "$scratch/said"
	done

	for words in "perf-profile info" "core-power enable" "-o file --info"; do
		rm -f "$scratch/own/file"
		# shellcheck disable=SC2086  # words of a command line
		refused 4 env ISST_EMULATE=guide "$isst" $words && grep -q ISST_EMULATE "$scratch/said" &&
			[ ! -e "$scratch/own/file" ]
		report $? "$kind: with ISST_EMULATE the real machine is not taken: isst $words" < "$scratch/said"
	done

	(cd "$scratch/own" && ISST_EMULATE=guide as_user "$isst" platform list) > "$scratch/said" 2>&1
	report $? "$kind: the built-in platforms are still named" < "$scratch/said"
done

# A service may have capabilities of its own; the program that it runs on an emulated machine gets none.
# Under a sanitizer, whose runtime has to come first, no program can be run there.
if [ "$emulator" = yes ] && "$scratch/plain/isst" --emulate guide --emulate-state "$scratch/trial" emulate -- true 2> /dev/null; then
	(cd "$scratch/own" && as_user --inh-caps +dac_override --ambient-caps +dac_override \
		"$scratch/plain/isst" --emulate guide --emulate-state "$scratch/own/state" \
		emulate -- cat /proc/self/status) > "$scratch/said" 2>&1
	status=$?
	[ "$status" -eq 0 ] && [ "$(grep -c '^Cap\(Inh\|Prm\|Eff\|Amb\):.*[1-9a-f]' "$scratch/said")" -eq 0 ]
	report $? "emulate hands no capability on" < "$scratch/said"

	echo "root's, 600" > "$scratch/secret"
	(cd "$scratch/own" && as_user --inh-caps +dac_override --ambient-caps +dac_override \
		"$scratch/plain/isst" --emulate guide --emulate-state "$scratch/own/state" \
		-o "$scratch/secret" perf-profile get-lock-status) > "$scratch/said" 2>&1
	status=$?
	[ "$status" -eq 4 ] && [ "$(cat "$scratch/secret")" = "root's, 600" ]
	report $? "a service with capabilities opens --out by its user's rights" < "$scratch/said"
fi

finish
