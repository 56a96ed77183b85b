/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the units that a command is about; must not know what is asked of them. */
#include "targets.h"

#include "../../common/numbered.h"
#include "../process/exit_status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* So many wrong CPUs are named at most: a list may hold billions. */
enum { WRONG_CPUS = 64 };

static struct unit_place place_of(const struct isst_domain *domain)
{
	struct unit_place place = { .package = isst_domain_package(domain),
				    .number = isst_domain_number(domain) };
	unsigned int cpu;

	place.die_known = isst_domain_die(domain, &place.die) == 0;
	place.has_cpu = isst_domain_first_cpu(domain, &cpu) == 0;
	return place;
}

__attribute__((nonnull)) static int add_unit(struct targets *targets,
					     const struct isst_domain *domain, unsigned int cpu)
{
	struct unit *unit = &targets->units[targets->unit_count++];
	size_t slot = 0;

	while (slot < targets->domain_count && targets->domains[slot] != domain)
		slot++;
	*unit = (struct unit){
		.domain = domain, .place = place_of(domain), .cpu = cpu, .slot = slot
	};
	unit->first = slot == targets->domain_count;
	if (unit->first)
		targets->domains[targets->domain_count++] = domain;
	return 0;
}

static int make_space(struct targets *targets, size_t units, size_t domains)
{
	targets->units = calloc(units + 1, sizeof(*targets->units));
	targets->domains = calloc(domains + 1, sizeof(*targets->domains));
	return targets->units && targets->domains ? 0 : -ENOMEM;
}

static int find_all(struct targets *targets, const struct isst_context *context, bool without_cpus)
{
	size_t count = isst_domain_count(context);
	int error = make_space(targets, count, count);

	for (size_t i = 0; i < count && !error; i++) {
		const struct isst_domain *domain = isst_domain_at(context, i);
		unsigned int cpu;

		if (isst_domain_first_cpu(domain, &cpu) == 0 || without_cpus)
			error = add_unit(targets, domain, cpu);
	}
	return error;
}

static void report_wrong(const struct isst_context *context, const struct isst_cpuset *wrong,
			 const char *one, const char *several, bool more, struct report *report)
{
	char *named = name_numbers("CPU", wrong);
	char *online = isst_cpuset_to_list(isst_online_cpus(context));

	if (named && online)
		report_message(report, ENTRY_ERROR, "%s%s %s; CPUs that are online: %s", named,
			       more ? " and more" : "",
			       isst_cpuset_count(wrong) == 1 && !more ? one : several, online);
	report_code(report, status_code(STATUS_UNSUPPORTED));
	free(named);
	free(online);
}

struct wrong_cpus {
	struct isst_cpuset *absent, *offline, *lost; /* of no power domain */
	size_t count;
	bool more;
};

static int collect_wrong(const struct isst_context *context, const struct isst_cpuset *cpus,
			 struct wrong_cpus *wrong)
{
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, cpus) {
		bool present = isst_cpuset_has(isst_present_cpus(context), cpu);
		bool online = isst_cpuset_has(isst_online_cpus(context), cpu);

		if (online && isst_cpu_by_number(context, cpu))
			continue;
		wrong->more = wrong->count == WRONG_CPUS;
		if (wrong->more)
			break;
		wrong->count++;
		error = isst_cpuset_add(online	  ? wrong->lost
					: present ? wrong->offline
						  : wrong->absent,
					cpu, cpu);
		if (error)
			break;
	}
	return error;
}

/** Refuses CPUs that are offline or do not exist. */
static int check_cpus(const struct isst_context *context, const struct isst_cpuset *cpus,
		      struct report *report)
{
	struct wrong_cpus wrong = { .absent = isst_cpuset_new(),
				    .offline = isst_cpuset_new(),
				    .lost = isst_cpuset_new() };
	int error = wrong.absent && wrong.offline && wrong.lost ? 0 : -ENOMEM;

	if (!error)
		error = collect_wrong(context, cpus, &wrong);
	if (!error && isst_cpuset_count(wrong.absent) > 0)
		report_wrong(context, wrong.absent, "does not exist on this machine",
			     "do not exist on this machine", wrong.more, report);
	if (!error && isst_cpuset_count(wrong.offline) > 0)
		report_wrong(context, wrong.offline, "is offline", "are offline", false, report);
	if (!error && isst_cpuset_count(wrong.lost) > 0)
		report_wrong(context, wrong.lost, "belongs to no power domain known to the driver",
			     "belong to no power domain known to the driver", false, report);
	if (!error && wrong.count > 0)
		error = -EOPNOTSUPP;
	isst_cpuset_free(wrong.absent);
	isst_cpuset_free(wrong.offline);
	isst_cpuset_free(wrong.lost);
	return error;
}

static int find_named(struct targets *targets, const struct isst_context *context,
		      const struct isst_cpuset *cpus, struct report *report)
{
	int error = check_cpus(context, cpus, report);
	unsigned int cpu;

	if (!error)
		error = make_space(targets, isst_cpuset_count(cpus), isst_domain_count(context));
	if (error)
		return error;
	isst_cpuset_for_each (cpu, cpus) {
		const struct isst_cpu *named = isst_cpu_by_number(context, cpu);

		if (named)
			error = add_unit(targets, isst_cpu_domain(named), cpu);
		if (error)
			break;
	}
	return error;
}

/** A CPU that the driver does not know belongs nowhere: it cannot be a unit. */
static int find_online(struct targets *targets, const struct isst_context *context)
{
	const struct isst_cpuset *online = isst_online_cpus(context);
	int error = make_space(targets, isst_cpuset_count(online), isst_domain_count(context));
	unsigned int number;

	if (error)
		return error;
	isst_cpuset_for_each (number, online) {
		const struct isst_cpu *cpu = isst_cpu_by_number(context, number);

		if (cpu)
			error = add_unit(targets, isst_cpu_domain(cpu), number);
		if (error)
			break;
	}
	return error;
}

int targets_find(struct targets *targets, const struct isst_context *context, enum unit_kind kind,
		 const struct isst_cpuset *cpus, struct report *report)
{
	int error;

	*targets = (struct targets){ .named = cpus != NULL };
	if (cpus)
		error = find_named(targets, context, cpus, report);
	else if (kind == UNIT_CPU)
		error = find_online(targets, context);
	else
		error = find_all(targets, context, kind == UNIT_DOMAIN);
	if (error)
		targets_clear(targets);
	return error;
}

void targets_keep_packages(struct targets *targets, const struct isst_cpuset *packages)
{
	size_t count = targets->unit_count;

	targets->unit_count = 0;
	targets->domain_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct unit *unit = &targets->units[i];

		/* What is added stands before what is looked at. */
		if (isst_cpuset_has(packages, unit->place.package))
			add_unit(targets, unit->domain, unit->cpu);
	}
}

void targets_clear(struct targets *targets)
{
	free(targets->units);
	free(targets->domains);
	*targets = (struct targets){ 0 };
}

/** From API version 2 on a package holds several power domains. */
static bool has_power_domains(const struct isst_context *context)
{
	return isst_platform_api_version(context) > 1;
}

struct report_node *unit_report(const struct unit *unit, const struct isst_context *context,
				struct report *report)
{
	const struct unit_place *place = &unit->place;
	struct report_step path[REPORT_PATH_STEPS];
	size_t steps = 0;

	path[steps++] = (struct report_step){ &keys[KEY_PACKAGE], place->package };
	path[steps++] = (struct report_step){ &keys[place->die_known ? KEY_DIE : KEY_DIE_IO],
					      place->die };
	if (has_power_domains(context))
		path[steps++] = (struct report_step){ &keys[KEY_POWER_DOMAIN], place->number };
	path[steps++] = (struct report_step){ &keys[place->has_cpu ? KEY_CPU : KEY_NO_CPU],
					      unit->cpu };
	return report_unit(report, path, steps);
}
