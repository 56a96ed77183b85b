# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For .ci/run and .ci/full, by sourcing it: steps, each with its time, and at the end one line for each of them.
begin=$(date +%s)
steps=$(mktemp -d "${TMPDIR:-/tmp}/isst-ci.XXXXXX")
# A step that runs beside others when one of them fails is waited for.
trap 'wait; rm -rf "$steps"' EXIT

# step COMMAND...: runs it; one that fails ends the run
step() {
	printf '\n==== %s (%s)\n' "$*" "$(date +%T)"
	step_begin=$(date +%s)
	{
		step_status=0
		"$@" 2>&1 || step_status=$?
		echo "$step_status" > "$steps/status"
	} | tee "$steps/output"
	step_status=$(cat "$steps/status")
	close_step "$(($(date +%s) - step_begin))" "$*" "$steps/output"
}

# beside COMMAND...: begins a step that leaves processors idle; `await` ends it, in the place of `step`
beside() {
	printf '\n==== %s, beside what follows (%s)\n' "$*" "$(date +%T)"
	beside_words=$*
	beside_begin=$(date +%s)
	{
		beside_status=0
		"$@" > "$steps/beside" 2>&1 || beside_status=$?
		printf '%s\n%s\n' "$beside_status" "$(date +%s)" > "$steps/beside-end"
	} &
	beside_process=$!
}

await() {
	wait "$beside_process"
	printf '\n==== %s (%s)\n' "$beside_words" "$(date +%T)"
	cat "$steps/beside"
	{ read -r step_status && read -r beside_end; } < "$steps/beside-end"
	close_step "$((beside_end - beside_begin))" "$beside_words" "$steps/beside"
}

# close_step SECONDS WORDS OUTPUT: by step_status
close_step() {
	printf '%5d s  %s: %s\n' "$1" "$2" "$(closing "$3")" >> "$steps/closing"
	if [ "$step_status" -ne 0 ]; then
		summary
		echo "failed: $2"
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
