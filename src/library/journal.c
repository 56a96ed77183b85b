/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of a journal, and items, as programs see them. */
#include "transaction/items.h"
#include "transaction/tracked.h"

#include <errno.h>

const struct isst_journal_entry *isst_journal_entry_at(const struct isst_journal *journal,
						       size_t index)
{
	return journal ? journal_item(journal, index) : NULL;
}

const char *isst_journal_entry_target(const struct isst_journal_entry *entry)
{
	return entry ? entry->target : NULL;
}

const char *isst_journal_entry_old_text(const struct isst_journal_entry *entry)
{
	return entry ? entry->old_value : NULL;
}

const char *isst_journal_entry_written_text(const struct isst_journal_entry *entry)
{
	return entry ? entry->written_value : NULL;
}

const char *isst_journal_entry_present_text(const struct isst_journal_entry *entry)
{
	return entry ? entry->present_value : NULL;
}

const char *isst_journal_entry_finding(const struct isst_journal_entry *entry)
{
	return entry ? entry->finding : NULL;
}

unsigned int isst_journal_entry_flags(const struct isst_journal_entry *entry)
{
	if (!entry)
		return 0;
	return (entry->restored ? ISST_JOURNAL_ENTRY_RESTORED : 0) |
	       (entry->moved ? ISST_JOURNAL_ENTRY_MOVED : 0) |
	       (entry->kept ? ISST_JOURNAL_ENTRY_KEPT : 0);
}

const struct isst_item *isst_journal_entry_item(const struct isst_journal_entry *entry)
{
	return entry ? &entry->item : NULL;
}

int isst_journal_entry_old_number(const struct isst_journal_entry *entry, uint64_t *number)
{
	return entry ? item_number_get(&entry->old_number, number) : -EINVAL;
}

int isst_journal_entry_written_number(const struct isst_journal_entry *entry, uint64_t *number)
{
	return entry ? item_number_get(&entry->written_number, number) : -EINVAL;
}

int isst_journal_entry_present_number(const struct isst_journal_entry *entry, uint64_t *number)
{
	return entry ? item_number_get(&entry->present_number, number) : -EINVAL;
}

/* ---- Items: their numbers are fixed, programs are compiled with them ---- */

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
	return item_kinds[item->item.kind].format == AS_KHZ ? "kHz" : "";
}
