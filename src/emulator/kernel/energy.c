/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * energy_performance_preference of intel_pstate with HWP. The state has 1 + the index of a word, or
 * RAW and a number.
 */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>

/* With the values of the register that processors since Skylake have for them. */
static const struct {
	const char *word;
	unsigned int value;
} preferences[] = {
	{ "default", 128 },	  { "performance", 0 }, { "balance_performance", 128 },
	{ "balance_power", 192 }, { "power", 255 },
};
enum { DEFAULT, PERFORMANCE, AT_BOOT, PREFERENCES = sizeof(preferences) / sizeof(*preferences) };
enum { RAW = 0x100 };

bool has_energy_preference(const struct place *place)
{
	const struct platform *platform = place->server->platform;

	return platform->hwp.value && strncmp(platform->cpufreq.text, "intel_", 6) == 0;
}

/** The governor performance has a preference of its own. */
static bool is_fixed(const struct place *place)
{
	return strcmp(place->server->platform->cpufreq.text, "intel_pstate") == 0 &&
	       strcmp(governor_text(place), "performance") == 0;
}

static size_t index_of(const struct place *place)
{
	unsigned int stored = state_cpu(place->server, place->cpu)->preference;

	if (is_fixed(place))
		return PERFORMANCE;
	return stored && stored <= PREFERENCES ? stored - 1 : AT_BOOT;
}

static bool is_raw(const struct place *place)
{
	return !is_fixed(place) && state_cpu(place->server, place->cpu)->preference & RAW;
}

unsigned int energy_preference(const struct place *place)
{
	return is_raw(place) ? state_cpu(place->server, place->cpu)->preference & 0xff
			     : preferences[index_of(place)].value;
}

int print_energy_preference(const struct place *place, FILE *stream)
{
	if (is_raw(place))
		fprintf(stream, "%u\n", energy_preference(place));
	else
		fprintf(stream, "%s\n", preferences[index_of(place)].word);
	return 0;
}

int print_energy_preferences(const struct place *place, FILE *stream)
{
	(void)place;
	for (size_t i = 0; i < PREFERENCES; i++)
		fprintf(stream, "%s ", preferences[i].word);
	fputc('\n', stream);
	return 0;
}

/** The stored form of a word or a decimal number; 0: it is neither. Of words the first counts. */
static uint16_t parse_preference(const char *text)
{
	const char *word = text + strspn(text, " \t\n");
	size_t length = strcspn(word, " \t\n");
	uint64_t value;

	for (size_t i = 0; i < PREFERENCES; i++)
		if (strlen(preferences[i].word) == length &&
		    memcmp(word, preferences[i].word, length) == 0)
			return (uint16_t)(i == DEFAULT ? AT_BOOT + 1 : i + 1);
	return parse_number(text, 10, 255, &value) ? 0 : (uint16_t)(RAW | value);
}

int write_energy_preference(const struct place *place, const char *text)
{
	uint16_t preference = parse_preference(text);

	if (!preference)
		return -EINVAL;
	if (is_fixed(place) && preference != PERFORMANCE + 1 && preference != RAW)
		return -EBUSY;
	state_cpu(place->server, place->cpu)->preference = preference == AT_BOOT + 1 ? 0
										     : preference;
	return 0;
}
