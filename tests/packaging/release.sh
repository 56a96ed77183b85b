#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The check-list of a release refuses what is not ready, in a small repository of its own: release.sh. Speaks TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-release.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# Variables of the make that runs this are not those of the tree below.
unset BUILD MAKE MAKEFLAGS MAKEOVERRIDES MAKELEVEL
# Whoever runs this may have settings of git of his own.
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost
GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

set_version() {	# $1: version; $2: date in the changelog
	printf '#define ISST_VERSION "%s"\n' "$1" > include/isst.h
	printf '# Changelog\n\n## [%s] - %s\n\n### Added\n\n- One thing.\n\n## [0.0.1] - 2020-01-01\n\n- Another.\n' "$1" "$2" > CHANGELOG.md
	git add -A
	git commit -q --allow-empty -m "Version $1"
}

# A checkout with what the list reads, ready to be released.
begin() {
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/include" "$scratch/tree/packaging"
	cd "$scratch/tree" || exit 1
	cp "$root/packaging/release.sh" packaging/
	printf '# isst\n' > README.md
	echo /build > .gitignore
	git init -q -b main .
	set_version 1.2.0 2026-01-31
}

list() {
	sh packaging/release.sh "$@" > "$scratch/said" 2>&1
}

refuses() {	# $1: what is checked; $2: words of the message; the other words: items
	what=$1 words=$2
	shift 2
	list "$@"
	[ $? -eq 1 ] && grep -q -F "$words" "$scratch/said"
	report $? "$what" < "$scratch/said"
}

if ! command -v git > /dev/null; then
	skip "the check-list of a release" "git is not installed"
	echo "1..$count"
	exit 0
fi

begin
list tree version changelog tag
status=$?
printf 'isst 1.2.0\n\nAdded:\n\n- One thing.\n\n' > "$scratch/wanted"
[ $status -eq 0 ] && cmp build/isst-1.2.0.tag "$scratch/wanted" > "$scratch/said" 2>&1
report $? "a tree that is ready is released with the changes of its version" < "$scratch/said"

echo more >> README.md
refuses "a change that is not committed" "README.md" tree
begin
git checkout -q -b other
refuses "another branch" "'other', not main" tree
begin
git tag v1.2.0
refuses "a version that is released" "there is a tag v1.2.0 already" version
begin
git tag v1.10.0
refuses "a version that is older than the last one" "not later than v1.10.0" version
begin
set_version 1.2.0 unreleased
refuses "a changelog without a date" "has no date" changelog
begin
sed -i 's/1\.2\.0/1.1.9/' CHANGELOG.md
refuses "a changelog without the version" "no section 1.2.0" changelog
begin
sed -i '/One thing/d' CHANGELOG.md
refuses "a changelog without changes" "is empty" changelog
begin
mkdir .ci
printf '#!/bin/sh\necho all tests\nexit 3\n' > .ci/full
chmod +x .ci/full
git add -A
git commit -q -m "Tests that fail"
list
[ $? -eq 3 ] && grep -q '^all tests$' "$scratch/said" && ! grep -q '^==== archive' "$scratch/said"
report $? "a test that fails ends the list" < "$scratch/said"
list trees
[ $? -eq 2 ] && grep -q "no item 'trees'" "$scratch/said"
report $? "an item that there is not" < "$scratch/said"

finish
