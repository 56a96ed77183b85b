/* SPDX-License-Identifier: BSD-3-Clause */
/* A limit of cpufreq below the turbo frequency keeps a CPU of high priority from it. */
#include "features/low_limits.h"
#include "base/array.h"
#include "common/numbered.h"
#include "transaction/report.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdlib.h>

/** CPUs of high priority with the same limit of cpufreq, below the same turbo frequency. */
struct low_limit {
	uint64_t khz;
	unsigned int best_mhz;
	struct isst_cpuset *cpus;
};

static int add_limit(struct low_limits *low, uint64_t khz, unsigned int best_mhz, unsigned int cpu)
{
	size_t i = 0;

	while (i < low->count && (low->limits[i].khz != khz || low->limits[i].best_mhz != best_mhz))
		i++;
	if (i == low->count) {
		if (ARRAY_GROW(low->limits, low->count))
			return -ENOMEM;
		low->limits[i] = (struct low_limit){ khz, best_mhz, isst_cpuset_new() };
		low->count++;
	}
	return low->limits[i].cpus ? isst_cpuset_add(low->limits[i].cpus, cpu, cpu) : -ENOMEM;
}

/** Returns false for CPUs without cpufreq. */
static bool find_limit(struct isst_change *change, const struct isst_domain *domain,
		       unsigned int cpu, uint64_t *khz)
{
	struct kernel_files *files = &change->context->files;
	const struct item item = item_of(ITEM_SCALING_MAX, domain, cpu);

	if (cpufreq_read_limit(files, cpu, CPUFREQ_MAX, khz))
		return false;
	change_project(change, &item, khz);
	return *khz != LIMIT_LOWEST || !cpufreq_read(files, cpu, "cpuinfo_min_freq", khz);
}

int low_limits_find(struct isst_change *change, const struct isst_level *level,
		    const struct isst_cpuset *high_priority, struct low_limits *low)
{
	const struct isst_value *best = &level->turbo_freq_info.mhz[0][0];
	unsigned int cpu;
	int error = 0;

	isst_cpuset_for_each (cpu, level->domain->online) {
		uint64_t khz;

		if (error || !isst_cpuset_has(high_priority, cpu) || best->state != ISST_KNOWN ||
		    !find_limit(change, level->domain, cpu, &khz))
			continue;
		if (khz != CPUFREQ_NO_LIMIT && khz < best->value * UINT64_C(1000))
			error = add_limit(low, khz, best->value, cpu);
	}
	return error;
}

static int warn(struct isst_change *change, const struct low_limit *limit)
{
	char *cpus = name_numbers("CPU", limit->cpus);

	if (!cpus)
		return -ENOMEM;
	change_warn(change, ISST_WARNING_SCALING_LIMIT,
		    "%s: a limit (scaling_max_freq) of %llu MHz is below the %u MHz of high "
		    "priority",
		    cpus, (unsigned long long)limit->khz / 1000, limit->best_mhz);
	free(cpus);
	return 0;
}

int low_limits_warn(struct isst_change *change, const struct low_limits *low)
{
	int error = 0;

	for (size_t i = 0; i < low->count && !error; i++)
		error = warn(change, &low->limits[i]);
	return error;
}

void low_limits_clear(struct low_limits *low)
{
	for (size_t i = 0; i < low->count; i++)
		isst_cpuset_free(low->limits[i].cpus);
	free(low->limits);
	*low = (struct low_limits){ 0 };
}
