#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What --format json-v2 writes, compared with its schema, its document, and the other formats: schema.sh BUILD. Speaks TAP.
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
command -v python3 > /dev/null || skip_all "python3 is not installed"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-schema.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE
PYTHONDONTWRITEBYTECODE=yes python3 "$root/tests/schema/schema.py" "$root" "$build" "$scratch"
