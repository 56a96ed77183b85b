/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the state of power domains, in few driver calls, and of the machine as a whole. */
#include "explain/survey.h"
#include "topology/requested_levels.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Levels and features ---- */

/** Reads the current levels, and the lowest ones of domains that have another. Without CPUs there
 * are no associations that core-power is for, and no level is read. */
static void read_snapshots(struct survey *survey)
{
	struct survey_domain *domains = survey->domains;
	struct domain_snapshot *now = survey->now;
	const size_t count = survey->count;

	for (size_t i = 0; i < count; i++) {
		now[i].parts = SNAPSHOT_PROFILES |
			       (now[i].domain->has_cpu ? SNAPSHOT_CLOS_IN_FORCE : 0);
		now[i].core_power.failure.error = -EOPNOTSUPP;
	}
	survey_take_error(survey, snapshot_read(survey->context, now, count));
	for (size_t i = 0; i < count && !survey->error; i++) {
		const struct isst_perf_profile *profile = &now[i].profile;
		unsigned int lowest = 0;

		survey_note_failure(survey, &profile->failure);
		if (!survey_has_level(&domains[i]))
			continue;
		while (profile->level_mask && lowest < profile->highest_level &&
		       !(profile->level_mask >> lowest & 1))
			lowest++;
		now[i].parts |= SNAPSHOT_LEVEL;
		now[i].level.level = profile->current_level;
		domains[i].has_first = lowest != profile->current_level;
		if (domains[i].has_first)
			domains[i].first = (struct isst_level){ .domain = now[i].domain,
								.profile = profile,
								.level = lowest };
	}
	if (!survey->error)
		survey->error = snapshot_read_levels(survey->context, now, count, ISST_LEVELS_ALL);
	if (!survey->error)
		survey->error = levels_read(survey->context, &domains->first, count,
					    sizeof(*domains), ISST_LEVELS_PROPERTIES);
	if (survey->error)
		return;
	for (size_t i = 0; i < count; i++) {
		survey_note_failure(survey, &now[i].level.failure);
		survey_note_failure(survey, &now[i].level.base_freq_info.failure);
		survey_note_failure(survey, &now[i].level.turbo_freq_info.failure);
	}
	for (size_t i = 0; i < count; i++)
		survey_note_failure(survey, &domains[i].first.failure);
	for (size_t i = 0; i < count; i++)
		survey_note_failure(survey, &now[i].core_power.failure);
}

static void read_clos(struct survey *survey)
{
	struct isst_clos *configs = calloc(survey->count * ISST_CLOS_COUNT + 1, sizeof(*configs));
	size_t count = 0, next = 0;

	survey->error = configs ? 0 : -ENOMEM;
	for (size_t i = 0; i < survey->count && configs; i++)
		for (unsigned int clos = 0; clos < ISST_CLOS_COUNT; clos++) {
			if (!survey_classes_hold(&survey->domains[i]))
				continue;
			configs[count].domain = survey->domains[i].domain;
			configs[count++].clos = clos;
		}
	if (count > 0)
		survey->error = clos_read(survey->context, configs, count);
	for (size_t i = 0; i < survey->count && !survey->error; i++)
		for (unsigned int clos = 0; clos < ISST_CLOS_COUNT && !survey->error; clos++) {
			struct isst_clos *config = &survey->domains[i].clos[clos];

			config->failure.error = -EOPNOTSUPP;
			if (!survey_classes_hold(&survey->domains[i]))
				continue;
			*config = configs[next++];
			survey_note_failure(survey, &config->failure);
		}
	free(configs);
}

/** Whether the turbo ratio limits of a domain are read: by a CPU that is not to be left alone. */
static bool may_read_limits(const struct survey *survey, const struct survey_domain *domain)
{
	if (!survey_has_level(domain) || survey->context->platform.preset)
		return false;
	for (unsigned int cpu = 0; isst_cpuset_next(domain->domain->online, cpu, &cpu); cpu++)
		if (!isst_cpuset_has(survey->undisturbed, cpu))
			return true;
	return false;
}

static void read_limits(struct survey *survey)
{
	struct isst_turbo_ratio_limits *limits = calloc(survey->count + 1, sizeof(*limits));
	size_t count = 0, next = 0;

	survey->error = limits ? 0 : -ENOMEM;
	for (size_t i = 0; i < survey->count && limits; i++) {
		survey->domains[i].has_limits = may_read_limits(survey, &survey->domains[i]);
		if (survey->domains[i].has_limits)
			limits[count++].domain = survey->domains[i].domain;
	}
	if (count > 0)
		survey->error = turbo_ratio_limits_read(survey->context, limits, count);
	for (size_t i = 0; i < survey->count && !survey->error; i++) {
		struct survey_domain *domain = &survey->domains[i];

		if (!domain->has_limits)
			continue;
		domain->limits = limits[next++];
		domain->has_limits = !domain->limits.failure.error;
		survey_note_failure(survey, &domain->limits.failure);
	}
	free(limits);
}

static void read_requested_levels(struct survey *survey)
{
	struct requested_levels all;

	survey->error = requested_levels_read(survey->context, &all);
	for (size_t i = 0; i < survey->count && !survey->error; i++) {
		struct survey_domain *domain = &survey->domains[i];
		const struct requested_level *level = requested_level_of(&all, domain->domain);

		domain->has_requested = level && !domain->now->profile.failure.error &&
					level->present == domain->now->profile.current_level;
		domain->requested = domain->has_requested ? level->requested : 0;
	}
	if (!survey->error)
		survey_note_failure(survey, &all.failure);
	requested_levels_clear(&all);
}

/* ---- Uncore, and CPUs that are offline ---- */

static void read_uncore(struct survey *survey, struct survey_domain *domain)
{
	int error = uncore_fabric_count(survey->context, domain->domain, &domain->fabrics);

	if (error) {
		if (domain->asked)
			survey_note_file(survey, error);
		return;
	}
	if (domain->fabrics > ISST_FABRICS)
		domain->fabrics = ISST_FABRICS;
	for (unsigned int i = 0; i < domain->fabrics; i++) {
		domain->uncore[i].domain = domain->domain;
		domain->uncore[i].fabric = i;
	}
	survey->error = uncore_limits_read(survey->context, domain->uncore, domain->fabrics);
	for (unsigned int i = 0; i < domain->fabrics && !survey->error && domain->asked; i++)
		survey_note_failure(survey, &domain->uncore[i].failure);
}

/** The CPUs of all domains at once: what partitions hold is the same for all. */
static void read_files_of_domains(struct survey *survey)
{
	struct cpus_state *states = calloc(survey->count + 1, sizeof(*states));
	size_t count = 0;

	if (!states) {
		survey->error = -ENOMEM;
		return;
	}
	survey_for_each_domain (domain, survey)
		if (domain->asked)
			states[count++].domain = domain->domain;
	survey->error = cpus_state_read(survey->context, states, count);
	count = 0;
	survey_for_each_domain (domain, survey)
		if (domain->asked)
			domain->cpus_state = states[count++];
	free(states);
	for (size_t i = 0; i < survey->count && !survey->error; i++) {
		struct survey_domain *domain = &survey->domains[i];
		const struct cpus_state *cpus = &domain->cpus_state;

		/* A limit of the package holds all of its power domains. */
		if (domain->asked || context_has_power_domains(survey->context))
			read_uncore(survey, domain);
		if (!domain->asked || survey->error)
			continue;
		survey_note_failure(survey, &cpus->failure);
	}
}

/* ---- CPUs that are online ---- */

const struct frequency_limits *survey_processor(const struct survey *survey)
{
	static const struct frequency_limits UNKNOWN;

	survey_for_each_domain (domain, survey)
		survey_for_each_cpu (cpu, domain)
			if (cpu->has_cpufreq)
				return &cpu->limits.processor;
	return &UNKNOWN;
}

static void list_cpus(struct survey *survey)
{
	survey_for_each_domain (domain, survey) {
		const struct isst_cpuset *online = domain->domain->online;
		unsigned int number;

		domain->cpus = calloc(isst_cpuset_count(online) + 1, sizeof(*domain->cpus));
		if (!domain->cpus) {
			survey->error = -ENOMEM;
			return;
		}
		isst_cpuset_for_each (number, online) {
			const struct isst_cpu *cpu = context_cpu(survey->context, number);
			bool asked = domain->asked &&
				     (!survey->named || isst_cpuset_has(survey->named, number));
			bool read = asked && !isst_cpuset_has(survey->undisturbed, number);

			if (cpu)
				domain->cpus[domain->cpu_count++] = (struct survey_cpu){
					.cpu = cpu, .asked = asked, .read = read
				};
		}
	}
}

/* ---- Classes of service ---- */

/** Notes what became of associations, with one text for all failures of a domain. */
static void note_associations(struct survey *survey, const struct isst_clos_association *found,
			      struct survey_cpu *const *cpus, size_t count)
{
	struct isst_failure failure = { 0 };

	for (size_t i = 0; i < count && !survey->error; i++) {
		cpus[i]->clos_known = !found[i].failure.error;
		cpus[i]->clos = found[i].clos;
		if (found[i].failure.error != -EOPNOTSUPP)
			failure_join(&failure, &found[i].failure);
		if (i + 1 < count && cpus[i + 1]->cpu->domain == cpus[i]->cpu->domain)
			continue;
		if (failure.more > 0)
			failure.message = message_make_at(
				&survey->context->messages,
				of_text(&survey->context->messages, failure.message),
				"%s (and %u more)", failure.message, failure.more);
		survey_note_failure(survey, &failure);
		failure = (struct isst_failure){ 0 };
	}
}

static void read_associations(struct survey *survey)
{
	size_t all = isst_cpuset_count(isst_online_cpus(survey->context)), count = 0;
	struct isst_clos_association *found = calloc(all + 1, sizeof(*found));
	struct survey_cpu **cpus = calloc(all + 1, sizeof(*cpus));

	survey->error = found && cpus ? 0 : -ENOMEM;
	for (size_t i = 0; i < survey->count && !survey->error; i++) {
		struct survey_domain *domain = &survey->domains[i];

		if (domain->now->core_power.failure.error || !domain->now->core_power.supported)
			continue;
		survey_for_each_cpu (cpu, domain) {
			cpus[count] = cpu;
			found[count++].cpu = cpu->cpu;
		}
	}
	if (count > 0)
		survey->error = clos_association_read(survey->context, found, count);
	note_associations(survey, found, cpus, count);
	free(cpus);
	free(found);
}

/* ---- cpufreq ---- */

/** Reads what the files of a CPU show, with limits that the kernel has of others than the user. */
static void read_policy(struct survey *survey, struct survey_cpu *cpu)
{
	const struct frequency_limits *now = &cpu->limits.now;
	struct kernel_files *files = &survey->context->files;
	unsigned int number = cpu->cpu->number;

	if (now->min_khz != LIMIT_NONE)
		survey_note_file(survey, cpufreq_limit_owners(files, number, CPUFREQ_MIN,
							      &cpu->limit_owners[CPUFREQ_MIN]));
	if (now->max_khz != LIMIT_NONE)
		survey_note_file(survey, cpufreq_limit_owners(files, number, CPUFREQ_MAX,
							      &cpu->limit_owners[CPUFREQ_MAX]));
	if (!survey->driver)
		survey_note_file(survey, cpufreq_read_word(files, number, "scaling_driver",
							   &survey->driver));
	survey_note_file(survey, cpufreq_read(files, number, "base_frequency", &cpu->base_khz));
	survey_note_file(survey,
			 cpufreq_read_word(files, number, "scaling_governor", &cpu->governor));
	survey_note_file(survey, cpufreq_read_word(files, number, "energy_performance_preference",
						   &cpu->preference));
}

static void read_cpufreq(struct survey *survey, struct survey_domain *domain)
{
	struct scaling_limits *limits = calloc(domain->cpu_count + 1, sizeof(*limits));
	size_t count = 0, next = 0;

	survey->error = limits ? 0 : -ENOMEM;
	for (size_t i = 0; i < domain->cpu_count && limits; i++)
		if (domain->cpus[i].read)
			limits[count++].cpu = domain->cpus[i].cpu;
	if (count > 0)
		survey->error = scaling_limits_read(survey->context, limits, count);
	for (size_t i = 0; i < domain->cpu_count && !survey->error; i++) {
		struct survey_cpu *cpu = &domain->cpus[i];

		if (!cpu->read)
			continue;
		cpu->limits = limits[next++];
		cpu->has_cpufreq = !cpu->limits.failure.error;
		survey_note_failure(survey, &cpu->limits.failure);
		if (cpu->has_cpufreq)
			read_policy(survey, cpu);
	}
	free(limits);
}

static void read_cpus(struct survey *survey)
{
	struct isst_cpuset *left = isst_cpuset_new();

	list_cpus(survey);
	survey_take_error(survey, left ? 0 : -ENOMEM);
	if (!survey->error)
		read_associations(survey);
	for (size_t i = 0; i < survey->count && !survey->error; i++)
		read_cpufreq(survey, &survey->domains[i]);
	/* Which of the CPUs asked for were left alone. */
	survey_for_each_domain (domain, survey)
		for (size_t j = 0; j < domain->cpu_count && !survey->error; j++) {
			const struct survey_cpu *cpu = &domain->cpus[j];

			if (cpu->asked && !cpu->read)
				survey->error = isst_cpuset_add(left, cpu->cpu->number,
								cpu->cpu->number);
		}
	if (!survey->error && isst_cpuset_count(left) > 0)
		survey_note(survey,
			    "%s: isolated or nohz_full: files of cpufreq and MSRs are not read",
			    message_numbers(&survey->context->messages, "CPU", left));
	isst_cpuset_free(left);
}

/* ---- All of it ---- */

static int take_domains(struct survey *survey, const struct isst_domain *const *domains,
			size_t asked_count)
{
	size_t count = isst_domain_count(survey->context);

	survey->domains = calloc(count + 1, sizeof(*survey->domains));
	survey->now = calloc(count + 1, sizeof(*survey->now));
	if (!survey->domains || !survey->now)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct isst_domain *domain = context_domain(survey->context, i);
		bool asked = false, in_package = false;

		for (size_t j = 0; j < asked_count; j++) {
			asked |= domains[j] == domain;
			in_package |= domains[j]->package == domain->package;
		}
		if (!in_package)
			continue;
		survey->now[survey->count].domain = domain;
		survey->domains[survey->count] = (struct survey_domain){
			.survey = survey,
			.domain = domain,
			.asked = asked,
			.now = &survey->now[survey->count],
		};
		survey->count++;
	}
	return 0;
}

int survey_read(struct survey *survey, const struct isst_domain *const *domains, size_t count)
{
	static void (*const ALL[])(struct survey * survey) = {
		survey_read_whole,
		read_snapshots,
		read_clos,
		read_limits,
		read_requested_levels,
		read_files_of_domains,
		read_cpus,
		survey_read_causes,
		survey_read_reasons,
		survey_read_managers,
		survey_read_power,
		survey_read_hidden,
		survey_read_remembered,
		NULL,
	};
	static void (*const LIMITS[])(struct survey * survey) = { survey_read_whole, list_cpus,
								  survey_read_reasons, NULL };
	void (*const *parts)(struct survey * survey) = survey->limits_only ? LIMITS : ALL;

	survey->error = take_domains(survey, domains, count);
	for (size_t i = 0; parts[i] && !survey->error; i++)
		parts[i](survey);
	if (!survey->error && survey->measure)
		survey_measure(survey);
	return survey->error;
}

void survey_clear(struct survey *survey)
{
	survey_for_each_domain (domain, survey) {
		level_clear(&domain->first);
		cpus_state_clear(&domain->cpus_state);
		survey_for_each_cpu (cpu, domain) {
			free(cpu->governor);
			free(cpu->preference);
			free(cpu->limit_owners[CPUFREQ_MIN]);
			free(cpu->limit_owners[CPUFREQ_MAX]);
		}
		free(domain->cpus);
	}
	snapshot_clear(survey->now, survey->count);
	free(survey->now);
	free(survey->domains);
	limit_reasons_clear(&survey->reasons);
	powercap_clear(&survey->power);
	configuration_clear(&survey->boot);
	configuration_clear(&survey->applied);
	isst_cpuset_free(survey->undisturbed);
	isst_cpuset_free(survey->named);
	free(survey->smt);
	free(survey->driver);
	free(survey->release);
	free(survey->command_line);
	free(survey->pstate);
	free(survey->flags);
	message_list_free(&survey->unread);
	message_list_free(&survey->notes);
	*survey = (struct survey){ 0 };
}
