/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What cpufreq makes of level, features, turbo and the user's limits. Knows
 * nothing of files.
 */
#include "emulator/firmware/captured.h"
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

/** What the hardware guarantees: base frequency of the level, or the core's share of SST-BF. */
unsigned int base_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct platform_cpu *cpu = place->cpu;
	const struct level_facts facts = level_facts(server, cpu->domain);

	if (cpu->base_khz && captured_as_was(server, cpu->domain))
		return cpu->base_khz;
	if (!facts.base_freq)
		return (facts.base_mhz ? facts.base_mhz : server->platform->min_mhz.value) * 1000;
	if (cpu->core < MASK_CORES && facts.high_cores >> cpu->core & 1)
		return facts.high_mhz * 1000;
	return facts.low_mhz * 1000;
}

unsigned int lowest_khz(const struct place *place)
{
	return place->server->platform->min_mhz.value * 1000;
}

unsigned int highest_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct platform_cpu *cpu = place->cpu;
	const struct platform *platform = server->platform;
	unsigned int highest = level_facts(server, cpu->domain).highest_mhz;

	if (cpu->highest_khz && server->state->no_turbo == platform->no_turbo.value &&
	    captured_as_was(server, cpu->domain))
		return cpu->highest_khz;
	if (server->state->no_turbo && platform->cpuinfo_follows_turbo.value)
		return base_khz(place);
	if (platform->max_mhz.line)
		return platform->max_mhz.value * 1000;
	return (highest ? highest : platform->min_mhz.value) * 1000;
}

static unsigned int clamp(unsigned int value, unsigned int low, unsigned int high)
{
	if (value > high)
		return high;
	return value < low ? low : value;
}

unsigned int scaling_max_khz(const struct place *place)
{
	return clamp(state_cpu(place->server, place->cpu)->requested_max_khz, lowest_khz(place),
		     highest_khz(place));
}

/** A minimum above the maximum gives way. */
unsigned int scaling_min_khz(const struct place *place)
{
	return clamp(state_cpu(place->server, place->cpu)->requested_min_khz, lowest_khz(place),
		     scaling_max_khz(place));
}
