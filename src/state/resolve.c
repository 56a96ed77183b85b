/* SPDX-License-Identifier: BSD-3-Clause */
/* Goes through the subjects of a configuration, domain by domain, and collects what is wanted. */
#include "base/cpuset.h"
#include "base/number.h"
#include "features/cpus_change.h"
#include "features/planning.h"
#include "state/compare.h"
#include "state/wanted.h"
#include "sysfs/cpufreq.h"
#include "topology/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Classes of service ---- */

enum { LOW_CLOS = 3 };

static int resolve_clos(struct wanted *wanted, enum subject subject, unsigned int clos,
			const struct domain_snapshot *domain)
{
	const struct value_field *field = &clos_fields[subject - SUBJECT_CLOS_MIN];
	const struct isst_core_power *state = &domain->core_power;
	struct wish wish;
	uint64_t number = 0;
	int error;

	if (!resolve_wish(wanted, subject, domain->domain, clos, &wish))
		return 0;
	if (state->failure.error)
		return wanted_fails(wanted, wish.setting, domain->domain, &state->failure);
	if (wish.wanted == WANTED_NONE || wish.wanted == WANTED_NUMBER) {
		number = wish.wanted == WANTED_NONE ? NO_LIMIT_RATIO : wish.number;
	} else {
		error = resolve_frequency(wanted, domain, &wish, &number);
		if (error)
			return error == -ENODATA ? 0 : error;
		number /= KHZ_PER_RATIO;
	}
	if (!state->supported || !(clos_mask(wanted->context) & field->mask)) {
		/* What commands ask for, and what other settings imply, is done as far as there is
		 * such a thing. */
		if (number == (subject == SUBJECT_CLOS_MAX ? NO_LIMIT_RATIO : 0) ||
		    wish.setting->subject != subject || wanted->is_command)
			return 0;
		if (!state->supported)
			return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
					     "core-power feature is not present");
		return wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
				     "a CLOS has no %s on this machine", field->text);
	}
	return wanted_add(wanted, &(struct wanted_item){
					  .item = item_of(ITEM_CLOS, domain->domain, clos),
					  .mask = field->mask,
					  .bits = number << __builtin_ctzll(field->mask),
					  .subject = subject,
					  .setting = wish.setting,
					  .domain = domain->domain,
					  .optional = isst_domain_is_io(domain->domain),
				  });
}

/* ---- Associations ---- */

/** What the setting of a CPU states of its core: the CLOS, and by which setting. A core has high
 * priority by any of its CPUs: those that are offline are not named. */
static bool association_of(const struct wanted *wanted, const struct isst_cpu *cpu,
			   struct wish *wish)
{
	const struct setting *cores = wanted->cores[cpu->domain->index];
	const struct isst_cpuset *chosen = wanted->high_priority;
	unsigned int number;
	bool high;

	if (resolve_cpu_wish(wanted, SUBJECT_ASSOCIATION, cpu, wish))
		return true;
	if (!cores)
		return false;
	high = chosen && isst_cpuset_has(chosen, cpu->number);
	if (chosen && !high && cpu->core_known)
		isst_cpuset_for_each (number, cpu->domain->present) {
			const struct isst_cpu *sibling = context_cpu(wanted->context, number);

			high |= sibling && sibling->core_known && sibling->core == cpu->core &&
				isst_cpuset_has(chosen, number);
		}
	*wish = (struct wish){ WANTED_NUMBER, high ? 0 : LOW_CLOS, cores };
	return true;
}

/** Whether two settings are for a CPU in common, of the core of one. */
static bool meet_in_core(const struct wanted *wanted, const struct isst_cpu *cpu,
			 const struct setting *one, const struct setting *other)
{
	unsigned int number;

	isst_cpuset_for_each (number, cpu->domain->present) {
		const struct isst_cpu *sibling = context_cpu(wanted->context, number);

		if (sibling && sibling->core_known && sibling->core == cpu->core &&
		    (!one->cpus || isst_cpuset_has(one->cpus, number)) &&
		    (!other->cpus || isst_cpuset_has(other->cpus, number)))
			return true;
	}
	return false;
}

/** Of two settings for the CPUs of one core, the one that counts for a CPU of both counts for the
 * core. Those that name different CPUs contradict each other. */
static int choose_for_core(struct wanted *wanted, struct wanted_item *core, const struct wish *wish,
			   const struct isst_cpu *cpu)
{
	const struct setting *one = core->setting, *other = wish->setting;

	if (core->bits == wish->number)
		return 0;
	if (meet_in_core(wanted, cpu, one, other)) {
		if (setting_counts_more(one, other))
			return 0;
		if (setting_counts_more(other, one)) {
			core->bits = wish->number;
			core->setting = other;
			return 0;
		}
	}
	return wanted_reject(wanted, other, NULL, -EINVAL,
			     "CPU %u belongs to a core of which another CPU is stated to be in "
			     "CLOS %u: a core is in one CLOS",
			     cpu->number, (unsigned int)core->bits);
}

static int resolve_association(struct wanted *wanted, size_t first, const struct isst_cpu *cpu)
{
	const char *objection = context_core_objection(wanted->context, cpu);
	struct wanted_item *core;
	struct wish wish;
	struct item item;

	if (!association_of(wanted, cpu, &wish))
		return 0;
	/* Of CPUs that are offline the core may not be known: it is left as it is. */
	if (objection)
		return cpu->online && !wanted->is_command
			       ? wanted_reject(wanted, wish.setting, NULL, -EIO, "CPU %u: %s",
					       cpu->number, objection)
			       : 0;
	item = item_of(ITEM_ASSOCIATION, cpu->domain, cpu->core);
	core = wanted_find_item(wanted, &item, SUBJECT_ASSOCIATION, first);
	if (core)
		return choose_for_core(wanted, core, &wish, cpu);
	return wanted_add(wanted, &(struct wanted_item){ .item = item,
							 .mask = UINT64_MAX,
							 .bits = wish.number,
							 .subject = SUBJECT_ASSOCIATION,
							 .setting = wish.setting,
							 .domain = cpu->domain });
}

static int resolve_associations(struct wanted *wanted, const struct domain_snapshot *domain)
{
	const char *unknown = topology_domain(domain->domain)->unknown_core;
	size_t first = wanted->count;
	unsigned int number;
	int error = 0;

	isst_cpuset_for_each (number, domain->domain->present) {
		const struct isst_cpu *cpu = context_cpu(wanted->context, number);
		struct wish wish;

		if (!cpu || error || !association_of(wanted, cpu, &wish))
			continue;
		/* High priority cores make all others low. */
		if (unknown && !wanted->is_command &&
		    (wish.setting->subject == SUBJECT_HIGH_PRIORITY || !wish.setting->cpus))
			error = wanted_reject(wanted, wish.setting, domain->domain, -EIO, "%s",
					      unknown);
		if (error)
			continue;
		if (domain->core_power.failure.error)
			error = wanted_fails(wanted, wish.setting, domain->domain,
					     &domain->core_power.failure);
		else if (domain->core_power.supported)
			error = resolve_association(wanted, first, cpu);
		else if (wish.number > 0)
			error = wanted_reject(wanted, wish.setting, domain->domain, -EOPNOTSUPP,
					      "core-power feature is not present");
	}
	return error;
}

/* ---- Contradictions ---- */

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
	const struct domain_snapshot *facts = wanted_facts(wanted, domain);
	const struct item features = item_of(ITEM_FEATURES, domain, 0);
	const struct wanted_item *item;

	if (facts->level.level != facts->profile.current_level)
		return true;
	item = wanted_find_item(wanted, &features, SUBJECT_BASE_FREQ, 0);
	return item && !item->bits == feature_is_on(&facts->level, FEATURE_BASE_FREQ);
}

/** The frequency that is wanted of an item, in kHz. Returns false where it is no limit, or not
 * known: an end of the range as long as that changes. */
static bool frequency(const struct wanted *wanted, const struct wanted_item *item,
		      unsigned long long *khz)
{
	struct setting setting = { .subject = item->subject };
	uint64_t bits = item->bits;

	if (wanted_is_end_of_range(item) &&
	    (range_changes(wanted, item->domain) ||
	     cpufreq_clamp(&wanted->context->files, item->item.index, item_limit(&item->item), bits,
			   &bits)))
		return false;
	wanted_value_to_setting(item, bits, &setting);
	*khz = setting.number;
	return setting.wanted == WANTED_KHZ;
}

/** Adds a problem for a minimum above its maximum. Saved states may hold such a pair: firmware
 * begins with one, or another program leaves it behind. */
static int compare_limits(struct wanted *wanted, const struct wanted_item *min,
			  const struct wanted_item *max)
{
	const struct configuration *configuration = wanted->configuration;
	const struct origin *one = &min->setting->origin, *other = &max->setting->origin;
	bool of_cpu = subject_is_of_cpus(min->subject);
	/* The later one of the two. */
	bool at_max = one->source != other->source ? other->source > one->source
						   : other->line > one->line;
	unsigned long long min_khz, max_khz;
	char limits[] = "CLOS 4294967295: uncore fabric ", min_text[KHZ_TEXT], max_text[KHZ_TEXT];

	if (!frequency(wanted, min, &min_khz) || !frequency(wanted, max, &max_khz) ||
	    min_khz <= max_khz ||
	    (configuration_is_state(configuration, one->source) &&
	     configuration_is_state(configuration, other->source)))
		return 0;
	snprintf(limits, sizeof(limits),
		 of_cpu				    ? "CPU %u: scaling "
		 : min->subject == SUBJECT_CLOS_MIN ? "CLOS %u: "
						    : "uncore fabric %u: ",
		 min->item.index);
	return wanted_reject(wanted, at_max ? max->setting : min->setting,
			     of_cpu ? NULL : min->domain, -EINVAL, "%smin %s is above %smax %s",
			     limits, khz_text(min_khz, min_text), of_cpu ? "scaling " : "",
			     khz_text(max_khz, max_text));
}

/** Compares each minimum with its maximum. Returns 0 or -ENOMEM. */
static int find_contradictions(struct wanted *wanted)
{
	int error = 0;

	for (size_t i = 0; i < wanted->count && !error; i++)
		for (size_t j = 0; j < sizeof(LIMITS) / sizeof(LIMITS[0]) && !error; j++) {
			const struct wanted_item *min = &wanted->items[i], *max;
			struct item item = min->item;

			if (min->subject != LIMITS[j].min)
				continue;
			/* Minimum and maximum of a CLOS are one item. */
			if (min->subject != SUBJECT_CLOS_MIN)
				item_counterpart(&min->item, &item);
			max = wanted_find_item(wanted, &item, LIMITS[j].max, i);
			error = max ? compare_limits(wanted, min, max) : 0;
		}
	return error;
}

/* ---- Resolving ---- */

static int resolve_subject(struct wanted *wanted, enum subject subject,
			   const struct domain_snapshot *domain)
{
	int error = 0;

	switch (subject) {
	case SUBJECT_LEVEL:
		return resolve_level(wanted, domain);
	case SUBJECT_TURBO_FREQ:
	case SUBJECT_BASE_FREQ:
		return resolve_feature(wanted, subject, domain);
	case SUBJECT_CORE_POWER:
	case SUBJECT_PRIORITY:
	case SUBJECT_CLOS_ENABLE:
		return resolve_core_power(wanted, subject, domain);
	case SUBJECT_CLOS_MIN:
	case SUBJECT_CLOS_MAX:
	case SUBJECT_CLOS_DESIRED:
	case SUBJECT_CLOS_EPP:
	case SUBJECT_CLOS_WEIGHT:
		for (unsigned int clos = 0; clos < ISST_CLOS_COUNT && !error; clos++)
			error = resolve_clos(wanted, subject, clos, domain);
		return error;
	case SUBJECT_ASSOCIATION:
		return resolve_associations(wanted, domain);
	case SUBJECT_TURBO_RATIO_LIMITS:
		return resolve_turbo_ratio_limits(wanted, domain);
	case SUBJECT_SCALING_MIN:
	case SUBJECT_SCALING_MAX:
		return resolve_scaling_limits(wanted, subject, domain);
	case SUBJECT_UNCORE_MIN:
	case SUBJECT_UNCORE_MAX:
		return resolve_uncore_limits(wanted, subject, domain);
	default:
		return 0;
	}
}

/** Notes CPUs that a statement cannot be for. @before, @behind: their list */
static int refuse_cpus(struct wanted *wanted, const struct setting *setting, int why,
		       const struct isst_cpuset *cpus, const char *before, const char *behind)
{
	if (isst_cpuset_count(cpus) == 0)
		return 0;
	return wanted_reject(wanted, setting, NULL, why, "%s%s%s", before,
			     message_numbers(&wanted->context->messages, "CPU", cpus), behind);
}

/** Whether a CPU is where a statement is for, or may be there. */
static bool is_in_scope(const struct isst_context *context, const struct setting *setting,
			unsigned int number)
{
	const struct isst_cpu *cpu = context_cpu(context, number);
	const struct scope *scope = &setting->scope;

	if (!cpu)
		return true;
	return (!scope->packages || isst_cpuset_has(scope->packages, cpu->domain->package)) &&
	       (!scope->power_domains ||
		isst_cpuset_has(scope->power_domains, domain_number(context, cpu->domain)));
}

/** CPUs that a list names, and the machine does not have, has not seen (a state leaves their cores
 * as they are) or (@scoped) has somewhere else. */
static int check_cpus(struct wanted *wanted, const struct setting *setting,
		      const struct isst_cpuset *named, bool scoped)
{
	const struct isst_context *context = wanted->context;
	const struct isst_cpuset *present = isst_present_cpus(context);
	bool of_known_cores = setting->subject == SUBJECT_ASSOCIATION && !setting->optional &&
			      !configuration_is_state(wanted->configuration,
						      setting->origin.source);
	struct isst_cpuset *missing = isst_cpuset_new(), *outside = isst_cpuset_new();
	struct isst_cpuset *unknown = isst_cpuset_new();
	unsigned int cpu, first, last, end = 0;
	int error = missing && outside && unknown ? 0 : -ENOMEM;

	while (cpuset_next_run(present, end, &first, &last))
		end = last + 1;
	isst_cpuset_for_each (cpu, named) {
		if (error || cpu >= end)
			break;
		if (!isst_cpuset_has(present, cpu))
			error = isst_cpuset_add(missing, cpu, cpu);
		else if (of_known_cores && cpus_is_unknown(context, cpu))
			error = isst_cpuset_add(unknown, cpu, cpu);
		else if (scoped && !is_in_scope(context, setting, cpu))
			error = isst_cpuset_add(outside, cpu, cpu);
	}
	/* However many they are. */
	while (!error && cpuset_next_run(named, end, &first, &last)) {
		error = isst_cpuset_add(missing, first > end ? first : end, last);
		end = last + 1;
	}
	if (!error)
		error = refuse_cpus(wanted, setting, -EOPNOTSUPP, missing,
				    "the machine does not have ", "");
	if (!error)
		error = refuse_cpus(wanted, setting, -EIO, unknown, "",
				    ": not online since boot, so that the core is not known. "
				    "Bring online first (--all-cpus-online)");
	if (!error)
		error = refuse_cpus(wanted, setting, -EOPNOTSUPP, outside, "",
				    ": not of the part of the machine that the statement is for");
	isst_cpuset_free(unknown);
	isst_cpuset_free(missing);
	isst_cpuset_free(outside);
	return error;
}

/* Other machines may be without a feature; a number is either theirs or mistyped. */
#define MISTAKE " (a mistake in the number?)"

/** The first package, or power domain, that stands in front of a statement and does not exist. */
static int check_scope(struct wanted *wanted, const struct setting *setting)
{
	const struct facts *facts = &wanted->facts;
	const struct isst_cpuset *packages = setting->scope.packages;
	unsigned int package, number;
	bool offline = false;

	isst_cpuset_for_each (package, packages) {
		bool found = false;

		facts_for_each_domain (target, facts)
			found |= target->domain->package == package;
		/* Its CPUs differ from what is wanted, and a change is refused for that. */
		if (!found && cpus_want_package(wanted, package))
			offline = found = true;
		if (!found)
			return wanted_reject(
				wanted, setting, NULL, -EOPNOTSUPP,
				"the machine does not have package %u with CPUs online%s", package,
				setting->optional ? MISTAKE : "");
	}
	isst_cpuset_for_each (number, setting->scope.power_domains) {
		bool found = offline;

		facts_for_each_domain (other, facts)
			found |= domain_number(wanted->context, other->domain) == number &&
				 (!packages || isst_cpuset_has(packages, other->domain->package));
		if (!found)
			return wanted_reject(wanted, setting, NULL, -EOPNOTSUPP,
					     context_has_power_domains(wanted->context)
						     ? "the packages have no power domain %u%s"
						     : "the packages have no die %u%s",
					     number, setting->optional ? MISTAKE : "");
	}
	return 0;
}

int wanted_resolve(struct wanted *wanted)
{
	const struct configuration *configuration = wanted->configuration;
	const struct facts *facts = &wanted->facts;
	int error = 0;

	wanted->cpus_everywhere = cpus_find_everywhere(wanted);
	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		wanted->stated |= 1U << setting->subject;
		if (setting->wanted == WANTED_UNMANAGED)
			continue;
		error = check_scope(wanted, setting);
		if (!error)
			error = check_cpus(wanted, setting, setting->cpus, true);
		if (!error)
			error = check_cpus(wanted, setting, setting->choice.within, false);
	}
	if (!error)
		error = resolve_high_priority(wanted);
	for (int subject = 0; subject < SUBJECTS && !error; subject++)
		facts_for_each_domain (domain, facts)
			if (!error && domain->is_target && domain->subjects >> subject & 1)
				error = resolve_subject(wanted, (enum subject)subject, domain);
	if (!error)
		error = find_contradictions(wanted);
	return error ? error : wanted->error;
}

static int add_named(void *data, const struct cpu_name *name, struct isst_cpuset *cpus)
{
	struct isst_cpuset *found = isst_cpuset_new();
	int error = found ? cpu_name_find(data, name, found) : -ENOMEM;

	/* Which CPUs are isolated may change, and none is a set as well. */
	if (!error && name->kind != CPU_NAME_ISOLATED && isst_cpuset_count(found) == 0)
		error = cpu_name_refuse_empty(data, name);
	if (!error)
		error = isst_cpuset_add_set(cpus, found);
	isst_cpuset_free(found);
	return error;
}

/** Finds the CPUs of lists with names, and what contradicts once they are known. */
static int find_named_cpus(struct wanted *wanted)
{
	struct configuration *configuration = wanted->configuration;
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < configuration->setting_count * LISTS && !error; i++) {
		struct setting *setting = &configuration->settings[i / LISTS];
		const char *named = setting->named[i % LISTS];
		struct isst_cpuset *cpus = named ? isst_cpuset_new() : NULL;

		if (!named)
			continue;
		any = true;
		error = cpus ? cpu_list_add(named, cpus, add_named, wanted->context) : -ENOMEM;
		cpuset_swap(*setting_list(setting, i % LISTS), cpus);
		isst_cpuset_free(cpus);
		if (error && error != -ENOMEM)
			error = wanted_reject(wanted, setting, NULL, error, "%s",
					      isst_error(wanted->context));
	}
	for (size_t i = 0; i < configuration->source_count && any && !error; i++)
		error = configuration_find_contradictions(configuration, i);
	return error ? error : wanted->error;
}

int wanted_find(struct wanted *wanted, bool to_change)
{
	int error = find_named_cpus(wanted);

	if (!error)
		error = facts_read(&wanted->facts, wanted->configuration, wanted->context,
				   to_change, &wanted->targets);
	return error ? error : wanted_resolve(wanted);
}
