# SPDX-License-Identifier: BSD-3-Clause
# Documents as they are for a build with or without the emulator: awk -v emulator=yes|no -f parts.awk DOCUMENT
# Comments of the document mark its parts, each on a line of its own. In the man page they are
#	.\" emulator            what follows is left out without the emulator
#	.\" end of emulator
#	.\" no emulator: TEXT   stands there instead
# and in Markdown the same words between <!-- and -->.

{
	mark = ""
	if ($0 ~ /^\.\\" /)
		mark = substr($0, 5)
	else if ($0 ~ /^<!-- .* -->$/)
		mark = substr($0, 6, length($0) - 9)
}

mark == "emulator" {
	left_out = emulator == "no"
	next
}

mark == "end of emulator" {
	left_out = 0
	next
}

mark ~ /^no emulator: / {
	if (emulator == "no")
		print substr(mark, 14)
	next
}

!left_out
