#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks that what is written agrees with the program: check-man.sh BUILD. Speaks TAP.
# Help, man page and documents name the same features, commands, options, platforms and statuses; the
# documents' transcripts are what the program prints, and the C program of the library's page compiles.
#
# Of the two pages of the command their common source is read. What counts there are the lines
#	.Ss FEATURE    .It Ic COMMAND ...    .It Fl LETTER , Fl -NAME Ar VALUE
# in the sections OPTIONS and FEATURES AND COMMANDS. Of the README, the first steps and the page on testing
# scripts, the blocks marked `console`: lines behind "$ ", with those behind "> " that follow, are run on the
# emulated machine of the guide; in one shell a block of the first two, in one shell those of the last. The page on
# configurations names the machine in each section, which is run in one shell. README and that page show what a real
# server prints: all but the line with the emulated machine's name.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "${1:-$root/build}" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-docs.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
man=$root/docs/intel-speed-select.8
config_man=$root/docs/isst-config.5
readme=$root/README.md
PATH=$(sh "$root/tests/launch/reachable.sh" "$build" "$scratch"):$PATH
export LC_ALL=C PATH ISST_EMULATE=guide ISST_EMULATE_STATE="$scratch/state"
# The pages as they are installed, with the emulator or without.
write_page() {	# $1: isst or intel-speed-select; $2: yes or no
	awk -v emulator="$2" -f "$root/packaging/documents/parts.awk" "$man" | awk -v page="$1" -f "$root/packaging/documents/pages.awk"
}
write_page isst yes > "$scratch/isst.8"
write_page intel-speed-select yes > "$scratch/intel-speed-select.8"
awk -v version=0 -v date="$(sed -n 's/^\.Dd //p' "$man")" -f "$root/packaging/documents/platform-page.awk" "$root/docs/internals/platform-file.md" \
	"$root/docs/internals/captured-machines.md" > "$scratch/isst-platform.5"

# What the processor cannot do is no part of a transcript.
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

# The two files hold the same lines, and any at all. What stands in one alone is shown.
same() {	# $1, $2: files; $3, $4: how they are called
	sort -o "$1" "$1"
	sort -o "$2" "$2"
	[ -s "$1" ] || { echo "nothing found in $3"; return 1; }
	comm -23 "$1" "$2" | sed "s/^/only in $3: /"
	comm -13 "$1" "$2" | sed "s/^/only in $4: /"
	cmp -s "$1" "$2"
}

# ---- What stands where ----

# The options that a help text lists, one a line.
options_of() {
	sed -n 's/^  *\(--*[^- ].*\)$/\1/p' | sed 's/   *[^ ].*$//; s/ *$//'
}

# The names below a heading of a help text.
names_of() {	# $1: heading
	sed -n "/^$1:\$/,/^\$/s/^  \([^ ]*\) .*/\1/p"
}

# The usage in one line, however many it takes.
usage_of() {
	sed -n '/^Usage:/,/^$/p' | tr -s '\n ' ' ' | sed 's/ $//'
	echo
}

# All help texts.
write_help() {
	isst --help | tee "$scratch/help"
	isst emulate --help
	isst with --help
	for feature in $(names_of Features < "$scratch/help"); do
		isst "$feature" --help | tee "$scratch/feature-help"
		for command in $(names_of Commands < "$scratch/feature-help"); do
			isst "$feature" "$command" --help
		done
	done
}

# Help fits into 80 columns where the width of the page is not known.
check_width() {
	write_help | awk 'length > 80 { print; wide = 1 } END { exit wide }'
}

# Commands of the pages that are copied stand on one line each: 11 of the 78 columns that a page has on
# a terminal of 80 stand before them.
check_commands() {
	sed -n -e 's/\\(dq/"/g' -e 's/\\ / /g' -e 's/^\.Dl //p' "$man" "$config_man" | grep -E '^.{68}'
	silent
}

# Everything that can be typed, according to the help texts: "feature F", "command F C ARGUMENTS",
# "option F C: OPTION". Help and version, which work anywhere, stand under the program alone.
typed_in_help() {
	isst --help > "$scratch/help"
	options_of < "$scratch/help" | sed 's/^/option: /'
	for feature in $(names_of Features < "$scratch/help"); do
		echo "feature $feature"
		isst "$feature" --help > "$scratch/feature-help"
		for command in $(names_of Commands < "$scratch/feature-help"); do
			isst "$feature" "$command" --help > "$scratch/command-help"
			usage_of < "$scratch/command-help" | sed -n "s/^Usage:.* $feature \($command\)/command $feature \1/p"
			options_of < "$scratch/command-help" | grep -v -x -e '-h, --help' -e '-v, --version' |
				sed "s/^/option $feature $command: /"
		done
	done
}

# The same of the man page.
typed_in_man() {	# $1: file
	awk '
	# Values in capital letters as in help texts, but for what is typed as it is; 0xHEX is so already.
	function value(word) {
		if (word ~ /^0x/)
			return word
		word = toupper(word)
		sub(/[|]NONE$/, "|none", word)
		return word
	}
	# From macros to what they print.
	function plain(from,    i, text, glue) {
		text = ""
		glue = ""
		for (i = from; i <= NF; i++) {
			if ($i == "Ic")
				continue
			if ($i == "Oo") {
				text = text glue "["
				glue = ""
				continue
			}
			if ($i == "Oc")
				text = text "]"
			else if ($i == ",")
				text = text ","
			else if ($i == "Fl")
				text = text glue "-" $(++i)
			else if ($i == "Ar")
				text = text glue value($(++i))
			else
				text = text glue $i
			glue = " "
		}
		return text
	}
	/^\.Sh / {
		section = $0
		feature = command = ""
	}
	section != ".Sh OPTIONS" && section != ".Sh FEATURES AND COMMANDS" { next }
	/^\.Ss / {
		feature = $2
		print "feature " feature
	}
	/^\.It Ic / {
		command = $3
		print "command " feature " " plain(2)
	}
	/^\.It Fl / {
		print "option" (command == "" ? "" : " " feature " " command) ": " plain(2)
	}' "$1"
}

# The words behind a macro in a section of the man page.
items_of() {	# $1: section; $2: regular expression of what stands before the word
	sed -n "/^\.Sh $1\$/,/^\.Sh /s/^$2\([^ ]*\).*/\1/p" "$man"
}

# The first column of a document's table below a heading.
column_of() {	# $1: document; $2: heading
	awk -F ' *[|] *' -v heading="## $2" '
	/^## / {
		here = $0 == heading
		body = 0
	}
	here && body && /^[|]/ {
		gsub("`", "", $2)
		print $2
	}
	/^[|]-/ { body = 1 }' "$root/$1"
}

statuses_in_help() {
	isst --help | sed -n '/^Exit status:/,$p' | tr ' ' '\n' | grep -x '[0-9]'
}

# ---- The checks ----

check_typed() {
	typed_in_help > "$scratch/in-help"
	typed_in_man "$man" > "$scratch/in-man"
	same "$scratch/in-help" "$scratch/in-man" "help" "the man page"
}

# What the two pages are about is on one of them, and nothing of it is lost.
check_pages() {
	for page in isst intel-speed-select; do
		typed_in_man "$scratch/$page.8"
	done > "$scratch/on-pages"
	typed_in_man "$man" > "$scratch/in-man"
	same "$scratch/in-man" "$scratch/on-pages" "the source" "its pages" || return 1
	for page in isst intel-speed-select; do
		grep -v '^\.\\"' "$scratch/$page.8"
	done | sed 's/Xr [a-z-]* 8/Sx/' | sort -u > "$scratch/lines-of-pages"
	grep -v '^\.\\"' "$man" | sed 's/S[x] [A-Z][A-Za-z -]*[a-zA-Z]/Sx/; s/Sx config/Sx/; s/Xr [a-z-]* 8/Sx/' |
		sort -u > "$scratch/lines-of-source"
	sed -i 's/Sx [A-Z][A-Za-z -]*[a-zA-Z]/Sx/; s/Sx config/Sx/' "$scratch/lines-of-pages"
	sort -u -o "$scratch/lines-of-pages" "$scratch/lines-of-pages"
	comm -23 "$scratch/lines-of-source" "$scratch/lines-of-pages" | sed 's/^/on no page: /'
	silent
}

# References lead to a section of the same page.
check_references() {
	for page in isst intel-speed-select; do
		sed -n 's/^\.S[hs] //p' "$scratch/$page.8" > "$scratch/sections"
		sed -n 's/^\..*Sx \([A-Za-z -]*[A-Za-z]\).*/\1/p' "$scratch/$page.8" | sort -u |
			grep -v -x -F -f "$scratch/sections" | sed "s/^/$page(8): no section /"
	done
	silent
}

# The keys of platform files, as the parser lists them: each section with a key that does not exist.
keys_of_parser() {
	printf '[nothing]\n' > "$scratch/keys.platform"
	sections=$(isst --emulate "$scratch/keys.platform" --info 2>&1 | sed -n 's/.*expected //p' | sed 's/, / /g; s/ or / /')
	for section in $sections; do
		case $section in
		clos | level) name="$section 0" ;;
		*) name=$section ;;
		esac
		printf '[%s]\nnothing = 1\n' "$name" > "$scratch/keys.platform"
		isst --emulate "$scratch/keys.platform" --info 2>&1 | sed -n 's/.*expected one of //p' | sed 's/, /\n/g' |
			sed "s/^/$section /"
	done
}

keys_in_man() {
	awk '
	/^\.Sh / { inside = $0 == ".Sh SECTIONS AND KEYS" }
	/^\.Ss / {
		section = $2
		gsub(/[][]/, "", section)
	}
	inside && /^\.It Ic / {
		before = ""
		for (i = 2; i <= NF; i++) {
			if ($i == "No" && $(i + 1) == "to") {
				before = key
				i++
			} else if ($i == "Ic") {
				key = $(++i)
				if (before != "") {
					stem = before
					sub(/[0-9]$/, "", stem)
					for (number = substr(before, length(before)) + 1; number < substr(key, length(key)); number++)
						print section, stem number
				}
				before = ""
				print section, key
			}
		}
	}' "$scratch/isst-platform.5"
}

check_keys() {
	keys_of_parser > "$scratch/keys-of-parser"
	keys_in_man > "$scratch/keys-in-man"
	same "$scratch/keys-of-parser" "$scratch/keys-in-man" "the parser" "isst-platform(5)"
}

# The lines of answers in captures, of which the source has a table.
check_answers() {
	sed -n 's/^\t\[ANSWER_[A-Z_]*\] = { "\([a-z-]*\).*/\1/p' "$root/src/emulator/capture/read.c" > "$scratch/answers"
	sed -n '/^\.Ss isst\/answers.txt/,/^\.Ed/s/^\([a-z]*\(\\-[a-z]*\)*\).*/\1/p' "$scratch/isst-platform.5" | sed 's/\\//g' |
		grep . > "$scratch/documented"
	same "$scratch/answers" "$scratch/documented" "the source" "isst-platform(5)"
}

# The statements of configurations, of which the source has a table.
check_statements() {
	sed -n '/^static const struct keyword KEYWORDS/,/^};/s/^\t{ "\([a-z-]*\)".*/\1/p' \
		"$root/src/configuration/keywords.c" > "$scratch/keywords"
	sed -n '/^\.Sh STATEMENTS/,/^\.Sh EXAMPLES/s/^\.It Ic \([a-z-]*\).*/\1/p' "$config_man" |
		sort -u > "$scratch/statements"
	same "$scratch/keywords" "$scratch/statements" "the source" "isst-config(5)"
}

# Each example of a configuration is one, for some machine.
check_examples() {
	awk -v name="$scratch/example" '
	/^\.Ed/ { inside = 0 }
	inside { print > file }
	/^\.Bd -literal/ {
		inside = 1
		file = name (++number) ".conf"
	}' "$config_man"
	[ -e "$scratch/example2.conf" ] || echo "not two examples"
	for example in "$scratch"/example*.conf; do
		isst config check "$example" > "$scratch/none" 2>&1
		status=$?
		case $status in
		0 | 1 | 3) ;;
		*) echo "${example##*/}: status $status"; cat "$scratch/none" ;;
		esac
	done
	silent
}

check_statuses() {	# $1: where else; the other words: what lists them
	where=$1
	shift
	statuses_in_help > "$scratch/in-help"
	"$@" > "$scratch/elsewhere"
	same "$scratch/in-help" "$scratch/elsewhere" "help" "$where"
}

check_variables() {
	isst --help | tr -c 'A-Z_' '\n' | grep '^ISST_' | sort -u > "$scratch/in-help"
	items_of ENVIRONMENT '\.It Ev ' | grep '^ISST_' > "$scratch/in-man"
	same "$scratch/in-help" "$scratch/in-man" "help" "the man page"
}

check_platforms() {	# $1: where else; the other words: what lists them
	where=$1
	shift
	isst platform list | sed 's/ .*//' > "$scratch/built-in"
	"$@" > "$scratch/elsewhere"
	same "$scratch/built-in" "$scratch/elsewhere" "the program" "$where"
}

check_version() {
	version=$(isst --version | sed -n 's/^isst //p')
	grep -q -x "\.Os isst $version" "$man" || echo "the man page is not of version $version"
	grep -q -F "## [$version]" "$root/CHANGELOG.md" || echo "CHANGELOG.md has no section $version"
	[ ! -e "$root/.git" ] || isst --version | grep -q -x -E 'Commit [0-9a-f]{12}(-dirty)?' || echo "--version names no commit"
	silent
}

# The anchors of a document's headings, as the site of the repository makes them.
anchors_of() {	# $1: document
	sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Links of the documents to files of the tree, and to headings of documents.
check_links() {
	for path in "$root"/*.md "$root"/docs/*.md "$root"/docs/internals/*.md "$root"/tests/*/README.md; do
		document=${path#"$root"/}
		tr ' ' '\n' < "$root/$document" | sed -n 's/.*](\([^)]*\)).*/\1/p' | grep -v :// | while read -r link; do
			target=$root/$document
			[ -z "${link%%#*}" ] || target=$root/$(dirname "$document")/${link%%#*}
			[ -e "$target" ] || echo "$document: no $link"
			case $link in
			*.md#* | '#'*) anchors_of "$target" | grep -q -x -e "${link#*#}" || echo "$document: no heading for $link" ;;
			esac
		done
	done
	silent
}

# The index names each page, and each page says below its title for whom it is.
check_index() {
	(cd "$root/docs" && find . -name '*.md' -o -name '*.[1-8]') | sed 's|^\./||' > "$scratch/indexed"
	[ -s "$scratch/indexed" ] || echo "no pages"
	while read -r page; do
		[ "$page" = index.md ] || grep -q -F "]($page) |" "$root/docs/index.md" || echo "docs/index.md does not name $page"
		case $page in
		*.md) sed -n 3p "$root/docs/$page" | grep -q -x '\*For .*\.\*' || echo "docs/$page does not say for whom it is" ;;
		esac
	done < "$scratch/indexed"
	silent
}

# Runs what a transcript shows behind "$ " and prints the transcript that comes out.
replay() {	# $1: file
	status=0
	command=
	newline='
'
	{ cat "$1"; echo; } > "$scratch/lines"
	while IFS= read -r line <&3; do
		case $line in
		'> '*)
			command=$command$newline${line#??}
			printf '%s\n' "$line"
			continue
			;;
		esac
		if [ -n "$command" ]; then
			(exit "$status")
			eval "$command" 3<&- < /dev/null 2>&1
			status=$?
			command=
		fi
		case $line in
		'$ '*)
			command=${line#??}
			printf '%s\n' "$line"
			;;
		esac
	done 3< "$scratch/lines"
}

check_transcript() {	# $1: file
	(replay "$1") > "$scratch/replayed"
	diff "$1" "$scratch/replayed"
}

# The same of a server, which has no name.
check_server_transcript() {	# $1: file
	(replay "$1") | grep -v '^Emulated machine: [a-z0-9-]*$' > "$scratch/replayed"
	diff "$1" "$scratch/replayed"
}

# Each block of transcripts of a document.
check_transcripts() {	# $1: document; $2: how one is checked
	name=$(basename "$1" .md)
	blocks_of console "$scratch/$name-transcript" "" "$root/$1"
	check "$1 holds transcripts" test -e "$scratch/$name-transcript1"
	block=0
	while block=$((block + 1)) && transcript=$scratch/$name-transcript$block && [ -e "$transcript" ]; do
		first=$(sed -n '1s/^\$ //p' "$transcript")
		if grep -q '^\$ isst .*emulate --' "$transcript" && ! runs_programs "$build"; then
			# Its other commands change what later transcripts show.
			(replay "$transcript") > /dev/null 2>&1
			skip "$1: $first" "$cannot_run"
		else
			check "$1: $first" "$2" "$transcript"
		fi
	done
}

# The page's transcripts as one, without those of programs that are not installed; these are named in $scratch/missing.
collect_transcripts() {	# $1: directory
	block=0
	while block=$((block + 1)) && [ -e "$1/transcript$block" ]; do
		missing=$(sed -n 's/^\$ isst .*emulate -- \([a-z]*\).*/\1/p' "$1/transcript$block" | sort -u |
			while read -r program; do
				command -v "$program" > /dev/null || echo "$program"
			done)
		if [ -n "$missing" ]; then
			echo "$missing" >> "$scratch/missing"
		else
			cat "$1/transcript$block"
		fi
	done
}

# The transcripts of each section of a document as one, in files of their own, numbered from 1; its heading beside it.
transcripts_of_sections() {	# $1: document; $2: how the files' names begin
	awk -v name="$2" '
	/^## / && !inside { heading = substr($0, 4) }
	$0 == "```" { inside = 0 }
	inside {
		if (heading != last) {
			file = name (++number)
			last = heading
			print heading > (file ".heading")
		}
		print > file
	}
	$0 == "```console" { inside = 1 }' "$1"
}

# Sections in which programs run on the emulated machine need what that takes.
check_sections() {	# $1: document; $2: directory to run them in
	transcripts_of_sections "$root/$1" "$2/section"
	check "$1 has transcripts" test -e "$2/section1"
	section=0
	while section=$((section + 1)) && [ -e "$2/section$section" ]; do
		heading=$(cat "$2/section$section.heading")
		if grep -q '^\$ isst .*emulate --' "$2/section$section" && ! runs_programs "$build"; then
			skip "$1: $heading" "$cannot_run"
		else
			check "$1: $heading" in_directory "$2" check_server_transcript "$2/section$section"
		fi
	done
}

in_directory() {	# $1: directory; the other words: what to do there
	(cd "$1" && shift && "$@")
}

# Writes each block of a language to a file of its own, numbered from 1.
blocks_of() {	# $1: language; $2, $3: how the files' names begin and end; $4: document
	awk -v fence="\`\`\`$1" -v name="$2" -v suffix="$3" '
	$0 == "```" { inside = 0 }
	inside { print > file }
	$0 == fence {
		inside = 1
		file = name (++number) suffix
	}' "$4"
}

# A C compiler takes a program as C++, too; what it then needs of the C++ library is nothing.
check_program() {	# $1: C file; $2: language; $3: program; the other words: how to compile
	file=$1
	language=$2
	program=$3
	shift 3
	"$@" -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror -I"$root/include" -o "$program" -x "$language" "$file" \
		-x none "$build/libisst.a" -lcap
}

# On the machine of the guide; what it does to it is undone.
on_guide() {
	isst --emulate guide emulate -- "$@"
}

# Prints what the command prints, under other names.
check_levels_program() {	# $1: program
	on_guide "$1" > "$scratch/printed" || return 1
	grep -q '^package 1, die 0, level 3: base_mhz 2700 MHz$' "$scratch/printed" ||
		{ echo "not the levels of the guide:"; cat "$scratch/printed"; return 1; }
}

# While the command runs the feature is on, and all is as before when it has ended.
check_raise_program() {	# $1: program
	isst --emulate guide core-power info > "$scratch/before" 2>&1
	on_guide "$1" 2-3 "$build/isst" -c 2 --emulate guide core-power get-assoc > "$scratch/during" 2>&1 || return 1
	on_guide "$1" 2-3 "$build/isst" -c 0 --emulate guide core-power info >> "$scratch/during" 2>&1 || return 1
	isst --emulate guide core-power info > "$scratch/after" 2>&1
	if ! grep -q 'clos:0' "$scratch/during" || ! grep -q 'clos-enable-status:enabled' "$scratch/during"; then
		echo "not raised:"
		cat "$scratch/during"
		return 1
	fi
	diff "$scratch/before" "$scratch/after" || return 1
	# A signal ends the program after the rollback.
	# shellcheck disable=SC2016  # sh expands it
	on_guide "$1" 2-3 sh -c 'kill -s TERM "$PPID"; sleep 0.1' > "$scratch/none" 2>&1 &&
		{ echo "SIGTERM is without effect"; return 1; }
	isst --emulate guide core-power info > "$scratch/after" 2>&1
	diff "$scratch/before" "$scratch/after" || return 1
	# A target that fails stops the change, with the reason.
	mkdir -p "$scratch/failing"
	echo 'mailbox 0x7f/0x01 package 1 EIO' > "$scratch/failing/faults"
	! isst --emulate guide --emulate-state "$scratch/failing" emulate -- "$1" 2,16 echo started > "$scratch/during" 2>&1 || return 1
	if grep -q started "$scratch/during" || ! grep -q 'package 1, die 0: cannot read' "$scratch/during"; then
		cat "$scratch/during"
		return 1
	fi
}

# Applied, the configuration is equal, and what was saved returns to the state before; wrong files are reported.
check_configure_program() {	# $1: program
	printf '# isst configuration 1\nlevel 3\nclos 1: max 2000\n' > "$scratch/wanted.conf"
	isst --emulate guide config save --all "$scratch/before.conf" > "$scratch/none" 2>&1
	on_guide "$1" "$scratch/wanted.conf" "$scratch/backup.conf" > "$scratch/configured" || return 1
	for line in 'packages 0-1, die 0: level: 0, not 3' 'to write package 1, die 0: level: 0 -> 3' \
		'wrote package 1, die 0: level: 0 -> 3'; do
		grep -q -x "$line" "$scratch/configured" ||
			{ echo "not configured:"; cat "$scratch/configured"; return 1; }
	done
	cmp "$scratch/before.conf" "$scratch/backup.conf" || return 1
	isst --emulate guide config check "$scratch/wanted.conf" > "$scratch/configured" 2>&1 ||
		{ cat "$scratch/configured"; return 1; }
	on_guide "$1" "$scratch/wanted.conf" "$scratch/missing/backup.conf" > "$scratch/configured" || return 1
	! [ -s "$scratch/configured" ] || { echo "not equal:"; cat "$scratch/configured"; return 1; }
	on_guide "$1" "$scratch/backup.conf" "$scratch/again.conf" > "$scratch/none" || return 1
	isst --emulate guide config save --all "$scratch/after.conf" > "$scratch/none" 2>&1
	cmp "$scratch/before.conf" "$scratch/after.conf" || return 1
	printf '# isst configuration 1\nlevel x\nclos 9: min 0\n' > "$scratch/wrong.conf"
	! on_guide "$1" "$scratch/wrong.conf" "$scratch/again.conf" 2> "$scratch/problems" || return 1
	[ "$(grep -c "^$scratch/wrong.conf:[23]: " "$scratch/problems")" -eq 2 ] ||
		{ echo "not all problems:"; cat "$scratch/problems"; return 1; }
	! on_guide "$1" "$scratch/missing.conf" "$scratch/again.conf" 2> "$scratch/problems" || return 1
	grep -q "^$scratch/missing.conf: No such file" "$scratch/problems" || { cat "$scratch/problems"; return 1; }
}

check_watch_program() {	# $1: program
	# Not by a function, whose process would not be that of the program.
	isst --emulate guide emulate -- "$1" 400 50 > "$scratch/watched" &
	watcher=$!
	tries=0
	while ! grep -q '^package 0, die 0: current_level.0..0.: 0 -> 3$' "$scratch/watched"; do
		[ $tries -lt 100 ] || break
		[ $tries -ne 5 ] || isst --emulate guide perf-profile set-config-level -l 3 > "$scratch/none" 2>&1
		tries=$((tries + 1))
		sleep 0.1
	done
	kill $watcher
	wait $watcher
	isst --emulate guide perf-profile set-config-level -l 0 > "$scratch/none" 2>&1
	[ $tries -lt 100 ] || { echo "nothing was seen"; return 1; }
}

# Where there is no driver a program that cannot read must not end as if it could.
check_program_fails() {	# $1: program
	! "$1" > "$scratch/printed" 2>&1 || { echo "ended with 0:"; cat "$scratch/printed"; return 1; }
	[ -s "$scratch/printed" ] || { echo "printed nothing"; return 1; }
}

# The pictures are what the program prints now.
check_picture() {
	for name in status status-map levels; do
		sh "$root/tests/docs/picture.sh" "$build" $name > "$scratch/picture" || return 1
		cmp "$scratch/picture" "$root/docs/$name.svg" || { echo "make docs-picture makes it again"; return 1; }
	done
}

# Quotes as they are printed stand in pairs, none within another, and hold no comma between two words.
check_quotes() {	# $1: page
	open=$(printf '\001')
	close=$(printf '\002')
	mandoc -T utf8 "$1" | sed "s/.$(printf '\b')//g; s/‘/$open/g; s/’/$close/g" | tr -s '\n ' '  ' |
		grep -o -E "${open}[^$close]*${open}.{9}|.{9}${close}[^$open]*${close}|${open}[a-z]+, [a-z]+${close}" |
		tr "$open$close" "''"
	silent
}

# The parts of README and man page about the emulator; the remaining part reports that there is none.
check_without_emulator() {
	for document in "$man" "$readme" "$root/docs/install.md" "$root/docs/configuration.md" "$root/docs/fleets.md"; do
		for emulator in yes no; do
			awk -v emulator=$emulator -f "$root/packaging/documents/parts.awk" "$document" > "$scratch/$emulator-${document##*/}"
		done
	done
	grep -H -n -E -e 'ISST_EMULATE=|isst --emulate' -e '## The emulator' \
		-e 'S[hx] EMULATED' -e 'It (Ic (list|reset Oo Ar platform|statistics)|Cm )' "$scratch"/no-*
	grep -q 'This build has no emulator' "$scratch/no-${man##*/}" ||
		echo "the man page does not state that there is none"
	# With it there is all but the marks.
	for document in "$man" "$readme" "$root/docs/install.md" "$root/docs/configuration.md" "$root/docs/fleets.md"; do
		grep -v -E -e '^(\.\\"|<!--) (end of )?emulator( -->)?$' -e '^\.\\" no emulator: ' "$document" |
			diff - "$scratch/yes-${document##*/}"
	done
	for page in isst intel-speed-select; do
		write_page $page no > "$scratch/no-$page.page"
	done
	! command -v mandoc > /dev/null || mandoc -T lint -W warning "$scratch/no-isst.page" "$scratch/no-intel-speed-select.page"
	silent
}

# Lines with retired words of files, which are named from the root, unless retired-words allows them there.
search_words() {	# files
	list=tests/docs/retired-words
	words=$(grep -v -e '^#' -e '^allowed' "$root/$list" | cut -f1 | paste -s -d '|' -)
	(cd "$root" && grep -H -w -i -E "$words" "$@") | awk '
	FNR == NR {
		if (split($0, field, "\t") == 3 && field[1] == "allowed")
			allowed[field[2]] = field[2] in allowed ? allowed[field[2]] "|" field[3] : field[3]
		next
	}
	{
		name = line = $0
		sub(/:.*/, "", name)
		line = substr(line, length(name) + 2)
		if (!(name in allowed) || line !~ allowed[name])
			print name ": " line
	}' "$root/$list" -
}

# Documents, sources with their messages and comments, and help texts are written in the words of the field:
# retired-words lists others, and the lines that may contain them.
check_words() {
	# shellcheck disable=SC2046  # files of the project have names without spaces
	search_words $(cd "$root" && find ./*.md docs tests -name "*.md" -o -name "*.[1-8]" -o -name "README*" | sed "s|^\\./||")
	silent
}

check_source_words() {
	(cd "$root" && find src include tests/platforms -name '*.[ch]' -o -name '*.platform') > "$scratch/sources"
	[ "$(wc -l < "$scratch/sources")" -gt 300 ] || echo "too few sources were found"
	# shellcheck disable=SC2046  # as above
	search_words $(cat "$scratch/sources")
	silent
}

check_help_words() {
	write_help > "$scratch/help-texts"
	search_words "$scratch/help-texts"
	silent
}

check "help and man page name the same features, commands and options" check_typed
check "each feature, command and line is on one of the two pages" check_pages
check "references in the pages lead to their sections" check_references
check "isst-config(5) names the statements of configurations" check_statements
check "examples of isst-config(5) are configurations" check_examples
check "documents of a build without the emulator are not about it" check_without_emulator
check "help is no wider than 80 columns" check_width
check "commands of the pages stand on one line each" check_commands
check "help and man page name the same exit statuses" \
	check_statuses "the man page" items_of "EXIT STATUS" '\.It '
check "help and man page name the same variables of the environment" check_variables
check "man page and CHANGELOG are of this version" check_version
check "links in the documents lead to files" check_links
check "the index names each page, and each page says for whom it is" check_index
check "the documents contain no retired words" check_words
check "messages, comments and platform files contain no retired words" check_source_words
check "help contains no retired words" check_help_words

if command -v mandoc > /dev/null; then
	check "mandoc has no warnings" mandoc -T lint -W warning "$scratch/isst.8" "$scratch/intel-speed-select.8" "$config_man" \
		"$scratch/isst-platform.5"
	for page in isst intel-speed-select; do
		check "quotes of $page(8) stand around single words and phrases" check_quotes "$scratch/$page.8"
	done
else
	skip "mandoc has no warnings" "mandoc is not installed"
	skip "quotes of the pages stand around single words and phrases" "mandoc is not installed"
fi

emulator=yes
isst platform list > /dev/null 2>&1 || emulator=no
if [ "$emulator" = yes ]; then
	check "isst-platform(5) names the keys of platform files" check_keys
	check "isst-platform(5) names the lines of a capture's answers" check_answers
	check "man page names the built-in platforms" \
		check_platforms "the man page" items_of "EMULATED MACHINES" '\.It Cm '
	check "docs/internals/platforms.md names the built-in platforms" \
		check_platforms docs/internals/platforms.md column_of docs/internals/platforms.md "Built-in machines"
	check "the pictures are what make docs-picture makes" check_picture
	ISST_EMULATE=icelake-2s40c ISST_EMULATE_STATE="$scratch/readme"
	check_transcripts README.md check_server_transcript
	ISST_EMULATE=guide ISST_EMULATE_STATE="$scratch/state"
	check_transcripts docs/first-steps.md check_transcript
	mkdir "$scratch/configurations"
	check_sections docs/configuration.md "$scratch/configurations"
	check "make bench applies the first recipe of docs/configuration.md" \
		cmp "$scratch/configurations/pct.conf" "$root/tests/bench/pct.conf"
	mkdir "$scratch/fleets"
	check_sections docs/fleets.md "$scratch/fleets"
	if command -v jq > /dev/null; then
		mkdir "$scratch/questions"
		check_sections docs/json-v2.md "$scratch/questions"
	else
		skip "docs/json-v2.md: questions of a fleet" "jq is not installed"
	fi
	mkdir "$scratch/pages"
	blocks_of console "$scratch/pages/transcript" "" "$root/docs/testing-your-scripts.md"
	collect_transcripts "$scratch/pages" > "$scratch/testing"
	isst platform reset > /dev/null
	if runs_programs "$build"; then
		check "the page on testing scripts: its transcripts" in_directory "$scratch/pages" \
			check_transcript "$scratch/testing"
		touch "$scratch/missing"
		while read -r program; do
			skip "the page on testing scripts: its transcript of $program" "$program is not installed"
		done < "$scratch/missing"
	else
		skip "the page on testing scripts: its transcripts" "$cannot_run"
	fi
else
	skip "man page and docs/internals/platforms.md name the built-in platforms" "this build has no emulator"
	skip "transcripts" "this build has no emulator"
fi

# The library may need the compiler and options of its build.
compiler=$(sed -n 1p "$build/flags")
instruments=$(sed 1d "$build/flags" | tr ' ' '\n' | grep -e '^-fsanitize=' -e '^--coverage$')
if command -v "${compiler%% *}" > /dev/null; then
	blocks_of c "$scratch/program" .c "$root/docs/library.md"
	languages=c
	# shellcheck disable=SC2086  # compiler (ccache gcc, say) and instruments are words on purpose
	echo | $compiler -x c++ -fsyntax-only - 2> /dev/null && languages='c c++'
	for number in 1 2 3 4 5; do
		for language in $languages; do
			# shellcheck disable=SC2086  # as above
			check "docs/library.md, program $number compiles as $language" check_program \
				"$scratch/program$number.c" $language "$scratch/$language$number" $compiler $instruments
		done
	done
	if [ -e /dev/isst_interface ]; then
		skip "the first program fails where there is no driver" "there is a driver here"
	else
		check "the first program fails where there is no driver" check_program_fails "$scratch/c1"
	fi
	if [ "$emulator" = yes ] && runs_programs "$build"; then
		isst --emulate guide platform reset > /dev/null
		for language in $languages; do
			check "the first program prints levels ($language)" check_levels_program "$scratch/${language}1"
			check "the second one raises cores while a command runs ($language)" \
				check_raise_program "$scratch/${language}2"
			check "the third one makes a machine as configured, and back ($language)" \
				check_configure_program "$scratch/${language}3"
			check "the fourth one sees a change ($language)" check_watch_program "$scratch/${language}4"
		done
	else
		skip "the programs run" "this build has no emulator that runs them"
	fi
else
	skip "the library's programs" "no $compiler"
fi

finish
