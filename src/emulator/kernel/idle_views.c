/* SPDX-License-Identifier: BSD-3-Clause */
/* cpuidle: the idle states of each CPU, which can be disabled. No CPU is ever idle here. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

/* As intel_idle has them for servers since Ice Lake, the last one rounded. */
static const struct {
	const char *name, *description;
	unsigned int latency_us, residency_us;
} states[] = {
	{ "POLL", "CPUIDLE CORE POLL IDLE", 0, 0 },
	{ "C1", "MWAIT 0x00", 1, 1 },
	{ "C1E", "MWAIT 0x01", 2, 4 },
	{ "C6", "MWAIT 0x20", 200, 600 },
};
enum { STATES = sizeof(states) / sizeof(*states) };

static bool state_at(struct place *place, size_t index, char name[VIEW_NAME])
{
	place->idle_state = (unsigned int)index;
	snprintf(name, VIEW_NAME, "state%zu", index);
	return index < STATES;
}

static const struct instances each_state = { state_at, NULL };

static const char *name(const struct place *place)
{
	return states[place->idle_state].name;
}

static const char *description(const struct place *place)
{
	return states[place->idle_state].description;
}

static unsigned int latency(const struct place *place)
{
	return states[place->idle_state].latency_us;
}

static unsigned int residency(const struct place *place)
{
	return states[place->idle_state].residency_us;
}

static unsigned int zero(const struct place *place)
{
	(void)place;
	return 0;
}

static unsigned int disabled(const struct place *place)
{
	return state_cpu(place->server, place->cpu)->idle_disabled >> place->idle_state & 1;
}

static const char *default_status(const struct place *place)
{
	(void)place;
	return "enabled";
}

static int write_disabled(const struct place *place, const char *text)
{
	struct cpu_state *state = state_cpu(place->server, place->cpu);
	uint64_t value;

	if (parse_number(text, 0, UINT32_MAX, &value))
		return -EINVAL;
	state->idle_disabled &= (uint8_t) ~(1U << place->idle_state);
	if (value)
		state->idle_disabled |= (uint8_t)(1U << place->idle_state);
	return 0;
}

static const struct view state_views[] = {
	{ "name", .text = name },
	{ "desc", .text = description },
	{ "latency", .number = latency },
	{ "residency", .number = residency },
	{ "power", .number = zero },
	{ "usage", .number = zero },
	{ "time", .number = zero },
	{ "above", .number = zero },
	{ "below", .number = zero },
	{ "rejected", .number = zero },
	{ "disable", .number = disabled, .write = write_disabled },
	{ "default_status", .text = default_status },
	VIEW_END,
};

const struct view idle_views[] = {
	{ .each = &each_state, .below = state_views },
	VIEW_END,
};

/* ---- The driver ---- */

static const char *driver(const struct place *place)
{
	(void)place;
	return "intel_idle";
}

static const char *governor(const struct place *place)
{
	(void)place;
	return "menu";
}

const struct view idle_driver_views[] = {
	{ "available_governors", .text = governor },
	{ "current_driver", .text = driver },
	{ "current_governor", .text = governor },
	{ "current_governor_ro", .text = governor },
	VIEW_END,
};
