# SPDX-License-Identifier: BSD-3-Clause
# Documents as they are installed, all in one directory: links to others of them lead there, what links lead to that
# is not installed stays as text. awk -v installed="README.md ..." -f installed.awk DOCUMENT

BEGIN {
	split(installed, names, " ")
	for (i in names)
		known[names[i]] = 1
}

# The target of a link as it is to be; "" where there is none.
function target_of(link,    file, anchor) {
	if (link ~ /:\/\// || link ~ /^#/)
		return link
	file = anchor = link
	sub(/#.*/, "", file)
	sub(/^[^#]*/, "", anchor)
	sub(/.*\//, "", file)
	return file in known ? file anchor : ""
}

{ text = text $0 "\n" }

END {
	# Words of a link may go over the end of a line.
	while (match(text, /\[[^][]*\]\([^)]*\)/)) {
		link = substr(text, RSTART, RLENGTH)
		words = target = link
		sub(/\]\(.*/, "", words)
		sub(/.*\]\(/, "", target)
		target = target_of(substr(target, 1, length(target) - 1))
		printf "%s%s", substr(text, 1, RSTART - 1), target == "" ? substr(words, 2) : words "](" target ")"
		text = substr(text, RSTART + RLENGTH)
	}
	printf "%s", text
}
