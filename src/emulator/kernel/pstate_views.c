/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory intel_pstate: the driver's mode, turbo, and its limits for all CPUs. */
#include "emulator/capture/capture.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

bool pstate_exists(const struct place *place)
{
	return strcmp(place->server->platform->pstate.text, "none") != 0;
}

/** A passive driver leaves it to the governor what is boosted. */
static bool has_dynamic_boost(const struct place *place)
{
	return place->server->platform->hwp.value &&
	       strcmp(place->server->platform->pstate.text, "active") == 0;
}

/* ---- The mode ---- */

static const char *status(const struct place *place)
{
	return place->server->platform->pstate.text;
}

/** The mode stays: another one would be another cpufreq driver. */
static int write_status(const struct place *place, const char *text)
{
	static const char *const modes[] = { "active", "passive", "off" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(text, modes[i]) == 0)
			return strcmp(text, status(place)) == 0 ? 0 : -EBUSY;
	return -EINVAL;
}

/** While it is off. */
static int refuse_off(const struct place *place, bool write)
{
	(void)write;
	return strcmp(status(place), "off") == 0 ? -EAGAIN : 0;
}

/** Limits are shown all the same. */
static int refuse_writes_off(const struct place *place, bool write)
{
	return write ? refuse_off(place, write) : 0;
}

/* ---- Turbo ---- */

static unsigned int no_turbo(const struct place *place)
{
	return place->server->state->no_turbo;
}

static int write_no_turbo(const struct place *place, const char *text)
{
	uint32_t value;
	int result = scan_number(text, &value);

	if (!result && !value && !place->server->platform->bios_turbo.value)
		result = -EPERM;
	if (!result)
		place->server->state->no_turbo = value != 0;
	return result;
}

/* ---- What the driver works out of the frequencies of the first CPU as it starts ---- */

/** As it was captured, or else as the platform has it. */
static unsigned int at_boot(const struct place *place, const char *name, unsigned int otherwise)
{
	const struct capture *capture = place->server->platform->capture;
	const struct captured_entry *entry;
	char path[VIEW_NAME];
	uint64_t value;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/intel_pstate/%s", name);
	entry = capture ? capture_entry(capture, path) : NULL;
	if (entry && !isst_parse_number(entry->value, 10, UINT32_MAX, &value))
		return (unsigned int)value;
	return otherwise;
}

static unsigned int lowest_ratio(const struct place *place)
{
	return lowest_khz(place) / 100000;
}

static unsigned int highest_ratio(const struct place *place)
{
	return place->server->state->first_highest_mhz / 100;
}

static unsigned int count_pstates(const struct place *place)
{
	unsigned int lowest = lowest_ratio(place), highest = highest_ratio(place);

	return highest >= lowest ? highest - lowest + 1 : 1;
}

static unsigned int num_pstates(const struct place *place)
{
	return at_boot(place, "num_pstates", count_pstates(place));
}

/** The kernel's fixed-point division keeps 8 bits. */
static unsigned int turbo_pct(const struct place *place)
{
	unsigned int lowest = lowest_ratio(place);
	unsigned int base = place->server->state->first_base_mhz / 100, percent = 0;

	if (base >= lowest)
		percent = 100 - (base - lowest + 1) * 256 / count_pstates(place) * 100 / 256;
	return at_boot(place, "turbo_pct", percent);
}

/* ---- Limits for all CPUs: kept and shown; a passive driver requests them of cpufreq ---- */

static unsigned int lowest_percent(const struct place *place)
{
	unsigned int highest = highest_ratio(place);

	return highest ? lowest_ratio(place) * 100 / highest : 0;
}

static unsigned int max_perf_pct(const struct place *place)
{
	unsigned int set = place->server->state->max_perf_pct;

	return set ? set : at_boot(place, "max_perf_pct", 100);
}

static unsigned int min_perf_pct(const struct place *place)
{
	unsigned int set = place->server->state->min_perf_pct;

	return set ? set : at_boot(place, "min_perf_pct", lowest_percent(place));
}

static uint8_t clamp_percent(unsigned int value, unsigned int low, unsigned int high)
{
	if (value < low)
		value = low;
	return (uint8_t)(value > high ? high : value);
}

static int write_max_perf_pct(const struct place *place, const char *text)
{
	uint32_t value;
	int result = scan_number(text, &value);

	if (!result)
		place->server->state->max_perf_pct = clamp_percent(value, min_perf_pct(place), 100);
	return result;
}

static int write_min_perf_pct(const struct place *place, const char *text)
{
	uint32_t value;
	int result = scan_number(text, &value);

	if (!result)
		place->server->state->min_perf_pct = clamp_percent(value, lowest_percent(place),
								   max_perf_pct(place));
	return result;
}

/* ---- HWP ---- */

static unsigned int dynamic_boost(const struct place *place)
{
	return place->server->state->dynamic_boost_off ? 0 : 1;
}

static int write_dynamic_boost(const struct place *place, const char *text)
{
	uint64_t value;
	int result = parse_number(text, 10, UINT32_MAX, &value);

	if (!result)
		place->server->state->dynamic_boost_off = value == 0;
	return result;
}

const struct view pstate_views[] = {
	{ "status", .text = status, .write = write_status },
	{ "no_turbo", .number = no_turbo, .refuse = refuse_off, .write = write_no_turbo },
	{ "hwp_dynamic_boost", .exists = has_dynamic_boost, .number = dynamic_boost,
	  .write = write_dynamic_boost },
	{ "max_perf_pct", .number = max_perf_pct, .refuse = refuse_writes_off,
	  .write = write_max_perf_pct },
	{ "min_perf_pct", .number = min_perf_pct, .refuse = refuse_writes_off,
	  .write = write_min_perf_pct },
	{ "num_pstates", .number = num_pstates, .refuse = refuse_off },
	{ "turbo_pct", .number = turbo_pct, .refuse = refuse_off },
	VIEW_END,
};
