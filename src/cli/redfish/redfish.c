/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads packages, and makes their Redfish resources. Must not know how documents are written. */
#include "redfish.h"

#include <errno.h>
#include <stdlib.h>

/* As OpenBMC has them. */
#define PROCESSORS "/redfish/v1/Systems/system/Processors"

/* ---- Resources ---- */

/** The list of a package's levels. */
static void report_collection(const struct redfish_package *package, const bool *exists,
			      unsigned int count)
{
	unsigned int members = 0;
	struct json *node, *list;
	char uri[96], member[32];

	snprintf(uri, sizeof(uri), "%s/OperatingConfigs", package->uri);
	node = redfish_resource(package->status->run, uri,
				"#OperatingConfigCollection.OperatingConfigCollection", NULL,
				"Operating Config Collection");
	list = json_add(node, "Members", JSON_ARRAY);
	for (unsigned int i = 0; i < count; i++) {
		if (!exists[i])
			continue;
		snprintf(member, sizeof(member), "/config%u", i);
		redfish_add_link(list, NULL, uri, member);
		members++;
	}
	json_add_number(node, "Members@odata.count", members);
}

/* ---- Levels ---- */

/** The number behind the highest level of a package. */
static unsigned int count_levels(const struct redfish_package *package)
{
	const struct run *run = package->status->run;
	unsigned int count = 0;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *level;

		if (!redfish_has_unit(package, unit))
			continue;
		for (size_t k = 0; (level = levels_get(&package->status->levels, unit, k)); k++)
			if (value_of(level, ISST_VALUE_LEVEL) >= count)
				count = value_of(level, ISST_VALUE_LEVEL) + 1;
	}
	return count;
}

static bool report_levels(const struct redfish_package *package)
{
	unsigned int count = count_levels(package);
	bool *exists = calloc(count + 1, sizeof(*exists));
	bool any = false, complete = exists;

	for (unsigned int i = 0; i < count && complete; i++) {
		struct redfish_level level;

		complete = redfish_level_find(package, i, &level);
		exists[i] = complete && level.count > 0;
		any = any || exists[i];
		if (exists[i])
			redfish_config(&level);
		redfish_level_clear(&level);
	}
	if (any && complete)
		report_collection(package, exists, count);
	free(exists);
	return complete;
}

/* ---- Packages ---- */

static unsigned int count_domains(const struct machine_status *status, unsigned int package)
{
	const struct redfish_package of = { .number = package };
	unsigned int count = 0;

	for (size_t i = 0; i < status->run->targets.unit_count; i++)
		count += redfish_has_unit(&of, &status->run->targets.units[i]);
	return count;
}

/** @all: what is common to all packages. */
static void report_package(const struct redfish_package *all, unsigned int number)
{
	struct machine_status *status = all->status;
	struct redfish_package package = *all;

	package.number = number;
	package.domains = count_domains(status, number);
	snprintf(package.uri, sizeof(package.uri), "%s/cpu%u", PROCESSORS, number);
	redfish_processor(&package);
	if (!report_levels(&package))
		run_error(status->run, STATUS_FAILED, "out of memory");
}

static bool has_classes(const struct domain_status *domain)
{
	return domain->core_power_state >= ISST_FEATURE_DISABLED;
}

/** What could not be read of SST-CP: of core-power, or else once for the classes of a domain. */
static void report_core_power_failures(struct machine_status *status,
				       const struct isst_results *classes)
{
	const struct isst_domain *failed = NULL;
	const struct isst_result *result;

	for (size_t i = 0; (result = isst_results_at(status->core_power, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		if (failure.error != -EOPNOTSUPP)
			run_failure(status->run, &failure);
	}
	for (size_t i = 0; (result = isst_results_at(classes, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		if (failure.error && isst_result_domain(result) != failed) {
			run_failure(status->run, &failure);
			failed = isst_result_domain(result);
		}
	}
}

/** What could not be read of levels, once for each. */
static void report_level_failures(struct machine_status *status)
{
	struct run *run = status->run;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *level;

		for (size_t k = 0; (level = levels_get(&status->levels, unit, k)); k++)
			if (unit->first)
				level_failures(run, level);
	}
}

static int read_turbo_disabled(struct run *run)
{
	int disabled = isst_platform_fact(run->context, ISST_FACT_TURBO_DISABLED);

	if (disabled < 0 && disabled != -ENODATA)
		run_call(run, disabled);
	return disabled;
}

static void report_packages(struct machine_status *status)
{
	struct isst_results *clos = status_read(status, isst_read_clos, 0, has_classes);
	const struct redfish_package all = { .status = status,
					     .clos = clos,
					     .turbo_disabled = read_turbo_disabled(status->run),
					     .model = run_processor_name(status->run) };

	report_level_failures(status);
	report_core_power_failures(status, clos);
	for (size_t i = 0; i < status->domain_count; i++) {
		unsigned int number = isst_domain_package(status->run->targets.domains[i]);

		if (i == 0 || number != isst_domain_package(status->run->targets.domains[i - 1]))
			report_package(&all, number);
	}
	isst_results_free(clos);
}

void redfish_report(struct run *run)
{
	struct machine_status status = { .run = run };

	if (machine_status_find(run) && cores_find(run, &status.cores) == 0 &&
	    machine_status_read(&status, LEVELS_ALL, ISST_READ_LEVELS_ALL))
		report_packages(&status);
	machine_status_clear(&status);
}
