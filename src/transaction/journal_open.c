/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of an interrupted run, opened and compared with the machine, as callers see it. */
#include "transaction/findings.h"
#include "transaction/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/** @none: there is no journal, or that of a change that is complete. */
static int read_text(struct isst_journal *journal, bool *none)
{
	int error = journal_text_read(journal->context, &journal->text);

	*none = error == -ENOENT || journal->text.done;
	return *none ? 0 : error;
}

/** Whether a journal is that of a run which is at work. Who holds the lock knows that of its own.
 */
static int check_at_work(struct isst_context *context, const struct journal_text *text)
{
	if (context_has_lock(context) || !lock_is_held(context))
		return 0;
	if (text->held && lock_holder(context) == text->holder)
		return message_error(&context->messages, -EBUSY,
				     "process %u holds a change (%s), which it will release or "
				     "roll back: this is not an interrupted change",
				     text->holder, journal_text_command(text));
	return message_error(&context->messages, -EBUSY,
			     "another run is changing the machine: this is not an interrupted "
			     "change; try again when it has ended");
}

static int examine(struct isst_journal *journal)
{
	int error = journal_track(journal);

	if (!error)
		error = journal_check_items(journal);
	if (!error)
		error = journal_read_items(journal);
	return error ? error : journal_classify(journal);
}

/** What may appear yet is waited for and overwritten, whether it has come by then or not. */
static bool is_restored(enum finding finding)
{
	return finding == FOUND_PENDING || finding == FOUND_WRITTEN || finding == FOUND_UNCERTAIN;
}

static struct item_number present_number(const struct tracked *tracked)
{
	if (tracked->unreadable)
		return (struct item_number){ .error = -EIO };
	return item_number_of(&tracked->item, tracked->now, true);
}

/** The items as journal_item() shows them. */
static int list_items(struct isst_journal *journal)
{
	static const char *const FINDINGS[] = {
		[FOUND_OLD] = "as before",
		[FOUND_PENDING] = "as before, but may still change",
		[FOUND_WRITTEN] = "as the interrupted run left it",
		[FOUND_UNCERTAIN] = "changed by the interrupted run or another process",
		[FOUND_MOVED] = "changed by another process",
		[FOUND_OFFLINE] = "unreachable while its CPUs are offline",
		[FOUND_UNSERVED] = "unreachable while the driver does not provide its power domain",
		[FOUND_UNREAD] = "currently unreadable, or its origin cannot be determined",
		[FOUND_SMT_OFF] = "offline because SMT is off",
	};

	journal->listed = calloc(journal->count + 1, sizeof(*journal->listed));
	if (!journal->listed)
		return -ENOMEM;
	journal->context->messages.lost = false;
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];
		struct isst_context *context = journal->context;

		journal->listed[i] = (struct isst_journal_entry){
			.target = item_describe(context, &tracked->item),
			.old_value = item_describe_value(context, &tracked->item, tracked->old),
			.written_value = tracked->written
						 ? item_describe_value(context, &tracked->item,
								       tracked->last)
						 : NULL,
			.present_value = tracked->unreadable
						 ? "unknown"
						 : item_describe_value(context, &tracked->item,
								       tracked->now),
			.item = item_public(context, &tracked->item),
			.old_number = item_number_of(&tracked->item, tracked->old, true),
			.written_number = item_number_of(&tracked->item, tracked->last,
							 tracked->written),
			.present_number = present_number(tracked),
			.finding = FINDINGS[tracked->finding],
			.restored = is_restored(tracked->finding),
			.moved = tracked->finding == FOUND_MOVED,
			.kept = finding_waits(tracked->finding),
		};
	}
	/* An item without its texts is none that could be shown. */
	return journal->context->messages.lost ? -ENOMEM : 0;
}

static int open_journal(struct isst_context *context, unsigned int flags,
			struct isst_journal **result)
{
	struct isst_journal *journal;
	bool none = false;
	int error;

	*result = NULL;
	if (flags)
		return message_error(&context->messages, -EINVAL,
				     "the journal does not know the flags %#x", flags);
	if (!context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine has not been discovered yet");
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return -ENOMEM;
	journal->context = context;
	journal->unlocks = context->unlocks;
	journal->offline = isst_cpuset_new();
	error = journal->offline ? read_text(journal, &none) : -ENOMEM;
	if (!none && check_at_work(context, &journal->text))
		error = -EBUSY;
	if (!error && !none)
		error = examine(journal);
	/* A run may have begun while the items were read, or ended. */
	if (!none && check_at_work(context, &journal->text))
		error = -EBUSY;
	none |= journal_is_missing(context);
	if (!error && !none)
		error = list_items(journal);
	if (!error && !none)
		*result = journal;
	else
		isst_journal_free(journal);
	return error;
}

int isst_journal_open(struct isst_context *context, unsigned int flags,
		      struct isst_journal **result)
{
	const char *before;

	if (!context || !result)
		return context_refuse(context, "there is nowhere to put the journal (NULL)");
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, open_journal(context, flags, result));
}

void isst_journal_free(struct isst_journal *journal)
{
	if (!journal)
		return;
	journal_text_clear(&journal->text);
	isst_cpuset_free(journal->offline);
	free(journal->of_line);
	free(journal->sorted);
	free(journal->tracked);
	free(journal->listed);
	free(journal);
}

const char *isst_journal_command(const struct isst_journal *journal)
{
	return journal && journal->text.command ? journal->text.command : "";
}

bool isst_journal_is_held(const struct isst_journal *journal)
{
	return journal && journal->text.held;
}

int64_t isst_journal_age_s(const struct isst_journal *journal)
{
	struct timespec now;

	if (!journal || !journal->text.begun_s || clock_gettime(CLOCK_BOOTTIME, &now) ||
	    (uint64_t)now.tv_sec < journal->text.begun_s)
		return -1;
	return now.tv_sec - (int64_t)journal->text.begun_s;
}

bool isst_journal_is_moved(const struct isst_journal *journal)
{
	for (size_t i = 0; journal && i < journal->count; i++)
		if (finding_is_open(journal->tracked[i].finding))
			return true;
	return false;
}

const struct isst_journal_entry *journal_item(const struct isst_journal *journal, size_t index)
{
	return index < journal->count ? &journal->listed[index] : NULL;
}
