/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved settings: what a change plans for them, and what it makes of their files. */
#include "transaction/saved_settings.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "sysfs/cpuset_groups.h"
#include "transaction/item_index.h"
#include "transaction/journal.h"
#include "transaction/report.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 3 };

static const char *const NAMES[FILES] = { "base-freq", "turbo-freq", SETTINGS_CPUSET_GROUPS };

/** The name within the runtime directory. */
struct file_name {
	char text[40];
};

static struct file_name file_name(const char *name, bool staged)
{
	struct file_name file;

	snprintf(file.text, sizeof(file.text), SAVED_PREFIX "%s%s", name, staged ? ".staged" : "");
	return file;
}

/* ---- Reading ---- */

bool settings_is_mark(const struct item_line *line)
{
	/* No feature writes a level. */
	return line->item.kind == ITEM_LEVEL;
}

int settings_file_read(struct isst_context *context, const char *name, struct item_lines *saved)
{
	static const bool SAVED[ITEM_KINDS] = {
		[ITEM_LEVEL] = true,	   [ITEM_FEATURES] = true,
		[ITEM_CORE_POWER] = true,  [ITEM_QOS] = true,
		[ITEM_CLOS] = true,	   [ITEM_ASSOCIATION] = true,
		[ITEM_SCALING_MAX] = true, [ITEM_TURBO_RATIO_LIMITS] = true,
		[ITEM_SCALING_MIN] = true, [ITEM_CPUSET_GROUPS] = true,
	};
	const struct file_name file = file_name(name, false);
	int error = item_lines_read(context, file.text, saved);

	/* What no `enable --auto` can have saved on this machine was put there by others. */
	for (size_t i = 0; i < saved->count && !error; i++) {
		const struct item_line *line = &saved->items[i];
		int place = PLACE_NONE;

		if (SAVED[line->item.kind] && item_value_is_plausible(&line->item, line->old) &&
		    item_value_is_plausible(&line->item, line->written))
			place = item_place(context, &line->item, NULL);
		if (place < 0)
			error = place;
		else if (place == PLACE_NONE || item_is_of_no_core(context, &line->item))
			/* The first line is the header. */
			error = item_lines_refuse(context, file.text, i + 2,
						  "not possible on this machine");
	}
	if (error)
		item_lines_clear(saved);
	return error;
}

int settings_read(struct isst_context *context, const char *name, const struct isst_domain *domain,
		  unsigned int level, struct item_lines *saved)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	size_t kept = 0;
	int error = settings_file_read(context, name, saved);

	/* Without an existing file other values would be restored than those from before. */
	if (error)
		return error;
	for (size_t i = 0; i < saved->count; i++)
		if (item_reaches_domain(&saved->items[i].item, &wanted) &&
		    saved->items[i].level == level && !settings_is_mark(&saved->items[i]))
			saved->items[kept++] = saved->items[i];
	saved->count = kept;
	if (kept > 0)
		return 0;
	item_lines_clear(saved);
	return -ENOENT;
}

int settings_find(struct isst_context *context, const char *name, const struct isst_domain *domain,
		  unsigned int level, struct settings_found *found)
{
	const struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	bool of_package = context_has_power_domains(context), known = false, at_level = false;
	struct item_lines saved;
	int error = settings_file_read(context, name, &saved);

	*found = (struct settings_found){ 0 };
	for (size_t i = 0; i < saved.count; i++) {
		const struct item_line *line = &saved.items[i];
		bool own = item_same_domain(&line->item, &wanted), mark = settings_is_mark(line);

		if (own && !mark && line->level != level &&
		    !(found->other && found->other_level < line->level)) {
			found->other = true;
			found->other_level = line->level;
		}
		found->any |= own && !mark;
		if (of_package ? line->item.package == wanted.package : own) {
			known = true;
			at_level |= mark && line->level == level;
		}
	}
	found->restored = found->any ? at_level : known;
	item_lines_clear(&saved);
	return error == -ENOENT ? 0 : error;
}

/* ---- Planning ---- */

/** Adds a plan behind the others. Returns 0 or -ENOMEM. */
static int add_plan(struct isst_change *change, struct settings_plan plan)
{
	struct settings_plan **end = &change->settings;

	while (*end)
		end = &(*end)->next;
	*end = malloc(sizeof(**end));
	if (!*end)
		return -ENOMEM;
	**end = plan;
	return 0;
}

void settings_plans_free(struct settings_plan *plans)
{
	while (plans) {
		struct settings_plan *next = plans->next;

		free(plans);
		plans = next;
	}
}

/** Checks before anything is changed that a file to be written anew can be read. */
static int check_readable(struct isst_context *context, const char *name)
{
	struct item_lines saved;
	int error = settings_file_read(context, name, &saved);

	item_lines_clear(&saved);
	return error == -ENOENT ? 0 : error;
}

int settings_level(struct isst_change *change, const struct isst_domain *domain, unsigned int level)
{
	return add_plan(change, (struct settings_plan){ .kind = PLAN_LEVEL,
							.domain = item_of(ITEM_LEVEL, domain, 0),
							.level = level });
}

int settings_retain(struct isst_change *change, const char *name, const struct item_line *line)
{
	return add_plan(change, (struct settings_plan){ .kind = PLAN_RETAIN,
							.name = name,
							.domain = line->item,
							.level = line->level });
}

int settings_save(struct isst_change *change, const char *name, const char *other, size_t first)
{
	int error = check_readable(change->context, name);
	const struct settings_plan *plan;

	if (!error && other)
		error = check_readable(change->context, other);
	if (!error)
		error = add_plan(change, (struct settings_plan){
						 .kind = PLAN_KEEP, .name = name, .other = other });
	if (error)
		return error;
	for (plan = change->settings; plan->next; plan = plan->next)
		;
	/* Steps of later requests, and those added while steps are made, are not of this one. */
	for (size_t i = first; i < change->count; i++)
		change->steps[i]->settings = plan;
	return 0;
}

int settings_follow_groups(struct isst_change *change)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == PLAN_FOLLOW)
			return 0;
	return add_plan(change, (struct settings_plan){ .kind = PLAN_FOLLOW,
							.name = SETTINGS_CPUSET_GROUPS });
}

int settings_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		    const struct isst_domain *domain, unsigned int level)
{
	/* That of the feature itself has been read, to plan what is restored. */
	bool checked = !other;
	int error;

	for (const struct settings_plan *one = change->settings; one && !checked; one = one->next)
		checked = one->kind == PLAN_FORGET && one->other && strcmp(one->other, other) == 0;
	error = checked ? 0 : check_readable(change->context, other);
	if (!error)
		error = add_plan(change,
				 (struct settings_plan){ .kind = PLAN_FORGET,
							 .name = name,
							 .other = other,
							 .inherits = inherits,
							 .domain = item_of(ITEM_LEVEL, domain, 0),
							 .level = level });
	return error;
}

bool settings_are_restored(const struct isst_change *change, const struct item *item)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == PLAN_FORGET && item_reaches_domain(item, &plan->domain))
			return true;
	return false;
}

/* ---- What a change makes of a file ---- */

/** A file as a change leaves it. */
struct settings_file {
	const char *name; /* NULL: nothing becomes of it */
	struct item_lines lines;
	struct item_index index; /* of the lines, by number */
	int error;
	const char *unread; /* why it cannot be read */
	bool changed;
	struct settings_file *behind; /* to be written first */
	/* What its new contents are: settings that were replaced, those that another feature
	 * hands over, those that are left once others were restored. */
	bool keeps, forgets;
	const char *heir_of;
};

static int index_lines(struct settings_file *file)
{
	int error = 0;

	item_index_clear(&file->index);
	for (size_t i = 0; i < file->lines.count && !error; i++)
		error = item_index_add(&file->index, &file->lines.items[i].item);
	return error;
}

/** The file of a name, which is read where it was not. */
static struct settings_file *file_of(struct isst_change *change, struct settings_file *files,
				     const char *name)
{
	struct settings_file *file;
	size_t at = 0;

	while (at + 1 < FILES && strcmp(NAMES[at], name) != 0)
		at++;
	file = &files[at];
	if (file->name)
		return file;
	file->name = name;
	file->error = settings_file_read(change->context, name, &file->lines);
	if (file->error == -ENOENT)
		file->error = 0;
	else if (!file->error)
		file->error = index_lines(file);
	else if (file->error != -ENOMEM)
		file->unread = message_make(&change->texts, "%s", isst_error(change->context));
	return file;
}

static void add_line(struct settings_file *file, const struct item_line *line)
{
	if ((item_lines_add(&file->lines, line) || item_index_add(&file->index, &line->item)) &&
	    !file->error)
		file->error = -ENOMEM;
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

/** The line of an item in the file of the other feature, where that has written @value. */
static struct item_line *find_shared(struct settings_file *other, const struct item *item,
				     unsigned int level, struct item_value value)
{
	struct item_line *line = other && item->kind != ITEM_FEATURES
					 ? find_line(other, item, level)
					 : NULL;

	return line && item_value_equal(item, line->written, value) ? line : NULL;
}

/** What a request replaced: of an item that requests before it may have moved, what it found when
 * it wrote it first. A limit that another owner held was not the user's. */
static struct item_value find_replaced(const struct isst_change *change,
				       const struct settings_plan *plan, const struct entry *entry)
{
	struct item_value old = entry->old;
	bool moved = false;

	for (size_t i = 0; i < change->count && change->steps[i]->settings != plan; i++)
		moved |= change->steps[i]->begun;
	if (!moved)
		return old;
	change_for_each_place (place, change, &entry->item)
		if (place->step->settings == plan && !place->footprint) {
			old = place_entry(place)->now;
			break;
		}
	if (entry->held && old.number == entry->shown &&
	    cpufreq_is_tighter(item_limit(&entry->item), entry->shown, entry->wanted.number))
		old.number = cpufreq_no_limit(item_limit(&entry->item));
	return old;
}

/** What was there before the first `enable` counts: a later one only updates what was written. */
static void keep_entry(struct settings_file *saved, struct settings_file *other,
		       const struct entry *entry, struct item_value old, unsigned int level)
{
	const struct item *item = &entry->item;
	struct item_line *line = find_line(saved, item, level), *below;
	struct item_line *shared = find_shared(other, item, level, entry->wanted);
	bool as_left = line && item_value_equal(item, line->written, old);

	/* Another process changed what the other feature had set: both go back to that. */
	if (shared && !as_left && !entry->hidden && !item_value_equal(item, old, entry->wanted)) {
		shared->old = old;
		other->changed = true;
		saved->behind = other;
	}
	if (!line) {
		add_line(saved, &(struct item_line){ .item = *item,
						     .level = level,
						     .old = old,
						     .written = entry->wanted,
						     .held = entry->held,
						     .shown = entry->shown });
		return;
	}
	/* What is hidden is written again each time, and reads as something else. Else what another
	 * process changed in between is the value to go back to, and so is what the other feature
	 * has set as well: that gets the value from before both, since it does not come back to
	 * what this one wrote. */
	below = find_shared(other, item, level, old);
	if (as_left ? below != NULL
		    : !entry->hidden || !item_value_equal(item, line->written, entry->wanted)) {
		if (below && item_value_equal(item, below->old, line->written)) {
			below->old = line->old;
			other->changed = true;
			saved->behind = other;
		}
		line->old = old;
	}
	line->written = entry->wanted;
	line->held = entry->held;
	line->shown = entry->shown;
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
			const struct settings_plan *one = change->settings;
			unsigned int level = 0;

			if (change->steps[i]->settings != plan || entry->refused)
				continue;
			/* The level that the request was planned with. */
			for (; one != plan; one = one->next)
				if (one->kind == PLAN_LEVEL &&
				    item_reaches_domain(&entry->item, &one->domain))
					level = one->level;
			/* What the other wrote alike must not go back with that. */
			if (entry->state >= ENTRY_WRITTEN ||
			    (entry->state != ENTRY_UNKNOWN &&
			     find_shared(other, &entry->item, level, entry->wanted)))
				keep_entry(saved, other, entry, find_replaced(change, plan, entry),
					   level);
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
	saved->error = error;
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

/**
 * Drops what was restored, and leaves a mark, so that a later `disable --auto` does not take it for
 * something that was not saved. What was absent as the change was made stays: its CPU went offline
 * since it was planned. The other feature gets the value from before both, in place of the one it
 * found; and, as the heir, what it keeps from going back.
 */
static void forget(struct isst_change *change, const struct settings_plan *plan,
		   struct settings_file *files)
{
	struct settings_file *saved = file_of(change, files, plan->name);
	struct settings_file *heir = plan->other ? file_of(change, files, plan->other) : NULL;
	struct item_lines *lines = &saved->lines;
	size_t kept = 0;

	saved->changed = saved->forgets = true;
	if (heir)
		heir->heir_of = plan->name;
	if (saved->error)
		return;
	for (size_t i = 0; i < lines->count; i++) {
		const struct item_line line = lines->items[i];
		const struct item *item = &line.item;
		const struct entry *entry = NULL;
		struct item_line *found;
		bool retained;

		if (!item_reaches_domain(item, &plan->domain) || line.level != plan->level) {
			lines->items[kept++] = line;
			continue;
		}
		retained = is_retained(change, plan->name, &line);
		/* What restores it. */
		change_for_each_place (place, change, item)
			if (!place->footprint && !entry)
				entry = place_entry(place);
		if (retained || (entry && entry->state == ENTRY_UNKNOWN && !entry->refused))
			lines->items[kept++] = line;
		if (retained || entry || !heir || heir->error || item->kind == ITEM_FEATURES ||
		    settings_is_mark(&line))
			continue;
		found = find_line(heir, item, line.level);
		if (found && item_value_equal(item, found->old, line.written))
			found->old = line.old;
		else if (!found && plan->inherits)
			add_line(heir, &line);
		else
			continue;
		heir->changed = true;
	}
	lines->count = kept;
	saved->error = index_lines(saved);
	add_line(saved, &(struct item_line){ .item = plan->domain, .level = plan->level });
}

/* ---- Writing ---- */

/** Writes all lines, over the old file without space for a new one; no lines: removes it. Returns 0
 * or a negative errno, without a message. */
static int write_file(struct isst_context *context, const char *name, bool staged,
		      const struct item_lines *saved)
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
	if (error && memory.text && !staged &&
	    runtime_file_overwrite(directory, file.text, memory.text) == 0)
		error = 0;
	free(header);
	free(memory.text);
	return error;
}

int settings_file_discard(struct isst_context *context, const char *name)
{
	return runtime_file_discard(&context->runtime, file_name(name, false).text);
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
			    : message_make(&change->texts, "cannot write %s/" SAVED_PREFIX "%s: %s",
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
	if (file->forgets && settings_file_discard(change->context, name) == 0)
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

/** Writes a file, behind the one that gets its values: a kill between leaves these in both. */
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
		file->error = write_file(change->context, file->name, false, &file->lines);
	file->changed = false;
}

/** Writes new contents beside the files. Returns whether all are there: some would be worse. */
static bool stage(struct isst_change *change, struct settings_file *files)
{
	struct isst_context *context = change->context;
	const char *before = context->messages.error;
	int error = 0;

	settings_unstage(context);
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == PLAN_KEEP)
			keep(change, plan, files);
		else if (plan->kind == PLAN_FOLLOW)
			follow_groups(change, plan, files);
		else if (plan->kind == PLAN_FORGET)
			forget(change, plan, files);
	for (size_t i = 0; i < FILES && !error; i++) {
		error = files[i].error;
		if (!error && files[i].changed)
			error = write_file(context, NAMES[i], true, &files[i].lines);
	}
	if (error)
		settings_unstage(context);
	context->messages.error = before;
	return !error;
}

/** Puts a staged file into its place, in any order: the journal states that the change is made. */
static int adopt(struct isst_context *context, const char *name)
{
	int error = runtime_file_rename(&context->runtime, file_name(name, true).text,
					file_name(name, false).text);

	return error == -ENOENT ? 0 : error;
}

void settings_complete(struct isst_change *change)
{
	struct settings_file files[FILES] = { 0 };
	bool adopted = !change->settings || stage(change, files);

	journal_done(change);
	for (size_t i = 0; i < FILES && adopted && change->settings; i++)
		adopted = adopt(change->context, NAMES[i]) == 0;
	for (size_t i = 0; i < FILES && !adopted; i++)
		put(change, &files[i]);
	/* What the other feature is to get first. */
	for (size_t i = 0; i < 2 * FILES && !adopted; i++) {
		const struct settings_file *file = &files[i % FILES];

		if (file->error && (file->heir_of != NULL) == (i < FILES))
			warn_of_failure(change, file);
	}
	if (!adopted)
		settings_unstage(change->context);
	for (size_t i = 0; i < FILES; i++) {
		item_lines_clear(&files[i].lines);
		item_index_clear(&files[i].index);
	}
}

/* ---- For a run that is killed before its files are written ---- */

void settings_unstage(struct isst_context *context)
{
	for (size_t i = 0; i < FILES; i++) {
		int error = runtime_file_discard(&context->runtime, file_name(NAMES[i], true).text);

		if (error)
			message_trace(&context->messages,
				      "cannot remove %s/" SAVED_PREFIX "%s.staged: %s",
				      context->runtime.path, NAMES[i],
				      runtime_file_strerror(error));
	}
}

int settings_adopt(struct isst_context *context)
{
	const char *before = context->messages.error;

	for (size_t i = 0; i < FILES; i++) {
		struct item_lines saved = { 0 };
		/* What is staged has to be a whole file of this boot. */
		int error = item_lines_read(context, file_name(NAMES[i], true).text, &saved);

		item_lines_clear(&saved);
		if (!error)
			error = adopt(context, NAMES[i]);
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
				describe_loss(&context->messages, NAMES[i]));
	}
	settings_unstage(context);
	context->messages.error = before;
	return 0;
}
