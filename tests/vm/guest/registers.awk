# SPDX-License-Identifier: BSD-3-Clause
# The registers that the hardware has to hold, as its file "registers" shows them. Files: units (`package die domain
# cpu`), and lines that describe how they differ from those at power on, the later ones over the earlier:
#   PACKAGE DOMAIN ITEM VALUE...
# PACKAGE is a number or *; DOMAIN a number, * for all with CPUs, or + for all.
#   level L, base-freq 0|1, turbo-freq 0|1, core-power 0|1, ordered 0|1
#   class N EPP WEIGHT MIN MAX    ratios; EPP is not kept by TPMI, neither is by model 0x55
#   association CORE N            the core as counted within the domain
#   turbo-limits 0xHEX            changes with the level unless specified

function matches(u, p, d) {
	return (p == "*" || p == package[u]) && (d == "+" || d == domain[u] || (d == "*" && cpu[u] != "None"))
}

function put(u, what, value) {
	print "package-" package[u] " domain-" domain[u] " " what " " value
}

function hex(value) {
	return sprintf("0x%x", value)
}

# The firmware's id of a core: every third is fused off.
function core_id(n) {
	return n + int(n / 2)
}

function class_value(u, n,    value, part) {
	split(class[u, n], part, " ")
	value = part[3] * 256 + part[4] * 65536
	if (transport != "msr")
		value += part[2] * 16
	if (transport == "mailbox")
		value += part[1]
	return hex(value)
}

# Of four bits for each id, the highest id first.
function associations(u,    i, id, value) {
	id = core_id(3)
	for (i = 3; i >= 0; i--) {
		for (; id > core_id(i); id--)
			value *= 16
		value += association[u, i]
	}
	return hex(value)
}

function show_tpmi(u,    i, value) {
	value = state[u, "level"] + state[u, "base-freq"] * 256 + state[u, "turbo-freq"] * 512
	put(u, "profile-control", hex(value))
	put(u, "profile-status", hex(value))
	value = state[u, "core-power"] + state[u, "ordered"] * 2
	put(u, "core-power-control", hex(value))
	put(u, "core-power-status", hex(value))
	for (i = 0; i < 4; i++)
		put(u, "class-" i, class_value(u, i))
	put(u, "associations", associations(u))
}

function show_mailbox(u,    i) {
	put(u, "level", hex(state[u, "level"]))
	put(u, "features", hex(state[u, "base-freq"] + state[u, "turbo-freq"] * 2))
	put(u, "core-power", hex(state[u, "core-power"]))
	put(u, "qos", hex(state[u, "clos"] * 2 + state[u, "ordered"] * 4))
	for (i = 0; i < 4; i++)
		put(u, "class-" i, class_value(u, i))
	for (i = 0; i < 4; i++)
		put(u, "association-" core_id(i), hex(association[u, i] * 65536))
}

NR == FNR {
	package[++units] = $1
	domain[units] = $3
	cpu[units] = $4
	for (i = 0; i < 4; i++)
		class[units, i] = "0 0 0 255"
	next
}

{
	for (u = 1; u <= units; u++) {
		if (!matches(u, $1, $2))
			continue
		if ($3 == "class")
			class[u, $4] = $5 " " $6 " " $7 " " $8
		else if ($3 == "association")
			association[u, $4] = $5
		else
			state[u, $3] = $4
		if ($3 == "level")
			delete state[u, "turbo-limits"]
		if ($3 == "core-power")
			state[u, "clos"] = $4
	}
}

END {
	limits[0] = "0x1f20212223242526"
	limits[1] = "0x2021222324252627"
	for (u = 1; u <= units; u++) {
		if (transport == "tpmi")
			show_tpmi(u)
		else
			show_mailbox(u)
		if (cpu[u] == "None")
			continue
		value = state[u, "turbo-limits"]
		put(u, "turbo-limits", value == "" ? limits[state[u, "level"] + 0] : value)
	}
}
