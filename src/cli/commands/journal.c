/* SPDX-License-Identifier: BSD-3-Clause */
/* `isst journal`. Items that differ only in their place are one in text, not in documents. */
#include "../run/handlers.h"
#include "../run/run.h"

#include <errno.h>

static struct report_node *journal_node(struct run *run)
{
	return report_branch(report_unit(run->report, NULL, 0), KEY_JOURNAL, 0);
}

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

/** What is reported of an item, in this order; NULL texts are not. */
static const enum key_id SHOWN[STEP_FOLD_TEXTS] = { KEY_JOURNAL_OLD, KEY_JOURNAL_WRITTEN,
						    KEY_JOURNAL_NOW, KEY_JOURNAL_FINDING,
						    KEY_JOURNAL_APPLY };
static const enum key_id APPLIED[STEP_FOLD_TEXTS] = { KEY_JOURNAL_RESULT, KEY_JOURNAL_NOW };

struct list {
	struct run *run;
	struct report_node *top;
	const enum key_id *keys; /* of the texts */
	unsigned int count;
};

static void report_group(void *data, const struct step_group *group)
{
	struct list *list = data;
	struct report_node *node = report_branch(list->top, KEY_JOURNAL_ITEM, list->count++);

	report_text(node, KEY_JOURNAL_TARGET, group->target);
	if (group->count > 1)
		report_number(node, KEY_JOURNAL_COUNT, group->count);
	for (size_t i = 0; i < STEP_FOLD_TEXTS; i++)
		if (group->texts.text[i])
			report_text(node, list->keys[i], group->texts.text[i]);
}

/** Lists the items that @describe fills the texts of; it returns false for those to be left out. */
static void list_items(struct list *list, const struct isst_journal *journal,
		       bool (*describe)(const struct isst_journal_entry *item,
					struct step_texts *texts))
{
	const struct request *request = list->run->request;
	bool joined = request_format(request) == FORMAT_TEXT && !request_has(request, OPTION_ALL);
	struct step_folds folds = { NULL, 0 };
	const struct isst_journal_entry *item;
	int error = 0;

	for (unsigned int i = 0; (item = isst_journal_entry_at(journal, i)) && !error; i++) {
		struct step_group group = { isst_journal_entry_target(item), 1, { { NULL } } };

		if (!describe(item, &group.texts))
			continue;
		if (joined)
			error = step_folds_add(&folds, group.target, &group.texts);
		else
			report_group(list, &group);
	}
	if (!error)
		error = step_folds_visit(&folds, list->run->context, report_group, list);
	if (error)
		run_no_memory(list->run);
	step_folds_clear(&folds);
}

/* ---- The commands ---- */

static bool describe_shown(const struct isst_journal_entry *item, struct step_texts *texts)
{
	const char *action = has(item, ISST_JOURNAL_ENTRY_RESTORED) ? "restore"
			     : has(item, ISST_JOURNAL_ENTRY_KEPT)   ? "keep"
								    : "leave";

	*texts = (struct step_texts){
		{ isst_journal_entry_old_text(item), isst_journal_entry_written_text(item),
		  isst_journal_entry_present_text(item), isst_journal_entry_finding(item), action }
	};
	return true;
}

void journal_show(struct run *run)
{
	struct isst_journal *journal = open_journal(run);
	struct report_node *top;
	struct list list;

	if (!journal)
		return;
	top = journal_node(run);
	if (*isst_journal_command(journal))
		report_text(top, KEY_JOURNAL_COMMAND, isst_journal_command(journal));
	if (isst_journal_age_s(journal) < 0)
		report_text(top, KEY_JOURNAL_AGE, "unknown");
	else
		report_number(top, KEY_JOURNAL_AGE, (uint64_t)isst_journal_age_s(journal));
	/* It was complete, and not to last. */
	if (isst_journal_is_held(journal))
		report_text(top, KEY_JOURNAL_STATE, "held");
	list = (struct list){ .run = run, .top = top, .keys = SHOWN };
	list_items(&list, journal, describe_shown);
	isst_journal_free(journal);
}

/** What was restored, what was left, and what is kept until it can be reached. */
static bool describe_applied(const struct isst_journal_entry *item, struct step_texts *texts)
{
	bool restored = has(item, ISST_JOURNAL_ENTRY_RESTORED);
	bool kept = has(item, ISST_JOURNAL_ENTRY_KEPT);

	*texts = (struct step_texts){ { restored ? "restored"
					: kept	 ? "kept"
						 : "left",
					restored ? isst_journal_entry_old_text(item)
						 : isst_journal_entry_present_text(item) } };
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
		list = (struct list){ .run = run, .top = journal_node(run), .keys = APPLIED };
		list_items(&list, journal, describe_applied);
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
