# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For test scripts that speak TAP; to be sourced.
count=0
failed=0
skipped=0

report() {	# $1: status; $2: what is checked; standard input: what to say if it failed
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		cat > /dev/null
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# /'
	fi
}

skip() {	# $1: what is not checked; $2: why
	count=$((count + 1))
	skipped=$((skipped + 1))
	echo "ok $count - $1 # SKIP $2"
}

# Whether programs can be run on the emulated machine: a preload library with sanitizers does not go into those without.
runs_programs() {	# $1: the build directory
	[ -e "$1/libisst-emulator-preload.so" ] && ! ldd "$1/libisst-emulator-preload.so" | grep -q 'lib[a-z]*san\.'
}
