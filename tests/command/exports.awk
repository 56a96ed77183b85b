# SPDX-License-Identifier: BSD-3-Clause
# A strict reader of OpenMetrics as isst writes it: exports.awk FILE. Prints what is wrong, and nothing else. Families are
# gauges, in one piece each: TYPE, UNIT where it has one, HELP, samples; values are whole numbers or +Inf; no series twice.
# -v series=N: there may be so many.

function wrong(why) {
	print FILENAME ":" FNR ": " why ": " $0
}

BEGIN {
	label = "[a-z_]+=\"([^\"\\\\]|\\\\[\\\\\"n])*\""
	sample = "^[a-z_]+([{]" label "(," label ")*[}])? ([0-9]+|[+]Inf)$"
}

ended { wrong("behind the end") }

/^# EOF$/ {
	if (family != "" && !samples)
		wrong("a family without samples")
	ended = 1
	next
}

/^# TYPE [a-z_]+ gauge$/ {
	if (family != "" && !samples)
		wrong("a family without samples")
	if ($3 in families)
		wrong("a family twice")
	families[$3] = 1
	family = $3
	unit = helped = samples = 0
	next
}

/^# UNIT [a-z_]+ (hertz|watts|celsius|seconds)$/ {
	if ($3 != family || helped || samples || unit || $3 !~ "_" $4 "$")
		wrong("a unit out of place")
	unit = 1
	next
}

/^# HELP [a-z_]+ [^\\]+[.]$/ {
	if ($3 != family || helped || samples)
		wrong("a help text out of place")
	if (!unit && family ~ /_(hertz|watts|celsius|seconds)$/)
		wrong("the unit is not stated")
	helped = 1
	next
}

$0 ~ sample {
	name = $0
	sub(/[{ ].*/, "", name)
	key = $0
	sub(/ [^ ]*$/, "", key)
	if (name != family || !helped)
		wrong("a sample out of place")
	if (name !~ /^isst_/)
		wrong("a name of another program")
	if (key in seen)
		wrong("a series twice")
	seen[key] = 1
	samples++
	count++
	next
}

{ wrong("not OpenMetrics") }

END {
	if (!ended)
		print FILENAME ": the end is missing"
	if (series && count > series)
		print FILENAME ": " count " series"
}
