/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of what was replaced, kept from one run to the next. */
#include "transaction/record.h"
#include "base/machine.h"
#include "base/runtime_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum plan_kind { KEEP, FORGET, RETAIN, LEVEL };

/** What is to happen to records once the change is made; a list, latest first. */
struct record_plan {
	struct record_plan *next;
	enum plan_kind kind;
	const char *name;  /* of the feature; a constant */
	const char *other; /* likewise, or NULL */
	bool inherits;
	size_t first;
	struct item domain; /* package, die and domain only; RETAIN: the item */
	unsigned int level;
};

static int add_plan(struct isst_change *change, const struct record_plan *plan)
{
	struct record_plan *copy = malloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *plan;
	copy->next = change->records;
	change->records = copy;
	return 0;
}

void record_plans_free(struct record_plan *plans)
{
	while (plans) {
		struct record_plan *next = plans->next;

		free(plans);
		plans = next;
	}
}

int record_keep(struct isst_change *change, const char *name, size_t first)
{
	return add_plan(change,
			&(struct record_plan){ .kind = KEEP, .name = name, .first = first });
}

int record_level(struct isst_change *change, const struct isst_domain *domain, unsigned int level)
{
	return add_plan(change, &(struct record_plan){ .kind = LEVEL,
						       .domain = item_of(ITEM_LEVEL, domain, 0),
						       .level = level });
}

int record_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		  const struct isst_domain *domain)
{
	return add_plan(change, &(struct record_plan){ .kind = FORGET,
						       .name = name,
						       .other = other,
						       .inherits = inherits,
						       .domain = item_of(ITEM_LEVEL, domain, 0) });
}

int record_retain(struct isst_change *change, const char *name, const struct saved_item *line)
{
	return add_plan(change, &(struct record_plan){ .kind = RETAIN,
						       .name = name,
						       .domain = line->item,
						       .level = line->level });
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

static bool same_domain(const struct item *a, const struct item *b)
{
	return a->package == b->package && a->die == b->die && a->domain == b->domain;
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

static char *file_name(const char *name)
{
	char *file;

	return asprintf(&file, "record-%s", name) < 0 ? NULL : file;
}

static int read_all(struct isst_context *context, const char *name, struct saved_items *saved)
{
	char *file = file_name(name);
	int error;

	*saved = (struct saved_items){ 0 };
	error = file ? saved_items_read(context, file, saved) : -ENOMEM;
	free(file);
	return error;
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
		if (same_domain(&saved->items[i].item, &wanted) && saved->items[i].level == level &&
		    !is_mark(&saved->items[i]))
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
	return same_domain(&line->item, domain) && !is_mark(line);
}

static bool is_or_was_of_domain(const struct saved_item *line, const struct item *domain)
{
	return same_domain(&line->item, domain);
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

int record_existed(struct isst_context *context, const char *name, const struct isst_domain *domain,
		   bool package)
{
	return has_line(context, name, domain,
			package ? is_or_was_of_package : is_or_was_of_domain);
}

static int write_all(struct isst_context *context, const char *name,
		     const struct saved_items *saved)
{
	const struct runtime_directory *directory = &context->runtime;
	char *file = file_name(name), *header = NULL, *text = NULL;
	bool good = file != NULL;
	int error = -ENOMEM;
	FILE *stream;
	size_t size;

	if (good && saved->count == 0) {
		error = runtime_file_remove(directory, file);
		free(file);
		return error;
	}
	error = good ? saved_header(context, file, SAVED_ITEMS_VERSION, &header) : -ENOMEM;
	good = !error;
	stream = open_memstream(&text, &size);
	if (good)
		error = -ENOMEM;
	good = good && stream && fputs(header, stream) >= 0;
	for (size_t i = 0; i < saved->count && good; i++)
		good = saved_item_print(stream, &saved->items[i]);
	good = good && fputs(SAVED_ITEMS_END "\n", stream) >= 0;
	if (stream && (fclose(stream) || !text))
		good = false;
	if (good)
		error = runtime_file_replace(directory, file, text);
	free(file);
	free(header);
	free(text);
	return error;
}

static unsigned int level_of(const struct isst_change *change, const struct item *item)
{
	for (const struct record_plan *plan = change->records; plan; plan = plan->next)
		if (plan->kind == LEVEL && same_domain(&plan->domain, item))
			return plan->level;
	return 0;
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

/** What was there before the first `enable` counts: a later one only updates what was written. */
static int keep_entry(struct saved_items *saved, const struct entry *entry, unsigned int level)
{
	struct saved_item *line = find_line(saved, &entry->item, level);

	if (line && item_value_equal(&entry->item, line->written, entry->old)) {
		line->written = entry->wanted;
		return 0;
	}
	if (line) {
		/* Somebody else changed it in between: that is the value to go back to. */
		line->old = entry->old;
		line->written = entry->wanted;
		return 0;
	}
	return saved_items_add(saved, &(struct saved_item){ .item = entry->item,
							    .level = level,
							    .old = entry->old,
							    .written = entry->wanted });
}

static int keep(struct isst_change *change, const struct record_plan *plan,
		struct saved_items *saved)
{
	int error = 0;

	for (size_t i = plan->first; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count && !error; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];

			if (entry->written && !entry->refused)
				error = keep_entry(saved, entry, level_of(change, &entry->item));
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

static int hand_over(struct isst_change *change, const struct record_plan *plan,
		     const struct saved_items *saved)
{
	struct saved_items heir;
	int error;

	if (!plan->other)
		return 0;
	error = read_all(change->context, plan->other, &heir);
	if (error == -ENOENT)
		error = 0;
	for (size_t i = 0; i < saved->count && !error; i++)
		if (same_domain(&saved->items[i].item, &plan->domain))
			error = hand_over_item(change, plan, &saved->items[i], &heir);
	if (!error)
		error = write_all(change->context, plan->other, &heir);
	saved_items_clear(&heir);
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
		if (!same_domain(&saved->items[i].item, &plan->domain) ||
		    is_retained(change, plan->name, &saved->items[i]))
			saved->items[kept++] = saved->items[i];
	saved->count = kept;
	return saved_items_add(saved, &mark);
}

static int apply(struct isst_change *change, const struct record_plan *plan)
{
	struct saved_items saved;
	int error = read_all(change->context, plan->name, &saved);

	if (error == -ENOENT)
		error = 0;
	if (!error && plan->kind == KEEP)
		error = keep(change, plan, &saved);
	else if (!error)
		error = hand_over(change, plan, &saved);
	if (!error && plan->kind == FORGET)
		error = forget(change, plan, &saved);
	if (!error)
		error = write_all(change->context, plan->name, &saved);
	saved_items_clear(&saved);
	return error;
}

void record_apply(struct isst_change *change)
{
	for (const struct record_plan *plan = change->records; plan; plan = plan->next) {
		bool noted = plan->kind == LEVEL || plan->kind == RETAIN;
		int error = noted ? 0 : apply(change, plan);

		if (error)
			change_warn(
				change,
				"what was replaced is not recorded (%s/record-%s: %s): disable --auto "
				"will not put it back",
				change->context->machine->runtime_directory, plan->name,
				runtime_file_strerror(error));
	}
}
