/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of CPUs in use: planned, domain by domain. */
#include "base/cpuset.h"
#include "features/cpus_change.h"
#include "state/compare.h"
#include "topology/context.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/** Whether a state has all CPUs of a package offline. It was read while they were so; a change
 * takes no package offline as a whole, as it could no longer be accessed. */
static bool is_out_of_reach(const struct wanted *wanted, const struct setting *setting,
			    unsigned int package)
{
	if (setting->wanted != WANTED_OFFLINE ||
	    !configuration_is_state(wanted->configuration, setting->origin.source))
		return false;
	facts_for_each_domain (target, &wanted->facts) {
		const struct isst_domain *domain = target->domain;

		if (domain->package == package && !isst_domain_is_io(domain) &&
		    !cpuset_contains(setting->cpus, domain->present))
			return false;
	}
	return true;
}

/** Plans for all domains for which one setting counts. */
static int plan_setting(struct wanted *wanted, const struct setting *setting, bool online)
{
	struct domain_snapshot *domains = wanted->facts.domains;
	struct cpus_change work = { .change = wanted->change,
				    .domains = domains,
				    .wanted = cpus_wanted_of(setting),
				    .offline = setting->cpus,
				    .come = online,
				    .go = !online };
	bool any = false;
	int error = 0;

	for (size_t i = 0; i < wanted->facts.count && !error; i++) {
		const struct isst_domain *domain = domains[i].domain;

		domains[i].counts = wanted_cpus(wanted, domain) == setting;
		if (!domains[i].counts)
			continue;
		domains[i].failure = (struct isst_failure){ 0 };
		domains[i].counts = !is_out_of_reach(wanted, setting, domain->package);
		any |= domains[i].counts;
		if (!domains[i].counts && !online) {
			char *list = isst_cpuset_to_list(domain->present);

			if (list)
				change_warn(wanted->change, ISST_MESSAGE_CPUS_LEFT_OUT,
					    of_domain(domain),
					    "%s: its CPUs (%s) are left as they are: all CPUs of "
					    "package %u are offline in the saved state, and a "
					    "package without CPUs cannot be accessed",
					    domain->name, list, domain->package);
			error = list ? 0 : -ENOMEM;
			free(list);
		}
	}
	if (!error && any)
		error = plan_cpus(&work);
	for (size_t i = 0; i < wanted->facts.count && !error; i++)
		if (domains[i].counts && domains[i].failure.error)
			error = wanted_fails(wanted, setting, NULL, &domains[i].failure);
	return error;
}

static int plan_settings_of_cpus(struct wanted *wanted, bool online)
{
	const struct configuration *configuration = wanted->configuration;
	int error = 0;

	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject == SUBJECT_CPUS && setting->wanted != WANTED_UNMANAGED)
			error = plan_setting(wanted, setting, online);
	}
	return error;
}

/** Whether nothing but CPUs is stated. */
static bool is_of_cpus_alone(const struct configuration *configuration)
{
	for (size_t i = 0; i < configuration->setting_count; i++)
		if (configuration->settings[i].subject != SUBJECT_CPUS &&
		    configuration->settings[i].wanted != WANTED_UNMANAGED)
			return false;
	return true;
}

int cpus_plan_all_online(struct wanted *wanted)
{
	struct isst_change *change = wanted->change;
	const struct setting *everywhere = wanted->cpus_everywhere;

	change->unseen_stay_online = everywhere && everywhere->wanted == WANTED_ALL_ONLINE;
	/* Nothing else would be changed of them. */
	change->unreachable_come_online = change->unseen_stay_online &&
					  is_of_cpus_alone(wanted->configuration);
	return plan_settings_of_cpus(wanted, true);
}

/** Partitions of other programs are theirs, and what a state could not describe is left as it is;
 * elsewhere `unmanaged` was asked for. */
int cpus_plan_all_offline(struct wanted *wanted)
{
	struct isst_change *change = wanted->change;
	const struct facts *facts = &wanted->facts;
	struct cpus_state *states = calloc(facts->count + 1, sizeof(*states));
	size_t count = 0;
	int error = states ? 0 : -ENOMEM;

	facts_for_each_domain (domain, facts)
		if (!error && wanted_cpus(wanted, domain->domain))
			states[count++].domain = domain->domain;
	if (!error && count > 0)
		error = cpus_state_read(wanted->context, states, count);
	for (size_t i = 0; i < count; i++) {
		if (!error && isst_cpuset_count(states[i].foreign) > 0)
			change_warn(change, ISST_MESSAGE_CPUS_LEFT_OUT, of_domain(states[i].domain),
				    "%s: %s: isolated in a cpuset partition of another program; "
				    "left unchanged",
				    states[i].domain->name,
				    message_numbers(&change->texts, "CPU", states[i].foreign));
		cpus_state_clear(&states[i]);
	}
	free(states);
	facts_for_each_domain (target, facts) {
		const struct isst_domain *domain = target->domain;
		const struct setting *setting = domain_setting(
			wanted->context, wanted->configuration, SUBJECT_CPUS, domain, INDEX_ALL);

		if (setting && setting->wanted == WANTED_UNMANAGED &&
		    configuration_is_state(wanted->configuration, setting->origin.source))
			change_warn(change, ISST_MESSAGE_CPUS_LEFT_OUT, of_domain(domain),
				    "%s: its CPUs are left as they are: in the saved state they "
				    "are unmanaged",
				    domain->name);
	}
	return error ? error : plan_settings_of_cpus(wanted, false);
}

/** Whether a CPU that no domain is known to have comes online with the change. */
static bool comes_online_unknown(const struct wanted *wanted, unsigned int cpu)
{
	const struct item item = item_of_cpu(cpu);
	uint64_t online = 0;

	return !context_cpu(wanted->context, cpu) &&
	       change_project(wanted->change, &item, &online) && online;
}

/** What is offline as a whole cannot be planned for, as it is no domain, but to come online. Nor
 * what may be so, where that is not known: optional statements do without cores not seen. */
static int check_unreachable(struct wanted *wanted)
{
	const struct setting *setting = wanted->cpus_everywhere;
	const struct isst_context *context = wanted->context;
	struct isst_cpuset *cpus;
	unsigned int cpu;
	int error;

	if (!setting ||
	    (setting->wanted == WANTED_ALL_ONLINE && is_of_cpus_alone(wanted->configuration)))
		return 0;
	error = cpus_find_unreachable(context, setting, &cpus);
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		if (!error && setting->optional && context->topology->may_have_packages &&
		    comes_online_unknown(wanted, cpu))
			error = isst_cpuset_add(cpus, cpu, cpu);
	if (!error && isst_cpuset_count(cpus) > 0)
		error = wanted_reject(wanted, setting, NULL, -EIO,
				      "all CPUs of the package or die of %s are offline, as far as "
				      "known, so that nothing can be changed there; isst "
				      "--all-cpus-online config reset (or apply) brings them "
				      "online first",
				      message_numbers(&wanted->context->messages, "CPU", cpus));
	isst_cpuset_free(cpus);
	return error;
}

int cpus_check_unknown(struct wanted *wanted)
{
	const struct configuration *configuration = wanted->configuration;
	unsigned int cpu;
	int error = check_unreachable(wanted);

	isst_cpuset_for_each (cpu, isst_present_cpus(wanted->context)) {
		const struct setting *setting = NULL;

		if (error || !comes_online_unknown(wanted, cpu))
			continue;
		/* The first setting that is for its core, wherever that is. */
		for (size_t i = 0; i < configuration->setting_count && !setting; i++) {
			const struct setting *one = &configuration->settings[i];

			if (one->wanted != WANTED_UNMANAGED &&
			    (subject_is_of_cpus(one->subject) ||
			     one->subject == SUBJECT_HIGH_PRIORITY) &&
			    (!one->cpus || isst_cpuset_has(one->cpus, cpu)))
				setting = one;
		}
		/* What never was online is as after boot: optional statements do without it. */
		if (setting && !setting->optional)
			error = wanted_reject(wanted, setting, NULL, -EIO,
					      "CPU %u: not online since boot, so that the core is "
					      "not known. Bring online first (--all-cpus-online)",
					      cpu);
	}
	return error;
}
