/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses and reads the performance levels that a command is about; must not know what is shown of
 * them.
 */
#include "levels.h"

#include <errno.h>
#include <stdlib.h>

/** Whether a result is that of a level which the domain cannot have. */
static bool is_beyond(const struct isst_result *result)
{
	unsigned int highest = value_of(result, ISST_VALUE_ENABLED)
				       ? value_of(result, ISST_VALUE_HIGHEST_LEVEL)
				       : 0;

	return !has_value(result, ISST_VALUE_LEVEL) || value_of(result, ISST_VALUE_LEVEL) > highest;
}

/** Whether a result is of a level; else the cause is reported. */
static bool is_level(struct run *run, const struct isst_result *result)
{
	struct failure summary = failure_of(result, ISST_PART_PERF_PROFILE);
	struct failure failure = failure_of(result, ISST_PART_RESULT);

	if (!run_result(run, &summary, true))
		return false;
	if (!request_has(run->request, OPTION_LEVEL) || !is_beyond(result))
		return true;
	run_result(run, &failure, true);
	return false;
}

/** Finds the results of each slot. Returns 0 or -ENOMEM. */
static int sort(struct run *run, struct levels *levels)
{
	size_t domains = run->targets.domain_count;
	const struct isst_result *result;

	levels->first = calloc(domains + 1, sizeof(*levels->first));
	levels->count = calloc(domains + 1, sizeof(*levels->count));
	if (!levels->first || !levels->count)
		return -ENOMEM;
	for (size_t i = 0; (result = isst_results_at(levels->results, i)) != NULL; i++) {
		size_t slot = isst_result_target(result);

		if (i == 0 || slot != isst_result_target(isst_results_at(levels->results, i - 1)))
			levels->first[slot] = i;
		levels->count[slot] += is_level(run, result);
	}
	return 0;
}

int levels_read(struct run *run, enum level_choice choice, unsigned int parts,
		struct levels *levels)
{
	const struct question question = {
		.read = isst_read_levels,
		.flags = parts | (choice == LEVELS_CURRENT ? ISST_READ_LEVELS_CURRENT : 0),
		.value = ISST_VALUE_LEVEL,
		.option = OPTION_LEVEL,
	};

	*levels = (struct levels){ .results = read_domains(run, &question) };
	if (!levels->results)
		return -EIO;
	if (sort(run, levels) == 0)
		return 0;
	run_error(run, STATUS_FAILED, "out of memory");
	return -ENOMEM;
}

void levels_clear(struct levels *levels)
{
	isst_results_free(levels->results);
	free(levels->first);
	free(levels->count);
	*levels = (struct levels){ 0 };
}

size_t levels_count(const struct levels *levels, const struct unit *unit)
{
	return levels->count[unit->slot];
}

const struct isst_result *levels_get(const struct levels *levels, const struct unit *unit,
				     size_t index)
{
	if (index >= levels_count(levels, unit))
		return NULL;
	return isst_results_at(levels->results, levels->first[unit->slot] + index);
}

bool levels_may_have(const struct run *run, const struct levels *levels, int feature_state)
{
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *level = levels_get(levels, unit, 0);

		if (!isst_domain_is_io(unit->domain) &&
		    (!level || value_of(level, feature_state) != ISST_FEATURE_UNSUPPORTED))
			return true;
	}
	return false;
}

const struct isst_result *levels_current(const struct levels *levels, const struct unit *unit)
{
	const struct isst_result *level;
	size_t i = 0;

	while ((level = levels_get(levels, unit, i)) != NULL &&
	       value_of(level, ISST_VALUE_LEVEL) != value_of(level, ISST_VALUE_CURRENT_LEVEL))
		i++;
	return level;
}

const struct isst_result *levels_summary(const struct levels *levels, const struct unit *unit)
{
	return isst_results_at(levels->results, levels->first[unit->slot]);
}
