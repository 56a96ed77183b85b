/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of an interrupted change: what its journal notes of each, and what each is now. */
#include "transaction/tracked.h"
#include "base/machine.h"
#include "transaction/plausible.h"

#include <errno.h>
#include <stdlib.h>

static int by_item(const void *key, const void *element)
{
	return item_compare(key, &(*(struct tracked *const *)element)->item);
}

struct tracked *journal_find(const struct isst_journal *journal, const struct item *item)
{
	struct tracked **found = bsearch(item, journal->sorted, journal->count,
					 sizeof(struct tracked *), by_item);

	return found ? *found : NULL;
}

/** A limit that was hidden while turbo was off, and came to sight before the run wrote it. */
static void note_revealed(struct tracked *tracked, const struct journal_line *line)
{
	if (!tracked->written && item_is_limit(&tracked->item) &&
	    (line->role == JOURNAL_ITEM || line->role == JOURNAL_FOOTPRINT))
		tracked->old = tracked->last = tracked->previous = line->saved.old;
}

static void note_role(const struct isst_journal *journal, struct tracked *tracked,
		      const struct journal_line *line)
{
	bool verified = line->step <= journal->text.verified;

	note_revealed(tracked, line);
	if (line->role == JOURNAL_ITEM || line->role == JOURNAL_BECAME) {
		tracked->held = line->saved.held;
		tracked->shown = line->saved.shown;
	}
	/* The run found it to be another owner's. */
	if (line->saved.held)
		tracked->old = line->saved.old;
	switch (line->role) {
	case JOURNAL_ITEM:
		tracked->previous = tracked->last;
		tracked->last = line->saved.written;
		tracked->written = true;
		tracked->unverified = !verified;
		tracked->known |= verified;
		/* Firmware is slower than a line of this file: what it was about to be asked for
		 * may be on its way. */
		tracked->pending = !verified && item_settling_time(line->saved.item.kind) > 0;
		break;
	case JOURNAL_FOOTPRINT:
		/* What it became stands in a later line, where that is known: the step may not be
		 * complete, or it could not be read back. The kernel moves limits of CPUs in a
		 * known way. */
		tracked->known &= !item_is_disturbed(&line->saved.item);
		break;
	default:
		tracked->last = line->saved.written;
		tracked->known = true;
		break;
	}
}

static int by_item_and_line(const void *left, const void *right)
{
	const struct journal_line *a = *(const struct journal_line *const *)left;
	const struct journal_line *b = *(const struct journal_line *const *)right;
	int order = item_compare(&a->saved.item, &b->saved.item);

	return order ? order : (a > b) - (a < b);
}

/** Finds which lines are about the same item: each points to the first of them. */
static int find_first_lines(const struct journal_text *text, const struct journal_line **first)
{
	const struct journal_line **sorted = calloc(text->count + 1, sizeof(*sorted));
	const struct journal_line *leader = NULL;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < text->count; i++)
		sorted[i] = &text->lines[i];
	qsort(sorted, text->count, sizeof(*sorted), by_item_and_line);
	for (size_t i = 0; i < text->count; i++) {
		const struct journal_line *line = sorted[i];

		if (!leader || item_compare(&leader->saved.item, &line->saved.item))
			leader = line;
		first[line - text->lines] = leader;
	}
	free(sorted);
	return 0;
}

static struct tracked *track_item(struct isst_journal *journal, const struct journal_line *line)
{
	struct tracked *tracked = &journal->tracked[journal->count];

	*tracked = (struct tracked){ .item = line->saved.item,
				     .old = line->saved.old,
				     .last = line->saved.old,
				     .previous = line->saved.old,
				     .line = line->number,
				     .known = true };
	journal->sorted[journal->count++] = tracked;
	return tracked;
}

static int by_tracked_item(const void *left, const void *right)
{
	return item_compare(&(*(struct tracked *const *)left)->item,
			    &(*(struct tracked *const *)right)->item);
}

/** Limits of CPUs that the run brought online go away again with the rollback. */
static void mark_late(struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		const struct item item = item_of_cpu(tracked->item.index);
		const struct tracked *online = item_is_limit(&tracked->item)
						       ? journal_find(journal, &item)
						       : NULL;

		tracked->appeared = online && !online->old.number;
	}
}

int journal_track(struct isst_journal *journal)
{
	const struct journal_text *text = &journal->text;
	const struct journal_line **first = calloc(text->count + 1, sizeof(*first));
	int error = -ENOMEM;

	journal->tracked = calloc(text->count + 1, sizeof(*journal->tracked));
	journal->of_line = calloc(text->count + 1, sizeof(*journal->of_line));
	journal->sorted = calloc(text->count + 1, sizeof(*journal->sorted));
	if (first && journal->tracked && journal->of_line && journal->sorted)
		error = find_first_lines(text, first);
	for (size_t i = 0; i < text->count && !error; i++) {
		const struct journal_line *line = &text->lines[i];

		journal->of_line[i] = first[i] == line ? track_item(journal, line)
						       : journal->of_line[first[i] - text->lines];
		note_role(journal, journal->of_line[i], line);
	}
	if (!error)
		qsort(journal->sorted, journal->count, sizeof(struct tracked *), by_tracked_item);
	if (!error)
		mark_late(journal);
	free(first);
	return error;
}

/* Before anything is written: what no run can have noted was put there by others. */
int journal_check_items(struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		int place = item_place(journal->context, &tracked->item, NULL);

		if (place < 0)
			return place;
		tracked->place = (enum place)place;
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

void journal_note_unread(struct isst_journal *journal, const char *why)
{
	if (!journal->why_unread)
		journal->why_unread = why;
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
	if (tracked->failed)
		journal_note_unread(journal, access->failure.message);
}

/** Features are asked for by level, and the level may be another one by now. */
static int read_features(struct isst_journal *journal)
{
	struct item_access *accesses = calloc(journal->count + 1, sizeof(*accesses));
	size_t count = 0;
	int error = accesses ? 0 : -ENOMEM;

	for (size_t i = 0; i < journal->count && !error; i++) {
		const struct tracked *level = &journal->tracked[i];

		if (level->item.kind != ITEM_LEVEL || level->unreadable)
			continue;
		for (size_t j = 0; j < journal->count; j++)
			if (journal->tracked[j].item.kind == ITEM_FEATURES &&
			    item_same_domain(&journal->tracked[j].item, &level->item)) {
				accesses[count].item = journal->tracked[j].item;
				accesses[count++].item.index = (unsigned int)level->now.number;
			}
	}
	if (!error && count > 0)
		error = items_read_twice(journal->context, accesses, count);
	for (size_t i = 0; i < count && !error; i++)
		note_present(journal, journal_find(journal, &accesses[i].item), &accesses[i]);
	free(accesses);
	return error;
}

static bool has_level(const struct isst_journal *journal, const struct item *item)
{
	for (size_t i = 0; i < journal->count; i++)
		if (journal->tracked[i].item.kind == ITEM_LEVEL &&
		    item_same_domain(&journal->tracked[i].item, item))
			return true;
	return false;
}

/** Finds features of a mailbox, where the run has nothing to do with levels, that went off with
 * their level. */
static int find_features_of_other_levels(struct isst_journal *journal)
{
	int error = 0;

	for (size_t i = 0; i < journal->count && !error; i++) {
		struct tracked *tracked = &journal->tracked[i];
		struct item_access level = { .item = tracked->item };

		if (tracked->item.kind != ITEM_FEATURES || tracked->unreadable ||
		    has_level(journal, &tracked->item))
			continue;
		level.item.kind = ITEM_LEVEL;
		level.item.index = 0;
		error = items_read_twice(journal->context, &level, 1);
		tracked->of_other_level = !level.failure.error && !level.absent &&
					  level.value.number != tracked->item.index;
	}
	return error;
}

int journal_read_items(struct isst_journal *journal)
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
	if (!error)
		error = read_features(journal);
	return error ? error : find_features_of_other_levels(journal);
}

uint64_t tracked_bits(const struct tracked *tracked)
{
	return tracked->written ? item_known_bits(tracked->item.kind) : WHOLE_VALUE;
}
