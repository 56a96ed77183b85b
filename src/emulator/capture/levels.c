/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The levels and settings of mailbox firmware, decoded from its captured answers, so that a
 * captured machine can be changed too. Reads are answered as they were captured
 * (firmware/captured.c); what cannot be decoded here only limits what changes do.
 */
#include "base/array.h"
#include "emulator/capture/parts.h"

#include <errno.h>

/** Answers for one domain. */
struct source {
	const struct capture *capture;
	const struct platform_domain *domain;
};

static unsigned int get_bits(uint64_t word, unsigned int high, unsigned int low)
{
	return (unsigned int)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

/** False where firmware refused, or was not asked. */
static bool get_answer(const struct source *source, unsigned int command, uint32_t parameter,
		       uint32_t data, uint32_t *value)
{
	const struct captured_answer *answer = capture_mailbox(source->capture, source->domain,
							       command, parameter, data);

	if (!answer || answer->error)
		return false;
	*value = answer->value;
	return true;
}

static void set_number(struct number_value *target, unsigned int value)
{
	*target = known_number(value);
}

static bool answered_mask(const struct source *source, unsigned int command, uint32_t level,
			  struct mask_value *mask)
{
	uint32_t low, high;

	if (!get_answer(source, command, 0, level, &low))
		return false;
	if (!get_answer(source, command, 0, level | 1 << 8, &high))
		high = 0;
	*mask = (struct mask_value){ low | (uint64_t)high << 32, 1 };
	return true;
}

/** Two answers of four bytes each, as values of @unit. */
static void take_buckets(const struct source *source, unsigned int command, uint32_t data,
			 unsigned int unit, struct list_value *list)
{
	for (unsigned int half = 0; half < 2; half++) {
		uint32_t word;

		if (!get_answer(source, command, 0, data | half << 8, &word))
			continue;
		list->line = 1;
		list->count = BUCKETS;
		for (unsigned int i = 0; i < 4; i++)
			list->value[4 * half + i] = get_bits(word, 8 * i + 7, 8 * i) * unit;
	}
	while (list->count > 0 && list->value[list->count - 1] == 0)
		list->count--;
}

static void take_frequencies(const struct source *source, struct platform_level *level)
{
	uint32_t word;

	if (get_answer(source, 0x7f0a, 0, level->number, &word))
		for (unsigned int i = 0; i < BASES; i++)
			set_number(&level->base[i], get_bits(word, 8 * i + 7, 8 * i) * 100);
	if (get_answer(source, 0x7f03, 0, level->number, &word)) {
		set_number(&level->power_w, get_bits(word, 14, 0));
		set_number(&level->tdp_ratio, get_bits(word, 23, 16));
		if (!level->base[BASE_SSE].value)
			set_number(&level->base[BASE_SSE], level->tdp_ratio.value * 100);
	}
	if (get_answer(source, 0x7f0c, 0, level->number | 1 << 16, &word)) {
		set_number(&level->uncore_max, get_bits(word, 7, 0) * 100);
		set_number(&level->uncore_base, get_bits(word, 15, 8) * 100);
		set_number(&level->uncore_min, get_bits(word, 31, 24) * 100);
	} else if (get_answer(source, 0x7f09, 0, level->number, &word)) {
		set_number(&level->uncore_max, get_bits(word, 7, 0) * 100);
		set_number(&level->uncore_base, get_bits(word, 15, 8) * 100);
	}
	for (unsigned int type = 0; type < TRL_TYPES; type++)
		take_buckets(source, 0x7f07, level->number | type << 16, 100, &level->limits[type]);
}

static void take_base_freq(const struct source *source, struct platform_level *level)
{
	uint32_t word;

	if (!answered_mask(source, 0x7f20, level->number, &level->bf_cores))
		level->bf_cores.line = 1; /* it is supported all the same */
	if (get_answer(source, 0x7f21, 0, level->number, &word)) {
		set_number(&level->bf_low, get_bits(word, 7, 0) * 100);
		set_number(&level->bf_high, get_bits(word, 15, 8) * 100);
	}
}

static void take_turbo_freq(const struct source *source, struct platform_level *level)
{
	take_buckets(source, 0x7f10, level->number, 1, &level->tf_cores);
	level->tf_cores.line = 1;
	for (unsigned int type = 0; type < TRL_TYPES; type++)
		take_buckets(source, 0x7f11, level->number | type << 16, 100,
			     &level->tf_limits[type]);
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
	struct mask_value cores = { 0 };
	struct platform_level *level;
	uint32_t features = 0;
	bool exists = get_answer(source, 0x7f01, 0, number, &features);

	exists |= answered_mask(source, 0x7f06, number, &cores);
	if (!exists)
		return 0;
	level = add_level(domain, number);
	if (!level)
		return -ENOMEM;
	level->cores = cores;
	take_frequencies(source, level);
	if (features & 1 << 1)
		take_base_freq(source, level);
	if (features & 1 << 0)
		take_turbo_freq(source, level);
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

	if (!get_answer(source, 0x7f00, 0, 0, &summary)) {
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

/** By mailbox, or from the registers. */
static bool answered_clos(const struct source *source, unsigned int clos, uint32_t *word)
{
	const struct captured_answer request = {
		.kind = CAPTURE_MMIO,
		.package = source->domain->package,
		.die = source->domain->die,
		.command = 0x08 + 4 * clos,
	};
	const struct captured_answer *answer = capture_answer(source->capture, &request);

	if (!answer || answer->error)
		return get_answer(source, 0xd001, clos, 0, word);
	*word = answer->value;
	return true;
}

static void take_core_power(const struct source *source, struct platform_domain *domain)
{
	uint32_t word;

	set_number(&domain->core_power, 0);
	if (get_answer(source, 0x9403, 0, 0, &word)) {
		set_number(&domain->core_power, get_bits(word, 0, 0));
		set_number(&domain->core_power_enabled, get_bits(word, 16, 16));
	}
	if (get_answer(source, 0xd002, 0, 0, &word)) {
		set_number(&domain->clos_enabled, get_bits(word, 1, 1));
		set_number(&domain->priority, get_bits(word, 2, 2));
	}
	for (unsigned int i = 0; i < CLOS_COUNT; i++) {
		struct platform_clos *clos = &domain->clos[i];

		if (!answered_clos(source, i, &word))
			word = 0xff << 16; /* as after a reset: no limit */
		set_number(&clos->epp, get_bits(word, 3, 0));
		set_number(&clos->weight, get_bits(word, 7, 4));
		set_number(&clos->min, get_bits(word, 15, 8) * 100);
		set_number(&clos->max, get_bits(word, 23, 16) * 100);
		set_number(&clos->desired, get_bits(word, 31, 24) * 100);
	}
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
		list->value[i] = get_bits(msr->values[cpu], 8 * i + 7, 8 * i) * unit;
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
		lowest = get_bits(info->values[some], 15, 8) * 100;
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

		take_core_power(&source, domain);
		take_msr_bytes(&source, MSR_TURBO_RATIO_LIMIT_CORES, 1, &domain->turbo_cores);
		result = take_levels(&source, domain);
		if (!result)
			result = complete_level(&source, platform, domain);
	}
	return result;
}
