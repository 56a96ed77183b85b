/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a level that firmware puts into registers and limits when the level changes. */
#include "features/level_effects.h"
#include "features/features.h"

enum { MHZ_PER_RATIO = 100, KHZ_PER_MHZ = 1000 };

static uint64_t khz_of(const struct isst_value *mhz)
{
	return mhz->state == ISST_KNOWN ? (uint64_t)mhz->value * KHZ_PER_MHZ : 0;
}

/** As the register holds them; those of the first TRL type. */
static uint64_t register_of(const struct isst_turbo_limit *limit)
{
	uint64_t word = 0;

	for (unsigned int i = 0; i < ISST_BUCKETS && limit->present; i++)
		word |= (uint64_t)(limit->mhz[i].value / MHZ_PER_RATIO & 0xff) << 8 * i;
	return word;
}

int level_effects_read(struct isst_context *context, const struct isst_domain *domain,
		       unsigned int number, struct level_effects *effects)
{
	struct isst_level level = { .domain = domain, .level = number };
	int error = level_read_parts(context, &level, 1, ISST_READ_LEVELS_PROPERTIES);

	*effects = (struct level_effects){ 0 };
	if (!error && !level.failure.error) {
		effects->turbo_ratio_limits = register_of(&level.limit[0]);
		for (unsigned int i = 0; i < ISST_FABRICS; i++) {
			effects->uncore_max_khz[i] = khz_of(&level.fabric[i].max_mhz);
			effects->uncore_min_khz[i] = khz_of(&level.fabric[i].min_mhz);
		}
	}
	level_clear(&level);
	return error;
}
