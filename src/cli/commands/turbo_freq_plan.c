/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/handlers.h"
#include "../run/levels.h"

static void report_use(struct run *run, struct report_node *node, const struct isst_result *level,
		       unsigned int cores)
{
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS), used = 0;
	struct report_node *next;

	report_number(node, KEY_CHOSEN_CORES, cores);
	while (used < buckets && bucket_cores(level, used) < cores)
		used++;
	if (used < buckets) {
		report_number(node, KEY_USED_BUCKET, used);
		report_value_at(node, KEY_STATUS_HIGH_MAX, level, ISST_VALUE_TURBO_FREQ_HIGH_MHZ, 0,
				used);
	} else {
		report_message(run->report, ENTRY_NOTE,
			       "package %u: %u %s are more than the last bucket holds: their "
			       "turbo frequencies may be lower",
			       isst_domain_package(isst_result_domain(level)), cores,
			       run_cores_word(run));
	}
	if (used + 1 >= buckets)
		return;
	next = report_branch(node, KEY_NEXT_BUCKET, used + 1);
	report_number(next, KEY_FURTHER_CORES, bucket_cores(level, used + 1) - cores);
	bucket_report(run, next, level, used + 1);
}

static void show_level(struct run *run, const struct unit *unit, const struct isst_result *level,
		       const struct cores *all)
{
	const struct report_step path[] = { { &keys[KEY_PACKAGE], unit->place.package } };
	struct report_node *node = report_branch(report_unit(run->report, path, 1), KEY_LEVEL,
						 value_of(level, ISST_VALUE_LEVEL));
	unsigned int cores = core_choice_count(run, unit->place.package);

	buckets_report(run, node, level);
	/* A package without chosen cores is not changed. */
	if (cores > 0 || !run->chosen)
		level_report_types(run, report_branch(node, KEY_CLIP_FREQUENCIES, 0),
				   KEY_LOW_MAX_FREQUENCY, level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 0,
				   -1);
	level_turbo_report(all, node, level);
	if (cores > 0)
		report_use(run, node, level, cores);
}

static const struct isst_result *level_with_buckets(struct run *run, const struct levels *levels,
						    const struct unit *unit)
{
	const struct isst_result *level = levels_get(levels, unit, 0);

	if (!level || !unit->first || isst_domain_is_io(unit->domain))
		return NULL;
	if (value_of(level, ISST_VALUE_TURBO_FREQ_STATE) == ISST_FEATURE_UNSUPPORTED)
		run_unsupported(run, "turbo-freq feature is not present at this level %u (%s): %s",
				value_of(level, ISST_VALUE_LEVEL), isst_domain_name(unit->domain),
				value_of(level, ISST_VALUE_HIGHEST_LEVEL) > 0
					? "isst levels prints which ones have it"
					: "there is no other level");
	level_failures(run, level);
	return turbo_freq_is_known(level) && value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS) > 0
		       ? level
		       : NULL;
}

/** Buckets are the package's: those of a level are shown once, not for each power domain. */
static bool is_shown(const struct run *run, const struct levels *levels, size_t i)
{
	const struct unit *units = run->targets.units;
	const struct isst_result *level = levels_get(levels, &units[i], 0), *other;

	for (size_t j = 0; j < i; j++) {
		other = levels_get(levels, &units[j], 0);
		if (other && units[j].place.package == units[i].place.package &&
		    value_of(other, ISST_VALUE_TURBO_FREQ_BUCKETS) > 0 &&
		    value_of(other, ISST_VALUE_LEVEL) == value_of(level, ISST_VALUE_LEVEL))
			return true;
	}
	return false;
}

static void show_levels(struct run *run, const struct levels *levels, const struct cores *all)
{
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct isst_result *level = level_with_buckets(run, levels, unit);

		if (level && !is_shown(run, levels, i))
			show_level(run, unit, level, all);
	}
}

void turbo_freq_plan(struct run *run)
{
	bool choice = request_has(run->request, OPTION_HIGH_PRIORITY);
	struct levels levels = { 0 };
	struct cores all = { 0 };

	if (!run->request->reference)
		report_make_screen(run->report, false);
	if (choice && !core_choice_make(run))
		return;
	if (cores_find(run, &all) == 0 &&
	    levels_read(run, LEVELS_CURRENT,
			ISST_READ_LEVELS_TURBO_FREQ | ISST_READ_LEVELS_PROPERTIES, &levels) == 0)
		show_levels(run, &levels, &all);
	levels_clear(&levels);
	cores_clear(&all);
	if (choice && run->status == STATUS_DONE)
		core_choice_report(run);
}
