/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the state of online CPUs: the CLOS of their cores, and their files of cpufreq. */
#include "common/numbered.h"
#include "explain/survey.h"

#include <errno.h>
#include <stdlib.h>

static int take_cpus(struct survey *survey, struct survey_domain *domain)
{
	const struct isst_cpuset *online = domain->domain->online;
	unsigned int number;

	domain->cpus = calloc(isst_cpuset_count(online) + 1, sizeof(*domain->cpus));
	if (!domain->cpus)
		return -ENOMEM;
	isst_cpuset_for_each (number, online) {
		const struct isst_cpu *cpu = context_cpu(survey->context, number);
		bool asked = domain->asked &&
			     (!survey->named || isst_cpuset_has(survey->named, number));

		if (cpu)
			domain->cpus[domain->cpu_count++] = (struct survey_cpu){
				.cpu = cpu,
				.asked = asked,
				.applied_clos = NOT_STATED,
				.read = asked && !isst_cpuset_has(survey->undisturbed, number)
			};
	}
	return 0;
}

bool survey_is_first_of_core(const struct survey_domain *domain, size_t position,
			     bool (*counts)(const struct survey_cpu *cpu))
{
	const struct survey_cpu *cpu = &domain->cpus[position];

	if (!cpu->cpu->core_known || !counts(cpu))
		return false;
	for (const struct survey_cpu *other = domain->cpus; other < cpu; other++)
		if (other->cpu->core_known && other->cpu->core == cpu->cpu->core && counts(other))
			return false;
	return true;
}

/* ---- Classes of service ---- */

/** Notes what became of associations, with one text for all failures of a domain. */
static int note_associations(struct survey *survey, const struct isst_clos_association *found,
			     struct survey_cpu *const *cpus, size_t count)
{
	struct isst_failure failure = { 0 };
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_cpu *cpu = cpus[i]->cpu;
		const struct isst_cpu *next = i + 1 < count ? cpus[i + 1]->cpu : NULL;

		cpus[i]->clos_known = !found[i].failure.error;
		cpus[i]->clos = found[i].clos;
		if (found[i].failure.error != -EOPNOTSUPP)
			failure_join(&failure, &found[i].failure);
		if (cpu && next && next->domain == cpu->domain)
			continue;
		if (failure.more > 0)
			failure.message = message_make(&survey->context->messages,
						       "%s (and %u more)", failure.message,
						       failure.more);
		error = survey_note_failure(survey, &failure);
		failure = (struct isst_failure){ 0 };
	}
	return error;
}

static int read_associations(struct survey *survey)
{
	size_t all = isst_cpuset_count(isst_online_cpus(survey->context)), count = 0;
	struct isst_clos_association *found = calloc(all + 1, sizeof(*found));
	struct survey_cpu **cpus = calloc(all + 1, sizeof(*cpus));
	int error = found && cpus ? 0 : -ENOMEM;

	for (size_t i = 0; i < survey->count && !error; i++) {
		struct survey_domain *domain = &survey->domains[i];

		if (domain->now->core_power.failure.error || !domain->now->core_power.supported)
			continue;
		for (size_t j = 0; j < domain->cpu_count; j++) {
			cpus[count] = &domain->cpus[j];
			found[count++].cpu = domain->cpus[j].cpu;
		}
	}
	if (!error && count > 0)
		error = clos_association_read(survey->context, found, count);
	if (!error)
		error = note_associations(survey, found, cpus, count);
	free(cpus);
	free(found);
	return error;
}

/* ---- cpufreq ---- */

/** Limits that the kernel has of others than the user. */
static int read_limit_owners(struct survey *survey, struct survey_cpu *cpu)
{
	const struct frequency_limits *now = &cpu->limits.now;
	struct kernel_files *files = &survey->context->files;
	unsigned int number = cpu->cpu->number;
	int error = 0;

	if (now->min_khz != LIMIT_NONE)
		error = survey_note_file(survey,
					 cpufreq_limit_owners(files, number, CPUFREQ_MIN,
							      &cpu->limit_owners[CPUFREQ_MIN]));
	if (!error && now->max_khz != LIMIT_NONE)
		error = survey_note_file(survey,
					 cpufreq_limit_owners(files, number, CPUFREQ_MAX,
							      &cpu->limit_owners[CPUFREQ_MAX]));
	return error;
}

static int read_policy(struct survey *survey, struct survey_cpu *cpu)
{
	struct kernel_files *files = &survey->context->files;
	int error = read_limit_owners(survey, cpu);

	if (!error && !survey->driver)
		error = survey_note_file(survey,
					 cpufreq_read_word(files, cpu->cpu->number,
							   "scaling_driver", &survey->driver));
	if (!error)
		error = survey_note_file(survey, cpufreq_read(files, cpu->cpu->number,
							      "base_frequency", &cpu->base_khz));
	if (!error)
		error = survey_note_file(survey,
					 cpufreq_read_word(files, cpu->cpu->number,
							   "scaling_governor", &cpu->governor));
	if (!error)
		error = survey_note_file(survey, cpufreq_read_word(files, cpu->cpu->number,
								   "energy_performance_preference",
								   &cpu->preference));
	return error;
}

static int read_cpufreq(struct survey *survey, struct survey_domain *domain)
{
	struct scaling_limits *limits = calloc(domain->cpu_count + 1, sizeof(*limits));
	size_t count = 0, next = 0;
	int error = limits ? 0 : -ENOMEM;

	for (size_t i = 0; i < domain->cpu_count && !error; i++)
		if (domain->cpus[i].read)
			limits[count++].cpu = domain->cpus[i].cpu;
	if (!error && count > 0)
		error = scaling_limits_read(survey->context, limits, count);
	for (size_t i = 0; i < domain->cpu_count && !error; i++) {
		struct survey_cpu *cpu = &domain->cpus[i];

		if (!cpu->read)
			continue;
		cpu->limits = limits[next++];
		cpu->has_cpufreq = !cpu->limits.failure.error;
		error = survey_note_failure(survey, &cpu->limits.failure);
		if (!error && cpu->has_cpufreq)
			error = read_policy(survey, cpu);
	}
	free(limits);
	return error;
}

/** Notes which of the CPUs asked for were left alone. */
static int note_undisturbed(struct survey *survey)
{
	struct isst_cpuset *left = isst_cpuset_new();
	char *list = NULL;
	int error = left ? 0 : -ENOMEM;

	for (size_t i = 0; i < survey->count; i++)
		for (size_t j = 0; j < survey->domains[i].cpu_count && !error; j++) {
			const struct survey_cpu *cpu = &survey->domains[i].cpus[j];

			if (cpu->asked && !cpu->read)
				error = isst_cpuset_add(left, cpu->cpu->number, cpu->cpu->number);
		}
	if (!error && isst_cpuset_count(left) > 0) {
		list = name_numbers("CPU", left);
		error = list ? survey_note(survey,
					   "%s: isolated or nohz_full: files of cpufreq are "
					   "not read",
					   list)
			     : -ENOMEM;
	}
	free(list);
	isst_cpuset_free(left);
	return error;
}

int survey_list_cpus(struct survey *survey)
{
	int error = 0;

	for (size_t i = 0; i < survey->count && !error; i++)
		error = take_cpus(survey, &survey->domains[i]);
	return error;
}

int survey_read_cpus(struct survey *survey)
{
	int error = survey_list_cpus(survey);

	if (!error)
		error = read_associations(survey);
	for (size_t i = 0; i < survey->count && !error; i++)
		error = read_cpufreq(survey, &survey->domains[i]);
	return error ? error : note_undisturbed(survey);
}

void survey_clear_cpus(struct survey_domain *domain)
{
	for (size_t i = 0; i < domain->cpu_count; i++) {
		free(domain->cpus[i].governor);
		free(domain->cpus[i].preference);
		free(domain->cpus[i].limit_owners[CPUFREQ_MIN]);
		free(domain->cpus[i].limit_owners[CPUFREQ_MAX]);
	}
	free(domain->cpus);
	domain->cpus = NULL;
	domain->cpu_count = 0;
}
