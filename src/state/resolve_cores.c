/* SPDX-License-Identifier: BSD-3-Clause */
/* High priority cores of a configuration: where a statement of them counts, and which are chosen.
 */
#include "features/high_priority.h"
#include "features/planning.h"
#include "state/resolve.h"

#include <errno.h>
#include <stdlib.h>

/** Where a setting chooses cores. */
struct choice {
	const struct isst_domain **domains;
	unsigned int *levels;
	size_t count;
};

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

/** Whether a setting counts for a domain with CPUs of a package. */
static bool counts_in_package(const struct resolution *resolution, const struct setting *setting,
			      unsigned int package)
{
	const struct facts *facts = &resolution->wanted->facts;

	for (size_t i = 0; i < facts->count; i++)
		if (resolution->cores[i] == setting &&
		    facts->domains[i].domain->package == package &&
		    !isst_domain_is_io(facts->domains[i].domain))
			return true;
	return false;
}

/** A domain where an optional setting is skipped. */
static int skip_domain(struct resolution *resolution, size_t i)
{
	const struct domain_facts *domain = &resolution->wanted->facts.domains[i];
	const struct setting *setting = resolution->cores[i];
	const struct domain_snapshot now = { .domain = domain->domain, .profile = domain->profile };

	resolution->cores[i] = NULL;
	if (!domain->core_power.failure.error && !domain->core_power.supported)
		return wanted_reject(resolution->wanted, setting, domain->domain, -EOPNOTSUPP,
				     "core-power is not supported");
	return wanted_reject(resolution->wanted, setting, domain->domain, -EOPNOTSUPP,
			     "turbo-freq feature is not present at level %u%s", domain->level,
			     feature_levels_text(resolution->context, &now, 1, FEATURE_TURBO_FREQ));
}

/** What is optional is passed over where there is no such thing. I/O dies follow the others of
 * their package. */
static int drop_optional(struct resolution *resolution)
{
	const struct facts *facts = &resolution->wanted->facts;
	int error = 0;

	for (size_t i = 0; i < facts->count && !error; i++)
		if (resolution->cores[i] && resolution->cores[i]->optional &&
		    !isst_domain_is_io(facts->domains[i].domain) &&
		    is_unsupported(&facts->domains[i]))
			error = skip_domain(resolution, i);
	for (size_t i = 0; i < facts->count; i++)
		if (resolution->cores[i] && resolution->cores[i]->optional &&
		    isst_domain_is_io(facts->domains[i].domain) &&
		    !counts_in_package(resolution, resolution->cores[i],
				       facts->domains[i].domain->package))
			resolution->cores[i] = NULL;
	return error;
}

/** An optional setting by which no cores can be chosen. */
static void drop(struct resolution *resolution, const struct setting *setting)
{
	for (size_t i = 0; i < resolution->wanted->facts.count; i++)
		if (resolution->cores[i] == setting)
			resolution->cores[i] = NULL;
}

static int find_settings(struct resolution *resolution)
{
	const struct facts *facts = &resolution->wanted->facts;

	resolution->cores = calloc(facts->count + 1, sizeof(struct setting *));
	if (!resolution->cores)
		return -ENOMEM;
	for (size_t i = 0; i < facts->count; i++) {
		const struct setting *setting = domain_setting(
			resolution->context, resolution->configuration, SUBJECT_HIGH_PRIORITY,
			facts->domains[i].domain, INDEX_ALL);

		if (setting && setting->wanted == WANTED_CORES)
			resolution->cores[i] = setting;
	}
	return drop_optional(resolution);
}

/* ---- Which are chosen ---- */

static void find_domains(const struct resolution *resolution, const struct setting *setting,
			 struct choice *choice)
{
	const struct facts *facts = &resolution->wanted->facts;

	choice->count = 0;
	for (size_t i = 0; i < facts->count; i++) {
		const struct domain_facts *domain = &facts->domains[i];

		if (isst_domain_is_io(domain->domain) || resolution->cores[i] != setting)
			continue;
		choice->domains[choice->count] = domain->domain;
		choice->levels[choice->count++] = domain->level;
	}
}

/** Nothing could be chosen: a problem, unless the setting is optional and the machine without. */
static int refuse_choice(struct resolution *resolution, const struct setting *setting, int error)
{
	if (error == -ENOMEM || error == -EINTR)
		return error;
	if (setting->optional && error_is_absence(error))
		drop(resolution, setting);
	return wanted_reject(resolution->wanted, setting, NULL, error, "%s",
			     isst_error(resolution->context));
}

/** Whether a CPU is online once all is as stated. Of those that the level enables the choice takes
 * no others anyway. */
static bool stays_online(const struct resolution *resolution, const struct domain_facts *domain,
			 unsigned int cpu)
{
	const struct setting *cpus = wanted_cpus(resolution->wanted, domain->domain);

	if (!cpus)
		return isst_cpuset_has(domain->domain->online, cpu);
	return cpus->wanted == WANTED_OF_LEVEL || wanted_online(resolution->wanted, domain, cpu);
}

static int find_online(const struct resolution *resolution, const struct setting *setting,
		       struct isst_cpuset *online)
{
	const struct facts *facts = &resolution->wanted->facts;
	int error = 0;

	for (size_t i = 0; i < facts->count; i++) {
		const struct isst_domain *domain = facts->domains[i].domain;
		unsigned int cpu;

		if (resolution->cores[i] != setting)
			continue;
		isst_cpuset_for_each (cpu, domain->present)
			if (!error && stays_online(resolution, &facts->domains[i], cpu))
				error = isst_cpuset_add(online, cpu, cpu);
	}
	return error;
}

static int choose_among(struct resolution *resolution, const struct setting *setting,
			struct choice_scope *scope, struct isst_cpuset *chosen)
{
	struct isst_cpuset *online = isst_cpuset_new();
	struct core_choice choice = setting->choice;
	int error = online ? find_online(resolution, setting, online) : -ENOMEM;

	/* No statement allows lower turbo frequencies; those of single CPUs need no permission. */
	choice.otherwise = "state fewer or, in place of it, 'turbo-freq on', 'core-power on "
			   "ordered', 'association 3 = all' and 'association 0 = CPUS'";
	scope->cpus = online;
	if (!error)
		error = high_priority_choose(resolution->context, scope, &choice, chosen);
	isst_cpuset_free(online);
	return error;
}

static int choose_cores(struct resolution *resolution, const struct setting *setting,
			struct choice *choice)
{
	struct isst_cpuset *high = resolution->wanted->high_priority, *chosen;
	struct choice_scope scope = { .domains = choice->domains, .levels = choice->levels };
	int error;

	find_domains(resolution, setting, choice);
	scope.count = choice->count;
	if (scope.count == 0)
		return 0;
	chosen = isst_cpuset_new();
	error = chosen ? choose_among(resolution, setting, &scope, chosen) : -ENOMEM;
	error = error ? refuse_choice(resolution, setting, error)
		      : isst_cpuset_add_set(high, chosen);
	isst_cpuset_free(chosen);
	return error;
}

/** Where all settings were passed over none were asked for. */
static void drop_empty(struct wanted *wanted)
{
	if (isst_cpuset_count(wanted->high_priority) > 0)
		return;
	isst_cpuset_free(wanted->high_priority);
	wanted->high_priority = NULL;
}

int resolve_high_priority(struct resolution *resolution)
{
	const struct configuration *configuration = resolution->configuration;
	size_t count = resolution->wanted->facts.count;
	struct choice choice = { .domains = calloc(count + 1, sizeof(*choice.domains)),
				 .levels = calloc(count + 1, sizeof(*choice.levels)) };
	int error = choice.domains && choice.levels ? find_settings(resolution) : -ENOMEM;

	/* A command has chosen. */
	for (size_t i = 0; i < configuration->setting_count && !error; i++) {
		const struct setting *setting = &configuration->settings[i];

		if (setting->subject != SUBJECT_HIGH_PRIORITY || setting->wanted != WANTED_CORES ||
		    resolution->wanted->is_command)
			continue;
		if (!resolution->wanted->high_priority)
			resolution->wanted->high_priority = isst_cpuset_new();
		error = resolution->wanted->high_priority
				? choose_cores(resolution, setting, &choice)
				: -ENOMEM;
	}
	free(choice.domains);
	free(choice.levels);
	if (!resolution->wanted->is_command)
		drop_empty(resolution->wanted);
	return error;
}
