/* SPDX-License-Identifier: BSD-3-Clause */
/* Items of a journal, as programs see them. */
#include "transaction/tracked.h"

const struct isst_journal_item *isst_journal_item_at(struct isst_journal *journal, size_t index)
{
	return journal_item(journal, index);
}

const char *isst_journal_item_target(const struct isst_journal_item *item)
{
	return item->target;
}

const char *isst_journal_item_old_value(const struct isst_journal_item *item)
{
	return item->old_value;
}

const char *isst_journal_item_written_value(const struct isst_journal_item *item)
{
	return item->written_value;
}

const char *isst_journal_item_present_value(const struct isst_journal_item *item)
{
	return item->present_value;
}

const char *isst_journal_item_finding(const struct isst_journal_item *item)
{
	return item->finding;
}

unsigned int isst_journal_item_flags(const struct isst_journal_item *item)
{
	return (item->restored ? ISST_JOURNAL_ITEM_RESTORED : 0) |
	       (item->moved ? ISST_JOURNAL_ITEM_MOVED : 0) |
	       (item->kept ? ISST_JOURNAL_ITEM_KEPT : 0);
}
