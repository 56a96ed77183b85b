/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of classes of service as a change is going to leave them: of what is stated, and of what
 * stays. */
#include "base/array.h"
#include "features/planning.h"
#include "state/apply_parts.h"

#include <errno.h>
#include <stdlib.h>

enum { MHZ_PER_RATIO = 100, MIN_SHIFT = 8, MAX_SHIFT = 16, RATIO_MASK = 0xff };

/** A CLOS of which a limit is stated. */
struct clos_limits {
	struct isst_clos values;	     /* with what stays, once that was read */
	const struct wanted_item *min, *max; /* NULL: it stays as it is */
};

struct clos_list {
	struct clos_limits *items;
	size_t count;
};

static unsigned int limit_mhz(const struct wanted_item *item, unsigned int shift)
{
	return (unsigned int)(item->bits >> shift & RATIO_MASK) * MHZ_PER_RATIO;
}

static struct clos_limits *find(struct clos_list *list, const struct wanted_item *item)
{
	size_t i = 0;

	while (i < list->count && (list->items[i].values.domain != item->domain ||
				   list->items[i].values.clos != item->item.index))
		i++;
	if (i < list->count)
		return &list->items[i];
	if (ARRAY_GROW(list->items, list->count))
		return NULL;
	list->items[list->count++] = (struct clos_limits){ .values = { .domain = item->domain,
								       .clos = item->item.index } };
	return &list->items[i];
}

/** Finds what is stated. A state holds what some machine had, however odd. */
static int find_stated(const struct wanted *wanted, struct clos_list *list)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		bool min = item->subject == SUBJECT_CLOS_MIN;
		struct clos_limits *limits;

		if ((!min && item->subject != SUBJECT_CLOS_MAX) ||
		    configuration_is_state(wanted->configuration, item->setting->origin.source))
			continue;
		limits = find(list, item);
		if (!limits)
			return -ENOMEM;
		*(min ? &limits->min : &limits->max) = item;
	}
	return 0;
}

/** Reads what stays. Where that cannot be read, the write that keeps it is going to fail. */
static int read_kept(struct isst_context *context, struct clos_list *list)
{
	struct isst_clos *kept = calloc(list->count + 1, sizeof(*kept));
	size_t count = 0;
	int error = kept ? 0 : -ENOMEM;

	for (size_t i = 0; i < list->count && !error; i++)
		if (!list->items[i].min || !list->items[i].max)
			kept[count++] = list->items[i].values;
	if (!error && count > 0)
		error = clos_read(context, kept, count);
	count = 0;
	for (size_t i = 0; i < list->count && !error; i++)
		if (!list->items[i].min || !list->items[i].max)
			list->items[i].values = kept[count++];
	free(kept);
	return error;
}

/** As `core-power config` has it. */
static int check(struct wanted *wanted, struct isst_change *change, struct clos_limits *limits)
{
	struct isst_clos *values = &limits->values;
	unsigned int min, max;

	if (values->failure.error)
		return 0;
	min = limits->min ? limit_mhz(limits->min, MIN_SHIFT) : values->min_mhz;
	max = limits->max ? limit_mhz(limits->max, MAX_SHIFT) : values->max_mhz;
	if (min > max && limits->min && !limits->max)
		return wanted_reject(wanted, limits->min->setting, values->domain, -EIO,
				     "CLOS %u: min %u MHz is above its max of %u MHz, which is not "
				     "stated and stays",
				     values->clos, min, max);
	if (min > max && limits->max && !limits->min)
		return wanted_reject(wanted, limits->max->setting, values->domain, -EIO,
				     "CLOS %u: max %u MHz is below its min of %u MHz, which is not "
				     "stated and stays",
				     values->clos, max, min);
	values->min_mhz = limits->min ? min : 0;
	values->max_mhz = limits->max ? max : ISST_CLOS_NO_LIMIT_MHZ;
	warn_of_clos_range(change, values->domain, values, "max none");
	return 0;
}

int wanted_check_clos(struct wanted *wanted, struct isst_change *change)
{
	struct clos_list list = { 0 };
	int error = find_stated(wanted, &list);

	if (!error)
		error = read_kept(wanted->context, &list);
	for (size_t i = 0; i < list.count && !error; i++)
		error = check(wanted, change, &list.items[i]);
	free(list.items);
	return error;
}
