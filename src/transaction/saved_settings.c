/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved settings: what a change plans for them, and what it makes of their file. */
#include "transaction/saved_settings.h"
#include "base/array.h"
#include "base/runtime_file.h"
#include "common/memory_stream.h"
#include "sysfs/cpuset_groups.h"
#include "transaction/baseline.h"
#include "transaction/journal.h"
#include "transaction/steps.h"
#include "transaction/tracked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STAGED SAVED_SETTINGS_FILE ".staged"

enum { VERSION = 1 };

/* What has saved lines: each of them begins with one of these. */
static const char *const OWNERS[] = { "base-freq", "turbo-freq", SETTINGS_CPUSET_GROUPS };

/* ---- Reading ---- */

bool settings_is_mark(const struct item_line *line)
{
	/* No feature writes a level. */
	return line->item.kind == ITEM_LEVEL;
}

static bool is_of(const struct item_line *line, const char *owner)
{
	return line->owner && strcmp(line->owner, owner) == 0;
}

/** The other one of the two features. */
static const char *other_owner(const char *feature)
{
	return OWNERS[strcmp(feature, OWNERS[0]) == 0];
}

/** Keeps the lines of an owner; NULL: all that have one. */
static void keep_lines(struct item_lines *lines, const char *owner)
{
	size_t kept = 0;

	for (size_t i = 0; i < lines->count; i++)
		if (owner ? is_of(&lines->items[i], owner) : lines->items[i].owner != NULL)
			lines->items[kept++] = lines->items[i];
	lines->count = kept;
}

/** Whether `enable --auto` can have saved a line on this machine: others were put there by others.
 * Returns 0 or 1, or -ENOMEM. */
static int is_possible(struct isst_context *context, const struct item_line *line)
{
	static const bool SAVED[ITEM_KINDS] = {
		[ITEM_LEVEL] = true,	   [ITEM_FEATURES] = true,
		[ITEM_CORE_POWER] = true,  [ITEM_QOS] = true,
		[ITEM_CLOS] = true,	   [ITEM_ASSOCIATION] = true,
		[ITEM_SCALING_MAX] = true, [ITEM_TURBO_RATIO_LIMITS] = true,
		[ITEM_SCALING_MIN] = true, [ITEM_CPUSET_GROUPS] = true,
	};
	int place;

	if (!SAVED[line->item.kind] || !item_value_is_plausible(&line->item, line->old) ||
	    !item_value_is_plausible(&line->item, line->written))
		return false;
	place = item_place(context, &line->item, NULL);
	return place < 0 ? place : place != PLACE_NONE && !item_is_of_no_core(context, &line->item);
}

static int parse_line(struct isst_context *context, const char *name, size_t number, bool checked,
		      char *text, struct item_lines *saved)
{
	const char *word = strsep(&text, " ");
	struct item_line line = { 0 };
	int error = -EINVAL, possible = true;

	if (text)
		error = item_line_parse(context, text, &line);
	for (size_t i = 0; i < sizeof(OWNERS) / sizeof(OWNERS[0]); i++)
		if (strcmp(word, OWNERS[i]) == 0)
			line.owner = OWNERS[i];
	if (error == -EINVAL || (!error && !line.owner))
		return item_lines_refuse(context, name, number, "damaged");
	if (!error && checked)
		possible = is_possible(context, &line);
	if (!possible)
		return item_lines_refuse(context, name, number, "not possible on this machine");
	if (possible < 0 || ARRAY_GROW(saved->items, saved->count))
		error = -ENOMEM;
	if (!error)
		saved->items[saved->count++] = line;
	return error;
}

/** Reads a whole file of this boot. @checked: as far as it is possible on this machine */
static int read_file(struct isst_context *context, const char *name, bool checked,
		     struct item_lines *saved)
{
	char *content = NULL, *line, *end;
	int error = item_lines_read_text(context, name, VERSION, true, &content, &line);

	*saved = (struct item_lines){ 0 };
	for (size_t number = 2; !error && (end = strchr(line, '\n')); number++, line = end + 1) {
		*end = '\0';
		error = parse_line(context, name, number, checked, line, saved);
	}
	if (error)
		item_lines_clear(saved);
	free(content);
	return error;
}

int settings_read(struct isst_context *context, struct item_lines *saved)
{
	int error = read_file(context, SAVED_SETTINGS_FILE, true, saved);

	return error == -ENOENT ? 0 : error;
}

bool settings_is_of(const struct item_line *line, const char *name,
		    const struct isst_domain *domain, unsigned int level)
{
	const struct item wanted = item_of(ITEM_LEVEL, domain, 0);

	return is_of(line, name) && item_reaches_domain(&line->item, &wanted) &&
	       line->level == level && !settings_is_mark(line);
}

struct settings_found settings_find(const struct isst_context *context,
				    const struct item_lines *saved, const char *name,
				    const struct isst_domain *domain, unsigned int level)
{
	const struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	bool of_package = context_has_power_domains(context), known = false, at_level = false;
	struct settings_found found = { 0 };

	for (size_t i = 0; i < saved->count; i++) {
		const struct item_line *line = &saved->items[i];
		bool own = item_same_domain(&line->item, &wanted), mark = settings_is_mark(line);

		if (!is_of(line, name))
			continue;
		if (own && !mark && line->level != level &&
		    !(found.other && found.other_level < line->level)) {
			found.other = true;
			found.other_level = line->level;
		}
		found.any |= own && !mark;
		if (of_package ? line->item.package == wanted.package : own) {
			known = true;
			at_level |= mark && line->level == level;
		}
	}
	found.restored = found.any ? at_level : known;
	return found;
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

int settings_save(struct isst_change *change, const char *name, size_t first)
{
	const struct settings_plan *plan;
	struct item_lines saved;
	/* Before anything is changed: the file is written anew. */
	int error = settings_read(change->context, &saved);

	item_lines_clear(&saved);
	if (!error)
		error = add_plan(change, (struct settings_plan){ .kind = PLAN_KEEP, .name = name });
	if (error)
		return error;
	for (plan = change->settings; plan->next; plan = plan->next)
		;
	/* Steps of later requests, and those added while steps are made, are not of this one. */
	for (size_t i = first; i < change->count; i++)
		change->steps[i]->settings = plan;
	return 0;
}

int settings_forget(struct isst_change *change, const char *name, bool inherits,
		    const struct item *item, unsigned int level)
{
	return add_plan(change, (struct settings_plan){ .kind = PLAN_FORGET,
							.name = name,
							.inherits = inherits,
							.item = *item,
							.level = level });
}

/* ---- What a change makes of the file ---- */

/** The lines as a change leaves them. */
struct settings_table {
	struct item_lines lines;
	struct item_index index; /* by number */
	int error;
};

static void add_line(struct settings_table *table, const struct item_line *line)
{
	struct item_lines *lines = &table->lines;

	if (table->error)
		return;
	if (ARRAY_GROW(lines->items, lines->count) || item_index_add(&table->index, &line->item))
		table->error = -ENOMEM;
	else
		lines->items[lines->count++] = *line;
}

/** The line that an owner has of an item, for the same level. */
static struct item_line *find_line(const struct settings_table *table, const char *owner,
				   const struct item *item, unsigned int level)
{
	for (size_t i = item_index_first(&table->index, item); i != ITEM_NONE;
	     i = item_index_next(&table->index, i))
		if (table->lines.items[i].level == level && is_of(&table->lines.items[i], owner))
			return &table->lines.items[i];
	return NULL;
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
	if (entry->other_owner && old.number == entry->shown &&
	    cpufreq_is_tighter(item_limit(&entry->item), entry->shown, entry->wanted.number))
		old.number = cpufreq_no_limit(item_limit(&entry->item));
	return old;
}

/** Puts what a feature has set on top of what the other one has set, whose line comes before it
 * then. Both have the value from before the first `enable`. What another process made of the item
 * in between takes the place of that, and of what it replaced. */
static void keep_entry(struct settings_table *table, const struct settings_plan *plan,
		       const struct entry *entry, struct item_value old)
{
	const struct item *item = &entry->item;
	unsigned int level = entry->level;
	struct item_line *line = find_line(table, plan->name, item, level);
	struct item_line *other = item->kind == ITEM_FEATURES
					  ? NULL
					  : find_line(table, other_owner(plan->name), item, level);
	const struct item_line *top = !other || (line && line > other) ? line : other;
	/* What is hidden is written again each time, and reads as something else. */
	bool as_left = top &&
		       (item_value_equal(item, top->written, old) ||
			(entry->hidden && item_value_equal(item, top->written, entry->wanted)));
	struct item_line added = { .owner = plan->name,
				   .item = *item,
				   .level = level,
				   .old = as_left ? top->old : old,
				   .written = entry->wanted,
				   .other_owner = entry->other_owner,
				   .shown = entry->shown };
	bool alike = other && item_value_equal(item, other->written, entry->wanted);

	/* What the other wrote alike must not go back with that. */
	if (entry->state < ENTRY_WRITTEN && (entry->state == ENTRY_UNKNOWN || !alike))
		return;
	if (other && !as_left) {
		other->old = old;
		other->written = alike ? other->written : old;
	}
	if (line && line == top) {
		*line = added;
		return;
	}
	if (line)
		line->owner = NULL;
	add_line(table, &added);
}

static void keep(struct isst_change *change, const struct settings_plan *plan,
		 struct settings_table *table)
{
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count && !table->error; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];

			if (change->steps[i]->settings == plan && !entry->refused)
				keep_entry(table, plan, entry, find_replaced(change, plan, entry));
		}
}

/** The groups of cpusets, where the change has moved them; else NULL. */
static const struct baseline_item *moved_groups(const struct isst_change *change)
{
	const struct item item = item_of_machine(ITEM_CPUSET_GROUPS);
	const struct baseline_item *groups = baseline_find(&change->baseline, &item);
	bool moved = groups && groups->value_known &&
		     !item_value_equal(&item, groups->value, groups->now);

	return moved ? groups : NULL;
}

/** What the whole change has made of the groups, where that of others is what they have. */
static void follow_groups(struct isst_change *change, const struct baseline_item *groups,
			  struct settings_table *table)
{
	const struct item item = groups->item;
	struct item_line *line = find_line(table, SETTINGS_CPUSET_GROUPS, &item, 0);
	char *before;

	if (!line) {
		add_line(table, &(struct item_line){ .owner = SETTINGS_CPUSET_GROUPS,
						     .item = item,
						     .old = groups->value,
						     .written = groups->now });
		return;
	}
	table->error = cpuset_groups_before(groups->value.text, line->old.text, line->written.text,
					    &before);
	if (!table->error)
		table->error = item_value_set_text(change->context, &line->old, before);
	line->written = groups->now;
	free(before);
}

/** Drops the line of what was restored. What was absent as the change was made stays: its CPU went
 * offline since it was planned. The other feature, where it @inherits, gets what it keeps from
 * going back. */
static void forget(struct isst_change *change, const struct settings_plan *plan,
		   struct settings_table *table)
{
	const struct item *item = &plan->item;
	struct item_line *line = find_line(table, plan->name, item, plan->level);
	const char *other = other_owner(plan->name);
	const struct entry *entry = NULL;

	if (!line && item->kind == ITEM_LEVEL)
		add_line(table, &(struct item_line){
					.owner = plan->name, .item = *item, .level = plan->level });
	if (!line || item->kind == ITEM_LEVEL)
		return;
	/* What restores it. */
	change_for_each_place (place, change, item)
		if (!place->footprint && !entry)
			entry = place_entry(place);
	if (entry && entry->state == ENTRY_UNKNOWN && !entry->refused)
		return;
	line->owner = plan->inherits && !entry && item->kind != ITEM_FEATURES &&
				      !find_line(table, other, item, plan->level)
			      ? other
			      : NULL;
}

/** What becomes of the lines. */
static void carry_out(struct isst_change *change, struct settings_table *table)
{
	const struct baseline_item *groups = moved_groups(change);

	if (!change->settings && !groups)
		return;
	table->error = settings_read(change->context, &table->lines);
	for (size_t i = 0; i < table->lines.count && !table->error; i++)
		table->error = item_index_add(&table->index, &table->lines.items[i].item);
	if (groups && !table->error)
		follow_groups(change, groups, table);
	for (const struct settings_plan *plan = change->settings; plan && !table->error;
	     plan = plan->next)
		if (plan->kind == PLAN_KEEP)
			keep(change, plan, table);
		else if (plan->kind == PLAN_FORGET)
			forget(change, plan, table);
	keep_lines(&table->lines, NULL);
}

/* ---- Writing ---- */

/** Writes all lines. Returns 0 or a negative errno, with a message but for -ENOMEM. */
static int write_file(struct isst_context *context, const char *name,
		      const struct item_lines *saved)
{
	struct memory_stream memory;
	int error = memory_stream_open(&memory);

	if (error)
		return error;
	for (size_t i = 0; i < saved->count; i++) {
		fprintf(memory.stream, "%s ", saved->items[i].owner);
		item_line_print(memory.stream, &saved->items[i]);
	}
	error = memory_stream_close(&memory);
	if (!error) {
		error = item_lines_replace_text(context, name, VERSION, memory.text);
		free(memory.text);
	}
	return error;
}

int settings_discard(struct isst_context *context)
{
	struct item_lines saved;
	const char *before = context->messages.error;
	int error = read_file(context, SAVED_SETTINGS_FILE, false, &saved);

	keep_lines(&saved, SETTINGS_CPUSET_GROUPS);
	/* Of a damaged file, which is refused as such, nothing can be kept. */
	if (!error && saved.count > 0)
		error = write_file(context, SAVED_SETTINGS_FILE, &saved);
	else if (!runtime_file_is_shortage(error))
		error = runtime_file_discard(&context->runtime, SAVED_SETTINGS_FILE);
	item_lines_clear(&saved);
	context->messages.error = before;
	return error;
}

/** Warns that the file cannot be read, or written. What was restored must not be restored again: it
 * is deleted. */
static void warn_of_failure(struct isst_change *change, const char *why)
{
	bool forgets = false;

	if (moved_groups(change))
		change_warn(change, ISST_MESSAGE_SETTINGS_NOT_SAVED, of_cause(change, why),
			    "%s: the replaced settings are not saved, and cpusets of cgroup v1 do "
			    "not get CPUs back when these come online",
			    why);
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next) {
		forgets |= plan->kind == PLAN_FORGET;
		if (plan->kind == PLAN_KEEP)
			change_warn(change, ISST_MESSAGE_SETTINGS_NOT_SAVED, of_cause(change, why),
				    "%s: the replaced settings are not saved, and %s disable "
				    "--auto will not restore them",
				    why, plan->name);
	}
	if (forgets && runtime_file_discard(&change->context->runtime, SAVED_SETTINGS_FILE) == 0)
		change_warn(change, ISST_MESSAGE_SAVED_SETTINGS_LOST, of_cause(change, why),
			    "%s: all saved settings were deleted, and the next disable --auto runs "
			    "without them",
			    why);
	else if (forgets)
		change_warn(change, ISST_MESSAGE_SAVED_SETTINGS_REMAIN, of_cause(change, why),
			    "%s: the restored settings are still saved; remove the file, or the "
			    "next disable --auto restores them again",
			    why);
}

void settings_complete(struct isst_change *change)
{
	struct isst_context *context = change->context;
	struct messages *messages = &context->messages;
	const char *before = messages->error, *why = NULL;
	struct settings_table table = { 0 };
	bool any, staged;
	int error = 0;

	messages->error = NULL;
	carry_out(change, &table);
	any = !table.error && table.lines.count > 0;
	staged = any && write_file(context, STAGED, &table.lines) == 0;
	journal_done(change);
	if (staged)
		staged = !runtime_file_rename(&context->runtime, STAGED, SAVED_SETTINGS_FILE);
	if (any && !staged)
		settings_unstage(context);
	if (table.error)
		why = message_why(messages, table.error);
	change_end_journal(change);
	/* Now there may be the space that the journal had. */
	if (any && !staged)
		error = write_file(context, SAVED_SETTINGS_FILE, &table.lines);
	if (error)
		why = message_why(messages, error);
	if (why)
		warn_of_failure(change, why);
	messages->error = before;
	item_lines_clear(&table.lines);
	item_index_clear(&table.index);
}

/* ---- For a run that is killed before its file is in its place ---- */

void settings_unstage(struct isst_context *context)
{
	int error = runtime_file_discard(&context->runtime, STAGED);

	if (error)
		message_trace(&context->messages, "cannot remove %s/" STAGED ": %s",
			      context->runtime.path, runtime_file_strerror(error));
}

int settings_adopt(struct isst_context *context)
{
	const char *before = context->messages.error;
	struct item_lines saved;
	/* What is staged has to be a whole file of this boot. */
	int error = read_file(context, STAGED, false, &saved);

	item_lines_clear(&saved);
	if (!error)
		error = runtime_file_rename(&context->runtime, STAGED, SAVED_SETTINGS_FILE);
	if (runtime_file_is_shortage(error))
		return message_error(&context->messages, error,
				     "cannot keep the saved settings of a run that was killed "
				     "after its change was complete: %s",
				     error == -ENOMEM ? "out of memory" : strerror(-error));
	if (error && error != -ENOENT)
		message_notice(&context->messages, of_machine(),
			       "a run was killed after its change was complete, and its saved "
			       "settings cannot be kept: disable --auto will not restore them");
	settings_unstage(context);
	context->messages.error = before;
	return 0;
}
