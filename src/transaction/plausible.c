/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an item of this machine can be at all. What is read from the runtime directory is written to
 * the machine; a value that no run can have noted was put there by something else.
 */
#include "sysfs/cpufreq.h"
#include "transaction/recovery.h"

#include <errno.h>
#include <string.h>

enum {
	HIGHEST_LEVEL = 31,
	HIGHEST_CORE = 255,
	HIGHEST_FABRIC = 255,
	LOWEST_RATIO = 2,    /* 200 MHz */
	HIGHEST_RATIO = 127, /* 12.7 GHz; what the uncore driver takes at most */
	NO_RATIO = 255,
	UNUSED_WORD_BITS = 32,
};

/** The domain that an item is of, or that its CPU is in; CPUs and the machine have none. */
static bool has_place(const struct isst_context *context, const struct item *item)
{
	if (item->kind == ITEM_CPUSETS)
		return item->index == 0;
	if (item_is_of_cpu(item) && !isst_cpuset_has(context->topology->present, item->index))
		return false;
	return item->kind == ITEM_ONLINE ||
	       topology_find_domain(context->topology, item->package, item->die, item->domain);
}

static bool is_ratio(uint64_t ratio)
{
	return ratio >= LOWEST_RATIO && ratio <= HIGHEST_RATIO;
}

/** A frequency is a ratio, or 0 or the highest number for no limit. */
static bool is_khz(uint64_t khz)
{
	return khz == 0 || khz == CPUFREQ_NO_LIMIT || is_ratio(khz / 100000);
}

/** Priority in [7:0], ratios [15:8] min, [23:16] max, [31:24] desired. */
static bool is_clos(uint64_t word)
{
	uint64_t min = word >> 8 & 0xff, max = word >> 16 & 0xff, desired = word >> 24 & 0xff;

	return !(word >> UNUSED_WORD_BITS) && (min == 0 || is_ratio(min)) &&
	       (max == 0 || max == NO_RATIO || is_ratio(max)) &&
	       (desired == 0 || is_ratio(desired));
}

/** Eight ratios; buckets that are not used are 0 or 255. */
static bool are_ratios(uint64_t word)
{
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		uint64_t ratio = word >> shift & 0xff;

		if (ratio != 0 && ratio != NO_RATIO && !is_ratio(ratio))
			return false;
	}
	return true;
}

/** `absent`, or a type, perhaps `invalid (...)`, with CPUs. */
static bool is_partition(const char *text)
{
	static const char *const TYPES[] = { "absent", "member", "root", "isolated" };

	for (size_t i = 0; text && i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
		if (strncmp(text, TYPES[i], strlen(TYPES[i])) == 0)
			return true;
	return false;
}

int plausible(struct isst_context *context, const struct item *item, struct item_value value)
{
	bool good = has_place(context, item);

	switch (item->kind) {
	case ITEM_LEVEL:
		good = good && value.number <= HIGHEST_LEVEL;
		break;
	case ITEM_FEATURES:
		good = good && item->index <= HIGHEST_LEVEL && value.number <= 3;
		break;
	case ITEM_CORE_POWER:
	case ITEM_ONLINE:
	case ITEM_CPUSETS:
		good = good && value.number <= 1;
		break;
	case ITEM_QOS:
		good = good && !(value.number >> UNUSED_WORD_BITS);
		break;
	case ITEM_CLOS:
		good = good && item->index < ISST_CLOSES && is_clos(value.number);
		break;
	case ITEM_ASSOCIATION:
		good = good && item->index <= HIGHEST_CORE && value.number < ISST_CLOSES;
		break;
	case ITEM_TURBO_RATIO_LIMITS:
		good = good && are_ratios(value.number);
		break;
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		good = good && is_khz(value.number);
		break;
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		good = good && item->index <= HIGHEST_FABRIC && is_khz(value.number);
		break;
	case ITEM_PARTITION:
		good = good && is_partition(value.text);
		break;
	default:
		good = false;
		break;
	}
	return good ? 0 : -EINVAL;
}
