/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the state of online CPUs: the CLOS of their cores, and their files of cpufreq. */
#include "common/numbered.h"
#include "explain/survey.h"

#include <errno.h>
#include <stdlib.h>

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

const struct frequency_limits *survey_processor(const struct survey *survey)
{
	static const struct frequency_limits UNKNOWN;

	survey_for_each_domain (domain, survey)
		survey_for_each_cpu (cpu, domain)
			if (cpu->has_cpufreq)
				return &cpu->limits.processor;
	return &UNKNOWN;
}

void survey_list_cpus(struct survey *survey)
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
			failure.message = message_make(&survey->context->messages,
						       "%s (and %u more)", failure.message,
						       failure.more);
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

void survey_read_cpus(struct survey *survey)
{
	struct isst_cpuset *left = isst_cpuset_new();
	char *list = NULL;

	survey_list_cpus(survey);
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
	if (!survey->error && isst_cpuset_count(left) > 0) {
		list = name_numbers("CPU", left);
		survey->error = list ? 0 : -ENOMEM;
	}
	if (list)
		survey_note(survey, "%s: isolated or nohz_full: files of cpufreq are not read",
			    list);
	free(list);
	isst_cpuset_free(left);
}

void survey_clear_cpus(struct survey_domain *domain)
{
	survey_for_each_cpu (cpu, domain) {
		free(cpu->governor);
		free(cpu->preference);
		free(cpu->limit_owners[CPUFREQ_MIN]);
		free(cpu->limit_owners[CPUFREQ_MAX]);
	}
	free(domain->cpus);
	domain->cpus = NULL;
	domain->cpu_count = 0;
}
