/* SPDX-License-Identifier: BSD-3-Clause */
/* What `status --watch` reads of levels once, as long as they are the same. Must not know output
 * formats. */
#include "level_memory.h"

#include "machine_status.h"

#include <stdlib.h>

struct level_memory *level_memory_new(void)
{
	return calloc(1, sizeof(struct level_memory));
}

void level_memory_free(struct level_memory *memory)
{
	if (!memory)
		return;
	isst_results_free(memory->properties);
	isst_results_free(memory->buckets);
	free(memory);
}

/* ---- What is kept ---- */

static bool is_complete(const struct isst_result *result)
{
	static const int PARTS[] = { ISST_PART_RESULT, ISST_PART_PERF_PROFILE, ISST_PART_BASE_FREQ,
				     ISST_PART_TURBO_FREQ };

	for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
		if (isst_result_error(result, PARTS[i]))
			return false;
	return has_value(result, ISST_VALUE_LEVEL);
}

/** Whether a result is of the level that its domain has now. */
static bool is_current(const struct isst_results *now, const struct isst_result *result)
{
	const struct isst_result *level;

	for (size_t i = 0; (level = isst_results_at(now, i)) != NULL; i++)
		if (isst_result_domain(level) == isst_result_domain(result))
			return has_value(level, ISST_VALUE_LEVEL) &&
			       value_of(level, ISST_VALUE_LEVEL) ==
				       value_of(result, ISST_VALUE_LEVEL);
	return false;
}

static bool are_current(const struct machine_status *status,
			bool (*wanted)(const struct domain_status *domain),
			const struct isst_results *kept)
{
	size_t next = 0;

	for (size_t i = 0; i < status->domain_count; i++) {
		const struct isst_result *result;

		if (!wanted(&status->domains[i]))
			continue;
		result = isst_results_at(kept, next++);
		if (!result || isst_result_domain(result) != status->domains[i].domain ||
		    !is_complete(result) || !is_current(status->levels.results, result))
			return false;
	}
	return next == isst_results_count(kept);
}

void status_keep_levels(struct machine_status *status, unsigned int parts,
			bool (*wanted)(const struct domain_status *domain),
			struct isst_results **kept)
{
	if (*kept && are_current(status, wanted, *kept))
		return;
	isst_results_free(*kept);
	*kept = status_read(status, isst_read_levels, ISST_READ_LEVELS_CURRENT | parts, wanted);
}

/* ---- The levels of all domains ---- */

static bool is_any(const struct domain_status *domain)
{
	return domain->domain != NULL;
}

int status_read_levels(struct machine_status *status, enum level_choice choice, unsigned int parts)
{
	struct run *run = status->run;
	int error;

	if (!run->level_memory || !parts)
		return levels_read(run, choice, parts, &status->levels);
	error = levels_read(run, choice, 0, &status->levels);
	if (error)
		return error;
	status_keep_levels(status, parts, is_any, &run->level_memory->properties);
	status->properties = run->level_memory->properties;
	return 0;
}

const struct isst_result *status_properties(const struct machine_status *status,
					    const struct unit *unit)
{
	const struct isst_result *result = levels_get(&status->levels, unit, 0);

	if (!result || !status->properties)
		return result;
	for (size_t i = 0; (result = isst_results_at(status->properties, i)) != NULL; i++)
		if (isst_result_domain(result) == unit->domain)
			break;
	return result;
}
