# SPDX-License-Identifier: BSD-3-Clause
# Makes of a table of a server's values what `perf-profile info` has to print of its level 0, in the lines
# of leaves.awk. The table has values as data sheets write them, limits in 100 MHz:
#
#     cpus NUMBER                          of the whole server
#     base MHZ...                          SSE, AVX2, AVX-512, AMX; 0: none
#     power W, tjunction C, memory MHZ
#     uncore compute|io MIN MAX BASE       MHz
#     limits TYPE RATIO...                 of eight buckets
#     base-freq HIGH LOW C W               SST-BF; without it there is none
#     turbo-freq-cores COUNT...            SST-TF; without it there is none
#     turbo-freq TYPE RATIO...             of its buckets
#     clip TYPE RATIO
#     core-power no                        there is none
#     domain PACKAGE NUMBER CPUS COUNTS HIGH
#
# of which the last gives the power domain's CPUs, the cores of its turbo buckets and its high priority
# CPUs as lists, `-` where it has none. The server's die is its package.

# Expands a list of CPUs such as 0-2,8 into cpus[1..]; returns how many there are.
function expand(list, cpus, parts, ends, count, i, cpu, n)
{
	split("", cpus)
	if (list == "-")
		return 0
	n = split(list, parts, ",")
	for (i = 1; i <= n; i++) {
		if (split(parts[i], ends, "-") == 1)
			ends[2] = ends[1]
		for (cpu = ends[1] + 0; cpu <= ends[2] + 0; cpu++)
			cpus[++count] = cpu
	}
	return count
}

# The mask of CPUs, in words of 32 bits.
function mask(cpus, count, half, i, word, text)
{
	for (i = 1; i <= count; i++)
		half[int(cpus[i] / 16)] += 2 ^ (cpus[i] % 16)
	for (word = int((all_cpus + 31) / 32) - 1; word >= 0; word--)
		text = text sprintf("%04x%04x", half[2 * word + 1], half[2 * word]) (word ? "," : "")
	return text
}

function list_of(cpus, count, i, text)
{
	for (i = 1; i <= count; i++)
		text = text (i > 1 ? "," : "") cpus[i]
	return count ? text : "none"
}

function leaf(key, value) { print unit "/perf-profile-level-0/" key ":" value }

function present(key, value) { if (value) leaf(key, value) }

function print_level(kind)
{
	leaf("thermal-design-power-ratio", base[1] / 100)
	leaf("base-frequency(MHz)", base[1])
	present("base-frequency-avx2(MHz)", base[2])
	present("base-frequency-avx512(MHz)", base[3])
	leaf("uncore-frequency-min(MHz)", uncore[kind, "min"])
	leaf("uncore-frequency-max(MHz)", uncore[kind, "max"])
	present("base-frequency-amx(MHz)", base[4])
	leaf("uncore-frequency-base(MHz)", uncore[kind, "base"])
	leaf("max-mem-frequency(MHz)", memory)
	leaf("cooling_type", 0)
	leaf("speed-select-turbo-freq", has_turbo_freq ? "disabled" : "unsupported")
	leaf("speed-select-base-freq", has_base_freq ? "disabled" : "unsupported")
	leaf("speed-select-core-power", no_core_power ? "unsupported" : "disabled")
	leaf("thermal-design-power(W)", power)
	leaf("tjunction-max(C)", tjunction)
}

function print_limits(counts, type, bucket, node)
{
	split(counts, cores, ",")
	for (type = 0; type < 6; type++)
		for (bucket = 0; bucket < 8 && (type, 0) in limit; bucket++) {
			node = "turbo-ratio-limits-level-" type "/bucket-" bucket "/"
			leaf(node "core-count", cores[bucket + 1])
			leaf(node "max-turbo-frequency(MHz)", 100 * limit[type, bucket])
		}
}

function print_base_freq(high, cpus, count, node)
{
	count = expand(high, cpus)
	node = "speed-select-base-freq-properties/"
	leaf(node "high-priority-base-frequency(MHz)", high_mhz)
	leaf(node "high-priority-cpu-mask", mask(cpus, count))
	leaf(node "high-priority-cpu-list", list_of(cpus, count))
	leaf(node "low-priority-base-frequency(MHz)", low_mhz)
	leaf(node "tjunction-temperature(C)", base_freq_c)
	leaf(node "thermal-design-power(W)", base_freq_w)
}

function print_turbo_freq(kind, node, bucket, type)
{
	node = "speed-select-turbo-freq-properties/"
	for (bucket = 0; kind == "compute" && bucket < buckets; bucket++) {
		leaf(node "bucket-" bucket "/high-priority-cores-count", high_cores[bucket])
		for (type = 0; type < 6; type++)
			if ((type, bucket) in high_limit)
				leaf(node "bucket-" bucket "/high-priority-max-level-" type "-frequency(MHz)",
				     100 * high_limit[type, bucket])
	}
	for (type = 0; type < 6; type++)
		if (type in clip)
			leaf(node "speed-select-turbo-freq-clip-frequencies/low-priority-max-level-" type \
			     "-frequency(MHz)", 100 * clip[type])
}

$1 == "cpus" { all_cpus = $2 }
$1 == "base" { for (i = 2; i <= NF; i++) base[i - 1] = $i }
$1 == "power" { power = $2 }
$1 == "tjunction" { tjunction = $2 }
$1 == "memory" { memory = $2 }
$1 == "uncore" { uncore[$2, "min"] = $3; uncore[$2, "max"] = $4; uncore[$2, "base"] = $5 }
$1 == "limits" { for (i = 3; i <= NF; i++) limit[$2, i - 3] = $i }
$1 == "base-freq" { has_base_freq = 1; high_mhz = $2; low_mhz = $3; base_freq_c = $4; base_freq_w = $5 }
$1 == "turbo-freq-cores" { has_turbo_freq = 1; for (i = 2; i <= NF; i++) high_cores[buckets++] = $i }
$1 == "turbo-freq" { for (i = 3; i <= NF; i++) high_limit[$2, i - 3] = $i }
$1 == "clip" { clip[$2] = $3 }
$1 == "core-power" { no_core_power = 1 }

$1 == "domain" {
	count = expand($4, own)
	kind = count ? "compute" : "io"
	unit = "package-" $2 "/die-" $2 "/powerdomain-" $3 "/cpu-" (count ? own[1] : "None")
	if (count) {
		leaf("cpu-count", count)
		leaf("enable-cpu-count", count)
		leaf("enable-cpu-mask", mask(own, count))
		leaf("enable-cpu-list", list_of(own, count))
	}
	print_level(kind)
	if (count)
		print_limits($5)
	if (has_base_freq)
		print_base_freq($6)
	if (has_turbo_freq)
		print_turbo_freq(kind)
}
