/* SPDX-License-Identifier: BSD-3-Clause */
/* What Redfish resources consist of: levels of packages, and values of all their power domains as
 * one. Must not know how documents are written. */
#include "redfish.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Resources ---- */

struct json *redfish_resource(struct run *run, const char *uri, const char *type, const char *id,
			      const char *name)
{
	struct json *document = report_document(run->report);
	struct json *node;

	if (!document)
		return NULL;
	node = json_add(document, uri, JSON_OBJECT);
	json_add_string(node, "@odata.id", uri);
	json_add_string(node, "@odata.type", type);
	if (id)
		json_add_string(node, "Id", id);
	json_add_string(node, "Name", name);
	return node;
}

void redfish_add_link(struct json *node, const char *name, const char *uri, const char *member)
{
	char link[128];

	snprintf(link, sizeof(link), "%s%s", uri, member);
	json_add_string(json_add(node, name, JSON_OBJECT), "@odata.id", link);
}

void redfish_add_numbers(struct json *node, const char *name, const struct isst_cpuset *numbers)
{
	struct json *list = json_add(node, name, JSON_ARRAY);
	unsigned int number;

	isst_cpuset_for_each (number, numbers)
		json_add_number(list, NULL, number);
}

/* ---- Levels ---- */

bool redfish_has_unit(const struct redfish_package *package, const struct unit *unit)
{
	return unit->first && unit->place.package == package->number &&
	       !isst_domain_is_io(unit->domain);
}

bool redfish_level_find(const struct redfish_package *package, unsigned int number,
			struct redfish_level *level)
{
	const struct run *run = package->status->run;

	*level = (struct redfish_level){ .package = package, .number = number };
	level->domains = calloc(run->targets.unit_count + 1, sizeof(*level->domains));
	if (!level->domains)
		return false;
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *result;

		if (!redfish_has_unit(package, unit))
			continue;
		for (size_t k = 0; (result = levels_get(&package->status->levels, unit, k)); k++)
			if (value_of(result, ISST_VALUE_LEVEL) == number && level_is_known(result))
				level->domains[level->count++] = result;
	}
	return true;
}

void redfish_level_clear(struct redfish_level *level)
{
	free(level->domains);
	*level = (struct redfish_level){ 0 };
}

bool redfish_current_level(const struct redfish_package *package, unsigned int *number)
{
	const struct run *run = package->status->run;
	bool any = false, same = true;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *summary = levels_summary(&package->status->levels, unit);
		unsigned int level;

		if (!redfish_has_unit(package, unit))
			continue;
		same = isst_result_value(summary, ISST_VALUE_CURRENT_LEVEL, &level) == 0 && same &&
		       (!any || level == *number);
		*number = any ? *number : level;
		any = true;
	}
	return any && same;
}

/* ---- Values of all power domains as one ---- */

static unsigned int add_extreme(struct json *node, const char *name,
				const struct redfish_level *level,
				int (*read)(const struct isst_result *level, unsigned int *value),
				bool largest)
{
	unsigned int extreme = 0, value;

	for (size_t i = 0; i < level->count; i++)
		if (read(level->domains[i], &value) == 0 &&
		    (extreme == 0 || (largest ? value > extreme : value < extreme)))
			extreme = value;
	if (extreme > 0)
		json_add_number(node, name, extreme);
	return extreme;
}

unsigned int redfish_add_least(struct json *node, const char *name,
			       const struct redfish_level *level,
			       int (*read)(const struct isst_result *level, unsigned int *value))
{
	return add_extreme(node, name, level, read, false);
}

unsigned int redfish_add_most(struct json *node, const char *name,
			      const struct redfish_level *level,
			      int (*read)(const struct isst_result *level, unsigned int *value))
{
	return add_extreme(node, name, level, read, true);
}

int redfish_base_mhz(const struct isst_result *level, unsigned int *mhz)
{
	return level_base_mhz(level, mhz);
}

/** The highest turbo limit without vectors. */
int redfish_max_mhz(const struct isst_result *level, unsigned int *mhz)
{
	unsigned int buckets, limit;

	*mhz = 0;
	isst_result_extent(level, ISST_VALUE_TURBO_LIMIT_MHZ, NULL, &buckets);
	for (unsigned int i = 0; i < buckets; i++)
		if (isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, i, &limit) == 0 &&
		    limit > *mhz)
			*mhz = limit;
	return *mhz > 0 ? 0 : -ENODATA;
}

/* ---- Cores ---- */

struct isst_cpuset *redfish_cores(struct json *node, const struct isst_result *level)
{
	struct isst_cpuset *cores = isst_cpuset_new();
	unsigned int columns = 0;
	int error = cores ? 0 : -ENOMEM;

	isst_result_extent(level, ISST_VALUE_CORES, NULL, &columns);
	for (unsigned int column = 0; column < columns && !error; column++) {
		uint64_t bits;

		error = isst_result_value64_at(level, ISST_VALUE_CORES, 0, column, &bits);
		for (unsigned int i = 0; i < 64 && !error; i++)
			if (bits >> i & 1)
				error = isst_cpuset_add(cores, 64 * column + i, 64 * column + i);
	}
	if (error == -ENOMEM)
		json_lose(node);
	if (!error && isst_cpuset_count(cores) > 0)
		return cores;
	isst_cpuset_free(cores);
	return NULL;
}

struct isst_cpuset *redfish_high_cores(struct json *node, const struct isst_result *level,
				       const struct isst_context *context)
{
	const struct isst_cpuset *cpus = cpus_of(level, ISST_VALUE_BASE_FREQ_HIGH_CPUS);
	struct isst_cpuset *cores;
	unsigned int number, core;
	int error;

	if (!cpus)
		return NULL;
	cores = isst_cpuset_new();
	error = cores ? 0 : -ENOMEM;
	isst_cpuset_for_each (number, cpus) {
		const struct isst_cpu *cpu = isst_cpu_by_number(context, number);

		if (!error)
			error = cpu ? isst_cpu_core(cpu, &core) : -ENODATA;
		if (!error)
			error = isst_cpuset_add(cores, core, core);
	}
	if (error == -ENOMEM)
		json_lose(node);
	if (!error)
		return cores;
	isst_cpuset_free(cores);
	return NULL;
}

bool redfish_has_modules(const struct redfish_package *package, const struct isst_domain *domain)
{
	const struct cores *all = &package->status->cores;

	for (size_t i = 0; i < all->count; i++)
		if (all->all[i].domain == domain && all->all[i].in_module)
			return true;
	return false;
}

bool redfish_has_core_numbers(const struct redfish_package *package)
{
	const struct run *run = package->status->run;

	/* Each power domain counts from 0: together the numbers would mean nothing. */
	if (package->domains != 1)
		return false;
	for (size_t i = 0; i < run->targets.unit_count; i++)
		if (redfish_has_unit(package, &run->targets.units[i]) &&
		    redfish_has_modules(package, run->targets.units[i].domain))
			return false;
	return true;
}
