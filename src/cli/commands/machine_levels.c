/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/handlers.h"
#include "../run/levels.h"
#include "../status/machine_status.h"

/** The same level of the other domains of a package has cores, too. */
static void report_cores(const struct run *run, const struct levels *levels,
			 const struct cores *cores, struct report_node *node,
			 const struct isst_result *level)
{
	unsigned int package = isst_domain_package(isst_result_domain(level));
	unsigned int count = 0, units = 0;
	bool known = cores->complete;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *other;

		for (size_t j = 0; (other = levels_get(levels, unit, j)) != NULL; j++)
			if (unit->place.package == package && !isst_domain_is_io(unit->domain) &&
			    value_of(other, ISST_VALUE_LEVEL) == value_of(level, ISST_VALUE_LEVEL))
				known = level_count_cores(cores, other, &count, &units) && known;
	}
	if (known)
		report_number(node, KEY_LEVEL_CORES, count);
	else
		report_unknown(node, KEY_LEVEL_CORES);
}

static void report_state_of(struct report_node *node, const struct isst_result *level)
{
	static const char *const WORDS[2][2] = { { "allowed", "locked" },
						 { "current", "current, locked" } };
	bool current = value_of(level, ISST_VALUE_LEVEL) ==
		       value_of(level, ISST_VALUE_CURRENT_LEVEL);

	if (!has_value(level, ISST_VALUE_CURRENT_LEVEL) || !has_value(level, ISST_VALUE_LOCKED)) {
		report_unknown(node, KEY_LEVEL_STATE);
		return;
	}
	report_standing(node, current);
	report_word(node, KEY_LEVEL_STATE, WORDS[current][value_of(level, ISST_VALUE_LOCKED)]);
}

/** Whether a level is known not to have a feature, even if the rest of it could not be read. */
static bool is_unsupported(const struct isst_result *level, int feature_state)
{
	return has_value(level, feature_state) &&
	       value_of(level, feature_state) == ISST_FEATURE_UNSUPPORTED;
}

static void report_level(const struct run *run, const struct levels *levels,
			 const struct cores *cores, struct report_node *unit,
			 const struct isst_result *level)
{
	struct report_node *node = report_branch(unit, KEY_LEVEL,
						 value_of(level, ISST_VALUE_LEVEL));

	report_state_of(node, level);
	report_cores(run, levels, cores, node, level);
	report_base_frequency(node, level);
	report_value(node, KEY_BASE_FREQUENCY_AVX512, level, ISST_VALUE_BASE_AVX512_MHZ);
	report_value(node, KEY_BASE_FREQUENCY_AMX, level, ISST_VALUE_BASE_AMX_MHZ);
	report_value(node, KEY_POWER, level, ISST_VALUE_TDP_W);
	report_value(node, KEY_TJUNCTION_MAX, level, ISST_VALUE_TJUNCTION_C);
	level_turbo_report(cores, node, level);
	if (!is_unsupported(level, ISST_VALUE_BASE_FREQ_STATE)) {
		report_value(node, KEY_HIGH_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_HIGH_MHZ);
		report_value(node, KEY_LOW_BASE_FREQUENCY, level, ISST_VALUE_BASE_FREQ_LOW_MHZ);
	}
	if (!is_unsupported(level, ISST_VALUE_TURBO_FREQ_STATE))
		buckets_report(run, node, level);
}

static bool report_unit_levels(struct run *run, const struct levels *levels,
			       const struct cores *cores, const struct unit *unit)
{
	const struct isst_result *level;
	struct report_node *node = NULL;

	for (size_t i = 0; (level = levels_get(levels, unit, i)) != NULL; i++) {
		level_failures(run, level);
		if (isst_domain_is_io(unit->domain) || !level_is_known(level))
			continue;
		if (!node)
			node = unit_report(unit, run->context, run->report);
		report_level(run, levels, cores, node, level);
	}
	return node || isst_domain_is_io(unit->domain);
}

void machine_levels(struct run *run)
{
	bool whole = !run->targets.named;
	struct levels levels = { 0 };
	struct cores cores = { 0 };

	if (machine_status_find(run) && cores_find(run, &cores) == 0 &&
	    levels_read(run, LEVELS_ALL, ISST_READ_LEVELS_ALL, &levels) == 0) {
		level_choice_report(run, &levels);
		for (size_t i = 0; i < run->targets.unit_count; i++)
			whole = report_unit_levels(run, &levels, &cores, &run->targets.units[i]) &&
				whole;
	}
	report_make_screen(run->report, whole);
	levels_clear(&levels);
	cores_clear(&cores);
}
