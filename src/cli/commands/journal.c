/* SPDX-License-Identifier: BSD-3-Clause */
/* `isst journal`. Items that differ only in their place are one in text, not in documents. */
#include "../../common/memory_stream.h"
#include "../process/xalloc.h"
#include "../run/handlers.h"
#include "../run/run.h"
#include "isst-journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- The list of items ---- */

enum { TEXTS = 5 };

/** What is reported of an item, in this order; NULL texts are not. */
static const enum key_id SHOWN[TEXTS] = { KEY_JOURNAL_OLD, KEY_JOURNAL_WRITTEN, KEY_JOURNAL_NOW,
					  KEY_JOURNAL_FINDING, KEY_JOURNAL_APPLY };
static const enum key_id APPLIED[TEXTS] = { KEY_JOURNAL_RESULT, KEY_JOURNAL_NOW };

struct list {
	struct run *run;
	struct report_node *top;
	const enum key_id *keys; /* of the texts */
	/** Sets the texts; returns false for what is to be left out. */
	bool (*describe)(const struct isst_journal_entry *item, const char *texts[TEXTS]);
	unsigned int count;
};

/** Reports an item, or @count of them that have the same texts. */
static void report_item(struct list *list, const struct isst_journal_entry *item,
			const char *target, unsigned int count)
{
	struct report_node *node = report_branch(list->top, KEY_JOURNAL_ITEM, list->count++);
	const char *texts[TEXTS] = { NULL };

	list->describe(item, texts);
	report_text(node, KEY_JOURNAL_TARGET, target);
	if (count > 1)
		report_number(node, KEY_JOURNAL_COUNT, count);
	for (size_t i = 0; i < TEXTS; i++)
		if (texts[i])
			report_text(node, list->keys[i], texts[i]);
}

static void fold_item(struct folds *folds, const struct isst_journal_entry *item,
		      const char *texts[TEXTS])
{
	struct memory_stream memory;
	char *text;

	xcall(memory_stream_open(&memory));
	fputs(isst_journal_entry_target(item), memory.stream);
	for (size_t i = 0; i < TEXTS; i++)
		fprintf(memory.stream, "\n%s", texts[i] ? texts[i] : "");
	text = xcheck(memory_stream_text(&memory));
	xcall(folds_add(folds, (void *)item, "%s", text));
	free(text);
}

static void list_items(struct list *list, const struct isst_journal *journal)
{
	const struct request *request = list->run->request;
	bool joined = request_format(request) == FORMAT_TEXT && !request_has(request, OPTION_ALL);
	struct folds folds = { .all = NULL };
	const struct isst_journal_entry *item;

	for (unsigned int i = 0; (item = isst_journal_entry_at(journal, i)) != NULL; i++) {
		const char *texts[TEXTS] = { NULL };

		if (!list->describe(item, texts))
			continue;
		if (joined)
			fold_item(&folds, item, texts);
		else
			report_item(list, item, isst_journal_entry_target(item), 1);
	}
	report_join(&folds, list->run->context);
	for (size_t i = 0; i < folds.count; i++) {
		const struct fold *fold = &folds.all[i];
		char *text = xcheck(fold_text(fold));

		text[strcspn(text, "\n")] = '\0';
		report_item(list, fold->data, text, fold->texts);
		free(text);
	}
	folds_clear(&folds);
}

/* ---- The commands ---- */

static bool describe_shown(const struct isst_journal_entry *item, const char *texts[TEXTS])
{
	const char *action = has(item, ISST_JOURNAL_ENTRY_RESTORED) ? "restore"
			     : has(item, ISST_JOURNAL_ENTRY_KEPT)   ? "keep"
								    : "leave";

	texts[0] = isst_journal_entry_old_text(item);
	texts[1] = isst_journal_entry_written_text(item);
	texts[2] = isst_journal_entry_present_text(item);
	texts[3] = isst_journal_entry_finding(item);
	texts[4] = action;
	return true;
}

void journal_show(struct run *run)
{
	struct isst_journal *journal = open_journal(run);
	struct report_node *top;
	struct list list;

	if (!journal)
		return;
	top = report_section(run->report, KEY_JOURNAL);
	if (*isst_journal_command(journal))
		report_text(top, KEY_JOURNAL_COMMAND, isst_journal_command(journal));
	if (isst_journal_age_s(journal) < 0)
		report_text(top, KEY_JOURNAL_AGE, "unknown");
	else
		report_number(top, KEY_JOURNAL_AGE, (uint64_t)isst_journal_age_s(journal));
	/* It was complete, and not to last. */
	if (isst_journal_is_held(journal))
		report_text(top, KEY_JOURNAL_STATE, "held");
	list = (struct list){ run, top, SHOWN, describe_shown, 0 };
	list_items(&list, journal);
	isst_journal_free(journal);
}

/** What was restored, what was left, and what is kept until it can be reached. */
static bool describe_applied(const struct isst_journal_entry *item, const char *texts[TEXTS])
{
	bool restored = has(item, ISST_JOURNAL_ENTRY_RESTORED);
	bool kept = has(item, ISST_JOURNAL_ENTRY_KEPT);

	texts[0] = restored ? "restored" : kept ? "kept" : "left";
	texts[1] = restored ? isst_journal_entry_old_text(item)
			    : isst_journal_entry_present_text(item);
	return restored || kept || has(item, ISST_JOURNAL_ENTRY_MOVED);
}

void journal_apply(struct run *run)
{
	struct isst_journal *journal = open_journal(run);
	struct list list;
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
		list = (struct list){ run, report_section(run->report, KEY_JOURNAL), APPLIED,
				      describe_applied, 0 };
		list_items(&list, journal);
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
