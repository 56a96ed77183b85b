# SPDX-License-Identifier: BSD-3-Clause
# isst-platform(5) from the documents on platform files and captured machines:
#	awk -v version=VERSION -v date='MONTH DAY, YEAR' -f platform-page.awk platform-file.md captured-machines.md
# What of Markdown these have: headings, paragraphs, blocks of code that are indented, tables, words in backquotes, links. Tables
# become lists; in those whose first column is called `key` the last one is the default.

BEGIN {
	print ".\\\" SPDX-License-Identifier: BSD-3-Clause"
	print ".\\\" Made from docs/internals/platform-file.md and docs/internals/captured-machines.md by packaging/documents/platform-page.awk."
	print ".Dd " date
	print ".Dt ISST-PLATFORM 5"
	print ".Os isst " version
	print ".Sh NAME"
	print ".Nm isst-platform"
	print ".Nd platform files and captured machines, which isst emulates"
}

# ---- Words ----

# Plain text, which nothing but the escapes that are added here has a meaning in.
function escaped(text) {
	gsub(/\\/, "\\e", text)
	return text
}

function literal(text) {
	text = escaped(text)
	gsub(/-/, "\\-", text)
	return "\\fB" text "\\fP"
}

# A sentence begins a line, as mdoc has it. No line begins as a request.
function print_text(text,    parts, number, i) {
	number = split(text, parts, "`")
	text = ""
	for (i = 1; i <= number; i++)
		text = text (i % 2 == 1 ? escaped(without_links(parts[i])) : literal(parts[i]))
	gsub(/[.] /, ".\n", text)
	number = split(text, parts, "\n")
	for (i = 1; i <= number; i++) {
		sub(/^ +/, "", parts[i])
		if (parts[i] ~ /^[.']/)
			parts[i] = "\\&" parts[i]
		print_filled(parts[i])
	}
}

# In lines of 80 columns, of which none begins as a request does.
function print_filled(text,    words, number, i, line) {
	number = split(text, words, " ")
	line = ""
	for (i = 1; i <= number; i++) {
		if (line != "" && length(line " " words[i]) > 80 && words[i] !~ /^[.']/) {
			print line
			line = ""
		}
		line = line (line == "" ? "" : " ") words[i]
	}
	if (line != "")
		print line
}

# `[words](target)` is words; where to look in the page, as `([below](#x))`, stays out.
function without_links(text,    link, words) {
	gsub(/ *\(\[(see )?below\]\([^)]*\)\)/, "", text)
	while (match(text, /\[[^][]*\]\([^)]*\)/)) {
		link = substr(text, RSTART, RLENGTH)
		words = link
		sub(/\]\(.*/, "", words)
		text = substr(text, 1, RSTART - 1) substr(words, 2) substr(text, RSTART + RLENGTH)
	}
	return text
}

# ---- Blocks ----

function end_paragraph() {
	if (paragraph == "")
		return
	if (!begun)
		print ".Pp"
	begun = 0
	print_text(paragraph)
	paragraph = ""
}

function end_code() {
	if (!code)
		return
	print ".Ed"
	code = 0
	blank = 0
}

function end_table() {
	if (!rows)
		return
	print ".El"
	rows = 0
}

function end_block() {
	end_paragraph()
	end_code()
	end_table()
}

function heading(macro, text) {
	end_block()
	gsub(/`/, "", text)
	print macro " " text
	begun = 1
}

# The keys of a first column: `a`, `b` to `c`
function print_keys(text,    parts, number, i, line) {
	line = ".It"
	number = split(text, parts, "`")
	for (i = 1; i <= number; i++) {
		gsub(/^ +| +$/, "", parts[i])
		if (i % 2 == 0)
			line = line " Ic " key_of(parts[i])
		else if (parts[i] == ",")
			line = line " ,"
		else if (parts[i] != "")
			line = line " No " parts[i]
	}
	print line
}

# The words behind a key stand for values.
function key_of(text) {
	sub(/ /, " Ar ", text)
	return text
}

# An item that is no key: words of two or three letters could be names of macros.
function print_item(text,    parts, number, i, words, count, j) {
	number = split(text, parts, "`")
	text = ""
	for (i = 1; i <= number; i++)
		text = text (i % 2 == 1 ? escaped(without_links(parts[i])) : literal(parts[i]))
	count = split(text, words, " ")
	text = ".It"
	for (j = 1; j <= count; j++)
		text = text " " (words[j] ~ /^[A-Z][a-z]?[a-z]?[,.]?$/ ? "\\&" : "") words[j]
	print text
}

function print_row(line,    cells, number) {
	sub(/^[|] ?/, "", line)
	sub(/( *[|])+ *$/, "", line)
	number = split(line, cells, / ?[|] /)
	if (rows++ == 0) {
		keys = cells[1] == "key"
		end_paragraph()
		return
	}
	begun = 0
	if (line ~ /^-/) {
		print ".Bl -tag -width Ds"
		return
	}
	if (keys)
		print_keys(cells[1])
	else
		print_item(cells[1])
	if (cells[2] != "")
		print_text(cells[2] (cells[2] ~ /[.]$/ ? "" : "."))
	if (number > 2)
		print_text(cells[3] ~ /^m(ust|ay) be / ? "M" substr(cells[3], 2) "." : "Default: " cells[3] ".")
}

# ---- Lines ----

FNR == 1 && /^# / {
	end_block()
	print NR == 1 ? ".Sh DESCRIPTION" : ".Sh CAPTURED MACHINES"
	begun = 1
	next
}

/^##+ / {
	title = $0
	sub(/^#+ /, "", title)
	if (FILENAME != last_file && NR == FNR)
		print_sections_heading()
	last_file = FILENAME
	heading(".Ss", title)
	next
}

function print_sections_heading() {
	end_block()
	print ".Sh SECTIONS AND KEYS"
}

/^    / {
	end_paragraph()
	end_table()
	if (!code)
		print begun ? ".Bd -literal" : ".Bd -literal -offset indent"
	begun = 0
	code = 1
	while (blank > 0) {
		print ""
		blank--
	}
	line = escaped(substr($0, 5))
	gsub(/-/, "\\-", line)
	print (line ~ /^[.']/ ? "\\&" : "") line
	next
}

/^[|]/ {
	end_paragraph()
	end_code()
	print_row($0)
	next
}

/^$/ {
	end_paragraph()
	end_table()
	if (code)
		blank++
	next
}

{
	end_code()
	end_table()
	paragraph = paragraph (paragraph == "" ? "" : " ") $0
}

END {
	end_block()
	print ".Sh SEE ALSO"
	print ".Xr isst-config 5 ,"
	print ".Xr isst 8"
	print ".Pp"
	print "In the project's documentation:"
	print ".Pa emulator.md ,"
	print ".Pa platforms.md ."
}
