/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits of cpufreq that hold CPUs at their base frequencies. */
#include "features/preset_limits.h"
#include "sysfs/cpufreq.h"

#include <errno.h>

int preset_find_limits(struct kernel_files *files, unsigned int cpu, const char **missing,
		       struct preset_limits *limits)
{
	uint64_t base_khz = 0, highest_khz = 0, lowest_khz = 0;
	const struct {
		const char *name;
		uint64_t *khz;
	} values[] = { { "base_frequency", &base_khz },
		       { "cpuinfo_max_freq", &highest_khz },
		       { "cpuinfo_min_freq", &lowest_khz } };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		int error = cpufreq_read(files, cpu, values[i].name, values[i].khz);

		*missing = values[i].name;
		if (error)
			return error;
	}
	limits->max_khz = base_khz < highest_khz || limits->hidden ? base_khz : CPUFREQ_NO_LIMIT;
	limits->min_khz = base_khz > lowest_khz ? base_khz : 0;
	return 0;
}

/** Whether a CPU is held at its base frequency; one without cpufreq is not in the way. */
static int is_held(struct kernel_files *files, unsigned int cpu)
{
	struct preset_limits held = { 0 }, now;
	const char *missing;
	int error = preset_find_limits(files, cpu, &missing, &held);

	if (!error)
		error = cpufreq_read_limit(files, cpu, CPUFREQ_MAX, &now.max_khz);
	if (!error)
		error = cpufreq_read_limit(files, cpu, CPUFREQ_MIN, &now.min_khz);
	if (error)
		return error == -ENOENT ? 1 : error;
	return now.max_khz == held.max_khz && now.min_khz == held.min_khz;
}

int preset_base_freq_is_on(struct isst_context *context, const struct isst_domain *domain)
{
	unsigned int cpu;
	int held = 1;

	isst_cpuset_for_each (cpu, domain->online)
		if (held > 0)
			held = is_held(&context->files, cpu);
	return held;
}
