/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes that are held. Hours may pass until one is rolled back, in which other processes change
 * the machine: that is done as for a run that died, from the journal compared with the machine.
 */
#include "firmware/platform.h"
#include "transaction/journal.h"
#include "transaction/lock.h"
#include "transaction/run.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Holding ---- */

int change_hold(struct isst_change *change)
{
	/* One that wrote nothing has no journal. */
	int error = change->journal < 0 ? 0 : journal_held(change);

	if (error)
		return error;
	change->held_since = suspend_mark_now(&change->context->files);
	change->held = true;
	change->context->held = change;
	/* An open device would keep the module of a transport that is missing from registering. */
	if (platform_misses_transport(&change->context->platform))
		driver_suspend(&change->context->driver);
	return 0;
}

static void end_hold(struct isst_change *change)
{
	change->held = false;
	change->context->held = NULL;
}

static int check_held(const struct isst_change *change)
{
	struct isst_context *context = change->context;

	if (!change->held)
		return message_error(&context->messages, -EINVAL, "the change is not held");
	if (!context_has_lock(context))
		return message_error(&context->messages, -EINVAL,
				     "the change is held by the parent of this process");
	return 0;
}

int change_release(struct isst_change *change)
{
	int error = check_held(change);

	if (error)
		return error;
	end_hold(change);
	settings_complete(change);
	return 0;
}

/* ---- Rolling back ---- */

/** What was lost over a suspend has a value that neither the change nor another process gave it:
 * registers, of which kernels restore some; what the kernel itself keeps stays. */
static bool is_lost(const struct tracked *tracked)
{
	enum item_kind kind = tracked->item.kind;

	return (tracked->finding == FOUND_MOVED || tracked->finding == FOUND_UNCERTAIN) &&
	       !tracked->unreadable &&
	       (!item_is_file(kind) || kind == ITEM_UNCORE_MAX || kind == ITEM_UNCORE_MIN);
}

/** Warns of items, where there are any. @list: their names, which is freed */
static void warn_of(struct isst_change *change, enum isst_message_code kind, const char *why,
		    char *list)
{
	if (!list)
		change_warn(change, kind, of_machine(),
			    "items %s, cannot be listed, if there are any: out of memory", why);
	else if (*list)
		change_warn(change, kind, of_machine(), "%s: %s", why, list);
	free(list);
}

/** Whether it is out of reach without harm: limits of an offline CPU limit nothing. */
static bool is_idle(const struct tracked *tracked)
{
	return tracked->finding == FOUND_OFFLINE && item_is_limit(&tracked->item);
}

static bool is_moved(const struct tracked *tracked)
{
	return tracked->finding == FOUND_MOVED;
}

static bool is_left_offline(const struct tracked *tracked)
{
	return tracked->written && (is_idle(tracked) || tracked->finding == FOUND_SMT_OFF);
}

/** Rolls back by a change of its own, in place of the one that is held. */
static int restore(struct isst_change *change, const struct isst_journal *journal)
{
	const struct isst_change_options options = { .command = change->options.command };
	struct isst_context *context = change->context;
	struct messages *texts = &change->texts;
	struct isst_change *rollback;
	bool incomplete;
	int error;

	context->held = NULL;
	error = isst_change_new(context, &options, &rollback);
	context->held = change;
	if (error)
		return error;
	error = journal_restore(journal, rollback);
	/* Any other error: it was not begun. */
	if (error && error != -ENOTRECOVERABLE)
		goto out;
	/* What the rollback reported belongs to the held change. */
	change_take_texts(change, rollback);
	end_hold(change);
	context->runs++;
	warn_of(change, ISST_MESSAGE_CHANGED_SINCE,
		"not rolled back, because another process changed it since",
		recovery_list(journal, is_moved));
	warn_of(change, ISST_MESSAGE_OUT_OF_REACH, "not rolled back, because the CPU is offline",
		recovery_list_kinds(journal, is_left_offline));
	incomplete = error != 0;
	/* What has to be rolled back once it can be accessed. */
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];

		if (!tracked_waits(tracked) || is_idle(tracked))
			continue;
		change_differs_unread(
			change, &tracked->item,
			message_make(texts, "was %s, and cannot be accessed",
				     item_value_text(texts, &tracked->item, tracked->old)));
		incomplete = true;
	}
	if (incomplete) {
		char *waiting = recovery_describe_waiting(journal);
		char *differing = recovery_join(&change->differences);
		bool waits = waiting && *waiting;

		error = message_error(&context->messages, -ENOTRECOVERABLE,
				      "the held change could not be rolled back as a whole: "
				      "%s%s%s; " JOURNAL_KEPT,
				      differing ? differing : "out of memory", waits ? "; " : "",
				      waits ? waiting : "");
		free(differing);
		free(waiting);
	} else {
		change_end_journal(change);
	}
out:
	change_free(rollback);
	return error;
}

/** Leaves to the other agent what it may have disturbed: a level that no step wrote, and what
 * moves with it. */
static void leave_uncertain(const struct isst_journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		struct tracked *tracked = &journal->tracked[i];
		bool other_level = false;

		for (size_t j = 0; j < journal->count && !tracked->written; j++) {
			const struct tracked *level = &journal->tracked[j];

			other_level |= level->item.kind == ITEM_LEVEL && !level->written &&
				       level->item.package == tracked->item.package &&
				       level->finding != FOUND_OLD;
		}
		if (!tracked->written && (tracked->finding == FOUND_UNCERTAIN ||
					  (tracked->finding == FOUND_WRITTEN && other_level)))
			tracked->finding = FOUND_MOVED;
	}
}

static int roll_back(struct isst_change *change)
{
	struct isst_context *context = change->context;
	struct suspend_mark now = change->held_since;
	struct isst_journal *journal;
	int error;

	if (change->journal < 0) {
		end_hold(change);
		return 0;
	}
	/* CPUs may have gone on- or offline. */
	error = context_discover_topology(context);
	if (!error)
		error = journal_open(context, &journal);
	if (error)
		return error;
	if (!journal)
		return message_error(&context->messages, -EIO,
				     "the journal of the held change was removed: nothing can be "
				     "rolled back");
	if (change->overtaken)
		leave_uncertain(journal);
	else
		now = suspend_mark_now(&context->files);
	if (!change->overtaken && suspend_marks_differ(&change->held_since, &now)) {
		warn_of(change, ISST_MESSAGE_LOST_OVER_SUSPEND,
			"changed over a suspend of the machine, and rolled back as well",
			recovery_list(journal, is_lost));
		for (size_t i = 0; i < journal->count; i++)
			if (is_lost(&journal->tracked[i]))
				journal->tracked[i].finding = FOUND_WRITTEN;
	}
	error = restore(change, journal);
	isst_journal_free(journal);
	return error;
}

int change_roll_back(struct isst_change *change)
{
	int error = check_held(change);

	return error ? error : roll_back(change);
}

int change_roll_back_overtaken(struct isst_change *change)
{
	int error = roll_back(change);

	end_hold(change);
	return error;
}

int change_abandon(struct isst_change *change)
{
	struct messages *messages;
	const char *before;
	int error = 0;

	if (!change || !change->held)
		return 0;
	messages = &change->context->messages;
	before = message_begin(messages);
	if (context_has_lock(change->context))
		error = change_roll_back(change);
	if (change->held)
		end_hold(change);
	return message_end(messages, before, error);
}
