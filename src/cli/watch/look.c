/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks at a machine, by what other commands call as well: a small one, of a few driver calls,
 * shows whether a whole one is worth it, which finds what differs from a configuration. */
#include "watcher.h"

#include "../../common/hash.h"
#include "../status/machine_status.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is watched ---- */

void found_clear(struct found_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].target);
		free(list->items[i].stated);
		free(list->items[i].present);
	}
	free(list->items);
	*list = (struct found_list){ 0 };
}

static void fail_machine(struct watcher *watcher, const char *why)
{
	struct watch_unit *machine = watcher->units[0];

	if (!machine->failure)
		machine->failure = strdup(*why ? why : "out of memory");
	machine->seen = false;
}

static struct watch_unit *add_unit(struct watcher *watcher, const char *name)
{
	struct watch_unit **units = reallocarray(watcher->units, watcher->unit_count + 1,
						 sizeof(*units));
	struct watch_unit *unit;

	if (!units)
		return NULL;
	watcher->units = units;
	unit = calloc(1, sizeof(*unit));
	if (unit)
		unit->name = strdup(name);
	if (!unit || !unit->name) {
		free(unit);
		return NULL;
	}
	watched_init(&unit->reach);
	watcher->units[watcher->unit_count++] = unit;
	return unit;
}

struct watch_unit *watcher_unit(struct watcher *watcher, const char *name)
{
	struct watch_unit *unit;

	for (size_t i = 0; i < watcher->unit_count; i++)
		if (strcmp(watcher->units[i]->name, name) == 0)
			return watcher->units[i];
	unit = add_unit(watcher, name);
	if (unit || watcher->unit_count == 0)
		return unit;
	fail_machine(watcher, "");
	return watcher->units[0];
}

/** Returns NULL without memory. */
static struct watched_part *find_part(struct watch_unit *unit, const char *subject, bool compared)
{
	struct watched_part *parts, *part;

	for (size_t i = 0; i < unit->part_count; i++)
		if (unit->parts[i].compared == compared &&
		    strcmp(unit->parts[i].subject, subject) == 0)
			return &unit->parts[i];
	parts = reallocarray(unit->parts, unit->part_count + 1, sizeof(*parts));
	if (!parts)
		return NULL;
	unit->parts = parts;
	part = &parts[unit->part_count];
	*part = (struct watched_part){ .subject = strdup(subject), .compared = compared };
	watched_init(&part->watched);
	/* Until now nothing differed. */
	if (compared)
		watched_know(&part->watched, HASH_START);
	unit->part_count += part->subject != NULL;
	return part->subject ? part : NULL;
}

static void take_found(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		       const char *target, const char *stated, const char *present)
{
	struct watched_part *part = find_part(unit, subject, stated);
	struct found found = { .target = strdup(target),
			       .stated = stated ? strdup(stated) : NULL,
			       .present = strdup(present) };
	struct found *items = part ? reallocarray(part->found.items, part->found.count + 1,
						  sizeof(*items))
				   : NULL;

	if (items)
		part->found.items = items;
	if (items && found.target && found.present && (found.stated || !stated)) {
		items[part->found.count++] = found;
		return;
	}
	free(found.target);
	free(found.stated);
	free(found.present);
	fail_machine(watcher, "");
}

/** A unit could not be looked at, which counts until the next look of that kind. */
static void fail_unit(struct watcher *watcher, char **failure, const char *why)
{
	if (!*failure)
		*failure = strdup(why && *why ? why : "out of memory");
	if (!*failure)
		fail_machine(watcher, "");
}

static struct watch_unit *unit_of(struct watcher *watcher, const struct isst_domain *domain)
{
	return watcher_unit(watcher, domain ? isst_domain_name(domain) : "machine");
}

/** Adds a value of a unit, to the digest as well. */
static void take_value(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		       const char *present)
{
	char *target;

	watcher->digest = hash_string(hash_string(watcher->digest, unit->name), present);
	if (asprintf(&target, "%s: %s", unit->name, subject) < 0) {
		fail_machine(watcher, "");
		return;
	}
	take_found(watcher, unit, subject, target, NULL, present);
	free(target);
}

/* ---- The small look ---- */

static bool is_watched(const struct watcher *watcher, const struct isst_domain *domain)
{
	unsigned int cpu;

	/* Isolated CPUs are not interrupted to be asked. */
	if (firmware_is_asked_by_msr(watcher->context) &&
	    !domain_has_reader(domain, watcher->undisturbed))
		return false;
	if (!watcher->cpus)
		return true;
	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		if (isst_cpuset_has(watcher->cpus, cpu))
			return true;
	return false;
}

/** A domain that does not support what is read has none of it; of one that fails nothing is known.
 */
static void take_levels(struct watcher *watcher, const struct isst_result *result)
{
	static const int ids[] = { ISST_VALUE_TURBO_FREQ_STATE, ISST_VALUE_BASE_FREQ_STATE,
				   ISST_VALUE_LOCKED, ISST_VALUE_CURRENT_LEVEL };
	struct watch_unit *unit = unit_of(watcher, isst_result_domain(result));
	unsigned int number = 0;
	char text[16];
	int error = 0;

	for (int part = ISST_PART_RESULT; part <= ISST_PART_PERF_PROFILE && !error; part++) {
		error = isst_result_error(result, part);
		if (error && error != -EOPNOTSUPP)
			fail_unit(watcher, &unit->failure, isst_result_message(result, part));
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]) && !error; i++) {
		error = isst_result_value(result, ids[i], &number);
		if (error && error != -ENODATA)
			fail_unit(watcher, &unit->failure, "a value could not be read");
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
	struct isst_targets *targets = isst_targets_new(watcher->context);
	struct isst_results *results = NULL;
	const struct isst_domain *domain;
	const struct isst_result *result;
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 0; (domain = isst_domain_at(watcher->context, i)) != NULL && !error; i++)
		if (is_watched(watcher, domain)) {
			unit_of(watcher, domain)->seen = true;
			error = isst_targets_add_domain(targets, domain);
		}
	if (!error)
		error = isst_read_levels(watcher->context, targets, NULL, ISST_READ_LEVELS_CURRENT,
					 &results);
	if (error < 0 && !results)
		fail_machine(watcher, isst_error(watcher->context));
	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++)
		take_levels(watcher, result);
	isst_results_free(results);
	isst_targets_free(targets);
}

/** Whether the kernel or the BIOS has disabled turbo for all CPUs. */
static void read_turbo(struct watcher *watcher)
{
	int disabled = isst_platform_fact(watcher->context, ISST_FACT_TURBO_DISABLED);

	if (disabled >= 0)
		take_value(watcher, watcher->units[0], "turbo", disabled ? "disabled" : "enabled");
	else if (disabled != -ENODATA)
		fail_machine(watcher, isst_error(watcher->context));
}

/** Adds a list of CPUs. @none: what it is without any */
static void take_cpus(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		      const struct isst_cpuset *cpus, const char *before, const char *none)
{
	char *list = isst_cpuset_to_list(cpus), *text = NULL;

	if (list && asprintf(&text, "%s%s", *list ? before : none, list) >= 0)
		take_value(watcher, unit, subject, text);
	else
		fail_machine(watcher, "");
	free(text);
	free(list);
}

/** CPUs that are offline, and those that the kernel isolates. */
static void read_cpus(struct watcher *watcher)
{
	struct isst_cpuset *isolated = NULL;
	const struct isst_domain *domain;
	int error = isst_cpus_by_name(watcher->context, "isolated", 0, &isolated);

	if (error && error != -EOPNOTSUPP)
		fail_machine(watcher, isst_error(watcher->context));
	else
		take_cpus(watcher, watcher->units[0], "isolated CPUs", isolated, "", "none");
	isst_cpuset_free(isolated);
	for (size_t i = 0; (domain = isst_domain_at(watcher->context, i)) != NULL; i++) {
		struct isst_cpuset *offline = isst_cpuset_new();
		unsigned int cpu;

		isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
			if (!isst_cpuset_has(isst_domain_online_cpus(domain), cpu) &&
			    isst_cpuset_add(offline, cpu, cpu) != 0)
				fail_machine(watcher, "");
		if (is_watched(watcher, domain) && !isst_domain_is_io(domain))
			take_cpus(watcher, unit_of(watcher, domain), "CPUs", offline, "offline ",
				  "online");
		isst_cpuset_free(offline);
	}
}

void look_anew(struct watcher *watcher)
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
	fail_machine(watcher, isst_error(watcher->context));
	return false;
}

/** Opens the machine, or follows CPUs that came or went. Returns false after an error. */
static bool follow_machine(struct watcher *watcher)
{
	char *problem = NULL;
	int error;

	if (!watcher->context) {
		watcher->context = watcher->open(watcher->open_data, &problem);
		error = watcher->context ? isst_discover(watcher->context) : -ENOMEM;
	} else {
		error = isst_cpus_changed(watcher->context);
		if (error > 0)
			error = isst_rediscover(watcher->context);
	}
	if (error)
		fail_machine(watcher, watcher->context ? isst_error(watcher->context)
				      : problem	       ? problem
						       : "");
	free(problem);
	return !error && (watcher->undisturbed || read_undisturbed(watcher));
}

/** What went wrong may be the driver's going, or that of CPUs. */
static void end_look(struct watcher *watcher)
{
	if (watcher->units[0]->failure)
		look_anew(watcher);
	else
		isst_close_device(watcher->context);
}

void look_small(struct watcher *watcher)
{
	char *online;

	for (size_t i = 0; i < watcher->unit_count; i++) {
		struct watch_unit *unit = watcher->units[i];

		free(unit->failure);
		unit->failure = NULL;
		unit->seen = i == 0;
	}
	if (follow_machine(watcher)) {
		online = isst_cpuset_to_list(isst_online_cpus(watcher->context));
		watcher->digest = hash_string(HASH_START, online ? online : "");
		free(online);
		read_levels(watcher);
		if (!watcher->file) {
			read_turbo(watcher);
			read_cpus(watcher);
		}
	}
	end_look(watcher);
}

/* ---- The whole look ---- */

const struct isst_domain *look_find_domain(struct isst_context *context,
					   const struct watch_unit *unit)
{
	const struct isst_domain *domain;

	for (size_t i = 0; (domain = isst_domain_at(context, i)) != NULL; i++)
		if (strcmp(isst_domain_name(domain), unit->name) == 0)
			return domain;
	return NULL;
}

/** A call of the library for targets (NULL: all). Returns 0 or a negative errno. */
typedef int (*targets_call)(struct watcher *watcher, const struct isst_targets *targets,
			    struct isst_config **config);

/** Calls for one unit or, with NULL, for all that can be looked at, and of which @based holds. */
static int call_for(struct watcher *watcher, const struct watch_unit *one, bool based,
		    targets_call call, struct isst_config **config)
{
	struct isst_targets *targets = isst_targets_new(watcher->context);
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 1; i < watcher->unit_count && !error; i++) {
		const struct watch_unit *unit = watcher->units[i];

		if (unit->seen && !unit->failure && !unit->whole_failure &&
		    (unit->based || !based) && (!one || one == unit))
			error = isst_targets_add_domain(targets,
							look_find_domain(watcher->context, unit));
	}
	/* CPUs of no domain belong to the machine as a whole. */
	if (!error)
		error = call(watcher,
			     isst_targets_count(targets) < isst_domain_count(watcher->context)
				     ? targets
				     : NULL,
			     config);
	isst_targets_free(targets);
	return error;
}

/** Why a call failed. */
static const char *problem_of(const struct watcher *watcher, const struct isst_config *config)
{
	const char *problem = config ? isst_config_problem_at(config, 0) : NULL;

	return problem ? problem : isst_error(watcher->context);
}

/** Calls for all units; where that fails, for those that do not fail on their own. Returns 0, or
 * after noting it a negative errno. */
static int call_for_all(struct watcher *watcher, bool based, targets_call call,
			struct isst_config **config)
{
	int error = call_for(watcher, NULL, based, call, config);
	size_t failed = 0, tried = 0;

	for (size_t i = 1; i < watcher->unit_count && error; i++) {
		struct watch_unit *unit = watcher->units[i];

		if (!unit->seen || unit->failure || (based && !unit->based))
			continue;
		tried++;
		if (call_for(watcher, unit, based, call, config) == 0)
			continue;
		failed++;
		fail_unit(watcher, &unit->whole_failure, problem_of(watcher, *config));
	}
	if (error && failed < tried)
		error = call_for(watcher, NULL, based, call, config);
	if (error)
		fail_machine(watcher, problem_of(watcher, *config));
	return error;
}

static int check_config(struct watcher *watcher, const struct isst_targets *targets,
			struct isst_config **config)
{
	int error;

	isst_config_set_targets(*config, targets);
	error = isst_config_check(*config, watcher->context,
				  ISST_CONFIG_CHECK_SEPARATELY | ISST_CONFIG_CHECK_UNDISTURBED);
	isst_config_set_targets(*config, NULL);
	return error;
}

static int read_config(struct watcher *watcher, const struct isst_targets *targets,
		       struct isst_config **config)
{
	isst_config_free(*config);
	return isst_config_read_targets(watcher->context, targets,
					ISST_CONFIG_READ_ALL | ISST_CONFIG_READ_UNDISTURBED,
					config);
}

bool look_accept(struct watcher *watcher)
{
	struct isst_config *now = NULL;
	bool accepted = call_for_all(watcher, false, read_config, &now) == 0 &&
			call_for_all(watcher, false, check_config, &now) == 0 &&
			!isst_config_difference_at(now, 0);

	if (accepted) {
		isst_config_free(watcher->before);
		watcher->before = now;
		now = NULL;
	}
	for (size_t i = 0; i < watcher->unit_count && accepted; i++) {
		struct watch_unit *unit = watcher->units[i];

		unit->based = unit->seen && !unit->failure && !unit->whole_failure;
	}
	isst_config_free(now);
	end_look(watcher);
	return accepted;
}

/** Of what was not known what it was: whether it can be read by now. */
static void try_unknown(struct watcher *watcher)
{
	struct isst_config *config = NULL;

	for (size_t i = 1; i < watcher->unit_count; i++) {
		struct watch_unit *unit = watcher->units[i];

		if (!unit->based && unit->seen && !unit->failure &&
		    call_for(watcher, unit, false, read_config, &config) != 0)
			fail_unit(watcher, &unit->whole_failure, problem_of(watcher, config));
	}
	isst_config_free(config);
}

/** Whether the small look reads it: what is saved of CPUs may depend on the level. */
static bool is_small(const char *subject)
{
	return strcmp(subject, "level") == 0 || strcmp(subject, "CPUs") == 0;
}

void look_whole(struct watcher *watcher)
{
	struct isst_config *config = watcher->file;
	const struct isst_config_difference *difference;

	for (size_t i = 0; i < watcher->unit_count; i++) {
		free(watcher->units[i]->whole_failure);
		watcher->units[i]->whole_failure = NULL;
	}
	if (watcher->units[0]->failure || !read_undisturbed(watcher))
		return;
	/* What was read first is what the machine was. */
	if (!config && !watcher->before) {
		(void)look_accept(watcher);
		return;
	}
	if (!config)
		try_unknown(watcher);
	config = config ? config : watcher->before;
	if (call_for_all(watcher, !watcher->file, check_config, &config) != 0)
		goto out;
	for (size_t i = 0; (difference = isst_config_difference_at(config, i)) != NULL; i++) {
		const char *subject = isst_config_difference_subject(difference);

		if (watcher->file || !is_small(subject))
			take_found(watcher,
				   unit_of(watcher, isst_config_difference_domain(difference)),
				   subject, isst_config_difference_target(difference),
				   isst_config_difference_wanted(difference),
				   isst_config_difference_present(difference));
	}
out:
	end_look(watcher);
}
