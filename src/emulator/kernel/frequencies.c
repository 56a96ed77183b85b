/* SPDX-License-Identifier: BSD-3-Clause */
/* What cpufreq shows of a CPU, and what it runs at while all that are online are busy. */
#include "emulator/capture/capture.h"
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/kernel.h"
#include "emulator/kernel/views.h"

#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

enum { KHZ_PER_MHZ = 1000 };
/* CLOS 0 and 1 have high priority. */
enum { LOWEST_HIGH_CLOS = 1 };

/* ---- What cpufreq makes of level, features, turbo and limits ---- */

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
	return place->platform->min_mhz.value * 1000;
}

/** The highest turbo frequency, whether turbo is on or off. */
static unsigned int highest_turbo_khz(const struct place *place)
{
	const struct platform *platform = place->platform;
	unsigned int highest;

	if (platform->max_mhz.line)
		return platform->max_mhz.value * 1000;
	highest = level_facts(place->server, place->cpu->domain).highest_mhz;
	return (highest ? highest : platform->min_mhz.value) * 1000;
}

unsigned int highest_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct platform_cpu *cpu = place->cpu;

	if (cpu->highest_khz && server->state->no_turbo == server->platform->no_turbo.value &&
	    captured_as_was(server, cpu->domain))
		return cpu->highest_khz;
	if (server->state->no_turbo && server->platform->cpuinfo_follows_turbo.value)
		return base_khz(place);
	return highest_turbo_khz(place);
}

/** 0 is no limit. */
static unsigned int positive_or_max(unsigned int khz)
{
	return khz ? khz : UINT_MAX;
}

/* ---- Limits: of the requests of all owners the kernel takes the tightest one ---- */

/** A percentage of the highest frequency, rounded up; 0: there is none, or the driver, which is not
 * passive, obeys it itself. */
static unsigned int percent_khz(const struct place *place, unsigned int percent)
{
	if (strcmp(place->platform->pstate.text, "passive") != 0)
		return 0;
	return (unsigned int)(((uint64_t)highest_turbo_khz(place) * percent + 99) / 100);
}

bool has_bios_limit(const struct place *place)
{
	return strcmp(place->platform->cpufreq.text, "acpi-cpufreq") == 0;
}

unsigned int bios_limit_khz(const struct place *place)
{
	const struct number_value *limit = &place->platform->bios_limit_mhz;

	return limit->line ? least(limit->value * 1000, highest_khz(place)) : highest_khz(place);
}

unsigned int scaling_max_khz(const struct place *place)
{
	const struct cpu_state *state = cpu_of(place);
	const unsigned int highest = highest_khz(place);
	/* Each state of the processor's cooling device takes a fifth of the highest frequency. */
	unsigned int cooled = (unsigned int)((uint64_t)highest * (5u - state->cooling) / 5);
	unsigned int khz = least(state->requested_max_khz, cooled);

	if (has_bios_limit(place))
		khz = least(khz, bios_limit_khz(place));
	khz = least(khz, positive_or_max(percent_khz(place, place->server->state->max_perf_pct)));
	return clamp(khz, lowest_khz(place), highest);
}

/** A minimum above the maximum gives way. */
unsigned int scaling_min_khz(const struct place *place)
{
	unsigned int khz = cpu_of(place)->requested_min_khz;
	unsigned int percent = percent_khz(place, place->server->state->min_perf_pct);

	return clamp(khz > percent ? khz : percent, lowest_khz(place), scaling_max_khz(place));
}

unsigned int pstate_at_boot(const struct place *place, const char *name, unsigned int otherwise)
{
	const struct captured_entry *entry;
	uint64_t value;

	entry = place->platform->capture ? capture_entry(place->platform->capture,
							 CPU_DIRECTORY "/intel_pstate/%s", name)
					 : NULL;
	if (entry && !number_parse(entry->value, 10, UINT32_MAX, &value))
		return (unsigned int)value;
	return otherwise;
}

unsigned int max_perf_pct(const struct place *place)
{
	unsigned int set = place->server->state->max_perf_pct;

	return set ? set : pstate_at_boot(place, "max_perf_pct", 100);
}

/** What an active driver, which obeys its percentage itself, requests at most: P-states are counted
 * in whole ratios, rounded up, and a minimum of cpufreq counts more. */
static unsigned int active_max_khz(const struct place *place)
{
	const unsigned int highest = highest_turbo_khz(place) / KHZ_PER_RATIO;
	unsigned int khz = (highest * max_perf_pct(place) + 99) / 100 * KHZ_PER_RATIO;

	if (strcmp(place->platform->pstate.text, "active") != 0)
		return UINT_MAX;
	return khz > scaling_min_khz(place) ? khz : scaling_min_khz(place);
}

/* ---- Classes ---- */

/** The class of a CPU's core. */
struct class_of_cpu {
	bool in_use; /* classes hold */
	unsigned int clos, max_ratio;
};

/** By the registers of a domain that is reached by TPMI; else as MMIO or the mailbox set it. */
static struct class_of_cpu find_class(const struct server *server, const struct platform_cpu *cpu)
{
	const struct platform_domain *domain = &server->platform->domains[cpu->domain];
	const struct domain_state *state = state_domain(server, cpu->domain);
	const struct tpmi_registers registers = state_registers(server, cpu->domain);
	const bool tpmi = platform_is_tpmi(server->platform);
	struct class_of_cpu class = { .in_use = false };

	if (tpmi ? tpmi_absent(&registers) ||
			    !(tpmi_get(&registers, SST_CAPABILITIES, 0, 0) & TPMI_HAS_CORE_POWER)
		 : cpu->core >= CORE_IDS || !domain->core_power.value)
		return class;
	/* Core-power is on, or on some machines SST-TF. */
	class.in_use = (tpmi ? tpmi_get(&registers, CP_STATUS_ENABLE, 0, 0)
			     : state->qos_config >> 1 & 1) ||
		       (domain->turbo_freq_uses_clos.value &&
			level_facts(server, cpu->domain).turbo_freq);
	if (!class.in_use)
		return class;
	if (!tpmi) {
		class.clos = state->association[cpu->core] >> 16 & 3;
		class.max_ratio = state->clos[class.clos] >> 16 & 0xff;
		return class;
	}
	class.clos = tpmi_class(&registers, cpu->core) % CLOS_COUNT;
	class.max_ratio = (unsigned int)tpmi_get(&registers, CP_CLOS_MAX, 0, class.clos);
	return class;
}

static bool has_high_priority(const struct class_of_cpu *class)
{
	return class->in_use && class->clos <= LOWEST_HIGH_CLOS;
}

/* ---- Buckets ---- */

/** Counts the cores of the package that a domain is of, which have a CPU online, or those of them
 * that have high priority. */
static size_t count_busy_cores(const struct server *server, size_t domain, bool high_only)
{
	const struct platform *platform = server->platform;
	struct isst_cpuset *cores = isst_cpuset_new();
	const struct platform_cpu *cpu;
	size_t count;

	for (size_t i = 0; i < platform->domain_count; i++) {
		if (platform->domains[i].socket != platform->domains[domain].socket)
			continue;
		for (cpu = platform->domains[i].first_cpu; cpu; cpu = cpu->next_of_domain) {
			unsigned int core = (unsigned int)cpu->domain * CORE_IDS + cpu->core;
			struct class_of_cpu class;

			if (!cpu_online(server, cpu))
				continue;
			class = high_only ? find_class(server, cpu) : (struct class_of_cpu){ 0 };
			/* Without memory one core less is counted, of which nothing breaks. */
			if (!high_only || has_high_priority(&class))
				(void)isst_cpuset_add(cores, core, core);
		}
	}
	count = isst_cpuset_count(cores);
	isst_cpuset_free(cores);
	return count;
}

/** What turbo leaves a core without the help of SST-TF: the register, and what the level has at
 * most in the bucket of all busy cores, which the register cannot exceed; 0: nothing is known. */
static unsigned int turbo_ratio(const struct server *server, const struct platform_cpu *cpu,
				const struct level_facts *facts)
{
	const uint64_t set = state_msrs(server, cpu->domain)->turbo_ratio_limits;
	const struct list_value *cores = &server->platform->domains[cpu->domain].turbo_cores;
	const uint64_t of_level = facts->turbo_ratios ? facts->turbo_ratios : set;
	const size_t busy = count_busy_cores(server, cpu->domain, false);
	unsigned int bucket = 0, ratio;

	while (bucket + 1 < BUCKETS && bucket < cores->count && cores->value[bucket] < busy &&
	       tpmi_byte(of_level, bucket + 1))
		bucket++;
	ratio = tpmi_byte(of_level, bucket);
	return tpmi_byte(set, bucket) ? least(ratio, tpmi_byte(set, bucket)) : ratio;
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
	high_cores = count_busy_cores(server, cpu->domain, true);
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
	const uint64_t set = state_msrs(server, place->cpu->domain)->turbo_ratio_limits;
	unsigned int khz;

	if (!facts->turbo_freq || !class->in_use)
		return positive_or_max(turbo_ratio(server, place->cpu, facts) * KHZ_PER_RATIO);
	khz = turbo_freq_mhz(server, place->cpu, facts, class) * KHZ_PER_MHZ;
	return least(positive_or_max(khz), positive_or_max(tpmi_byte(set, 0) * KHZ_PER_RATIO));
}

/** No core runs below its lowest frequency, but for its class: with a maximum of 0 cores of a
 * Xeon 6776P ran at 500 MHz, which its level has for the lowest frequency (Pm). */
unsigned int busy_khz(const struct place *place)
{
	const struct server *server = place->server;
	const struct level_facts facts = level_facts(server, place->cpu->domain);
	const struct class_of_cpu class = find_class(server, place->cpu);
	unsigned int khz = scaling_max_khz(place), lowest = lowest_khz(place);

	khz = least(khz, active_max_khz(place));
	khz = least(khz, turbo_khz(place, &facts, &class));
	khz = least(khz, positive_or_max(power_limited_khz(place)));
	if (server->state->no_turbo)
		khz = least(khz, base_khz(place));
	khz = khz > lowest ? khz : lowest;
	if (!class.in_use)
		return khz;
	if (facts.floor_mhz)
		lowest = least(lowest, facts.floor_mhz * KHZ_PER_MHZ);
	if (class.max_ratio * KHZ_PER_RATIO > lowest)
		lowest = class.max_ratio * KHZ_PER_RATIO;
	return least(khz, lowest);
}

int kernel_busy_khz(struct server *server, unsigned int cpu, uint64_t *khz)
{
	const struct place place = { .server = server,
				     .platform = server->platform,
				     .cpu = platform_cpu(server->platform, cpu) };

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
