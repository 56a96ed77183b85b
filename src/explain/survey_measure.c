/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures CPUs while they are busy, one after the other: this is the one thing that a survey does
 * to a machine, and it is done only where it is asked for.
 */
#include "base/machine.h"
#include "common/monotonic.h"
#include "explain/survey.h"

#include <errno.h>
#include <string.h>

enum { MEASURED_MS = 300 };

/** Isolated CPUs are disturbed only if they were named. */
static bool may_measure(const struct survey *survey, const struct survey_cpu *cpu)
{
	return cpu->asked &&
	       (survey->named || !isst_cpuset_has(survey->undisturbed, cpu->cpu->number));
}

static int measure(struct survey *survey, struct survey_cpu *cpu)
{
	const struct isst_machine *machine = survey->context->files.machine;
	int error = machine->measure ? machine->measure(machine->data, cpu->cpu->number,
							MEASURED_MS, &cpu->measured_khz)
				     : -EOPNOTSUPP;

	if (!error)
		return 0;
	cpu->measured_khz = 0;
	if (error == -ENOMEM)
		return error;
	return survey_note(survey, "CPU %u cannot be measured: %s", cpu->cpu->number,
			   strerror(-error));
}

/* ---- Power, while CPUs of the package are kept busy ---- */

/** Without powercap nothing is known of power, which is no failure. */
static int note_power(struct survey *survey, int error)
{
	const char *why = isst_error(survey->context);

	if (!error || error == -ENOMEM || error == -ENOENT)
		return error == -ENOMEM ? error : 0;
	powercap_clear(&survey->power);
	return survey_note(survey, "the power of packages is not known: %s", why);
}

/** Adds what was drawn since the last look, or begins with it. *@zone is NULL where that is not
 * known, and once it cannot be read: there are no zones then. */
static int look_at_power(struct survey *survey, struct power_zone **zone, bool begins)
{
	struct kernel_files *files = &survey->context->files;
	int error = 0;

	if (*zone)
		error = begins ? powercap_begin(files, *zone) : powercap_add(files, *zone);
	if (error)
		*zone = NULL;
	return note_power(survey, error);
}

/** Where CPUs were measured in no time, as emulated ones, they stay busy until the power can be
 * known. */
static int finish_power(struct survey *survey, struct power_zone **zone)
{
	const struct timespec rest = { .tv_nsec = MEASURED_MS * NS_PER_MS };

	if (!*zone || (*zone)->time_ns >= (uint64_t)rest.tv_nsec)
		return 0;
	nanosleep(&rest, NULL);
	return look_at_power(survey, zone, false);
}

/** Goes on to the package of a domain: its CPUs follow each other. */
static int enter_zone(struct survey *survey, const struct isst_domain *domain,
		      struct power_zone **zone)
{
	int error;

	if (powercap_zone(&survey->power, domain->package, domain->die) == *zone)
		return 0;
	error = finish_power(survey, zone);
	*zone = powercap_zone(&survey->power, domain->package, domain->die);
	return error ? error : look_at_power(survey, zone, true);
}

/** Measures the CPUs of a domain, and with them the power of its package. */
static int measure_domain(struct survey *survey, struct survey_domain *domain,
			  struct power_zone **zone)
{
	int error = 0;

	for (size_t i = 0; i < domain->cpu_count && !error; i++) {
		struct survey_cpu *cpu = &domain->cpus[i];

		if (context_is_interrupted(survey->context))
			return -EINTR;
		if (!may_measure(survey, cpu))
			continue;
		error = enter_zone(survey, domain->domain, zone);
		if (!error)
			error = measure(survey, cpu);
		if (!error)
			error = look_at_power(survey, zone, false);
	}
	return error;
}

int survey_measure(struct survey *survey)
{
	struct power_zone *zone = NULL;
	int error = note_power(survey, powercap_find(&survey->context->files, &survey->power));

	/* It takes minutes on a large machine, in which nothing is asked of the driver. */
	driver_suspend(&survey->context->driver);
	for (size_t i = 0; i < survey->count && !error; i++)
		error = measure_domain(survey, &survey->domains[i], &zone);
	return error ? error : finish_power(survey, &zone);
}
