/* SPDX-License-Identifier: BSD-3-Clause */
/* A performance level as OperatingConfig. Must not know how documents are written. */
#include "redfish.h"

static int read_power(const struct isst_result *level, unsigned int *watts)
{
	return isst_result_value(level, ISST_VALUE_TDP_W, watts);
}

static int read_junction(const struct isst_result *level, unsigned int *celsius)
{
	return isst_result_value(level, ISST_VALUE_TJUNCTION_C, celsius);
}

static int read_high_mhz(const struct isst_result *level, unsigned int *mhz)
{
	return isst_result_value(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ, mhz);
}

static int read_low_mhz(const struct isst_result *level, unsigned int *mhz)
{
	return isst_result_value(level, ISST_VALUE_BASE_FREQ_LOW_MHZ, mhz);
}

/* ---- Cores ---- */

/** Cores of the kernel in a domain with a CPU of a set: the firmware counts those of a module as
 * one. */
static unsigned int count_kernel_cores(const struct redfish_level *level,
				       const struct isst_result *domain,
				       const struct isst_cpuset *cpus)
{
	const struct cores *all = &level->package->status->cores;
	unsigned int count = 0;

	for (size_t i = 0; i < all->count; i++)
		count += all->all[i].domain == isst_result_domain(domain) &&
			 isst_cpuset_has(cpus, all->all[i].lowest);
	return count;
}

/** What the firmware reports has cores that are offline as well. */
static unsigned int count_cores(struct json *node, const struct redfish_level *level,
				const struct isst_result *domain)
{
	struct isst_cpuset *cores = redfish_cores(node, domain);
	unsigned int count =
		cores && !redfish_has_modules(level->package, isst_result_domain(domain))
			? (unsigned int)isst_cpuset_count(cores)
			: count_kernel_cores(level, domain, cpus_of(domain, ISST_VALUE_CPUS));

	isst_cpuset_free(cores);
	return count;
}

/* ---- SST-BF ---- */

/** The cores of a level with high or with low priority: their number, and, where a package is one
 * domain, their numbers in it. */
struct priority_cores {
	struct isst_cpuset *high, *low;
	size_t high_count, low_count;
	bool known;
};

static int add_low(struct isst_cpuset *low, const struct isst_cpuset *all,
		   const struct isst_cpuset *high)
{
	unsigned int core;
	int error = 0;

	isst_cpuset_for_each (core, all)
		if (!isst_cpuset_has(high, core) && !error)
			error = isst_cpuset_add(low, core, core);
	return error;
}

static bool take_domain(struct json *node, struct priority_cores *cores,
			const struct redfish_level *level, const struct isst_result *domain)
{
	const struct isst_context *context = level->package->status->run->context;
	struct isst_cpuset *all = redfish_cores(node, domain),
			   *high = redfish_high_cores(node, domain, context);
	unsigned int count = count_cores(node, level, domain), high_count;
	bool known = all && high;

	if (known &&
	    (isst_cpuset_add_set(cores->high, high) != 0 || add_low(cores->low, all, high) != 0))
		json_lose(node);
	if (known) {
		high_count = (unsigned int)isst_cpuset_count(high);
		if (redfish_has_modules(level->package, isst_result_domain(domain)))
			high_count = count_kernel_cores(
				level, domain, cpus_of(domain, ISST_VALUE_BASE_FREQ_HIGH_CPUS));
		cores->high_count += high_count;
		cores->low_count += count > high_count ? count - high_count : 0;
	}
	isst_cpuset_free(all);
	isst_cpuset_free(high);
	return known;
}

static void add_setting(struct json *list, const struct redfish_level *level,
			int (*read)(const struct isst_result *level, unsigned int *mhz),
			size_t count, const struct isst_cpuset *numbers)
{
	struct json *node = json_add(list, NULL, JSON_OBJECT);

	redfish_add_least(node, "BaseSpeedMHz", level, read);
	json_add_number(node, "CoreCount", count);
	if (redfish_has_core_numbers(level->package))
		redfish_add_numbers(node, "CoreIDs", numbers);
}

static void add_priority_settings(struct json *node, const struct redfish_level *level)
{
	struct priority_cores cores = { .high = isst_cpuset_new(), .low = isst_cpuset_new() };
	struct json *list;

	if (!cores.high || !cores.low)
		json_lose(node);
	cores.known = cores.high && cores.low && level->count > 0;
	for (size_t i = 0; i < level->count && cores.known; i++)
		cores.known = base_freq_is_known(level->domains[i]) &&
			      take_domain(node, &cores, level, level->domains[i]);
	if (cores.known) {
		list = json_add(node, "BaseSpeedPrioritySettings", JSON_ARRAY);
		add_setting(list, level, read_high_mhz, cores.high_count, cores.high);
		add_setting(list, level, read_low_mhz, cores.low_count, cores.low);
	}
	isst_cpuset_free(cores.high);
	isst_cpuset_free(cores.low);
}

/* ---- Turbo ---- */

/** The limit of a bucket, for the cores of all power domains: as many are active in each. Returns
 * false where the bucket is not there. */
static bool find_limit(const struct redfish_level *level, unsigned int bucket, unsigned int *cores,
		       unsigned int *mhz)
{
	unsigned int limit, count;

	*cores = 0;
	*mhz = 0;
	for (size_t i = 0; i < level->count; i++) {
		const struct isst_result *domain = level->domains[i];

		if (isst_result_value_at(domain, ISST_VALUE_TURBO_LIMIT_MHZ, 0, bucket, &limit) ||
		    isst_result_value_at(domain, ISST_VALUE_TURBO_LIMIT_CORES, 0, bucket, &count))
			return false;
		*cores += count;
		*mhz = *mhz == 0 || limit < *mhz ? limit : *mhz;
	}
	return *cores > 0 && *mhz > 0;
}

static void add_turbo_profile(struct json *node, const struct redfish_level *level)
{
	unsigned int buckets = 0, cores, mhz, cores_before = 0;
	struct json *list = NULL, *point;

	if (level->count > 0)
		isst_result_extent(level->domains[0], ISST_VALUE_TURBO_LIMIT_MHZ, NULL, &buckets);
	for (unsigned int i = 0; i < buckets; i++) {
		if (!find_limit(level, i, &cores, &mhz) || cores == cores_before)
			continue;
		cores_before = cores;
		list = list ? list : json_add(node, "TurboProfile", JSON_ARRAY);
		point = json_add(list, NULL, JSON_OBJECT);
		json_add_number(point, "ActiveCoreCount", cores);
		json_add_number(point, "MaxSpeedMHz", mhz);
	}
}

/* ---- The resource ---- */

static unsigned int count_all_cores(struct json *node, const struct redfish_level *level)
{
	unsigned int count = 0;

	for (size_t i = 0; i < level->count; i++)
		count += count_cores(node, level, level->domains[i]);
	return count;
}

void redfish_config(const struct redfish_level *level)
{
	struct json *node;
	unsigned int cores;
	char id[32], uri[128], name[64];

	snprintf(id, sizeof(id), "config%u", level->number);
	snprintf(uri, sizeof(uri), "%s/OperatingConfigs/%s", level->package->uri, id);
	snprintf(name, sizeof(name), "Performance level %u", level->number);
	node = redfish_resource(level->package->status->run, uri,
				"#OperatingConfig.v1_0_4.OperatingConfig", id, name);
	cores = count_all_cores(node, level);
	if (cores > 0)
		json_add_number(node, "TotalAvailableCoreCount", cores);
	redfish_add_most(node, "TDPWatts", level, read_power);
	redfish_add_least(node, "BaseSpeedMHz", level, redfish_base_mhz);
	redfish_add_most(node, "MaxSpeedMHz", level, redfish_max_mhz);
	redfish_add_most(node, "MaxJunctionTemperatureCelsius", level, read_junction);
	add_turbo_profile(node, level);
	add_priority_settings(node, level);
	redfish_config_oem(node, level);
}
