# SPDX-License-Identifier: BSD-3-Clause
# Platform files as lines of completion's table: platform NAME TITLE

/^title *=/ && !(FILENAME in seen) {
	seen[FILENAME] = 1
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.platform$/, "", name)
	sub(/^title *= */, "")
	printf "platform\t%s\t%s\n", name, $0
}
