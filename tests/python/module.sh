#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tests of the Python package, where they can run: module.sh BUILD. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"
command -v python3 > /dev/null || skip_all "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip_all "python3 is older than 3.9"
! grep -q -e -fsanitize= "$build/flags" || skip_all "the shared library has sanitizers"
unset ISST_EMULATE ISST_EMULATE_STATE PYTHONPATH
# Where the package finds the libraries.
export LD_LIBRARY_PATH="$build"
exec python3 "$root/tests/python/module.py" "$build"
