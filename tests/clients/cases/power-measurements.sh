#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# user: a university's measurements of power: everything off, then step by step on, into a log
# platforms: guide icelake-2s40c graniterapids-6776p
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for words in 'base-freq disable' 'turbo-freq disable' 'core-power disable' '-c 0-27 core-power assoc -c 0' \
	'core-power config -c 1 -m 1000' '-c 1-4 core-power assoc -c 1' 'core-power enable' 'perf-profile info -l 0'; do
	# shellcheck disable=SC2086 # words
	intel-speed-select $words 2>&1 | tee -a "$log" > /dev/null
done
grep -c success "$log"
grep -o 'cpu-count:.*' "$log"
intel-speed-select -c 0-7 core-power get-assoc 2>&1 | grep -o 'clos:.'
