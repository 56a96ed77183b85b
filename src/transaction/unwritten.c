/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks again at what needed no write: a change that is made has all that was asked for. */
#include "transaction/unwritten.h"
#include "transaction/baseline.h"
#include "transaction/prepare.h"
#include "transaction/steps.h"

#include <errno.h>

static bool is_written(const struct isst_change *change, const struct item *item)
{
	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->kind == item->kind; j++)
			if (step->entries[j].written && item_is(&step->entries[j].item, item))
				return true;
	}
	return false;
}

/** Whether an item is to be looked at again: what is written is read back by its step. */
static bool counts(const struct isst_change *change, const struct step *step,
		   const struct entry *entry)
{
	return step->exact && !entry->refused && entry->old_known && entry->mask > 0 &&
	       !entry->hidden && !entry->at_least && !is_written(change, &entry->item);
}

static int read_again(const struct isst_change *change, struct baseline *baseline)
{
	int error = 0;

	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && !item_is_file(step->kind) && !error; j++)
			if (counts(change, step, &step->entries[j]))
				error = baseline_add(baseline, &step->entries[j].item, true);
	}
	return error ? error : baseline_read(baseline, change->context, true);
}

static int fail_moved(const struct isst_change *change, const struct entry *entry,
		      struct item_value now)
{
	struct messages *messages = &change->context->messages;

	return message_error(messages, -EIO,
			     "%s: %s is wanted, as it was before the change, but another process "
			     "made it %s",
			     item_describe(change->context, &entry->item),
			     item_value_text(messages, &entry->item, entry->wanted),
			     item_value_text(messages, &entry->item, now));
}

static int compare(const struct isst_change *change, const struct baseline *baseline)
{
	int error = 0;

	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && !item_is_file(step->kind) && !error; j++) {
			const struct entry *entry = &step->entries[j];
			const struct baseline_item *item = baseline_find(baseline, &entry->item);

			if (item && item->value_known && counts(change, step, entry) &&
			    !entry_served(entry, item->value))
				error = fail_moved(change, entry, item->value);
		}
	}
	return error;
}

int change_check_unwritten(struct isst_change *change)
{
	struct baseline baseline = { 0 };
	int error;

	if (!change_has_begun(change))
		return 0;
	error = read_again(change, &baseline);
	if (error)
		error = message_error(&change->context->messages, error, "out of memory");
	else
		error = compare(change, &baseline);
	baseline_clear(&baseline);
	return error;
}
