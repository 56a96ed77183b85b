/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the journal of an interrupted run, and compares it with the machine. */
#include "common/memory_stream.h"
#include "transaction/lock.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

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
	struct isst_context *context = journal->context;

	journal->listed = calloc(journal->count + 1, sizeof(*journal->listed));
	if (!journal->listed)
		return -ENOMEM;
	context->messages.lost = false;
	for (size_t i = 0; i < journal->count; i++) {
		const struct tracked *tracked = &journal->tracked[i];
		const struct item *item = &tracked->item;
		struct isst_journal_entry *listed = &journal->listed[i];

		*listed = (struct isst_journal_entry){
			.target = item_describe(context, item),
			.old_value = item_value_text(&context->messages, item, tracked->old),
			.present_value = "unknown",
			.item = item_public(context, item),
			.old_number = item_number_of(item, tracked->old, true),
			.written_number = item_number_of(item, tracked->last, tracked->written),
			.present_number.error = -EIO,
			.finding = FINDINGS[tracked->finding],
			/* What may appear yet is waited for and overwritten, whether it has come
			 * by then or not. */
			.restored = tracked->finding == FOUND_PENDING ||
				    tracked->finding == FOUND_WRITTEN ||
				    tracked->finding == FOUND_UNCERTAIN,
			.moved = tracked->finding == FOUND_MOVED,
			.kept = tracked_waits(tracked),
		};
		if (tracked->written)
			listed->written_value = item_value_text(&context->messages, item,
								tracked->last);
		if (!tracked->unreadable) {
			listed->present_value = item_value_text(&context->messages, item,
								tracked->now);
			listed->present_number = item_number_of(item, tracked->now, true);
		}
	}
	/* An item without its texts is none that could be shown. */
	return context->messages.lost ? -ENOMEM : 0;
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
	error = journal->offline ? journal_text_read(context, &journal->text) : -ENOMEM;
	/* There is none, or that of a change that is complete. */
	none = error == -ENOENT || journal->text.done;
	if (none)
		error = 0;
	if (!none && check_at_work(context, &journal->text))
		error = -EBUSY;
	if (!error && !none)
		error = journal_track(journal);
	if (!error && !none)
		error = journal_check_items(journal);
	if (!error && !none)
		error = journal_read_items(journal);
	if (!error && !none)
		error = journal_classify(journal);
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
	item_index_clear(&journal->index);
	free(journal->of_line);
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
		if (journal->tracked[i].finding >= FOUND_UNCERTAIN &&
		    journal->tracked[i].finding != FOUND_SMT_OFF)
			return true;
	return false;
}

const struct isst_journal_entry *journal_item(const struct isst_journal *journal, size_t index)
{
	return index < journal->count ? &journal->listed[index] : NULL;
}
