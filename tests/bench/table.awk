# SPDX-License-Identifier: BSD-3-Clause
# Prints what compare.sh measured as a table, and judges it: table.awk BOUNDS FIGURES
# BOUNDS: lines "platform command calls opens driver-calls accesses ratio", most that ours may have; the ratio is the least
# number of system calls of the reference to one of ours; "-" where nothing is stated.

function bounded(value, most) {
	return most == "" || most == "-" || value + 0 <= most + 0
}

function ratio(theirs, ours) {
	return ours > 0 && theirs != "" ? sprintf("%.1f", theirs / ours) : "-"
}

# Whether all that was measured is within what is stated. $0: of ours
function judge(name,    field, i) {
	split(bound[name], field, " ")
	for (i = 1; i <= 4; i++)
		if (!bounded(figure[name, "ours", i], field[i])) {
			printf "bench: %s: %s %s, at most %s are stated\n", name, figure[name, "ours", i], count_name[i], field[i] > "/dev/stderr"
			broken = 1
		}
	if (field[5] + 0 > 0 && figure[name, "reference", 1] != "" &&
	    figure[name, "reference", 1] < field[5] * figure[name, "ours", 1]) {
		printf "bench: %s: the reference makes less than %s times our system calls\n", name, field[5] > "/dev/stderr"
		broken = 1
	}
	if (name ~ / level_without/ && figure[name, "reference", 9] != "" && gain(name) < 1) {
		printf "bench: %s: the reference takes less processor time\n", name > "/dev/stderr"
		broken = 1
	}
	if (status[name] + 0 != 0) {
		printf "bench: %s: ours failed\n", name > "/dev/stderr"
		broken = 1
	}
}

# What costs more processor time than in the reference stands first.
function order_names(    i, j, kept) {
	for (i = 2; i <= names; i++) {
		kept = order[i]
		for (j = i - 1; j > 0 && gain(order[j]) > gain(kept); j--)
			order[j + 1] = order[j]
		order[j + 1] = kept
	}
}

function gain(name) {
	return figure[name, "ours", 9] > 0 ? figure[name, "reference", 9] / figure[name, "ours", 9] : 0
}

# One line for a kind of figure: ours, the reference's, how many times ours that is.
function cell(name, i,    ours, theirs) {
	ours = figure[name, "ours", i]
	theirs = figure[name, "reference", i]
	return sprintf(" %8s %8s %6s |", ours, theirs == "" ? "-" : theirs, ratio(theirs, ours))
}

function heading(title, names,    field, count, i, line) {
	printf "\n%s\n", title
	count = split(names, field, ", ")
	line = sprintf("%-40s |", "")
	for (i = 1; i <= count; i++)
		line = line sprintf(" %-24s |", field[i])
	print line
	line = sprintf("%-40s |", "platform, command")
	for (i = 1; i <= count; i++)
		line = line sprintf(" %8s %8s %6s |", "ours", "ref.", "ratio")
	print line
}

function table(first, last,    n, i, line) {
	for (n = 1; n <= names; n++) {
		line = sprintf("%-40s |", order[n])
		for (i = first; i <= last; i++)
			line = line cell(order[n], i)
		print line
	}
}

BEGIN {
	split("system calls;opens of the device;driver calls;firmware accesses", count_name, ";")
}
/^#/ || NF == 0 {
	next
}
FILENAME == ARGV[1] {
	bound[$1 " " $2] = $3 " " $4 " " $5 " " $6 " " $7
	next
}
{
	name = $1 " " $2
	if (!(name in known)) {
		known[name] = 1
		order[++names] = name
	}
	# Counts: calls opens driver-calls accesses status files allocations
	for (i = 1; i <= 4; i++)
		figure[name, $3, i] = $(3 + i)
	status[name] = $3 == "ours" ? $8 : status[name]
	figure[name, $3, 5] = $9
	figure[name, $3, 6] = $10
	# Times: own wall processor memory, then with latency wall
	for (i = 7; i <= 10; i++)
		figure[name, $3, i] = sprintf(i == 10 ? "%d" : "%.1f", $(4 + i))
	figure[name, $3, 11] = sprintf("%.1f", $(16))
}
END {
	order_names()
	heading("Exact counts; driver calls and firmware accesses without CPU numbers (GET_PHY_ID)", \
		"system calls, opens of the device, driver calls, firmware accesses, files, allocations")
	table(1, 6)
	heading("Milliseconds, minimum of several runs; peak memory in KiB", \
		"outside the emulator, wall time, processor time, peak memory, wall time at 40 us")
	table(7, 11)
	for (n = 1; n <= names; n++)
		judge(order[n])
	exit broken
}
