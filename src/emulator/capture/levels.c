/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels of mailbox firmware by its captured answers, so that a captured machine can be changed
 * too. Reads are answered as they were captured (firmware/captured.c). */
#include "base/array.h"
#include "emulator/capture/parts.h"
#include "emulator/model/mailbox_levels.h"

#include <errno.h>

/** Answers for one domain. */
struct source {
	const struct capture *capture;
	const struct platform_domain *domain;
};

/** False where firmware refused, or was not asked. */
static bool get_answer(const struct source *source, unsigned int command, uint32_t data,
		       uint32_t *value)
{
	const struct captured_answer *answer = capture_mailbox(source->capture, source->domain,
							       command, 0, data);

	if (!answer || answer->error)
		return false;
	*value = answer->value;
	return true;
}

static bool get_level_answer(const void *source, uint32_t sub, uint32_t data, uint32_t *value)
{
	return get_answer(source, 0x7f00 | sub, data, value);
}

static void set_number(struct number_value *target, unsigned int value)
{
	*target = known_number(value);
}

static struct platform_level *add_level(struct platform_domain *domain, unsigned int number)
{
	struct platform_level *level;

	if (ARRAY_GROW(domain->levels, domain->level_count))
		return NULL;
	level = &domain->levels[domain->level_count++];
	*level = (struct platform_level){ .number = number, .line = 1 };
	return level;
}

/** A level about which firmware answers nothing does not exist. */
static int take_level(const struct source *source, struct platform_domain *domain,
		      unsigned int number)
{
	struct platform_level *level = add_level(domain, number);
	uint32_t features = 0;
	bool exists = get_answer(source, 0x7f01, number, &features);

	if (!level)
		return -ENOMEM;
	/* They are supported, whether or not anything else is answered of them. */
	level->tf_cores.line = features & 1;
	level->bf_cores.line = features >> 1 & 1;
	mailbox_level_describe(level, get_level_answer, source);
	if (!level->base[BASE_SSE].value && level->tdp_ratio.line)
		set_number(&level->base[BASE_SSE], level->tdp_ratio.value * 100);
	if (!exists && !level->cores.line)
		domain->level_count--;
	if (number != domain->level.value)
		return 0;
	set_number(&domain->turbo_freq_enabled, features >> 16 & 1);
	set_number(&domain->base_freq_enabled, features >> 17 & 1);
	return 0;
}

static int take_levels(const struct source *source, struct platform_domain *domain)
{
	uint32_t summary;
	int result = 0;

	if (!get_answer(source, 0x7f00, 0, &summary)) {
		set_number(&domain->perf_profile, 0);
		return take_level(source, domain, 0);
	}
	set_number(&domain->version, get_bits(summary, 7, 0));
	set_number(&domain->level, get_bits(summary, 23, 16));
	set_number(&domain->locked, get_bits(summary, 24, 24));
	set_number(&domain->perf_profile, get_bits(summary, 31, 31));
	for (unsigned int number = 0; number <= get_bits(summary, 15, 8) && !result; number++)
		result = take_level(source, domain, number);
	return result;
}

/** Any CPU of the domain that was online. */
static ssize_t some_cpu(const struct capture *capture, const struct platform_domain *domain)
{
	for (size_t i = 0; i < capture->cpu_count; i++)
		if (capture->cpus[i].package == domain->package &&
		    capture->cpus[i].die == domain->die)
			return (ssize_t)i;
	return -1;
}

/** Eight bytes of an MSR. */
static void take_msr_bytes(const struct source *source, uint32_t address, unsigned int unit,
			   struct list_value *list)
{
	const struct captured_msr *msr = capture_msr(source->capture, address);
	ssize_t cpu = some_cpu(source->capture, source->domain);

	if (!msr || cpu < 0)
		return;
	list->line = msr->line;
	list->count = BUCKETS;
	for (unsigned int i = 0; i < BUCKETS; i++)
		list->value[i] = (msr->values[cpu] >> 8 * i & 0xff) * unit;
}

/** The lowest base frequency of the domain's CPUs, MHz. */
static unsigned int base_mhz(const struct source *source, const struct platform *platform)
{
	const struct captured_msr *info = capture_msr(source->capture, MSR_PLATFORM_INFO);
	ssize_t some = some_cpu(source->capture, source->domain);
	unsigned int lowest = 0;

	for (size_t i = 0; i < platform->cpu_count; i++) {
		const struct platform_cpu *cpu = &platform->cpus[i];

		if (&platform->domains[cpu->domain] == source->domain && cpu->base_khz &&
		    (!lowest || cpu->base_khz / 1000 < lowest))
			lowest = cpu->base_khz / 1000;
	}
	if (!lowest && info && some >= 0)
		lowest = (unsigned int)(info->values[some] >> 8 & 0xff) * 100;
	return lowest ? lowest : platform->min_mhz.value;
}

static uint64_t mask_of(const struct isst_cpuset *cores)
{
	uint64_t mask = 0;
	unsigned int core;

	isst_cpuset_for_each (core, cores)
		if (core < MASK_CORES)
			mask |= UINT64_C(1) << core;
	return mask;
}

/** The current level has to be complete, whether or not firmware answered. */
static int complete_level(const struct source *source, const struct platform *platform,
			  struct platform_domain *domain)
{
	struct platform_level *level = NULL;

	for (size_t i = 0; i < domain->level_count; i++)
		if (domain->levels[i].number == domain->level.value)
			level = &domain->levels[i];
	if (!level && domain->level_count > 0)
		set_number(&domain->level, domain->levels[0].number);
	if (!level)
		level = domain->level_count > 0 ? &domain->levels[0]
						: add_level(domain, domain->level.value);
	if (!level)
		return -ENOMEM;
	if (!level->base[BASE_SSE].value)
		set_number(&level->base[BASE_SSE], base_mhz(source, platform));
	if (!level->limits[0].count)
		take_msr_bytes(source, MSR_TURBO_RATIO_LIMIT, 100, &level->limits[0]);
	if (!level->cores.line)
		level->cores = (struct mask_value){ mask_of(domain->cores.set), 1 };
	return 0;
}

int capture_fill_levels(struct capture *capture, struct platform *platform)
{
	int result = 0;

	for (size_t i = 0; i < platform->domain_count && !result; i++) {
		struct platform_domain *domain = &platform->domains[i];
		const struct source source = { capture, domain };
		uint32_t word;

		set_number(&domain->core_power, 0);
		if (get_answer(&source, 0x9403, 0, &word)) {
			set_number(&domain->core_power, get_bits(word, 0, 0));
			set_number(&domain->core_power_enabled, get_bits(word, 16, 16));
		}
		take_msr_bytes(&source, MSR_TURBO_RATIO_LIMIT_CORES, 1, &domain->turbo_cores);
		result = take_levels(&source, domain);
		if (!result)
			result = complete_level(&source, platform, domain);
	}
	return result;
}
