/* SPDX-License-Identifier: BSD-3-Clause */
/* isst journal: what a run that was interrupted in the middle of a change left behind. */
#include "handlers.h"
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static struct report_node *begin(struct run *run)
{
	return report_branch(report_unit(run->report, NULL, 0), KEY_JOURNAL, 0);
}

/** Opens the journal; reports where there is none. Returns NULL then, or after an error. */
static struct isst_journal *open_journal(struct run *run)
{
	struct isst_journal *journal = NULL;

	if (run_call(run, isst_journal_open(run->context, 0, &journal)) == 0 && !journal)
		report_message(run->report, ENTRY_NOTE, "no change was interrupted");
	return journal;
}

static bool has(const struct isst_journal_entry *item, unsigned int flag)
{
	return isst_journal_entry_flags(item) & flag;
}

static const char *what_apply_does(const struct isst_journal_entry *item)
{
	if (has(item, ISST_JOURNAL_ENTRY_RESTORED))
		return "restore";
	return has(item, ISST_JOURNAL_ENTRY_KEPT) ? "keep" : "leave";
}

static void list_item(struct report_node *items, unsigned int index,
		      const struct isst_journal_entry *item)
{
	struct report_node *node = report_branch(items, KEY_JOURNAL_ITEM, index);

	report_text(node, KEY_JOURNAL_TARGET, isst_journal_entry_target(item));
	report_text(node, KEY_JOURNAL_OLD, isst_journal_entry_old_text(item));
	if (isst_journal_entry_written_text(item))
		report_text(node, KEY_JOURNAL_WRITTEN, isst_journal_entry_written_text(item));
	report_text(node, KEY_JOURNAL_NOW, isst_journal_entry_present_text(item));
	report_text(node, KEY_JOURNAL_FINDING, isst_journal_entry_finding(item));
	report_text(node, KEY_JOURNAL_APPLY, what_apply_does(item));
}

void journal_show(struct run *run)
{
	struct isst_journal *journal = open_journal(run);
	const struct isst_journal_entry *item;
	struct report_node *top;
	char age[32];

	if (!journal)
		return;
	top = begin(run);
	if (*isst_journal_command(journal))
		report_text(top, KEY_JOURNAL_COMMAND, isst_journal_command(journal));
	snprintf(age, sizeof(age), "%" PRId64, isst_journal_age_s(journal));
	report_text(top, KEY_JOURNAL_AGE, isst_journal_age_s(journal) < 0 ? "unknown" : age);
	/* It was complete, and not to last. */
	if (isst_journal_is_held(journal))
		report_text(top, KEY_JOURNAL_STATE, "held");
	for (unsigned int i = 0; (item = isst_journal_entry_at(journal, i)); i++)
		list_item(top, i, item);
	isst_journal_free(journal);
}

static const char *describe_result(const struct isst_journal_entry *item)
{
	if (has(item, ISST_JOURNAL_ENTRY_RESTORED))
		return "restored";
	return has(item, ISST_JOURNAL_ENTRY_KEPT) ? "kept" : "left";
}

/** Lists what was restored, what was left, and what is kept until it can be reached. */
static void list_applied(struct run *run, struct isst_journal *journal)
{
	const struct isst_journal_entry *item;
	struct report_node *top = begin(run);

	for (unsigned int i = 0; (item = isst_journal_entry_at(journal, i)); i++) {
		struct report_node *node;

		if (!has(item, ISST_JOURNAL_ENTRY_RESTORED) &&
		    !has(item, ISST_JOURNAL_ENTRY_MOVED) && !has(item, ISST_JOURNAL_ENTRY_KEPT))
			continue;
		node = report_branch(top, KEY_JOURNAL_ITEM, i);
		report_text(node, KEY_JOURNAL_TARGET, isst_journal_entry_target(item));
		report_text(node, KEY_JOURNAL_RESULT, describe_result(item));
		report_text(node, KEY_JOURNAL_NOW,
			    has(item, ISST_JOURNAL_ENTRY_RESTORED)
				    ? isst_journal_entry_old_text(item)
				    : isst_journal_entry_present_text(item));
	}
}

void journal_apply(struct run *run)
{
	struct isst_journal *journal = open_journal(run);
	int error;

	if (!journal) {
		if (run->status == STATUS_DONE)
			run_call(run, isst_journal_discard(run->context, 0));
		return;
	}
	/* What the items are is asked before they are restored. */
	isst_journal_entry_at(journal, 0);
	error = run_call(run, isst_journal_apply(journal, 0));
	run_report_notices(run);
	if (error == 0 || error == -EAGAIN) {
		run->changed = true;
		list_applied(run, journal);
	}
	isst_journal_free(journal);
}

void journal_discard(struct run *run)
{
	struct isst_journal *journal = NULL;
	/* One that cannot be read is deleted, too. */
	bool none = isst_journal_open(run->context, 0, &journal) == 0 && !journal;

	isst_journal_free(journal);
	if (run_call(run, isst_journal_discard(run->context, 0)) == 0)
		report_message(run->report, ENTRY_NOTE, "%s",
			       none ? "no change was interrupted: there is nothing to discard"
				    : "the journal was deleted; the machine was left as it is");
}
