#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints a picture of the documents, what commands print on a terminal with colours: picture.sh BUILD NAME
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-picture.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ISST_EMULATE_STATE="$scratch/state"

# Prints a command line and what it prints on the emulated machine.
show() {	# the words of the command
	echo "\$ isst $*"
	ISST_EMULATE=$machine "$build/isst" "$@"
}

show_with_turbo_freq() {
	machine=graniterapids-6776p
	echo '$ isst turbo-freq enable --auto --high-priority 8/package > /dev/null'
	ISST_EMULATE=$machine "$build/isst" turbo-freq enable --auto --high-priority 8/package > "$scratch/none"
	show "$@"
}

case $2 in
status) show_with_turbo_freq status --color always ;;
status-map) show_with_turbo_freq status --map --color always ;;
levels)
	echo '$ isst levels'
	ISST_EMULATE=guide TERM=xterm "$build/tests/command/on-terminal" 100 "$build/isst" levels |
		sed "s/\\\\e/$(printf '\033')/g"
	;;
esac | sed '/^\$/s/ --color always//' > "$scratch/text"
awk -f "$here/picture.awk" -v title="isst $(echo "$2" | sed 's/-/ --/')" < "$scratch/text"
