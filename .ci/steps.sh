# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For .ci/run and .ci/full, by sourcing it: steps, each with its time, and at the end one line for each of them.
begin=$(date +%s)
steps=$(mktemp -d "${TMPDIR:-/tmp}/isst-ci.XXXXXX")
trap 'rm -rf "$steps"' EXIT

# step COMMAND...: runs it; one that fails ends the run
step() {
	printf '\n==== %s (%s)\n' "$*" "$(date +%T)"
	step_begin=$(date +%s)
	{
		step_status=0
		"$@" 2>&1 || step_status=$?
		echo "$step_status" > "$steps/status"
	} | tee "$steps/output"
	printf '%5d s  %s: %s\n' "$(($(date +%s) - step_begin))" "$*" "$(closing "$steps/output")" >> "$steps/closing"
	step_status=$(cat "$steps/status")
	if [ "$step_status" -ne 0 ]; then
		summary
		echo "failed: $*"
		exit "$step_status"
	fi
}

# closing FILE: the last line that counts tests, or else the last one
closing() {
	awk '/passed, [0-9]+ failed/ || !counted { line = $0 } /passed, [0-9]+ failed/ { counted = 1 } END { print line }' "$1"
}

# What each step took, and what it ended with.
summary() {
	printf '\n==== Summary (%s)\n' "$(date +%T)"
	cat "$steps/closing"
	printf '%5d s\n' "$(($(date +%s) - begin))"
}
