#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash, zsh and fish: completion.sh BUILD. Speaks TAP. Each shell offers the features, commands and options that
# the help texts list, and the values of tests/completion/cases; it runs nothing of the project for that, and prints no message.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$(cd "${1:-$root/build}" && pwd) || exit 1
here=$root/tests/completion
scratch=$(mktemp -d "${TMPDIR:-/tmp}/isst-completion.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
# Messages of shells in other languages would be no failures, but look so.
export LC_ALL=C HOME="$scratch/home" ISST_EMULATE_STATE="$scratch/state"
unset XDG_CONFIG_HOME XDG_DATA_HOME ZDOTDIR ISST_EMULATE
# shellcheck source=tests/support/tap.sh
. "$root/tests/support/tap.sh"

mkdir -p "$scratch/home" "$scratch/bin" "$scratch/files/dir"
touch "$scratch/files/rack.conf" "$scratch/files/two words.conf"
# Programs under the names of the command, which are not to be run.
for name in isst intel-speed-select; do
	printf '#!/bin/sh\ntouch "%s"\n' "$scratch/was-run" > "$scratch/bin/$name"
done
printf '#!/bin/sh\n' > "$scratch/bin/isst-test-program"
chmod +x "$scratch/bin"/*

# ---- What the help texts say ----

# The names below a heading of a help text.
names_of() {	# $1: heading
	sed -n "/^$1:\$/,/^\$/s/^  \([^ ]*\) .*/\1/p"
}

# The options of a help text, long and short ones.
options_of() {
	sed -n -e 's/^  -\([a-z]\), --\([^ ]*\).*/-\1\n--\2/p' -e 's/^      --\([^ ]*\).*/--\1/p'
}

# The commands that stand in the place of a feature.
single_commands() {
	sed -n 's/^ *.* \[OPTIONS\] \([a-z]*\).*/\1/p'
}

# Puts a command line before each candidate.
for_line() {	# $1: command line
	sed "s/^/$1	/"
}

write_help_of_commands() {	# $1: feature, or nothing; the other words: commands
	place=$1
	shift
	for command; do
		"$build/isst" ${place:+"$place"} "$command" --help | options_of | for_line "isst ${place:+$place }$command -"
	done
}

# Everything that can be typed, by command line.
write_help() {
	"$build/isst" --help > "$scratch/help"
	features=$(names_of Features < "$scratch/help")
	singles=$(single_commands < "$scratch/help")
	# shellcheck disable=SC2086  # words on purpose
	printf '%s\n' $features $singles | for_line 'isst '
	options_of < "$scratch/help" | for_line 'isst -'
	# shellcheck disable=SC2086  # words on purpose
	write_help_of_commands '' $singles
	for feature in $features; do
		"$build/isst" "$feature" --help > "$scratch/feature-help"
		commands=$(names_of Commands < "$scratch/feature-help")
		# shellcheck disable=SC2086  # words on purpose
		printf '%s\n' $commands | for_line "isst $feature "
		printf '%s\n' -h --help -v --version | for_line "isst $feature -"
		# shellcheck disable=SC2086  # words on purpose
		write_help_of_commands "$feature" $commands
	done
}

# ---- What the shells offer ----

# The candidates of one shell for the lines of standard input.
ask() {	# $1: shell
	case $1 in
	bash) set -- bash --norc --noprofile "$here/candidates.bash" "$build/completion/isst.bash" ;;
	zsh) set -- zsh -f "$here/candidates.zsh" "$build/completion" ;;
	fish) set -- fish --no-config "$here/candidates.fish" "$build/completion" ;;
	esac
	(cd "$scratch/files" && PATH="$scratch/bin:$PATH" timeout 300 "$@")
}

# Shells differ in how much of a word they replace, in quotes, and in what they append to directories.
plain() {
	awk -F '\t' '{
		sub(/.*[,=]/, "", $2)
		if ($1 ~ /[ =]\.\/[^ ]*$/)
			sub(/^(\.\/)?/, "./", $2)
		gsub(/\\ /, " ", $2)
		sub(/\/$/, "", $2)
		sub(/^@clos:[0-9]/, substr($2, length($2)), $2)
		print $1 "\t" $2
	}' | sort -u
}

# Lines and candidates that both have.
compare() {	# $1: file with what is expected; $2: file with what was offered
	[ -s "$1" ] || { echo "nothing is expected"; return 1; }
	comm -23 "$1" "$2" | sed 's/^/not offered: /'
	comm -13 "$1" "$2" | sed 's/^/offered, and wrong: /'
	cmp -s "$1" "$2"
}

check_help() {	# $1: shell
	cut -f 1 "$scratch/in-help" | uniq | ask "$1" 2> "$scratch/$1-messages" | plain > "$scratch/$1-offered"
	compare "$scratch/in-help" "$scratch/$1-offered"
}

check_cases() {	# $1: shell
	sed -n 's/ =>.*//p' "$scratch/cases" | ask "$1" 2>> "$scratch/$1-messages" | plain > "$scratch/$1-cases"
	awk -F ' => *' '{ number = split($2, words, "|"); for (i = 1; i <= number; i++) print $1 "\t" words[i] }' "$scratch/cases" |
		sort -u > "$scratch/expected-cases"
	compare "$scratch/expected-cases" "$scratch/$1-cases"
}

# Neither the command nor the machine is asked, and nothing is printed.
check_quiet() {	# $1: shell
	cat "$scratch/$1-messages"
	[ ! -e "$scratch/was-run" ] || echo "the command was run"
	silent
}

# The words of a program behind `--` are its own; bash and fish leave them to the program's completion where it is loaded.
check_wrapped() {
	for line in 'isst emulate -- isst perf-profile set' 'isst with -- isst perf-profile set'; do
		echo "$line" | ask zsh | grep -q 'set-config-level$' || echo "not offered: $line"
	done > "$scratch/wrapped"
	cat "$scratch/wrapped"
	[ ! -s "$scratch/wrapped" ]
}

# Names that end with a blank.
check_blanks() {
	touch "$scratch/files/blank " "$scratch/bin/isst-test-blank "
	chmod +x "$scratch/bin/isst-test-blank "
	printf '%s\n' 'isst config apply bl' 'isst with isst-test-bl' | ask bash > "$scratch/blanks"
	printf '%s\n' 'isst config apply bl	blank ' 'isst with isst-test-bl	isst-test-blank ' | diff - "$scratch/blanks"
}

check_shell() {	# $1: shell
	if ! command -v "$1" > /dev/null; then
		skip "$1 completes" "$1 is not installed"
		return
	fi
	check "$1 offers the features, commands and options of the help texts" check_help "$1"
	check "$1 offers the values of options, and operands" check_cases "$1"
	[ "$1" != bash ] || check 'bash keeps blanks at the ends of names' check_blanks
	[ "$1" != zsh ] || check 'zsh offers the words of a program behind --' check_wrapped
	check "$1 runs nothing for that, and prints no message" check_quiet "$1"
}

# ---- What the candidates mean ----

words_of_table() {	# $1: kind of line
	sed -n "s/^$1	\([^	]*\).*/\1/p" "$build/completion/table.txt"
}

# The names of CPUs are accepted, with numbers where they need some.
check_cpu_names() {
	for name in @high-priority @isolated @clos:0 @package:0 @domain:0.0 @node:0; do
		"$build/isst" --emulate guide --cpu $name --version > "$scratch/none" 2>&1 || { echo "$name"; cat "$scratch/none"; }
	done
	silent
}

# A statement that is offered is one, or the beginning of one: it is not refused because of its words.
check_statements() {
	words_of_table statement > "$scratch/statements"
	[ -s "$scratch/statements" ] || echo "no statements"
	while read -r statement; do
		"$build/isst" --emulate guide config check --set "$statement" > "$scratch/checked" 2>&1 < /dev/null
		grep -e "' is not " -e unknown "$scratch/checked"
	done < "$scratch/statements"
	silent
}

check_keywords() {
	words_of_table statement | sed 's/ .*//' | sort -u > "$scratch/offered"
	sed -n '/^\.Sh STATEMENTS/,/^\.Sh EXAMPLES/s/^\.It Ic \([a-z-]*\).*/\1/p' "$root/docs/isst-config.5" | sort -u > "$scratch/known"
	compare "$scratch/known" "$scratch/offered"
}

check_platforms() {
	words_of_table platform | sort > "$scratch/offered"
	"$build/isst" platform list | sed 's/ .*//' | sort > "$scratch/known"
	compare "$scratch/known" "$scratch/offered"
}

# What fish shows beside features and commands is what the help texts say of them, in however many lines.
described() {
	sed -e :more -e '$!N' -e 's/\n                             / /' -e 't more' -e P -e D
}

check_descriptions() {
	"$build/isst" --help | described | sed -n '/^Features:$/,/^$/s/^  \([^ ]*\)  *\(.*\)/\1	\2/p' | sort > "$scratch/known"
	"$build/isst" config --help | described | sed -n '/^Commands:$/,/^$/s/^  \([^ ]*\)  *\(.*\)/\1	\2/p' | sort >> "$scratch/known"
	fish --no-config -c "source '$build/completion/isst.fish'; complete -C 'isst '; complete -C 'isst config '" > "$scratch/offered"
	grep -v -x -F -f "$scratch/offered" "$scratch/known"
	silent
}

write_help | sort -u > "$scratch/in-help"
grep -v -e '^#' "$here/cases" > "$scratch/all-cases"
# Without the emulator there are no platforms.
if words_of_table platform | grep -q .; then
	cp "$scratch/all-cases" "$scratch/cases"
else
	grep -v '=> guide' "$scratch/all-cases" > "$scratch/cases"
fi
check_shell bash
check_shell zsh
check_shell fish
check "the statements that are offered are those of isst-config(5)" check_keywords
if words_of_table platform | grep -q .; then
	check "the statements that are offered are accepted, or begin one" check_statements
	check "the names of CPUs that are offered are accepted" check_cpu_names
	check "the platforms that are offered are the built-in ones" check_platforms
else
	skip "what is offered is accepted" "this build has no emulator"
fi
if command -v fish > /dev/null; then
	check "fish describes features and commands as the help texts do" check_descriptions
else
	skip "fish describes features and commands as the help texts do" "fish is not installed"
fi
finish
