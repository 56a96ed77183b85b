/* SPDX-License-Identifier: BSD-3-Clause */
/* What looks find on the machine: its rows, and why units could not be looked at. */
#include "watcher.h"

#include "../../common/hash.h"
#include "../process/xalloc.h"
#include "../status/machine_status.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Units and rows ---- */

/** A unit could not be looked at. */
static void fail_unit(struct watch_unit *unit, const char *why)
{
	if (!unit->failure)
		unit->failure = xstrdup(why);
	unit->seen = false;
}

void watch_row_free(struct watch_row *row)
{
	free(row->subject);
	free(row->target);
	free(row->stated);
	free(row->found);
	free(row->last);
	free(row->known);
	free(row->before);
	free(row);
}

/** Returns the row of a target, made if it is missing. */
static struct watch_row *row_at(struct watch_unit *unit, const char *subject, const char *target,
				const char *stated)
{
	struct watch_row **at = &unit->rows, *row;

	for (; (row = *at) != NULL; at = &row->next)
		if (!row->stated == !stated && strcmp(row->target, target) == 0)
			return row;
	row = xcalloc(1, sizeof(*row));
	row->subject = xstrdup(subject);
	row->target = xstrdup(target);
	row->stated = stated ? xstrdup(stated) : NULL;
	/* Until now nothing differed. */
	row->suspect = !stated;
	*at = row;
	return row;
}

struct watch_unit *watcher_unit(struct watcher *watcher, const struct isst_domain *domain)
{
	const char *name = domain ? isst_domain_name(domain) : "machine";
	struct watch_unit **at = &watcher->units, *unit;

	for (; (unit = *at) != NULL; at = &unit->next)
		if (strcmp(unit->name, name) == 0)
			return unit;
	unit = xcalloc(1, sizeof(*unit));
	unit->name = row_at(unit, "reach", name, NULL)->target;
	return *at = unit;
}

static void take_row(struct watch_unit *unit, const char *subject, const char *target,
		     const char *stated, const char *present)
{
	struct watch_row *row = row_at(unit, subject, target, stated);

	if (stated && strcmp(row->stated, stated) != 0) {
		free(row->stated);
		row->stated = xstrdup(stated);
	}
	free(row->found);
	row->found = xstrdup(present);
	row->there = true;
}

static void take_value(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		       const char *present)
{
	char *target = xasprintf("%s: %s", unit->name, subject);

	watcher->digest = hash_string(hash_string(watcher->digest, unit->name), present);
	take_row(unit, subject, target, NULL, present);
	free(target);
}

/* ---- The small look ---- */

static bool is_watched(const struct watcher *watcher, const struct isst_domain *domain)
{
	/* Isolated CPUs are not interrupted to be asked. */
	if (firmware_is_asked_by_msr(watcher->context) &&
	    !domain_has_reader(domain, watcher->undisturbed))
		return false;
	return !watcher->cpus || domain_has_cpu_of(domain, watcher->cpus);
}

/** What is not supported is absent; of what fails nothing is known. */
static void take_levels(struct watcher *watcher, const struct isst_result *result)
{
	static const int ids[] = { ISST_VALUE_TURBO_FREQ_STATE, ISST_VALUE_BASE_FREQ_STATE,
				   ISST_VALUE_LOCKED, ISST_VALUE_CURRENT_LEVEL };
	struct watch_unit *unit = watcher_unit(watcher, isst_result_domain(result));
	unsigned int number = 0;
	char text[16];
	int error = 0;

	for (int part = ISST_PART_RESULT; part <= ISST_PART_PERF_PROFILE && !error; part++) {
		error = isst_result_error(result, part);
		if (error && error != -EOPNOTSUPP)
			fail_unit(unit, isst_result_message(result, part));
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]) && !error; i++) {
		error = isst_result_value(result, ids[i], &number);
		if (error && error != -ENODATA)
			fail_unit(unit, "a value could not be read");
		watcher->digest = hash_number(watcher->digest, error ? UINT_MAX : number, 4);
		error = unit->failure ? -EIO : 0;
		unit->locked = ids[i] == ISST_VALUE_LOCKED ? number : unit->locked;
	}
	if (error || isst_result_value(result, ISST_VALUE_CURRENT_LEVEL, &number) != 0)
		return;
	snprintf(text, sizeof(text), "%u", number);
	take_value(watcher, unit, "level", text);
	take_value(watcher, unit, "lock", unit->locked ? "locked" : "unlocked");
}

static void read_levels(struct watcher *watcher)
{
	struct isst_targets *targets = xcheck(isst_targets_new(watcher->context));
	struct isst_results *results = NULL;
	const struct isst_domain *domain;
	const struct isst_result *result;
	struct watch_unit *unit;

	for (size_t i = 0; (domain = isst_domain_at(watcher->context, i)) != NULL; i++)
		if (is_watched(watcher, domain)) {
			unit = watcher_unit(watcher, domain);
			unit->seen = !unit->failure;
			xcall(isst_targets_add_domain(targets, domain));
		}
	if (isst_read(watcher->context, ISST_READ_LEVELS, targets, NULL, ISST_LEVELS_CURRENT,
		      &results) < 0 &&
	    !results)
		fail_unit(watcher->units, isst_error(watcher->context));
	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++)
		take_levels(watcher, result);
	isst_results_free(results);
	isst_targets_free(targets);
}

static void take_cpus(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		      const struct isst_cpuset *cpus, const char *before, const char *none)
{
	char *list = xcheck(isst_cpuset_to_list(cpus));
	char *text = xasprintf("%s%s", *list ? before : none, list);

	take_value(watcher, unit, subject, text);
	free(text);
	free(list);
}

/** CPUs that are offline, and those that the kernel isolates. */
static void read_cpus(struct watcher *watcher)
{
	struct isst_cpuset *isolated = NULL;
	const struct isst_domain *domain;
	int error = isst_cpus_by_name(watcher->context, "isolated", 0, &isolated);

	if (error)
		fail_unit(watcher->units, isst_error(watcher->context));
	else
		take_cpus(watcher, watcher->units, "isolated CPUs", isolated, "", "none");
	isst_cpuset_free(isolated);
	for (size_t i = 0; (domain = isst_domain_at(watcher->context, i)) != NULL; i++) {
		struct isst_cpuset *offline = xcheck(isst_cpuset_new());
		unsigned int cpu;

		isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
			if (!isst_cpuset_has(isst_domain_online_cpus(domain), cpu))
				xcall(isst_cpuset_add(offline, cpu, cpu));
		if (is_watched(watcher, domain) && !isst_domain_is_io(domain))
			take_cpus(watcher, watcher_unit(watcher, domain), "CPUs", offline,
				  "offline ", "online");
		isst_cpuset_free(offline);
	}
}

void watcher_close_machine(struct watcher *watcher)
{
	isst_close(watcher->context);
	watcher->context = NULL;
}

/** Which CPUs are isolated may change. Returns false after an error. */
static bool read_undisturbed(struct watcher *watcher)
{
	isst_cpuset_free(watcher->undisturbed);
	if (isst_undisturbed_cpus(watcher->context, &watcher->undisturbed) == 0)
		return true;
	fail_unit(watcher->units, isst_error(watcher->context));
	return false;
}

/** Opens the machine, or follows CPUs that came or went. Returns false after an error. */
static bool follow_machine(struct watcher *watcher)
{
	char *problem = NULL;
	int error;

	if (!watcher->context) {
		watcher->context = watcher->open(watcher->open_data, &problem);
		error = watcher->context ? isst_discover(watcher->context) : -EIO;
	} else {
		error = isst_cpus_changed(watcher->context);
		if (error > 0)
			error = isst_discover(watcher->context);
	}
	if (error)
		fail_unit(watcher->units,
			  watcher->context ? isst_error(watcher->context) : problem);
	free(problem);
	return !error && (watcher->undisturbed || read_undisturbed(watcher));
}

/** What went wrong may be the driver's going, or that of CPUs. */
static void end_look(struct watcher *watcher)
{
	if (!watcher->units->seen)
		watcher_close_machine(watcher);
	else
		isst_close_device(watcher->context);
}

void watcher_look_small(struct watcher *watcher)
{
	struct watch_unit *unit = watcher->units; /* the first is the machine */
	unsigned int cpu;
	int disabled;

	do {
		free(unit->failure);
		unit->failure = NULL;
		unit->seen = unit == watcher->units;
		for (struct watch_row *row = unit->rows; row; row = row->next) {
			free(row->found);
			row->found = NULL;
			row->there = false;
		}
	} while ((unit = unit->next) != NULL);
	if (follow_machine(watcher)) {
		watcher->digest = HASH_START;
		isst_cpuset_for_each (cpu, isst_online_cpus(watcher->context))
			watcher->digest = hash_number(watcher->digest, cpu, sizeof(cpu));
		read_levels(watcher);
		/* Whether the kernel or the BIOS has disabled turbo for all CPUs. */
		disabled = watcher->file
				   ? -ENODATA
				   : isst_platform_fact(watcher->context, ISST_FACT_TURBO_DISABLED);
		if (disabled >= 0)
			take_value(watcher, watcher->units, "turbo",
				   disabled ? "disabled" : "enabled");
		else if (disabled != -ENODATA)
			fail_unit(watcher->units, isst_error(watcher->context));
		if (!watcher->file)
			read_cpus(watcher);
	}
	end_look(watcher);
}

/* ---- The whole look: also all that differs from a configuration, the file or what it was ---- */

enum call {
	COMPARE,     /* with a configuration: units that it states something about */
	COMPARE_ALL, /* with one that was read just now */
	READ,
};

/** Calls for one unit, or all (NULL) that are seen. */
static int call_for(struct watcher *watcher, const struct watch_unit *one, enum call call,
		    struct isst_config **config)
{
	struct isst_targets *targets = xcheck(isst_targets_new(watcher->context)), *all = targets;
	size_t count = 0;
	int error = 0;

	for (struct watch_unit *unit = watcher->units->next; unit && !error; unit = unit->next)
		if (one ? unit == one
			: unit->seen && (call != COMPARE || watcher->file || unit->based)) {
			error = isst_targets_add_domain(targets,
							watch_unit_domain(watcher->context, unit));
			count++;
		}
	/* CPUs of no domain belong to the machine as a whole. */
	if (count == isst_domain_count(watcher->context))
		all = NULL;
	if (!error && call == READ) {
		isst_config_free(*config);
		error = isst_config_read(watcher->context, all,
					 ISST_CONFIG_READ_ALL | ISST_CONFIG_READ_UNDISTURBED,
					 config);
	} else if (!error) {
		isst_config_set_targets(*config, all);
		error = isst_config_check(*config, watcher->context,
					  ISST_CONFIG_CHECK_SEPARATELY |
						  ISST_CONFIG_CHECK_UNDISTURBED);
		isst_config_set_targets(*config, NULL);
	}
	isst_targets_free(targets);
	return error;
}

static void fail_call(struct watcher *watcher, struct watch_unit *unit,
		      const struct isst_config *config)
{
	const char *problem = isst_message_text(isst_config_problem_at(config, 0));

	fail_unit(unit, problem ? problem : isst_error(watcher->context));
}

/** Calls for all units; on failure for those that work alone. Returns false if the machine failed.
 */
static bool call_for_all(struct watcher *watcher, enum call call, struct isst_config **config)
{
	bool others = false;

	if (call_for(watcher, NULL, call, config) == 0)
		return true;
	for (struct watch_unit *unit = watcher->units->next; unit; unit = unit->next) {
		if (!unit->seen || (call == COMPARE && !watcher->file && !unit->based))
			continue;
		if (call_for(watcher, unit, call, config) == 0)
			others = true;
		else
			fail_call(watcher, unit, *config);
	}
	if (others && call_for(watcher, NULL, call, config) == 0)
		return true;
	fail_call(watcher, watcher->units, *config);
	return false;
}

bool watcher_rebase(struct watcher *watcher)
{
	struct watch_unit *unit = watcher->units;
	struct isst_config *now = NULL;
	bool accepted = call_for_all(watcher, READ, &now) &&
			call_for_all(watcher, COMPARE_ALL, &now) &&
			!isst_config_difference_at(now, 0);

	if (accepted) {
		isst_config_free(watcher->before);
		watcher->before = now;
		now = NULL;
		do
			unit->based = unit->seen;
		while ((unit = unit->next) != NULL);
	}
	isst_config_free(now);
	end_look(watcher);
	return accepted;
}

void watcher_look_whole(struct watcher *watcher)
{
	struct isst_config **config = watcher->file ? &watcher->file : &watcher->before;
	const struct isst_config_difference *difference;
	struct isst_config *unknown = NULL;

	if (!watcher->units->seen || !read_undisturbed(watcher))
		return;
	/* What was read first is what the machine was. */
	if (!*config) {
		(void)watcher_rebase(watcher);
		return;
	}
	/* Of what was not known what it was: whether it can be read by now. */
	for (struct watch_unit *unit = watcher->units->next; unit && !watcher->file;
	     unit = unit->next)
		if (unit->seen && !unit->based && call_for(watcher, unit, READ, &unknown) != 0)
			fail_call(watcher, unit, unknown);
	isst_config_free(unknown);
	(void)call_for_all(watcher, COMPARE, config);
	for (size_t i = 0; (difference = isst_config_difference_at(*config, i)) != NULL; i++) {
		const char *subject = isst_config_difference_subject(difference);

		/* The small look reads these: what is saved of CPUs may depend on the level. */
		if (watcher->file ||
		    (strcmp(subject, "level") != 0 && strcmp(subject, "CPUs") != 0))
			take_row(watcher_unit(watcher, isst_config_difference_domain(difference)),
				 subject, isst_config_difference_target(difference),
				 isst_config_difference_wanted(difference),
				 isst_config_difference_present(difference));
	}
	end_look(watcher);
}
