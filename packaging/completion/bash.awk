# SPDX-License-Identifier: BSD-3-Clause
# The table as functions of bash; see common.awk.

function print_list(name, words, number,    i) {
	printf "%s=(", name
	for (i = 1; i <= number; i++)
		printf "%s%s", (i > 1 ? " " : ""), quoted(words[i])
	print ")"
}

# An option: `NAME LETTER USE VALUES`.
function print_options(place,    i) {
	for (i = 1; i <= option_count; i++)
		if (option_place[i] == place)
			printf "\t\t\t%s\n", quoted(option_name[i] " " (option_letter[i] == "" ? "-" : option_letter[i]) " " option_use[i] " " \
				option_values[i])
}

function print_place(pattern, place) {
	printf "\t%s)\n\t\toptions+=(\n", quoted(pattern)
	print_options(place)
	print "\t\t)\n\t\t;;"
}

function table(    i, place, known) {
	print_list("_isst_features", features, feature_count)
	print_list("_isst_statements", statements, statement_count)
	print_list("_isst_platforms", platforms, platform_count)
	print "\n# The commands that stand behind a feature, or in the place of one, as `COMMAND OPERAND`.\n_isst_commands_of()\n{\n\tcase $1 in"
	place = ""
	for (i = 1; i <= command_count; i++) {
		if (command_feature[i] != place)
			printf "%s\t%s) commands=(", place == "" ? "" : ") ;;\n", command_feature[i]
		else
			printf " "
		place = command_feature[i]
		printf "%s", quoted(commands[i] " " command_operand[i])
	}
	print ") ;;\n\t*) commands=() ;;\n\tesac\n}"
	print "\n# The options of a place as `NAME LETTER USE VALUES`.\n_isst_options_of()\n{\n\toptions=()\n\tcase $1 in"
	for (i = 1; i <= option_count; i++) {
		place = option_place[i]
		if (place in known || place == "* *")
			continue
		known[place] = 1
		print_place(place, place)
	}
	print "\tesac\n\tif [[ $1 != '- -' ]]; then\n\t\toptions+=("
	print_options("* *")
	print "\t\t)\n\tfi\n}"
}
