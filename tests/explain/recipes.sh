#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# isst explain after each recipe of docs/configuration.md, which must not condemn what the page recommends: recipes.sh BUILD. Speaks TAP.
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

# Limits that a recipe asks for.
intended() {	# $1: recipe
	case $1 in
	quiet) echo 'scaling-limit' ;;
	rack) echo 'uncore-limit' ;;
	trial) echo 'clos-max-below-base' ;;
	*) ;;
	esac
}

check_recipe() {	# $1: its name
	ISST_EMULATE=$(cat "$scratch/$1.platform")
	ISST_EMULATE_STATE=$scratch/$1.state
	export ISST_EMULATE ISST_EMULATE_STATE
	mkdir -m 700 "$ISST_EMULATE_STATE"
	isst config apply "$scratch/$1.conf" || return 1
	isst explain > "$scratch/found" 2>&1
	cat "$scratch/found"
	sed -n 's/^\(critical\|warning\): \([^:]*\):.*/\2/p' "$scratch/found" | sort -u > "$scratch/severe"
	intended "$1" | diff - "$scratch/severe"
}

for file in "$scratch"/*.conf; do
	recipe=$(basename "$file" .conf)
	check_recipe "$recipe" > "$scratch/why" 2>&1
	report $? "explain after the recipe $recipe" < "$scratch/why"
done
set -- "$scratch"/*.state
[ $# -ge 5 ]
report $? "the page has recipes" < /dev/null
finish
