/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares what is wanted with what is there. */
#include "state/compare.h"
#include "base/array.h"
#include "common/memory_stream.h"
#include "common/numbered.h"
#include "features/planning.h"
#include "state/wanted.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "topology/topology.h"
#include "transaction/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The list of differences ---- */

/** A wanted item with what it is. */
struct compared {
	const struct wanted_item *wanted;
	uint64_t present;     /* its bits */
	uint64_t listed_bits; /* what is wanted, as it is listed */
	bool differs;
	bool listed;
	bool at_most; /* it is wanted to be no more than that */
};

/** Whether two differences are listed as one: of CPUs or domains with the same present value, for
 * which the same is wanted, be it by several lines of a file. */
static bool is_alike(const struct wanted *wanted, const struct compared *one,
		     const struct compared *other)
{
	const struct origin *first = &one->wanted->setting->origin;
	const struct origin *second = &other->wanted->setting->origin;
	enum item_kind kind = one->wanted->item.kind;

	/* Of others the index is where they are. */
	if ((kind == ITEM_CLOS || kind == ITEM_UNCORE_MAX || kind == ITEM_UNCORE_MIN) &&
	    one->wanted->item.index != other->wanted->item.index)
		return false;
	if (wanted->separate && one->wanted->domain != other->wanted->domain)
		return false;
	/* They are of one setting, or of one source. */
	if (one->wanted->setting != other->wanted->setting &&
	    (first->source != second->source || first->line == 0 || second->line == 0))
		return false;
	return other->differs && !other->listed && other->at_most == one->at_most &&
	       other->wanted->subject == one->wanted->subject &&
	       other->listed_bits == one->listed_bits && other->present == one->present;
}

int join_places(const struct isst_context *context, struct folds *folds)
{
	struct folds machine = { .all = NULL };
	const struct isst_domain *domain;
	int error = 0;

	for (size_t i = 0; (domain = context_domain(context, i)) != NULL && !error; i++)
		error = folds_add(&machine, NULL, "%s", domain->name);
	if (!error)
		error = folds_join(folds, &machine);
	folds_clear(&machine);
	return error;
}

/** What a wanted item is called: an association is not of the core, whose CPUs are named. */
static const char *name_of(const struct wanted *wanted, const struct wanted_item *item)
{
	return item->subject == SUBJECT_ASSOCIATION
		       ? "CLOS"
		       : item_field_name(&wanted->context->messages, wanted->context, &item->item,
					 item->mask);
}

/** Its value in words, to be freed; NULL without memory. */
static char *text_of(const struct wanted *wanted, const struct wanted_item *item, uint64_t bits,
		     bool at_most)
{
	struct messages *messages = &wanted->context->messages;
	const bool lost = messages->lost;
	const char *text;
	char *copy;

	messages->lost = false;
	text = item_field_text(messages, &item->item, item->mask, bits);
	if (messages->lost || asprintf(&copy, "%s%s", at_most ? "at most " : "", text) < 0)
		copy = NULL;
	messages->lost |= lost;
	return copy;
}

/** `CPUs 0-3,64-67: ` or `packages 0-1, power domain 0: `, of all that differ alike, and what. */
static int make_target(const struct wanted *wanted, struct compared *compared, size_t count,
		       struct isst_config_difference *difference)
{
	const struct wanted_item *item = compared->wanted;
	bool of_cpus = subject_is_of_cpus(item->subject);
	struct folds domains = { .all = NULL };
	struct memory_stream stream;
	char *names = NULL;
	int error = 0;

	if (of_cpus) {
		difference->cpus = isst_cpuset_new();
		error = difference->cpus ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < count && !error; i++) {
		const struct wanted_item *other = compared[i].wanted;

		if (i > 0 && !is_alike(wanted, compared, &compared[i]))
			continue;
		error = of_cpus ? wanted_item_cpus(wanted->context, other, difference->cpus)
				: folds_add(&domains, NULL, "%s", other->domain->name);
		compared[i].listed = true;
	}
	if (!error && !of_cpus)
		error = join_places(wanted->context, &domains);
	if (!error)
		names = of_cpus ? name_numbers("CPU", difference->cpus) : folds_text(&domains);
	folds_clear(&domains);
	error = names ? memory_stream_open(&stream) : -ENOMEM;
	if (!error) {
		difference->subject = (size_t)fprintf(stream.stream, "%s: ", names);
		fputs(name_of(wanted, item), stream.stream);
		difference->target = memory_stream_text(&stream);
	}
	free(names);
	return error || !difference->target ? -ENOMEM : 0;
}

void difference_clear(struct isst_config_difference *difference)
{
	free(difference->target);
	free(difference->wanted);
	free(difference->present);
	free(difference->origin_text);
	isst_cpuset_free(difference->lines);
	isst_cpuset_free(difference->cpus);
	*difference = (struct isst_config_difference){ 0 };
}

/** @count: of those from this one on. The lines that state what all that differ alike are not, and
 * their domain, are collected. */
static int list_difference(const struct wanted *wanted, struct compared *compared, size_t count,
			   struct differences *differences)
{
	const struct wanted_item *item = compared->wanted;
	struct isst_config_difference difference = { .origin = item->setting->origin,
						     .domain = item->domain,
						     .lines = isst_cpuset_new() };
	int error = difference.lines ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		unsigned int line = compared[i].wanted->setting->origin.line;

		if (i > 0 && !is_alike(wanted, compared, &compared[i]))
			continue;
		if (compared[i].wanted->domain != difference.domain)
			difference.domain = NULL;
		if (line > 0)
			error = isst_cpuset_add(difference.lines, line, line);
	}
	if (!error)
		error = make_target(wanted, compared, count, &difference);
	if (!error) {
		difference.wanted = text_of(wanted, item, compared->listed_bits, compared->at_most);
		difference.present = text_of(wanted, item, compared->present, false);
	}
	if (error) {
		difference_clear(&difference);
		return error;
	}
	return differences_add(differences, &difference);
}

int differences_add(struct differences *differences, struct isst_config_difference *difference)
{
	if (!difference->target || !difference->wanted || !difference->present ||
	    ARRAY_GROW(differences->items, differences->count)) {
		difference_clear(difference);
		return -ENOMEM;
	}
	differences->items[differences->count++] = *difference;
	*difference = (struct isst_config_difference){ 0 };
	return 0;
}

void differences_clear(struct differences *differences)
{
	for (size_t i = 0; i < differences->count; i++)
		difference_clear(&differences->items[i]);
	free(differences->items);
	*differences = (struct differences){ 0 };
}

/* ---- Comparing ---- */

struct comparison {
	struct wanted *wanted;
	struct baseline baseline;
	struct compared *items; /* of each wanted item, then of @lowers */
	size_t count;
	/* Lower limits of which nothing is stated, and that are above the upper one that is. */
	struct wanted_item *lowers;
	size_t lower_count;
};

/** The value of an item where it is known from the facts already; without another driver call. */
static bool find_in_facts(const struct wanted *wanted, const struct wanted_item *item,
			  uint64_t *value)
{
	const struct domain_snapshot *facts = wanted_facts(wanted, item->domain);
	bool current = facts->level.level == facts->profile.current_level;
	bool one_switch = wanted->context->firmware.operations->one_core_power_switch;

	switch (item->item.kind) {
	case ITEM_LEVEL:
		*value = facts->profile.current_level;
		return true;
	case ITEM_FEATURES:
		*value = (feature_is_on(&facts->level, FEATURE_TURBO_FREQ) ? FEATURE_TURBO_FREQ
									   : 0U) |
			 (feature_is_on(&facts->level, FEATURE_BASE_FREQ) ? FEATURE_BASE_FREQ : 0U);
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

/** What was read, or a problem, unless the machine is without. Returns 0, -ENODATA or -ENOMEM. */
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
	/* An I/O die that refuses has no such thing; one that failed may differ. */
	if (item->optional &&
	    (!read || error_is_absence(read->failure.error) || !read->failure.error))
		return -ENODATA;
	if (read && read->failure.error)
		error = wanted_fails(wanted, item->setting, NULL, &read->failure);
	else if (item_is_limit(&item->item))
		error = wanted_reject(wanted, item->setting, NULL, -EOPNOTSUPP,
				      "there are no cpufreq limits of CPU %u (no cpufreq driver, "
				      "or it is going offline)",
				      item->item.index);
	else
		error = wanted_reject(wanted, item->setting, NULL, -EOPNOTSUPP,
				      "%s: not supported on this machine",
				      item_describe(wanted->context, &item->item));
	return error ? error : -ENODATA;
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
	/* A limit of cpufreq outside of what the processor has reads as what the kernel makes of
	 * it; an end of its range is listed as that, too. */
	if (item_is_limit(&item->item) && compared->present != bits) {
		error = cpufreq_clamp(&wanted->context->files, item->item.index,
				      item_limit(&item->item), bits, &bits);
		if (!error && wanted_is_end_of_range(item))
			compared->listed_bits = bits;
	}
	/* A CPU that went offline meanwhile has no limits. */
	if (error)
		return error == -ENOENT ? 0 : error;
	compared->differs = (compared->present ^ bits) & item->mask;
	return 0;
}

/** An upper limit cannot become what is wanted below a lower limit that stays: that is a difference
 * of its own, as no change makes it so (plan_scaling_limits()). */
static int compare_lower(struct comparison *comparison, const struct compared *upper)
{
	struct wanted_item *lower = &comparison->lowers[comparison->lower_count];
	struct wanted *wanted = comparison->wanted;
	uint64_t khz;
	int error;

	*lower = *upper->wanted;
	lower->subject = SUBJECT_SCALING_MIN;
	if (!item_counterpart(&upper->wanted->item, &lower->item) ||
	    wanted_find_item(wanted, &lower->item, SUBJECT_SCALING_MIN, 0))
		return 0;
	error = cpufreq_read_limit(&wanted->context->files, lower->item.index, CPUFREQ_MIN, &khz);
	/* One that cannot be read now is no difference that is known. */
	if (error)
		return error == -ENOMEM ? error : 0;
	if (khz <= upper->listed_bits)
		return 0;
	comparison->items[comparison->count++] =
		(struct compared){ .wanted = lower,
				   .present = khz,
				   .listed_bits = upper->listed_bits,
				   .differs = true,
				   .at_most = true };
	comparison->lower_count++;
	return 0;
}

/* ---- All of it ---- */

/** Whether a limit is equal as far as it is shown: it is beyond the range that the processor has
 * now, and reads as its end; or it is no upper limit, and none is shown: nor is one that turbo
 * hides. */
static bool is_equal_as_shown(const struct compared *compared)
{
	const struct wanted_item *item = compared->wanted;

	if (!item_is_limit(&item->item) || compared->differs || item->implied)
		return false;
	if (compared->present != item->bits)
		return !wanted_is_end_of_range(item);
	return item->item.kind == ITEM_SCALING_MAX && item->bits == CPUFREQ_NO_LIMIT;
}

/** Adds a notice if limits are equal only as far as the kernel shows them; where that is not known,
 * they are not known to be equal. CPUs of one kind are alike: one is looked at. Returns 0 or
 * -ENOMEM. */
static int note_unseen(const struct comparison *comparison)
{
	struct isst_context *context = comparison->wanted->context;
	const char *before = context->messages.error;
	struct isst_failure failure = { 0 };
	const struct compared *compared = comparison->items;
	const struct compared *end = compared + comparison->wanted->count;
	enum turbo_state turbo = TURBO_UNKNOWN;
	bool unseen = false;
	int error;

	while (compared < end && !is_equal_as_shown(compared))
		compared++;
	if (compared == end)
		return 0;
	/* It may be another one than it reads as while turbo is off. */
	error = cpufreq_turbo_state(&context->files, &turbo);
	unseen = turbo == TURBO_OFF;
	if (!error && unseen && compared->present == compared->wanted->bits)
		error = cpufreq_hides_limit(&context->files, compared->wanted->item.index, turbo,
					    &unseen);
	if (unseen && !error)
		message_notice(&context->messages, of_machine(),
			       "scaling limits from the base frequency up are not visible while "
			       "turbo is disabled (intel_pstate/no_turbo): those that are wanted "
			       "are not compared");
	if (error && error != -ENOMEM)
		message_failure(&context->messages, &failure, of_machine(), error, "%s",
				isst_error(context));
	context->messages.error = before;
	return failure.error
		       ? wanted_fails(comparison->wanted, compared->wanted->setting, NULL, &failure)
		       : error;
}

int wanted_compare(struct wanted *wanted, struct differences *differences)
{
	struct comparison comparison = { .wanted = wanted, .count = wanted->count };
	struct compared *items = calloc(2 * wanted->count + 1, sizeof(*items));
	uint64_t ignored;
	int error = -ENOMEM;

	*differences = (struct differences){ 0 };
	comparison.items = items;
	comparison.lowers = calloc(wanted->count + 1, sizeof(*comparison.lowers));
	if (items && comparison.lowers)
		error = 0;
	for (size_t i = 0; i < wanted->count && !error; i++) {
		struct item item = wanted->items[i].item;

		if (wanted->items[i].implied || find_in_facts(wanted, &wanted->items[i], &ignored))
			continue;
		/* What is on now is on at the current level, not at the one that is wanted. */
		if (item.kind == ITEM_FEATURES)
			item.index = wanted_facts(wanted, wanted->items[i].domain)
					     ->profile.current_level;
		error = baseline_add(&comparison.baseline, &item, true);
	}
	if (!error)
		error = baseline_read(&comparison.baseline, wanted->context, false);
	for (size_t i = 0; i < wanted->count && !error; i++) {
		items[i].wanted = &wanted->items[i];
		error = compare_item(wanted, &comparison.baseline, &items[i]);
	}
	if (!error)
		error = note_unseen(&comparison);
	for (size_t i = 0; i < wanted->count && !error; i++)
		if (items[i].differs && items[i].wanted->subject == SUBJECT_SCALING_MAX)
			error = compare_lower(&comparison, &items[i]);
	for (size_t i = 0; i < comparison.count && !error; i++)
		if (items[i].differs && !items[i].listed)
			error = list_difference(wanted, &items[i], comparison.count - i,
						differences);
	baseline_clear(&comparison.baseline);
	free(items);
	free(comparison.lowers);
	return error ? error : wanted->error;
}
