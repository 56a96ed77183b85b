# SPDX-License-Identifier: BSD-3-Clause
# The table as functions of zsh; see common.awk.

function escaped(text) {
	text = with_double_backslashes(text)
	gsub(/:/, "\\:", text)
	gsub(/\[/, "\\[", text)
	gsub(/\]/, "\\]", text)
	return text
}

# What _arguments calls for a value.
function action(values) {
	if (values ~ /^words /)
		return "(" substr(values, 7) ")"
	if (values ~ /^list /)
		return "_sequence compadd - " substr(values, 6)
	if (values == "files")
		return "_files"
	if (values == "directories")
		return "_files -/"
	if (values == "cpus" || values == "platforms" || values == "statements")
		return "_isst_" values
	return " "
}

# The specification of an option for _arguments.
function specification(i,    rest, long, short, others) {
	long = "--" option_name[i]
	short = "-" option_letter[i]
	rest = "[" escaped(option_help[i]) "]"
	if (option_values[i] != "-") {
		rest = rest (option_use[i] == "optional" ? "::" : ":") escaped(option_argument[i]) ":" action(option_values[i])
		long = long (option_use[i] == "optional" ? "=-" : "=")
		short = short "+"
	}
	# No feature follows.
	others = option_name[i] == "info" ? " : *" : ""
	if (option_letter[i] == "")
		return quoted((option_use[i] == "repeated" ? "*" : "") long rest)
	if (option_use[i] == "repeated")
		return quoted("*" short rest) " " quoted("*" long rest)
	others = "(-" option_letter[i] " --" option_name[i] others ")"
	return quoted(others short rest) " " quoted(others long rest)
}

function print_options(place, indent,    i) {
	for (i = 1; i <= option_count; i++)
		if (option_place[i] == place)
			printf "%s%s\n", indent, specification(i)
}

function print_described(name, words, texts, number, indexed,    i) {
	printf "%s=(\n", name
	for (i = 1; i <= number; i++)
		printf "\t%s\n", quoted(escaped(words[i]) ":" (indexed ? texts[i] : texts[words[i]]))
	print ")\n"
}

# Options, and what stands for the word of a command.
function print_command(i,    place) {
	place = command_feature[i] " " commands[i]
	printf "\t%s)\n\t\toptions+=(\n", quoted(place)
	print_options(place, "\t\t\t")
	if (command_operand[i] == "program")
		print "\t\t\t'(-)1:program:_isst_programs' '*::arguments:_isst_program_words'"
	else if (command_operand[i] != "-" && command_operand[i] != "features")
		printf "\t\t\t%s\n", quoted(":" command_operand[i] ":" action(command_operand[i]))
	print "\t\t)\n\t\t;;"
}

function table(    i, feature) {
	print_described("_isst_feature_words", features, feature_help, feature_count, 0)
	print_described("_isst_platform_words", platforms, platform_title, platform_count, 1)
	print "_isst_statement_words=("
	for (i = 1; i <= statement_count; i++)
		printf "\t%s\n", quoted(statements[i])
	print ")\n\n_isst_global_options=("
	print_options("- -", "\t")
	print ")\n\n_isst_anywhere_options=("
	print_options("* *", "\t")
	print ")\n\n# The commands behind a feature, or in the place of one.\n_isst_commands_of()\n{\n\tcase $1 in"
	feature = ""
	for (i = 1; i <= command_count; i++) {
		if (command_feature[i] != feature)
			printf "%s\t%s)\n\t\tcommand_words=(\n", (feature == "" ? "" : "\t\t)\n\t\t;;\n"), command_feature[i]
		feature = command_feature[i]
		printf "\t\t\t%s\n", quoted(commands[i] ":" command_help[i])
	}
	print "\t\t)\n\t\t;;\n\t*) command_words=() ;;\n\tesac\n}\n\n# What stands behind a command, for _arguments.\n_isst_options_of()\n{\n\tcase $1 in"
	for (i = 1; i <= command_count; i++)
		print_command(i)
	print "\tesac\n}"
}
