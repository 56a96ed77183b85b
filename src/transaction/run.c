/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a change: each step is prepared, journalled, written and verified; and keeps the state
 * after boot before the first write. */
#include "transaction/run.h"
#include "base/runtime_file.h"
#include "transaction/item_access.h"
#include "transaction/journal.h"
#include "transaction/lock.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_step(struct isst_change *change, struct step *step)
{
	unsigned int done = 0;
	bool needed;
	int error = step_prepare(change, step, &needed);

	if (!error && change->broken)
		error = message_error(&change->context->messages, -ENOMEM, "out of memory");
	if (error)
		return error;
	if (!needed) {
		step_report_progress(change, step, 0, step->count, &done, 0);
		return 0;
	}
	/* Not before a step that has nothing to do: behind the last write the change is made. */
	error = change_check_interrupted(change);
	if (!error)
		error = journal_step(change, step);
	if (error)
		return error;
	/* Once it is certain that something is written: behind the journal, as nothing was yet. */
	error = boot_state_keep(change);
	/* It would revert, unseen, what another agent has set since: the state after boot takes
	 * long to read. */
	if (!error && step_keeps_level(step))
		error = change_look_again(change, true);
	if (!error)
		error = step_write(change, step);
	return error ? error : step_write_back(step);
}

static int make_steps(struct isst_change *change)
{
	int error = change_read_baseline(change);

	/* A step may add others behind it. */
	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		if (step->before)
			error = step->before(step);
		if (!error)
			error = make_step(change, step);
		if (!error && step->after)
			error = step->after(step);
		if (!error && change->broken)
			error = message_error(&change->context->messages, -ENOMEM, "out of memory");
	}
	return error;
}

/** Rolls everything back, and reports that together with the cause. */
static int give_up(struct isst_change *change, int error)
{
	struct messages *messages = &change->context->messages;
	const char *why = message_why(messages, error);
	const struct message_place place = of_text(messages, why);
	bool moved_unread = false;

	if (!change_has_begun(change)) {
		change_end_journal(change);
		return message_error(messages, error, "%s", why);
	}
	/* What another agent did may be why the step failed. */
	if (!change->overtaken && change_look_again(change, true) && change->overtaken)
		why = message_make(messages, "%s; %s", why, message_why(messages, error));
	/* What could not be restored now may be later: the journal stays for that. */
	if (change->overtaken ? change_roll_back_overtaken(change) : change_undo(change))
		return message_error_at(messages, place, -ENOTRECOVERABLE,
					"%s; the rollback is incomplete: " JOURNAL_KEPT, why);
	change_end_journal(change);
	if (change->overtaken)
		return message_error_at(messages, place, error,
					"%s; all other changes were rolled back", why);
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->footprint_count; j++)
			moved_unread |= change->steps[i]->begun &&
					change->steps[i]->footprint[j].refused;
	return message_error_at(
		messages, place, error, "%s; all changes were rolled back%s", why,
		moved_unread ? ", except for items that could not be read before them" : "");
}

/** Checks that the caller may write the files of all steps and of an undo, one for each kind. */
static int check_writable(struct isst_change *change)
{
	bool checked[ITEM_KINDS] = { false };
	int error = 0;

	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];
		const struct entry *entry;

		for (size_t j = 0; !error && (entry = step_entry(step, j)); j++) {
			enum item_kind kind = entry->item.kind;

			if (!checked[kind])
				error = item_check_writable(change->context, &entry->item);
			checked[kind] = true;
		}
	}
	return error;
}

static int run(struct isst_change *change)
{
	int error;

	if (change->broken)
		return message_error(&change->context->messages, -ENOMEM, "out of memory");
	if (change->ran)
		return message_error(&change->context->messages, -EINVAL,
				     "the change was already made or attempted: the values that "
				     "it is based on may have changed");
	if (change->count > 0 && change->runs != change->context->runs)
		return message_error(&change->context->messages, -EINVAL,
				     "another change was made since this one was planned: the "
				     "values that it is based on may have changed");
	if (change->objection.error)
		return message_error(&change->context->messages, change->objection.error, "%s",
				     change->objection.message);
	error = change->options.dry_run ? 0 : lock_check(change->context, change->unlocks);
	if (error)
		return error;
	change->ran = true;
	change_forget_list(change);
	if (change->options.dry_run) {
		error = change_plan_only(change);
		if (!error)
			error = change_warn_of_side_effects(change);
		if (!error)
			error = change_list(change);
		for (size_t i = 0; i < change->listed_count && !error; i++)
			change->effective |= strcmp(change->listed[i].old_value,
						    change->listed[i].new_value) != 0;
		change->made = !error;
		return error;
	}
	error = check_writable(change);
	if (error)
		return error;
	change->context->runs++;
	error = make_steps(change);
	if (!error)
		error = change_look_again(change, false);
	if (!error && change->options.hold)
		error = change_hold(change);
	if (error)
		return give_up(change, error);
	change->made = true;
	if (!change->held)
		settings_complete(change);
	if (change_touches_cpus(change) && context_discover_topology(change->context))
		change_warn(change, ISST_MESSAGE_REDISCOVERY_FAILED, of_machine(),
			    "the change is complete; the CPUs could not be discovered again: %s",
			    isst_error(change->context));
	return 0;
}

int change_run(struct isst_change *change)
{
	struct messages *messages = &change->context->messages;
	const char *before = message_begin(messages);
	int error = run(change);

	/* Whether there was memory for the list decides nothing about a change that was made. */
	if (change->ran && !change->listed)
		change_list(change);
	return message_end(messages, before, error);
}

/* ---- The state after boot ---- */

enum { VERSION = 1 };

/* In place of a text that could not be kept. */
#define LOST "lost\n"

int boot_state_write(struct isst_context *context, const char *text)
{
	return item_lines_replace_text(context, BOOT_STATE_FILE, VERSION, text);
}

int boot_state_read(struct isst_context *context, char **text)
{
	char *content = NULL, *kept;
	int error = item_lines_read_text(context, BOOT_STATE_FILE, VERSION, true, &content, &kept);

	*text = NULL;
	if (!error && strcmp(kept, LOST) == 0) {
		error = message_error(
			&context->messages, -EIO,
			"the state after boot is unknown: the first run that changed the machine "
			"could not keep what it found");
	} else if (!error) {
		*text = strdup(kept);
		error = *text ? 0 : -ENOMEM;
	}
	free(content);
	return error;
}

/* ---- Before the first write since boot ---- */

/** Keeps the state, or marks it as unknown: what a later run finds must not be taken for it. @kept:
 * the state, to which CPUs that were seen since are added, or NULL; it stays as it is if that
 * fails, and later runs try again, though they may find values that were changed. */
static int keep_or_mark(struct isst_change *change, const char *kept)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	size_t noticed = messages->notices.count;
	char *text = NULL;
	int error = context->boot_state(context, kept, &text);

	if (!error && text)
		error = boot_state_write(context, text);
	free(text);
	if (!error) {
		/* Of what the state does not describe. */
		for (size_t i = noticed; i < messages->notices.count; i++)
			change_warn(change, ISST_MESSAGE_BOOT_STATE,
				    messages->notices.items[i]->place, "the state after boot: %s",
				    messages->notices.items[i]->text);
		return 0;
	}
	change_warn(change, ISST_MESSAGE_BOOT_STATE, of_machine(), "%s: %s",
		    kept ? "CPUs that were seen since are not added to the state after boot"
			 : "the state after boot is not kept",
		    message_why(messages, error));
	if (kept)
		return 0;
	messages->error = NULL;
	error = boot_state_write(context, LOST);
	if (!error)
		return 0;
	context->boot_state_kept = false;
	return message_error(messages, error == -ENOMEM ? error : -EIO,
			     "neither the state after boot nor that it is unknown can be noted: %s",
			     message_why(messages, error));
}

int boot_state_keep(struct isst_change *change)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	const char *before = messages->error;
	/* CPUs that have been online. */
	size_t seen = context->topology->cpu_count + context->topology->unreachable_count;
	char *kept;
	int error;

	/* Not before each step: the lock is held since the first one, and looking costs a file. */
	if (change->boot_state_checked)
		return 0;
	change->boot_state_checked = true;
	if (!context->boot_state || (context->boot_state_kept && context->boot_state_cpus == seen))
		return 0;
	error = boot_state_read(context, &kept);
	messages->error = before;
	if (error && runtime_file_is_shortage(error))
		return message_error(messages, error, "%s/" BOOT_STATE_FILE ": %s",
				     context->runtime.path, runtime_file_strerror(error));
	context->boot_state_kept = true;
	context->boot_state_cpus = seen;
	messages->error = NULL;
	/* One that is unreadable, or marked as unknown, stays so. */
	error = kept || error == -ENOENT ? keep_or_mark(change, kept) : 0;
	free(kept);
	if (!error)
		messages->error = before;
	return error;
}
