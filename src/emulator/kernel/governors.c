/* SPDX-License-Identifier: BSD-3-Clause */
/* Governors of cpufreq: which there are, and which one a CPU has. No frequency follows them. */
#include "emulator/kernel/views.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* What cpufreq drivers offer: intel_pstate two policies of its own, others the kernel's governors.
 */
static const char *const governors[] = { "performance",	 "powersave", "ondemand",
					 "conservative", "userspace", "schedutil" };
enum { OF_PSTATE = 2, OF_ALL = sizeof(governors) / sizeof(*governors) };

const char *governor_text(const struct place *place)
{
	uint8_t governor = state_cpu(place->server, place->cpu)->governor;

	return governor && governor <= OF_ALL ? governors[governor - 1]
					      : place->server->platform->governor.text;
}

int print_governors(const struct place *place, FILE *stream)
{
	bool pstate = strcmp(place->server->platform->cpufreq.text, "intel_pstate") == 0;

	for (size_t i = 0; i < (pstate ? OF_PSTATE : OF_ALL); i++)
		fprintf(stream, "%s%s", i > 0 ? " " : "", governors[i]);
	fputc('\n', stream);
	return 0;
}

/** The first word of @text counts, in letters of either case. Returns its index, or the number of
 * all. */
static size_t find_governor(const struct platform *platform, const char *text)
{
	bool pstate = strcmp(platform->cpufreq.text, "intel_pstate") == 0;
	const char *word = text + strspn(text, " \t\n");
	size_t length = strcspn(word, " \t\n");

	for (size_t i = 0; i < (pstate ? OF_PSTATE : OF_ALL); i++)
		if (strlen(governors[i]) == length && strncasecmp(word, governors[i], length) == 0)
			return i;
	return OF_ALL;
}

int write_governor(const struct place *place, const char *text)
{
	const struct platform *platform = place->server->platform;
	size_t found = find_governor(platform, text);

	if (found == OF_ALL)
		return -EINVAL;
	state_cpu(place->server, place->cpu)->governor =
		strcmp(governors[found], platform->governor.text) == 0 ? 0 : (uint8_t)(found + 1);
	return 0;
}
