/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration cannot have on one machine. Those of any machine are found before
 * (configuration/contradictions.c); here also a word against a number, and a statement of CPUs
 * against one of the package that they are in. */
#include "state/contradictions.h"
#include "base/khz_text.h"
#include "features/planning.h"
#include "state/values.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/** Subjects of limits; those of a minimum are found before its maximum. */
static const struct {
	enum subject min, max;
} LIMITS[] = {
	{ SUBJECT_CLOS_MIN, SUBJECT_CLOS_MAX },
	{ SUBJECT_SCALING_MIN, SUBJECT_SCALING_MAX },
	{ SUBJECT_UNCORE_MIN, SUBJECT_UNCORE_MAX },
};

/** Whether the range of the processor will be another one in a domain. */
static bool range_changes(const struct wanted *wanted, const struct isst_domain *domain)
{
	const struct domain_facts *facts = wanted_facts(wanted, domain);
	const struct item features = item_of(ITEM_FEATURES, domain, 0);
	const struct wanted_item *item;

	if (facts->level != facts->profile.current_level)
		return true;
	item = wanted_find_item(wanted, &features, SUBJECT_BASE_FREQ, 0);
	return item && !item->bits == feature_is_on(&facts->specified, FEATURE_BASE_FREQ);
}

/** The end of the range that a limit is to be at. Returns false where it is not known as yet. */
static bool find_end(const struct wanted *wanted, const struct wanted_item *item, uint64_t *khz)
{
	enum cpufreq_limit limit = item_limit(&item->item);

	return !range_changes(wanted, item->domain) &&
	       !cpufreq_clamp(&wanted->context->files, item->item.index, limit, item->bits, khz);
}

/** The frequency that is wanted of an item, in kHz. Returns false where it is no limit, or not
 * known. */
static bool frequency(const struct wanted *wanted, const struct wanted_item *item,
		      unsigned long long *khz)
{
	struct setting setting = { .subject = item->subject };
	uint64_t bits = item->bits;

	if (wanted_is_end_of_range(item) && !find_end(wanted, item, &bits))
		return false;
	wanted_value_to_setting(item, bits, &setting);
	*khz = setting.number;
	return setting.wanted == WANTED_KHZ;
}

static bool is_saved(const struct wanted *wanted, const struct wanted_item *item)
{
	return configuration_is_state(wanted->configuration, item->setting->origin.source);
}

static bool is_later(const struct origin *one, const struct origin *other)
{
	return one->source != other->source ? one->source > other->source : one->line > other->line;
}

static int compare_limits(struct wanted *wanted, const struct wanted_item *min,
			  const struct wanted_item *max)
{
	const struct setting *setting = min->setting;
	bool of_cpu = subject_is_of_cpus(min->subject);
	unsigned long long min_khz, max_khz;
	char limits[] = "CLOS 4294967295: uncore fabric ", min_text[KHZ_TEXT], max_text[KHZ_TEXT];

	if (!frequency(wanted, min, &min_khz) || !frequency(wanted, max, &max_khz) ||
	    min_khz <= max_khz || (is_saved(wanted, min) && is_saved(wanted, max)))
		return 0;
	if (is_later(&max->setting->origin, &setting->origin))
		setting = max->setting;
	if (of_cpu)
		snprintf(limits, sizeof(limits), "CPU %u: scaling ", min->item.index);
	else if (min->subject == SUBJECT_CLOS_MIN)
		snprintf(limits, sizeof(limits), "CLOS %u: ", min->item.index);
	else
		snprintf(limits, sizeof(limits), "uncore fabric %u: ", min->item.index);
	return wanted_contradicts(wanted, setting, of_cpu ? NULL : min->domain,
				  "%smin %s is above %smax %s", limits, khz_text(min_khz, min_text),
				  of_cpu ? "scaling " : "", khz_text(max_khz, max_text));
}

/** The same limit of the same thing; NULL where it is not wanted. */
static const struct wanted_item *find_max(const struct wanted *wanted,
					  const struct wanted_item *min, enum subject max)
{
	struct item item;

	item_counterpart(&min->item, &item);
	/* Minimum and maximum of a CLOS are one item. */
	if (min->subject == SUBJECT_CLOS_MIN)
		item = min->item;
	return wanted_find_item(wanted, &item, max, (size_t)(min - wanted->items));
}

int wanted_find_contradictions(struct wanted *wanted)
{
	int error = 0;

	for (size_t i = 0; i < wanted->count && !error; i++)
		for (size_t j = 0; j < sizeof(LIMITS) / sizeof(LIMITS[0]) && !error; j++)
			if (wanted->items[i].subject == LIMITS[j].min) {
				const struct wanted_item *min = &wanted->items[i];
				const struct wanted_item *max = find_max(wanted, min,
									 LIMITS[j].max);

				error = max ? compare_limits(wanted, min, max) : 0;
			}
	return error;
}
