# SPDX-License-Identifier: BSD-3-Clause
# Reads the table of what can be typed (table.c, statements.awk, platforms.awk) and then a shell's template, in which a
# line `@TABLE@` stands for what table() prints; that is defined for each shell:
#	awk -f common.awk -f SHELL.awk TABLE TEMPLATE
# The place of an option is `FEATURE COMMAND`, `- COMMAND`, `- -` before the feature, or `* *` anywhere.

BEGIN { FS = "\t" }

FNR == 1 { file++ }

file == 1 && $1 == "feature" {
	features[++feature_count] = $2
	feature_help[$2] = $3
}

file == 1 && $1 == "command" {
	commands[++command_count] = $3
	command_feature[command_count] = $2
	command_operand[command_count] = $4
	command_help[command_count] = $5
}

file == 1 && $1 == "option" {
	option_place[++option_count] = $2 " " $3
	option_letter[option_count] = $4 == "-" ? "" : $4
	option_name[option_count] = $5
	option_argument[option_count] = $6
	option_use[option_count] = $7
	option_values[option_count] = $8
	option_help[option_count] = $9
	if ($8 == "unknown") {
		print "completion: option --" $5 ": what its value " $6 " is completed by is not known (table.c)" > "/dev/stderr"
		exit 1
	}
}

file == 1 && $1 == "statement" { statements[++statement_count] = $2 }

file == 1 && $1 == "platform" {
	platforms[++platform_count] = $2
	platform_title[platform_count] = $3
}

function with_double_backslashes(text,    parts, number, i, result) {
	number = split(text, parts, "\\")
	result = parts[1]
	for (i = 2; i <= number; i++)
		result = result "\\\\" parts[i]
	return result
}

# In single quotes, as bash and zsh read them.
function quoted(text,    result) {
	result = text
	gsub(/'/, "'\\''", result)
	return "'" result "'"
}

file == 2 && $0 == "@TABLE@" {
	table()
	next
}

file == 2
