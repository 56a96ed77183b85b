/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cooling devices: the kernel has one for each processor of ACPI, by which thermal zones and
 * programs lower the frequency of a whole package.
 */
#include "emulator/kernel/views.h"

#include <errno.h>

enum { MOST_COOLING = 3 };

static bool cooling_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	const struct platform *platform = place->server->platform;

	if (index >= platform->cpu_count)
		return false;
	place->cpu = &platform->cpus[index];
	snprintf(name, VIEW_NAME, "cooling_device%zu", index);
	return true;
}

static bool find_cooling(struct place *place, const char *name)
{
	char found[VIEW_NAME];
	unsigned int index;

	return number_of_name(name, "cooling_device", &index) && cooling_at(place, index, found);
}

const struct instances each_cooling_device = { cooling_at, find_cooling };

static const char *type(const struct place *place)
{
	(void)place;
	return "Processor";
}

static unsigned int most(const struct place *place)
{
	(void)place;
	return MOST_COOLING;
}

static unsigned int current(const struct place *place)
{
	return state_cpu(place->server, place->cpu)->cooling;
}

static unsigned int package_of(const struct platform *platform, const struct platform_cpu *cpu)
{
	return platform->domains[cpu->domain].package;
}

/** The devices of a package have one state, which limits all of its CPUs. */
static int write_current(const struct place *place, const char *text)
{
	const struct platform *platform = place->server->platform;
	uint64_t value;
	int result = parse_number(text, 10, UINT32_MAX, &value);

	if (!result && value > MOST_COOLING)
		result = -EINVAL;
	for (size_t i = 0; i < platform->cpu_count && !result; i++)
		if (package_of(platform, &platform->cpus[i]) == package_of(platform, place->cpu))
			state_cpu(place->server, &platform->cpus[i])->cooling = (uint8_t)value;
	return result;
}

const struct view cooling_views[] = {
	{ "type", .text = type },
	{ "max_state", .number = most },
	{ "cur_state", .number = current, .write = write_current },
	VIEW_END,
};

static size_t index_of(const struct place *place)
{
	return (size_t)(place->cpu - place->server->platform->cpus);
}

/** From /sys/class/thermal. */
int print_cooling_link(const struct place *place, FILE *stream)
{
	fprintf(stream, "../../devices/virtual/thermal/cooling_device%zu", index_of(place));
	return 0;
}

/** From /sys/devices/system/cpu/cpuN/firmware_node. */
int print_cooling_device(const struct place *place, FILE *stream)
{
	fprintf(stream, "../../../../virtual/thermal/cooling_device%zu", index_of(place));
	return 0;
}
