/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares what is wanted with what is there. */
#include "state/compare.h"
#include "base/array.h"
#include "common/memory_stream.h"
#include "features/planning.h"
#include "state/domain_names.h"
#include "state/values.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/baseline.h"

#include <errno.h>
#include <stdlib.h>

enum { KHZ_PER_RATIO = 100000 };

/** A wanted item with what it is. */
struct compared {
	const struct wanted_item *wanted;
	uint64_t present;     /* its bits */
	uint64_t listed_bits; /* what is wanted, as it is listed */
	bool differs;
	bool listed;
};

/** The value of an item where it is known from the facts already; without another driver call. */
static bool find_in_facts(const struct wanted *wanted, const struct wanted_item *item,
			  uint64_t *value)
{
	const struct domain_facts *facts = wanted_facts(wanted, item->domain);
	bool current = facts->level == facts->profile.current_level;
	bool one_switch = wanted->context->firmware.operations->one_core_power_switch;

	switch (item->item.kind) {
	case ITEM_LEVEL:
		*value = facts->profile.current_level;
		return true;
	case ITEM_FEATURES:
		*value = (feature_is_on(&facts->specified, FEATURE_TURBO_FREQ) ? FEATURE_TURBO_FREQ
									       : 0U) |
			 (feature_is_on(&facts->specified, FEATURE_BASE_FREQ) ? FEATURE_BASE_FREQ
									      : 0U);
		return current;
	case ITEM_CORE_POWER:
		*value = facts->core_power.enabled;
		return true;
	case ITEM_QOS:
		*value = ((one_switch ? facts->core_power.enabled : facts->core_power.clos_enabled)
				  ? QOS_CLOS_ENABLE
				  : 0U) |
			 (facts->core_power.priority == ISST_PRIORITY_ORDERED ? QOS_ORDERED : 0U);
		return true;
	default:
		return false;
	}
}

static int read_items(struct wanted *wanted, struct baseline *baseline)
{
	uint64_t value;
	int error = 0;

	for (size_t i = 0; i < wanted->count && !error; i++) {
		const struct wanted_item *item = &wanted->items[i];

		if (!item->implied && !find_in_facts(wanted, item, &value))
			error = baseline_add(baseline, &item->item, true);
	}
	return error ? error : baseline_read(baseline, wanted->context, false);
}

/** What was read, or why it could not be: a problem, unless the change does without as well.
 * Returns 0, -ENODATA or -ENOMEM. */
static int take_value(struct wanted *wanted, const struct baseline *baseline,
		      struct compared *compared)
{
	const struct wanted_item *item = compared->wanted;
	const struct baseline_item *read;
	int error;

	if (find_in_facts(wanted, item, &compared->present))
		return 0;
	read = baseline_find(baseline, &item->item);
	if (read && read->value_known) {
		compared->present = read->value.number;
		return 0;
	}
	if (item->optional)
		return -ENODATA;
	if (read && read->failure.error)
		error = wanted_fails(wanted, item->setting, NULL, &read->failure);
	else if (item_is_limit(&item->item))
		error = wanted_reject(wanted, item->setting, NULL, -EOPNOTSUPP,
				      "CPU %u has no cpufreq limits (no cpufreq driver, or it is "
				      "going offline)",
				      item->item.index);
	else
		error = wanted_reject(wanted, item->setting, NULL, -EOPNOTSUPP,
				      "%s: not supported on this machine",
				      item_describe(wanted->context, &item->item));
	return error ? error : -ENODATA;
}

/** A limit of cpufreq outside of what the processor has reads as what the kernel makes of it; an
 * end of its range is listed as that, too. */
static int clamp(struct wanted *wanted, struct compared *compared, uint64_t *bits)
{
	const struct item *item = &compared->wanted->item;
	int error;

	if (!item_is_limit(item) || compared->present == *bits)
		return 0;
	error = cpufreq_clamp(&wanted->context->files, item->index,
			      item->kind == ITEM_SCALING_MAX ? CPUFREQ_MAX : CPUFREQ_MIN, *bits,
			      bits);
	if (!error && wanted_is_end_of_range(compared->wanted))
		compared->listed_bits = *bits;
	return error;
}

static int compare_item(struct wanted *wanted, const struct baseline *baseline,
			struct compared *compared)
{
	const struct wanted_item *item = compared->wanted;
	uint64_t bits = item->bits;
	int error;

	if (item->implied)
		return 0;
	compared->listed_bits = bits;
	error = take_value(wanted, baseline, compared);
	if (error)
		return error == -ENODATA ? 0 : error;
	if (item->item.kind == ITEM_SCALING_MAX || item->item.kind == ITEM_SCALING_MIN)
		error = clamp(wanted, compared, &bits);
	/* A CPU that went offline meanwhile has no limits. */
	if (error)
		return error == -ENOENT ? 0 : error;
	/* The kernel counts in ratios, and rounds down. */
	if (item->item.kind == ITEM_UNCORE_MAX || item->item.kind == ITEM_UNCORE_MIN)
		compared->differs = compared->present / KHZ_PER_RATIO != bits / KHZ_PER_RATIO;
	else
		compared->differs = (compared->present ^ bits) & item->mask;
	return 0;
}

/* ---- The list ---- */

/** Whether two differences are listed as one: of CPUs or domains with the same present value, for
 * which the same is wanted. */
static bool is_alike(const struct compared *one, const struct compared *other)
{
	enum item_kind kind = one->wanted->item.kind;

	/* Of others the index is where they are. */
	if ((kind == ITEM_CLOS || kind == ITEM_UNCORE_MAX || kind == ITEM_UNCORE_MIN) &&
	    one->wanted->item.index != other->wanted->item.index)
		return false;
	return other->differs && !other->listed && other->wanted->subject == one->wanted->subject &&
	       other->wanted->setting == one->wanted->setting &&
	       other->listed_bits == one->listed_bits && other->present == one->present;
}

/** `CPU 0-3,64-67`, of all that differ alike. */
static int name_cpus(const struct wanted *wanted, struct compared *compared, size_t count,
		     FILE *stream)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	char *list = NULL;
	int error = cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		if (i > 0 && !is_alike(compared, &compared[i]))
			continue;
		error = wanted_item_cpus(wanted->context, compared[i].wanted, cpus);
		compared[i].listed = true;
	}
	if (!error)
		list = isst_cpuset_to_list(cpus);
	if (list)
		fprintf(stream, "CPU %s", list);
	isst_cpuset_free(cpus);
	free(list);
	return list ? 0 : -ENOMEM;
}

/** `package 0-1, power domain 0`, of all that differ alike. */
static int name_domains(struct compared *compared, size_t count, FILE *stream)
{
	const struct isst_domain **domains = calloc(count, sizeof(*domains));
	size_t named = 0;
	int error;

	if (!domains)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && !is_alike(compared, &compared[i]))
			continue;
		domains[named++] = compared[i].wanted->domain;
		compared[i].listed = true;
	}
	error = domain_names_write(stream, domains, named);
	free(domains);
	return error;
}

static int make_target(const struct wanted *wanted, struct compared *compared, size_t count,
		       char **target)
{
	const struct wanted_item *item = compared->wanted;
	struct memory_stream stream;
	int error = memory_stream_open(&stream);

	if (error)
		return error;
	if (subject_is_of_cpus(item->subject))
		error = name_cpus(wanted, compared, count, stream.stream);
	else
		error = name_domains(compared, count, stream.stream);
	fputs(": ", stream.stream);
	subject_write(stream.stream, item->subject, item->item.index);
	*target = memory_stream_text(&stream);
	return error || !*target ? -ENOMEM : 0;
}

void difference_clear(struct difference *difference)
{
	free(difference->target);
	free(difference->wanted);
	free(difference->present);
	*difference = (struct difference){ 0 };
}

/** @count: of those from this one on. */
static int list_difference(const struct wanted *wanted, struct compared *compared, size_t count,
			   struct differences *differences)
{
	const struct wanted_item *item = compared->wanted;
	struct difference difference = { .origin = item->setting->origin };
	int error = make_target(wanted, compared, count, &difference.target);

	if (!error)
		error = wanted_value_text(item, compared->listed_bits, &difference.wanted);
	if (!error)
		error = wanted_value_text(item, compared->present, &difference.present);
	if (error) {
		difference_clear(&difference);
		return error;
	}
	return differences_add(differences, &difference);
}

int differences_add(struct differences *differences, struct difference *difference)
{
	if (!difference->target || !difference->wanted || !difference->present ||
	    ARRAY_GROW(differences->items, differences->count)) {
		difference_clear(difference);
		return -ENOMEM;
	}
	differences->items[differences->count++] = *difference;
	*difference = (struct difference){ 0 };
	return 0;
}

int wanted_compare(struct wanted *wanted, struct differences *differences)
{
	struct compared *compared = calloc(wanted->count + 1, sizeof(*compared));
	struct baseline baseline = { 0 };
	int error = compared ? 0 : -ENOMEM;

	*differences = (struct differences){ 0 };
	if (!error)
		error = read_items(wanted, &baseline);
	for (size_t i = 0; i < wanted->count && !error; i++) {
		compared[i].wanted = &wanted->items[i];
		error = compare_item(wanted, &baseline, &compared[i]);
	}
	for (size_t i = 0; i < wanted->count && !error; i++)
		if (compared[i].differs && !compared[i].listed)
			error = list_difference(wanted, &compared[i], wanted->count - i,
						differences);
	baseline_clear(&baseline);
	free(compared);
	return error ? error : wanted->error;
}

void differences_clear(struct differences *differences)
{
	for (size_t i = 0; i < differences->count; i++)
		difference_clear(&differences->items[i]);
	free(differences->items);
	*differences = (struct differences){ 0 };
}
