/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the TPMI registers of each power domain, as they are at reset, from a platform file. */
#include "emulator/model/file.h"
#include "emulator/model/tpmi_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Words of 64 bits: where the banks begin, and how long they are. */
enum {
	CP_START = 1,
	PP_START = 12,
	PP_WORDS = 5,
	LEVEL_WORDS = 12,
	FABRIC2_WORDS = 1, /* from revision 2 on */
	BF_WORDS = 2,
	TF_WORDS = 8,
	MODULE_WORDS = 1, /* from revision 2 on */
	USUAL_LEVELS = 5, /* that have a block */
};

enum { FEATURE_PP = 1, FEATURE_BF = 2, FEATURE_TF = 3 };

/** How a domain's blocks of levels are laid out, in words. */
struct layout {
	size_t bf, tf, block, levels;
};

static struct layout choose_layout(const struct platform_domain *domain)
{
	struct layout layout = { .bf = LEVEL_WORDS, .levels = USUAL_LEVELS };
	bool modules = false;

	if (domain->version.value >= 2)
		layout.bf += FABRIC2_WORDS;
	layout.tf = layout.bf + BF_WORDS;
	layout.block = layout.tf + TF_WORDS;
	for (size_t i = 0; i < domain->level_count; i++)
		modules |= domain->levels[i].tf_version.value >= 2;
	if (modules)
		layout.block += MODULE_WORDS;
	if (domain->level_count && domain->levels[domain->level_count - 1].number >= layout.levels)
		layout.levels = domain->levels[domain->level_count - 1].number + 1;
	return layout;
}

/* ---- The banks ---- */

static void set_headers(const struct tpmi_registers *to, const struct platform_domain *domain,
			const struct layout *layout)
{
	uint64_t offsets = 0;

	tpmi_set(to, SST_CAPABILITIES, 0, 0,
		 domain->core_power.value | domain->perf_profile.value << 1);
	tpmi_set(to, SST_CP_OFFSET, 0, 0, CP_START);
	tpmi_set(to, SST_PP_OFFSET, 0, 0, PP_START);
	tpmi_set(to, PP_ID, 0, 0, FEATURE_PP);
	platform_file_set_registers(TARGET_DOMAIN, domain, to, 0, 0);
	tpmi_set(to, PP_BLOCK_SIZE, 0, 0, layout->block);
	tpmi_set(to, PP_BF_OFFSET, 0, 0, layout->bf);
	tpmi_set(to, PP_TF_OFFSET, 0, 0, layout->tf);
	for (size_t level = 0; level < layout->levels; level++)
		offsets |= (uint64_t)(PP_WORDS + level * layout->block) << (8 * level);
	tpmi_set(to, PP_BLOCK_OFFSETS, 0, 0, offsets);
}

static void set_core_power_registers(const struct tpmi_registers *to,
				     const struct platform_domain *domain)
{
	uint64_t state = domain->core_power_enabled.value | domain->priority.value << 1;
	unsigned int core;

	tpmi_set(to, CP_CONTROL, 0, 0, state);
	tpmi_set(to, CP_STATUS, 0, 0, state);
	for (unsigned int i = 0; i < CLOS_COUNT; i++) {
		const struct platform_clos *clos = &domain->clos[i];

		platform_file_set_registers(TARGET_CLOS, clos, to, 0, i);
		if (clos->cores.set)
			isst_cpuset_for_each (core, clos->cores.set)
				tpmi_set_class(to, core, i);
	}
	for (core = 0; core < MASK_CORES; core++)
		if (domain->undefined_clos.cores >> core & 1)
			tpmi_set_class(to, core, 15);
}

static void set_perf_profile(const struct tpmi_registers *to, const struct platform_domain *domain)
{
	uint64_t levels = 0, allowed = 0;
	uint64_t features = domain->base_freq_enabled.value | domain->turbo_freq_enabled.value << 1;

	for (size_t i = 0; i < domain->level_count; i++) {
		const struct platform_level *level = &domain->levels[i];

		if (!level->enabled.value || level->number >= TPMI_LEVELS)
			continue;
		levels |= UINT64_C(1) << level->number;
		allowed |= (uint64_t)level->allowed.value << level->number;
	}
	tpmi_set(to, PP_LEVELS, 0, 0, levels);
	tpmi_set(to, PP_ALLOWED_LEVELS, 0, 0, allowed);
	tpmi_set(to, PP_CONTROL_LEVEL, 0, 0, domain->level.value);
	tpmi_set(to, PP_CONTROL_LOCK, 0, 0, domain->locked.value);
	tpmi_set(to, PP_CONTROL_FEATURES, 0, 0, features);
	tpmi_set(to, PP_STATUS_LEVEL, 0, 0, domain->level.value);
	tpmi_set(to, PP_STATUS_LOCK, 0, 0, domain->locked.value);
	tpmi_set(to, PP_STATUS_FEATURES, 0, 0, features);
}

/* ---- A level ---- */

static void set_level_registers(const struct tpmi_registers *to, const struct platform_level *level)
{
	uint64_t clip = 0, modules = 0;

	platform_file_set_registers(TARGET_LEVEL, level, to, level->number, 0);
	tpmi_set(to, LEVEL_POWER, level->number, 0,
		 level->power_w.value * 8 + level->power_eighths.value);
	tpmi_set(to, BF_POWER, level->number, 0,
		 level->bf_power_w.value * 8 + level->bf_power_eighths.value);
	for (unsigned int type = 0; type < TRL_TYPES; type++)
		clip |= (uint64_t)(level->tf_clip[type].value / 100) << (8 * type);
	tpmi_set(to, TF_CLIP, level->number, 0, clip);
	if (!level->tf_modules.line)
		return;
	for (unsigned int i = 0; i < level->tf_modules.count; i++)
		modules |= (uint64_t)level->tf_modules.value[i] << (16 * i);
	tpmi_set(to, TF_MODULES, level->number, 0, modules);
}

static void complete_value(struct number_value *value, unsigned int otherwise)
{
	if (!value->line)
		value->value = otherwise;
}

/* ---- A domain ---- */

static int set_raw(struct platform_file *file, const struct tpmi_registers *to,
		   const struct raw_value *raw, size_t start, size_t words)
{
	for (unsigned int i = 0; i < raw->count; i++) {
		const struct raw_register *one = &raw->registers[i];
		size_t at = one->offset / sizeof(*to->word);

		if (at >= words)
			return file_error(file, one->line,
					  "found register 0x%x, expected an offset below 0x%zx",
					  one->offset, words * sizeof(*to->word));
		to->word[start + at] = one->whole ? one->value : to->word[start + at] | one->value;
	}
	return 0;
}

static void complete_level(const struct platform *platform, const struct platform_domain *domain,
			   struct platform_level *level)
{
	unsigned int base = level->base[BASE_SSE].value;

	complete_value(&level->bf_support, level->bf_cores.line != 0);
	complete_value(&level->tf_support, level->tf_cores.line != 0);
	if (level->enabled.value) {
		complete_value(&level->p0,
			       level->limits[0].count ? level->limits[0].value[0] : base);
		complete_value(&level->p1, base);
		complete_value(&level->pn, platform->min_mhz.value);
		complete_value(&level->pm, level->pn.value);
	}
	/* What has no meaning without cores. */
	if (domain->type.value != DOMAIN_COMPUTE) {
		level->cores.cores = level->bf_cores.cores = 0;
		level->trl_cores = level->tf_cores = level->tf_modules = (struct list_value){ 0 };
		for (unsigned int type = 0; type < TRL_TYPES; type++)
			level->limits[type] = level->tf_limits[type] = (struct list_value){ 0 };
	}
	complete_value(&level->resolved_cores,
		       (unsigned int)__builtin_popcountll(level->cores.cores));
	complete_value(&level->fused_cores, level->resolved_cores.value);
}

static int set_levels(struct platform_file *file, const struct platform *platform,
		      struct platform_domain *domain, const struct tpmi_registers *to,
		      const struct layout *layout)
{
	int error = 0;

	/* Also where nothing is known of a level its block begins like that. */
	for (unsigned int number = 0; number < layout->levels; number++) {
		const struct platform_level *level = platform_level(domain, number);

		tpmi_set(to, BF_ID, number, 0, FEATURE_BF);
		tpmi_set(to, BF_REVISION, number, 0,
			 level && level->bf_version.line ? level->bf_version.value : 1);
		tpmi_set(to, TF_ID, number, 0, FEATURE_TF);
		tpmi_set(to, TF_REVISION, number, 0,
			 level && level->tf_version.line ? level->tf_version.value : 1);
	}
	for (size_t i = 0; i < domain->level_count && !error; i++) {
		struct platform_level *level = &domain->levels[i];

		complete_level(platform, domain, level);
		set_level_registers(to, level);
		error = set_raw(file, to, &level->raw,
				tpmi_bank_start(to, TPMI_LEVEL, level->number), layout->block);
	}
	return error;
}

int platform_make_registers(struct platform_file *file, struct platform *platform)
{
	int error = 0;

	for (size_t i = 0; i < platform->domain_count && !error; i++) {
		struct platform_domain *domain = &platform->domains[i];
		const struct layout layout = choose_layout(domain);
		size_t count = PP_START + PP_WORDS + layout.levels * layout.block;
		struct tpmi_registers to = { calloc(count, sizeof(uint64_t)), count };

		if (!to.word)
			return -ENOMEM;
		domain->registers = to.word;
		domain->register_count = count;
		if (domain->type.value == DOMAIN_ABSENT) {
			memset(to.word, 0xff, count * sizeof(uint64_t));
			continue;
		}
		set_headers(&to, domain, &layout);
		set_core_power_registers(&to, domain);
		set_perf_profile(&to, domain);
		error = set_levels(file, platform, domain, &to, &layout);
		if (!error)
			error = set_raw(file, &to, &domain->raw, 0, count);
	}
	return error;
}
