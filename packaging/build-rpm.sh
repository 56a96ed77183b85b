#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the RPM packages into a directory, with what isst.spec names installed: build-rpm.sh DIRECTORY [OPTION...]
# The options are those of rpmbuild; --without check leaves out the tests.
set -eu
output=$1
shift
mkdir -p "$output"
output=$(cd "$output" && pwd)
cd "$(dirname "$0")"
archive=$(sh dist.sh "$output")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y ../include/isst.h)}
export SOURCE_DATE_EPOCH
# One after the other: a source package has the directory of its build in it, and packages that are built with it its checksum.
for what in -bb -bs; do
	rpmbuild $what --define "_topdir $output" --define "_sourcedir $(dirname "$archive")" --define '_buildhost localhost' \
		--define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
		--define 'build_mtime_policy clamp_to_source_date_epoch' "$@" rpm/isst.spec
done
