/* SPDX-License-Identifier: BSD-3-Clause */
/* What settings of CPUs in use are about. */
#include "state/cpus.h"
#include "base/cpuset.h"
#include "common/numbered.h"
#include "features/plan.h"
#include "topology/context.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Planning ---- */

typedef int (*plan_cpus)(struct isst_change *change, struct domain_request *requests, size_t count,
			 enum cpus_wanted wanted, const struct isst_cpuset *offline);

/** Whether a state has all CPUs of a package offline. It was read while they were so; a change
 * takes no package offline as a whole, as it could no longer be accessed. */
static bool is_out_of_reach(const struct wanted *wanted, const struct setting *setting,
			    unsigned int package)
{
	if (setting->wanted != WANTED_OFFLINE ||
	    !configuration_is_state(wanted->configuration, setting->origin.source))
		return false;
	for (size_t i = 0; i < wanted->facts.count; i++) {
		const struct isst_domain *domain = wanted->facts.domains[i].domain;

		if (domain->package == package && !isst_domain_is_io(domain) &&
		    !cpuset_contains(setting->cpus, domain->present))
			return false;
	}
	return true;
}

/** Plans for all domains for which one setting counts. */
static int plan_setting(struct wanted *wanted, const struct setting *setting, plan_cpus plan)
{
	struct domain_request *requests = calloc(wanted->facts.count + 1, sizeof(*requests));
	size_t count = 0;
	int error = requests ? 0 : -ENOMEM;

	for (size_t i = 0; i < wanted->facts.count && !error; i++) {
		const struct isst_domain *domain = wanted->facts.domains[i].domain;

		if (wanted_cpus(wanted, domain) != setting)
			continue;
		if (!is_out_of_reach(wanted, setting, domain->package)) {
			requests[count++].domain = domain;
		} else if (plan == plan_cpus_offline) {
			char *list = isst_cpuset_to_list(domain->present);

			if (list)
				change_warn(wanted->change, ISST_WARNING_CPUS_LEFT_OUT,
					    "%s: its CPUs (%s) are left as they are: all CPUs of "
					    "package %u are offline in the saved state, and a "
					    "package without CPUs cannot be accessed",
					    domain->name, list, domain->package);
			error = list ? 0 : -ENOMEM;
			free(list);
		}
	}
	if (!error && count > 0)
		error = plan(wanted->change, requests, count, cpus_wanted_of(setting),
			     setting->cpus);
	for (size_t i = 0; i < count && !error; i++)
		if (requests[i].failure.error)
			error = wanted_fails(wanted, setting, NULL, &requests[i].failure);
	free(requests);
	return error;
}

static int plan_all(struct wanted *wanted, plan_cpus plan)
{
	const struct configuration *configuration = wanted->configuration;
	int error = 0;

	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject == SUBJECT_CPUS && setting->wanted != WANTED_UNMANAGED)
			error = plan_setting(wanted, setting, plan);
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
	const struct setting *everywhere = cpus_everywhere(wanted);

	change->unseen_stay_online = everywhere && everywhere->wanted == WANTED_ALL_ONLINE;
	/* Nothing else would be changed of them. */
	change->unreachable_come_online = change->unseen_stay_online &&
					  is_of_cpus_alone(wanted->configuration);
	return plan_all(wanted, plan_cpus_online);
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

	for (size_t i = 0; i < facts->count && !error; i++)
		if (wanted_cpus(wanted, facts->domains[i].domain))
			states[count++].domain = facts->domains[i].domain;
	if (!error && count > 0)
		error = cpus_state_read(wanted->context, states, count, false);
	for (size_t i = 0; i < count; i++) {
		char *list = NULL;

		if (!error && isst_cpuset_count(states[i].foreign) > 0) {
			list = name_numbers("CPU", states[i].foreign);
			error = list ? 0 : -ENOMEM;
		}
		if (list)
			change_warn(change, ISST_WARNING_CPUS_LEFT_OUT,
				    "%s: %s: isolated in a cpuset partition of another program; "
				    "left unchanged",
				    states[i].domain->name, list);
		free(list);
		cpus_state_clear(&states[i]);
	}
	free(states);
	for (size_t i = 0; i < facts->count; i++) {
		const struct isst_domain *domain = facts->domains[i].domain;
		const struct setting *setting = domain_setting(
			wanted->context, wanted->configuration, SUBJECT_CPUS, domain, INDEX_ALL);

		if (setting && setting->wanted == WANTED_UNMANAGED &&
		    configuration_is_state(wanted->configuration, setting->origin.source))
			change_warn(change, ISST_WARNING_CPUS_LEFT_OUT,
				    "%s: its CPUs are left as they are: in the saved state they "
				    "are unmanaged",
				    domain->name);
	}
	return error ? error : plan_all(wanted, plan_cpus_offline);
}

/** What is offline as a whole cannot be planned for, as it is no domain, but to come online. */
static int check_unreachable(struct wanted *wanted)
{
	const struct setting *setting = cpus_everywhere(wanted);
	struct isst_cpuset *cpus;
	char *name;
	int error;

	if (!setting ||
	    (setting->wanted == WANTED_ALL_ONLINE && is_of_cpus_alone(wanted->configuration)))
		return 0;
	error = cpus_find_unreachable(wanted->context, setting, &cpus);
	name = error ? NULL : name_numbers("CPU", cpus);
	if (!name)
		error = -ENOMEM;
	else if (isst_cpuset_count(cpus) > 0)
		error = wanted_reject(wanted, setting, NULL, -EIO,
				      "no CPU of the package or die of %s is online, so that "
				      "nothing can be planned there. Bring CPUs online first "
				      "(--all-cpus-online)",
				      name);
	free(name);
	isst_cpuset_free(cpus);
	return error;
}

int cpus_check_unknown(struct wanted *wanted)
{
	const struct configuration *configuration = wanted->configuration;
	unsigned int cpu;
	int error = check_unreachable(wanted);

	isst_cpuset_for_each (cpu, isst_present_cpus(wanted->context)) {
		const struct item item = item_of_cpu(cpu);
		const struct setting *setting = NULL;
		uint64_t online = 0;

		if (error || context_cpu(wanted->context, cpu) ||
		    !change_project(wanted->change, &item, &online) || !online)
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
					      "CPU %u has not been online since boot: its core is "
					      "not known. Bring it online first "
					      "(--all-cpus-online)",
					      cpu);
	}
	return error;
}

/* ---- CPUs of a configuration ---- */

enum cpus_wanted cpus_wanted_of(const struct setting *setting)
{
	switch (setting->wanted) {
	case WANTED_OF_LEVEL:
		return CPUS_BY_LEVEL;
	case WANTED_ISOLATED:
		return CPUS_ISOLATED;
	case WANTED_ALL_ONLINE:
		return CPUS_ONLINE;
	default:
		return CPUS_OFFLINE;
	}
}

const struct setting *cpus_everywhere(const struct wanted *wanted)
{
	const struct place anywhere = { UINT_MAX, UINT_MAX, UINT_MAX, INDEX_ALL };
	const struct setting *setting = configuration_find(wanted->configuration, SUBJECT_CPUS,
							   &anywhere);

	return setting && !wanted->targets.limited && setting->wanted != WANTED_UNMANAGED ? setting
											  : NULL;
}

int cpus_find_unreachable(const struct isst_context *context, const struct setting *setting,
			  struct isst_cpuset **cpus)
{
	unsigned int cpu;
	int error;

	*cpus = isst_cpuset_new();
	error = *cpus ? 0 : -ENOMEM;
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		if (!error && topology_is_unreachable(context->topology, cpu) &&
		    !(setting->wanted == WANTED_OFFLINE && isst_cpuset_has(setting->cpus, cpu)))
			error = isst_cpuset_add(*cpus, cpu, cpu);
	return error;
}
