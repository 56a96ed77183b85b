/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads why the hardware limited frequencies: performance limit reasons where TPMI reports them.
 * Elsewhere MSR 0x64f, by one CPU of a package that is not to be left alone, and the kernel's
 * counters of throttling.
 */
#include "explain/survey.h"
#include "sysfs/cpu_registers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT_REASONS_REGISTER = 0x64f };

/* ---- The register ---- */

/** A CPU of a domain that may be disturbed; NULL: there is none. */
static const struct isst_cpu *find_reader(const struct survey *survey,
					  const struct survey_domain *domain)
{
	for (size_t i = 0; i < domain->cpu_count; i++)
		if (!isst_cpuset_has(survey->undisturbed, domain->cpus[i].cpu->number))
			return domain->cpus[i].cpu;
	return NULL;
}

/** Returns 1 where others cannot be read either. */
static int read_register(struct survey *survey, struct survey_domain *domain)
{
	const struct isst_cpu *cpu = find_reader(survey, domain);
	int error;

	if (!cpu)
		return 0;
	error = cpu_register_read(&survey->context->files, cpu->number, LIMIT_REASONS_REGISTER,
				  &domain->reasons);
	domain->has_reasons = !error;
	if (!error)
		return 0;
	/* What the processor does not have is no failure. */
	if (error == -ENOENT)
		error = survey_note(survey,
				    "/dev/cpu/%u/msr does not exist (module msr): performance "
				    "limit reasons (MSR 0x64f) are not read",
				    cpu->number);
	else
		error = survey_note_file(survey, error);
	return error ? error : 1;
}

static int read_registers(struct survey *survey)
{
	int result = 0;

	for (size_t i = 0; i < survey->count && !result; i++)
		if (survey->domains[i].asked)
			result = read_register(survey, &survey->domains[i]);
	return result < 0 ? result : 0;
}

/* ---- Counters ---- */

/** Returns 1 where there are none. */
static int read_counter(struct survey *survey, const struct isst_cpu *cpu, const char *name,
			uint64_t *count)
{
	char *path;
	int error;

	if (asprintf(&path, CPU_DIRECTORY "/cpu%u/thermal_throttle/%s", cpu->number, name) < 0)
		return -ENOMEM;
	error = kernel_files_number(&survey->context->files, path, UINT64_MAX, count);
	free(path);
	if (error == -ENOENT)
		return 1;
	return survey_note_file(survey, error);
}

static bool is_read(const struct survey_cpu *cpu)
{
	return cpu->read;
}

/** Those of a core are the same of all its threads. */
static int read_counters(struct survey *survey, struct survey_domain *domain)
{
	bool first = true;
	int result = 0;

	for (size_t i = 0; i < domain->cpu_count && !result; i++) {
		struct survey_cpu *cpu = &domain->cpus[i];

		if (!cpu->read ||
		    (cpu->cpu->core_known && !survey_is_first_of_core(domain, i, is_read)))
			continue;
		if (first)
			result = read_counter(survey, cpu->cpu, "package_throttle_count",
					      &domain->throttled);
		first = false;
		if (!result)
			result = read_counter(survey, cpu->cpu, "core_throttle_count",
					      &cpu->throttled);
	}
	return result;
}

static int read_all_counters(struct survey *survey)
{
	int result = 0;

	if (survey->limits_only)
		return 0;
	for (size_t i = 0; i < survey->count && !result; i++)
		result = read_counters(survey, &survey->domains[i]);
	return result < 0 ? result : 0;
}

/* ---- Performance limit reasons of TPMI ---- */

/** Whether the kernel has a driver for them: since 6.11. */
static bool may_have_driver(const struct survey *survey)
{
	return survey->kernel_version >= KERNEL_VERSION(6, 11, 0);
}

/** What is missing is hidden, or was not loaded. */
static int note_missing(struct survey *survey)
{
	if (!may_have_driver(survey))
		return survey_note(survey,
				   "performance limit reasons are not known on this kernel: "
				   "it is older than 6.11, or its version is unknown");
	survey->denied = true;
	return survey_note(survey, "there is no /sys/kernel/debug/tpmi-*/plr (debugfs is not "
				   "mounted, or module intel_plr_tpmi not loaded): performance "
				   "limit reasons are not read");
}

static int read_reasons(struct survey *survey)
{
	int error = limit_reasons_read(&survey->context->files, survey->context->topology->online,
				       &survey->reasons);

	if (error != -ENOENT)
		return survey_note_file(survey, error);
	error = note_missing(survey);
	return error ? error : read_all_counters(survey);
}

int survey_read_reasons(struct survey *survey)
{
	int error;

	if (context_has_power_domains(survey->context))
		return read_reasons(survey);
	error = read_registers(survey);
	return error ? error : read_all_counters(survey);
}
