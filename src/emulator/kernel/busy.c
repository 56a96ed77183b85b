/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CPUs run at that are busy: by limits, classes of service and SST-TF. No CPU is ever idle
 * here. Knows nothing of files.
 */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/kernel.h"
#include "emulator/kernel/views.h"

#include "isst.h"

#include <errno.h>
#include <time.h>

enum { KHZ_PER_RATIO = 100000, KHZ_PER_MHZ = 1000 };
/* CLOS 0 and 1 have high priority. */
enum { LOWEST_HIGH_CLOS = 1 };

/* ---- Classes ---- */

/** The class of a CPU's core. */
struct class_of_cpu {
	bool in_use; /* core-power is on */
	unsigned int clos, max_ratio;
};

/** By the registers of a domain that is reached by TPMI. */
static struct class_of_cpu tpmi_class(const struct server *server, const struct platform_cpu *cpu)
{
	enum { CORES_PER_WORD = 16, BITS_PER_CORE = 4 };
	const struct tpmi_registers registers = state_registers(server, cpu->domain);
	struct class_of_cpu class = { .in_use = false };
	uint64_t word;

	if (tpmi_absent(&registers) || !tpmi_get(&registers, CP_STATUS_ENABLE, 0, 0))
		return class;
	word = tpmi_get(&registers, CP_ASSOCIATION, 0, cpu->core / CORES_PER_WORD);
	class.in_use = true;
	class.clos = (word >> cpu->core % CORES_PER_WORD * BITS_PER_CORE) % CLOS_COUNT;
	class.max_ratio = (unsigned int)tpmi_get(&registers, CP_CLOS_MAX, 0, class.clos);
	return class;
}

/** The same by MMIO, or the mailbox. */
static struct class_of_cpu package_class(const struct server *server,
					 const struct platform_cpu *cpu)
{
	const struct domain_state *state = state_domain(server, cpu->domain);
	struct class_of_cpu class = { .in_use = false };

	if (!(state->qos_config >> 1 & 1) || cpu->core >= CORE_IDS)
		return class;
	class.in_use = true;
	class.clos = state->association[cpu->core] >> 16 & 3;
	class.max_ratio = state->clos[class.clos] >> 16 & 0xff;
	return class;
}

static struct class_of_cpu class_of(const struct server *server, const struct platform_cpu *cpu)
{
	return platform_is_tpmi(server->platform) ? tpmi_class(server, cpu)
						  : package_class(server, cpu);
}

/* ---- SST-TF ---- */

/** Counts the high priority cores of the package that a domain is of, which have a CPU online. */
static size_t count_high_cores(const struct server *server, size_t domain)
{
	const struct platform *platform = server->platform;
	struct isst_cpuset *cores = isst_cpuset_new();
	size_t count;

	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];
		unsigned int core = (unsigned int)cpu->domain * CORE_IDS + cpu->core;
		struct class_of_cpu class;

		if (platform->domains[cpu->domain].socket != platform->domains[domain].socket ||
		    !cpu_online(server, cpu))
			continue;
		class = class_of(server, cpu);
		/* Without memory one core less is counted, of which nothing breaks. */
		if (class.in_use && class.clos <= LOWEST_HIGH_CLOS)
			(void)isst_cpuset_add(cores, core, core);
	}
	count = isst_cpuset_count(cores);
	isst_cpuset_free(cores);
	return count;
}

/** The turbo frequency of all cores: that of the last bucket of the level. */
static unsigned int all_core_mhz(const struct level_facts *facts)
{
	unsigned int last = 0;

	for (unsigned int i = 0; i < BUCKETS; i++)
		if (facts->turbo_ratios >> (8 * i) & 0xff)
			last = facts->turbo_ratios >> (8 * i) & 0xff;
	return last * 100;
}

/** What SST-TF leaves a core; 0: it does not limit it. */
static unsigned int turbo_freq_mhz(const struct server *server, const struct platform_cpu *cpu,
				   const struct level_facts *facts, unsigned int clos)
{
	size_t high_cores;
	unsigned int bucket = 0;

	if (clos > LOWEST_HIGH_CLOS)
		return facts->clip_mhz;
	high_cores = count_high_cores(server, cpu->domain);
	while (bucket < facts->buckets && facts->bucket_cores[bucket] < high_cores)
		bucket++;
	/* SST-TF does not help more cores than the last bucket holds. */
	return bucket < facts->buckets ? facts->bucket_mhz[bucket] : all_core_mhz(facts);
}

/* ---- Frequencies ---- */

static unsigned int limited_by_class(const struct place *place, const struct level_facts *facts,
				     unsigned int khz)
{
	const struct class_of_cpu class = class_of(place->server, place->cpu);
	unsigned int mhz;

	if (!class.in_use)
		return khz;
	khz = least(khz, class.max_ratio * KHZ_PER_RATIO);
	mhz = facts->turbo_freq ? turbo_freq_mhz(place->server, place->cpu, facts, class.clos) : 0;
	return mhz ? least(khz, mhz * KHZ_PER_MHZ) : khz;
}

/** No core runs below its lowest frequency: a maximum of 0 leaves it there. */
unsigned int busy_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct level_facts facts = level_facts(server, place->cpu->domain);
	unsigned int ratio = state_msrs(server, place->cpu->domain)->turbo_ratio_limits & 0xff;
	unsigned int khz = scaling_max_khz(place), lowest = lowest_khz(place);

	if (ratio)
		khz = least(khz, ratio * KHZ_PER_RATIO);
	if (server->state->no_turbo)
		khz = least(khz, base_khz(place));
	khz = limited_by_class(place, &facts, khz);
	return khz < lowest ? lowest : khz;
}

int kernel_busy_khz(struct server *server, unsigned int cpu, uint64_t *khz)
{
	const struct place place = { .server = server, .cpu = platform_cpu(server->platform, cpu) };

	if (!place.cpu || !cpu_online(server, place.cpu))
		return -EINVAL;
	*khz = busy_khz(&place);
	return 0;
}

static uint64_t cycles_at(unsigned int khz)
{
	enum { NS_PER_US = 1000, US_PER_MS = 1000, MS_PER_S = 1000 };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	/* In two parts: the product of nanoseconds does not fit. */
	return (uint64_t)now.tv_sec * MS_PER_S * khz +
	       (uint64_t)now.tv_nsec / NS_PER_US * khz / US_PER_MS;
}

uint64_t actual_cycles(const struct place *place)
{
	return cycles_at(busy_khz(place));
}

uint64_t base_cycles(const struct place *place)
{
	return cycles_at(base_khz(place));
}
