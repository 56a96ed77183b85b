#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# user: scripts that collect data of a server, for support and for inventories
# platforms: guide icelake-2s36c cooperlake cascadelake-6230n sierraforest-2s112c diamondrapids-2s32c
file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT
intel-speed-select --help | head -n 1
intel-speed-select --info 2>&1 | grep -E 'is (not )?supported|Platform:|TDP'
intel-speed-select perf-profile info -l 0 2>&1 | grep -c enable-cpu-list
intel-speed-select -o "$file" perf-profile info > /dev/null 2>&1
grep -c perf-profile-level "$file"
awk -F: '/thermal-design-power\(W\)/ { print $2 }' "$file" | sort | uniq -c
nproc > /dev/null && lscpu > /dev/null && echo "lscpu works"
