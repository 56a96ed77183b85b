/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures CPUs while they are busy, one after the other: this is the one thing that a survey does
 * to a machine, and it is done only where it is asked for.
 */
#include "base/machine.h"
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

int survey_measure(struct survey *survey)
{
	int error = 0;

	/* It takes minutes on a large machine, in which nothing is asked of the driver. */
	driver_suspend(&survey->context->driver);
	for (size_t i = 0; i < survey->count && !error; i++)
		for (size_t j = 0; j < survey->domains[i].cpu_count && !error; j++) {
			struct survey_cpu *cpu = &survey->domains[i].cpus[j];

			if (context_is_interrupted(survey->context))
				error = -EINTR;
			else if (may_measure(survey, cpu))
				error = measure(survey, cpu);
		}
	return error;
}
