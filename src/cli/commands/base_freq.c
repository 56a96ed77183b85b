/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/handlers.h"
#include "../run/levels.h"

/** @feature: a unit with CPUs may have it */
static void show_level(struct run *run, const struct unit *unit, const struct isst_result *level,
		       bool feature)
{
	if (unit->first && value_of(level, ISST_VALUE_BASE_FREQ_STATE) == ISST_FEATURE_UNSUPPORTED)
		run_unsupported(run,
				"base-freq feature is not present at this level %u (%s). Failed to "
				"get base-freq info",
				value_of(level, ISST_VALUE_LEVEL), isst_domain_name(unit->domain));
	if (unit->first)
		level_failures(run, level);
	if (!base_freq_is_known(level) || (!feature && isst_domain_is_io(unit->domain)))
		return;
	/* Without SST-BF set up by the BIOS all CPUs look like high priority ones. */
	if (unit->first && isst_platform_fact(run->context, ISST_FACT_PRESET) > 0 &&
	    value_of(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ) ==
		    value_of(level, ISST_VALUE_BASE_FREQ_LOW_MHZ))
		report_message(run->report, ENTRY_NOTE,
			       "%s: all CPUs have the same base frequency: the BIOS has not set up "
			       "base-freq",
			       isst_domain_name(unit->domain));
	base_freq_report(unit_report(unit, run->context, run->report), level, run->context);
}

void base_freq_info(struct run *run)
{
	struct levels levels;

	if (levels_read(run, LEVELS_CURRENT, ISST_READ_LEVELS_BASE_FREQ, &levels) == 0) {
		bool feature = levels_may_have(run, &levels, ISST_VALUE_BASE_FREQ_STATE);

		for (size_t i = 0; i < run->targets.unit_count; i++) {
			const struct unit *unit = &run->targets.units[i];
			const struct isst_result *level = levels_get(&levels, unit, 0);

			if (level)
				show_level(run, unit, level, feature);
		}
	}
	levels_clear(&levels);
}
