# SPDX-License-Identifier: BSD-3-Clause
# The statements of configurations as lines of completion's table, as far as their words are fixed: statement TEXT

# The strings of a piece of C, joined.
function text_of(source,    text) {
	text = ""
	while (match(source, /"[^"]*"/)) {
		text = text substr(source, RSTART + 1, RLENGTH - 2)
		source = substr(source, RSTART + RLENGTH)
	}
	return text
}

# Words in small letters are typed as they stand, those in capitals stand for values.
function is_fixed(word) {
	return word ~ /^[a-z][a-z-]*$/
}

# A usage that begins with optional words is met by each of these; of others, all alternatives have a first word.
function print_statements(keyword, usage,    words, number, i, value) {
	# The places before the keyword, and a list behind it.
	sub(/^(\[[^]]*:\] )?[a-z-]+ /, "", usage)
	sub(/^LIST:.*/, "LIST", usage)
	if (usage !~ /^\[/)
		gsub(/ *\[[^]]*\](\.\.\.)?/, "", usage)
	else
		gsub(/[][ ]+/, "|", usage)
	number = split(usage, words, "|")
	value = 0
	for (i = 1; i <= number; i++) {
		sub(/ .*/, "", words[i])
		if (is_fixed(words[i]))
			printf "statement\t%s %s\n", keyword, words[i]
		else if (words[i] != "" && value++ == 0)
			printf "statement\t%s\n", keyword
	}
}

/^#define [A-Z]*_VALUES "/ { values[$2] = $0 }

/^};/ { inside = 0 }
inside { rows = rows " " $0 }
/^static const struct keyword KEYWORDS/ { inside = 1 }

END {
	number = split(rows, row, /\{ "/)
	for (i = 2; i <= number; i++) {
		keyword = row[i]
		sub(/".*/, "", keyword)
		usage = row[i]
		sub(/^[^"]*",/, "", usage)
		if (match(usage, /[A-Z]*_VALUES/))
			usage = usage values[substr(usage, RSTART, RLENGTH)]
		print_statements(keyword, text_of(usage))
	}
}
