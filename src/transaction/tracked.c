/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of a journal: what it notes of each, and what is there now. */
#include "transaction/tracked.h"
#include "base/machine.h"

#include <errno.h>
#include <stdlib.h>

/* ---- What the journal notes of each item ---- */

struct tracked *tracked_find(const struct isst_journal *journal, const struct item *item)
{
	size_t number = item_index_first(&journal->index, item);

	return number != ITEM_NONE ? &journal->tracked[number] : NULL;
}

/** Notes what a line states of its item. */
static void note_line(const struct isst_journal *journal, struct tracked *tracked,
		      const struct journal_line *line)
{
	bool verified = line->step <= journal->text.verified;
	bool before = line->role == JOURNAL_ITEM || line->role == JOURNAL_FOOTPRINT;

	/* A limit that was hidden by turbo, and came to sight before it was written. */
	if (!tracked->written && item_is_limit(&tracked->item) && before)
		tracked->old = tracked->last = tracked->previous = line->saved.old;
	if (line->role == JOURNAL_ITEM || line->role == JOURNAL_BECAME) {
		tracked->other_owner = line->saved.other_owner;
		tracked->shown = line->saved.shown;
	}
	/* The run found it to be another owner's. */
	if (line->saved.other_owner)
		tracked->old = line->saved.old;
	if (line->role == JOURNAL_ITEM) {
		tracked->previous = tracked->last;
		tracked->last = line->saved.written;
		tracked->written = true;
		tracked->unverified = !verified;
		tracked->known |= verified;
		/* Firmware is slow: what it was asked for may be on its way. */
		tracked->pending = !verified && item_kinds[line->saved.item.kind].settling_ms > 0;
	} else if (line->role == JOURNAL_FOOTPRINT) {
		/* What it became stands in a later line, where that is known: the step may not be
		 * complete, or it could not be read back. The kernel moves limits of CPUs in a
		 * known way. */
		tracked->known &= item_kinds[line->saved.item.kind].of_cpu;
	} else {
		tracked->last = line->saved.written;
		tracked->known = true;
	}
}

int tracked_fill(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	int error;

	journal->tracked = calloc(text->count + 1, sizeof(*journal->tracked));
	journal->of_line = calloc(text->count + 1, sizeof(*journal->of_line));
	error = journal->tracked && journal->of_line ? 0 : -ENOMEM;
	for (size_t i = 0; i < text->count && !error; i++) {
		const struct journal_line *line = &text->lines[i];
		const struct item_line *saved = &line->saved;
		struct tracked *tracked = tracked_find(journal, &saved->item);

		if (!tracked) {
			error = item_index_add(&journal->index, &saved->item);
			if (error)
				break;
			tracked = &journal->tracked[journal->count++];
			*tracked = (struct tracked){ .item = saved->item,
						     .old = saved->old,
						     .last = saved->old,
						     .previous = saved->old,
						     .line = line->number,
						     .known = true };
		}
		journal->of_line[i] = tracked;
		note_line(journal, tracked, line);
	}
	/* Limits of CPUs that the run brought online go away again with the rollback. */
	for (size_t i = 0; i < journal->count && !error; i++) {
		struct tracked *tracked = &journal->tracked[i];
		const struct item item = item_of_cpu(tracked->item.index);
		const struct tracked *online = item_is_limit(&tracked->item)
						       ? tracked_find(journal, &item)
						       : NULL;

		tracked->appeared = online && !online->old.number;
	}
	return error;
}

int tracked_check(struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		int place = item_place(journal->context, &tracked->item, NULL);

		if (place < 0)
			return place;
		tracked->place = (enum item_place)place;
		if (place == PLACE_NONE || !item_value_is_plausible(&tracked->item, tracked->old) ||
		    !item_value_is_plausible(&tracked->item, tracked->last))
			return message_error(
				&journal->context->messages, -EIO,
				"%s/journal:%u: %s: this machine has no such item, or it cannot "
				"have this value: nothing is changed until the file is removed "
				"with `isst journal discard`, which leaves the machine as it is",
				journal->context->machine->runtime_directory, tracked->line,
				item_describe(journal->context, &tracked->item));
	}
	return 0;
}

/* ---- What is there now ---- */

static void note_present(struct isst_journal *journal, struct tracked *tracked,
			 const struct item_access *access)
{
	tracked->now = access->value;
	tracked->failed = access->failure.error && tracked->place == PLACE_REACHED;
	/* The kernel reports a CPU that was taken out as not online. */
	tracked->unreadable = access->absent || access->failure.error ||
			      (access->item.kind == ITEM_ONLINE && tracked->place == PLACE_OFFLINE);
	if (tracked->failed && !journal->why_unread)
		journal->why_unread = access->failure.message;
}

/** Features are asked for by level, and the level may be another one by now. Those of a mailbox,
 * where the run has nothing to do with levels, went off with their level. */
static int read_features(struct isst_journal *journal)
{
	struct item_access *accesses = calloc(journal->count + 1, sizeof(*accesses));
	size_t count = 0;
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++) {
		struct tracked *tracked = &journal->tracked[i];
		struct item_access level = { .item = tracked->item };
		const struct tracked *of_run;

		if (tracked->item.kind != ITEM_FEATURES)
			continue;
		level.item.kind = ITEM_LEVEL;
		level.item.index = 0;
		of_run = tracked_find(journal, &level.item);
		if (of_run && !of_run->unreadable) {
			accesses[count].item = tracked->item;
			accesses[count++].item.index = (unsigned int)of_run->now.number;
		} else if (!of_run && !tracked->unreadable) {
			error = items_read_twice(journal->context, &level, 1);
			tracked->of_other_level = !level.failure.error && !level.absent &&
						  level.value.number != tracked->item.index;
		}
	}
	if (!error && count > 0)
		error = items_read_twice(journal->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++)
		note_present(journal, tracked_find(journal, &accesses[i].item), &accesses[i]);
	free(accesses);
	return error;
}

int tracked_read(struct isst_journal *journal)
{
	struct item_access *accesses = calloc(journal->count + 1, sizeof(*accesses));
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++)
		accesses[i].item = journal->tracked[i].item;
	if (!error)
		error = items_read_twice(journal->context, accesses, journal->count);
	for (size_t i = 0; i < journal->count && !error; i++)
		note_present(journal, &journal->tracked[i], &accesses[i]);
	free(accesses);
	return error ? error : read_features(journal);
}

uint64_t tracked_bits(const struct tracked *tracked)
{
	return tracked->written ? item_known_bits(tracked->item.kind) : WHOLE_VALUE;
}

bool tracked_waits(const struct tracked *tracked)
{
	enum finding finding = tracked->finding;

	return finding == FOUND_OFFLINE || finding == FOUND_UNSERVED || finding == FOUND_UNREAD;
}
