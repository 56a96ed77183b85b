# SPDX-License-Identifier: BSD-3-Clause
# The table as calls of complete(1) of fish; see common.awk.

# fish reads backslashes in single quotes.
function fish_quoted(text) {
	text = with_double_backslashes(text)
	gsub(/'/, "\\'", text)
	return "'" text "'"
}

# How the value of an option is completed.
function value(i,    values) {
	values = option_values[i]
	if (values == "-")
		return ""
	# One that may be missing is only offered joined to the option.
	if (option_use[i] == "optional")
		return ""
	if (values == "files")
		return " -r -F"
	if (values == "any")
		return " -x"
	if (values ~ /^words /)
		return " -x -a " fish_quoted(substr(values, 7))
	if (values ~ /^list /)
		return " -x -a " fish_quoted("(__isst_list " substr(values, 6) ")")
	if (values == "directories")
		return " -x -a '(__fish_complete_directories (commandline -ct))'"
	if (values == "platforms")
		return " -x -a '(__isst_platforms)'"
	return " -x -a '(__isst_" values ")'"
}

# The condition under which something stands at a place.
function condition(name, place) {
	if (place == "- -")
		return "__isst_before"
	if (place == "* *")
		return "__isst_behind"
	sub(/^- /, "", place)
	return name " " place
}

function print_option(i,    where, unused) {
	where = condition("__isst_at", option_place[i])
	unused = "; and __isst_unused " option_name[i] (option_letter[i] == "" ? " 0" : " " option_letter[i])
	printf "complete -c isst -n %s%s -l %s%s -d %s\n", fish_quoted(where (option_use[i] == "repeated" ? "" : unused)), \
		(option_letter[i] == "" ? "" : " -s " option_letter[i]), option_name[i], value(i), fish_quoted(option_help[i])
}

function print_operand(i,    where, kind) {
	where = fish_quoted(condition("__isst_exactly_at", command_feature[i] " " commands[i]))
	kind = command_operand[i]
	if (kind == "files")
		printf "complete -c isst -n %s -F\n", where
	if (kind == "platforms")
		printf "complete -c isst -n %s -f -a '(__isst_platforms)'\n", where
	if (kind == "directories")
		printf "complete -c isst -n %s -a '(__fish_complete_directories (commandline -ct))'\n", where
}

# A pattern of the options whose value is the next word: names, and letters that may stand behind those of switches.
function print_valued(variable, before,    i, names, letters, switches) {
	names = letters = switches = ""
	for (i = 1; i <= option_count; i++) {
		if ((option_place[i] == "- -") != before || option_place[i] == "* *")
			continue
		if (option_values[i] == "-")
			switches = switches option_letter[i]
		else if (option_use[i] != "optional") {
			names = names "|" option_name[i]
			letters = letters option_letter[i]
		}
	}
	printf "set -g %s '^(--?(%s)|-[%s]*[%s])$'\n", variable, substr(names, 2), switches, letters
}

function table(    i) {
	print_valued("__isst_valued_before", 1)
	print_valued("__isst_valued_behind", 0)
	printf "set -g __isst_programs"
	for (i = 1; i <= command_count; i++)
		if (command_operand[i] == "program")
			printf " %s", commands[i]
	print "\n\nfunction __isst_statements"
	for (i = 1; i <= statement_count; i++)
		printf "    echo %s\n", fish_quoted(statements[i])
	print "end\n\n# The command takes a word without a slash for a built-in platform.\nfunction __isst_platforms"
	print "    if string match -q '*/*' -- (commandline -ct)\n        __fish_complete_path (string replace -r '^--?[^=]*=' '' -- (commandline -ct))\n        return\n    end"
	for (i = 1; i <= platform_count; i++)
		printf "    printf '%%s\\t%%s\\n' %s %s\n", platforms[i], fish_quoted(platform_title[i])
	print "end\n\ncomplete -c isst -f"
	for (i = 1; i <= feature_count; i++)
		printf "complete -c isst -n __isst_expects_feature -a %s -d %s\n", features[i], fish_quoted(feature_help[features[i]])
	for (i = 1; i <= command_count; i++) {
		printf "complete -c isst -n %s -a %s -d %s\n", \
			fish_quoted(command_feature[i] == "-" ? "__isst_expects_feature" : "__isst_expects_command " command_feature[i]), commands[i], \
			fish_quoted(command_help[i])
		print_operand(i)
	}
	for (i = 1; i <= option_count; i++)
		print_option(i)
}
