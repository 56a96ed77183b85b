/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a domain's current level: from the platform file where firmware answers by mailbox,
 * else from the TPMI registers. */
#include "emulator/firmware/firmware.h"

static void add_bucket(struct level_facts *facts, unsigned int cores, unsigned int bucket_mhz)
{
	facts->bucket_cores[facts->buckets] = cores;
	facts->bucket_mhz[facts->buckets++] = bucket_mhz;
	if (bucket_mhz > facts->highest_mhz)
		facts->highest_mhz = bucket_mhz;
}

static struct level_facts mailbox_facts(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct domain_state *state = state_domain(server, index);
	const struct platform_level *level = platform_level(domain, state->level);
	struct level_facts facts;

	if (!level)
		level = &domain->levels[0];
	facts = (struct level_facts){
		.base_mhz = level->base[BASE_SSE].value,
		.highest_mhz = level->limits[0].count ? level->limits[0].value[0]
						      : level->base[BASE_SSE].value,
		.base_freq = state->features & UINT32_C(1) << 17,
		.high_mhz = level->bf_high.value,
		.low_mhz = level->bf_low.value,
		.high_cores = level->bf_cores.cores,
		.uncore_min_mhz = level->uncore_min.value,
		.uncore_base_mhz = level->uncore_base.value,
		.uncore_max_mhz = level->uncore_max.value,
		.clip_mhz = level->tf_clip[0].value,
		.turbo_freq = state->features & UINT32_C(1) << 16,
	};
	for (unsigned int i = 0; i < level->limits[0].count; i++)
		facts.turbo_ratios |= (uint64_t)(level->limits[0].value[i] / 100) << (8 * i);
	for (unsigned int i = 0; i < level->tf_cores.count && i < level->tf_limits[0].count &&
				 i < BUCKETS && level->tf_cores.value[i];
	     i++)
		add_bucket(&facts, level->tf_cores.value[i], level->tf_limits[0].value[i]);
	return facts;
}

enum { LOWEST_UNCORE_MHZ = 800 }; /* seen if the register has less */

/** From revision 2 on there may be 16 bits for each of three buckets; else there is a byte for
 * each. The first bucket without cores is the last one. */
static void add_tpmi_buckets(struct level_facts *facts, const struct tpmi_registers *registers,
			     unsigned int level)
{
	enum { REVISION_OF_MODULES = 2, MODULE_BUCKETS = 3, MODULE_BITS = 16 };
	const uint64_t bytes = tpmi_get(registers, TF_CORES, level, 0);
	const uint64_t ratios = tpmi_get(registers, TF_TRL, level, 0);
	const uint64_t modules = tpmi_get(registers, TF_REVISION, level, 0) >= REVISION_OF_MODULES
					 ? tpmi_get(registers, TF_MODULES, level, 0)
					 : 0;

	facts->clip_mhz = ratio_mhz(tpmi_byte(tpmi_get(registers, TF_CLIP, level, 0), 0));
	for (unsigned int i = 0; i < (modules ? MODULE_BUCKETS : (unsigned int)BUCKETS); i++) {
		unsigned int cores = modules ? (unsigned int)(modules >> (MODULE_BITS * i) & 0xffff)
					     : tpmi_byte(bytes, i);

		if (!cores)
			break;
		add_bucket(facts, cores, ratio_mhz(tpmi_byte(ratios, i)));
	}
}

static struct level_facts tpmi_facts(const struct server *server, size_t index)
{
	const struct tpmi_registers registers = state_registers(server, index);
	unsigned int level = (unsigned int)tpmi_get(&registers, PP_STATUS_LEVEL, 0, 0);
	struct level_facts facts;

	if (tpmi_absent(&registers))
		return (struct level_facts){ 0 };
	facts = (struct level_facts){
		.base_mhz = ratio_mhz(tpmi_get(&registers, LEVEL_BASE_SSE, level, 0)),
		.highest_mhz = ratio_mhz(tpmi_get(&registers, LEVEL_P0, level, 0)),
		.floor_mhz = ratio_mhz(tpmi_get(&registers, LEVEL_PM, level, 0)),
		.base_freq = tpmi_get(&registers, PP_STATUS_FEATURES, 0, 0) & TPMI_FEATURE_BF,
		.high_mhz = ratio_mhz(tpmi_get(&registers, BF_HIGH, level, 0)),
		.low_mhz = ratio_mhz(tpmi_get(&registers, BF_LOW, level, 0)),
		.high_cores = tpmi_get(&registers, BF_CORE_MASK, level, 0),
		.uncore_min_mhz = ratio_mhz(tpmi_get(&registers, LEVEL_FABRIC_PM, level, 0)),
		.uncore_base_mhz = ratio_mhz(tpmi_get(&registers, LEVEL_FABRIC_P1, level, 0)),
		.uncore_max_mhz = ratio_mhz(tpmi_get(&registers, LEVEL_FABRIC_P0, level, 0)),
		.turbo_ratios = tpmi_get(&registers, LEVEL_TRL, level, 0),
	};
	if (tpmi_get(&registers, TF_SUPPORTED, level, 0)) {
		facts.turbo_freq = tpmi_get(&registers, PP_STATUS_FEATURES, 0, 0) & TPMI_FEATURE_TF;
		add_tpmi_buckets(&facts, &registers, level);
	}
	if (facts.uncore_min_mhz < LOWEST_UNCORE_MHZ)
		facts.uncore_min_mhz = LOWEST_UNCORE_MHZ;
	return facts;
}

struct level_facts level_facts(const struct server *server, size_t domain)
{
	return platform_is_tpmi(server->platform) ? tpmi_facts(server, domain)
						  : mailbox_facts(server, domain);
}

bool captured_as_was(const struct server *server, size_t domain)
{
	const struct platform_domain *described = &server->platform->domains[domain];
	const struct domain_state *state = state_domain(server, domain);

	if (platform_is_tpmi(server->platform)) {
		const struct tpmi_registers before = { described->registers,
						       described->register_count };
		const struct tpmi_registers now = state_registers(server, domain);

		return tpmi_get(&now, PP_STATUS_LEVEL, 0, 0) ==
			       tpmi_get(&before, PP_STATUS_LEVEL, 0, 0) &&
		       tpmi_get(&now, PP_STATUS_FEATURES, 0, 0) ==
			       tpmi_get(&before, PP_STATUS_FEATURES, 0, 0);
	}
	return state->level == described->level.value &&
	       state->features == (described->turbo_freq_enabled.value << 16 |
				   described->base_freq_enabled.value << 17);
}

/* ---- Uncore limits of each die or power domain ---- */

/* The limits of the hardware, if the firmware does not report those of a level. */
enum { USUAL_MIN_MHZ = 800, USUAL_MAX_MHZ = 2400 };

static unsigned int khz_or(unsigned int mhz, unsigned int otherwise)
{
	return (mhz ? mhz : otherwise) * 1000;
}

void uncore_set_limits(const struct server *server, size_t index)
{
	const struct platform_domain *domain = &server->platform->domains[index];
	const struct level_facts facts = level_facts(server, index);
	struct domain_state *state = state_domain(server, index);

	state->uncore_min_khz = khz_or(facts.uncore_min_mhz, USUAL_MIN_MHZ);
	state->uncore_max_khz = khz_or(facts.uncore_max_mhz, USUAL_MAX_MHZ);
	if (domain->uncore_min.line)
		state->uncore_min_khz = domain->uncore_min.value * 1000;
	if (domain->uncore_max.line)
		state->uncore_max_khz = domain->uncore_max.value * 1000;
}
