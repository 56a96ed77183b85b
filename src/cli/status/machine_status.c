/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `status`: what the machine is, and the state of each domain. It reads no MSR on TPMI machines,
 * and no file of isolated CPUs. Must not know output formats.
 */
#include "machine_status.h"

#include "../run/handlers.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* ---- Which domains ---- */

/**
 * With --cpu the units become those of all domains of the packages with these CPUs: how many cores
 * have high priority counts by package. Returns false after an error.
 */
bool machine_status_find(struct run *run)
{
	struct isst_cpuset *packages;
	bool named = run->targets.named;
	int error = 0;

	if (!named)
		return true;
	packages = isst_cpuset_new();
	error = packages ? 0 : -ENOMEM;
	for (size_t i = 0; i < run->targets.unit_count && !error; i++)
		error = isst_cpuset_add(packages, run->targets.units[i].place.package,
					run->targets.units[i].place.package);
	targets_clear(&run->targets);
	if (!error)
		error = targets_find(&run->targets, run->context, UNIT_DOMAIN, NULL, run->report);
	if (!error)
		targets_keep_packages(&run->targets, packages);
	run->targets.named = named;
	isst_cpuset_free(packages);
	if (error)
		run_error(run, STATUS_FAILED, "out of memory");
	return !error;
}

bool firmware_is_asked_by_msr(struct isst_context *context)
{
	return isst_platform_fact(context, ISST_FACT_MAILBOX) > 0 &&
	       isst_platform_fact(context, ISST_FACT_POWER_DOMAINS) == 0 &&
	       isst_platform_fact(context, ISST_FACT_CLOS_EPP) == 0;
}

/** Adds the package of each domain that a CPU can be asked for that may be interrupted to @kept,
 * all others to @left_alone. Returns 0 or -ENOMEM. */
static int choose_packages(const struct run *run, const struct isst_cpuset *undisturbed,
			   struct isst_cpuset *kept, struct isst_cpuset *left_alone)
{
	int error = 0;

	for (size_t i = 0; i < run->targets.unit_count && !error; i++) {
		const struct unit *unit = &run->targets.units[i];
		unsigned int package = unit->place.package;

		error = isst_cpuset_add(domain_has_reader(unit->domain, undisturbed) ? kept
										     : left_alone,
					package, package);
	}
	return error;
}

/**
 * In further rounds leaves out the packages that only isolated CPUs could be asked for: each of
 * tens of requests would interrupt one of them, every few seconds. Returns false after an error.
 */
static bool leave_isolated_alone(struct run *run)
{
	struct isst_cpuset *undisturbed = NULL, *kept, *left_alone;
	unsigned int package;
	int error = -ENOMEM;

	if (!run->again || request_has(run->request, OPTION_INCLUDE_ISOLATED) ||
	    !firmware_is_asked_by_msr(run->context))
		return true;
	if (run_call(run, isst_undisturbed_cpus(run->context, &undisturbed)) != 0)
		return false;
	kept = isst_cpuset_new();
	left_alone = isst_cpuset_new();
	if (kept && left_alone)
		error = choose_packages(run, undisturbed, kept, left_alone);
	if (!error && isst_cpuset_count(left_alone) > 0)
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
	if (error)
		run_error(run, STATUS_FAILED, "out of memory");
	return !error;
}

/** The lowest CPU of a domain that is named. Returns false if there is none. */
static bool find_named(const struct run *run, const struct isst_domain *domain, unsigned int *cpu)
{
	const struct isst_cpuset *online = isst_domain_online_cpus(domain);

	for (*cpu = 0; isst_cpuset_next(online, *cpu, cpu); (*cpu)++)
		if (is_named(run, *cpu))
			return true;
	return false;
}

/** Begins the units of the report, in their order. */
static void begin_units(struct machine_status *status)
{
	struct run *run = status->run;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		struct unit *unit = &run->targets.units[i];
		struct domain_status *domain = &status->domains[unit->slot];
		unsigned int cpu;

		domain->domain = unit->domain;
		if (run->cpus) {
			if (!find_named(run, unit->domain, &cpu))
				continue;
			unit->cpu = cpu;
		}
		domain->node = unit_report(unit, run->context, run->report);
	}
}

/* ---- Reading ---- */

/** Takes down whether SST-TF and core-power are on, and classes hold. */
static void take_states(struct machine_status *status)
{
	struct run *run = status->run;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		struct domain_status *domain = &status->domains[unit->slot];
		const struct isst_result *level = levels_current(&status->levels, unit);

		if (level)
			domain->turbo_freq_state = value_of(level, ISST_VALUE_TURBO_FREQ_STATE);
		domain->core_power = isst_results_at(status->core_power, unit->slot);
		if (!domain->core_power || isst_result_error(domain->core_power, ISST_PART_RESULT))
			continue;
		domain->clos_state = value_of(domain->core_power, ISST_VALUE_CLOS_IN_FORCE);
		if (!value_of(domain->core_power, ISST_VALUE_CORE_POWER_SUPPORTED))
			domain->core_power_state = ISST_FEATURE_UNSUPPORTED;
		else
			domain->core_power_state = value_of(domain->core_power,
							    ISST_VALUE_CORE_POWER_ENABLED)
							   ? ISST_FEATURE_ENABLED
							   : ISST_FEATURE_DISABLED;
	}
}

static bool has_core_power(const struct isst_domain *domain, const void *data)
{
	const struct domain_status *status = status_of_domain(data, domain);

	return status && status->core_power_state >= ISST_FEATURE_DISABLED;
}

/** Reads levels, features and classes of all units, whose cores were found. @parts: a sum of
 * ISST_READ_LEVELS_... Returns false after an error that leaves nothing to report. To be cleared in
 * any case. */
static bool machine_status_read(struct machine_status *status, enum level_choice choice,
				unsigned int parts)
{
	const struct question question = { .read = isst_read_core_power };
	struct run *run = status->run;

	status->domain_count = run->targets.domain_count;
	status->domains = calloc(status->domain_count + 1, sizeof(*status->domains));
	if (!status->domains) {
		run_error(run, STATUS_FAILED, "out of memory");
		return false;
	}
	begin_units(status);
	if (status_read_levels(status, choice, parts) != 0)
		return false;
	status->core_power = read_domains(run, &question);
	if (!status->core_power)
		return false;
	take_states(status);
	cores_read_clos(run, &status->cores, has_core_power, status);
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

static unsigned int count_packages(const struct run *run)
{
	unsigned int packages = 0, before = 0;

	for (size_t i = 0; i < isst_domain_count(run->context); i++) {
		unsigned int package = isst_domain_package(isst_domain_at(run->context, i));

		packages += i == 0 || package != before;
		before = package;
	}
	return packages;
}

/** `2026-01-31T12:00:00Z`; false where a year has no such form. */
static bool print_time(int64_t seconds, char *text, size_t size)
{
	time_t time = (time_t)seconds;
	struct tm parts;

	return gmtime_r(&time, &parts) && strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0;
}

/** The last run of `config apply` in this boot. A record that cannot be used is none: the machine
 * is what it is. */
static void report_last_apply(struct run *run, struct report_node *top)
{
	struct isst_apply_record *last;
	struct report_node *node;
	const char *source;
	char time[40];
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
	if (print_time(isst_apply_record_time_s(last), time, sizeof(time)))
		report_text(node, KEY_LAST_APPLY_TIME, time);
	report_number(node, KEY_LAST_APPLY_TIMESTAMP, (uint64_t)isst_apply_record_time_s(last));
	report_text(node, KEY_LAST_APPLY_SHA256, isst_apply_record_sha256(last));
	isst_apply_record_free(last);
}

static void report_top(struct machine_status *status)
{
	struct run *run = status->run;
	struct isst_context *context = run->context;
	struct report_node *top = report_unit(run->report, NULL, 0);
	const char *name = run_processor_name(run), *holder;

	if (name)
		report_text(top, KEY_STATUS_PROCESSOR, name);
	report_number(top, KEY_STATUS_PACKAGES, count_packages(run));
	if (status->cores.complete)
		report_number(top, KEY_STATUS_CORES, status->cores.count);
	else
		report_unknown(top, KEY_STATUS_CORES);
	report_number(top, KEY_STATUS_ONLINE_CPUS, isst_cpuset_count(isst_online_cpus(context)));
	report_number(top, KEY_STATUS_PRESENT_CPUS, isst_cpuset_count(isst_present_cpus(context)));
	if (isst_platform_api_version(context) == 0) {
		report_word(top, KEY_STATUS_NO_DRIVER, interface_of(context));
	} else {
		report_word(top, KEY_STATUS_INTERFACE, interface_of(context));
		report_hide(
			report_number(top, KEY_API_VERSION, isst_platform_api_version(context)));
		report_hide(report_number(top, KEY_DRIVER_VERSION,
					  isst_platform_driver_version(context)));
	}
	report_last_apply(run, top);
	if (run->shows_holder && (holder = isst_change_holder(context)) != NULL)
		report_text(top, KEY_STATUS_HOLDER, holder);
	turbo_status_report(run, top);
	if (isst_cpuset_count(status->cores.unplaced) > 0)
		report_cpu_ranges(top, KEY_STATUS_UNPLACED, 0, status->cores.unplaced);
}

/* ---- The row of a domain ---- */

static void report_profile(struct report_node *node, const struct isst_result *profile)
{
	if (isst_result_error(profile, ISST_PART_PERF_PROFILE)) {
		report_unknown(node, KEY_STATUS_LEVEL);
		report_unknown(node, KEY_STATUS_LOCK);
		return;
	}
	report_value(node, KEY_STATUS_LEVEL, profile, ISST_VALUE_CURRENT_LEVEL);
	report_number(node, KEY_STATUS_HIGHEST_LEVEL,
		      value_of(profile, ISST_VALUE_ENABLED)
			      ? value_of(profile, ISST_VALUE_HIGHEST_LEVEL)
			      : 0);
	report_flag(node, KEY_STATUS_LOCK, profile, ISST_VALUE_LOCKED);
}

static void report_feature(struct report_node *node, enum key_id key,
			   const struct isst_result *level, int id)
{
	const char *word = level ? feature_state_word(value_of(level, id)) : NULL;

	if (word)
		report_word(node, key, word);
	else
		report_unknown(node, key);
}

/** @properties: the result that has those of the level */
static void report_level(struct report_node *node, const struct isst_result *level,
			 const struct isst_result *properties)
{
	unsigned int mhz;
	int error = properties ? level_base_mhz(properties, &mhz) : -EIO;

	if (!error)
		report_number(node, KEY_BASE_FREQUENCY, mhz);
	else if (error != -ENODATA)
		report_unknown(node, KEY_BASE_FREQUENCY);
	if (properties)
		report_value(node, KEY_POWER, properties, ISST_VALUE_TDP_W);
	else
		report_unknown(node, KEY_POWER);
	report_feature(node, KEY_SST_BASE_FREQ, level, ISST_VALUE_BASE_FREQ_STATE);
	report_feature(node, KEY_SST_TURBO_FREQ, level, ISST_VALUE_TURBO_FREQ_STATE);
}

static void report_core_power(struct run *run, const struct domain_status *domain)
{
	static const char *const TYPES[] = {
		[ISST_PRIORITY_PROPORTIONAL] = "proportional", [ISST_PRIORITY_ORDERED] = "ordered"
	};
	struct failure failure = failure_of(domain->core_power, ISST_PART_RESULT);
	unsigned int type;

	if (failure.error == -EOPNOTSUPP)
		return;
	run_failure(run, &failure);
	if (domain->core_power_state == ISST_FEATURE_UNKNOWN) {
		report_unknown(domain->node, KEY_SST_CORE_POWER);
		return;
	}
	report_word(domain->node, KEY_SST_CORE_POWER, feature_state_word(domain->core_power_state));
	if (domain->core_power_state == ISST_FEATURE_ENABLED &&
	    isst_result_value(domain->core_power, ISST_VALUE_PRIORITY, &type) == 0 &&
	    type < sizeof(TYPES) / sizeof(TYPES[0]))
		report_word(domain->node, KEY_PRIORITY_TYPE, TYPES[type]);
}

static void report_domains(struct machine_status *status)
{
	struct run *run = status->run;

	level_choice_report(run, &status->levels);
	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];
		const struct domain_status *domain = &status->domains[unit->slot];
		const struct isst_result *level = levels_get(&status->levels, unit, 0);
		const struct isst_result *profile = levels_summary(&status->levels, unit);
		const struct isst_result *properties = status_properties(status, unit);

		if (!domain->node)
			continue;
		report_profile(domain->node, profile);
		if (level)
			level_failures(run, level);
		/* What has both kinds of failures has the first ones once more. */
		if (level && properties && properties != level &&
		    !isst_result_error(level, ISST_PART_RESULT))
			level_failures(run, properties);
		report_level(domain->node, level, properties);
		report_core_power(run, domain);
	}
}

static void machine_status_clear(struct machine_status *status)
{
	isst_results_free(status->core_power);
	levels_clear(&status->levels);
	free(status->domains);
	cores_clear(&status->cores);
	isst_explanation_free(status->limits);
}

static void report_rows(struct machine_status *status)
{
	report_domains(status);
	clos_status_report(status);
	high_priority_status_report(status);
	turbo_limits_report(status);
	limit_status_report(status);
	if (status->run->complete)
		complete_status_report(status);
}

void machine_status(struct run *run)
{
	struct machine_status status = { .run = run };
	bool map = request_has(run->request, OPTION_MAP);

	report_make_screen(run->report, !run->targets.named);
	if (machine_status_find(run) && leave_isolated_alone(run) &&
	    cores_find(run, &status.cores) == 0) {
		report_top(&status);
		if (run->config)
			config_status_report(run);
		/* Of none there is nothing to read. */
		if (!run->again && !run->complete && run->targets.unit_count > 0)
			(void)levels_note_cpus(run, ISST_CONFIG_CHECK_UNDISTURBED,
					       "isst explain describes that");
		if (run->targets.unit_count > 0 &&
		    machine_status_read(&status, LEVELS_CURRENT,
					map ? 0 : ISST_READ_LEVELS_PROPERTIES)) {
			(map ? core_map_report : report_rows)(&status);
			if (request_has(run->request, OPTION_WATCH))
				running_status_report(&status);
			if (request_has(run->request, OPTION_WATCH) || !(map || run->complete))
				power_status_report(&status);
		}
	}
	machine_status_clear(&status);
}
