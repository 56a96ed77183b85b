/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While turbo is off the kernel shows no limit of cpufreq above the base frequency. A level brings
 * another base frequency, and with it limits come to sight that were there all the time: they are
 * what was before the change. So are lower limits that an upper one covered, once that goes up.
 */
#include "transaction/revealed.h"
#include "sysfs/cpufreq.h"
#include "transaction/poll.h"
#include "transaction/steps.h"

#include <errno.h>

static bool may_be_revealed(const struct item *item, uint64_t old, uint64_t now)
{
	if (item->kind == ITEM_SCALING_MAX)
		return old == CPUFREQ_NO_LIMIT && now != old;
	return item->kind == ITEM_SCALING_MIN && now > old;
}

/** Whether a failed look is worth another one. */
static bool may_pass(int error)
{
	return error && error != -ENOENT && error != -ENOMEM;
}

int limit_is_revealed(struct isst_context *context, const struct item *item, uint64_t old,
		      uint64_t now, bool *revealed)
{
	enum turbo_state turbo;
	int error;

	*revealed = false;
	if (!may_be_revealed(item, old, now))
		return 0;
	error = cpufreq_turbo_state(&context->files, &turbo);
	if (may_pass(error)) {
		poll_sleep_us(READ_AGAIN_US);
		error = cpufreq_turbo_state(&context->files, &turbo);
	}
	*revealed = !error && turbo == TURBO_OFF;
	return error;
}

int limit_clamp(struct isst_context *context, const struct item *item, uint64_t limit,
		uint64_t *shown)
{
	enum cpufreq_limit which = item_limit(item);
	int error = cpufreq_clamp(&context->files, item->index, which, limit, shown);

	if (may_pass(error)) {
		poll_sleep_us(READ_AGAIN_US);
		error = cpufreq_clamp(&context->files, item->index, which, limit, shown);
	}
	return error;
}

/** What is known of the writes of an item by all steps. */
static void look_up(const struct isst_change *change, const struct item *item, bool *written,
		    bool *overwritten)
{
	*written = *overwritten = false;
	change_for_each_place (place, change, item) {
		const struct entry *entry = place_entry(place);

		*written |= !place->footprint && entry->written;
		*overwritten |= !place->footprint && entry->overwritten;
	}
}

static bool has_other_old(const struct isst_change *change, const struct item *item, uint64_t now)
{
	change_for_each_place (place, change, item) {
		const struct entry *entry = place_entry(place);

		if (entry->old_known && entry->old.number != now)
			return true;
	}
	return false;
}

/** Whether the upper limit that goes with a lower one keeps that at @now, and is to stay so: it is
 * not one that has yet to be restored. */
static bool is_final_upper(const struct isst_change *change, const struct item *lower, uint64_t now)
{
	struct item item;
	uint64_t upper, shown;

	if (!item_counterpart(lower, &item) ||
	    cpufreq_read_limit(&change->context->files, item.index, CPUFREQ_MAX, &upper) ||
	    /* A lower limit that is held at the lowest frequency reads as none. */
	    limit_clamp(change->context, lower, upper, &shown) || shown != now)
		return false;
	return !has_other_old(change, &item, upper);
}

/** Whether the kernel shows a limit as @now: within the range of the processor, and a lower one no
 * higher than the upper one, whatever was written. */
static bool is_shown_as(const struct isst_change *change, const struct item *item, uint64_t limit,
			uint64_t now)
{
	uint64_t shown;

	if (limit_clamp(change->context, item, limit, &shown))
		return false;
	if (shown == now || item->kind == ITEM_SCALING_MAX || now > shown)
		return shown == now;
	return is_final_upper(change, item, now);
}

bool limit_is_concealed(const struct isst_change *change, const struct item *item, uint64_t limit,
			uint64_t now)
{
	struct isst_context *context = change->context;
	const char *message = context->messages.error;
	bool written, overwritten, concealed;

	if (!item_is_limit(item))
		return false;
	look_up(change, item, &written, &overwritten);
	concealed = (!written || overwritten) && is_shown_as(change, item, limit, now);
	context->messages.error = message;
	return concealed;
}

/** Whether a lower limit came to sight since the change raised the upper one: the kernel shows none
 * above that. */
static bool is_uncovered(const struct isst_change *change, const struct item *lower, uint64_t old)
{
	const struct baseline_item *upper;
	bool written, overwritten;
	struct item item;
	uint64_t shown;

	if (lower->kind != ITEM_SCALING_MIN || !item_counterpart(lower, &item))
		return false;
	upper = baseline_find(&change->baseline, &item);
	look_up(change, &item, &written, &overwritten);
	return written && upper && upper->value_known &&
	       !limit_clamp(change->context, lower, upper->value.number, &shown) && shown == old;
}

static void replace_old(struct isst_change *change, const struct item *item,
			struct item_value value)
{
	struct baseline_item *known = baseline_find(&change->baseline, item);

	if (known)
		known->value = value;
	change_for_each_place (place, change, item)
		if (place_entry(place)->old_known)
			place_entry(place)->old = value;
}

bool change_reveal(struct isst_change *change, const struct item *item, struct item_value old,
		   struct item_value now)
{
	const char *message = change->context->messages.error;
	bool written, overwritten, revealed;

	limit_is_revealed(change->context, item, old.number, now.number, &revealed);
	if (!revealed && may_be_revealed(item, old.number, now.number))
		revealed = is_uncovered(change, item, old.number);
	change->context->messages.error = message;
	if (!revealed)
		return false;
	look_up(change, item, &written, &overwritten);
	if (written)
		return false;
	replace_old(change, item, now);
	return true;
}

/* ---- Limits of other owners ---- */

void change_note_held(struct isst_change *change, struct entry *entry, struct item_value now)
{
	const struct item *item = &entry->item;
	enum cpufreq_limit limit = item_limit(item);
	const struct item_value none = { .number = cpufreq_no_limit(limit) };

	/* The upper limit keeps a lower one down, for as long as it is there itself. */
	if (item->kind == ITEM_SCALING_MAX && now.number > entry->wanted.number)
		return;
	entry->held = entry->hidden = true;
	entry->shown = now.number;
	if (!cpufreq_is_tighter(limit, now.number, entry->wanted.number))
		return;
	if (entry->replaced_known && item_value_equal(item, entry->replaced, now))
		entry->replaced = none;
	if (item_value_equal(item, entry->old, now))
		replace_old(change, item, none);
}

bool limit_is_held(const struct entry *entry, uint64_t now)
{
	return item_is_limit(&entry->item) && entry->overwritten && now != entry->wanted.number &&
	       cpufreq_is_tighter(item_limit(&entry->item), now, entry->old.number);
}
