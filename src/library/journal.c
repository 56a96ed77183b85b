/* SPDX-License-Identifier: BSD-3-Clause */
/* Items of a journal, as programs see them. */
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
