# SPDX-License-Identifier: BSD-3-Clause
# The Python module from its source, with the numbers and functions of the headers:
#	awk -f module.awk isst.h isst-emulator.h isst.py.in
# Lines of the source are replaced:
#	@enum NAME PREFIX@    the members of an enum
#	@flags PREFIX@        flags that begin so, but for those that a longer mark, or a line by itself, has
#	@functions HEADER@    functions of a header that the source calls, with the types of result and arguments
#	_NAME = ISST_NAME     the number of a constant

BEGIN {
	n = split("void=v;int=i;unsigned int=u;bool=b;size_t=z;uint64_t=q;int64_t=l;const char *=s;char *=S;void *=p;" \
		"unsigned int *=U;uint64_t *=Q;const char **=T;char **=P;isst_log_function=L;int ()=I;void ()=R", types, ";")
	for (i = 1; i <= n; i++) {
		split(types[i], words, "=")
		letters[words[1]] = words[2]
	}
}

FNR == 1 {
	header = FILENAME
	sub(/.*\//, "", header)
}

header ~ /\.h$/ { text[header] = text[header] $0 "\n"; next }

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
		print name " " types
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
		print "    " substr(words[1], length(prefix) + 1) " = " words[2]
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
		if (line[i] ~ /^[A-Z_]+ = ISST_[A-Z_]+$/)
			taken[words[3]]
	}
	for (i = 1; i <= count; i++) {
		split(line[i], words, /[ @]+/)
		if (line[i] ~ /^ *@enum /)
			print_members(enums[words[3]], words[4])
		else if (line[i] ~ /^ *@flags /)
			print_members(flags_of(words[3]), words[3])
		else if (line[i] ~ /^@functions /)
			print_functions(text[words[3]])
		else if (line[i] ~ /^[A-Z_]+ = ISST_[A-Z_]+$/)
			print words[1] " = " number[words[3]]
		else
			print line[i]
	}
}
