/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_status.h"
#include "isst-explain.h"
#include "isst-journal.h"

#include "../../common/judge.h"
#include "../process/xalloc.h"
#include "../run/config.h"
#include "../run/handlers.h"
#include "../text/utc.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Which domains ---- */

/** How many cores have high priority counts by package. */
void machine_status_find(struct run *run)
{
	struct isst_cpuset *packages;

	if (!run->targets.named)
		return;
	packages = xcheck(isst_cpuset_new());
	for_each_unit (unit, &run->targets)
		xcall(isst_cpuset_add(packages, unit->place.package, unit->place.package));
	targets_clear(&run->targets);
	(void)targets_find(run, UNIT_DOMAIN, NULL);
	targets_keep_packages(&run->targets, packages);
	run->targets.named = true;
	isst_cpuset_free(packages);
}

bool firmware_is_asked_by_msr(struct isst_context *context)
{
	return isst_platform_fact(context, ISST_FACT_MAILBOX) > 0 &&
	       isst_platform_fact(context, ISST_FACT_POWER_DOMAINS) == 0 &&
	       isst_platform_fact(context, ISST_FACT_CLOS_EPP) == 0;
}

/** Further rounds leave out packages of isolated CPUs alone: each request would interrupt one.
 * Returns false after an error. */
static bool leave_isolated_alone(struct run *run)
{
	struct isst_cpuset *undisturbed = NULL, *kept, *left_alone;
	unsigned int package;

	if (!run->again || request_has(run->request, OPTION_INCLUDE_ISOLATED) ||
	    !firmware_is_asked_by_msr(run->context))
		return true;
	if (run_call(run, isst_undisturbed_cpus(run->context, &undisturbed)) != 0)
		return false;
	kept = xcheck(isst_cpuset_new());
	left_alone = xcheck(isst_cpuset_new());
	for_each_unit (unit, &run->targets) {
		bool read = domain_has_reader(unit->domain, undisturbed);

		package = unit->place.package;
		xcall(isst_cpuset_add(read ? kept : left_alone, package, package));
	}
	if (isst_cpuset_count(left_alone) > 0)
		targets_keep_packages(&run->targets, kept);
	isst_cpuset_for_each (package, left_alone)
		if (!isst_cpuset_has(kept, package))
			report_message(run->report, ENTRY_NOTE,
				       "package %u is not read again: all of its CPUs are isolated "
				       "or nohz_full, and one would be interrupted for each "
				       "request; --include-isolated reads it",
				       package);
	isst_cpuset_free(undisturbed);
	isst_cpuset_free(kept);
	isst_cpuset_free(left_alone);
	return true;
}

/** Begins the units; with --cpu the lowest CPU that is named stands for each. */
static void begin_units(struct machine_status *status)
{
	struct run *run = status->run;

	for (size_t i = 0; i < status->domain_count; i++) {
		struct unit *unit = &run->targets.units[i];
		struct domain_status *domain = &status->domains[i];
		bool shown = !run->cpus;
		unsigned int cpu;

		domain->domain = unit->domain;
		domain->unit = unit;
		isst_cpuset_for_each (cpu, isst_domain_online_cpus(unit->domain)) {
			if (shown || !is_named(run, cpu))
				continue;
			unit->cpu = cpu;
			shown = true;
		}
		if (shown)
			domain->node = unit_report(run, unit);
	}
}

/* ---- Reading ---- */

/** Counts the cores of each class. */
static void count_classes(struct machine_status *status)
{
	unsigned int cpu;

	for (size_t i = 0; i < status->domain_count; i++) {
		struct domain_status *domain = &status->domains[i];

		for (size_t clos = 0; clos < STATUS_CLASSES; clos++)
			domain->class_cpus[clos] = xcheck(isst_cpuset_new());
		for_each_core (core, &status->cores, domain->domain) {
			bool online = isst_cpuset_count(core->online) > 0;

			domain->has_unknown |= online && core->clos == CLOS_UNKNOWN;
			if (core->clos < 0 || core->clos >= STATUS_CLASSES)
				continue;
			domain->has_assigned |= core->clos > 0;
			domain->high_cores += core->is_first && core->clos <= LAST_HIGH_CLOS;
			domain->online_cores[core->clos] += online;
			isst_cpuset_for_each (cpu, core->online)
				if (is_named(status->run, cpu))
					xcall(isst_cpuset_add(domain->class_cpus[core->clos], cpu,
							      cpu));
		}
	}
}

/** Reads levels, features and classes. @parts: ISST_LEVELS_... Returns false if there is
 * nothing to report; always to be cleared. */
static bool machine_status_read(struct machine_status *status, unsigned int parts)
{
	const struct question question = { .read = ISST_READ_CORE_POWER };
	struct run *run = status->run;

	status->domains = xcalloc(run->targets.domain_count + 1, sizeof(*status->domains));
	status->domain_count = run->targets.domain_count;
	begin_units(status);
	if (status_read_levels(status, parts) != 0)
		return false;
	status->core_power = read_targets(run, domain_targets(run), &question);
	if (!status->core_power)
		return false;
	for (size_t i = 0; i < status->domain_count; i++) {
		struct domain_status *domain = &status->domains[i];
		const struct isst_result *level = levels_get(&status->levels, domain->unit, 0);
		const struct isst_result *core_power = isst_results_at(status->core_power, i);

		if (level) {
			domain->turbo_freq_state = value_of(level, ISST_VALUE_TURBO_FREQ_STATE);
			domain->base_freq_state = value_of(level, ISST_VALUE_BASE_FREQ_STATE);
		}
		domain->core_power = core_power;
		if (!core_power || isst_result_error(core_power, ISST_PART_RESULT))
			continue;
		domain->clos_state = value_of(core_power, ISST_VALUE_CLOS_IN_FORCE);
		if (!value_of(core_power, ISST_VALUE_CORE_POWER_SUPPORTED))
			domain->core_power_state = ISST_FEATURE_UNSUPPORTED;
		else
			domain->core_power_state = value_of(core_power,
							    ISST_VALUE_CORE_POWER_ENABLED)
							   ? ISST_FEATURE_ENABLED
							   : ISST_FEATURE_DISABLED;
	}
	for (size_t i = 0; i < status->cores.count; i++) {
		const struct domain_status *of = status_of_domain(status,
								  status->cores.all[i].domain);

		if (!of || of->core_power_state < ISST_FEATURE_DISABLED)
			status->cores.all[i].clos = CLOS_NONE;
	}
	cores_read_clos(run, &status->cores);
	count_classes(status);
	return true;
}

/* ---- The top ---- */

static const char *interface_of(struct isst_context *context)
{
	bool mailbox = isst_platform_fact(context, ISST_FACT_MAILBOX) > 0;
	bool mmio = isst_platform_fact(context, ISST_FACT_MMIO) > 0;

	if (isst_platform_fact(context, ISST_FACT_PRESET) > 0)
		return "none, pre-configured by the BIOS";
	if (isst_platform_fact(context, ISST_FACT_POWER_DOMAINS) > 0)
		return "TPMI";
	if (mailbox)
		return mmio ? "mailbox and MMIO" : "mailbox";
	return mmio ? "MMIO" : "none";
}

/** The last `config apply` of this boot. */
static void report_last_apply(struct run *run, struct report_node *top)
{
	struct isst_apply_record *last;
	struct report_node *node;
	const char *source;
	char text[UTC_TEXT];
	int error = isst_read_apply_record(run->context, 0, &last);

	if (error == -ENOMEM)
		run_error(run, STATUS_FAILED, "%s", isst_error(run->context));
	else if (error && error != -ENOENT)
		report_message(run->report, ENTRY_NOTE, "%s", isst_error(run->context));
	if (error)
		return;
	node = report_branch(top, KEY_LAST_APPLY, 0);
	report_state(node, KEY_LAST_APPLY_RESULT, isst_apply_record_succeeded(last));
	source = isst_apply_record_source(last);
	report_text(node, KEY_LAST_APPLY_SOURCE, source ? source : "--set");
	if (utc_text((time_t)isst_apply_record_time_s(last), text))
		report_text(node, KEY_LAST_APPLY_TIME, text);
	report_number(node, KEY_LAST_APPLY_TIMESTAMP, (uint64_t)isst_apply_record_time_s(last));
	report_text(node, KEY_LAST_APPLY_SHA256, isst_apply_record_sha256(last));
	isst_apply_record_free(last);
}

/** The limit of intel_pstate for all CPUs. */
static void report_percentage(struct run *run, struct report_node *top)
{
	int max = isst_platform_fact(run->context, ISST_FACT_MAX_PERF_PCT);

	/* A screen has no line for what is as it should be. */
	if (max >= 0) {
		report_number(top, KEY_STATUS_MAX_PERF, (uint64_t)max)->hidden = max == 100;
	} else if (max != -ENODATA) {
		run_call(run, max);
		report_unknown(report_v2(top), KEY_STATUS_MAX_PERF);
	}
}

static void report_top(struct machine_status *status)
{
	struct run *run = status->run;
	struct isst_context *context = run->context;
	struct report_node *top = report_at_top(run->report);
	const char *name = run_processor_name(run), *holder;
	int packages = isst_platform_fact(context, ISST_FACT_PACKAGES);
	int online = isst_platform_fact(context, ISST_FACT_ONLINE_PACKAGES);
	int disabled;

	/* To count them takes memory. */
	if (packages == -ENOMEM || online < 0)
		xalloc_fail(-ENOMEM);
	if (name)
		report_text(top, KEY_STATUS_PROCESSOR, name);
	else
		report_unknown(report_v2(top), KEY_STATUS_PROCESSOR);
	if (packages >= 0)
		report_number(top, KEY_STATUS_PACKAGES, (uint64_t)packages);
	else
		report_unknown(top, KEY_STATUS_PACKAGES);
	/* A screen does not repeat the number. */
	report_number(online != packages || run->complete ? top : report_v2(top),
		      KEY_STATUS_ONLINE_PACKAGES, (uint64_t)online);
	if (status->cores.complete && isst_cpuset_count(status->cores.unplaced) == 0)
		report_number(top, KEY_STATUS_CORES, status->cores.count);
	else
		report_unknown(top, KEY_STATUS_CORES);
	report_number(top, KEY_STATUS_ONLINE_CPUS, isst_cpuset_count(isst_online_cpus(context)));
	report_number(top, KEY_STATUS_PRESENT_CPUS, isst_cpuset_count(isst_present_cpus(context)));
	if (isst_platform_fact(context, ISST_FACT_API_VERSION) == 0) {
		report_word(top, KEY_STATUS_NO_DRIVER, interface_of(context));
	} else {
		report_word(top, KEY_STATUS_INTERFACE, interface_of(context));
		report_number(top, KEY_API_VERSION,
			      (unsigned int)isst_platform_fact(context, ISST_FACT_API_VERSION))
			->hidden = true;
		report_number(top, KEY_DRIVER_VERSION,
			      (unsigned int)isst_platform_fact(context, ISST_FACT_DRIVER_VERSION))
			->hidden = true;
	}
	report_last_apply(run, top);
	if (run->shows_holder && (holder = isst_change_holder(context)) != NULL)
		report_text(top, KEY_STATUS_HOLDER, holder);
	disabled = isst_platform_fact(context, ISST_FACT_TURBO_DISABLED);
	if (disabled >= 0)
		report_state(top, KEY_STATUS_TURBO, !disabled);
	else if (disabled != -ENODATA) {
		run_call(run, disabled);
		report_unknown(report_v2(top), KEY_STATUS_TURBO);
	}
	report_percentage(run, top);
	if (isst_cpuset_count(status->cores.unplaced) > 0)
		report_cpu_ranges(top, KEY_STATUS_UNPLACED, 0, status->cores.unplaced);
}

/* ---- The row of a domain ---- */

static void report_domain(const struct machine_status *status, const struct domain_status *domain)
{
	static const struct shown_value LOCK[] = {
		{ KEY_STATUS_LOCK, ISST_VALUE_LOCKED, SHOW_STATE, 0 }, { .key = KEYS }
	};
	static const struct shown_value PROPERTIES[] = {
		{ KEY_BASE_FREQUENCY, 0, SHOW_BASE, 0 },
		{ KEY_POWER, ISST_VALUE_TDP_W, SHOW_NUMBER, 0 },
		{ .key = KEYS },
	};
	static const struct shown_value PRIORITY[] = {
		{ KEY_PRIORITY_TYPE, ISST_VALUE_PRIORITY, SHOW_PRIORITY, 0 }, { .key = KEYS }
	};
	static const struct {
		enum key_id key;
		int state;
	} FEATURES[] = { { KEY_SST_BASE_FREQ, ISST_VALUE_BASE_FREQ_STATE },
			 { KEY_SST_TURBO_FREQ, ISST_VALUE_TURBO_FREQ_STATE } };
	const struct isst_result *profile = levels_summary(&status->levels, domain->unit);
	const struct isst_result *level = levels_get(&status->levels, domain->unit, 0);
	const struct isst_result *properties = status_properties(status, domain);
	struct failure failure = failure_of(domain->core_power, ISST_PART_RESULT);
	struct report_node *node = domain->node;

	if (isst_result_error(profile, ISST_PART_PERF_PROFILE)) {
		report_unknown(node, KEY_STATUS_LEVEL);
		report_unknown(report_v2(node), KEY_STATUS_HIGHEST_LEVEL);
		report_unknown(node, KEY_STATUS_LOCK);
	} else {
		report_value(node, KEY_STATUS_LEVEL, profile, ISST_VALUE_CURRENT_LEVEL);
		report_number(node, KEY_STATUS_HIGHEST_LEVEL,
			      value_of(profile, ISST_VALUE_ENABLED)
				      ? value_of(profile, ISST_VALUE_HIGHEST_LEVEL)
				      : 0);
		report_values(node, profile, LOCK);
	}
	if (level)
		level_failures(status->run, level);
	/* What has both kinds of failures has the first ones once more. */
	if (level && properties && properties != level &&
	    !isst_result_error(level, ISST_PART_RESULT))
		level_failures(status->run, properties);
	if (properties) {
		report_values(node, properties, PROPERTIES);
	} else {
		report_unknown(node, KEY_BASE_FREQUENCY);
		report_unknown(node, KEY_POWER);
	}
	for (size_t i = 0; i < sizeof(FEATURES) / sizeof(FEATURES[0]); i++) {
		const char *word = level ? feature_state_word(value_of(level, FEATURES[i].state))
					 : NULL;

		if (word)
			report_word(node, FEATURES[i].key, word);
		else
			report_unknown(node, FEATURES[i].key);
	}
	if (failure.error == -EOPNOTSUPP)
		return;
	run_failure(status->run, failure);
	if (domain->core_power_state == ISST_FEATURE_UNKNOWN)
		report_unknown(node, KEY_SST_CORE_POWER);
	else
		report_word(node, KEY_SST_CORE_POWER, feature_state_word(domain->core_power_state));
	if (domain->core_power_state == ISST_FEATURE_ENABLED)
		report_values(node, domain->core_power, PRIORITY);
}

/* ---- What screens leave out: what concerns whole packages ---- */

/** Explains limits of the packages; NULL: failed. What could not be read is reported only if
 * nothing was before. */
static struct isst_explanation *explain_limits(struct run *run)
{
	struct isst_explanation *explanation = NULL;
	struct isst_targets *targets = domain_targets(run);
	const struct isst_message *unread;
	int error;

	if (!targets)
		return NULL;
	error = isst_explain(run->context, targets, NULL, ISST_EXPLAIN_LIMITS, &explanation);
	isst_targets_free(targets);
	if (run->status == STATUS_DONE) {
		if (error < 0)
			run_call(run, error);
		for (size_t i = 0; (unread = isst_explanation_unread_at(explanation, i)); i++)
			run_message_error(run, -EIO, unread);
	}
	return explanation;
}

/** The largest number of the levels in force in a package, or of their summaries. */
static void report_largest(struct machine_status *status, unsigned int package,
			   struct report_node *node, enum key_id key, int id)
{
	unsigned int largest = 0, value;
	bool any = false;

	for (size_t i = 0; i < status->domain_count; i++) {
		const struct unit *unit = status->domains[i].unit;
		const struct isst_result *level = levels_get(&status->levels, unit, 0);

		if (unit->place.package != package || isst_domain_is_io(unit->domain) || !level ||
		    isst_result_value(level, id, &value) != 0)
			continue;
		if (id == ISST_VALUE_HIGHEST_LEVEL && !value_of(level, ISST_VALUE_ENABLED))
			value = 0;
		largest = !any || value > largest ? value : largest;
		any = true;
	}
	if (any && key == KEY_STATUS_LOCK)
		report_state(node, key, largest);
	else if (any)
		report_number(node, key, largest);
}

/** Whether a finding is the first one of a package with its code. */
static bool is_first_of_code(const struct isst_explanation *explanation, size_t index,
			     unsigned int package)
{
	const struct isst_finding *finding = isst_explanation_finding_at(explanation, index),
				  *other;

	for (size_t i = 0; i < index; i++) {
		other = isst_explanation_finding_at(explanation, i);
		if (isst_finding_code(other) == isst_finding_code(finding) &&
		    isst_cpuset_has(isst_finding_packages(other), package))
			return false;
	}
	return true;
}

static void report_package(struct machine_status *status, const struct isst_results *levels,
			   const struct isst_explanation *explanation, unsigned int package)
{
	const struct report_step path = { &keys[KEY_PACKAGE], package };
	struct report_node *node = report_unit(status->run->report, &path, 1);
	const struct isst_finding *finding;
	unsigned int count = 0;

	report_largest(status, package, node, KEY_STATUS_HIGHEST_LEVEL, ISST_VALUE_HIGHEST_LEVEL);
	report_largest(status, package, node, KEY_STATUS_LOCK, ISST_VALUE_LOCKED);
	report_largest(status, package, node, KEY_POWER, ISST_VALUE_TDP_W);
	report_largest(status, package, node, KEY_TJUNCTION_MAX, ISST_VALUE_TJUNCTION_C);
	high_priority_package_report(status, levels, package, node);
	/* Each reason once. */
	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++)
		if (isst_cpuset_has(isst_finding_packages(finding), package) &&
		    is_first_of_code(explanation, i, package))
			report_word(report_branch(node, KEY_FINDING, count++), KEY_FINDING_CODE,
				    isst_finding_name(finding));
}

/* ---- The whole ---- */

static void report_rows(struct machine_status *status)
{
	level_choice_report(status->run, &status->levels);
	for_each_domain (domain, status)
		if (domain->node)
			report_domain(status, domain);
	clos_status_report(status);
	base_freq_status_report(status);
	high_priority_status_report(status);
	turbo_limits_report(status);
	limit_status_report(status);
	if (status->run->complete) {
		struct isst_results *levels = high_priority_levels(status);
		struct isst_explanation *explanation = NULL;
		const struct isst_result *level;

		/* What could not be read of SST-TF, unless errors were reported before. */
		if (status->run->status == STATUS_DONE) {
			for (size_t i = 0; (level = isst_results_at(levels, i)) != NULL; i++) {
				run_failure(status->run, failure_of(level, ISST_PART_PERF_PROFILE));
				level_failures(status->run, level);
			}
		}
		if (status->domain_count > 0)
			explanation = explain_limits(status->run);
		for (size_t i = 0; i < status->domain_count; i++) {
			unsigned int package = isst_domain_package(status->domains[i].domain);

			if (i == 0 || package != isst_domain_package(status->domains[i - 1].domain))
				report_package(status, levels, explanation, package);
		}
		isst_explanation_free(explanation);
		isst_results_free(levels);
	}
}

/** Whether CPUs may be on- or offline against their level, as far as levels could be read. */
static bool may_differ_from_levels(const struct machine_status *status)
{
	bool differs = isst_cpuset_count(status->cores.unplaced) > 0;

	for_each_domain (domain, status) {
		const struct isst_cpuset *online = isst_domain_online_cpus(domain->domain);
		const struct isst_cpuset *enabled = cpus_of(status_properties(status, domain),
							    ISST_VALUE_CPUS);
		unsigned int cpu;

		if (!enabled && isst_cpuset_count(online) > 0)
			return false;
		differs |= isst_cpuset_count(isst_domain_present_cpus(domain->domain)) !=
			   isst_cpuset_count(online);
		isst_cpuset_for_each (cpu, online)
			differs |= !isst_cpuset_has(enabled, cpu);
	}
	return differs;
}

void machine_status(struct run *run)
{
	struct machine_status status = { .run = run };
	bool map = request_has(run->request, OPTION_MAP);

	report_make_screen(run->report, !run->targets.named);
	machine_status_find(run);
	if (leave_isolated_alone(run)) {
		cores_find(run, &status.cores);
		report_top(&status);
		if (run->config && config_matches(run) &&
		    config_call(run, run->config,
				isst_config_check(run->config, run->context, 0)) == 0) {
			run_report_notices(run);
			config_report_comparison(run,
						 report_section(run->report, KEY_CONFIGURATION));
		}
		if (run->targets.unit_count > 0 &&
		    machine_status_read(&status, map ? 0 : ISST_LEVELS_PROPERTIES)) {
			(map ? core_map_report : report_rows)(&status);
			if (request_has(run->request, OPTION_WATCH))
				running_status_report(&status);
			if (request_has(run->request, OPTION_WATCH) || !map)
				power_status_report(&status);
			/* A map shows which CPUs are offline. */
			if (!map && !run->complete && run->status == STATUS_DONE &&
			    may_differ_from_levels(&status))
				levels_note_cpus(run, CPUS_BY_LEVEL, ISST_CONFIG_CHECK_UNDISTURBED,
						 "isst explain describes that");
		}
	}
	isst_results_free(status.core_power);
	levels_clear(&status.levels);
	for (size_t i = 0; i < status.domain_count; i++)
		for (size_t clos = 0; clos < STATUS_CLASSES; clos++)
			isst_cpuset_free(status.domains[i].class_cpus[clos]);
	free(status.domains);
	cores_clear(&status.cores);
}
