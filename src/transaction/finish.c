/* SPDX-License-Identifier: BSD-3-Clause */
/* The last look at what a change wrote and planning relied on, and its end. */
#include "topology/context.h"
#include "transaction/journal.h"
#include "transaction/report.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>

/* ---- The end ---- */

/* The change ended as it did, whatever becomes of the file. */
void change_end_journal(struct isst_change *change)
{
	if (journal_end(change))
		change_warn(change, ISST_WARNING_JOURNAL_KEPT, "%s", isst_error(change->context));
}

void change_rediscover(struct isst_change *change)
{
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		change_warn(change, ISST_WARNING_REDISCOVERY_FAILED,
			    "the change is complete; the CPUs could not be discovered again: %s",
			    isst_error(change->context));
}

void change_complete(struct isst_change *change)
{
	bool staged = settings_stage(change);

	journal_done(change);
	settings_apply(change, staged);
	change_end_journal(change);
}

/* ---- The last look ---- */

/** What is looked at again: what the last step wrote has just been read back. */
struct look {
	struct isst_change *change;
	const struct step *last;
	bool relied_only;
	struct baseline present;
};

static bool counts(const struct look *look, const struct step *step, const struct entry *entry)
{
	return (!item_is_file(step->kind) || step->kind == ITEM_ONLINE ||
		step->kind == ITEM_PARTITION) &&
	       !entry->refused && entry->old_known && entry->mask > 0 &&
	       !(step == look->last && entry->written);
}

/** Calls @visit for each entry that counts, until it returns an error. */
static int visit_entries(struct look *look, int (*visit)(struct look *, const struct entry *))
{
	int error = 0;

	for (size_t i = 0; i < look->change->count; i++) {
		const struct step *step = look->change->steps[i];

		for (size_t j = 0; j < step->count && !error; j++)
			if (counts(look, step, &step->entries[j]))
				error = visit(look, &step->entries[j]);
	}
	return error;
}

static int add_entry(struct look *look, const struct entry *entry)
{
	return baseline_add(&look->present, &entry->item, true);
}

/** Bits that the change has to do with: of what it relied on, all. */
static int add_mask(struct look *look, const struct entry *entry)
{
	baseline_find(&look->present, &entry->item)->mask |= entry->mask;
	return 0;
}

static bool is_written(const struct isst_change *change, const struct item *item)
{
	change_for_each_place (place, change, item)
		if (!place->footprint)
			return true;
	return false;
}

static int add_relied(struct look *look)
{
	const struct baseline *baseline = &look->change->baseline;
	int error = 0;

	for (size_t i = 0; i < baseline->count && !error; i++) {
		const struct item *item = &baseline->items[i].item;

		if (baseline->items[i].relied &&
		    !(look->relied_only && is_written(look->change, item)))
			error = baseline_add(&look->present, item, true);
	}
	for (size_t i = 0; i < look->present.count && !error; i++)
		look->present.items[i].mask = WHOLE_VALUE;
	return error;
}

static int read_again(struct look *look)
{
	int error = add_relied(look);

	if (!error && !look->relied_only)
		error = visit_entries(look, add_entry);
	if (!error)
		error = baseline_read(&look->present, look->change->context, false);
	if (!error && !look->relied_only)
		error = visit_entries(look, add_mask);
	return error;
}

int change_fail_overtaken(struct isst_change *change, const struct item *item,
			  struct item_value before, struct item_value now)
{
	struct messages *messages = &change->context->messages;

	change->overtaken = true;
	return message_error(messages, -EIO,
			     "%s: it was %s, and became %s while the change was made: another "
			     "process or a management controller changed it",
			     item_describe(change->context, item),
			     item_value_text(messages, item, before),
			     item_value_text(messages, item, now));
}

/** Compares an item with what it was when it was last read. */
static int compare(struct isst_change *change, const struct baseline_item *item)
{
	struct messages *messages = &change->context->messages;
	const struct baseline_item *left = baseline_find(&change->baseline, &item->item);

	if (!left || !left->value_known || left->moved)
		return 0;
	if (item->failure.error)
		return message_error(messages, item->failure.error, "%s", item->failure.message);
	if (((item->value.number ^ left->now.number) & item->mask) == 0 &&
	    (item->item.kind != ITEM_PARTITION ||
	     item_value_equal(&item->item, item->value, left->now)))
		return 0;
	return change_fail_overtaken(change, &item->item, left->now, item->value);
}

static const struct step *last_step(const struct isst_change *change)
{
	size_t i = change->count;

	while (i > 0 && !change->steps[i - 1]->begun)
		i--;
	return i > 0 ? change->steps[i - 1] : NULL;
}

static int look_again(struct isst_change *change, bool relied_only)
{
	struct look look = { change, last_step(change), relied_only, { 0 } };
	int error = 0;

	/* Nothing was written. */
	if (!look.last && !relied_only)
		return 0;
	error = read_again(&look);
	if (error)
		error = message_error(&change->context->messages, error, "out of memory");
	for (size_t i = 0; i < look.present.count && !error; i++)
		error = compare(change, &look.present.items[i]);
	baseline_clear(&look.present);
	return error;
}

int change_look_again(struct isst_change *change)
{
	return look_again(change, false);
}

int change_look_at_relied(struct isst_change *change)
{
	return look_again(change, true);
}
