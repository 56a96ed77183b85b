#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check-units.sh BUILD
# What is installed for systemd, TuneD and Ansible, and what systemd-analyze reports of the units. Speaks TAP.
# shellcheck disable=SC2016  # expanded by inner shells
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
# shellcheck source=tests/support/tap.sh
. tests/support/tap.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-units.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

parts() {	# parts TARGET DESTDIR
	make -s BUILD="$build" SYSTEM_BUILD="$scratch/generated" PREFIX=/opt/isst DESTDIR="$2" "$1"
}

# Below DESTDIR there is nothing but what the makefile names.
installed() {
	(cd "$scratch/stage" && find . ! -type d | sort)
}

cat > "$scratch/expected" <<END
./opt/isst/lib/systemd/system/isst-config.service
./opt/isst/lib/systemd/system/isst-resume.service
./opt/isst/lib/systemd/system/isst-watch.service
./opt/isst/lib/tmpfiles.d/isst.conf
./opt/isst/lib/tuned/isst/isst.sh
./opt/isst/lib/tuned/isst/tuned.conf
./opt/isst/lib/tuned/profiles/isst
./opt/isst/share/ansible/roles/isst/defaults/main.yml
./opt/isst/share/ansible/roles/isst/handlers/main.yml
./opt/isst/share/ansible/roles/isst/meta/main.yml
./opt/isst/share/ansible/roles/isst/tasks/main.yml
./opt/isst/share/ansible/roles/isst/templates/isst.conf.j2
./opt/isst/share/ansible/roles/isst/templates/isst.fact.j2
./opt/isst/share/doc/isst/isst-watch-apply.conf
END
check 'the parts are installed below DESTDIR' parts install-system "$scratch/stage"
installed > "$scratch/found"
check 'each at its place' diff "$scratch/expected" "$scratch/found"
units=$scratch/stage/opt/isst/lib/systemd/system
for file in "$units/isst-config.service" "$units/isst-resume.service" "$units/isst-watch.service" "$scratch/stage/opt/isst/lib/tuned/isst/isst.sh" \
	"$scratch/stage/opt/isst/share/doc/isst/isst-watch-apply.conf"; do
	check "${file##*/} names the installed command" grep -q '"/opt/isst/bin/isst" ' "$file"
	check "nothing is left to be replaced in ${file##*/}" sh -c '! grep -n "@[A-Z]*@" "$1"' sh "$file"
done

if command -v systemd-analyze > /dev/null; then
	for unit in isst-config isst-resume isst-watch; do
		# Its number is ten times the rating.
		check "the exposure of $unit.service is below 2.0" \
			systemd-analyze security --no-pager --offline=true --threshold=19 "$units/$unit.service"
		sed 's|/opt/isst/bin/isst|/bin/true|' "$units/$unit.service" > "$scratch/$unit.service"
		check "systemd has nothing to say about $unit.service" sh -c \
			'output=$(systemd-analyze verify --man=no "$1" 2>&1); echo "$output"; test -z "$output"' sh "$scratch/$unit.service"
	done
	mkdir -p "$scratch/isst-watch.service.d"
	sed 's|/opt/isst/bin/isst|/bin/true|' "$scratch/stage/opt/isst/share/doc/isst/isst-watch-apply.conf" \
		> "$scratch/isst-watch.service.d/apply.conf"
	check 'systemd has nothing to say about isst-watch.service that repairs' sh -c \
		'output=$(systemd-analyze verify --man=no "$1" 2>&1); echo "$output"; test -z "$output"' sh "$scratch/isst-watch.service"
else
	skip 'systemd rates the units' 'systemd-analyze is not installed'
fi
if command -v systemd-tmpfiles > /dev/null && [ "$(id -u)" -eq 0 ]; then
	mkdir -p "$scratch/tmpfiles"
	check 'systemd-tmpfiles makes /run/isst' \
		systemd-tmpfiles --create --root="$scratch/tmpfiles" "$scratch/stage/opt/isst/lib/tmpfiles.d/isst.conf"
	check 'for root alone to write' sh -c 'test "$(stat -c "%a %u %g" "$1")" = "755 0 0"' sh "$scratch/tmpfiles/run/isst"
else
	skip 'systemd-tmpfiles makes /run/isst' 'systemd-tmpfiles is not installed, or not root'
fi
check 'uninstalling takes all of it away' parts uninstall-system "$scratch/stage"
installed > "$scratch/found"
check 'and leaves no file' test ! -s "$scratch/found"
finish
