#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the picture of the README, what `isst status --map` prints on a terminal with colours: picture.sh BUILD
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-picture.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ISST_EMULATE=graniterapids-6776p ISST_EMULATE_STATE="$scratch/state"

command='isst status --map'
# The command before it is on the picture as well.
{
	echo '$ isst turbo-freq enable --auto --high-priority 8/package > /dev/null'
	"$build/isst" turbo-freq enable --auto --high-priority 8/package > "$scratch/none"
	echo "\$ $command"
	"$build/isst" status --map --color always
} > "$scratch/text"
awk -f "$here/picture.awk" -v title="$command" < "$scratch/text"
