/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses and reads the performance levels that a command is about; must not know what is shown of
 * them.
 */
#include "levels.h"

#include "../../common/numbered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

	if (!run_result(run, summary, true))
		return false;
	if (!request_has(run->request, OPTION_LEVEL) || !is_beyond(result))
		return true;
	run_result(run, failure, true);
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
	run_no_memory(run);
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

void level_choice_report(struct run *run, const struct levels *levels)
{
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct isst_result *summary = levels_summary(levels, &run->targets.units[i]);

		if (!summary || isst_result_error(summary, ISST_PART_PERF_PROFILE) ||
		    (value_of(summary, ISST_VALUE_ENABLED) &&
		     value_of(summary, ISST_VALUE_HIGHEST_LEVEL) > 0))
			return;
	}
	report_state(report_unit(run->report, NULL, 0), KEY_LEVEL_CHOICE, false);
}

/* ---- The CPUs of a level ---- */

struct isst_config *levels_compare_cpus(struct isst_context *context,
					const struct isst_targets *targets, unsigned int flags)
{
	static const char BY_LEVEL[] = "cpus by-level";
	struct isst_config *config = isst_config_new();
	int error = config ? isst_config_add_text(config, "", BY_LEVEL, strlen(BY_LEVEL), 0)
			   : -ENOMEM;

	isst_config_set_targets(config, targets);
	if (!error)
		error = isst_config_check(config, context, flags);
	isst_config_set_targets(config, NULL);
	if (!error)
		return config;
	isst_config_free(config);
	return NULL;
}

static void note_cpus(struct run *run, const struct isst_cpuset *cpus, const char *state,
		      const char *remedy)
{
	bool one = isst_cpuset_count(cpus) == 1;
	char *names = name_numbers("CPU", cpus);

	if (!names)
		run_no_memory(run);
	else if (isst_cpuset_count(cpus) > 0) {
		report_message(run->report, ENTRY_NOTE, "%s %s %s: %s", names, one ? "is" : "are",
			       state, remedy);
		report_code(run->report, isst_warning_code_name(ISST_WARNING_CPUS_LEFT_OUT));
	}
	free(names);
}

bool levels_note_cpus(struct run *run, unsigned int flags, const char *remedy)
{
	struct isst_targets *targets = domain_targets(run);
	struct isst_config *compared = targets ? levels_compare_cpus(run->context, targets, flags)
					       : NULL;
	struct isst_cpuset *on = isst_cpuset_new(), *off = isst_cpuset_new(), *isolated = NULL;
	const struct isst_config_difference *difference;
	unsigned int cpu;
	int error = on && off ? 0 : -ENOMEM;
	bool known = compared;

	/* Those of --cgroupv2 are as good as offline; without partitions there are none. */
	if (isst_config_difference_at(compared, 0))
		(void)isst_cpus_by_name(run->context, "isolated", 0, &isolated);
	for (size_t i = 0; (difference = isst_config_difference_at(compared, i)) != NULL; i++)
		isst_cpuset_for_each (cpu, isst_config_difference_cpus(difference))
			if (!error && !isst_cpuset_has(isolated, cpu))
				error = isst_cpuset_add(
					isst_cpuset_has(isst_online_cpus(run->context), cpu) ? on
											     : off,
					cpu, cpu);
	if (error)
		run_no_memory(run);
	note_cpus(run, on, "online, though not enabled by the level", remedy);
	note_cpus(run, off, "offline, though enabled by the level", remedy);
	isst_cpuset_free(on);
	isst_cpuset_free(off);
	isst_cpuset_free(isolated);
	isst_config_free(compared);
	isst_targets_free(targets);
	return known;
}
