/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What cpufreq makes of level, features, turbo and the user's limits. Knows
 * nothing of files.
 */
#include "emulator/firmware/captured.h"
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/kernel.h"
#include "emulator/kernel/views.h"

#include <errno.h>

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

/* ---- What the core runs at ---- */

/** The maximum of a CPU's CLOS as a ratio, by the registers of a domain that is reached by TPMI. */
static bool tpmi_clos_max(const struct server *server, const struct platform_cpu *cpu,
			  unsigned int *ratio)
{
	enum { CORES_PER_WORD = 16, BITS_PER_CORE = 4 };
	const struct tpmi_registers registers = state_registers(server, cpu->domain);
	uint64_t word;

	if (tpmi_absent(&registers) || !tpmi_get(&registers, CP_STATUS_ENABLE, 0, 0))
		return false;
	word = tpmi_get(&registers, CP_ASSOCIATION, 0, cpu->core / CORES_PER_WORD);
	word >>= cpu->core % CORES_PER_WORD * BITS_PER_CORE;
	*ratio = (unsigned int)tpmi_get(&registers, CP_CLOS_MAX, 0, word % CLOS_COUNT);
	return true;
}

/** The same by MMIO, or the mailbox. */
static bool package_clos_max(const struct server *server, const struct platform_cpu *cpu,
			     unsigned int *ratio)
{
	const struct domain_state *state = state_domain(server, cpu->domain);

	if (!(state->qos_config >> 1 & 1) || cpu->core >= CORE_IDS)
		return false;
	*ratio = state->clos[state->association[cpu->core] >> 16 & 3] >> 16 & 0xff;
	return true;
}

/** No core runs below its lowest frequency: a maximum of 0 leaves it there. */
unsigned int busy_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct platform_cpu *cpu = place->cpu;
	unsigned int khz = scaling_max_khz(place), ratio;
	bool limited = platform_is_tpmi(server->platform) ? tpmi_clos_max(server, cpu, &ratio)
							  : package_clos_max(server, cpu, &ratio);

	return limited ? clamp(ratio * 100000, lowest_khz(place), khz) : khz;
}

int kernel_busy_khz(struct server *server, unsigned int cpu, uint64_t *khz)
{
	const struct place place = { .server = server, .cpu = platform_cpu(server->platform, cpu) };

	if (!place.cpu || !cpu_online(server, place.cpu))
		return -EINVAL;
	*khz = busy_khz(&place);
	return 0;
}
