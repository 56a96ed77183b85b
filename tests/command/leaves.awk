# SPDX-License-Identifier: BSD-3-Clause
# Makes of a result, text or JSON, one line for each leaf: the names on the way to it, then its value:
#     package-0/die-0/cpu-0/core-power/clos:1
# So both formats can be compared with each other, and with what is expected. Messages are left out,
# and so is the mark of the current level, which only text has.

# The way to the node at a depth.
function way(depth, i, path)
{
	for (i = 1; i < depth; i++)
		path = path name[i] "/"
	return path
}

# JSON: a key, then a value or an object. The first key is the way to a unit, with colons.
/^ +"/ {
	key = $0
	sub(/^ +"/, "", key)
	value = key
	sub(/": .*/, "", key)
	sub(/^.*": "?/, "", value)
	sub(/"?,?$/, "", value)
	if (value == "{") {
		if (depth == 0)
			gsub(/:/, "/", key)
		name[++depth] = key
	} else if (name[1] !~ /^(Error|Information:)[0-9]/) {
		print way(depth + 1) key ":" value
	}
}

/^ +}/ { depth-- }

# Text: one blank before a package, then two more for each step.
/^ +[^" }]/ {
	indent = match($0, /[^ ]/) - 1
	level = indent == 1 ? 1 : indent / 2 + 1
	line = substr($0, indent + 1)
	sub(/ \(current\)$/, "", line)
	if (line ~ /:/)
		print way(level) line
	else
		name[level] = line
}
