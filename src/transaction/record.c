/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of what was replaced, kept from one run to the next. */
#include "transaction/record.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "transaction/prepare.h"
#include "transaction/recovery.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum plan_kind { KEEP, FORGET, RETAIN, LEVEL };

/** What is to happen to records once the change is made; a list, in the order of the requests. */
struct record_plan {
	struct record_plan *next;
	enum plan_kind kind;
	const char *name;  /* of the feature; a constant */
	const char *other; /* likewise, or NULL */
	bool inherits;
	bool begun;	    /* KEEP: the first of its steps was, or is about to be made */
	struct item domain; /* package, die and domain only; RETAIN: the item */
	unsigned int level;
};

/** Adds a plan behind the others. NULL without memory. */
static struct record_plan *add_plan(struct isst_change *change, const struct record_plan *plan)
{
	struct record_plan **end = &change->records, *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	while (*end)
		end = &(*end)->next;
	*copy = *plan;
	*end = copy;
	return copy;
}

void record_plans_free(struct record_plan *plans)
{
	while (plans) {
		struct record_plan *next = plans->next;

		free(plans);
		plans = next;
	}
}

int record_level(struct isst_change *change, const struct isst_domain *domain, unsigned int level)
{
	const struct record_plan plan = { .kind = LEVEL,
					  .domain = item_of(ITEM_LEVEL, domain, 0),
					  .level = level };

	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

int record_retain(struct isst_change *change, const char *name, const struct saved_item *line)
{
	const struct record_plan plan = {
		.kind = RETAIN, .name = name, .domain = line->item, .level = line->level
	};

	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

static bool is_retained(const struct isst_change *change, const char *name,
			const struct saved_item *line)
{
	for (const struct record_plan *plan = change->records; plan; plan = plan->next)
		if (plan->kind == RETAIN && strcmp(plan->name, name) == 0 &&
		    item_is(&plan->domain, &line->item) && plan->level == line->level)
			return true;
	return false;
}

/** A line that tells no value, but that those of its domain were put back. */
static struct saved_item mark_of(const struct item *domain)
{
	return (struct saved_item){ .item = *domain };
}

static bool is_mark(const struct saved_item *line)
{
	/* No feature writes a level. */
	return line->item.kind == ITEM_LEVEL;
}

/** @staged: that of the record as it will be once the change is complete */
static char *file_name(const char *name, bool staged)
{
	char *file;

	return asprintf(&file, "record-%s%s", name, staged ? ".staged" : "") < 0 ? NULL : file;
}

/** Whether `enable --auto` of a feature writes items of a kind, or takes them over from the other
 * feature; or the kind is a mark's. */
static bool is_recorded_kind(enum item_kind kind)
{
	static const bool RECORDED[ITEM_KINDS] = {
		[ITEM_LEVEL] = true,	   [ITEM_FEATURES] = true,
		[ITEM_CORE_POWER] = true,  [ITEM_QOS] = true,
		[ITEM_CLOS] = true,	   [ITEM_ASSOCIATION] = true,
		[ITEM_SCALING_MAX] = true, [ITEM_TURBO_RATIO_LIMITS] = true,
		[ITEM_SCALING_MIN] = true,
	};

	return RECORDED[kind];
}

/** Whether a line is one that `enable --auto` can have recorded on this machine. Returns 0 or 1, or
 * -ENOMEM. */
static int is_possible(struct isst_context *context, const struct saved_item *line)
{
	int place;

	if (!is_recorded_kind(line->item.kind) || !plausible(&line->item, line->old) ||
	    !plausible(&line->item, line->written))
		return 0;
	place = item_place(context, &line->item, NULL);
	if (place < 0)
		return place;
	return place != PLACE_NONE && !item_is_of_no_core(context, &line->item);
}

static int check_lines(struct isst_context *context, const char *file,
		       const struct saved_items *saved)
{
	int possible = 1;

	for (size_t i = 0; i < saved->count && possible > 0; i++) {
		possible = is_possible(context, &saved->items[i]);
		if (possible == 0)
			/* The first line is the header. */
			return saved_refuse(context, file, i + 2,
					    "nothing that this machine can have");
	}
	return possible < 0 ? possible : 0;
}

static int read_file(struct isst_context *context, const char *name, bool staged,
		     struct saved_items *saved)
{
	char *file = file_name(name, staged);
	int error;

	*saved = (struct saved_items){ 0 };
	error = file ? saved_items_read(context, file, saved) : -ENOMEM;
	if (!error)
		error = check_lines(context, file, saved);
	if (error)
		saved_items_clear(saved);
	free(file);
	return error;
}

static int read_all(struct isst_context *context, const char *name, struct saved_items *saved)
{
	return read_file(context, name, false, saved);
}

/** Looks whether a record that is to be written anew can be followed: what it holds besides would
 * be lost, which is to be said before anything is changed. */
static int check_readable(struct isst_context *context, const char *name)
{
	struct saved_items saved;
	int error = read_all(context, name, &saved);

	saved_items_clear(&saved);
	return error == -ENOENT ? 0 : error;
}

int record_keep(struct isst_change *change, const char *name, const char *other, size_t first)
{
	int error = check_readable(change->context, name);
	const struct record_plan *plan;

	if (!error && other)
		error = check_readable(change->context, other);
	if (error)
		return error;
	plan = add_plan(change,
			&(struct record_plan){ .kind = KEEP, .name = name, .other = other });
	if (!plan)
		return -ENOMEM;
	/* Those of requests that follow, and those that are added while steps are made, are not of
	 * this request. */
	for (size_t i = first; i < change->count; i++)
		change->steps[i]->record = plan;
	return 0;
}

/** Whether another domain hands its values over to a feature, so that its record was looked at. */
static bool is_heir(const struct isst_change *change, const char *name)
{
	for (const struct record_plan *plan = change->records; plan; plan = plan->next)
		if (plan->kind == FORGET && plan->other && strcmp(plan->other, name) == 0)
			return true;
	return false;
}

int record_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		  const struct isst_domain *domain)
{
	/* That of the feature itself has been read, to plan what is put back. */
	int error = other && !is_heir(change, other) ? check_readable(change->context, other) : 0;
	const struct record_plan plan = { .kind = FORGET,
					  .name = name,
					  .other = other,
					  .inherits = inherits,
					  .domain = item_of(ITEM_LEVEL, domain, 0) };

	if (error)
		return error;
	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

int record_read(struct isst_context *context, const char *name, const struct isst_domain *domain,
		unsigned int level, struct saved_items *saved)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	size_t kept = 0;
	int error = read_all(context, name, saved);

	/* Without a record that is there, other values would be put back than those from before. */
	if (error)
		return error;
	for (size_t i = 0; i < saved->count; i++)
		if (item_same_domain(&saved->items[i].item, &wanted) &&
		    saved->items[i].level == level && !is_mark(&saved->items[i]))
			saved->items[kept++] = saved->items[i];
	saved->count = kept;
	if (kept > 0)
		return 0;
	saved_items_clear(saved);
	return -ENOENT;
}

typedef bool (*line_test)(const struct saved_item *line, const struct item *domain);

static bool is_of_domain(const struct saved_item *line, const struct item *domain)
{
	return item_same_domain(&line->item, domain) && !is_mark(line);
}

static bool is_or_was_of_domain(const struct saved_item *line, const struct item *domain)
{
	return item_same_domain(&line->item, domain);
}

static bool is_or_was_of_package(const struct saved_item *line, const struct item *domain)
{
	return line->item.package == domain->package;
}

/** Whether one of the lines that @name recorded passes a test. */
static int has_line(struct isst_context *context, const char *name,
		    const struct isst_domain *domain, line_test test)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	struct saved_items saved;
	int error = read_all(context, name, &saved), found = 0;

	if (error)
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < saved.count; i++)
		found |= test(&saved.items[i], &wanted);
	saved_items_clear(&saved);
	return found;
}

int record_exists(struct isst_context *context, const char *name, const struct isst_domain *domain)
{
	return has_line(context, name, domain, is_of_domain);
}

int record_of_other_level(struct isst_context *context, const char *name,
			  const struct isst_domain *domain, unsigned int level, unsigned int *other)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	struct saved_items saved;
	int error = read_all(context, name, &saved), found = 0;

	if (error)
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < saved.count; i++) {
		const struct saved_item *line = &saved.items[i];

		if (!is_of_domain(line, &wanted) || line->level == level)
			continue;
		if (!found || line->level < *other)
			*other = line->level;
		found = 1;
	}
	saved_items_clear(&saved);
	return found;
}

int record_existed(struct isst_context *context, const char *name, const struct isst_domain *domain,
		   bool package)
{
	return has_line(context, name, domain,
			package ? is_or_was_of_package : is_or_was_of_domain);
}

/** The text of a file that holds lines, to be freed. */
static int make_text(struct isst_context *context, const char *file,
		     const struct saved_items *saved, char **text)
{
	char *header = NULL;
	int error = saved_header(context, file, SAVED_ITEMS_VERSION, &header);
	bool good = !error;
	FILE *stream;
	size_t size;

	*text = NULL;
	if (error)
		return error;
	stream = open_memstream(text, &size);
	good = stream && fputs(header, stream) >= 0;
	for (size_t i = 0; i < saved->count && good; i++)
		good = saved_item_print(stream, &saved->items[i]);
	good = good && fputs(SAVED_ITEMS_END "\n", stream) >= 0;
	if (stream && (fclose(stream) || !*text))
		good = false;
	free(header);
	if (good)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

/** @shrinks: there is less to hold than before, for which there is room where there is none for a
 * new file. */
static int write_all(struct isst_context *context, const char *name, bool staged,
		     const struct saved_items *saved, bool shrinks)
{
	const struct runtime_directory *directory = &context->runtime;
	char *file = file_name(name, staged), *text = NULL;
	int error = file ? 0 : -ENOMEM;

	if (!error && saved->count == 0) {
		error = runtime_file_remove(directory, file);
	} else if (!error) {
		error = make_text(context, file, saved, &text);
		if (!error)
			error = runtime_file_replace(directory, file, text);
		if (error && text && shrinks && !staged &&
		    runtime_file_overwrite(directory, file, text) == 0)
			error = 0;
	}
	free(file);
	free(text);
	return error;
}

/* ---- What a request replaces ---- */

/** Entries whose values are looked at. */
struct replaced {
	struct item_access *accesses;
	struct entry **owners;
	size_t count;
};

/** Notes what is known already, or that it has to be read. An item that nothing was done to yet is
 * as in the baseline, also where that is corrected later. */
static void note_replaced(const struct isst_change *change, struct entry *entry,
			  struct replaced *unknown)
{
	const struct baseline_item *item = baseline_find(&change->baseline, &entry->item);

	if (!item || !item->recorded)
		return;
	if (item->moved) {
		unknown->owners[unknown->count] = entry;
		unknown->accesses[unknown->count++].item = entry->item;
	} else if (!item_value_equal(&entry->item, item->now, item->value)) {
		entry->replaced_known = true;
		entry->replaced = item->now;
	}
}

/** What cannot be read here cannot be read by its step either, which has the message. */
static int read_replaced(struct isst_change *change, const struct replaced *unknown)
{
	int error = unknown->count > 0
			    ? items_read(change->context, unknown->accesses, unknown->count)
			    : 0;

	for (size_t i = 0; i < unknown->count && !error; i++) {
		const struct item_access *access = &unknown->accesses[i];
		struct entry *entry = unknown->owners[i];

		entry->replaced_known = !access->failure.error && !access->absent;
		entry->replaced = access->value;
	}
	return error;
}

static size_t count_entries(const struct isst_change *change, const struct record_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->record == plan)
			count += change->steps[i]->count;
	return count;
}

static int look_at_replaced(struct isst_change *change, const struct record_plan *plan)
{
	size_t count = count_entries(change, plan);
	struct replaced unknown = { calloc(count + 1, sizeof(*unknown.accesses)),
				    calloc(count + 1, sizeof(*unknown.owners)), 0 };
	int error = unknown.accesses && unknown.owners ? 0 : -ENOMEM;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->record == plan; j++)
			note_replaced(change, &step->entries[j], &unknown);
	}
	if (!error)
		error = read_replaced(change, &unknown);
	free(unknown.accesses);
	free(unknown.owners);
	return error;
}

int record_begin(struct isst_change *change, const struct step *step)
{
	for (struct record_plan *plan = change->records; plan; plan = plan->next)
		if (plan == step->record && !plan->begun) {
			plan->begun = true;
			return has_begun(change) ? look_at_replaced(change, plan) : 0;
		}
	return 0;
}

/* ---- Once the change is made ---- */

/** The level of an item's domain, as the request that @keep is of planned with it. */
static unsigned int level_of(const struct isst_change *change, const struct record_plan *keep,
			     const struct item *item)
{
	unsigned int level = 0;

	for (const struct record_plan *plan = change->records; plan != keep; plan = plan->next)
		if (plan->kind == LEVEL && item_same_domain(&plan->domain, item))
			level = plan->level;
	return level;
}

/** The line of an item that an earlier run recorded, for the same level. */
static struct saved_item *find_line(const struct saved_items *saved, const struct item *item,
				    unsigned int level)
{
	for (size_t i = 0; i < saved->count; i++)
		if (item_is(&saved->items[i].item, item) && saved->items[i].level == level)
			return &saved->items[i];
	return NULL;
}

/** Records of a feature that was switched on, and of the other one. */
struct keeping {
	struct saved_items saved, other;
	bool handed_over; /* something of the other one was changed */
};

/**
 * Where the other feature had written what @old is, it does not come back to what this one wrote:
 * its values are below this one's from now on, so it gets the value from before both.
 */
static void hand_down(struct keeping *keeping, const struct saved_item *line, struct item_value old)
{
	const struct item *item = &line->item;
	struct saved_item *below = find_line(&keeping->other, item, line->level);

	if (item->kind == ITEM_FEATURES || !below || !item_value_equal(item, below->written, old) ||
	    !item_value_equal(item, below->old, line->written))
		return;
	below->old = line->old;
	keeping->handed_over = true;
}

/** What was there before the first `enable` counts: a later one only updates what was written. */
static int keep_entry(struct keeping *keeping, const struct entry *entry, unsigned int level)
{
	struct saved_item *line = find_line(&keeping->saved, &entry->item, level);
	struct item_value old = entry->replaced_known ? entry->replaced : entry->old;

	if (line && item_value_equal(&entry->item, line->written, old)) {
		line->written = entry->wanted;
		return 0;
	}
	if (line) {
		hand_down(keeping, line, old);
		/* Somebody else changed it in between: that is the value to go back to. */
		line->old = old;
		line->written = entry->wanted;
		return 0;
	}
	return saved_items_add(&keeping->saved, &(struct saved_item){ .item = entry->item,
								      .level = level,
								      .old = old,
								      .written = entry->wanted });
}

static int keep(struct isst_change *change, const struct record_plan *plan, struct keeping *keeping)
{
	int error = 0;

	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count && !error; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];

			if (change->steps[i]->record == plan && entry->written && !entry->refused)
				error = keep_entry(keeping, entry,
						   level_of(change, plan, &entry->item));
		}
	return error;
}

static bool was_put_back(const struct isst_change *change, const struct item *item)
{
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++)
			if (item_is(&change->steps[i]->entries[j].item, item))
				return true;
	return false;
}

/** Gives the other feature the value from before both, in place of the one it found; and, as the
 * heir, what it keeps from going back. */
static int hand_over_item(const struct isst_change *change, const struct record_plan *plan,
			  const struct saved_item *item, struct saved_items *heir)
{
	struct saved_item *line = find_line(heir, &item->item, item->level);

	if (item->item.kind == ITEM_FEATURES || is_mark(item) ||
	    was_put_back(change, &item->item) || is_retained(change, plan->name, item))
		return 0;
	if (!line)
		return plan->inherits ? saved_items_add(heir, item) : 0;
	if (item_value_equal(&item->item, line->old, item->written))
		line->old = item->old;
	return 0;
}

static int hand_over(const struct isst_change *change, const struct record_plan *plan,
		     const struct saved_items *saved, struct saved_items *heir)
{
	int error = 0;

	for (size_t i = 0; i < saved->count && !error; i++)
		if (item_same_domain(&saved->items[i].item, &plan->domain))
			error = hand_over_item(change, plan, &saved->items[i], heir);
	return error;
}

/** Leaves a mark, so that a later `disable --auto` does not take what was put back for something
 * that nobody recorded. */
static int forget(const struct isst_change *change, const struct record_plan *plan,
		  struct saved_items *saved)
{
	struct saved_item mark = mark_of(&plan->domain);
	size_t kept = 0;

	for (size_t i = 0; i < saved->count; i++)
		if (!item_same_domain(&saved->items[i].item, &plan->domain) ||
		    is_retained(change, plan->name, &saved->items[i]))
			saved->items[kept++] = saved->items[i];
	saved->count = kept;
	return saved_items_add(saved, &mark);
}

/** Why a record was not written: it cannot be read, which the context has a message of, or put into
 * its place. */
static const char *cause(const struct isst_change *change, const char *name, int unread, int error)
{
	struct isst_context *context = change->context;

	if (unread && unread != -ENOMEM)
		return message_make(&context->messages, "%s", isst_error(context));
	return message_make(&context->messages, "%s/record-%s cannot be written: %s",
			    context->machine->runtime_directory, name,
			    runtime_file_strerror(error));
}

/** Reads a record that may be missing; @staged: as the plans before this one leave it. */
static int read_former(struct isst_change *change, const char *name, bool staged,
		       struct saved_items *saved)
{
	int error = staged ? read_file(change->context, name, true, saved) : -ENOENT;

	if (error == -ENOENT)
		error = read_all(change->context, name, saved);
	return error == -ENOENT ? 0 : error;
}

static int apply_keep(struct isst_change *change, const struct record_plan *plan, bool staged)
{
	struct keeping keeping = { 0 };
	const char *name = plan->name;
	int unread = read_former(change, name, staged, &keeping.saved), error;

	if (!unread && plan->other) {
		unread = read_former(change, plan->other, staged, &keeping.other);
		name = unread ? plan->other : name;
	}
	error = unread;
	if (!error)
		error = keep(change, plan, &keeping);
	/* First: a kill between the two leaves the value from before both in each of them. */
	if (!error && keeping.handed_over) {
		error = write_all(change->context, plan->other, staged, &keeping.other, false);
		name = error ? plan->other : name;
	}
	if (!error)
		error = write_all(change->context, plan->name, staged, &keeping.saved, false);
	if (error && !staged)
		change_warn(change,
			    "%s: what was replaced is not recorded, and %s disable --auto will not "
			    "put it back",
			    cause(change, name, unread, error), plan->name);
	saved_items_clear(&keeping.saved);
	saved_items_clear(&keeping.other);
	return error;
}

/** Gives the other feature what is its due. */
static int apply_hand_over(struct isst_change *change, const struct record_plan *plan, bool staged,
			   const struct saved_items *saved)
{
	struct saved_items heir;
	int unread = read_former(change, plan->other, staged, &heir), error = unread;

	if (!error)
		error = hand_over(change, plan, saved, &heir);
	if (!error)
		error = write_all(change->context, plan->other, staged, &heir, false);
	if (error && !staged)
		change_warn(change,
			    "%s: it does not have the values from before %s enable, and %s disable "
			    "--auto will not put them back",
			    cause(change, plan->other, unread, error), plan->name, plan->other);
	saved_items_clear(&heir);
	return error;
}

/** A record that cannot be made to say what was put back is to say nothing. */
static void drop_record(struct isst_change *change, const char *name, const char *why)
{
	char *file = file_name(name, false);

	if (file && runtime_file_discard(&change->context->runtime, file) == 0)
		change_warn(change,
			    "%s: all of it was removed, and the next %s disable --auto goes "
			    "without saved settings",
			    why, name);
	else
		change_warn(change,
			    "%s: what was put back is still recorded; remove the file, or the next "
			    "%s disable --auto puts it back once more",
			    why, name);
	free(file);
}

static int apply_forget(struct isst_change *change, const struct record_plan *plan, bool staged)
{
	struct saved_items saved;
	int unread = read_former(change, plan->name, staged, &saved), error = unread;
	int handed_over = 0;

	if (!error && plan->other)
		handed_over = apply_hand_over(change, plan, staged, &saved);
	if (!error)
		error = forget(change, plan, &saved);
	if (!error)
		error = write_all(change->context, plan->name, staged, &saved, true);
	if (error && !staged)
		drop_record(change, plan->name, cause(change, plan->name, unread, error));
	saved_items_clear(&saved);
	return error ? error : handed_over;
}

/** Carries out all plans. Returns the first error: the others are carried out in spite of it. */
static int apply_plans(struct isst_change *change, bool staged)
{
	int first_error = 0;

	for (const struct record_plan *plan = change->records; plan; plan = plan->next) {
		int error = 0;

		if (plan->kind == KEEP)
			error = apply_keep(change, plan, staged);
		else if (plan->kind == FORGET)
			error = apply_forget(change, plan, staged);
		first_error = first_error ? first_error : error;
	}
	return first_error;
}

/** Returns 0, -ENOENT where nothing is staged, or a negative errno. */
static int adopt_as_it_is(struct isst_context *context, const char *name)
{
	char *staged = file_name(name, true), *file = file_name(name, false);
	int error = staged && file ? runtime_file_rename(&context->runtime, staged, file) : -ENOMEM;

	free(staged);
	free(file);
	return error;
}

/** Whether what is staged is all that is to be done, and is done: a record that goes is not staged.
 */
static bool adopt_staged(struct isst_change *change)
{
	int error = 0;

	for (const struct record_plan *plan = change->records; plan; plan = plan->next)
		if (plan->kind == FORGET)
			return false;
	for (const struct record_plan *plan = change->records; plan && !error; plan = plan->next) {
		/* First: a kill between the two leaves the value from before both in each of them.
		 */
		if (plan->kind == KEEP && plan->other)
			error = adopt_as_it_is(change->context, plan->other);
		if (plan->kind == KEEP && (!error || error == -ENOENT))
			error = adopt_as_it_is(change->context, plan->name);
		error = error == -ENOENT ? 0 : error;
	}
	return !error;
}

void record_apply(struct isst_change *change, bool staged)
{
	if (!change->records || (staged && adopt_staged(change)))
		return;
	apply_plans(change, false);
	record_unstage(change->context);
}

/* ---- Should the run be killed before its records are written ---- */

static const char *const FEATURES[] = { "base-freq", "turbo-freq" };

enum { FEATURE_COUNT = sizeof(FEATURES) / sizeof(FEATURES[0]) };

bool record_stage(struct isst_change *change)
{
	const char *before = change->context->messages.error;
	bool staged = false;

	if (!change->records)
		return false;
	record_unstage(change->context);
	staged = apply_plans(change, true) == 0;
	/* Some of what belongs together would be worse than nothing. */
	if (!staged)
		record_unstage(change->context);
	change->context->messages.error = before;
	return staged;
}

static void remove_staged(struct isst_context *context, const char *name)
{
	char *file = file_name(name, true);
	int error = file ? runtime_file_discard(&context->runtime, file) : -ENOMEM;

	if (error && error != -ENOENT)
		message_trace(&context->messages, "%s/%s cannot be removed: %s",
			      context->runtime.path, file ? file : name,
			      runtime_file_strerror(error));
	free(file);
}

void record_unstage(struct isst_context *context)
{
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		remove_staged(context, FEATURES[i]);
}

/** Makes a staged record the one that counts. Returns 0, also where there is none, or a negative
 * errno. */
static int adopt(struct isst_context *context, const char *name)
{
	char *file = file_name(name, true);
	struct saved_items saved = { 0 };
	int error = file ? saved_items_read(context, file, &saved) : -ENOMEM;

	if (!error)
		error = write_all(context, name, false, &saved, false);
	else if (error == -ENOENT)
		error = 0;
	saved_items_clear(&saved);
	free(file);
	return error;
}

void record_adopt(struct isst_context *context)
{
	const char *before = context->messages.error;

	for (size_t i = 0; i < FEATURE_COUNT; i++)
		if (adopt(context, FEATURES[i]))
			message_notice(
				&context->messages,
				"a run was killed when its change was made, and its saved "
				"settings cannot be kept: %s disable --auto goes without what "
				"that run saved",
				FEATURES[i]);
	record_unstage(context);
	context->messages.error = before;
}
