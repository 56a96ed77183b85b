/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the saved settings that were planned, once the change is made. */
#include "base/machine.h"
#include "base/runtime_file.h"
#include "sysfs/cpuset_groups.h"
#include "transaction/report.h"
#include "transaction/saved_settings.h"
#include "transaction/saved_settings_file.h"
#include "transaction/saved_settings_plan.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- New contents of the files ---- */

static bool is_retained(const struct isst_change *change, const char *name,
			const struct item_line *line)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == RETAIN && strcmp(plan->name, name) == 0 &&
		    item_is(&plan->domain, &line->item) && plan->level == line->level)
			return true;
	return false;
}

/** The level of an item's domain, as the request that @keep is of planned with it. */
static unsigned int level_of(const struct isst_change *change, const struct settings_plan *keep,
			     const struct item *item)
{
	unsigned int level = 0;

	for (const struct settings_plan *plan = change->settings; plan != keep; plan = plan->next)
		if (plan->kind == LEVEL && item_reaches_domain(item, &plan->domain))
			level = plan->level;
	return level;
}

/** Lines of a file, and an index of them while lines are only added. */
struct saved_lines {
	struct item_lines lines;
	struct item_index index;
};

static void saved_lines_clear(struct saved_lines *saved)
{
	item_lines_clear(&saved->lines);
	item_index_clear(&saved->index);
}

static int add_line(struct saved_lines *saved, const struct item_line *line)
{
	int error = item_index_add(&saved->index, &line->item);

	return error ? error : item_lines_add(&saved->lines, line);
}

/** The line of an item that an earlier run saved, for the same level. */
static struct item_line *find_line(const struct saved_lines *saved, const struct item *item,
				   unsigned int level)
{
	for (size_t i = item_index_first(&saved->index, item); i != ITEM_NONE;
	     i = item_index_next(&saved->index, i))
		if (saved->lines.items[i].level == level)
			return &saved->lines.items[i];
	return NULL;
}

/** Saved settings of a feature that was enabled, and of the other one. */
struct keeping {
	struct saved_lines saved, other;
	bool handed_over; /* something of the other one was changed */
};

/**
 * Where the other feature had written what @old is, it does not come back to what this one wrote:
 * its values are below this one's from now on, so it gets the value from before both.
 */
static void hand_down(struct keeping *keeping, const struct item_line *line, struct item_value old)
{
	const struct item *item = &line->item;
	struct item_line *below = find_line(&keeping->other, item, line->level);

	if (item->kind == ITEM_FEATURES || !below || !item_value_equal(item, below->written, old) ||
	    !item_value_equal(item, below->old, line->written))
		return;
	below->old = line->old;
	keeping->handed_over = true;
}

static void note_written(struct item_line *line, const struct entry *entry)
{
	line->written = entry->wanted;
	line->held = entry->held;
	line->shown = entry->shown;
}

/** What was there before the first `enable` counts: a later one only updates what was written. */
static int keep_entry(struct keeping *keeping, const struct entry *entry, unsigned int level)
{
	struct item_line *line = find_line(&keeping->saved, &entry->item, level);
	struct item_value old = entry->replaced_known ? entry->replaced : entry->old;

	/* What is hidden is written again each time, and reads as something else. */
	if (line &&
	    (item_value_equal(&entry->item, line->written, old) ||
	     (entry->hidden && item_value_equal(&entry->item, line->written, entry->wanted)))) {
		note_written(line, entry);
		return 0;
	}
	if (line) {
		hand_down(keeping, line, old);
		/* Another process changed it in between: that is the value to go back to. */
		line->old = old;
		note_written(line, entry);
		return 0;
	}
	return add_line(&keeping->saved, &(struct item_line){ .item = entry->item,
							      .level = level,
							      .old = old,
							      .written = entry->wanted,
							      .held = entry->held,
							      .shown = entry->shown });
}

static int keep(struct isst_change *change, const struct settings_plan *plan,
		struct keeping *keeping)
{
	int error = 0;

	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count && !error; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];

			if (change->steps[i]->settings == plan && entry->written && !entry->refused)
				error = keep_entry(keeping, entry,
						   level_of(change, plan, &entry->item));
		}
	return error;
}

/** What the whole change has made of the groups, where that of others is what they have. */
static int follow_groups(struct isst_change *change, struct keeping *keeping)
{
	const struct item item = item_of_machine(ITEM_CPUSET_GROUPS);
	const struct baseline_item *groups = baseline_find(&change->baseline, &item);
	struct item_line *line = find_line(&keeping->saved, &item, 0);
	char *before;
	int error;

	if (!groups || !groups->value_known || item_value_equal(&item, groups->value, groups->now))
		return 0;
	if (!line)
		return add_line(&keeping->saved, &(struct item_line){ .item = item,
								      .old = groups->value,
								      .written = groups->now });
	error = cpuset_groups_before(groups->value.text, line->old.text, line->written.text,
				     &before);
	if (!error)
		error = item_value_set_text(change->context, &line->old, before);
	line->written = groups->now;
	free(before);
	return error;
}

/** The entry that restores an item; NULL where it is not. */
static const struct entry *find_entry(const struct isst_change *change, const struct item *item)
{
	change_for_each_place (place, change, item)
		if (!place->footprint)
			return place_entry(place);
	return NULL;
}

/** Whether an item was to be restored, and was absent when the change was made: its CPU went
 * offline since it was planned. */
static bool was_absent(const struct isst_change *change, const struct item *item)
{
	const struct entry *entry = find_entry(change, item);

	return entry && !entry->old_known && !entry->refused;
}

/** Whether a line is of the domain and the level that a plan is about. */
static bool is_forgotten(const struct settings_plan *plan, const struct item_line *line)
{
	return item_reaches_domain(&line->item, &plan->domain) && line->level == plan->level;
}

/** Gives the other feature the value from before both, in place of the one it found; and, as the
 * heir, what it keeps from going back. */
static int hand_over_item(const struct isst_change *change, const struct settings_plan *plan,
			  const struct item_line *item, struct saved_lines *heir, bool *changed)
{
	struct item_line *line = find_line(heir, &item->item, item->level);

	if (item->item.kind == ITEM_FEATURES || settings_is_mark(item) ||
	    find_entry(change, &item->item) || is_retained(change, plan->name, item))
		return 0;
	if (!line && !plan->inherits)
		return 0;
	if (line && !item_value_equal(&item->item, line->old, item->written))
		return 0;
	*changed = true;
	if (!line)
		return add_line(heir, item);
	line->old = item->old;
	return 0;
}

static int hand_over(const struct isst_change *change, const struct settings_plan *plan,
		     const struct item_lines *saved, struct saved_lines *heir, bool *changed)
{
	int error = 0;

	for (size_t i = 0; i < saved->count && !error; i++)
		if (is_forgotten(plan, &saved->items[i]))
			error = hand_over_item(change, plan, &saved->items[i], heir, changed);
	return error;
}

/** Leaves a mark, so that a later `disable --auto` does not take what was restored for something
 * that was not saved. */
static int forget(const struct isst_change *change, const struct settings_plan *plan,
		  struct item_lines *saved)
{
	struct item_line mark = settings_mark(&plan->domain, plan->level);
	size_t kept = 0;

	for (size_t i = 0; i < saved->count; i++)
		if (!is_forgotten(plan, &saved->items[i]) ||
		    is_retained(change, plan->name, &saved->items[i]) ||
		    was_absent(change, &saved->items[i].item))
			saved->items[kept++] = saved->items[i];
	saved->count = kept;
	return item_lines_add(saved, &mark);
}

/** Why a file was not written: it cannot be read, which the context has a message of, or put into
 * its place. */
static const char *cause(const struct isst_change *change, const char *name, int unread, int error)
{
	struct isst_context *context = change->context;

	if (unread && unread != -ENOMEM)
		return message_make(&context->messages, "%s", isst_error(context));
	return message_make(&context->messages, "cannot write %s/record-%s: %s",
			    context->machine->runtime_directory, name,
			    runtime_file_strerror(error));
}

/** Reads a file that may be missing; @staged: as the plans before this one leave it. */
static int read_former(struct isst_change *change, const char *name, bool staged,
		       struct saved_lines *saved)
{
	int error;

	*saved = (struct saved_lines){ 0 };
	error = staged ? settings_file_read(change->context, name, true, &saved->lines) : -ENOENT;
	if (error == -ENOENT)
		error = settings_file_read(change->context, name, false, &saved->lines);
	if (error == -ENOENT)
		error = 0;
	for (size_t i = 0; i < saved->lines.count && !error; i++)
		error = item_index_add(&saved->index, &saved->lines.items[i].item);
	return error;
}

/** What later runs do without a file. */
static const char *describe_loss(struct messages *texts, const char *name)
{
	if (strcmp(name, SETTINGS_CPUSET_GROUPS) == 0)
		return "cpusets of cgroup v1 do not get CPUs back when these come online";
	return message_make(texts, "%s disable --auto will not restore them", name);
}

static int apply_keep(struct isst_change *change, const struct settings_plan *plan, bool staged)
{
	struct keeping keeping = { 0 };
	const char *name = plan->name;
	int unread = read_former(change, name, staged, &keeping.saved), error;

	if (!unread && plan->other) {
		unread = read_former(change, plan->other, staged, &keeping.other);
		name = unread ? plan->other : name;
	}
	error = unread;
	if (!error && plan->kind == FOLLOW)
		error = follow_groups(change, &keeping);
	else if (!error)
		error = keep(change, plan, &keeping);
	/* First: a kill between the two leaves the value from before both in each of them. */
	if (!error && keeping.handed_over) {
		error = settings_file_write(change->context, plan->other, staged,
					    &keeping.other.lines, false);
		name = error ? plan->other : name;
	}
	if (!error)
		error = settings_file_write(change->context, plan->name, staged,
					    &keeping.saved.lines, false);
	if (error && !staged)
		change_warn(change, ISST_WARNING_SETTINGS_NOT_SAVED,
			    "%s: the replaced settings are not saved, and %s",
			    cause(change, name, unread, error),
			    describe_loss(&change->texts, plan->name));
	saved_lines_clear(&keeping.saved);
	saved_lines_clear(&keeping.other);
	return error;
}

/** Gives the other feature what is its due. */
static int apply_hand_over(struct isst_change *change, const struct settings_plan *plan,
			   bool staged, const struct item_lines *saved)
{
	struct saved_lines heir;
	int unread = read_former(change, plan->other, staged, &heir), error = unread;
	bool changed = false;

	if (!error)
		error = hand_over(change, plan, saved, &heir, &changed);
	if (!error && changed)
		error = settings_file_write(change->context, plan->other, staged, &heir.lines,
					    true);
	if (error && !staged)
		change_warn(change, ISST_WARNING_SETTINGS_NOT_SAVED,
			    "%s: it does not contain the values from before %s enable, and %s "
			    "disable --auto will not restore them",
			    cause(change, plan->other, unread, error), plan->name, plan->other);
	saved_lines_clear(&heir);
	return error;
}

/** Saved settings that cannot be updated with what was restored are deleted. */
static void drop_record(struct isst_change *change, const char *name, const char *why)
{
	if (settings_file_discard(change->context, name, false) == 0)
		change_warn(change, ISST_WARNING_SAVED_SETTINGS_LOST,
			    "%s: all saved settings were deleted, and the next %s disable --auto "
			    "runs without them",
			    why, name);
	else
		change_warn(change, ISST_WARNING_SAVED_SETTINGS_REMAIN,
			    "%s: the restored settings are still saved; remove the file, or the "
			    "next %s disable --auto restores them again",
			    why, name);
}

static int apply_forget(struct isst_change *change, const struct settings_plan *plan, bool staged)
{
	struct saved_lines saved;
	int unread = read_former(change, plan->name, staged, &saved), error = unread;
	int handed_over = 0;

	if (!error && plan->other)
		handed_over = apply_hand_over(change, plan, staged, &saved.lines);
	if (!error)
		error = forget(change, plan, &saved.lines);
	if (!error)
		error = settings_file_write(change->context, plan->name, staged, &saved.lines,
					    true);
	if (error && !staged)
		drop_record(change, plan->name, cause(change, plan->name, unread, error));
	saved_lines_clear(&saved);
	return error ? error : handed_over;
}

/** Carries out all plans. Returns the first error: the others are carried out in spite of it. */
static int apply_plans(struct isst_change *change, bool staged)
{
	int first_error = 0;

	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next) {
		int error = 0;

		if (plan->kind == KEEP || plan->kind == FOLLOW)
			error = apply_keep(change, plan, staged);
		else if (plan->kind == FORGET)
			error = apply_forget(change, plan, staged);
		first_error = first_error ? first_error : error;
	}
	return first_error;
}

static const char *const FILES[] = { "base-freq", "turbo-freq", SETTINGS_CPUSET_GROUPS };

enum { FILE_COUNT = sizeof(FILES) / sizeof(FILES[0]) };

/** Puts the staged files into place: in any order, since the journal states by now that
 * the change is made, and who finds it after a kill goes on here. */
static bool adopt_all(struct isst_context *context)
{
	int error = 0;

	for (size_t i = 0; i < FILE_COUNT && (!error || error == -ENOENT); i++)
		error = settings_file_adopt(context, FILES[i]);
	return !error || error == -ENOENT;
}

void settings_apply(struct isst_change *change, bool staged)
{
	if (!change->settings || (staged && adopt_all(change->context)))
		return;
	apply_plans(change, false);
	settings_unstage(change->context);
}

/* ---- For a run that is killed before its files are written ---- */

bool settings_stage(struct isst_change *change)
{
	const char *before = change->context->messages.error;
	bool staged = false;

	if (!change->settings)
		return false;
	settings_unstage(change->context);
	staged = apply_plans(change, true) == 0;
	/* Some of what belongs together would be worse than nothing. */
	if (!staged)
		settings_unstage(change->context);
	change->context->messages.error = before;
	return staged;
}

static void remove_staged(struct isst_context *context, const char *name)
{
	int error = settings_file_discard(context, name, true);

	if (error)
		message_trace(&context->messages, "cannot remove %s/record-%s.staged: %s",
			      context->runtime.path, name, runtime_file_strerror(error));
}

void settings_unstage(struct isst_context *context)
{
	for (size_t i = 0; i < FILE_COUNT; i++)
		remove_staged(context, FILES[i]);
}

/** Puts a staged file that another run left into place. Returns 0, also where there is
 * none, or a negative errno. */
static int adopt(struct isst_context *context, const char *name)
{
	int error = settings_file_check_staged(context, name);

	if (!error)
		error = settings_file_adopt(context, name);
	return error == -ENOENT ? 0 : error;
}

int settings_adopt(struct isst_context *context)
{
	const char *before = context->messages.error;

	for (size_t i = 0; i < FILE_COUNT; i++) {
		int error = adopt(context, FILES[i]);

		if (runtime_file_is_shortage(error))
			return message_error(
				&context->messages, error,
				"cannot keep the saved settings of a run that was killed after "
				"its change was complete: %s",
				error == -ENOMEM ? "out of memory" : strerror(-error));
		if (error)
			message_notice(
				&context->messages,
				"a run was killed after its change was complete, and its saved "
				"settings cannot be kept: %s",
				describe_loss(&context->messages, FILES[i]));
	}
	settings_unstage(context);
	context->messages.error = before;
	return 0;
}
