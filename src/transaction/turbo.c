/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turbo that is switched during a change: until the first write the change fails, since nothing is
 * lost by that; later on what may be concealed is written, and not compared with what is shown.
 */
#include "transaction/turbo.h"
#include "transaction/item_access.h"
#include "transaction/steps.h"

#include <errno.h>

/* ---- What the kernel shows ---- */

/** A failed look is repeated once. */
static int read_turbo(struct isst_context *context, enum turbo_state *state)
{
	int error = cpufreq_turbo_state(&context->files, state);

	return poll_read_again(error) ? cpufreq_turbo_state(&context->files, state) : error;
}

int limit_clamp(struct isst_context *context, const struct item *item, uint64_t limit,
		uint64_t *shown)
{
	enum cpufreq_limit which = item_limit(item);
	int error = cpufreq_clamp(&context->files, item->index, which, limit, shown);

	if (poll_read_again(error))
		error = cpufreq_clamp(&context->files, item->index, which, limit, shown);
	return error;
}

int limit_shown(struct isst_context *context, const struct item *item, uint64_t limit,
		uint64_t *shown)
{
	const char *upper = item_kinds[ITEM_SCALING_MAX].what;
	int error = limit_clamp(context, item, limit, shown);
	uint64_t upper_khz;

	if (!error && item->kind == ITEM_SCALING_MIN) {
		error = cpufreq_read(&context->files, item->index, upper, &upper_khz);
		if (poll_read_again(error))
			error = cpufreq_read(&context->files, item->index, upper, &upper_khz);
		/* At the lowest frequency it reads as none. */
		if (!error && *shown > upper_khz)
			error = limit_clamp(context, item, upper_khz, shown);
	}
	if (error == -ENOENT)
		return message_error_at(&context->messages, of_cpu(NULL, item->index), -EIO,
					"CPU %u went offline while its limits were checked",
					item->index);
	return error;
}

bool limit_is_hidden(struct isst_context *context, const struct item *item, uint64_t written,
		     uint64_t now)
{
	const char *message = context->messages.error;
	enum turbo_state turbo;
	bool hides = false;
	uint64_t shown;

	if (item_is_limit(item) && !read_turbo(context, &turbo) && turbo == TURBO_OFF &&
	    !cpufreq_hides_limit(&context->files, item->index, turbo, &hides) && hides)
		hides = !limit_clamp(context, item, written, &shown) && shown == now;
	context->messages.error = message;
	return hides;
}

static bool may_be_revealed(const struct item *item, uint64_t old, uint64_t now)
{
	if (item->kind == ITEM_SCALING_MAX)
		return old == CPUFREQ_NO_LIMIT && now != old;
	return item->kind == ITEM_SCALING_MIN && now > old;
}

int limit_is_revealed(struct isst_context *context, const struct item *item, uint64_t old,
		      uint64_t now, bool *revealed)
{
	enum turbo_state turbo;
	int error = 0;

	*revealed = false;
	if (may_be_revealed(item, old, now)) {
		error = read_turbo(context, &turbo);
		*revealed = !error && turbo == TURBO_OFF;
	}
	return error;
}

/* ---- What the change knows of a limit ---- */

/** Whether a step wrote an item; @overwritten: and the rollback its old value over that. */
static bool was_written(const struct isst_change *change, const struct item *item,
			bool *overwritten)
{
	bool written = false;

	*overwritten = false;
	change_for_each_place (place, change, item) {
		const struct entry *entry = place_entry(place);

		written |= !place->footprint && entry->state >= ENTRY_WRITTEN;
		*overwritten |= !place->footprint && entry->overwritten;
	}
	return written;
}

bool limit_is_concealed(const struct isst_change *change, const struct item *item, uint64_t limit,
			uint64_t now)
{
	struct isst_context *context = change->context;
	const char *message = context->messages.error;
	bool overwritten, concealed = false;
	uint64_t shown, upper;
	struct item item_upper;

	if (!item_is_limit(item))
		return false;
	/* Limits are shown within the range of the processor, whatever was written. */
	if ((!was_written(change, item, &overwritten) || overwritten) &&
	    !limit_clamp(context, item, limit, &shown)) {
		concealed = shown == now;
		/* A lower one that is shown at the upper one, which need not be restored itself;
		 * held at the lowest frequency it reads as none. */
		if (item->kind == ITEM_SCALING_MIN && now < shown &&
		    item_counterpart(item, &item_upper) &&
		    !cpufreq_read_limit(&context->files, item->index, CPUFREQ_MAX, &upper) &&
		    !limit_clamp(context, item, upper, &shown) && shown == now) {
			concealed = true;
			change_for_each_place (place, change, &item_upper)
				concealed &= place_entry(place)->state == ENTRY_UNKNOWN ||
					     place_entry(place)->old.number == upper;
		}
	}
	context->messages.error = message;
	return concealed;
}

static void replace_old(struct isst_change *change, const struct item *item,
			struct item_value value)
{
	struct baseline_item *known = baseline_find(&change->baseline, item);

	if (known)
		known->value = value;
	change_for_each_place (place, change, item)
		if (place_entry(place)->state != ENTRY_UNKNOWN)
			place_entry(place)->old = value;
}

bool change_reveal(struct isst_change *change, const struct item *item, struct item_value old,
		   struct item_value now)
{
	const char *message = change->context->messages.error;
	const struct baseline_item *upper;
	struct item item_upper;
	bool overwritten, revealed;
	uint64_t shown;

	limit_is_revealed(change->context, item, old.number, now.number, &revealed);
	/* The kernel shows no lower limit above the upper one, which the change has raised. */
	if (!revealed && item->kind == ITEM_SCALING_MIN &&
	    may_be_revealed(item, old.number, now.number) && item_counterpart(item, &item_upper)) {
		upper = baseline_find(&change->baseline, &item_upper);
		revealed = was_written(change, &item_upper, &overwritten) && upper &&
			   upper->value_known &&
			   !limit_clamp(change->context, item, upper->value.number, &shown) &&
			   shown == old.number;
	}
	change->context->messages.error = message;
	if (!revealed || was_written(change, item, &overwritten))
		return false;
	replace_old(change, item, now);
	return true;
}

/* ---- Limits of other owners ---- */

void change_note_held(struct isst_change *change, struct entry *entry, struct item_value now)
{
	const struct item *item = &entry->item;
	enum cpufreq_limit limit = item_limit(item);

	/* The upper limit keeps a lower one down, for as long as it is there itself. */
	if (item->kind == ITEM_SCALING_MAX && now.number > entry->wanted.number)
		return;
	entry->other_owner = entry->hidden = true;
	entry->shown = now.number;
	if (cpufreq_is_tighter(limit, now.number, entry->wanted.number) &&
	    item_value_equal(item, entry->old, now))
		replace_old(change, item, (struct item_value){ .number = cpufreq_no_limit(limit) });
}

bool limit_is_held(const struct entry *entry, uint64_t now)
{
	return item_is_limit(&entry->item) && entry->overwritten && now != entry->wanted.number &&
	       cpufreq_is_tighter(item_limit(&entry->item), now, entry->old.number);
}

/* ---- Whether turbo is on ---- */

int change_turbo_state(struct isst_change *change, enum turbo_state *state)
{
	int error = read_turbo(change->context, state);

	if (error)
		return error;
	if (change->turbo_known && change->turbo != *state)
		return message_error(
			&change->context->messages, -EIO,
			"turbo was %s (intel_pstate/no_turbo) by another process while the "
			"change was planned; repeat it",
			*state == TURBO_OFF ? "disabled" : "enabled");
	change->turbo_known = true;
	change->turbo = *state;
	return 0;
}

int change_check_turbo(struct isst_change *change)
{
	enum turbo_state turbo;

	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->kind == ITEM_SCALING_MAX ||
		    change->steps[i]->kind == ITEM_SCALING_MIN)
			return change_turbo_state(change, &turbo);
	return 0;
}

/* One that would not be written, because of what it reads as, may be another one once turbo was
 * switched: if it is on now, it was off when the limit was read. Kernels that show limits all the
 * same hide nothing. */
int step_find_concealed(struct isst_change *change, struct step *step)
{
	struct kernel_files *files = &change->context->files;
	enum turbo_state turbo;
	int error;

	if (step->kind != ITEM_SCALING_MAX && step->kind != ITEM_SCALING_MIN)
		return 0;
	error = read_turbo(change->context, &turbo);
	/* What it was at first, planning took into account. */
	if (!error && change->turbo_known && turbo != change->turbo)
		change->turbo_switched = true;
	for (size_t i = 0; i < step->count && !error && change->turbo_switched; i++) {
		struct entry *entry = &step->entries[i];
		unsigned int cpu = entry->item.index;
		uint64_t base_khz = 0, lowest_khz = 0;
		bool hides = true;

		if (entry->state == ENTRY_UNKNOWN || entry->refused || entry->hidden ||
		    entry->at_least || entry->now.number != entry->bits)
			continue;
		error = cpufreq_read(files, cpu, "base_frequency", &base_khz);
		if (!error)
			error = cpufreq_read(files, cpu, "cpuinfo_min_freq", &lowest_khz);
		if (!error && turbo == TURBO_OFF)
			error = cpufreq_hides_limit(files, cpu, turbo, &hides);
		if (!error && hides && entry->bits >= base_khz) {
			entry->hidden = true;
			/* What limits from the base frequency up read as while turbo is off. */
			entry->shown = step->kind == ITEM_SCALING_MAX ? CPUFREQ_NO_LIMIT
				       : base_khz > lowest_khz	      ? base_khz
								      : 0;
		}
		error = error == -ENOENT ? 0 : error;
	}
	return error;
}
