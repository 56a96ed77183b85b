/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved settings, kept from one run to the next: what is planned for them. */
#include "transaction/saved_settings.h"
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
	const struct settings_plan plan = { .kind = PLAN_LEVEL,
					    .domain = item_of(ITEM_LEVEL, domain, 0),
					    .level = level };

	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

int settings_retain(struct isst_change *change, const char *name, const struct item_line *line)
{
	const struct settings_plan plan = {
		.kind = PLAN_RETAIN, .name = name, .domain = line->item, .level = line->level
	};

	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

/** Checks that a file that is to be written anew can be read: its other contents would
 * be lost, which is to be reported before anything is changed. */
static int check_readable(struct isst_context *context, const char *name)
{
	struct item_lines saved;
	int error = settings_file_read(context, name, &saved);

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
			&(struct settings_plan){ .kind = PLAN_KEEP, .name = name, .other = other });
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
		if (plan->kind == PLAN_FOLLOW)
			return 0;
	return add_plan(change, &(struct settings_plan){ .kind = PLAN_FOLLOW,
							 .name = SETTINGS_CPUSET_GROUPS })
		       ? 0
		       : -ENOMEM;
}

int settings_forget(struct isst_change *change, const char *name, const char *other, bool inherits,
		    const struct isst_domain *domain, unsigned int level)
{
	const struct settings_plan plan = { .kind = PLAN_FORGET,
					    .name = name,
					    .other = other,
					    .inherits = inherits,
					    .domain = item_of(ITEM_LEVEL, domain, 0),
					    .level = level };
	/* That of the feature itself has been read, to plan what is restored. */
	bool checked = !other;
	int error;

	for (const struct settings_plan *one = change->settings; one && !checked; one = one->next)
		checked = one->kind == PLAN_FORGET && one->other && strcmp(one->other, other) == 0;
	error = checked ? 0 : check_readable(change->context, other);
	if (error)
		return error;
	return add_plan(change, &plan) ? 0 : -ENOMEM;
}

bool settings_are_restored(const struct isst_change *change, const struct item *item)
{
	for (const struct settings_plan *plan = change->settings; plan; plan = plan->next)
		if (plan->kind == PLAN_FORGET && item_reaches_domain(item, &plan->domain))
			return true;
	return false;
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

/** Reads what is saved of a domain at any level, without marks; nothing where there is no file. */
static int read_saved(struct isst_context *context, const char *name,
		      const struct isst_domain *domain, struct item_lines *saved)
{
	const struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	size_t kept = 0;
	int error = settings_file_read(context, name, saved);

	for (size_t i = 0; i < saved->count; i++)
		if (item_same_domain(&saved->items[i].item, &wanted) &&
		    !settings_is_mark(&saved->items[i]))
			saved->items[kept++] = saved->items[i];
	saved->count = kept;
	return error == -ENOENT ? 0 : error;
}

int settings_exist(struct isst_context *context, const char *name, const struct isst_domain *domain)
{
	struct item_lines saved;
	int error = read_saved(context, name, domain, &saved);
	bool any = saved.count > 0;

	item_lines_clear(&saved);
	return error ? error : any;
}

int settings_of_other_level(struct isst_context *context, const char *name,
			    const struct isst_domain *domain, unsigned int level,
			    unsigned int *other)
{
	struct item_lines saved;
	int error = read_saved(context, name, domain, &saved), found = 0;

	for (size_t i = 0; i < saved.count; i++) {
		unsigned int one = saved.items[i].level;

		if (one == level || (found && one >= *other))
			continue;
		*other = one;
		found = 1;
	}
	item_lines_clear(&saved);
	return error ? error : found;
}

int settings_were_restored(struct isst_context *context, const char *name,
			   const struct isst_domain *domain, unsigned int level, bool package)
{
	struct item wanted = item_of(ITEM_LEVEL, domain, 0);
	struct item_lines saved;
	int error = settings_file_read(context, name, &saved);
	bool saved_any = false, any = false, at_level = false;

	if (error)
		return error == -ENOENT ? 0 : error;
	for (size_t i = 0; i < saved.count; i++) {
		const struct item_line *line = &saved.items[i];

		saved_any |= item_same_domain(&line->item, &wanted) && !settings_is_mark(line);
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

/** Notes what is known already, and reads the rest. An item that nothing was done to yet is as in
 * the baseline, also where that is corrected later. What cannot be read here cannot be read by its
 * step either, which has the message. */
static int read_replaced_values(struct isst_change *change, const struct settings_plan *plan)
{
	size_t count = 0, unknown = 0;
	struct item_access *accesses;
	struct entry **owners;
	int error;

	for (size_t i = 0; i < change->count; i++)
		count += change->steps[i]->settings == plan ? change->steps[i]->count : 0;
	accesses = calloc(count + 1, sizeof(*accesses));
	owners = calloc(count + 1, sizeof(*owners));
	error = accesses && owners ? 0 : -ENOMEM;
	for (size_t i = 0; i < change->count && !error; i++) {
		struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count && step->settings == plan; j++) {
			struct entry *entry = &step->entries[j];
			const struct baseline_item *item = baseline_find(&change->baseline,
									 &entry->item);

			if (!item || !item->value_known)
				continue;
			if (item->moved || item->range_moved) {
				owners[unknown] = entry;
				accesses[unknown++].item = entry->item;
			} else if (!item_value_equal(&entry->item, item->now, item->value)) {
				entry->replaced_known = true;
				entry->replaced = item->now;
			}
		}
	}
	if (!error && unknown > 0)
		error = items_read(change->context, accesses, unknown);
	for (size_t i = 0; i < unknown && !error; i++) {
		owners[i]->replaced_known = !accesses[i].failure.error && !accesses[i].absent;
		owners[i]->replaced = accesses[i].value;
	}
	free(accesses);
	free(owners);
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
