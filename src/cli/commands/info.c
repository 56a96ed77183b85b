/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/handlers.h"
#include "../run/levels.h"

#include <string.h>

/** Of a package: numbers alone, which are compared as bytes. */
struct summary {
	unsigned int known; /* the level summary could be read */
	unsigned int enabled, locked, highest_level;
	/* ISST_FEATURE_ENABLED stands for supported, whether on or off */
	unsigned int turbo_freq, base_freq, core_power;
};

void report_platform(struct report_node *node, struct isst_context *context)
{
	report_number(node, KEY_API_VERSION,
		      (unsigned int)isst_platform_fact(context, ISST_FACT_API_VERSION));
	report_number(node, KEY_DRIVER_VERSION,
		      (unsigned int)isst_platform_fact(context, ISST_FACT_DRIVER_VERSION));
	report_state(node, KEY_MBOX_SUPPORTED, isst_platform_fact(context, ISST_FACT_MAILBOX) > 0);
	report_state(node, KEY_MMIO_SUPPORTED, isst_platform_fact(context, ISST_FACT_MMIO) > 0);
}

static const char *const support[] = {
	[ISST_FEATURE_UNKNOWN] = "unknown",
	[ISST_FEATURE_UNSUPPORTED] = "unsupported",
	[ISST_FEATURE_DISABLED] = "supported",
	[ISST_FEATURE_ENABLED] = "supported",
};

/** The state of a feature over levels: supported if any has it, unknown before unsupported. */
static void merge_state(unsigned int *state, unsigned int level)
{
	if (level >= ISST_FEATURE_DISABLED)
		*state = ISST_FEATURE_ENABLED;
	else if (level == ISST_FEATURE_UNKNOWN && *state == ISST_FEATURE_UNSUPPORTED)
		*state = ISST_FEATURE_UNKNOWN;
}

static void summarise(struct run *run, const struct levels *levels, const struct unit *unit,
		      const struct isst_result *core_power, struct summary *summary)
{
	const struct isst_result *profile = levels_summary(levels, unit), *level;
	struct failure failure;

	summary->known = !isst_result_error(profile, ISST_PART_PERF_PROFILE);
	if (summary->known) {
		summary->enabled = value_of(profile, ISST_VALUE_ENABLED);
		summary->locked = value_of(profile, ISST_VALUE_LOCKED);
		summary->highest_level = value_of(profile, ISST_VALUE_HIGHEST_LEVEL);
	}
	summary->turbo_freq = levels->count[unit->slot] > 0 ? ISST_FEATURE_UNSUPPORTED
							    : ISST_FEATURE_UNKNOWN;
	summary->base_freq = summary->turbo_freq;
	for (size_t i = 0; (level = levels_get(levels, unit, i)) != NULL; i++) {
		if (level_is_missing(level))
			continue;
		failure = failure_of(level, ISST_PART_RESULT);
		run_failure(run, failure);
		merge_state(&summary->turbo_freq, value_of(level, ISST_VALUE_TURBO_FREQ_STATE));
		merge_state(&summary->base_freq, value_of(level, ISST_VALUE_BASE_FREQ_STATE));
	}
	failure = failure_of(core_power, ISST_PART_RESULT);
	run_failure(run, failure);
	if (failure.error)
		summary->core_power = ISST_FEATURE_UNKNOWN;
	else
		summary->core_power = value_of(core_power, ISST_VALUE_CORE_POWER_SUPPORTED)
					      ? ISST_FEATURE_ENABLED
					      : ISST_FEATURE_UNSUPPORTED;
}

static void keep_first_of_packages(struct targets *targets)
{
	size_t kept = 0;

	for (size_t i = 0; i < targets->unit_count; i++) {
		const struct unit *unit = &targets->units[i];
		size_t k = 0;

		while (k < kept && targets->units[k].place.package != unit->place.package)
			k++;
		if (k < kept)
			continue;
		targets->units[kept] = *unit;
		targets->units[kept].slot = kept;
		targets->units[kept].first = true;
		targets->domains[kept++] = unit->domain;
	}
	targets->unit_count = targets->domain_count = kept;
}

static void report_summary(struct report_node *node, const struct summary *summary)
{
	static const enum key_id PROFILE[] = { KEY_INFO_PERF_PROFILE, KEY_INFO_LOCK,
					       KEY_INFO_MAX_LEVEL };

	if (summary->known) {
		report_state(node, KEY_INFO_PERF_PROFILE, summary->enabled);
		report_state(node, KEY_INFO_LOCK, summary->locked);
		report_number(node, KEY_INFO_MAX_LEVEL, summary->highest_level);
	} else {
		for (size_t i = 0; i < sizeof(PROFILE) / sizeof(PROFILE[0]); i++)
			report_unknown(report_v2(node), PROFILE[i]);
	}
	report_word(node, KEY_INFO_TURBO_FREQ, support[summary->turbo_freq]);
	report_word(node, KEY_INFO_BASE_FREQ, support[summary->base_freq]);
	report_word(node, KEY_INFO_CORE_POWER, support[summary->core_power]);
}

/** Text and json have the first package, and what differs from it; json-v2 has each package. */
static void report_packages(struct run *run, const struct levels *levels,
			    const struct isst_results *core_power, struct report_node *top)
{
	struct summary first = { 0 };

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		struct summary summary = { 0 };
		struct report_node *node = top;

		summarise(run, levels, unit, isst_results_at(core_power, i), &summary);
		if (i == 0)
			first = summary;
		if (report_v2(top) || (i > 0 && memcmp(&first, &summary, sizeof(first)) != 0))
			node = report_branch(top, KEY_INFO_PACKAGE, unit->place.package);
		else if (i > 0)
			continue;
		report_summary(node, &summary);
	}
}

void show_info(struct run *run)
{
	struct report_node *top = report_at_top(run->report);
	const struct question question = { .read = ISST_READ_CORE_POWER };
	struct isst_results *core_power;
	struct levels levels;

	report_platform(top, run->context);
	keep_first_of_packages(&run->targets);
	if (run_read_levels(run, LEVELS_ALL, 0, &levels) == 0) {
		core_power = read_targets(run, domain_targets(run), &question);
		if (core_power)
			report_packages(run, &levels, core_power, top);
		/* Scripts of the reference tool do not know the line. */
		if (!run->request->reference)
			level_choice_report(run, &levels);
		isst_results_free(core_power);
	}
	levels_clear(&levels);
}
