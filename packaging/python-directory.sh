#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the directory for Python modules below a prefix: python-directory.sh PREFIX
# It is one where python3 finds them; where it looks for none below this prefix, that of Python's default scheme. Nothing without
# python3: each version looks in a directory of its own.
set -u
for python in python3 /usr/bin/python3; do
	"$python" -I -c 'import site, sys
print(next(name for name in site.getsitepackages() if name.startswith(sys.argv[1] + "/lib/")))' "$1" 2> /dev/null && exit
done
python3 -I -c 'import sys, sysconfig
print(sysconfig.get_path("purelib", "posix_prefix", {"base": sys.argv[1]}))' "$1" 2> /dev/null || :
