/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run that begins does about the journal of an interrupted one. */
#include "transaction/recovery.h"
#include "transaction/lock.h"
#include "transaction/recovery_apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/** Another process wrote, or may have: the administrator has to decide. */
static int refuse_moved(const struct isst_journal *journal, const char *moved, const char *waiting)
{
	return message_error(
		&journal->context->messages, -EIO,
		"%s (%s, %s), and the machine was changed since, or may have been: %s%s%s; "
		"nothing is changed before a decision: check `isst journal show`, then run `isst "
		"journal apply` or `isst journal discard`",
		recovery_what_happened(&journal->text), recovery_command(journal),
		recovery_age_text(journal), moved, *waiting ? "; " : "", waiting);
}

/** What the run left is out of reach for now. */
static int refuse_waiting(const struct isst_journal *journal, const char *waiting)
{
	return message_error(
		&journal->context->messages, -EIO,
		"%s (%s, %s), of which %s, and the next run rolls it back; nothing is changed until then: `isst journal show` lists the "
		"items, `isst journal apply` rolls back the others, `isst journal discard` leaves "
		"the machine as it is",
		recovery_what_happened(&journal->text), recovery_command(journal),
		recovery_age_text(journal), waiting);
}

static int refuse(const struct isst_journal *journal)
{
	char *moved = recovery_list_moved(journal), *waiting = recovery_describe_waiting(journal);
	int error = -ENOMEM;

	if (moved && waiting)
		error = *moved ? refuse_moved(journal, moved, waiting)
			       : refuse_waiting(journal, waiting);
	free(moved);
	free(waiting);
	return error;
}

static void report_rolled_back(struct isst_journal *journal, const char *restored,
			       const char *aside)
{
	message_notice(&journal->context->messages,
		       "rolled back the %s change of an %s run (%s, %s): %s%s%s",
		       recovery_which_change(&journal->text), recovery_which_run(&journal->text),
		       recovery_command(journal), recovery_age_text(journal),
		       *restored ? restored : "all items had their old values",
		       *aside ? "; left unchanged because SMT is off: " : "", aside);
}

static int recover(struct isst_journal *journal)
{
	char *restored, *aside;
	int error;

	if (isst_journal_is_moved(journal))
		return refuse(journal);
	restored = recovery_list_rolled_back(journal);
	aside = recovery_list_aside(journal);
	error = isst_journal_apply(journal, 0);
	if (!error) {
		journal->context->recovered |= !restored || *restored;
		report_rolled_back(journal, restored ? restored : "out of memory",
				   aside ? aside : "out of memory");
	}
	free(restored);
	free(aside);
	return error;
}

int journal_recover(struct isst_context *context)
{
	struct isst_journal *journal;
	int error;

	if (journal_is_missing(context))
		return 0;
	error = isst_journal_open(context, 0, &journal);
	if (error)
		return error;
	/* Another boot's: the machine was reset since. Or one of a change that is complete. */
	if (!journal)
		return journal_remove_complete(context, false);
	error = recover(journal);
	isst_journal_free(journal);
	return error;
}

/** Whether there is a journal that no run is at work on. One that is at work writes its own: the
 * lock is looked at while a journal is there, the same before and after. */
static bool is_left(struct isst_context *context, struct journal_text *text)
{
	struct journal_text again = { 0 };
	bool left;

	if (journal_text_read(context, text) || text->count == 0 || text->done ||
	    lock_is_held(context))
		return false;
	left = journal_text_read(context, &again) == 0 && !again.done &&
	       again.whole == text->whole && again.begun_s == text->begun_s;
	journal_text_clear(&again);
	return left;
}

void journal_report(struct isst_context *context)
{
	const char *error = context->messages.error;
	struct journal_text text = { 0 };

	if (is_left(context, &text))
		message_notice(
			&context->messages,
			"%s; the next run that changes the machine rolls it back, or reports the "
			"obstacle; `isst journal show` lists it",
			recovery_what_happened(&text));
	journal_text_clear(&text);
	/* A caller who may not read the journal gets no notice: this run does not need it. */
	context->messages.error = error;
}
