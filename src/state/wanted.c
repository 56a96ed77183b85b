/* SPDX-License-Identifier: BSD-3-Clause */
/* What counts at a place, and what is collected of it. */
#include "state/wanted.h"
#include "base/array.h"
#include "features/planning.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values as settings ---- */

void wanted_value_to_setting(const struct wanted_item *item, uint64_t value,
			     struct setting *setting)
{
	uint64_t number = (value & item->mask) >> __builtin_ctzll(item->mask);
	bool none = false;

	setting->wanted = WANTED_NUMBER;
	setting->number = number;
	switch (item->subject) {
	case SUBJECT_CLOS_MIN:
	case SUBJECT_CLOS_MAX:
	case SUBJECT_CLOS_DESIRED:
		setting->number = number * KHZ_PER_RATIO;
		setting->wanted = WANTED_KHZ;
		none = item->subject == SUBJECT_CLOS_MAX && number == NO_LIMIT_RATIO;
		break;
	case SUBJECT_TURBO_RATIO_LIMITS:
		none = number == UINT64_MAX;
		break;
	case SUBJECT_SCALING_MAX:
	case SUBJECT_SCALING_MIN:
		setting->wanted = WANTED_KHZ;
		none = number == (item->subject == SUBJECT_SCALING_MAX ? CPUFREQ_NO_LIMIT : 0);
		break;
	case SUBJECT_UNCORE_MIN:
	case SUBJECT_UNCORE_MAX:
		setting->wanted = WANTED_KHZ;
		break;
	default:
		break;
	}
	if (none)
		setting->wanted = WANTED_NONE;
}

/* ---- Wanted items ---- */

enum { LOWEST_PRIORITY = 15 };

/* ---- What counts ---- */

/** What high priority cores need besides associations. As `turbo-freq enable --auto` sets it. */
static bool imply_by_cores(const struct setting *cores, enum subject subject, unsigned int index,
			   struct wish *wish)
{
	switch (subject) {
	case SUBJECT_TURBO_FREQ:
	case SUBJECT_CORE_POWER:
		*wish = (struct wish){ WANTED_NUMBER, 1, cores };
		return true;
	case SUBJECT_PRIORITY:
		*wish = (struct wish){ WANTED_NUMBER, ISST_PRIORITY_ORDERED, cores };
		return true;
	case SUBJECT_CLOS_MIN:
		*wish = (struct wish){ WANTED_KHZ, 0, cores };
		return true;
	case SUBJECT_CLOS_MAX:
		*wish = (struct wish){ WANTED_NONE, 0, cores };
		return true;
	case SUBJECT_CLOS_EPP:
	case SUBJECT_CLOS_WEIGHT:
		*wish = (struct wish){ WANTED_NUMBER, index > 0 ? LOWEST_PRIORITY : 0, cores };
		return true;
	default:
		return false;
	}
}

bool resolve_wish(const struct wanted *wanted, enum subject subject,
		  const struct isst_domain *domain, unsigned int index, struct wish *wish)
{
	const struct setting *setting = NULL;

	if (wanted->stated >> subject & 1)
		setting = domain_setting(wanted->context, wanted->configuration, subject, domain,
					 index);
	if (setting) {
		*wish = (struct wish){ setting->wanted, setting->number, setting };
		return setting->wanted != WANTED_UNMANAGED;
	}
	/* Where it has a switch of its own, it goes with core-power. */
	if (subject == SUBJECT_CLOS_ENABLE)
		return resolve_wish(wanted, SUBJECT_CORE_POWER, domain, index, wish);
	setting = wanted->cores[domain->index];
	return setting && imply_by_cores(setting, subject, index, wish);
}

bool resolve_cpu_wish(const struct wanted *wanted, enum subject subject, const struct isst_cpu *cpu,
		      struct wish *wish)
{
	const struct place place = { .package = cpu->domain->package,
				     .power_domain = domain_number(wanted->context, cpu->domain),
				     .cpu = cpu->number,
				     .index = INDEX_ALL };
	const struct setting *setting = NULL;

	if (wanted->stated >> subject & 1)
		setting = configuration_find(wanted->configuration, subject, &place);
	if (setting)
		*wish = (struct wish){ setting->wanted, setting->number, setting };
	return setting && setting->wanted != WANTED_UNMANAGED;
}

/* ---- What is collected ---- */

static bool is_same_origin(const struct origin *one, const struct origin *other)
{
	return one->source == other->source && one->line == other->line;
}

/** Adds a skip of an optional setting, or one more reason to that of its line. */
static int add_skip(struct wanted *wanted, size_t *skip, const struct setting *setting, int error,
		    const char *text)
{
	if (*skip == 0) {
		if (ARRAY_GROW(wanted->skips, wanted->skip_count))
			return -ENOMEM;
		wanted->skips[wanted->skip_count] =
			(struct skip){ setting->origin, error, { .all = NULL } };
		*skip = ++wanted->skip_count;
	}
	return folds_add(&wanted->skips[*skip - 1].reasons, NULL, "%s", text);
}

/** Adds what stands against a setting: a skip where it is optional and the machine without, else a
 * problem, unless its line has one by now. */
static int add_problem(struct wanted *wanted, const struct setting *setting, int error,
		       const char *text)
{
	struct configuration *configuration = wanted->configuration;
	size_t line = (size_t)(setting - configuration->settings);

	/* Settings of a line stand next to each other: its mark is that of the first one. */
	while (line > 0 &&
	       is_same_origin(&configuration->settings[line - 1].origin, &setting->origin))
		line--;
	if (!wanted->marks)
		wanted->marks = calloc(configuration->setting_count, sizeof(*wanted->marks));
	if (!wanted->marks)
		return -ENOMEM;
	if (setting->optional && error_is_absence(error))
		return add_skip(wanted, &wanted->marks[line].skip, setting, error, text);
	if (wanted->marks[line].has_problem)
		return 0;
	wanted->marks[line].has_problem = true;
	if (!wanted->error)
		wanted->error = error;
	error = configuration_problem(configuration, setting->origin, "%s", text);
	return error == -ENOMEM ? error : 0;
}

/** Whether a domain without CPUs just follows the others. */
static bool is_follower(const struct setting *setting, const struct isst_domain *domain)
{
	return domain && isst_domain_is_io(domain) && !setting_names_domain(setting);
}

/** Adds a text once. Returns 0 or -ENOMEM. */
static int note(const char ***texts, size_t *count, const char *why)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp((*texts)[i], why) == 0)
			return 0;
	if (ARRAY_GROW(*texts, *count))
		return -ENOMEM;
	(*texts)[(*count)++] = why;
	return 0;
}

int wanted_note_unsupported(struct wanted *wanted, const char *why)
{
	return note(&wanted->unsupported, &wanted->unsupported_count, why);
}

int wanted_fails(struct wanted *wanted, const struct setting *setting,
		 const struct isst_domain *domain, const struct isst_failure *failure)
{
	if (is_follower(setting, domain) && error_is_absence(failure->error))
		return 0;
	/* A change goes on without it; a comparison would call it equal. */
	if (is_follower(setting, domain) && wanted->facts.whole)
		return note(&wanted->left_out, &wanted->left_out_count, failure->message);
	return add_problem(wanted, setting, failure->error, failure->message);
}

int wanted_reject(struct wanted *wanted, const struct setting *setting,
		  const struct isst_domain *domain, int error, const char *format, ...)
{
	struct messages *messages = &wanted->context->messages;
	va_list arguments;
	char *why;
	int length;

	if (error != -EINVAL && is_follower(setting, domain))
		return 0;
	va_start(arguments, format);
	length = vasprintf(&why, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	error = add_problem(wanted, setting, error,
			    message_make_at(messages, of_domain(domain), "%s%s%s",
					    domain ? domain->name : "", domain ? ": " : "", why));
	free(why);
	return error;
}

int wanted_add(struct wanted *wanted, const struct wanted_item *item)
{
	if (ARRAY_GROW(wanted->items, wanted->count) || item_index_add(&wanted->index, &item->item))
		return -ENOMEM;
	wanted->items[wanted->count++] = *item;
	return 0;
}

struct wanted_item *wanted_find_item(const struct wanted *wanted, const struct item *item,
				     enum subject subject, size_t from)
{
	for (size_t i = item_index_first(&wanted->index, item); i != ITEM_NONE;
	     i = item_index_next(&wanted->index, i))
		if (i >= from && wanted->items[i].subject == subject)
			return &wanted->items[i];
	return NULL;
}

/* ---- Turbo-freq ---- */

bool wanted_enables_turbo_freq(const struct wanted *wanted, const struct wanted_item *item)
{
	const struct domain_snapshot *facts = wanted_facts(wanted, item->domain);

	/* Another level begins with it off. */
	return item->subject == SUBJECT_TURBO_FREQ && item->bits &&
	       (facts->level.level != facts->profile.current_level ||
		!feature_is_on(&facts->level, FEATURE_TURBO_FREQ)) &&
	       !configuration_is_state(wanted->configuration, item->setting->origin.source);
}

bool wanted_domain_turbo_freq_on(const struct wanted *wanted, const struct domain_snapshot *domain)
{
	const struct item features = item_of(ITEM_FEATURES, domain->domain, 0);
	const struct wanted_item *item = wanted_find_item(wanted, &features, SUBJECT_TURBO_FREQ, 0);

	if (item)
		return item->bits;
	/* Another level begins with it off. */
	return domain->level.level == domain->profile.current_level &&
	       feature_is_on(&domain->level, FEATURE_TURBO_FREQ);
}

bool wanted_turbo_freq_on(const struct wanted *wanted, unsigned int package)
{
	facts_for_each_domain (domain, &wanted->facts) {
		if (domain->domain->package == package && !isst_domain_is_io(domain->domain) &&
		    wanted_domain_turbo_freq_on(wanted, domain))
			return true;
	}
	return false;
}

/* ---- CPUs ---- */

const struct setting *wanted_cpus(const struct wanted *wanted, const struct isst_domain *domain)
{
	const struct setting *setting;

	if (isst_domain_is_io(domain) || !wanted_facts(wanted, domain)->is_target)
		return NULL;
	setting = domain_setting(wanted->context, wanted->configuration, SUBJECT_CPUS, domain,
				 INDEX_ALL);
	return setting && setting->wanted != WANTED_UNMANAGED ? setting : NULL;
}

bool wanted_online(const struct wanted *wanted, const struct domain_snapshot *domain,
		   unsigned int cpu)
{
	const struct setting *setting = wanted_cpus(wanted, domain->domain);

	if (!setting)
		return false;
	switch (setting->wanted) {
	case WANTED_ALL_ONLINE:
	case WANTED_ISOLATED:
		return true;
	case WANTED_OF_LEVEL:
		return isst_cpuset_has(domain->level.cpus, cpu);
	default:
		return !isst_cpuset_has(setting->cpus, cpu);
	}
}

bool wanted_changes_level(const struct wanted *wanted, const struct wanted_item *item)
{
	const struct domain_snapshot *facts = wanted_facts(wanted, item->domain);

	return facts->level.level != facts->profile.current_level;
}

int wanted_item_cpus(const struct isst_context *context, const struct wanted_item *item,
		     struct isst_cpuset *cpus)
{
	unsigned int number;
	int error = 0;

	if (item->subject != SUBJECT_ASSOCIATION)
		return isst_cpuset_add(cpus, item->item.index, item->item.index);
	isst_cpuset_for_each (number, item->domain->present) {
		const struct isst_cpu *cpu = context_cpu(context, number);

		if (cpu && !error && cpu->core_known && cpu->core == item->item.index)
			error = isst_cpuset_add(cpus, number, number);
	}
	return error;
}

void wanted_clear(struct wanted *wanted)
{
	facts_clear(&wanted->facts);
	free(wanted->items);
	item_index_clear(&wanted->index);
	free(wanted->left_out);
	free(wanted->marks);
	free(wanted->unsupported);
	free(wanted->cores);
	configuration_clear(&wanted->boot);
	for (size_t i = 0; i < wanted->skip_count; i++)
		folds_clear(&wanted->skips[i].reasons);
	free(wanted->skips);
	isst_cpuset_free(wanted->high_priority);
	*wanted = (struct wanted){ 0 };
}
