/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved settings, kept from one run to the next: what is planned for them. */
#include "transaction/saved_settings.h"
#include "transaction/saved_settings_file.h"
#include "transaction/saved_settings_plan.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Adds a plan behind the others. NULL without memory. */
static struct settings_plan *add_plan(struct isst_change *change, const struct settings_plan *plan)
{
	struct settings_plan **end = &change->settings, *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	while (*end)
		end = &(*end)->next;
	*copy = *plan;
	*end = copy;
	return copy;
}

void settings_plans_free(struct settings_plan *plans)
{
	while (plans) {
		struct settings_plan *next = plans->next;

		free(plans);
		plans = next;
	}
}

int settings_level(struct isst_change *change, const struct isst_domain *domain, unsigned int level)
{
	const struct settings_plan plan = { .kind = LEVEL,
					    .domain = item_of(ITEM_LEVEL, domain, 0),
					    .level = level };

	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

int settings_retain(struct isst_change *change, const char *name, const struct item_line *line)
{
	const struct settings_plan plan = {
		.kind = RETAIN, .name = name, .domain = line->item, .level = line->level
	};

	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

/** Checks that a file that is to be written anew can be read: its other contents would
 * be lost, which is to be reported before anything is changed. */
static int check_readable(struct isst_context *context, const char *name)
{
	struct item_lines saved;
	int error = settings_file_read(context, name, false, &saved);

	item_lines_clear(&saved);
	return error == -ENOENT ? 0 : error;
}

int settings_save(struct isst_change *change, const char *name, const char *other, size_t first)
{
	int error = check_readable(change->context, name);
	const struct settings_plan *plan;

	if (!error && other)
		error = check_readable(change->context, other);
	if (error)
		return error;
	plan = add_plan(change,
			&(struct settings_plan){ .kind = KEEP, .name = name, .other = other });
	if (!plan)
		return -ENOMEM;
	/* Those of requests that follow, and those that are added while steps are made, are not of
	 * this request. */
	for (size_t i = first; i < change->count; i++)
		change->steps[i]->settings = plan;
	return 0;
}

int settings_follow_groups(struct isst_change *change)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == FOLLOW)
			return 0;
	return add_plan(change,
			&(struct settings_plan){ .kind = FOLLOW, .name = SETTINGS_CPUSET_GROUPS })
		       ? 0
		       : -ENOMEM;
}

/** Whether another domain hands its values over to a feature, so that its file was checked. */
static bool is_heir(const struct isst_change *change, const char *name)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == FORGET && plan->other && strcmp(plan->other, name) == 0)
			return true;
	return false;
}

int settings_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		    const struct isst_domain *domain, unsigned int level)
{
	/* That of the feature itself has been read, to plan what is restored. */
	int error = other && !is_heir(change, other) ? check_readable(change->context, other) : 0;
	const struct settings_plan plan = { .kind = FORGET,
					    .name = name,
					    .other = other,
					    .inherits = inherits,
					    .domain = item_of(ITEM_LEVEL, domain, 0),
					    .level = level };

	if (error)
		return error;
	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

bool settings_are_restored(const struct isst_change *change, const struct item *item)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == FORGET && item_reaches_domain(item, &plan->domain))
			return true;
	return false;
}

int settings_read(struct isst_context *context, const char *name, const struct isst_domain *domain,
		  unsigned int level, struct item_lines *saved)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	size_t kept = 0;
	int error = settings_file_read(context, name, false, saved);

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

static bool is_of_domain(const struct item_line *line, const struct item *domain)
{
	return item_same_domain(&line->item, domain) && !settings_is_mark(line);
}

int settings_exist(struct isst_context *context, const char *name, const struct isst_domain *domain)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	struct item_lines saved;
	int error = settings_file_read(context, name, false, &saved), found = 0;

	if (error)
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < saved.count; i++)
		found |= is_of_domain(&saved.items[i], &wanted);
	item_lines_clear(&saved);
	return found;
}

int settings_of_other_level(struct isst_context *context, const char *name,
			    const struct isst_domain *domain, unsigned int level,
			    unsigned int *other)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	struct item_lines saved;
	int error = settings_file_read(context, name, false, &saved), found = 0;

	if (error)
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < saved.count; i++) {
		const struct item_line *line = &saved.items[i];

		if (!is_of_domain(line, &wanted) || line->level == level)
			continue;
		if (!found || line->level < *other)
			*other = line->level;
		found = 1;
	}
	item_lines_clear(&saved);
	return found;
}

int settings_were_restored(struct isst_context *context, const char *name,
			   const struct isst_domain *domain, unsigned int level, bool package)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	struct item_lines saved;
	int error = settings_file_read(context, name, false, &saved);
	bool saved_any = false, any = false, at_level = false;

	if (error)
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < saved.count; i++) {
		const struct item_line *line = &saved.items[i];

		saved_any |= is_of_domain(line, &wanted);
		if (package ? line->item.package != wanted.package
			    : !item_same_domain(&line->item, &wanted))
			continue;
		any = true;
		at_level |= settings_is_mark(line) && line->level == level;
	}
	item_lines_clear(&saved);
	return saved_any ? at_level : any;
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

	if (!item || !item->value_known)
		return;
	if (item->moved || item->range_moved) {
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

static size_t count_entries(const struct isst_change *change, const struct settings_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->settings == plan)
			count += change->steps[i]->count;
	return count;
}

static int read_replaced_values(struct isst_change *change, const struct settings_plan *plan)
{
	size_t count = count_entries(change, plan);
	struct replaced unknown = { calloc(count + 1, sizeof(*unknown.accesses)),
				    calloc(count + 1, sizeof(*unknown.owners)), 0 };
	int error = unknown.accesses && unknown.owners ? 0 : -ENOMEM;

	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->settings == plan; j++)
			note_replaced(change, &step->entries[j], &unknown);
	}
	if (!error)
		error = read_replaced(change, &unknown);
	free(unknown.accesses);
	free(unknown.owners);
	return error;
}

int settings_begin(struct isst_change *change, const struct step *step)
{
	for (struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan == step->settings && !plan->begun) {
			plan->begun = true;
			return change_has_begun(change) ? read_replaced_values(change, plan) : 0;
		}
	return 0;
}
