/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of saved settings: which lines they can have, and what a change makes of them. */
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "sysfs/cpuset_groups.h"
#include "transaction/report.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "record-"

static const char *const FILES[SETTINGS_FILES] = { "base-freq", "turbo-freq",
						   SETTINGS_CPUSET_GROUPS };

/** The name within the runtime directory. */
struct file_name {
	char text[40];
};

static struct file_name file_name(const char *name, bool staged)
{
	struct file_name file;

	snprintf(file.text, sizeof(file.text), PREFIX "%s%s", name, staged ? ".staged" : "");
	return file;
}

/* ---- Reading and writing ---- */

bool settings_is_mark(const struct item_line *line)
{
	/* No feature writes a level. */
	return line->item.kind == ITEM_LEVEL;
}

/** Whether lines are such as `enable --auto` can have saved on this machine: of what it writes, or
 * takes over from the other feature; or marks. */
static int check_lines(struct isst_context *context, const char *file,
		       const struct item_lines *saved)
{
	static const bool RECORDED[ITEM_KINDS] = {
		[ITEM_LEVEL] = true,	   [ITEM_FEATURES] = true,
		[ITEM_CORE_POWER] = true,  [ITEM_QOS] = true,
		[ITEM_CLOS] = true,	   [ITEM_ASSOCIATION] = true,
		[ITEM_SCALING_MAX] = true, [ITEM_TURBO_RATIO_LIMITS] = true,
		[ITEM_SCALING_MIN] = true, [ITEM_CPUSET_GROUPS] = true,
	};

	for (size_t i = 0; i < saved->count; i++) {
		const struct item_line *line = &saved->items[i];
		bool possible = RECORDED[line->item.kind] &&
				item_value_is_plausible(&line->item, line->old) &&
				item_value_is_plausible(&line->item, line->written);
		int place = possible ? item_place(context, &line->item, NULL) : PLACE_NONE;

		if (place < 0)
			return place;
		/* The first line is the header. */
		if (place == PLACE_NONE || item_is_of_no_core(context, &line->item))
			return item_lines_refuse(context, file, i + 2,
						 "not possible on this machine");
	}
	return 0;
}

int settings_file_read(struct isst_context *context, const char *name, struct item_lines *saved)
{
	const struct file_name file = file_name(name, false);
	int error;

	*saved = (struct item_lines){ 0 };
	error = item_lines_read(context, file.text, saved);
	if (!error)
		error = check_lines(context, file.text, saved);
	if (error)
		item_lines_clear(saved);
	return error;
}

/** Writes all lines; a file without any goes. @over: over the file that is there, where there is no
 * space for a new one. Returns 0 or a negative errno, without a message. */
static int write_file(struct isst_context *context, const char *name, bool staged,
		      const struct item_lines *saved, bool over)
{
	const struct runtime_directory *directory = &context->runtime;
	const struct file_name file = file_name(name, staged);
	struct memory_stream memory = { 0 };
	char *header = NULL;
	int error;

	if (saved->count == 0)
		return runtime_file_remove(directory, file.text);
	error = item_lines_header(context, file.text, ITEM_LINES_VERSION, &header);
	if (!error)
		error = memory_stream_open(&memory);
	if (!error) {
		fputs(header, memory.stream);
		for (size_t i = 0; i < saved->count; i++)
			item_line_print(memory.stream, &saved->items[i]);
		fputs(ITEM_LINES_END "\n", memory.stream);
		error = memory_stream_close(&memory);
	}
	if (!error)
		error = runtime_file_replace(directory, file.text, memory.text);
	if (error && memory.text && over && !staged &&
	    runtime_file_overwrite(directory, file.text, memory.text) == 0)
		error = 0;
	free(header);
	free(memory.text);
	return error;
}

int settings_file_discard(struct isst_context *context, const char *name, bool staged)
{
	return runtime_file_discard(&context->runtime, file_name(name, staged).text);
}

/** Whether a file is written under the lock alone. */
static bool is_of_changes(const char *file)
{
	return strncmp(file, PREFIX, sizeof(PREFIX) - 1) == 0 || strcmp(file, BOOT_STATE_FILE) == 0;
}

void settings_file_clean(struct isst_context *context)
{
	runtime_directory_clean(&context->runtime, is_of_changes);
}

/* ---- What a change makes of a file ---- */

/** The file of a name, which is read where it was not. */
static struct settings_file *file_of(struct isst_change *change, struct settings_file *files,
				     const char *name)
{
	struct isst_context *context = change->context;
	struct settings_file *file = files;

	while (strcmp(FILES[file - files], name) != 0)
		file++;
	if (file->name)
		return file;
	file->name = name;
	file->error = settings_file_read(context, name, &file->lines);
	if (file->error == -ENOENT)
		file->error = 0;
	else if (file->error && file->error != -ENOMEM)
		file->unread = message_make(&change->texts, "%s", isst_error(context));
	for (size_t i = 0; i < file->lines.count && !file->error; i++)
		file->error = item_index_add(&file->index, &file->lines.items[i].item);
	return file;
}

static void note_error(struct settings_file *file, int error)
{
	file->error = file->error ? file->error : error;
}

static void add_line(struct settings_file *file, const struct item_line *line)
{
	int error = item_index_add(&file->index, &line->item);

	note_error(file, error ? error : item_lines_add(&file->lines, line));
}

/** The line of an item that was saved, for the same level. */
static struct item_line *find_line(const struct settings_file *file, const struct item *item,
				   unsigned int level)
{
	for (size_t i = item_index_first(&file->index, item); i != ITEM_NONE;
	     i = item_index_next(&file->index, i))
		if (file->lines.items[i].level == level)
			return &file->lines.items[i];
	return NULL;
}

/** The level of an item's domain, as the request that @keep is of planned with it. */
static unsigned int level_of(const struct isst_change *change, const struct settings_plan *keep,
			     const struct item *item)
{
	unsigned int level = 0;

	for (const struct settings_plan *plan = change->settings; plan != keep; plan = plan->next)
		if (plan->kind == PLAN_LEVEL && item_reaches_domain(item, &plan->domain))
			level = plan->level;
	return level;
}

/** The line of an item in the file of the other feature, where that has written @value. */
static struct item_line *find_shared(struct settings_file *other, const struct item *item,
				     unsigned int level, struct item_value value)
{
	struct item_line *line = other && item->kind != ITEM_FEATURES
					 ? find_line(other, item, level)
					 : NULL;

	return line && item_value_equal(item, line->written, value) ? line : NULL;
}

/**
 * Where the other feature had written what @old is, it does not come back to what this one wrote:
 * its values are below this one's from now on, so it gets the value from before both.
 */
static void hand_down(struct settings_file *saved, struct settings_file *other,
		      const struct item_line *line, struct item_value old)
{
	struct item_line *below = find_shared(other, &line->item, line->level, old);

	if (!below || !item_value_equal(&line->item, below->old, line->written))
		return;
	below->old = line->old;
	other->changed = true;
	saved->behind = other;
}

/** What was there before the first `enable` counts: a later one only updates what was written. */
static void keep_entry(struct settings_file *saved, struct settings_file *other,
		       const struct entry *entry, unsigned int level)
{
	const struct item *item = &entry->item;
	struct item_line *line = find_line(saved, item, level);
	struct item_line *shared = find_shared(other, item, level, entry->wanted);
	struct item_value old = entry->replaced_known ? entry->replaced : entry->old;
	bool as_left = line && item_value_equal(item, line->written, old);
	const struct item_line kept = { .item = *item,
					.level = level,
					.old = old,
					.written = entry->wanted,
					.held = entry->held,
					.shown = entry->shown };

	/* Another process changed what the other feature had set: both go back to that. */
	if (shared && !as_left && !entry->hidden && !item_value_equal(item, old, entry->wanted)) {
		shared->old = old;
		other->changed = true;
		saved->behind = other;
	}
	if (!line) {
		add_line(saved, &kept);
		return;
	}
	/* What is hidden is written again each time, and reads as something else. Else what another
	 * process changed in between is the value to go back to, and so is what the other feature
	 * has set as well. */
	if (as_left ? find_shared(other, item, level, old) != NULL
		    : !entry->hidden || !item_value_equal(item, line->written, entry->wanted)) {
		hand_down(saved, other, line, old);
		line->old = old;
	}
	line->written = kept.written;
	line->held = kept.held;
	line->shown = kept.shown;
}

static void keep(struct isst_change *change, const struct settings_plan *plan,
		 struct settings_file *files)
{
	struct settings_file *saved = file_of(change, files, plan->name);
	struct settings_file *other = plan->other ? file_of(change, files, plan->other) : NULL;

	saved->changed = saved->keeps = true;
	if (other && other->error)
		saved->behind = other;
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count && !saved->error; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];
			unsigned int level;

			if (change->steps[i]->settings != plan || entry->refused)
				continue;
			level = level_of(change, plan, &entry->item);
			/* What the other has written as this one wants it must not go back with
			 * that. */
			if (entry->state >= ENTRY_WRITTEN ||
			    (entry->state != ENTRY_UNKNOWN &&
			     find_shared(other, &entry->item, level, entry->wanted)))
				keep_entry(saved, other, entry, level);
		}
}

/** What the whole change has made of the groups, where that of others is what they have. */
static void follow_groups(struct isst_change *change, const struct settings_plan *plan,
			  struct settings_file *files)
{
	struct settings_file *saved = file_of(change, files, plan->name);
	const struct item item = item_of_machine(ITEM_CPUSET_GROUPS);
	const struct baseline_item *groups = baseline_find(&change->baseline, &item);
	struct item_line *line = find_line(saved, &item, 0);
	char *before;
	int error;

	saved->changed = saved->keeps = true;
	if (saved->error || !groups || !groups->value_known ||
	    item_value_equal(&item, groups->value, groups->now))
		return;
	if (!line) {
		add_line(saved, &(struct item_line){ .item = item,
						     .old = groups->value,
						     .written = groups->now });
		return;
	}
	error = cpuset_groups_before(groups->value.text, line->old.text, line->written.text,
				     &before);
	if (!error)
		error = item_value_set_text(change->context, &line->old, before);
	line->written = groups->now;
	free(before);
	note_error(saved, error);
}

static bool is_retained(const struct isst_change *change, const char *name,
			const struct item_line *line)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == PLAN_RETAIN && strcmp(plan->name, name) == 0 &&
		    item_is(&plan->domain, &line->item) && plan->level == line->level)
			return true;
	return false;
}

/** The entry that restores an item; NULL where it is not. */
static const struct entry *find_entry(const struct isst_change *change, const struct item *item)
{
	change_for_each_place (place, change, item)
		if (!place->footprint)
			return place_entry(place);
	return NULL;
}

/** Gives the other feature the value from before both, in place of the one it found; and, as the
 * heir, what it keeps from going back. */
static void hand_over(const struct isst_change *change, const struct settings_plan *plan,
		      const struct item_line *line, struct settings_file *heir)
{
	struct item_line *found = find_line(heir, &line->item, line->level);

	if (line->item.kind == ITEM_FEATURES || settings_is_mark(line) ||
	    find_entry(change, &line->item) || is_retained(change, plan->name, line) ||
	    (found ? !item_value_equal(&line->item, found->old, line->written) : !plan->inherits))
		return;
	heir->changed = heir->over = true;
	if (found)
		found->old = line->old;
	else
		add_line(heir, line);
}

/** Leaves a mark, so that a later `disable --auto` does not take what was restored for something
 * that was not saved. What was absent as the change was made stays: its CPU went offline since it
 * was planned. */
static void forget(struct isst_change *change, const struct settings_plan *plan,
		   struct settings_file *files)
{
	struct settings_file *saved = file_of(change, files, plan->name);
	struct settings_file *heir = plan->other ? file_of(change, files, plan->other) : NULL;
	struct item_lines *lines = &saved->lines;
	const struct item_line mark = { .item = plan->domain, .level = plan->level };
	size_t kept = 0;

	saved->changed = saved->over = saved->forgets = true;
	if (heir)
		heir->heir_of = plan->name;
	if (saved->error)
		return;
	item_index_clear(&saved->index);
	for (size_t i = 0; i < lines->count; i++) {
		const struct item_line line = lines->items[i];
		const struct entry *entry = find_entry(change, &line.item);
		bool forgotten = item_reaches_domain(&line.item, &plan->domain) &&
				 line.level == plan->level;

		if (forgotten && heir && !heir->error)
			hand_over(change, plan, &line, heir);
		if (forgotten && !is_retained(change, plan->name, &line) &&
		    !(entry && entry->state == ENTRY_UNKNOWN && !entry->refused))
			continue;
		lines->items[kept++] = line;
		note_error(saved, item_index_add(&saved->index, &line.item));
	}
	lines->count = kept;
	add_line(saved, &mark);
}

/* ---- Once the change is made ---- */

/** What later runs do without a file. */
static const char *describe_loss(struct messages *texts, const char *name)
{
	if (strcmp(name, SETTINGS_CPUSET_GROUPS) == 0)
		return "cpusets of cgroup v1 do not get CPUs back when these come online";
	return message_make(texts, "%s disable --auto will not restore them", name);
}

/** Why a file was not written: it cannot be read, or put into its place. */
static const char *cause(struct isst_change *change, const struct settings_file *file)
{
	return file->unread ? file->unread
			    : message_make(&change->texts, "cannot write %s/" PREFIX "%s: %s",
					   change->context->runtime.path, file->name,
					   runtime_file_strerror(file->error));
}

/** Saved settings that cannot be updated with what was restored are deleted. */
static void warn_of_failure(struct isst_change *change, const struct settings_file *file)
{
	const char *why = cause(change, file), *name = file->name;

	if (file->heir_of)
		change_warn(change, ISST_WARNING_SETTINGS_NOT_SAVED,
			    "%s: it does not contain the values from before %s enable, and %s "
			    "disable --auto will not restore them",
			    why, file->heir_of, name);
	if (file->keeps)
		change_warn(change, ISST_WARNING_SETTINGS_NOT_SAVED,
			    "%s: the replaced settings are not saved, and %s", why,
			    describe_loss(&change->texts, name));
	if (file->forgets && settings_file_discard(change->context, name, false) == 0)
		change_warn(change, ISST_WARNING_SAVED_SETTINGS_LOST,
			    "%s: all saved settings were deleted, and the next %s disable --auto "
			    "runs without them",
			    why, name);
	else if (file->forgets)
		change_warn(change, ISST_WARNING_SAVED_SETTINGS_REMAIN,
			    "%s: the restored settings are still saved; remove the file, or the "
			    "next %s disable --auto restores them again",
			    why, name);
}

/** Writes a file into its place. What it has handed down is written first: a kill between the two
 * leaves the value from before both in each of them. */
static void put(struct isst_change *change, struct settings_file *file)
{
	struct settings_file *first = file->behind;

	file->behind = NULL;
	if (first)
		put(change, first);
	if (first && first->error && !file->error) {
		file->error = first->error;
		file->unread = cause(change, first);
	}
	if (!file->error && file->changed)
		file->error = write_file(change->context, file->name, false, &file->lines,
					 file->over);
	file->changed = false;
}

void settings_stage(struct isst_change *change, struct settings_file files[SETTINGS_FILES])
{
	struct isst_context *context = change->context;
	const char *before = context->messages.error;
	int error = 0;

	memset(files, 0, SETTINGS_FILES * sizeof(*files));
	if (!change->settings)
		return;
	settings_unstage(context);
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == PLAN_KEEP)
			keep(change, plan, files);
		else if (plan->kind == PLAN_FOLLOW)
			follow_groups(change, plan, files);
		else if (plan->kind == PLAN_FORGET)
			forget(change, plan, files);
	for (size_t i = 0; i < SETTINGS_FILES && !error; i++) {
		error = files[i].error;
		if (!error && files[i].changed)
			error = write_file(context, FILES[i], true, &files[i].lines, false);
		files[i].staged = !error;
	}
	/* Some of what belongs together would be worse than nothing. */
	if (error)
		settings_unstage(context);
	context->messages.error = before;
}

/** Puts a staged file into its place: in any order, since the journal states by now that the change
 * is made, and who finds it after a kill goes on here. Returns 0, also where there is none. */
static int adopt(struct isst_context *context, const char *name)
{
	int error = runtime_file_rename(&context->runtime, file_name(name, true).text,
					file_name(name, false).text);

	return error == -ENOENT ? 0 : error;
}

void settings_apply(struct isst_change *change, struct settings_file files[SETTINGS_FILES])
{
	bool adopted = change->settings == NULL || files[SETTINGS_FILES - 1].staged;

	for (size_t i = 0; i < SETTINGS_FILES && adopted && change->settings; i++)
		adopted = adopt(change->context, FILES[i]) == 0;
	for (size_t i = 0; i < SETTINGS_FILES && !adopted; i++)
		put(change, &files[i]);
	/* What the other feature is to get first. */
	for (size_t i = 0; i < 2 * SETTINGS_FILES && !adopted; i++) {
		const struct settings_file *file = &files[i % SETTINGS_FILES];

		if (file->error && (file->heir_of != NULL) == (i < SETTINGS_FILES))
			warn_of_failure(change, file);
	}
	if (!adopted)
		settings_unstage(change->context);
	for (size_t i = 0; i < SETTINGS_FILES; i++) {
		item_lines_clear(&files[i].lines);
		item_index_clear(&files[i].index);
	}
}

/* ---- For a run that is killed before its files are written ---- */

void settings_unstage(struct isst_context *context)
{
	for (size_t i = 0; i < SETTINGS_FILES; i++) {
		int error = settings_file_discard(context, FILES[i], true);

		if (error)
			message_trace(
				&context->messages, "cannot remove %s/" PREFIX "%s.staged: %s",
				context->runtime.path, FILES[i], runtime_file_strerror(error));
	}
}

int settings_adopt(struct isst_context *context)
{
	const char *before = context->messages.error;

	for (size_t i = 0; i < SETTINGS_FILES; i++) {
		struct item_lines saved = { 0 };
		/* What is staged has to be a whole file of this boot. */
		int error = item_lines_read(context, file_name(FILES[i], true).text, &saved);

		item_lines_clear(&saved);
		if (!error)
			error = adopt(context, FILES[i]);
		if (runtime_file_is_shortage(error))
			return message_error(
				&context->messages, error,
				"cannot keep the saved settings of a run that was killed after "
				"its change was complete: %s",
				error == -ENOMEM ? "out of memory" : strerror(-error));
		if (error && error != -ENOENT)
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
