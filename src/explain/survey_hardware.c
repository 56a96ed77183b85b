/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads why the hardware limited frequencies: performance limit reasons where TPMI reports them,
 * MSR 0x64f elsewhere. Measures CPUs where that is asked for, the one thing a survey does to them.
 */
#include "base/machine.h"
#include "common/monotonic.h"
#include "explain/survey.h"
#include "sysfs/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Busy CPUs ---- */

enum { MEASURED_MS = 300 };

static int measure_cpu(struct survey *survey, struct survey_cpu *cpu)
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
		/* Isolated CPUs are disturbed only if they were named. */
		if (!cpu->asked ||
		    (!survey->named && isst_cpuset_has(survey->undisturbed, cpu->cpu->number)))
			continue;
		error = enter_zone(survey, domain->domain, zone);
		if (!error)
			error = measure_cpu(survey, cpu);
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

enum { LIMIT_REASONS_REGISTER = 0x64f };

/* ---- MSR 0x64f, by one CPU of a package that is not to be left alone ---- */

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

/** What is missing is hidden, or was not loaded. */
static int note_missing(struct survey *survey)
{
	if (survey->kernel_version < KERNEL_VERSION(6, 11, 0))
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
