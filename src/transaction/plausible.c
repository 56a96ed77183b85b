/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the value of an item can be at all. What is read from the runtime directory is written to
 * the machine; a value that no run can have noted was put there by something else.
 */
#include "transaction/plausible.h"
#include "sysfs/cpufreq.h"

#include <string.h>

enum {
	HIGHEST_LEVEL = 31,
	HIGHEST_CORE = 255,
	HIGHEST_FABRIC = 255,
	HIGHEST_RATIO = 255, /* what fits into a register */
	UNUSED_WORD_BITS = 32,
};

/** A frequency is what fits into a register, or 0 or the highest number for no limit. */
static bool is_khz(uint64_t khz)
{
	return khz == CPUFREQ_NO_LIMIT || khz / 100000 <= HIGHEST_RATIO;
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

bool item_value_is_plausible(const struct item *item, struct item_value value)
{
	switch (item->kind) {
	case ITEM_LEVEL:
		return value.number <= HIGHEST_LEVEL;
	case ITEM_FEATURES:
		return item->index <= HIGHEST_LEVEL && value.number <= 3;
	case ITEM_CORE_POWER:
	case ITEM_ONLINE:
	case ITEM_CPUSETS:
	case ITEM_RCU_EXPEDITED:
		return value.number <= 1;
	case ITEM_QOS:
		return !(value.number >> UNUSED_WORD_BITS);
	/* Registers hold what others have written, too: whatever fits may be found
	 * there. */
	case ITEM_CLOS:
		return item->index < ISST_CLOS_COUNT && !(value.number >> UNUSED_WORD_BITS);
	case ITEM_ASSOCIATION:
		return item->index <= HIGHEST_CORE && value.number < ISST_CLOS_COUNT;
	case ITEM_TURBO_RATIO_LIMITS:
		return true;
	case ITEM_SCALING_MAX:
	case ITEM_SCALING_MIN:
		return is_khz(value.number);
	case ITEM_UNCORE_MAX:
	case ITEM_UNCORE_MIN:
		return (item->index <= HIGHEST_FABRIC || item_is_of_package(item)) &&
		       is_khz(value.number);
	case ITEM_PARTITION:
		return is_partition(value.text);
	case ITEM_CPUSET_GROUPS:
		return value.text != NULL;
	default:
		return false;
	}
}
