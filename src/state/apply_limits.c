/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of cpufreq and of the uncore that are wanted, as requests of each CPU and fabric. */
#include "features/plan.h"
#include "state/apply.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <errno.h>
#include <stdlib.h>

/** The settings that the two limits of a request are of; NULL: it is kept. */
struct limit_settings {
	const struct setting *min, *max;
};

/** A limit of cpufreq or of the uncore as planning takes it. */
static void take(const struct wanted_item *item, struct frequency_limits *limits,
		 struct limit_settings *settings)
{
	bool max = item->subject == SUBJECT_SCALING_MAX || item->subject == SUBJECT_UNCORE_MAX;
	uint64_t none = item->subject == SUBJECT_SCALING_MAX ? CPUFREQ_NO_LIMIT : 0;

	*(max ? &limits->max_khz : &limits->min_khz) = item->bits == none ? LIMIT_NONE : item->bits;
	*(max ? &settings->max : &settings->min) = item->setting;
}

/** What stands against limits: what the machine is without is a problem of both.
 * @of_max: the failure is about the upper one */
static int note_failure(struct wanted *wanted, const struct limit_settings *settings, bool of_max,
			const struct isst_failure *failure)
{
	bool both = error_is_absence(failure->error);
	int error = 0;

	if (!failure->error)
		return 0;
	if (settings->min && (both || !of_max || !settings->max))
		error = wanted_fails(wanted, settings->min, NULL, failure);
	if (!error && settings->max && (both || of_max || !settings->min))
		error = wanted_fails(wanted, settings->max, NULL, failure);
	return error;
}

/** Finds the request for what a limit is of, by its upper one; a new one is the last. Returns 0 or
 * -ENOMEM. */
static int find_request(struct item_index *requests, const struct wanted_item *limit, size_t *at)
{
	struct item item = limit->item;

	if (item.kind == ITEM_SCALING_MIN || item.kind == ITEM_UNCORE_MIN)
		item_counterpart(&limit->item, &item);
	*at = item_index_first(requests, &item);
	if (*at != ITEM_NONE)
		return 0;
	*at = requests->count;
	return item_index_add(requests, &item);
}

/** A state holds what some machine had: neither kernel nor firmware compares the two. */
static bool may_cross(const struct wanted *wanted, const struct limit_settings *settings)
{
	const struct configuration *configuration = wanted->configuration;

	return settings->min && settings->max &&
	       configuration_is_state(configuration, settings->min->origin.source) &&
	       configuration_is_state(configuration, settings->max->origin.source);
}

int wanted_plan_limits(struct wanted *wanted, struct isst_change *change, enum subject min,
		       enum subject max)
{
	struct limit_request *requests = calloc(wanted->count + 1, sizeof(*requests));
	struct limit_settings *settings = calloc(wanted->count + 1, sizeof(*settings));
	struct item_index index = { 0 };
	size_t count = 0;
	int error = requests && settings ? 0 : -ENOMEM;

	for (size_t i = 0; i < wanted->count && !error; i++) {
		const struct wanted_item *item = &wanted->items[i];
		size_t at;

		if (item->subject != min && item->subject != max)
			continue;
		error = find_request(&index, item, &at);
		if (error)
			break;
		if (at == count)
			requests[count++] = (struct limit_request){
				.cpu = context_cpu(wanted->context, item->item.index),
				.domain = item->domain,
				.fabric = item->item.index,
				.wanted = { LIMIT_KEPT, LIMIT_KEPT },
				.with_package = true
			};
		take(item, &requests[at].wanted, &settings[at]);
	}
	for (size_t i = 0; i < count; i++)
		requests[i].may_cross = may_cross(wanted, &settings[i]);
	if (!error && count > 0)
		error = max == SUBJECT_SCALING_MAX ? plan_scaling_limits(change, requests, count)
						   : plan_uncore_limits(change, requests, count);
	for (size_t i = 0; i < count && !error; i++)
		error = note_failure(wanted, &settings[i], requests[i].of_max,
				     &requests[i].failure);
	item_index_clear(&index);
	free(requests);
	free(settings);
	return error;
}
