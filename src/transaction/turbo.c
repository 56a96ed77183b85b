/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turbo that is switched during a change: until the first write the change fails, since nothing is
 * lost by that; later on what may be concealed is written, and not compared with what is shown.
 */
#include "transaction/turbo.h"
#include "transaction/poll.h"
#include "transaction/revealed.h"

#include <errno.h>

/** A failed look is repeated once. */
static int look(struct isst_context *context, enum turbo_state *state)
{
	int error = cpufreq_turbo_state(&context->files, state);

	if (error && error != -ENOMEM) {
		poll_sleep_us(READ_AGAIN_US);
		error = cpufreq_turbo_state(&context->files, state);
	}
	return error;
}

int change_turbo_state(struct isst_change *change, enum turbo_state *state)
{
	int error = look(change->context, state);

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

static bool writes_limits(const struct isst_change *change)
{
	for (size_t i = 0; i < change->count; i++) {
		enum item_kind kind = change->steps[i]->kind;

		if (kind == ITEM_SCALING_MAX || kind == ITEM_SCALING_MIN)
			return true;
	}
	return false;
}

int change_check_turbo(struct isst_change *change)
{
	enum turbo_state turbo;

	return writes_limits(change) ? change_turbo_state(change, &turbo) : 0;
}

/** What limits from the base frequency up read as while turbo is off. */
static uint64_t shown_value(const struct item *item, uint64_t base_khz, uint64_t lowest_khz)
{
	if (item->kind == ITEM_SCALING_MAX)
		return CPUFREQ_NO_LIMIT;
	return base_khz > lowest_khz ? base_khz : 0;
}

/**
 * Whether a limit may be another one than it reads as, by a look while turbo is @turbo; if that is
 * on now, it was off when the limit was read. Kernels that show limits all the same hide nothing.
 */
static int is_concealed(struct isst_context *context, const struct entry *entry,
			enum turbo_state turbo, bool *concealed, uint64_t *shown_khz)
{
	struct kernel_files *files = &context->files;
	unsigned int cpu = entry->item.index;
	uint64_t base_khz = 0, lowest_khz = 0;
	bool hides = true;
	int error = cpufreq_read(files, cpu, "base_frequency", &base_khz);

	*concealed = false;
	if (!error)
		error = cpufreq_read(files, cpu, "cpuinfo_min_freq", &lowest_khz);
	if (!error && turbo == TURBO_OFF)
		error = cpufreq_hides_limit(files, cpu, turbo, &hides);
	if (error)
		return error == -ENOENT ? 0 : error;
	*concealed = hides && entry->bits >= base_khz;
	*shown_khz = shown_value(&entry->item, base_khz, lowest_khz);
	return 0;
}

/** Whether an entry would not be written, because of what it reads as. */
static bool is_passed_by(const struct entry *entry)
{
	return entry->old_known && !entry->refused && !entry->hidden && !entry->at_least &&
	       entry->now.number == entry->bits;
}

int step_find_concealed(struct isst_change *change, struct step *step)
{
	enum turbo_state turbo;
	int error;

	if (step->kind != ITEM_SCALING_MAX && step->kind != ITEM_SCALING_MIN)
		return 0;
	error = look(change->context, &turbo);
	/* What it was at first, planning took into account. */
	if (!error && change->turbo_known && turbo != change->turbo)
		change->turbo_switched = true;
	for (size_t i = 0; i < step->count && !error && change->turbo_switched; i++) {
		struct entry *entry = &step->entries[i];
		uint64_t shown_khz = 0;
		bool concealed;

		if (!is_passed_by(entry))
			continue;
		error = is_concealed(change->context, entry, turbo, &concealed, &shown_khz);
		if (error || !concealed)
			continue;
		entry->hidden = true;
		entry->shown = shown_khz;
	}
	return error;
}

bool limit_is_hidden(struct isst_context *context, const struct item *item, uint64_t written,
		     uint64_t now)
{
	const char *message = context->messages.error;
	enum turbo_state turbo;
	bool hides = false;
	uint64_t shown;

	if (item_is_limit(item) && !look(context, &turbo) && turbo == TURBO_OFF &&
	    !cpufreq_hides_limit(&context->files, item->index, turbo, &hides) && hides)
		hides = !limit_clamp(context, item, written, &shown) && shown == now;
	context->messages.error = message;
	return hides;
}
