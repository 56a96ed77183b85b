/* SPDX-License-Identifier: BSD-3-Clause */
/* What a change must not do to classes, priorities and turbo-freq, and what it warns of. */
#include "base/array.h"
#include "common/judge.h"
#include "common/numbered.h"
#include "features/features.h"
#include "features/high_priority.h"
#include "firmware/platform.h"
#include "state/apply.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"
#include "transaction/saved_settings.h"
#include "transaction/steps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* ---- Limits of cpufreq below the turbo frequency ---- */

struct low_limits {
	struct low_limit *limits;
	size_t count;
};

/** CPUs of high priority with the same limit of cpufreq, below the same turbo frequency. */
struct low_limit {
	uint64_t khz;
	unsigned int best_mhz;
	struct isst_cpuset *cpus;
};

/** Adds the CPUs of high priority of a domain whose upper limit, as the steps planned so far leave
 * it, is below the turbo frequency of SST-TF. @level: with ISST_LEVELS_TURBO_FREQ. Returns 0
 * or -ENOMEM. */
static int low_limits_find(struct isst_change *change, const struct isst_level *level,
			   const struct isst_cpuset *high_priority, struct low_limits *low)
{
	const struct isst_value *best = &level->turbo_freq_info.mhz[0][0];
	struct kernel_files *files = &change->context->files;
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, level->domain->online) {
		const struct item item = item_of(ITEM_SCALING_MAX, level->domain, cpu);
		size_t i = 0;
		uint64_t khz;

		if (error || !isst_cpuset_has(high_priority, cpu) || best->state != ISST_KNOWN)
			continue;
		/* CPUs without cpufreq have no limits. */
		if (cpufreq_read_limit(files, cpu, CPUFREQ_MAX, &khz))
			continue;
		change_project(change, &item, &khz);
		if ((khz == LIMIT_LOWEST && cpufreq_read(files, cpu, "cpuinfo_min_freq", &khz)) ||
		    khz == CPUFREQ_NO_LIMIT || khz >= best->value * UINT64_C(1000))
			continue;
		while (i < low->count &&
		       (low->limits[i].khz != khz || low->limits[i].best_mhz != best->value))
			i++;
		if (i == low->count) {
			if (ARRAY_GROW(low->limits, low->count))
				return -ENOMEM;
			low->limits[low->count++] = (struct low_limit){ khz, best->value,
									isst_cpuset_new() };
		}
		error = low->limits[i].cpus ? isst_cpuset_add(low->limits[i].cpus, cpu, cpu)
					    : -ENOMEM;
	}
	return error;
}

/* ---- Classes of service ---- */

enum { MIN_SHIFT = 8, MAX_SHIFT = 16, RATIO_MASK = 0xff };

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

/** Finds what is stated. A state holds what some machine had, however odd. */
static int find_stated(const struct wanted *wanted, struct clos_list *list)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		bool min = item->subject == SUBJECT_CLOS_MIN;
		size_t at = 0;

		if ((!min && item->subject != SUBJECT_CLOS_MAX) ||
		    configuration_is_state(wanted->configuration, item->setting->origin.source))
			continue;
		while (at < list->count && (list->items[at].values.domain != item->domain ||
					    list->items[at].values.clos != item->item.index))
			at++;
		if (at == list->count) {
			if (ARRAY_GROW(list->items, list->count))
				return -ENOMEM;
			list->items[list->count++] = (struct clos_limits){
				.values = { .domain = item->domain, .clos = item->item.index }
			};
		}
		*(min ? &list->items[at].min : &list->items[at].max) = item;
	}
	return 0;
}

/** Reads what stays, as requests before will leave it. Where that cannot be read, the write that
 * keeps it is going to fail. */
static int read_kept(const struct isst_change *change, struct clos_list *list)
{
	struct isst_clos *kept = calloc(list->count + 1, sizeof(*kept));
	size_t count = 0;
	int error = kept ? 0 : -ENOMEM;

	for (size_t i = 0; i < list->count && !error; i++)
		if (!list->items[i].min || !list->items[i].max)
			kept[count++] = list->items[i].values;
	if (!error && count > 0)
		error = clos_read(change->context, kept, count);
	count = 0;
	for (size_t i = 0; i < list->count && !error; i++) {
		struct isst_clos *values = &list->items[i].values;

		const struct wanted_item *min = list->items[i].min, *max = list->items[i].max;
		uint64_t word = kept[count].word;

		if (min && max)
			continue;
		change_project(change, min ? &min->item : &max->item, &word);
		values->failure = kept[count++].failure;
		values->min_mhz = (unsigned int)(word >> MIN_SHIFT & RATIO_MASK) * MHZ_PER_RATIO;
		values->max_mhz = (unsigned int)(word >> MAX_SHIFT & RATIO_MASK) * MHZ_PER_RATIO;
	}
	free(kept);
	return error;
}

/** A maximum that no CPU can keep to holds them at their lowest frequency. */
static void warn_of_low_maximum(struct isst_change *change, const struct isst_domain *domain,
				const struct isst_clos *values, uint64_t lowest_khz,
				const char *no_limit)
{
	const char *while_on = change->context->firmware.operations->turbo_freq_uses_clos
				       ? "core-power or turbo-freq is enabled"
				       : "core-power is enabled";

	if (values->max_mhz == 0)
		change_warn(
			change, ISST_MESSAGE_CLOS_MAX_ZERO, of_domain(domain),
			"WARNING: %s: CLOS %u max 0 MHz is not \"no limit\": while %s, its cores "
			"stay at their lowest frequency (for no limit use %s)",
			domain->name, values->clos, while_on, no_limit);
	else if (values->max_mhz * UINT64_C(1000) < lowest_khz)
		change_warn(change, ISST_MESSAGE_CLOS_MAX_ZERO, of_domain(domain),
			    "WARNING: %s: CLOS %u max %u MHz is below the lowest frequency of its "
			    "CPUs (%llu MHz): while %s, its cores stay at that frequency",
			    domain->name, values->clos, values->max_mhz,
			    (unsigned long long)lowest_khz / 1000, while_on);
}

static void warn_of_clos_range(struct isst_change *change, const struct isst_domain *domain,
			       const struct isst_clos *values, const char *no_limit)
{
	struct kernel_files *files = &change->context->files;
	uint64_t lowest_khz, highest_khz;

	if (!domain->has_cpu)
		return;
	if (cpufreq_read(files, domain->cpu, "cpuinfo_min_freq", &lowest_khz))
		lowest_khz = 0;
	warn_of_low_maximum(change, domain, values, lowest_khz, no_limit);
	if (cpufreq_read(files, domain->cpu, "cpuinfo_max_freq", &highest_khz) == 0 &&
	    values->min_mhz * UINT64_C(1000) > highest_khz)
		change_warn(change, ISST_MESSAGE_CLOS_MIN_TOO_HIGH, of_domain(domain),
			    "%s: CLOS %u min %u MHz is above the highest frequency of its CPUs "
			    "(%llu MHz)",
			    domain->name, values->clos, values->min_mhz,
			    (unsigned long long)highest_khz / 1000);
}

static int check_limits(struct wanted *wanted, struct clos_limits *limits)
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
	warn_of_clos_range(wanted->change, values->domain, values,
			   wanted->is_command ? "--max none" : "max none");
	return 0;
}

int wanted_check_clos(struct wanted *wanted)
{
	struct clos_list list = { 0 };
	int error = find_stated(wanted, &list);

	if (!error)
		error = read_kept(wanted->change, &list);
	for (size_t i = 0; i < list.count && !error; i++)
		error = check_limits(wanted, &list.items[i]);
	free(list.items);
	return error;
}

/* ---- Priorities ---- */

/** Number of cores of a domain. */
static unsigned int count_cores(const struct isst_context *context,
				const struct isst_domain *domain)
{
	uint64_t cores = 0;
	unsigned int number;

	isst_cpuset_for_each (number, domain->present) {
		const struct isst_cpu *cpu = context_cpu(context, number);

		if (cpu && cpu->core_known && cpu->core < 64)
			cores |= UINT64_C(1) << cpu->core;
	}
	return (unsigned int)__builtin_popcountll(cores);
}

/** Whether turbo-freq is stated to be on in a domain. A state holds what some machine had. */
static bool states_turbo_freq(const struct wanted *wanted, const struct isst_domain *domain)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];

		if (item->subject == SUBJECT_TURBO_FREQ && item->domain == domain)
			return item->bits && !configuration_is_state(wanted->configuration,
								     item->setting->origin.source);
	}
	return false;
}

void wanted_warn_of_priorities(const struct wanted *wanted)
{
	const struct isst_platform *platform = &wanted->context->platform;
	const struct facts *facts = &wanted->facts;

	for (size_t i = 0; i < facts->count; i++) {
		unsigned int package = facts->domains[i].domain->package;
		unsigned int cores = 0, stated = 0, high = 0;
		const struct isst_turbo_freq *info = NULL;
		bool first = true;

		for (size_t j = 0; j < facts->count; j++) {
			const struct isst_domain *domain = facts->domains[j].domain;

			first &= j >= i || domain->package != package;
			if (domain->package != package || isst_domain_is_io(domain) ||
			    !states_turbo_freq(wanted, domain))
				continue;
			if (!info)
				info = &facts->domains[j].level.turbo_freq_info;
			cores += count_cores(wanted->context, domain);
			for (size_t k = 0; k < wanted->count; k++)
				if (wanted->items[k].subject == SUBJECT_ASSOCIATION &&
				    wanted->items[k].domain == domain) {
					stated++;
					high += wanted->items[k].bits <= LAST_HIGH_CLOS;
				}
		}
		if (!first || stated == 0)
			continue;
		if (high == 0 && stated == cores && !wanted->is_command)
			change_warn(
				wanted->change, ISST_MESSAGE_NO_HIGH_PRIORITY_CPUS,
				of_package(package),
				"package %u: no core is in CLOS 0 or 1: none has high priority or a "
				"higher turbo frequency",
				package);
		if (high > 0 && info->buckets > 0 &&
		    high > info->high_priority_cores[info->buckets - 1]) {
			char *buckets = turbo_freq_buckets_text(platform, info);

			change_warn(
				wanted->change, ISST_MESSAGE_BUCKET_OVERFULL, of_package(package),
				"package %u: %u %s have high priority, more than the level provides "
				"a higher turbo frequency for (%s): turbo frequencies can be lower "
				"than those of any bucket",
				package, high, platform_cores_word(platform, high),
				buckets ? buckets : "");
			free(buckets);
		}
	}
}

/** Finds the classes of a domain that `enable --auto` of a feature has set otherwise; @moves: or
 * the associations, of which only those are saved that it had to write. */
static int find_replaced(const struct wanted *wanted, const struct domain_snapshot *facts,
			 const char *name, const struct item_lines *saved,
			 struct isst_cpuset *classes, bool *moves)
{
	int error = 0;

	for (size_t i = 0; i < saved->count && !error; i++) {
		const struct item *item = &saved->items[i].item;

		if (!settings_is_of(&saved->items[i], name, facts->domain,
				    facts->profile.current_level))
			continue;
		for (size_t j = item_index_first(&wanted->index, item); j != ITEM_NONE && !error;
		     j = item_index_next(&wanted->index, j)) {
			const struct wanted_item *by = &wanted->items[j];

			if (!((saved->items[i].written.number ^ by->bits) & by->mask) ||
			    configuration_is_state(wanted->configuration,
						   by->setting->origin.source))
				continue;
			if (item->kind == ITEM_CLOS)
				error = isst_cpuset_add(classes, item->index, item->index);
			*moves |= item->kind == ITEM_ASSOCIATION;
		}
	}
	return error;
}

static int warn_of_replaced(const struct wanted *wanted, const struct domain_snapshot *facts,
			    unsigned int feature, const struct item_lines *saved)
{
	struct isst_cpuset *classes = isst_cpuset_new();
	const char *name = feature_name(feature), *back = "";
	bool moves = false;
	int error = classes ? find_replaced(wanted, facts, name, saved, classes, &moves) : -ENOMEM;
	char *list = error ? NULL : name_numbers("CLOS", classes);
	bool any = list && isst_cpuset_count(classes) > 0;

	if (wanted->is_command)
		back = message_make(&wanted->change->texts, "; %s disable --auto restores them",
				    feature_name(other_feature(feature)));
	else if (!wanted->change->options.hold)
		back = message_make(&wanted->change->texts, "; %s enable --auto sets them again",
				    name);
	if (any || moves)
		change_warn(wanted->change, ISST_MESSAGE_HIGH_PRIORITY_LOST,
			    of_domain(facts->domain),
			    "%s: %s%s%s, which %s enable --auto has set, are replaced%s",
			    facts->domain->name, any ? list : "", any && moves ? " and " : "",
			    moves ? "associations of CPUs" : "", name, back ? back : "");
	if (!error && !list)
		error = -ENOMEM;
	free(list);
	isst_cpuset_free(classes);
	return error;
}

int wanted_warn_of_replaced(const struct wanted *wanted)
{
	static const unsigned int FEATURES[] = { FEATURE_BASE_FREQ, FEATURE_TURBO_FREQ };
	unsigned int enabled = FEATURE_TURBO_FREQ;
	struct item_lines saved;
	int error;

	/* Of commands only `enable --auto`, which updates what it has set before. */
	if (wanted->is_command && !wanted->high_priority)
		return 0;
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->items[i].subject == SUBJECT_BASE_FREQ)
			enabled = FEATURE_BASE_FREQ;
	error = settings_read(wanted->context, &saved);
	for (size_t i = 0; i < 2 * wanted->facts.count && !error; i++) {
		const struct domain_snapshot *facts = &wanted->facts.domains[i / 2];

		if (facts->is_target && facts->profile.domain &&
		    !(wanted->is_command && FEATURES[i % 2] == enabled))
			error = warn_of_replaced(wanted, facts, FEATURES[i % 2], &saved);
	}
	item_lines_clear(&saved);
	return error;
}

void wanted_warn_of_turbo_ratio_limits(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		unsigned int package = item->domain->package;
		bool stated = false;

		if (item->subject != SUBJECT_TURBO_FREQ || item->bits ||
		    isst_domain_is_io(item->domain) || wanted_changes_level(wanted, item) ||
		    !feature_is_on(&wanted_facts(wanted, item->domain)->level,
				   FEATURE_TURBO_FREQ) ||
		    !context_has_power_domains(wanted->context) ||
		    !wanted_turbo_freq_on(wanted, package))
			continue;
		for (size_t j = 0; j < wanted->count; j++)
			stated |= wanted->items[j].item.kind == ITEM_TURBO_RATIO_LIMITS &&
				  wanted->items[j].domain->package == package;
		if (!stated)
			change_warn(wanted->change, ISST_MESSAGE_TURBO_RATIO_LIMITS_KEPT,
				    of_package(package),
				    "package %u: turbo-freq stays enabled in another power domain: "
				    "the turbo ratio limits of the package are left unchanged",
				    package);
	}
}

/** Whether turbo-freq gets the priorities that it goes by is known of some machines alone. */
static void warn_of_core_power(const struct wanted *wanted, const struct isst_domain *domain)
{
	const struct isst_core_power *state = &wanted_facts(wanted, domain)->core_power;
	bool on = state->enabled;

	/* As it is once all is as stated. */
	for (size_t i = wanted->count; i-- > 0;)
		if (wanted->items[i].subject == SUBJECT_CORE_POWER &&
		    wanted->items[i].domain == domain)
			on = wanted->items[i].bits;
	if (!isst_domain_is_io(domain) && !state->failure.error && state->supported && !on)
		change_warn(wanted->change, ISST_MESSAGE_TURBO_FREQ_WITHOUT_CORE_POWER,
			    of_package(domain->package),
			    "package %u: turbo-freq is enabled without core-power: %s",
			    domain->package,
			    wanted->context->firmware.operations->turbo_freq_uses_clos
				    ? "limits and priorities of classes of service count all the "
				      "same, as on servers that were measured"
				    : "it is not known whether limits and priorities of classes of "
				      "service count");
}

int turbo_freq_check_turbo(struct isst_change *change, struct domain_snapshot *domains,
			   bool (*is_meant)(const struct domain_snapshot *domain))
{
	struct isst_context *context = change->context;
	enum turbo_state state;
	int error = cpufreq_turbo_state(&context->files, &state);

	if (error == -ENOMEM)
		return error;
	for (size_t i = 0; i < isst_domain_count(context); i++) {
		struct domain_snapshot *domain = &domains[i];

		if (!is_meant(domain))
			continue;
		if (error)
			target_reject(change, domain->domain, &domain->failure, error, "%s",
				      isst_error(context));
		else if (state == TURBO_OFF)
			target_reject(change, domain->domain, &domain->failure, -EIO,
				      "Turbo mode is disabled: write 0 to " CPU_DIRECTORY
				      "/intel_pstate/no_turbo, or enable turbo in the BIOS");
	}
	return 0;
}

/** Turbo frequencies are of use only while turbo is enabled. A machine may have been in that state
 * nevertheless, which it then gets back. */
int wanted_check_turbo(struct wanted *wanted)
{
	struct domain_snapshot *domains = wanted->facts.domains;
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < wanted->facts.count; i++)
		domains[i].counts = false;
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted_enables_turbo_freq(wanted, &wanted->items[i])) {
			domains[wanted->items[i].domain->index].counts = any = true;
			domains[wanted->items[i].domain->index].failure.error = 0;
		}
	if (any) {
		error = turbo_freq_check_turbo(wanted->change, domains, domain_counts);
		warn_of_cpufreq(wanted->change, domains, domain_counts, true);
	}
	for (size_t i = 0; i < wanted->count && !error; i++) {
		const struct wanted_item *item = &wanted->items[i];
		const struct isst_failure *failure = &domains[item->domain->index].failure;

		if (!wanted_enables_turbo_freq(wanted, item))
			continue;
		warn_of_core_power(wanted, item->domain);
		if (failure->error)
			error = wanted_fails(wanted, item->setting, item->domain, failure);
	}
	return error;
}

/* ---- What holds cores back ---- */

/** The register is the package's where there are power domains, so one line for each package. */
static void warn_of_ratio_limits(const struct wanted *wanted)
{
	bool shared = context_has_power_domains(wanted->context);
	unsigned int last = UINT_MAX;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct wanted_item *item = &wanted->items[i];
		const struct domain_snapshot *facts = wanted_facts(wanted, item->domain);
		bool on = shared ? wanted_turbo_freq_on(wanted, item->domain->package)
				 : wanted_domain_turbo_freq_on(wanted, facts);

		if (item->item.kind != ITEM_TURBO_RATIO_LIMITS || !on ||
		    !facts_hold_back(facts, item->bits) ||
		    (shared && item->domain->package == last) ||
		    configuration_is_state(wanted->configuration, item->setting->origin.source))
			continue;
		last = item->domain->package;
		change_warn(
			wanted->change, ISST_MESSAGE_TURBO_RATIO_LIMITS_LOW,
			of_domain(item->domain),
			"%s: turbo-freq stays enabled, and the turbo ratio limits hold its high "
			"priority cores back: disable turbo-freq as well, or state turbo-ratio-limits none",
			item->domain->name);
	}
}

int wanted_warn_of_held_cores(struct wanted *wanted)
{
	struct isst_change *change = wanted->change;
	struct low_limits low = { 0 };
	int error = 0;

	if (!wanted->is_command)
		warn_of_ratio_limits(wanted);
	for (size_t i = 0; i < wanted->facts.count && wanted->high_priority && !error; i++)
		/* Of neighbours that a command reaches levels need not be known. */
		if (wanted->facts.domains[i].level.domain &&
		    !isst_domain_is_io(wanted->facts.domains[i].domain))
			error = low_limits_find(change, &wanted->facts.domains[i].level,
						wanted->high_priority, &low);
	/* One line for each limit, whatever the number of CPUs. */
	for (size_t i = 0; i < low.count; i++) {
		const struct low_limit *limit = &low.limits[i];

		if (!error)
			change_warn(change, ISST_MESSAGE_SCALING_LIMIT, of_cpus(NULL, limit->cpus),
				    "%s: a limit (scaling_max_freq) of %llu MHz is below the %u "
				    "MHz of high priority",
				    message_numbers(&change->texts, "CPU", limit->cpus),
				    (unsigned long long)limit->khz / 1000, limit->best_mhz);
		isst_cpuset_free(limit->cpus);
	}
	free(low.limits);
	return error;
}
