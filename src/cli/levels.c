/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses and reads the performance levels that a command is about; must not know what is shown of
 * them.
 */
#include "levels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct isst_perf_profile *profiles_read(struct run *run)
{
	size_t count = run->targets.domain_count;
	struct isst_perf_profile *profiles = calloc(count + 1, sizeof(*profiles));

	if (!profiles) {
		run_error(run, STATUS_FAILED, "out of memory");
		return NULL;
	}
	for (size_t slot = 0; slot < count; slot++)
		profiles[slot].domain = run->targets.domains[slot];
	if (run_call(run, isst_perf_profile_read(run->context, profiles, count))) {
		free(profiles);
		return NULL;
	}
	return profiles;
}

/** Where SST-PP is not enabled only the base level counts. */
static unsigned int highest_level(const struct isst_perf_profile *profile)
{
	return profile->enabled ? profile->highest_level : 0;
}

/** Levels that have gaps between them, as words: `0, 1, 3`. NULL where they have none. */
static char *list_levels(const struct isst_perf_profile *profile, unsigned int highest)
{
	unsigned int mask = profile->level_mask;
	const char *between = "";
	char *text = NULL;
	size_t size;
	FILE *stream;

	/* The mask tells of no more levels than it has bits. */
	if (highest > 31)
		highest = 31;
	if (mask == 0 || mask == (2U << highest) - 1)
		return NULL;
	stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	for (unsigned int level = 0; level <= highest; level++) {
		if (!(mask >> level & 1))
			continue;
		fprintf(stream, "%s%u", between, level);
		between = ", ";
	}
	fclose(stream);
	return text;
}

static void report_no_level(struct run *run, const struct isst_perf_profile *profile,
			    unsigned int level)
{
	const char *name = profile->domain->name;
	unsigned int highest = highest_level(profile);
	char *levels = list_levels(profile, highest);

	if (highest == 0)
		run_unsupported(run, "Invalid level %u (%s): only level 0 exists", level, name);
	else if (levels)
		run_unsupported(run, "Invalid level %u (%s): levels %s exist", level, name, levels);
	else
		run_unsupported(run, "Invalid level %u (%s): levels 0 to %u exist", level, name,
				highest);
	free(levels);
}

/** Which levels of a domain are meant. Returns false if there are none. */
static bool choose(struct run *run, const struct isst_perf_profile *profile,
		   enum level_choice choice, unsigned int *first, unsigned int *last)
{
	if (!run_result(run, &profile->failure, true))
		return false;
	*first = choice == LEVELS_CURRENT ? profile->current_level : 0;
	*last = choice == LEVELS_CURRENT ? profile->current_level : highest_level(profile);
	if (!request_has(run->request, OPTION_LEVEL))
		return true;
	*first = *last = request_number(run->request, OPTION_LEVEL);
	if (*first <= highest_level(profile))
		return true;
	report_no_level(run, profile, *first);
	return false;
}

static int add_levels(struct levels *levels, const struct isst_perf_profile *profile,
		      unsigned int first, unsigned int last)
{
	size_t count = levels->count + (last - first) + 1;
	struct isst_level *more = reallocarray(levels->levels, count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	levels->levels = more;
	for (unsigned int level = first; levels->count < count; level++) {
		struct isst_level *added = &more[levels->count++];

		memset(added, 0, sizeof(*added));
		added->domain = profile->domain;
		added->profile = profile;
		added->level = level;
	}
	return 0;
}

/** Lists the levels to be read, by slots. */
static int plan(struct run *run, enum level_choice choice, struct levels *levels)
{
	size_t domains = run->targets.domain_count;

	levels->first = calloc(domains + 1, sizeof(*levels->first));
	if (!levels->first)
		return -ENOMEM;
	for (size_t slot = 0; slot < domains; slot++) {
		const struct isst_perf_profile *profile = &levels->profiles[slot];
		unsigned int first, last;

		if (choose(run, profile, choice, &first, &last) &&
		    add_levels(levels, profile, first, last) != 0)
			return -ENOMEM;
		levels->first[slot + 1] = levels->count;
	}
	return 0;
}

int levels_read(struct run *run, enum level_choice choice, unsigned int parts,
		struct levels *levels)
{
	*levels = (struct levels){ .profiles = profiles_read(run) };
	if (!levels->profiles)
		return -EIO;
	if (plan(run, choice, levels) != 0) {
		run_error(run, STATUS_FAILED, "out of memory");
		return -ENOMEM;
	}
	if (levels->count == 0)
		return 0;
	return run_call(run,
			isst_level_read_parts(run->context, levels->levels, levels->count, parts));
}

void levels_clear(struct levels *levels)
{
	for (size_t i = 0; i < levels->count; i++)
		isst_level_clear(&levels->levels[i]);
	free(levels->levels);
	free(levels->profiles);
	free(levels->first);
	*levels = (struct levels){ 0 };
}

struct isst_level *levels_of(const struct levels *levels, const struct unit *unit, size_t *count)
{
	size_t first = levels->first[unit->slot];

	*count = levels->first[unit->slot + 1] - first;
	return levels->levels ? levels->levels + first : NULL;
}
