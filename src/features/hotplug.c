/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that stay offline since SMT is off. */
#include "features/hotplug.h"
#include "sysfs/cpufreq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool all_online(struct isst_context *context)
{
	return isst_cpuset_count(isst_present_cpus(context)) ==
	       isst_cpuset_count(isst_online_cpus(context));
}

static bool is_off(const char *control)
{
	return strcmp(control, "off") == 0 || strcmp(control, "forceoff") == 0;
}

int hotplug_begin(struct hotplug *hotplug, struct isst_change *change)
{
	int error;

	*hotplug = (struct hotplug){ .change = change, .omitted = isst_cpuset_new() };
	if (!hotplug->omitted)
		return -ENOMEM;
	if (all_online(change->context))
		return 0;
	error = hotplug_smt_control(&change->context->files, &hotplug->smt);
	if (error) {
		/* Without the file, or its text, the kernel's answer to the write decides. */
		hotplug->smt = NULL;
		return error == -ENOMEM ? error : 0;
	}
	if (!is_off(hotplug->smt)) {
		free(hotplug->smt);
		hotplug->smt = NULL;
	}
	return 0;
}

/** A CPU of which nothing is known has been offline since boot, as second threads are then. */
static bool is_second_thread(struct isst_context *context, unsigned int number)
{
	const struct isst_cpu *cpu = isst_cpu(context, number);

	return !cpu || cpu->thread > 0;
}

bool hotplug_may_be_online(struct hotplug *hotplug, unsigned int cpu)
{
	struct isst_context *context = hotplug->change->context;

	if (!hotplug->smt || isst_cpuset_has(isst_online_cpus(context), cpu) ||
	    !is_second_thread(context, cpu))
		return true;
	if (isst_cpuset_add(hotplug->omitted, cpu, cpu))
		hotplug->change->broken = true;
	return false;
}

void hotplug_end(struct hotplug *hotplug)
{
	char *cpus = NULL;

	if (hotplug->omitted && isst_cpuset_count(hotplug->omitted) > 0) {
		cpus = isst_cpuset_ranges(hotplug->omitted);
		if (cpus)
			change_warn(hotplug->change,
				    "CPU %s: stays offline, as SMT is off (" SMT_CONTROL ": %s)",
				    cpus, hotplug->smt);
		else
			hotplug->change->broken = true;
	}
	free(cpus);
	free(hotplug->smt);
	isst_cpuset_free(hotplug->omitted);
}
