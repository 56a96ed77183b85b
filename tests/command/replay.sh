# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Shared by the scripts that replay machines, which source it: $isst is the command of the build
# directory that is their first argument, $scratch a directory that goes with them.
set -u
export LC_ALL=C
unset ISST_EMULATE ISST_EMULATE_STATE
isst=$1/isst
case $isst in /*) ;; *) isst=$PWD/$isst ;; esac
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-replay.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

# Every reading command, in each of the formats: print_all PLATFORM STATE FORMAT...; without the line
# that names the machine. Of levels, classes and CPUs some are there and some are not.
print_all()
{
	emulated=$1
	kept=$2
	shift 2
	while read -r words; do
		for format in "$@"; do
			echo "== $format $words"
			# shellcheck disable=SC2086  # words of a command line
			"$isst" --emulate "$emulated" --emulate-state "$kept" --format "$format" $words \
				2>&1 < /dev/null
			echo "status $?"
		done
	done <<-'END' | grep -v '^Emulated machine: '
		--info
		perf-profile info
		perf-profile info --level 1
		perf-profile get-lock-status
		perf-profile get-config-levels
		perf-profile get-config-version
		perf-profile get-config-enabled
		perf-profile get-config-current-level
		base-freq info
		base-freq info --level 0
		base-freq info --level 1
		base-freq info --level 4
		turbo-freq info
		turbo-freq info --level 0
		turbo-freq info --level 2
		turbo-freq info --level 0 --bucket 1
		turbo-freq info --level 0 --bucket 1 --trl-type level-1
		core-power info
		core-power get-config --clos 0
		core-power get-config --clos 3
		--cpu 0-1000 core-power get-assoc
		--cpu 0-511 core-power get-assoc
		--cpu 0-223 core-power get-assoc
		--cpu 1,3 core-power get-assoc
		--cpu 1,99 perf-profile info
		--cpu 2 perf-profile get-config-current-level
		turbo-mode get-trl
	END
}
