/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What cpufreq makes of level, features, turbo and the user's limits. Knows
 * nothing of files.
 */
#include "emulator/firmware/captured.h"
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <string.h>

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

/** The highest turbo frequency, whether turbo is on or off. */
static unsigned int turbo_khz(const struct place *place)
{
	const struct platform *platform = place->server->platform;
	unsigned int highest = level_facts(place->server, place->cpu->domain).highest_mhz;

	if (platform->max_mhz.line)
		return platform->max_mhz.value * 1000;
	return (highest ? highest : platform->min_mhz.value) * 1000;
}

unsigned int highest_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct platform_cpu *cpu = place->cpu;
	const struct platform *platform = server->platform;

	if (cpu->highest_khz && server->state->no_turbo == platform->no_turbo.value &&
	    captured_as_was(server, cpu->domain))
		return cpu->highest_khz;
	if (server->state->no_turbo && platform->cpuinfo_follows_turbo.value)
		return base_khz(place);
	return turbo_khz(place);
}

static unsigned int clamp(unsigned int value, unsigned int low, unsigned int high)
{
	if (value > high)
		return high;
	return value < low ? low : value;
}

/* ---- Limits: of the requests of all owners the kernel takes the tightest one ---- */

/** A percentage of the highest frequency, rounded up; 0: there is none, or the driver, which is not
 * passive, obeys it itself. */
static unsigned int percent_khz(const struct place *place, unsigned int percent)
{
	if (strcmp(place->server->platform->pstate.text, "passive") != 0)
		return 0;
	return (unsigned int)(((uint64_t)turbo_khz(place) * percent + 99) / 100);
}

bool has_bios_limit(const struct place *place)
{
	return strcmp(place->server->platform->cpufreq.text, "acpi-cpufreq") == 0;
}

unsigned int bios_limit_khz(const struct place *place)
{
	const struct number_value *limit = &place->server->platform->bios_limit_mhz;

	return limit->line ? least(limit->value * 1000, highest_khz(place)) : highest_khz(place);
}

/** Each state of the processor's cooling device takes a fifth of the highest frequency. */
static unsigned int cooled_khz(const struct place *place)
{
	enum { STATES = 5 };
	unsigned int state = state_cpu(place->server, place->cpu)->cooling;

	return (unsigned int)((uint64_t)highest_khz(place) * (STATES - state) / STATES);
}

unsigned int scaling_max_khz(const struct place *place)
{
	unsigned int khz = state_cpu(place->server, place->cpu)->requested_max_khz;
	unsigned int percent = percent_khz(place, place->server->state->max_perf_pct);

	khz = least(khz, cooled_khz(place));
	if (has_bios_limit(place))
		khz = least(khz, bios_limit_khz(place));
	if (percent)
		khz = least(khz, percent);
	return clamp(khz, lowest_khz(place), highest_khz(place));
}

/** A minimum above the maximum gives way. */
unsigned int scaling_min_khz(const struct place *place)
{
	unsigned int khz = state_cpu(place->server, place->cpu)->requested_min_khz;
	unsigned int percent = percent_khz(place, place->server->state->min_perf_pct);

	return clamp(khz > percent ? khz : percent, lowest_khz(place), scaling_max_khz(place));
}
