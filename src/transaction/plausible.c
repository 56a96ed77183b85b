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
	HIGHEST_RATIO = 255, /* what a register has room for */
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

/** A frequency is what a register has room for, or 0 or the highest number for no limit. */
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
	/* Registers hold what others have written, too: whatever they have room for may be found
	 * there. */
	case ITEM_CLOS:
		good = good && item->index < ISST_CLOSES && !(value.number >> UNUSED_WORD_BITS);
		break;
	case ITEM_ASSOCIATION:
		good = good && item->index <= HIGHEST_CORE && value.number < ISST_CLOSES;
		break;
	case ITEM_TURBO_RATIO_LIMITS:
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
