/* SPDX-License-Identifier: BSD-3-Clause */
#include "../../common/memory_stream.h"
#include "../process/xalloc.h"
#include "../run/change.h"
#include "../run/handlers.h"
#include "../run/levels.h"
#include "../run/reading.h"

#include <stdlib.h>
#include <string.h>

/* ---- plan ---- */

static void report_use(struct run *run, struct report_node *node, const struct isst_result *level,
		       unsigned int cores)
{
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);
	unsigned int used = bucket_of(level, cores);
	struct report_node *next;

	report_number(node, KEY_CHOSEN_CORES, cores);
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

static void show_buckets(struct run *run, const struct unit *unit, const struct isst_result *level,
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

static void show_plan(struct run *run, const struct levels *levels, const struct cores *all)
{
	for_each_unit (unit, &run->targets) {
		const struct isst_result *level = levels_get(levels, unit, 0), *other;
		bool shown = false;

		if (!level || !unit->first || isst_domain_is_io(unit->domain))
			continue;
		if (value_of(level, ISST_VALUE_TURBO_FREQ_STATE) == ISST_FEATURE_UNSUPPORTED)
			run_unsupported(
				run, "turbo-freq feature is not present at this level %u (%s): %s",
				value_of(level, ISST_VALUE_LEVEL), isst_domain_name(unit->domain),
				value_of(level, ISST_VALUE_HIGHEST_LEVEL) > 0
					? "isst levels prints which ones have it"
					: "there is no other level");
		level_failures(run, level);
		if (!turbo_freq_is_known(level) ||
		    value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS) == 0)
			continue;
		/* Buckets are the package's: those of a level are shown once, not for each power
		 * domain. */
		for (const struct unit *before = run->targets.units; before < unit; before++) {
			other = levels_get(levels, before, 0);
			shown |= other && before->place.package == unit->place.package &&
				 value_of(other, ISST_VALUE_TURBO_FREQ_BUCKETS) > 0 &&
				 value_of(other, ISST_VALUE_LEVEL) ==
					 value_of(level, ISST_VALUE_LEVEL);
		}
		if (!shown)
			show_buckets(run, unit, level, all);
	}
}

void turbo_freq_plan(struct run *run)
{
	bool choice = request_has(run->request, OPTION_HIGH_PRIORITY);
	struct levels levels;
	struct cores all;

	if (!run->request->reference)
		report_make_screen(run->report, false);
	if (choice && !run_choose_cores(run))
		return;
	cores_find(run, &all);
	if (run_read_levels(run, LEVELS_CURRENT, ISST_LEVELS_TURBO_FREQ | ISST_LEVELS_PROPERTIES,
			    &levels) == 0)
		show_plan(run, &levels, &all);
	levels_note_offline_parts(run);
	levels_clear(&levels);
	cores_clear(&all);
	if (choice && run->status == STATUS_DONE)
		core_choice_report(run);
}

/* ---- turbo-mode ---- */

/** Scripts that know the reference tool may rely on its change of all CPUs. */
bool turbo_mode_check(struct run *run)
{
	if (run->request->reference && run->cpus)
		report_message(run->report, ENTRY_NOTE,
			       "turbo-mode %s changes only the CPUs that --cpu names; the kernel "
			       "tree's tool ignores --cpu, and changes all",
			       run->request->command->name);
	return true;
}

/* ---- SST-BF ---- */

/** Reports a level without a feature, or that could not be read. Returns whether there is
 * something to show. @feature: a unit with CPUs may have it; @known: something could be read */
static bool can_show(struct run *run, const struct unit *unit, const struct isst_result *level,
		     int state, bool feature, bool known)
{
	const char *name = state == ISST_VALUE_BASE_FREQ_STATE ? "base-freq" : "turbo-freq";

	if (unit->first && value_of(level, state) == ISST_FEATURE_UNSUPPORTED)
		run_unsupported(run,
				"%s feature is not present at this level %u (%s). Failed to "
				"get %s info",
				name, value_of(level, ISST_VALUE_LEVEL),
				isst_domain_name(unit->domain), name);
	if (unit->first)
		level_failures(run, level);
	return known && (feature || !isst_domain_is_io(unit->domain));
}

/** Why nothing can be shown of the current level of a unit. */
static struct failure level_failure(const struct levels *levels, const struct unit *unit, int part)
{
	const struct isst_result *level = levels_get(levels, unit, 0);
	struct failure failure;

	if (!level)
		return failure_of(levels_summary(levels, unit), ISST_PART_PERF_PROFILE);
	failure = failure_of(level, ISST_PART_RESULT);
	return failure.error ? failure : failure_of(level, part);
}

/** The current levels of the run's domains, for notes alone: what cannot be read is not noted. */
static struct isst_results *read_for_note(struct run *run, unsigned int parts)
{
	struct isst_targets *targets = domain_targets(run);
	struct isst_results *results = NULL;

	(void)isst_read(run->context, ISST_READ_LEVELS, targets, NULL, parts | ISST_LEVELS_CURRENT,
			&results);
	isst_targets_free(targets);
	return results;
}

/** What enabling costs on a preset platform. Scripts of the reference tool do not know the line. */
void base_freq_announce(struct run *run)
{
	struct isst_results *results = NULL;
	const struct isst_result *level;
	unsigned int high, low;

	if (!run->request->reference && isst_platform_fact(run->context, ISST_FACT_PRESET) > 0)
		results = read_for_note(run, ISST_LEVELS_BASE_FREQ);
	for (size_t i = 0; (level = isst_results_at(results, i)) != NULL; i++)
		if (isst_result_value(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ, &high) == 0 &&
		    isst_result_value(level, ISST_VALUE_BASE_FREQ_LOW_MHZ, &low) == 0)
			report_message(run->report, ENTRY_NOTE,
				       "%s: enable only limits each CPU to the base frequency that "
				       "the BIOS has configured: those of high priority run at %u "
				       "MHz, others at %u MHz, none reaches turbo (base-freq "
				       "disable removes the limits)",
				       isst_domain_name(isst_result_domain(level)), high, low);
	isst_results_free(results);
}

void base_freq_info(struct run *run)
{
	struct levels levels;

	if (run_read_levels(run, LEVELS_CURRENT, ISST_LEVELS_BASE_FREQ, &levels) == 0) {
		bool feature = levels_may_have(run, &levels, ISST_VALUE_BASE_FREQ_STATE);

		for_each_unit (unit, &run->targets) {
			const struct isst_result *level = levels_get(&levels, unit, 0);

			if (!level || !can_show(run, unit, level, ISST_VALUE_BASE_FREQ_STATE,
						feature, base_freq_is_known(level))) {
				report_unread(run, unit,
					      level_failure(&levels, unit, ISST_PART_BASE_FREQ),
					      KEY_BASE_FREQ_PROPERTIES, NULL);
				continue;
			}
			/* Without SST-BF set up by the BIOS all CPUs look like high priority ones.
			 */
			if (unit->first && isst_platform_fact(run->context, ISST_FACT_PRESET) > 0 &&
			    value_of(level, ISST_VALUE_BASE_FREQ_HIGH_MHZ) ==
				    value_of(level, ISST_VALUE_BASE_FREQ_LOW_MHZ))
				report_message(run->report, ENTRY_NOTE,
					       "%s: all CPUs have the same base frequency: the "
					       "BIOS has not set up base-freq",
					       isst_domain_name(unit->domain));
			base_freq_report(unit_report(run, unit), level, run->context);
		}
	}
	levels_clear(&levels);
}

/* ---- SST-TF ---- */

static bool read_filter(struct run *run, struct turbo_freq_filter *filter)
{
	/* The words that name a type on every machine, by its number. */
	static const char *const common_types[] = { "sse", "avx2", "avx512" };
	const char *name = request_text(run->request, OPTION_TRL_TYPE);
	struct memory_stream memory;
	char *known;

	*filter = (struct turbo_freq_filter){ -1, -1 };
	if (request_has(run->request, OPTION_BUCKET))
		filter->bucket = (int)request_number(run->request, OPTION_BUCKET);
	if (!name)
		return true;
	xcall(memory_stream_open(&memory));
	for (unsigned int type = 0;
	     type < (unsigned int)isst_platform_fact(run->context, ISST_FACT_TRL_TYPES); type++) {
		const char *here = isst_trl_type_name(run->context, type);

		if (!here)
			continue;
		if (filter->trl_type < 0 &&
		    (strcmp(here, name) == 0 ||
		     (type < sizeof(common_types) / sizeof(common_types[0]) &&
		      strcmp(common_types[type], name) == 0)))
			filter->trl_type = (int)type;
		fprintf(memory.stream, "%s%s", type > 0 ? ", " : "", here);
	}
	known = xcheck(memory_stream_text(&memory));
	if (filter->trl_type < 0)
		run_error(run, STATUS_UNSUPPORTED,
			  "option --trl-type: this machine has no type '%s', only %s", name, known);
	free(known);
	return filter->trl_type >= 0;
}

/** A domain without CPUs has clip frequencies, which are of no bucket. */
static bool has_only_clips(const struct isst_result *level)
{
	unsigned int cpu;

	return value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS) == 0 &&
	       !isst_cpuset_next(isst_domain_online_cpus(isst_result_domain(level)), 0, &cpu);
}

static void show_level(struct run *run, const struct unit *unit, const struct isst_result *level,
		       struct turbo_freq_filter filter)
{
	unsigned int buckets = value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);
	char existing[48] = "no buckets exist";

	if (filter.bucket < (int)buckets || has_only_clips(level)) {
		turbo_freq_report(run, unit_report(run, unit), level, filter);
		return;
	}
	if (!unit->first || isst_result_error(level, ISST_PART_TURBO_FREQ))
		return;
	if (buckets > 0)
		snprintf(existing, sizeof(existing), "buckets 0 to %u exist", buckets - 1);
	run_unsupported(run, "Invalid bucket %d at level %u (%s): %s", filter.bucket,
			value_of(level, ISST_VALUE_LEVEL), isst_domain_name(unit->domain),
			existing);
}

void turbo_freq_info(struct run *run)
{
	struct turbo_freq_filter filter;
	struct levels levels;

	if (!read_filter(run, &filter))
		return;
	if (run_read_levels(run, LEVELS_CURRENT, ISST_LEVELS_TURBO_FREQ, &levels) == 0) {
		bool feature = levels_may_have(run, &levels, ISST_VALUE_TURBO_FREQ_STATE);
		bool bucket = filter.bucket < 0;
		const struct isst_result *level;

		for_each_unit (unit, &run->targets)
			if ((level = levels_get(&levels, unit, 0)) != NULL)
				bucket |= filter.bucket <
					  (int)value_of(level, ISST_VALUE_TURBO_FREQ_BUCKETS);
		for_each_unit (unit, &run->targets) {
			level = levels_get(&levels, unit, 0);
			/* Frequencies beside a bucket that is nowhere would be no answer. */
			if (level && (bucket || !has_only_clips(level)) &&
			    can_show(run, unit, level, ISST_VALUE_TURBO_FREQ_STATE, feature,
				     turbo_freq_is_known(level)))
				show_level(run, unit, level, filter);
			else
				report_unread(run, unit,
					      level_failure(&levels, unit, ISST_PART_TURBO_FREQ),
					      KEY_TURBO_FREQ_PROPERTIES, NULL);
		}
	}
	levels_clear(&levels);
}

/** CPUs are the high priority ones with --auto, which alone configures classes. */
static void fill_enable_request(const struct run *run, struct isst_request *request)
{
	const struct isst_cpuset *high = run->chosen ? run->chosen : run->cpus;

	if (high && request_has(run->request, OPTION_AUTO))
		xcall(isst_request_set_cpus(request, ISST_VALUE_HIGH_PRIORITY_CPUS, high));
}

/** Classes stay as they are without --auto: whether they favour any CPU of the packages. */
static void note_classes(struct run *run)
{
	struct isst_cpuset *high;
	int error = isst_cpus_by_name(run->context, "high-priority", 0, &high);
	bool any = false, all = true;
	unsigned int number;

	isst_cpuset_for_each (number, isst_online_cpus(run->context)) {
		const struct isst_cpu *cpu = isst_cpu_by_number(run->context, number);
		bool of_run = false;

		for (size_t i = 0; cpu && i < run->targets.domain_count; i++)
			of_run |= isst_domain_package(run->targets.domains[i]) ==
				  isst_domain_package(isst_cpu_domain(cpu));
		any |= of_run && isst_cpuset_has(high, number);
		all &= !of_run || isst_cpuset_has(high, number);
	}
	isst_cpuset_free(high);
	/* What cannot be read is not known. */
	if (error || (any && !all))
		return;
	report_message(run->report, ENTRY_NOTE,
		       "no CPU is favoured: %s in CLOS 0 or 1 (core-power get-assoc); turbo-freq "
		       "enable --auto --high-priority CORES/package favours some",
		       any ? "all are" : "none is");
	report_code(run->report, isst_message_code_name(ISST_MESSAGE_NO_HIGH_PRIORITY_CPUS));
}

/** What the choice of high priority cores costs the others. */
static void announce_low_priority(struct run *run)
{
	struct isst_results *results = read_for_note(run, ISST_LEVELS_TURBO_FREQ);
	unsigned int package, before = 0, mhz;
	const struct isst_result *level;
	bool any = false;

	for (size_t i = 0; (level = isst_results_at(results, i)) != NULL; i++) {
		package = isst_domain_package(isst_result_domain(level));
		if ((any && package == before) ||
		    isst_result_value_at(level, ISST_VALUE_TURBO_FREQ_CLIP_MHZ, 0, 0, &mhz) != 0)
			continue;
		any = true;
		before = package;
		report_message(run->report, ENTRY_NOTE,
			       "package %u: the other %s reach at most %u MHz while turbo-freq is "
			       "enabled",
			       package, run_cores_word(run), mhz);
	}
	isst_results_free(results);
}

/** Without --cpu and --high-priority no core gets high priority: the library warns of that. */
void turbo_freq_enable(struct run *run)
{
	bool automatic = request_has(run->request, OPTION_AUTO);

	if (request_has(run->request, OPTION_HIGH_PRIORITY)) {
		if (!run_choose_cores(run))
			return;
		core_choice_keep_packages(run);
	}
	change_machine(run, &(struct change_command){
				    .add = ISST_SET_TURBO_FREQ,
				    .flags = ISST_ADD_ENABLE,
				    .value = ISST_VALUE_TURBO_RATIO_LIMITS,
				    .option = OPTION_LIMITS,
				    .fill = fill_enable_request,
				    .announce = run->chosen ? announce_low_priority : NULL,
				    .feature = KEY_TURBO_FREQ,
				    .result = KEY_ENABLE,
				    .extra_result = automatic ? KEY_TURBO_FREQ_AUTO : 0 });
	if (run->chosen && run->status == STATUS_DONE)
		core_choice_report(run);
	if (!automatic && run->status == STATUS_DONE && run_is_change(run))
		note_classes(run);
}
