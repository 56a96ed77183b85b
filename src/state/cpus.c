/* SPDX-License-Identifier: BSD-3-Clause */
/* What settings of CPUs in use are about. */
#include "state/cpus.h"
#include "common/numbered.h"
#include "topology/context.h"

#include <errno.h>

enum cpus_wanted cpus_wanted_of(const struct setting *setting)
{
	switch (setting->wanted) {
	case WANTED_OF_LEVEL:
		return CPUS_BY_LEVEL;
	case WANTED_ISOLATED:
		return CPUS_ISOLATED;
	case WANTED_ALL_ONLINE:
		return CPUS_ONLINE;
	default:
		return CPUS_OFFLINE;
	}
}

const struct setting *cpus_everywhere(const struct configuration *configuration)
{
	const struct place anywhere = { UINT_MAX, UINT_MAX, UINT_MAX, INDEX_ALL };
	const struct setting *setting = configuration_find(configuration, SUBJECT_CPUS, &anywhere);

	return setting && setting->wanted != WANTED_UNMANAGED ? setting : NULL;
}

int cpus_name_unreachable(const struct isst_context *context, const struct setting *setting,
			  char **list)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	unsigned int cpu;
	int error = cpus ? 0 : -ENOMEM;

	*list = NULL;
	isst_cpuset_for_each (cpu, isst_present_cpus(context))
		if (!error && topology_is_unreachable(context->topology, cpu) &&
		    !(setting->wanted == WANTED_OFFLINE && isst_cpuset_has(setting->cpus, cpu)))
			error = isst_cpuset_add(cpus, cpu, cpu);
	if (!error && isst_cpuset_count(cpus) > 0) {
		*list = name_numbers("CPU", cpus);
		error = *list ? 0 : -ENOMEM;
	}
	isst_cpuset_free(cpus);
	return error;
}
