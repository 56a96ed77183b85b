#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# isst explain after each recipe of docs/configuration.md, which must not condemn what the page recommends, and Priority Core Turbo
# on each built-in machine: recipes.sh BUILD. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-recipes.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
PATH=$build:$PATH
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# Each configuration of the page, as NAME.conf, and the platform that it is for, as NAME.platform. The first one is no recipe.
awk -v scratch="$scratch" '
	match($0, /ISST_EMULATE=[^ ]*/) { platform = substr($0, RSTART + 13, RLENGTH - 13) }
	/^\$ cat > .*\.conf <<.END.$/ {
		name = $4
		sub(/\.conf$/, "", name)
		print platform > (scratch "/" name ".platform")
		next
	}
	/^> END$/ { name = "" }
	name && sub(/^> /, "") { print > (scratch "/" name ".conf") }
' "$root/docs/configuration.md"
rm -f "$scratch/exceptions.conf"

# Limits that the recipe itself asks for are notes.
check_recipe() {	# $1: its name
	ISST_EMULATE=$(cat "$scratch/$1.platform")
	ISST_EMULATE_STATE=$scratch/$1.state
	export ISST_EMULATE ISST_EMULATE_STATE
	mkdir -m 700 "$ISST_EMULATE_STATE"
	isst config apply "$scratch/$1.conf" || return 1
	isst explain > "$scratch/found" 2>&1
	cat "$scratch/found"
	! grep -q -e '^critical' -e '^warning' "$scratch/found"
}

# The highest frequency that a busy CPU reaches.
highest() {
	sed -n 's/^measured: .*: \([0-9]*\) MHz while busy$/\1/p' "$scratch/found" | sort -n | tail -1
}

# High priority cores reach the first bucket of SST-TF, as the platform file has it, which without SST-TF no core reaches while all
# are busy; and explain finds nothing but the low priority of the others.
check_turbo() {	# $1: platform
	ISST_EMULATE=$1
	ISST_EMULATE_STATE=$scratch/turbo.state
	export ISST_EMULATE ISST_EMULATE_STATE
	rm -rf "$ISST_EMULATE_STATE"
	mkdir -m 700 "$ISST_EMULATE_STATE"
	bucket=$(isst platform show "$1" | sed -n 's/^turbo-freq-\(sse\|level-0\) = \([0-9]*\).*/\2/p' | sed 1q)
	isst turbo-freq disable
	isst explain --measure > "$scratch/found" 2>&1
	without=$(highest)
	isst config apply --set 'turbo-freq on' --set 'core-power on ordered' --set 'high-priority bucket 0' --set 'clos 0: max none' \
		--set 'clos 3: max none' --set 'scaling-max none' --set 'turbo-ratio-limits none' || return 1
	isst explain --measure > "$scratch/found" 2>&1 || { cat "$scratch/found"; return 1; }
	! grep -e '^critical' -e '^warning' -e '^note' "$scratch/found" | grep -v '^note: low-priority: ' || return 1
	echo "first bucket $bucket MHz, reached $(highest), without SST-TF $without"
	[ "$(highest)" -eq "$bucket" ] && [ "$without" -lt "$bucket" ]
}

for platform in $(isst platform list | awk '{ print $1 }'); do
	# The level after boot has SST-TF.
	isst --emulate "$platform" --emulate-state "$scratch/plan-$platform" turbo-freq plan > /dev/null 2>&1 || continue
	echo "$platform" >> "$scratch/turbo"
	check_turbo "$platform" > "$scratch/why" 2>&1
	report $? "high priority cores of $platform reach the first bucket" < "$scratch/why"
done
[ "$(wc -l < "$scratch/turbo")" -ge 11 ]
report $? "most built-in machines have SST-TF" < "$scratch/turbo"

for file in "$scratch"/*.conf; do
	recipe=$(basename "$file" .conf)
	check_recipe "$recipe" > "$scratch/why" 2>&1
	report $? "explain after the recipe $recipe" < "$scratch/why"
done
rm -rf "$scratch/turbo.state"
set -- "$scratch"/*.state
[ $# -ge 5 ]
report $? "the page has recipes" < /dev/null
finish
