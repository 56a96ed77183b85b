#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tests of the Python module, where they can run: module.sh BUILD. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
command -v python3 > /dev/null || skip_all "there is no python3"
! grep -q -e -fsanitize= "$build/flags" || skip_all "the shared library has sanitizers"
unset ISST_EMULATE ISST_EMULATE_STATE PYTHONPATH
exec python3 "$root/tests/python/module.py" "$build"
