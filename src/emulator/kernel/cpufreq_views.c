/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of cpufreq of each CPU, and of intel_pstate. */
#include "emulator/capture/capture.h"
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* ---- Governors, which no frequency follows ---- */

/* intel_pstate has two policies of its own, other drivers the kernel's governors. */
static const char *const governors[] = { "performance",	 "powersave", "ondemand",
					 "conservative", "userspace", "schedutil" };
enum { OF_PSTATE = 2, OF_ALL = sizeof(governors) / sizeof(*governors) };

static const char *governor_text(const struct place *place)
{
	uint8_t governor = cpu_of(place)->governor;

	return governor && governor <= OF_ALL ? governors[governor - 1]
					      : place->platform->governor.text;
}

static size_t count_governors(const struct place *place)
{
	return strcmp(place->platform->cpufreq.text, "intel_pstate") ? OF_ALL : OF_PSTATE;
}

static int print_governors(const struct place *place, FILE *stream)
{
	for (size_t i = 0; i < count_governors(place); i++)
		fprintf(stream, "%s%s", i > 0 ? " " : "", governors[i]);
	fputc('\n', stream);
	return 0;
}

/** The first word of @text counts, in letters of either case. */
static int write_governor(const struct place *place, const char *text)
{
	const char *word = text + strspn(text, " \t\n");
	const size_t length = strcspn(word, " \t\n"), count = count_governors(place);
	size_t i = 0;

	while (i < count &&
	       (strlen(governors[i]) != length || strncasecmp(word, governors[i], length) != 0))
		i++;
	if (i == count)
		return -EINVAL;
	cpu_of(place)->governor = strcmp(governors[i], place->platform->governor.text) == 0
					  ? 0
					  : (uint8_t)(i + 1);
	return 0;
}

/* ---- Energy performance preference ---- */

/* With the values of the register that processors since Skylake have for them. The state has 1 +
 * the index of a word, or RAW and a number. */
static const struct {
	const char *word;
	unsigned int value;
} preferences[] = {
	{ "default", 128 },	  { "performance", 0 }, { "balance_performance", 128 },
	{ "balance_power", 192 }, { "power", 255 },
};
enum { DEFAULT, PERFORMANCE, AT_BOOT, PREFERENCES = sizeof(preferences) / sizeof(*preferences) };
enum { RAW = 0x100 };

/** acpi-cpufreq has neither a base frequency nor preferences, and intel_pstate only with HWP. */
static bool has_hwp_driver(const struct place *place)
{
	return place->platform->hwp.value &&
	       strncmp(place->platform->cpufreq.text, "intel_", 6) == 0;
}

/** The governor performance has a preference of its own. */
static bool has_fixed_preference(const struct place *place)
{
	return count_governors(place) == OF_PSTATE &&
	       strcmp(governor_text(place), "performance") == 0;
}

/** Its index, or RAW and the number. */
static unsigned int current_preference(const struct place *place)
{
	unsigned int stored = cpu_of(place)->preference;

	if (has_fixed_preference(place))
		return PERFORMANCE;
	if (stored & RAW)
		return stored;
	return stored && stored <= PREFERENCES ? stored - 1 : AT_BOOT;
}

unsigned int energy_preference(const struct place *place)
{
	unsigned int current = current_preference(place);

	return current & RAW ? current & 0xff : preferences[current].value;
}

static int print_energy_preference(const struct place *place, FILE *stream)
{
	unsigned int current = current_preference(place);

	if (current & RAW)
		fprintf(stream, "%u\n", current & 0xff);
	else
		fprintf(stream, "%s\n", preferences[current].word);
	return 0;
}

static int print_energy_preferences(const struct place *place, FILE *stream)
{
	(void)place;
	for (size_t i = 0; i < PREFERENCES; i++)
		fprintf(stream, "%s ", preferences[i].word);
	fputc('\n', stream);
	return 0;
}

/** A word or a decimal number; of words the first counts. */
static int write_energy_preference(const struct place *place, const char *text)
{
	const char *word = text + strspn(text, " \t\n");
	const size_t length = strcspn(word, " \t\n");
	uint16_t preference = 0; /* as it is stored */
	uint64_t value;

	for (size_t i = 0; i < PREFERENCES && !preference; i++)
		if (strlen(preferences[i].word) == length &&
		    memcmp(word, preferences[i].word, length) == 0)
			preference = (uint16_t)(i == DEFAULT ? AT_BOOT + 1 : i + 1);
	if (!preference && parse_number(text, 10, 255, &value))
		return -EINVAL;
	if (!preference)
		preference = (uint16_t)(RAW | value);
	if (has_fixed_preference(place) && preference != PERFORMANCE + 1 && preference != RAW)
		return -EBUSY;
	cpu_of(place)->preference = preference == AT_BOOT + 1 ? 0 : preference;
	return 0;
}

/* ---- Files of a CPU ---- */

/** What becomes of the directory of a CPU that goes offline: kernels since 5.19 answer EBUSY to who
 * reads it, and those before show what they showed. */
bool has_cpufreq(const struct place *place)
{
	return strcmp(place->platform->cpufreq.text, "none") != 0 &&
	       (is_online(place) || place->platform->offline_cpufreq.value != OFFLINE_CPUFREQ_GONE);
}

/** How files of cpufreq answer while their CPU is offline: kernels since 5.19 to all with EBUSY;
 * those before let them be read, and take nothing. */
int refuse_offline(const struct place *place, bool write)
{
	const unsigned int answer = place->platform->offline_cpufreq.value;

	if (is_online(place))
		return 0;
	if (answer == OFFLINE_CPUFREQ_BUSY)
		return -EBUSY;
	return answer == OFFLINE_CPUFREQ_READABLE && write ? -EINVAL : 0;
}

/** The user's limit is remembered as it is, whatever comes of it now. */
static int write_scaling_limit(const struct place *place, const char *text)
{
	struct cpu_state *state = cpu_of(place);
	uint64_t khz;
	int result = parse_number(text, 0, NO_LIMIT_KHZ, &khz);

	if (!result)
		*(place->view->which ? &state->requested_max_khz
				     : &state->requested_min_khz) = (uint32_t)khz;
	return result;
}

/** Governors of intel_pstate take no frequency of the user. */
static int refuse_setspeed(const struct place *place, const char *text)
{
	(void)place;
	(void)text;
	return -EINVAL;
}

const struct view cpufreq_views[] = {
	{ "base_frequency", .exists = has_hwp_driver, .number = base_khz },
	{ "cpuinfo_min_freq", .number = lowest_khz },
	{ "cpuinfo_max_freq", .number = highest_khz },
	{ "scaling_min_freq", .number = scaling_min_khz, .write = write_scaling_limit },
	{ "scaling_max_freq", .number = scaling_max_khz, .which = true,
	  .write = write_scaling_limit },
	{ "bios_limit", .exists = has_bios_limit, .number = bios_limit_khz },
	{ "scaling_cur_freq", .number = busy_khz },
	/* Each CPU is a policy of its own, which changes its frequency at once. */
	{ "cpuinfo_transition_latency", .constant = "0" },
	{ "affected_cpus", STORED(CPU, platform_cpu, number) },
	{ "related_cpus", STORED(CPU, platform_cpu, number) },
	{ "scaling_driver", WORDS_OF(cpufreq) },
	{ "scaling_setspeed", .constant = "<unsupported>", .write = refuse_setspeed },
	{ "scaling_available_governors", .read = print_governors },
	{ "scaling_governor", .text = governor_text, .write = write_governor },
	{ "energy_performance_preference", .exists = has_hwp_driver,
	  .read = print_energy_preference, .write = write_energy_preference },
	{ "energy_performance_available_preferences", .exists = has_hwp_driver,
	  .read = print_energy_preferences },
	VIEW_END,
};

/** A CPU's directory is its own, so that paths in rules and logs have one form; in the kernel it
 * is the link. */
static int print_policy(const struct place *place, char **target)
{
	return asprintf(target, "../cpu%u/cpufreq", place->cpu->number);
}

const struct view policies_views[] = {
	{ .each = &each_policy, .target = print_policy, .exists = has_cpufreq },
	VIEW_END,
};

/* ---- The directory intel_pstate ---- */

/** A passive driver leaves it to the governor what is boosted. */
static bool has_dynamic_boost(const struct place *place)
{
	return place->platform->hwp.value && strcmp(place->platform->pstate.text, "active") == 0;
}

/** The mode stays: another one would be another cpufreq driver. */
static int write_pstate_status(const struct place *place, const char *text)
{
	static const char *const modes[] = { "active", "passive", "off" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(text, modes[i]) == 0)
			return strcmp(text, place->platform->pstate.text) == 0 ? 0 : -EBUSY;
	return -EINVAL;
}

/** While it is off; limits are shown all the same. */
static int refuse_off(const struct place *place, bool write)
{
	return (write || !place->view->which) && strcmp(place->platform->pstate.text, "off") == 0
		       ? -EAGAIN
		       : 0;
}

static int write_no_turbo(const struct place *place, const char *text)
{
	uint32_t value;
	int result = scan_number(text, &value);

	if (!result && !value && !place->platform->bios_turbo.value)
		result = -EPERM;
	if (!result)
		place->server->state->no_turbo = value != 0;
	return result;
}

/* ---- What the driver works out of the frequencies of the first CPU as it starts ---- */

static unsigned int count_pstates(const struct place *place)
{
	unsigned int lowest = lowest_khz(place) / 100000;
	unsigned int highest = place->server->state->first_highest_mhz / 100;

	return highest >= lowest ? highest - lowest + 1 : 1;
}

static unsigned int num_pstates(const struct place *place)
{
	return pstate_at_boot(place, "num_pstates", count_pstates(place));
}

/** The kernel's fixed-point division keeps 8 bits. */
static unsigned int turbo_pct(const struct place *place)
{
	unsigned int lowest = lowest_khz(place) / 100000;
	unsigned int base = place->server->state->first_base_mhz / 100, percent = 0;

	if (base >= lowest)
		percent = 100 - (base - lowest + 1) * 256 / count_pstates(place) * 100 / 256;
	return pstate_at_boot(place, "turbo_pct", percent);
}

/* ---- Limits for all CPUs: kept and shown; a passive driver requests them of cpufreq ---- */

static unsigned int lowest_percent(const struct place *place)
{
	unsigned int highest = place->server->state->first_highest_mhz / 100;

	return highest ? lowest_khz(place) / 100000 * 100 / highest : 0;
}

static unsigned int min_perf_pct(const struct place *place)
{
	unsigned int set = place->server->state->min_perf_pct;

	return set ? set : pstate_at_boot(place, "min_perf_pct", lowest_percent(place));
}

static int write_perf_pct(const struct place *place, const char *text)
{
	struct state *state = place->server->state;
	uint32_t value;
	int result = scan_number(text, &value);

	if (!result && place->view->number == max_perf_pct)
		state->max_perf_pct = (uint8_t)clamp(value, min_perf_pct(place), 100);
	else if (!result)
		state->min_perf_pct = (uint8_t)clamp(value, lowest_percent(place),
						     max_perf_pct(place));
	return result;
}

static unsigned int dynamic_boost(const struct place *place)
{
	return !place->server->state->dynamic_boost_off;
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
	{ "status", WORDS_OF(pstate), .write = write_pstate_status },
	{ "no_turbo", STORED(STATE, state, no_turbo), .refuse = refuse_off,
	  .write = write_no_turbo },
	{ "hwp_dynamic_boost", .exists = has_dynamic_boost, .number = dynamic_boost,
	  .write = write_dynamic_boost },
	{ "max_perf_pct", .number = max_perf_pct, .refuse = refuse_off, .which = true,
	  .write = write_perf_pct },
	{ "min_perf_pct", .number = min_perf_pct, .refuse = refuse_off, .which = true,
	  .write = write_perf_pct },
	{ "num_pstates", .number = num_pstates, .refuse = refuse_off },
	{ "turbo_pct", .number = turbo_pct, .refuse = refuse_off },
	VIEW_END,
};
