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
#include <string.h>

/* ---- Busy CPUs ---- */

enum { MEASURED_MS = 300 };

/** Without powercap nothing is known of power, which is no failure. */
static void note_power(struct survey *survey, int error)
{
	if (error && error != -ENOMEM && error != -ENOENT) {
		survey_note(survey, "the power of packages is not known: %s",
			    isst_error(survey->context));
		powercap_clear(&survey->power);
	}
	if (error == -ENOMEM)
		survey_take_error(survey, error);
}

/** Begins with a zone, or adds what was drawn since the last look. *@zone is NULL where that is not
 * known, and once it cannot be read: there are no zones then. */
static void look_at_power(struct survey *survey, struct power_zone **zone,
			  int (*look)(struct kernel_files *files, struct power_zone *zone))
{
	int error = *zone && !survey->error ? look(&survey->context->files, *zone) : 0;

	if (error)
		*zone = NULL;
	note_power(survey, error);
}

/** Emulated CPUs are measured in no time: their package rests until its power can be known. */
static void finish_power(struct survey *survey, struct power_zone **zone)
{
	const struct timespec rest = { .tv_nsec = MEASURED_MS * NS_PER_MS };

	if (!*zone || (*zone)->time_ns >= (uint64_t)rest.tv_nsec || survey->error)
		return;
	nanosleep(&rest, NULL);
	look_at_power(survey, zone, powercap_add);
}

static void measure_cpu(struct survey *survey, struct survey_cpu *cpu)
{
	const struct isst_machine *machine = survey->context->files.machine;
	int error = machine->measure ? machine->measure(machine->data, cpu->cpu->number,
							MEASURED_MS, &cpu->measured_khz)
				     : -EOPNOTSUPP;

	if (error)
		cpu->measured_khz = 0;
	if (error == -ENOMEM)
		survey->error = error;
	else if (error)
		survey_note(survey, "CPU %u cannot be measured: %s", cpu->cpu->number,
			    strerror(-error));
}

void survey_read_power(struct survey *survey)
{
	struct isst_cpuset *packages = isst_cpuset_new();
	const char *why_not = NULL;
	int error;

	survey_take_error(survey, packages ? 0 : -ENOMEM);
	survey_for_each_domain (domain, survey)
		if (!survey->error)
			survey_take_error(survey, isst_cpuset_add(packages, domain->domain->package,
								  domain->domain->package));
	if (!survey->error) {
		error = power_find_zones(survey->context, survey->undisturbed, packages,
					 &survey->power, &why_not);
		if (error)
			powercap_clear(&survey->power);
		if (why_not)
			survey_note(survey, "%s", why_not);
		survey_note_file(survey, error);
	}
	isst_cpuset_free(packages);
}

void survey_measure(struct survey *survey)
{
	struct power_zone *zone = NULL, *own;

	/* It takes minutes on a large machine, in which nothing is asked of the driver. */
	driver_suspend(&survey->context->driver);
	survey_for_each_domain (domain, survey)
		survey_for_each_cpu (cpu, domain) {
			if (survey->error)
				return;
			if (context_is_interrupted(survey->context)) {
				survey->error = -EINTR;
				return;
			}
			/* Isolated CPUs are disturbed only if they were named. */
			if (!cpu->asked || (!survey->named &&
					    isst_cpuset_has(survey->undisturbed, cpu->cpu->number)))
				continue;
			/* The CPUs of a package follow each other. */
			own = powercap_zone(&survey->power, domain->domain->package,
					    domain->domain->die);
			if (own != zone) {
				finish_power(survey, &zone);
				zone = own;
				look_at_power(survey, &zone, powercap_begin);
			}
			if (!survey->error)
				measure_cpu(survey, cpu);
			look_at_power(survey, &zone, powercap_add);
		}
	finish_power(survey, &zone);
}

/* ---- MSR 0x64f, by one CPU of a package that is not to be left alone ---- */

enum { LIMIT_REASONS_REGISTER = 0x64f };

/** Returns whether others are to be read. */
static bool read_register(struct survey *survey, struct survey_domain *domain)
{
	const struct isst_cpu *cpu = NULL;
	int error;

	for (size_t i = 0; i < domain->cpu_count && !cpu; i++)
		if (!isst_cpuset_has(survey->undisturbed, domain->cpus[i].cpu->number))
			cpu = domain->cpus[i].cpu;
	if (!cpu)
		return true;
	error = cpu_register_read(&survey->context->files, cpu->number, LIMIT_REASONS_REGISTER,
				  &domain->reasons);
	domain->has_reasons = !error;
	/* What the processor does not have is no failure. */
	if (error == -ENOENT)
		survey_note(survey,
			    "/dev/cpu/%u/msr does not exist (module msr): performance "
			    "limit reasons (MSR 0x64f) are not read",
			    cpu->number);
	else
		survey_note_file(survey, error);
	return !error;
}

/* ---- Counters ---- */

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

/** Returns whether there is one, and others are to be read. */
static bool read_counter(struct survey *survey, const struct isst_cpu *cpu, const char *name,
			 uint64_t *count)
{
	struct kernel_files *files = &survey->context->files;
	int error = kernel_files_number(
		files,
		kernel_files_path(files, CPU_DIRECTORY "/cpu%u/thermal_throttle/%s", cpu->number,
				  name),
		UINT64_MAX, count);

	survey_note_file(survey, error);
	return !survey->error && error != -ENOENT;
}

static bool is_read(const struct survey_cpu *cpu)
{
	return cpu->read;
}

/** Those of a core are the same of all its threads. Where one is missing there are none. */
static void read_counters(struct survey *survey)
{
	bool more = true;

	survey_for_each_domain (domain, survey) {
		bool first = true;

		for (size_t j = 0; j < domain->cpu_count && more; j++) {
			struct survey_cpu *cpu = &domain->cpus[j];

			if (!cpu->read ||
			    (cpu->cpu->core_known && !survey_is_first_of_core(domain, j, is_read)))
				continue;
			if (first)
				more = read_counter(survey, cpu->cpu, "package_throttle_count",
						    &domain->throttled);
			first = false;
			if (more)
				more = read_counter(survey, cpu->cpu, "core_throttle_count",
						    &cpu->throttled);
		}
	}
}

/* ---- Performance limit reasons of TPMI ---- */

void survey_read_reasons(struct survey *survey)
{
	bool more = true;
	int error;

	if (context_has_power_domains(survey->context)) {
		error = limit_reasons_read(&survey->context->files,
					   survey->context->topology->online, &survey->reasons);
		if (error != -ENOENT) {
			survey_note_file(survey, error);
			return;
		}
		/* What is missing is hidden, or was not loaded. */
		survey->denied |= survey->kernel_version >= KERNEL_VERSION(6, 11, 0);
		survey_note(survey, "%s",
			    survey->kernel_version < KERNEL_VERSION(6, 11, 0)
				    ? "performance limit reasons are not known on this kernel: "
				      "it is older than 6.11, or its version is unknown"
				    : "there is no /sys/kernel/debug/tpmi-*/plr (debugfs is not "
				      "mounted, or module intel_plr_tpmi not loaded): performance "
				      "limit reasons are not read");
	} else {
		for (size_t i = 0; i < survey->count && more; i++)
			if (survey->domains[i].asked)
				more = read_register(survey, &survey->domains[i]);
	}
	if (!survey->limits_only && !survey->error)
		read_counters(survey);
}
