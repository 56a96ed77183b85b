/* SPDX-License-Identifier: BSD-3-Clause */
/* What Redfish has no word for, below Oem.Isst. Must not know how documents are written. */
#include "redfish.h"

#include <stdlib.h>

static struct json *add_oem(struct json *node, const char *type)
{
	struct json *oem = json_add(json_add(node, "Oem", JSON_OBJECT), "Isst", JSON_OBJECT);

	json_add_string(oem, "@odata.type", type);
	return oem;
}

/** A value of a result, if it is known. */
static void add_value(struct json *node, const char *name, const struct isst_result *result, int id,
		      unsigned int row, unsigned int column)
{
	unsigned int value;

	if (isst_result_value_at(result, id, row, column, &value) == 0)
		json_add_number(node, name, value);
}

static void add_cpus(struct json *node, const char *name, const struct isst_cpuset *cpus)
{
	char *list = isst_cpuset_to_list(cpus);

	if (list)
		json_add_string(node, name, list);
	else
		json_lose(node);
	free(list);
}

static struct json *add_domain(struct json *list, const struct isst_domain *domain)
{
	struct json *node = json_add(list, NULL, JSON_OBJECT);
	unsigned int die;

	json_add_number(node, "PowerDomain", isst_domain_number(domain));
	if (isst_domain_die(domain, &die) == 0)
		json_add_number(node, "Die", die);
	return node;
}

/* ---- Of a processor ---- */

static void add_state(struct json *node, const char *name, unsigned int state)
{
	static const char *const WORDS[] = { [ISST_FEATURE_UNSUPPORTED] = "Unsupported",
					     [ISST_FEATURE_DISABLED] = "Disabled",
					     [ISST_FEATURE_ENABLED] = "Enabled" };

	if (state < sizeof(WORDS) / sizeof(WORDS[0]) && WORDS[state])
		json_add_string(node, name, WORDS[state]);
}

/** The CPUs of a class that are online; NULL without memory. */
static struct isst_cpuset *cpus_of_class(const struct cores *cores,
					 const struct isst_domain *domain, unsigned int clos)
{
	struct isst_cpuset *cpus = isst_cpuset_new();

	for (size_t i = 0; i < cores->count && cpus; i++) {
		const struct core *core = &cores->all[i];

		if (core->domain != domain || core->clos != (int)clos ||
		    isst_cpuset_add_set(cpus, core->online) == 0)
			continue;
		isst_cpuset_free(cpus);
		cpus = NULL;
	}
	return cpus;
}

static void add_class(struct json *list, const struct redfish_package *package,
		      const struct isst_result *clos)
{
	struct json *node = json_add(list, NULL, JSON_OBJECT);
	const struct cores *cores = &package->status->cores;
	struct isst_cpuset *cpus;
	unsigned int max;

	add_value(node, "Id", clos, ISST_VALUE_CLOS, 0, 0);
	add_value(node, "MinSpeedMHz", clos, ISST_VALUE_CLOS_MIN_MHZ, 0, 0);
	if (isst_result_value(clos, ISST_VALUE_CLOS_MAX_MHZ, &max) == 0) {
		if (max == ISST_CLOS_NO_LIMIT_MHZ)
			json_add(node, "MaxSpeedMHz", JSON_NULL);
		else
			json_add_number(node, "MaxSpeedMHz", max);
	}
	add_value(node, "Weight", clos, ISST_VALUE_CLOS_WEIGHT, 0, 0);
	if (cores_have_unknown(cores, isst_result_domain(clos)))
		return;
	cpus = cpus_of_class(cores, isst_result_domain(clos), value_of(clos, ISST_VALUE_CLOS));
	if (cpus)
		add_cpus(node, "CPUs", cpus);
	else
		json_lose(node);
	isst_cpuset_free(cpus);
}

static void add_core_power(struct json *node, const struct redfish_package *package,
			   const struct domain_status *domain)
{
	struct json *list = NULL;
	const struct isst_result *clos;

	if (domain->core_power_state == ISST_FEATURE_UNKNOWN)
		return;
	add_state(node, "CorePowerState", domain->core_power_state);
	if (has_value(domain->core_power, ISST_VALUE_PRIORITY))
		json_add_string(node, "Priority",
				value_of(domain->core_power, ISST_VALUE_PRIORITY) ? "Ordered"
										  : "Proportional");
	for (size_t i = 0; (clos = isst_results_at(package->clos, i)) != NULL; i++) {
		if (isst_result_domain(clos) != domain->domain ||
		    isst_result_error(clos, ISST_PART_RESULT))
			continue;
		list = list ? list : json_add(node, "ClassesOfService", JSON_ARRAY);
		add_class(list, package, clos);
	}
}

static void add_profile(struct json *node, const struct levels *levels, const struct unit *unit)
{
	const struct isst_result *summary = levels_summary(levels, unit);
	const struct isst_result *level = levels_current(levels, unit);
	unsigned int locked;

	add_value(node, "CurrentLevel", summary, ISST_VALUE_CURRENT_LEVEL, 0, 0);
	if (isst_result_value(summary, ISST_VALUE_LOCKED, &locked) == 0)
		json_add_boolean(node, "LevelLocked", locked);
	if (!level)
		return;
	add_state(node, "TurboFreqState", value_of(level, ISST_VALUE_TURBO_FREQ_STATE));
	add_state(node, "BaseFreqState", value_of(level, ISST_VALUE_BASE_FREQ_STATE));
}

void redfish_processor_oem(struct json *node, const struct redfish_package *package)
{
	const struct machine_status *status = package->status;
	const struct run *run = status->run;
	struct json *oem = add_oem(node, "#IsstProcessor.v1_0_0.Processor");
	struct json *list = json_add(oem, "PowerDomains", JSON_ARRAY);

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		struct json *domain;

		if (!unit->first || unit->place.package != package->number)
			continue;
		domain = add_domain(list, unit->domain);
		add_profile(domain, &status->levels, unit);
		add_core_power(domain, package, &status->domains[unit->slot]);
	}
}

/* ---- Of a level ---- */

/** Frequencies by TRL type. */
static void add_types(struct json *parent, const char *name, const struct isst_context *context,
		      const struct isst_result *level, int id, unsigned int bucket)
{
	struct json *node = json_add(parent, name, JSON_OBJECT);
	unsigned int types;

	isst_result_extent(level, id, &types, NULL);
	for (unsigned int type = 0; type < types; type++)
		if (isst_trl_type_name(context, type))
			add_value(node, isst_trl_type_name(context, type), level, id, type, bucket);
}

static void add_turbo_freq(struct json *parent, const struct isst_context *context,
			   const struct isst_result *level)
{
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);
	struct json *node, *list, *bucket;

	if (!turbo_freq_is_known(level))
		return;
	node = json_add(parent, "TurboFreq", JSON_OBJECT);
	list = json_add(node, "Buckets", JSON_ARRAY);
	for (unsigned int i = 0; i < buckets; i++) {
		bucket = json_add(list, NULL, JSON_OBJECT);
		add_value(bucket, "HighPriorityCoreCount", level, ISST_VALUE_TURBO_FREQ_HIGH_CORES,
			  0, i);
		add_types(bucket, "MaxSpeedMHz", context, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, i);
	}
	add_types(node, "LowPriorityMaxSpeedMHz", context, level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ,
		  0);
}

static void add_fabrics(struct json *parent, const struct isst_result *level)
{
	struct json *list = NULL, *node;
	unsigned int fabrics, mhz;

	isst_result_extent(level, ISST_VALUE_FABRIC_MAX_MHZ, &fabrics, NULL);
	for (unsigned int i = 0; i < fabrics; i++) {
		if (isst_result_value_at(level, ISST_VALUE_FABRIC_MAX_MHZ, i, 0, &mhz) != 0)
			continue;
		list = list ? list : json_add(parent, "Uncore", JSON_ARRAY);
		node = json_add(list, NULL, JSON_OBJECT);
		add_value(node, "MinSpeedMHz", level, ISST_VALUE_FABRIC_MIN_MHZ, i, 0);
		add_value(node, "BaseSpeedMHz", level, ISST_VALUE_FABRIC_BASE_MHZ, i, 0);
		json_add_number(node, "MaxSpeedMHz", mhz);
	}
}

/** The turbo limits of a power domain, which a package's profile adds up. */
static void add_limits(struct json *parent, const struct isst_context *context,
		       const struct isst_result *level)
{
	struct json *list = NULL, *node;
	unsigned int buckets, mhz;

	isst_result_extent(level, ISST_VALUE_TURBO_LIMIT_MHZ, NULL, &buckets);
	for (unsigned int i = 0; i < buckets; i++) {
		if (isst_result_value_at(level, ISST_VALUE_TURBO_LIMIT_MHZ, 0, i, &mhz) != 0 ||
		    mhz == 0)
			continue;
		list = list ? list : json_add(parent, "TurboLimits", JSON_ARRAY);
		node = json_add(list, NULL, JSON_OBJECT);
		add_value(node, "ActiveCoreCount", level, ISST_VALUE_TURBO_LIMIT_CORES, 0, i);
		add_types(node, "MaxSpeedMHz", context, level, ISST_VALUE_TURBO_LIMIT_MHZ, i);
	}
}

static void add_cores(struct json *node, const struct isst_context *context,
		      const struct isst_result *level)
{
	struct isst_cpuset *cores = redfish_cores(node, level);
	struct isst_cpuset *high = base_freq_is_known(level)
					   ? redfish_high_cores(node, level, context)
					   : NULL;

	if (cores)
		redfish_add_numbers(node, "CoreIDs", cores);
	if (high)
		redfish_add_numbers(node, "HighPriorityCoreIDs", high);
	isst_cpuset_free(cores);
	isst_cpuset_free(high);
}

void redfish_config_oem(struct json *node, const struct redfish_level *level)
{
	static const struct {
		const char *name;
		int id;
	} VALUES[] = {
		{ "BaseSpeedAVX2MHz", ISST_VALUE_BASE_AVX2_MHZ },
		{ "BaseSpeedAVX512MHz", ISST_VALUE_BASE_AVX512_MHZ },
		{ "BaseSpeedAMXMHz", ISST_VALUE_BASE_AMX_MHZ },
		{ "MemorySpeedMHz", ISST_VALUE_MEMORY_MHZ },
		{ "CoolingType", ISST_VALUE_COOLING_TYPE },
	};
	const struct isst_context *context = level->package->status->run->context;
	struct json *oem = add_oem(node, "#IsstOperatingConfig.v1_0_0.OperatingConfig");
	struct json *list = json_add(oem, "PowerDomains", JSON_ARRAY);

	for (size_t i = 0; i < level->count; i++) {
		const struct isst_result *result = level->domains[i];
		struct json *domain = add_domain(list, isst_result_domain(result));

		for (size_t k = 0; k < sizeof(VALUES) / sizeof(VALUES[0]); k++)
			add_value(domain, VALUES[k].name, result, VALUES[k].id, 0, 0);
		add_cores(domain, context, result);
		add_fabrics(domain, result);
		add_limits(domain, context, result);
		add_turbo_freq(domain, context, result);
	}
}
