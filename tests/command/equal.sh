#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Commands, and statements of a configuration that ask for the same, leave the same state and write the same: equal.sh BUILD. Speaks TAP.
# A line of the tables: commands, `|`, statements; steps of both are separated by ` & `, statements of a step by `;`.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-equal.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C PATH="$build:$PATH" ISST_EMULATE_QUIET=yes
unset ISST_EMULATE_STATE
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# Those of all machines.
everywhere() {
	cat <<-'END'
		base-freq enable | base-freq on
		base-freq enable & base-freq disable | base-freq on & base-freq off
		turbo-freq enable | turbo-freq on;core-power on ordered
		turbo-freq enable & turbo-freq disable | turbo-freq on;core-power on ordered & turbo-freq off;turbo-ratio-limits level
		turbo-freq enable --auto --high-priority 1/package | high-priority 1/package
		turbo-freq enable --auto --high-priority 1/package & turbo-freq disable | high-priority 1/package & turbo-freq off
		perf-profile set-config-level -l 1 | level 1
		perf-profile set-config-level -l 1 & perf-profile set-config-level -l 0 | level 1 & level 0
		core-power enable | core-power on
		core-power enable -p 1 | core-power on ordered
		core-power enable -p 1 & core-power disable | core-power on ordered & core-power off
		core-power config -c 1 -n 1000 -m 2000 -w 3 | clos 1: min 1000 max 2000 epp 0 weight 3
		core-power config -c 3 -w 5 | clos 3: min 0 max none epp 0 weight 5
		-c 0,1 core-power assoc -c 2 | cpu 0,1: association 2
		turbo-mode disable | scaling-max base
		turbo-mode disable & turbo-mode enable | scaling-max base & scaling-max none
		base-freq enable & perf-profile set-config-level -l 1 | base-freq on & level 1
	END
}

# Mailbox: a domain of a CPU is a die, and CPUs follow a level without limits of I/O dies.
mailbox() {
	cat <<-'END'
		-c 0 base-freq enable | package 0 domain 0: base-freq on
		-c 0 turbo-freq enable | package 0 domain 0: turbo-freq on;package 0 domain 0: core-power on ordered
		-c 0 perf-profile set-config-level -l 1 | package 0 domain 0: level 1
		-c 0 core-power enable -p 1 | package 0 domain 0: core-power on ordered
		-c 0 turbo-mode set-trl -t 0x1414141414141414 | package 0 domain 0: turbo-ratio-limits 0x1414141414141414
		perf-profile set-config-level -l 1 -o | level 1;cpus by-level
		perf-profile set-config-level -l 1 -o & perf-profile set-config-level -l 0 -o | level 1;cpus by-level & level 0;cpus by-level
	END
}

# TPMI: what -c names is the power domain of the CPU; core-power and turbo ratio limits are of the package.
tpmi() {
	cat <<-'END'
		-c 0 base-freq enable | package 0 domain 0: base-freq on
		-c 0 perf-profile set-config-level -l 1 | package 0 domain 0: level 1
		-c 0 core-power enable -p 1 | package 0: core-power on ordered
		-c 0 turbo-mode set-trl -t 0x1414141414141414 | package 0: turbo-ratio-limits 0x1414141414141414
	END
}

# Runs steps on a machine of its own: $1: its directory; $2: how; $3: the steps
run_steps() {
	rm -rf "$1"
	mkdir -m 700 "$1"
	echo "$3" | sed 's/ & /\n/g' | while IFS= read -r step; do
		"$2" "$1" "$step" > "$1.printed" 2>&1
		echo "status $?"
	done > "$1.status"
	isst --emulate-state "$1" config save --all > "$1.saved" 2>&1
	# Without the command that wrote, in any order: of CPUs by package or by number.
	sed -n '/ -> /s/^[^:]*: *//p' "$1/log" | sort > "$1.writes"
}

command_step() {
	# shellcheck disable=SC2086 # words of a command line
	isst --emulate-state "$1" $2
}

statement_step() {
	(
		state=$1 statements=$2
		set --
		IFS=';'
		for statement in $statements; do
			set -- "$@" --set "$statement"
		done
		isst --emulate-state "$state" config apply "$@"
	)
}

same() {	# $1: commands; $2: statements
	run_steps "$scratch/commands" command_step "$1"
	run_steps "$scratch/statements" statement_step "$2"
	! grep -v 'status 0' "$scratch/commands.status" || cat "$scratch/commands.printed"
	for part in status saved writes; do
		diff "$scratch/commands.$part" "$scratch/statements.$part" || cat "$scratch/statements.printed"
	done
	[ -s "$scratch/commands.writes" ] || echo "nothing was written"
}

compare_on() {	# $1: platform; others: tables
	ISST_EMULATE=$root/tests/platforms/$1.platform
	export ISST_EMULATE
	platform=$1
	shift
	for table; do $table; done > "$scratch/pairs"
	while IFS='|' read -r commands statements; do
		commands=${commands% } statements=${statements# }
		check "$platform: $commands" succeeds_silently same "$commands" "$statements"
	done < "$scratch/pairs"
}

compare_on tiny everywhere mailbox
compare_on multi-die everywhere mailbox
compare_on tpmi-tiny everywhere tpmi
compare_on tpmi-dies everywhere tpmi
compare_on offline everywhere mailbox

finish
