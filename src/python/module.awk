# SPDX-License-Identifier: BSD-3-Clause
# The Python module from its source, with the numbers and functions of the headers:
#	awk -f module.awk isst.h isst-config.h ... isst-emulator.h values.c isst.py.in
# Lines of the source are replaced:
#	@enum NAME PREFIX@    the members of an enum
#	@flags PREFIX@        flags that begin so, but for those that a longer mark, or a line by itself, has
#	@functions HEADER@    functions of a header that the source calls, with the types of result and arguments
#	@values@              the values that results can have, with their types, from the table of the library
#	_NAME = ISST_NAME     a constant

BEGIN {
	n = split("void=v;int=i;unsigned int=u;bool=b;size_t=z;uint64_t=q;int64_t=l;const char *=s;char *=S;void *=p;" \
		"unsigned int *=U;uint64_t *=Q;const char **=T;char **=P;isst_log_function=L;int ()=I;void ()=R", types, ";")
	for (i = 1; i <= n; i++) {
		split(types[i], words, "=")
		letters[words[1]] = words[2]
	}
	n = split("v=None;b=bool;s=Optional[bytes];S=Optional[int];i=int;u=int;z=int;q=int;l=int", types, ";")
	for (i = 1; i <= n; i++)
		python[substr(types[i], 1, 1)] = substr(types[i], 3)
	n = split("NUMBER=int;VALUE=int;KHZ=int;BITS=int;FLAG=bool;STATE=FeatureState;ISST_TYPE_PRIORITY=Priority;CPUS=CpuSet", types, ";")
	for (i = 1; i <= n; i++) {
		split(types[i], words, "=")
		kinds[words[1]] = words[2]
	}
}

FNR == 1 {
	header = FILENAME
	sub(/.*\//, "", header)
	# Those of the library are one.
	sub(/^isst-(config|explain|journal)\.h$/, "isst.h", header)
}

header ~ /\.[hc]$/ { text[header] = text[header] $0 "\n"; next }

{ line[++count] = $0 }

# ---- Headers ----

function without_comments(all,    part, n, i) {
	n = split(all, part, /\*\//)
	all = ""
	for (i = 1; i <= n; i++) {
		sub(/\/\*.*/, "", part[i])
		all = all part[i]
	}
	return all
}

function read_enums(all,    name, body, entry, n, i) {
	while (match(all, /enum isst_[a-z_]+ \{[^}]*\}/)) {
		body = substr(all, RSTART, RLENGTH)
		all = substr(all, RSTART + RLENGTH)
		gsub(/[ \t\n]+/, " ", body)
		split(body, entry, " ")
		name = entry[2]
		n = split(substr(body, index(body, "{") + 1), entry, /[,}]/)
		for (i = 1; i <= n; i++)
			if (split(entry[i], words, " ") == 3)
				enums[name] = enums[name] words[1] " " words[3] "\n"
	}
}

function read_constants(all,    entry, n, i) {
	n = split(all, entry, "\n")
	for (i = 1; i <= n; i++)
		if (entry[i] ~ /^#define ISST_[A-Z0-9_]+ [0-9]+U?[ \t]*$/) {
			split(entry[i], words, " ")
			number[words[2]] = words[3] + 0
			if (words[3] ~ /U$/)
				flag[++flags] = words[2]
		} else if (entry[i] ~ /^#define ISST_[A-Z]+ "/) {
			split(entry[i], words, " ")
			number[words[2]] = words[3]
		}
}

# The letter of a type (see _TYPES of the module), which is followed by the name of what has it.
function letter_of(type) {
	gsub(/[ \t\n]+/, " ", type)
	sub(/^ /, "", type)
	if (type ~ /\(/)
		sub(/ \(.*/, " ()", type)
	else {
		sub(/[a-z0-9_]+ *$/, "", type)
		sub(/ $/, "", type)
	}
	if (type ~ /struct isst_[a-z_]+ \*/)
		return type ~ /\*\*$/ ? "P" : "p"
	return letters[type]
}

# Commas within parentheses separate no arguments.
function print_functions(all,    declaration, n, i, name, types, list, argument, part, m, j) {
	n = split(without_comments(all), declaration, ";")
	for (i = 1; i <= n; i++) {
		if (!sub(/.*ISST_API /, "", declaration[i]))
			continue
		name = list = declaration[i]
		sub(/\(.*/, "", name)
		sub(/^[^(]*\(/, "", list)
		sub(/\)$/, "", list)
		types = letter_of(name)
		sub(/.*[ *\n]/, "", name)
		if (!calls(substr(name, 6)))
			continue
		m = split(list, part, ",")
		argument = ""
		for (j = 1; j <= m; j++) {
			argument = argument (argument == "" ? "" : ",") part[j]
			if (gsub(/\(/, "(", argument) != gsub(/\)/, ")", argument))
				continue
			if (argument != "void")
				types = types letter_of(argument)
			argument = ""
		}
		print indent substr(name, 6) ": Callable[" static_types(types) "] = _function(\"" types "\")"
	}
}

# Types of pointers are known to the library only.
function static_types(types,    list, i, letter) {
	for (i = 2; i <= length(types); i++) {
		letter = substr(types, i, 1)
		list = list (list == "" ? "" : ", ") (letter in python ? python[letter] : "Any")
	}
	letter = substr(types, 1, 1)
	return "[" list "], " (letter in python ? python[letter] : "Any")
}

# Macros of the table that stand for rows, columns and a type.
function print_values(all,    entry, n, i, name, row, kind, found) {
	n = split(all, entry, /\n\tROW\(/)
	for (i = 2; i <= n; i++) {
		row = entry[i]
		split(row, words, "\"")
		name = words[2]
		if (row ~ /IN_REQUEST\(/ || name in printed)
			continue
		printed[name]
		found = row ~ /OF_(FABRIC|LIMIT|UNCORE)\(/ ? "int" : ""
		for (kind in kinds)
			if (row ~ ("[ \t]" kind "[(,]"))
				found = kinds[kind]
		if (found == "") {
			print "module.awk: " name " has an unknown type" > "/dev/stderr"
			exit 1
		}
		if (row ~ /OF_(FABRIC|LIMIT|UNCORE)\(|\.(rows|columns) =/)
			found = "list[list[Optional[" found "]]]"
		print indent name ": Optional[" found "]"
	}
}

# ---- The source ----

function calls(name) {
	return source ~ ("\\." name "[^a-z0-9_]")
}

function print_members(list, prefix,    entry, n, i) {
	n = split(list, entry, "\n")
	for (i = 1; i < n; i++) {
		split(entry[i], words, " ")
		print indent substr(words[1], length(prefix) + 1) " = " words[2]
	}
}

function longest_mark(name,    prefix, best) {
	for (prefix in marks)
		if (index(name, prefix) == 1 && length(prefix) > length(best))
			best = prefix
	return best
}

function flags_of(prefix,    list, i) {
	for (i = 1; i <= flags; i++)
		if (!(flag[i] in taken) && longest_mark(flag[i]) == prefix)
			list = list flag[i] " " number[flag[i]] "\n"
	return list
}

END {
	for (header in text) {
		read_enums(without_comments(text[header]))
		read_constants(without_comments(text[header]))
	}
	for (i = 1; i <= count; i++) {
		source = source line[i] "\n"
		split(line[i], words, /[ @]+/)
		if (line[i] ~ /^ *@flags /)
			marks[words[3]]
		if (line[i] ~ /^[A-Za-z_]+ = ISST_[A-Z_]+$/)
			taken[words[3]]
	}
	for (i = 1; i <= count; i++) {
		split(line[i], words, /[ @]+/)
		match(line[i], /^ */)
		indent = substr(line[i], 1, RLENGTH)
		if (line[i] ~ /^ *@enum /)
			print_members(enums[words[3]], words[4])
		else if (line[i] ~ /^ *@flags /)
			print_members(flags_of(words[3]), words[3])
		else if (line[i] ~ /^ *@functions /)
			print_functions(text[words[3]])
		else if (line[i] ~ /^ *@values@/)
			print_values(text["values.c"])
		else if (line[i] ~ /^[A-Za-z_]+ = ISST_[A-Z_]+$/)
			print words[1] " = " number[words[3]]
		else
			print line[i]
	}
}
