/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a CPU was throttled since boot: cpuN/thermal_throttle. */
#include "emulator/kernel/views.h"

static unsigned int throttle_count(const struct place *place)
{
	return place->server->platform->domains[place->cpu->domain].throttle_count.value;
}

const struct view throttle_views[] = {
	{ "core_throttle_count", .number = throttle_count },
	{ "package_throttle_count", .number = throttle_count },
	VIEW_END,
};
