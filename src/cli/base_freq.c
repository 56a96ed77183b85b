/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of base-freq: ask the library, fill the report. Must not know output formats. */
#include "change.h"
#include "handlers.h"
#include "levels.h"

#include <stdlib.h>

static void report_not_present(struct run *run, const struct isst_level *level)
{
	run_unsupported(
		run,
		"base-freq feature is not present at this level %u (%s). Failed to get base-freq info",
		level->level, level->domain->name);
}

/** Where the BIOS has a say, it may have said nothing: then all CPUs look like high priority ones.
 */
static void note_not_set_up(struct run *run, const struct isst_level *level)
{
	const struct isst_base_freq *info = &level->base_freq_info;

	if (info->high_mhz.value == info->low_mhz.value)
		report_message(
			run->report, ENTRY_NOTE,
			"%s: all CPUs have the same base frequency: the BIOS has not set up base-freq",
			level->domain->name);
}

static void show_level(struct run *run, const struct unit *unit, const struct isst_level *level)
{
	if (level->base_freq == ISST_FEATURE_UNSUPPORTED && unit->first)
		report_not_present(run, level);
	if (unit->first)
		level_failures(run, level);
	if (level->base_freq < ISST_FEATURE_DISABLED || !base_freq_is_known(&level->base_freq_info))
		return;
	if (unit->first && isst_platform(run->context)->preset)
		note_not_set_up(run, level);
	base_freq_report(unit_report(unit, run->context, run->report), &level->base_freq_info,
			 run->context);
}

void base_freq_info(struct run *run)
{
	struct levels levels;

	if (levels_read(run, LEVELS_CURRENT, ISST_LEVEL_BASE_FREQ, &levels) == 0) {
		for (size_t i = 0; i < run->targets.unit_count; i++) {
			const struct unit *unit = &run->targets.units[i];
			size_t count;
			const struct isst_level *level = levels_of(&levels, unit, &count);

			if (count > 0)
				show_level(run, unit, level);
		}
	}
	levels_clear(&levels);
}

static int plan_enable(struct run *run, struct isst_change *change, struct domain_request *requests,
		       size_t count)
{
	return isst_plan_base_freq(change, requests, count, true,
				   request_has(run->request, OPTION_AUTO));
}

static int plan_disable(struct run *run, struct isst_change *change,
			struct domain_request *requests, size_t count)
{
	return isst_plan_base_freq(change, requests, count, false,
				   request_has(run->request, OPTION_AUTO));
}

void base_freq_enable(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_domains = plan_enable,
						      .feature = KEY_BASE_FREQ,
						      .result = KEY_ENABLE });
}

void base_freq_disable(struct run *run)
{
	change_machine(run, &(struct change_command){ .plan_domains = plan_disable,
						      .feature = KEY_BASE_FREQ,
						      .result = KEY_DISABLE });
}
