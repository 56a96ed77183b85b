/* SPDX-License-Identifier: BSD-3-Clause */
/* /sys/power: the machine suspends, and is resumed at once. */
#include "emulator/firmware/firmware.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

static const char *states(const struct place *place)
{
	(void)place;
	return "freeze mem";
}

/** Frozen processors keep what they have; after mem they begin as at power-on. */
static int suspend(const struct place *place, const char *text)
{
	struct state *state = place->server->state;
	int result = 0;

	if (strcmp(text, "mem") == 0)
		result = firmware_resume(place->server);
	else if (strcmp(text, "freeze") != 0)
		result = -EINVAL;
	if (!result && state->resumes < UINT8_MAX)
		state->resumes++;
	return result;
}

static unsigned int successes(const struct place *place)
{
	return place->server->state->resumes;
}

static unsigned int failures(const struct place *place)
{
	(void)place;
	return 0;
}

static const struct view statistics_views[] = {
	{ "success", .number = successes },
	{ "fail", .number = failures },
	VIEW_END,
};

const struct view power_views[] = {
	{ "state", .text = states, .write = suspend },
	{ "suspend_stats", .below = statistics_views },
	VIEW_END,
};
