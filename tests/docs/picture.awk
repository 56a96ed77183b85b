# SPDX-License-Identifier: BSD-3-Clause
# Turns the text of a terminal into a picture: awk -f picture.awk -v title=TEXT < TEXT > SVG
# Colours are those of SGR. Each run of one colour has its place and its length, so that columns stay columns in any font.
BEGIN {
	WIDTH = 8.4; HEIGHT = 18; MARGIN = 14
	split("", palette)
	palette[0] = "#d0d7de"; palette[1] = "#ffffff\" font-weight=\"bold"; palette[31] = "#ff7b72"; palette[35] = "#d2a8ff"
	most = 0
}

function escape(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# Adds a run of characters without blanks at its ends.
function add(text, colour, column,    blanks) {
	if (!match(text, /[^ ]/))
		return
	blanks = RSTART - 1
	text = substr(text, RSTART)
	sub(/ +$/, "", text)
	runs = runs sprintf("  <text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" fill=\"%s\">%s</text>\n",
		MARGIN + (column + blanks) * WIDTH, MARGIN + NR * HEIGHT - 5, length(text) * WIDTH, colour, escape(text))
}

{
	rest = $0; column = 0; run = ""; begin = 0; colour = palette[0]
	while (rest != "") {
		now = palette[0]
		if (match(rest, /^\033\[[0-9]+m/)) {
			now = palette[substr(rest, 3, RLENGTH - 3) + 0]
			if (now == "") {
				print "picture.awk: line " NR ": a colour without a row" > "/dev/stderr"
				exit 1
			}
			rest = substr(rest, RLENGTH + 1)
		}
		# Up to the next sequence: a colour ends by another one.
		text = match(rest, /\033\[[0-9]+m/) ? substr(rest, 1, RSTART - 1) : rest
		# Cells of the same colour are one run.
		if (now != colour && run != "") {
			add(run, colour, begin)
			run = ""
		}
		if (run == "")
			begin = column
		colour = now
		run = run text
		column += length(text)
		rest = substr(rest, length(text) + 1)
		if (now != palette[0])
			sub(/^\033\[0m/, "", rest)
	}
	add(run, colour, begin)
	if (column > most)
		most = column
}

END {
	width = 2 * MARGIN + most * WIDTH; height = 2 * MARGIN + NR * HEIGHT
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
		width, height, width, height
	printf "  <title>%s</title>\n", escape(title)
	printf "  <rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#0d1117\"/>\n", width, height
	print " <g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" xml:space=\"preserve\">"
	printf "%s", runs
	print " </g>"
	print "</svg>"
}
