# SPDX-License-Identifier: BSD-3-Clause
# The tree that a command has to print, from a template for each unit. Files: CPUs of the machine (`cpu package die
# domain core`), units (`package die domain cpu`), template of units with CPUs, template of those without.
# In templates: {count C...}, {mask C...}, {list C...}: CPUs of cores; {buckets KEY V... / KEY V...}: a node for each
# bucket; a line that begins with {not SERIES} is printed for all kernels but those.

function cores_wanted(words,    i, n, part) {
	delete wanted
	n = split(words, part, " ")
	for (i = 1; i <= n; i++)
		wanted[part[i]]
}

function in_unit(i) {
	return package[i] == unit_package && domain[i] == unit_domain && core[i] in wanted
}

function count(words,    i, n) {
	cores_wanted(words)
	for (i = n = 0; i < cpus; i++)
		n += in_unit(i)
	return n
}

# Without the power operator, and in words of 16 bits: small awks lack the one and keep no more in a %x.
function half_word(first,    i, bit, bits) {
	bit = 1
	for (i = first; i < cpus && i < first + 16; i++) {
		if (in_unit(i))
			bits += bit
		bit *= 2
	}
	return sprintf("%04x", bits)
}

function mask(words,    i, text) {
	cores_wanted(words)
	for (i = 0; i < cpus; i += 32)
		text = half_word(i + 16) half_word(i) (text == "" ? "" : "," text)
	return text
}

function list(words,    i, text) {
	cores_wanted(words)
	for (i = 0; i < cpus; i++)
		if (in_unit(i))
			text = text (text == "" ? "" : ",") i
	return text == "" ? "none" : text
}

function fill(line,    word, rest) {
	while (match(line, /\{(count|mask|list)[ 0-9]*\}/)) {
		rest = substr(line, RSTART + 1, RLENGTH - 2)
		word = rest
		sub(/ .*/, "", word)
		sub(/^[a-z]* ?/, "", rest)
		rest = word == "count" ? count(rest) : word == "mask" ? mask(rest) : list(rest)
		line = substr(line, 1, RSTART - 1) rest substr(line, RSTART + RLENGTH)
	}
	return line
}

function buckets(line,    i, j, n, m, key, value, space) {
	space = line
	sub(/\{.*/, "", space)
	sub(/ *\{buckets /, "", line)
	sub(/\}$/, "", line)
	n = split(line, key, " / ")
	m = split(key[1], value, " ")
	for (j = 2; j <= m; j++) {
		print indent space "bucket-" j - 2
		for (i = 1; i <= n; i++) {
			split(key[i], value, " ")
			print indent space "  " value[1] ":" value[j]
		}
	}
}

function print_body(lines, n,    i, line) {
	for (i = 1; i <= n; i++) {
		line = lines[i]
		if (line ~ /^\{not [0-9.]+\}/) {
			if (substr(line, 6, index(line, "}") - 6) == series)
				continue
			sub(/^\{not [0-9.]+\}/, "", line)
		}
		if (line ~ /\{buckets/)
			buckets(line)
		else
			print indent fill(line)
	}
}

FNR == 1 { file++ }
file == 1 { package[$1] = $2; domain[$1] = $4; core[$1] = $5; cpus = FNR }
file == 2 { units++; path[units] = $0 }
FILENAME ~ /\.tree$/ { with_cpus[++n] = $0 }
FILENAME ~ /\.io$/ { without_cpus[++m] = $0 }

END {
	for (u = 1; u <= units; u++) {
		split(path[u], part, " ")
		unit_package = part[1]
		unit_domain = part[3]
		print " package-" part[1]
		print "  die-" part[2]
		indent = "    "
		if (transport == "tpmi") {
			print indent "powerdomain-" part[3]
			indent = indent "  "
		}
		print indent "cpu-" part[4]
		indent = indent "  "
		if (part[4] == "None")
			print_body(without_cpus, m)
		else
			print_body(with_cpus, n)
	}
}
