/* SPDX-License-Identifier: BSD-3-Clause */
/* Items of changes and journals, as programs see them. Their numbers are fixed: programs are
 * compiled with them. */
#include "transaction/items.h"

#include <errno.h>

static const int KINDS[ITEM_KINDS] = {
	[ITEM_LEVEL] = ISST_ITEM_LEVEL,
	[ITEM_FEATURES] = ISST_ITEM_FEATURES,
	[ITEM_CORE_POWER] = ISST_ITEM_CORE_POWER,
	[ITEM_QOS] = ISST_ITEM_CLOS_AND_PRIORITY,
	[ITEM_CLOS] = ISST_ITEM_CLOS,
	[ITEM_ASSOCIATION] = ISST_ITEM_CLOS_ASSOCIATION,
	[ITEM_TURBO_RATIO_LIMITS] = ISST_ITEM_TURBO_RATIO_LIMITS,
	[ITEM_ONLINE] = ISST_ITEM_CPU_ONLINE,
	[ITEM_SCALING_MAX] = ISST_ITEM_SCALING_MAX,
	[ITEM_SCALING_MIN] = ISST_ITEM_SCALING_MIN,
	[ITEM_UNCORE_MAX] = ISST_ITEM_UNCORE_MAX,
	[ITEM_UNCORE_MIN] = ISST_ITEM_UNCORE_MIN,
	[ITEM_PARTITION] = ISST_ITEM_PARTITION,
	[ITEM_CPUSETS] = ISST_ITEM_CPUSET_CONTROLLER,
	[ITEM_RCU_EXPEDITED] = ISST_ITEM_RCU_EXPEDITED,
	[ITEM_CPUSET_GROUPS] = ISST_ITEM_CPUSET_GROUPS,
};

int isst_item_kind(const struct isst_item *item)
{
	return item ? KINDS[item->item.kind] : 0;
}

const struct isst_domain *isst_item_domain(const struct isst_item *item)
{
	return item ? item->domain : NULL;
}

int isst_item_index(const struct isst_item *item, unsigned int *index)
{
	if (!item || !index)
		return -EINVAL;
	*index = item_has_index(&item->item) ? item->item.index : 0;
	return item_has_index(&item->item) ? 0 : -ENODATA;
}

const char *isst_item_unit(const struct isst_item *item)
{
	if (!item)
		return NULL;
	return item_is_khz(&item->item) ? "kHz" : "";
}
