#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fetch.sh DIRECTORY [SUITE]
# Fetches the intel-speed-select that the distribution packages (Debian: in linux-cpupower) with the libraries that it
# needs, through the package manager and without installing anything, and makes in DIRECTORY:
#   run       runs it, unmodified, by the loader and with the libraries of its own suite
#   version   the program's own (v1.26); in the second line the package's, and the suite
# SUITE: the one to take it from; the first of those below that has it by default. REFERENCE=path takes a program that is
# there already instead. Exit status 3 when there is none to be had; what is missing is reported on standard error.
set -eu
# shellcheck source=tests/packages.sh
. "$(dirname "$0")/../packages.sh"

directory=$1
suites=${2:-trixie-backports trixie bookworm-backports}

# Without the driver it does not tell its version, but it does run.
tell_version() {	# $1: program $2: where it is from
	release=$(grep -a -o 'v[1-9]\.[0-9][0-9]*' "$1" | head -n 1)
	"$directory/run" --help > "$directory/log" 2>&1 || true
	if [ -z "$release" ] || ! grep -q -i 'speed select' "$directory/log"; then
		echo "reference: $2 does not run here: $(head -n 1 "$directory/log")" >&2
		exit 3
	fi
	printf '%s\n%s\n' "$release" "$2" > "$directory/version"
}

mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if [ -n "${REFERENCE:-}" ]; then
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$(realpath "$REFERENCE")" > "$directory/run"
	chmod +x "$directory/run"
	tell_version "$REFERENCE" "$REFERENCE"
	exit 0
fi
[ -e "$directory/version" ] && exit 0
command -v apt-get > /dev/null || { echo "reference: no apt-get here; give the program's path as REFERENCE" >&2; exit 3; }

archive=$(archive_address) || { echo "reference: no package archive is configured" >&2; exit 3; }

fetch() {	# $1: suite
	suite=$1
	release=${1%-backports}
	work=$directory/$suite
	packages_prepare "$work" "$(dpkg --print-architecture)" "$archive" "$release" "$suite" || return 1
	package=$(packages_run apt-cache madison linux-cpupower |
		awk -F ' *[|] *' -v suite="$suite/" 'index($3, suite) { print $2; exit }')
	[ -n "$package" ] || return 1
	packages_unpack "linux-cpupower=$package" "libc6/$release" "libnl-3-200/$release" "libnl-genl-3-200/$release" || return 1
	program=$(find "$work/root/usr" -name intel-speed-select -type f | head -n 1)
	loader=$(find "$work/root" -name 'ld-linux*.so*' | head -n 1)
	libraries=$(find "$work/root" -name 'lib*.so.*' -exec dirname {} + | sort -u | paste -s -d :)
	[ -n "$program" ] && [ -n "$loader" ] || return 1
	printf '#!/bin/sh\nexec "%s" --argv0 intel-speed-select --library-path "%s" "%s" "$@"\n' \
		"$loader" "$libraries" "$program" > "$directory/run"
	chmod +x "$directory/run"
	tell_version "$program" "linux-cpupower $package ($suite)"
}

for suite in $suites; do
	fetch "$suite" && exit 0
done
echo "reference: linux-cpupower is in none of the suites $suites; last words:" >&2
tail -n 3 "$directory"/*/log >&2 || true
exit 3
