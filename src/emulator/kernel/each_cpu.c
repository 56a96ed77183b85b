/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs that rows of the table stand for: cpuN. */
#include "emulator/kernel/views.h"

static bool cpu_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

	if (index >= platform->cpu_count)
		return false;
	place->cpu = &platform->cpus[index];
	snprintf(name, VIEW_NAME, "cpu%u", place->cpu->number);
	return true;
}

static bool find_cpu(struct place *place, const char *name)
{
	unsigned int number;

	place->cpu = number_of_name(name, "cpu", &number)
			     ? platform_cpu(place->server->platform, number)
			     : NULL;
	return place->cpu;
}

const struct instances each_cpu = { cpu_at, find_cpu };
