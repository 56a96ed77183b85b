/* SPDX-License-Identifier: BSD-3-Clause */
/* High priority cores of a configuration: where a statement of them counts, and which are chosen.
 */
#include "features/high_priority.h"
#include "features/planning.h"
#include "state/resolve.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Where it counts ---- */

/** Whether a domain is known to be without what gives cores priority. */
static bool is_unsupported(const struct domain_facts *domain)
{
	const struct isst_failure *failure = domain->profile.failure.error
						     ? &domain->profile.failure
						     : &domain->specified.failure;

	if (!domain->core_power.failure.error && !domain->core_power.supported)
		return true;
	if (domain->specified.turbo_freq == ISST_FEATURE_UNKNOWN && failure->error)
		return failure->error == -EOPNOTSUPP;
	return domain->specified.turbo_freq < ISST_FEATURE_DISABLED &&
	       !domain->specified.features_assumed;
}

/** What is optional is passed over where there is no such thing. I/O dies follow the others of
 * their package. */
static int drop_optional(struct resolution *resolution)
{
	struct wanted *wanted = resolution->wanted;
	const struct facts *facts = &wanted->facts;
	int error = 0;

	for (size_t i = 0; i < facts->count && !error; i++) {
		const struct domain_facts *domain = &facts->domains[i];
		const struct setting *setting = resolution->cores[i];
		const struct domain_snapshot now = { .domain = domain->domain,
						     .profile = domain->profile };

		if (!setting || !setting->optional || isst_domain_is_io(domain->domain) ||
		    !is_unsupported(domain))
			continue;
		resolution->cores[i] = NULL;
		if (!domain->core_power.failure.error && !domain->core_power.supported)
			error = wanted_reject(wanted, setting, domain->domain, -EOPNOTSUPP,
					      "core-power is not supported");
		else
			error = wanted_reject(wanted, setting, domain->domain, -EOPNOTSUPP,
					      "turbo-freq feature is not present at level %u%s",
					      domain->level,
					      feature_levels_text(resolution->context, &now, 1,
								  FEATURE_TURBO_FREQ));
	}
	for (size_t i = 0; i < facts->count; i++) {
		const struct isst_domain *domain = facts->domains[i].domain;
		const struct setting *setting = resolution->cores[i];
		bool counts = !setting || !setting->optional || !isst_domain_is_io(domain);

		for (size_t j = 0; j < facts->count && !counts; j++)
			counts = resolution->cores[j] == setting &&
				 facts->domains[j].domain->package == domain->package &&
				 !isst_domain_is_io(facts->domains[j].domain);
		if (!counts)
			resolution->cores[i] = NULL;
	}
	return error;
}

/* ---- Which are chosen ---- */

/** The CPUs that are online once all is as stated. Of those that the level enables the choice takes
 * no others anyway. */
static int find_online(const struct resolution *resolution, const struct setting *setting,
		       struct isst_cpuset *online)
{
	const struct facts *facts = &resolution->wanted->facts;
	int error = 0;

	for (size_t i = 0; i < facts->count; i++) {
		const struct domain_facts *domain = &facts->domains[i];
		const struct setting *cpus = wanted_cpus(resolution->wanted, domain->domain);
		unsigned int cpu;

		if (resolution->cores[i] != setting)
			continue;
		isst_cpuset_for_each (cpu, domain->domain->present)
			if (!error &&
			    (!cpus ? isst_cpuset_has(domain->domain->online, cpu)
				   : cpus->wanted == WANTED_OF_LEVEL ||
					     wanted_online(resolution->wanted, domain, cpu)))
				error = isst_cpuset_add(online, cpu, cpu);
	}
	return error;
}

/** @domains, @levels: to be filled in with where a setting chooses cores */
static int choose_cores(struct resolution *resolution, const struct setting *setting,
			const struct isst_domain **domains, unsigned int *levels)
{
	const struct facts *facts = &resolution->wanted->facts;
	struct choice_scope scope = { .domains = domains, .levels = levels };
	struct core_choice choice = setting->choice;
	struct isst_cpuset *chosen, *online;
	int error;

	for (size_t i = 0; i < facts->count; i++) {
		if (isst_domain_is_io(facts->domains[i].domain) || resolution->cores[i] != setting)
			continue;
		domains[scope.count] = facts->domains[i].domain;
		levels[scope.count++] = facts->domains[i].level;
	}
	if (scope.count == 0)
		return 0;
	scope.cpus = online = isst_cpuset_new();
	chosen = isst_cpuset_new();
	error = chosen && online ? find_online(resolution, setting, online) : -ENOMEM;
	/* No statement allows lower turbo frequencies; those of single CPUs need no permission. */
	choice.otherwise = "state fewer or, in place of it, 'turbo-freq on', 'core-power on "
			   "ordered', 'association 3 = all' and 'association 0 = CPUS'";
	if (!error)
		error = high_priority_choose(resolution->context, &scope, &choice, chosen);
	if (!error)
		error = isst_cpuset_add_set(resolution->wanted->high_priority, chosen);
	/* Nothing could be chosen: a problem, unless the setting is optional and the machine
	 * without. */
	for (size_t i = 0; i < facts->count && setting->optional && error_is_absence(error); i++)
		if (resolution->cores[i] == setting)
			resolution->cores[i] = NULL;
	if (error && error != -ENOMEM && error != -EINTR)
		error = wanted_reject(resolution->wanted, setting, NULL, error, "%s",
				      isst_error(resolution->context));
	isst_cpuset_free(online);
	isst_cpuset_free(chosen);
	return error;
}

int resolve_high_priority(struct resolution *resolution)
{
	const struct configuration *configuration = resolution->configuration;
	struct wanted *wanted = resolution->wanted;
	size_t count = wanted->facts.count;
	const struct isst_domain **domains = calloc(count + 1, sizeof(*domains));
	unsigned int *levels = calloc(count + 1, sizeof(*levels));
	int error;

	resolution->cores = calloc(count + 1, sizeof(struct setting *));
	error = domains && levels && resolution->cores ? 0 : -ENOMEM;
	for (size_t i = 0; i < count && !error; i++) {
		const struct setting *setting = domain_setting(
			resolution->context, configuration, SUBJECT_HIGH_PRIORITY,
			wanted->facts.domains[i].domain, INDEX_ALL);

		if (setting && setting->wanted == WANTED_CORES)
			resolution->cores[i] = setting;
	}
	if (!error)
		error = drop_optional(resolution);
	/* A command has chosen. */
	for (size_t i = 0; i < configuration->setting_count && !error && !wanted->is_command; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject != SUBJECT_HIGH_PRIORITY || setting->wanted != WANTED_CORES)
			continue;
		if (!wanted->high_priority)
			wanted->high_priority = isst_cpuset_new();
		error = wanted->high_priority ? choose_cores(resolution, setting, domains, levels)
					      : -ENOMEM;
	}
	free(domains);
	free(levels);
	/* Where all settings were passed over none were asked for. */
	if (!wanted->is_command && isst_cpuset_count(wanted->high_priority) == 0) {
		isst_cpuset_free(wanted->high_priority);
		wanted->high_priority = NULL;
	}
	return error;
}
