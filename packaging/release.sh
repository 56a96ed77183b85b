#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The check-list of a release, in the order in which its items are done: release.sh [--list] [ITEM...]
#
# Without arguments it checks all items, stops at the first one that fails, and ends with the text of the tag and the command
# that makes it: it tags, uploads and publishes nothing. Items that are named are checked alone; --list prints them.
# It runs on a checkout; the packages and the archive go to BUILD (build) of that checkout.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
version=$(sed -n 's/^#define ISST_VERSION "\(.*\)"/\1/p' include/isst.h)
previous=$(git describe --tags --abbrev=0 2> /dev/null || :)

fail() {
	echo "release.sh: $*" >&2
	exit 1
}

# The section of this version in the changelog, without its heading.
changes() {
	awk -v heading="## [$version]" 'index($0, heading) == 1 { found = 1; next } /^## / { found = 0 } found' CHANGELOG.md
}

item_tree() {
	changed=$(git status --porcelain)
	[ -z "$changed" ] || fail "the tree is not clean:
$changed"
	branch=$(git symbolic-ref --quiet --short HEAD || :)
	[ "$branch" = main ] || fail "the branch is '$branch', not main"
}

item_version() {
	case $version in
	[0-9]*.[0-9]*.[0-9]*) ;;
	*) fail "include/isst.h has no version: '$version'" ;;
	esac
	! git rev-parse --quiet --verify "refs/tags/v$version" > /dev/null || fail "there is a tag v$version already"
	[ -z "$previous" ] || [ "$(printf '%s\n' "${previous#v}" "$version" | sort -V | tail -n 1)" = "$version" ] ||
		fail "version $version is not later than $previous"
}

item_changelog() {
	heading=$(grep -F "## [$version]" CHANGELOG.md) || fail "CHANGELOG.md has no section $version"
	echo "$heading" | grep -q -E ' - [0-9]{4}-[0-9]{2}-[0-9]{2}$' ||
		fail "the section of CHANGELOG.md has no date: $heading"
	changes | grep -q '^- ' || fail "the section of CHANGELOG.md is empty"
	! grep -q 'not released' README.md || fail "README.md says that the version is not released"
}

item_tests() {
	.ci/full
}

item_archive() {
	${MAKE:-make} -s BUILD="$build" dist
	[ -s "$build/isst-$version.tar.xz" ] || fail "make dist made no $build/isst-$version.tar.xz"
}

item_packages() {
	${MAKE:-make} -s BUILD="$build" check-packages
}

item_static() {
	${MAKE:-make} -s BUILD="$build" static
}

item_tag() {
	text=$build/isst-$version.tag
	{
		printf 'isst %s\n\n' "$version"
		# Lines that begin with # are comments of git.
		changes | sed 's/^### \(.*\)/\1:/; /./,$!d'
	} > "$text"
	cat "$text"
	echo
	echo "To release this, run: git tag --sign --file=$text v$version"
}

items='tree version changelog tests archive packages static tag'
describe() {	# $1: item
	case $1 in
	tree) echo 'the tree is clean, on main' ;;
	version) echo 'the version is later than the last tag' ;;
	changelog) echo 'the changelog has a dated section of this version' ;;
	tests) echo 'all of .ci/full passes' ;;
	archive) echo 'make dist makes the archive' ;;
	packages) echo 'the packages are built, checked, installed and removed' ;;
	static) echo 'make static makes the static command' ;;
	tag) echo 'the text of the tag' ;;
	esac
}

for word in "$@"; do
	case " $items --list " in
	*" $word "*) ;;
	*) echo "release.sh: no item '$word'; there are: $items" >&2 && exit 2 ;;
	esac
done
if [ "${1:-}" = --list ]; then
	for item in $items; do
		printf '%-10s %s\n' "$item" "$(describe "$item")"
	done
	exit 0
fi
mkdir -p "$build"
# shellcheck disable=SC2048  # items are single words
for item in ${*:-$items}; do
	echo "==== $item: $(describe "$item")"
	"item_$item"
done
