/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's TPMI requests that only read the state of a power domain: each copies fields of its
 * registers into a structure. Nothing of sets.
 */
#include "emulator/firmware/tpmi.h"

#include <errno.h>

static uint16_t ratio_mhz(uint64_t ratio)
{
	return (uint16_t)(ratio * 100);
}

/** Whether the level exists: the driver refuses all others. */
static bool has_level(const struct tpmi_call *call, unsigned int level)
{
	return level <= tpmi_highest_level(&call->registers) &&
	       tpmi_get(&call->registers, PP_LEVELS, 0, 0) >> level & 1;
}

static uint64_t get_field(const struct tpmi_call *call, enum tpmi_field field, unsigned int level)
{
	return tpmi_get(&call->registers, field, level, 0);
}

/** API 3 reports every level; API 2 the current one, as one flag. */
static uint8_t support_mask(const struct tpmi_call *call, enum tpmi_field field)
{
	unsigned int mask = 0;

	if (call->server->platform->api_version.value < 3)
		return (uint8_t)get_field(call, field,
					  (unsigned int)get_field(call, PP_STATUS_LEVEL, 0));
	for (unsigned int level = 0; level < TPMI_LEVELS; level++)
		if (has_level(call, level))
			mask |= (unsigned int)get_field(call, field, level) << level;
	return (uint8_t)mask;
}

int query_perf_levels(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_info *info = argument;

	info->max_level = (uint8_t)tpmi_highest_level(&call->registers);
	info->feature_rev = (uint8_t)get_field(call, PP_REVISION, 0);
	info->level_mask = (uint8_t)get_field(call, PP_LEVELS, 0);
	info->current_level = (uint8_t)get_field(call, PP_STATUS_LEVEL, 0);
	info->feature_state = (uint8_t)get_field(call, PP_STATUS_FEATURES, 0);
	info->locked = (uint8_t)get_field(call, PP_STATUS_LOCK, 0);
	info->enabled = (get_field(call, SST_CAPABILITIES, 0) & TPMI_HAS_PERF_PROFILE) != 0;
	info->sst_bf_support = support_mask(call, BF_SUPPORTED);
	info->sst_tf_support = support_mask(call, TF_SUPPORTED);
	return 0;
}

static void report_ratios(const struct tpmi_call *call, enum tpmi_field field, unsigned int level,
			  uint16_t limits[ABI_MAX_TRL_LEVELS][ABI_MAX_BUCKETS])
{
	for (unsigned int type = 0; type < ABI_MAX_TRL_LEVELS; type++) {
		uint64_t word = tpmi_get(&call->registers, field, level, type);

		for (unsigned int bucket = 0; bucket < ABI_MAX_BUCKETS; bucket++)
			limits[type][bucket] = ratio_mhz(tpmi_byte(word, bucket));
	}
}

static void report_counts(uint64_t word, uint16_t counts[ABI_MAX_BUCKETS])
{
	for (unsigned int bucket = 0; bucket < ABI_MAX_BUCKETS; bucket++)
		counts[bucket] = (uint16_t)tpmi_byte(word, bucket);
}

int query_level(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_data_info *info = argument;
	unsigned int level = info->level;
	uint64_t base;

	if (!has_level(call, level))
		return -EINVAL;
	base = get_field(call, LEVEL_BASE_RATIOS, level);
	info->tdp_ratio = (uint16_t)tpmi_byte(base, 0);
	info->base_freq_mhz = ratio_mhz(tpmi_byte(base, 0));
	info->base_freq_avx2_mhz = ratio_mhz(tpmi_byte(base, 1));
	info->base_freq_avx512_mhz = ratio_mhz(tpmi_byte(base, 2));
	info->base_freq_amx_mhz = ratio_mhz(tpmi_byte(base, 3));
	info->thermal_design_power_w = (uint16_t)(get_field(call, LEVEL_POWER, level) / 8);
	info->tjunction_max_c = (uint16_t)get_field(call, LEVEL_TJUNCTION, level);
	info->max_memory_freq_mhz = ratio_mhz(get_field(call, LEVEL_MEMORY, level));
	info->cooling_type = (uint16_t)get_field(call, LEVEL_COOLING, level);
	info->p0_freq_mhz = ratio_mhz(get_field(call, LEVEL_P0, level));
	info->p1_freq_mhz = ratio_mhz(get_field(call, LEVEL_P1, level));
	info->pn_freq_mhz = ratio_mhz(get_field(call, LEVEL_PN, level));
	info->pm_freq_mhz = ratio_mhz(get_field(call, LEVEL_PM, level));
	info->p0_fabric_freq_mhz = ratio_mhz(get_field(call, LEVEL_FABRIC_P0, level));
	info->p1_fabric_freq_mhz = ratio_mhz(get_field(call, LEVEL_FABRIC_P1, level));
	info->pm_fabric_freq_mhz = ratio_mhz(get_field(call, LEVEL_FABRIC_PM, level));
	info->max_buckets = ABI_MAX_BUCKETS;
	info->max_trl_levels = ABI_MAX_TRL_LEVELS;
	report_counts(get_field(call, LEVEL_TRL_CORES, level), info->bucket_core_counts);
	report_ratios(call, LEVEL_TRL, level, info->trl_freq_mhz);
	return 0;
}

static int report_mask(const struct tpmi_call *call, enum tpmi_field field,
		       struct abi_perf_level_cpu_mask *mask)
{
	if (!has_level(call, mask->level))
		return -EINVAL;
	if (!mask->punit_cpu_map)
		return -EOPNOTSUPP;
	mask->mask = get_field(call, field, mask->level);
	return 0;
}

int query_level_mask(struct tpmi_call *call, void *argument)
{
	return report_mask(call, LEVEL_CORE_MASK, argument);
}

int query_base_freq_mask(struct tpmi_call *call, void *argument)
{
	return report_mask(call, BF_CORE_MASK, argument);
}

int query_base_freq(struct tpmi_call *call, void *argument)
{
	struct abi_base_freq_info *info = argument;

	if (!has_level(call, info->level))
		return -EINVAL;
	info->high_base_freq_mhz = ratio_mhz(get_field(call, BF_HIGH, info->level));
	info->low_base_freq_mhz = ratio_mhz(get_field(call, BF_LOW, info->level));
	info->tjunction_max_c = (uint16_t)get_field(call, BF_TJUNCTION, info->level);
	info->thermal_design_power_w = (uint16_t)(get_field(call, BF_POWER, info->level) / 8);
	return 0;
}

/** From revision 2 on, and with a driver that knows them, modules where the register has some. */
static void report_modules(const struct tpmi_call *call, unsigned int level,
			   uint16_t counts[ABI_MAX_BUCKETS])
{
	uint64_t modules;

	if (call->server->platform->kernel.value < KERNEL(7, 2) ||
	    get_field(call, TF_REVISION, level) < 2)
		return;
	modules = get_field(call, TF_MODULES, level);
	for (unsigned int bucket = 0; bucket < 3; bucket++)
		if (modules >> (16 * bucket) & UINT16_MAX)
			counts[bucket] = (uint16_t)(modules >> (16 * bucket));
}

int query_turbo_freq(struct tpmi_call *call, void *argument)
{
	struct abi_turbo_freq_info *info = argument;
	uint64_t clip;

	if (!has_level(call, info->level))
		return -EINVAL;
	info->max_clip_freqs = ABI_MAX_TRL_LEVELS;
	info->max_buckets = ABI_MAX_BUCKETS;
	info->max_trl_levels = ABI_MAX_TRL_LEVELS;
	clip = get_field(call, TF_CLIP, info->level);
	for (unsigned int type = 0; type < ABI_MAX_TRL_LEVELS; type++)
		info->lp_clip_freq_mhz[type] = ratio_mhz(tpmi_byte(clip, type));
	report_counts(get_field(call, TF_CORES, info->level), info->bucket_core_counts);
	report_modules(call, info->level, info->bucket_core_counts);
	report_ratios(call, TF_TRL, info->level, info->trl_freq_mhz);
	return 0;
}

enum { FABRICS = 2 };

int query_fabric(struct tpmi_call *call, void *argument)
{
	struct abi_perf_level_fabric_info *info = argument;
	unsigned int level = info->level;

	if (!has_level(call, level) || get_field(call, PP_REVISION, 0) < 2)
		return -EINVAL;
	info->max_fabrics = FABRICS;
	info->p0_fabric_freq_mhz[0] = ratio_mhz(get_field(call, LEVEL_FABRIC_P0, level));
	info->p1_fabric_freq_mhz[0] = ratio_mhz(get_field(call, LEVEL_FABRIC_P1, level));
	info->pm_fabric_freq_mhz[0] = ratio_mhz(get_field(call, LEVEL_FABRIC_PM, level));
	info->p0_fabric_freq_mhz[1] = ratio_mhz(get_field(call, LEVEL_FABRIC2_P0, level));
	info->p1_fabric_freq_mhz[1] = ratio_mhz(get_field(call, LEVEL_FABRIC2_P1, level));
	info->pm_fabric_freq_mhz[1] = ratio_mhz(get_field(call, LEVEL_FABRIC2_PM, level));
	return 0;
}
