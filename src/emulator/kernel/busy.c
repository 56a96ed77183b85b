/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CPUs run at while all that are online are busy: by limits, turbo buckets, classes of service
 * and SST-TF. No CPU is ever idle here, and power is never short. Knows nothing of files.
 */
#include "emulator/firmware/tpmi.h"
#include "emulator/kernel/kernel.h"
#include "emulator/kernel/views.h"

#include "isst.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

enum { KHZ_PER_RATIO = 100000, KHZ_PER_MHZ = 1000 };
/* CLOS 0 and 1 have high priority. */
enum { LOWEST_HIGH_CLOS = 1 };

/* ---- Classes ---- */

/** The class of a CPU's core. */
struct class_of_cpu {
	bool in_use; /* classes hold: core-power is on, or on some machines SST-TF */
	unsigned int clos, max_ratio;
};

/** Whether classes hold in a domain, where core-power is on or not. */
static bool uses_classes(const struct server *server, const struct platform_cpu *cpu,
			 bool core_power)
{
	return core_power || (server->platform->domains[cpu->domain].turbo_freq_uses_clos.value &&
			      level_facts(server, cpu->domain).turbo_freq);
}

/** By the registers of a domain that is reached by TPMI. */
static struct class_of_cpu tpmi_class(const struct server *server, const struct platform_cpu *cpu)
{
	enum { CORES_PER_WORD = 16, BITS_PER_CORE = 4 };
	const struct tpmi_registers registers = state_registers(server, cpu->domain);
	struct class_of_cpu class = { .in_use = false };
	uint64_t word;

	if (tpmi_absent(&registers) ||
	    !(tpmi_get(&registers, SST_CAPABILITIES, 0, 0) & TPMI_HAS_CORE_POWER) ||
	    !uses_classes(server, cpu, tpmi_get(&registers, CP_STATUS_ENABLE, 0, 0)))
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

	if (cpu->core >= CORE_IDS || !server->platform->domains[cpu->domain].core_power.value ||
	    !uses_classes(server, cpu, state->qos_config >> 1 & 1))
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

static bool has_high_priority(const struct class_of_cpu *class)
{
	return class->in_use && class->clos <= LOWEST_HIGH_CLOS;
}

/* ---- Buckets ---- */

/** Adds the cores of a domain that have a CPU online, or those of them that have high priority. */
static void add_cores(const struct server *server, const struct platform_domain *domain,
		      bool high_only, struct isst_cpuset *cores)
{
	for (const struct platform_cpu *cpu = domain->first_cpu; cpu; cpu = cpu->next_of_domain) {
		unsigned int core = (unsigned int)cpu->domain * CORE_IDS + cpu->core;
		struct class_of_cpu class;

		if (!cpu_online(server, cpu))
			continue;
		if (high_only) {
			class = class_of(server, cpu);
			if (!has_high_priority(&class))
				continue;
		}
		/* Without memory one core less is counted, of which nothing breaks. */
		(void)isst_cpuset_add(cores, core, core);
	}
}

/** Counts the cores of the package that a domain is of, which have a CPU online, or those of them
 * that have high priority. */
static size_t count_cores(const struct server *server, size_t domain, bool high_only)
{
	const struct platform *platform = server->platform;
	struct isst_cpuset *cores = isst_cpuset_new();
	size_t count;

	for (size_t i = 0; i < platform->domain_count; i++)
		if (platform->domains[i].socket == platform->domains[domain].socket)
			add_cores(server, &platform->domains[i], high_only, cores);
	count = isst_cpuset_count(cores);
	isst_cpuset_free(cores);
	return count;
}

static unsigned int ratio_of(uint64_t ratios, unsigned int bucket)
{
	return (unsigned int)(ratios >> (8 * bucket) & 0xff);
}

/** The bucket of turbo ratio limits that so many busy cores of a package are in. */
static unsigned int turbo_bucket(const struct list_value *cores, uint64_t ratios, size_t busy)
{
	unsigned int bucket = 0;

	while (bucket + 1 < BUCKETS && bucket < cores->count && cores->value[bucket] < busy &&
	       ratio_of(ratios, bucket + 1))
		bucket++;
	return bucket;
}

/** What turbo leaves a core without the help of SST-TF: the register, and what the level has at
 * most, which the register cannot exceed; 0: nothing is known. */
static unsigned int turbo_ratio(const struct server *server, const struct platform_cpu *cpu,
				const struct level_facts *facts)
{
	const uint64_t set = state_msrs(server, cpu->domain)->turbo_ratio_limits;
	const struct list_value *cores = &server->platform->domains[cpu->domain].turbo_cores;
	uint64_t of_level = facts->turbo_ratios ? facts->turbo_ratios : set;
	unsigned int bucket = turbo_bucket(cores, of_level,
					   count_cores(server, cpu->domain, false));
	unsigned int ratio = ratio_of(of_level, bucket);

	return ratio_of(set, bucket) ? least(ratio, ratio_of(set, bucket)) : ratio;
}

/** What SST-TF leaves a core; 0: it does not limit it. More high priority cores than the last
 * bucket holds ran at its frequency where that was measured. */
static unsigned int turbo_freq_mhz(const struct server *server, const struct platform_cpu *cpu,
				   const struct level_facts *facts,
				   const struct class_of_cpu *class)
{
	size_t high_cores;
	unsigned int bucket = 0;

	if (!has_high_priority(class))
		return facts->clip_mhz;
	if (facts->buckets == 0)
		return 0;
	high_cores = count_cores(server, cpu->domain, true);
	while (bucket + 1 < facts->buckets && facts->bucket_cores[bucket] < high_cores)
		bucket++;
	return facts->bucket_mhz[bucket];
}

/* ---- Frequencies ---- */

/** What turbo leaves a core. High priority cores of SST-TF may exceed the level's turbo ratio
 * limits, but not the register's. */
static unsigned int turbo_khz(const struct place *place, const struct level_facts *facts,
			      const struct class_of_cpu *class)
{
	const struct server *server = place->server;
	unsigned int highest = ratio_of(state_msrs(server, place->cpu->domain)->turbo_ratio_limits,
					0);
	unsigned int mhz, ratio, khz;

	if (!facts->turbo_freq || !class->in_use) {
		ratio = turbo_ratio(server, place->cpu, facts);
		return ratio ? ratio * KHZ_PER_RATIO : UINT_MAX;
	}
	mhz = turbo_freq_mhz(server, place->cpu, facts, class);
	khz = mhz ? mhz * KHZ_PER_MHZ : UINT_MAX;
	return highest ? least(khz, highest * KHZ_PER_RATIO) : khz;
}

static unsigned int most(unsigned int one, unsigned int other)
{
	return one > other ? one : other;
}

/** No core runs below its lowest frequency, but for its class: with a maximum of 0 cores of a
 * Xeon 6776P ran at 500 MHz, which its level has for the lowest frequency (Pm). */
unsigned int busy_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct level_facts facts = level_facts(server, place->cpu->domain);
	const struct class_of_cpu class = class_of(server, place->cpu);
	unsigned int khz = scaling_max_khz(place), lowest = lowest_khz(place);
	unsigned int powered = power_limited_khz(place);

	khz = least(khz, turbo_khz(place, &facts, &class));
	if (powered)
		khz = least(khz, powered);
	if (server->state->no_turbo)
		khz = least(khz, base_khz(place));
	khz = most(khz, lowest);
	if (!class.in_use)
		return khz;
	if (facts.floor_mhz)
		lowest = least(lowest, facts.floor_mhz * KHZ_PER_MHZ);
	return least(khz, most(lowest, class.max_ratio * KHZ_PER_RATIO));
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
