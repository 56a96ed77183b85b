# SPDX-License-Identifier: BSD-3-Clause
# One of the two manual pages that intel-speed-select.8 is the source of: awk -v page=isst|intel-speed-select -f pages.awk PAGE
# Comments mark the parts of it, each on a line of its own:
#	.\" page isst                  what follows is in isst(8)
#	.\" page intel-speed-select    in intel-speed-select(8)
#	.\" page both                  in both
# A reference to a section that only the other page has becomes one to that page.

BEGIN {
	here = 1
	other = page == "isst" ? "intel-speed-select" : "isst"
}

/^\.\\" page / {
	here = $3 == page || $3 == "both"
	next
}

/^\.S[hs] / {
	title = substr($0, 5)
	if (here)
		known[title] = 1
	else
		elsewhere[title] = 1
}

here { lines[++count] = $0 }

END {
	for (i = 1; i <= count; i++) {
		line = lines[i]
		for (title in elsewhere)
			if (!(title in known) && match(line, "Sx " title "($| )"))
				line = substr(line, 1, RSTART - 1) "Xr " other " 8" substr(line, RSTART + 3 + length(title))
		print line
	}
}
