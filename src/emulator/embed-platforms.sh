#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the built-in platforms as a C file to standard output: sh embed-platforms.sh FILES...
set -eu

cat <<'END'
/* Made by src/emulator/embed-platforms.sh from src/emulator/platforms. */
#include "emulator/model/machines.h"

END

# Each file's text as a string, and its row of the two tables, collected until the end.
LC_ALL=C awk '
function name_of(path) {
	sub(/.*\//, "", path)
	sub(/\.platform$/, "", path)
	return path
}
function quoted(text) {
	gsub(/\\/, "&&", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}
function value_of(line) {
	sub(/#.*/, "", line)
	sub(/^[^=]*=[ \t]*/, "", line)
	sub(/[ \t\r]*$/, "", line)
	return line
}
function begin() {
	count++
	name[count] = name_of(FILENAME)
	title[count] = ""
	synthetic[count] = "false"
	section = ""
	printf "static const char text_%d[] =", count
}
FNR == 1 {
	if (count)
		print ";\n"
	begin()
}
/^[ \t]*\[/ { section = $0 }
section ~ /^[ \t]*\[platform\]/ && /^[ \t]*title[ \t]*=/ { title[count] = value_of($0) }
section ~ /^[ \t]*\[platform\]/ && /^[ \t]*synthetic[ \t]*=[ \t]*yes/ { synthetic[count] = "true" }
{ printf "\n\t%s \"\\n\"", quoted($0) }
END {
	if (count)
		print ";\n"
	print "const struct isst_emulator_platform builtin_platforms[] = {"
	for (i = 1; i <= count; i++)
		printf "\t{ %s, %s, %s },\n", quoted(name[i]), quoted(title[i]), synthetic[i]
	print "\t{ 0 },\n};\n"
	print "const char *const builtin_texts[] = {"
	for (i = 1; i <= count; i++)
		printf "\ttext_%d,\n", i
	print "\t0,\n};"
}' "$@" < /dev/null
