/* SPDX-License-Identifier: BSD-3-Clause */
#include "watcher.h"

#include "../../common/hash.h"
#include "../status/machine_status.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNSTABLE_MS = 10 * 1000,
	OWN_LOOK_MS = 250,
	OWN_LOOKS = 4,
	OWN_LIMIT_MS = 120 * 1000, /* a level change takes hundreds of CPUs offline */
	HINT_MS = 1000,		   /* while the processor is hot, there is an event every 100 ms */
};

/* ---- Units and rows ---- */

/** A unit could not be looked at. @why: empty without memory */
static void fail_unit(struct watcher *watcher, struct watch_unit *unit, const char *why)
{
	if (!unit->failure)
		unit->failure = strdup(why && *why ? why : "out of memory");
	/* Without the text, too, it is no domain that has gone. */
	unit->seen = false;
	watcher->units->seen &= unit->failure != NULL;
}

static void free_row(struct watch_row *row)
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

/** Returns the row of a target, made if it is missing; NULL without memory. */
static struct watch_row *row_at(struct watch_unit *unit, const char *subject, const char *target,
				const char *stated)
{
	struct watch_row **at = &unit->rows, *row;

	for (; (row = *at) != NULL; at = &row->next)
		if (!row->stated == !stated && strcmp(row->target, target) == 0)
			return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->subject = strdup(subject);
	row->target = strdup(target);
	row->stated = stated ? strdup(stated) : NULL;
	/* Until now nothing differed. */
	row->suspect = !stated;
	if (!row->subject || !row->target || (stated && !row->stated)) {
		free_row(row);
		return NULL;
	}
	*at = row;
	return row;
}

/** The unit of a domain (NULL: the machine), made if it is missing. */
static struct watch_unit *unit_at(struct watcher *watcher, const struct isst_domain *domain)
{
	const char *name = domain ? isst_domain_name(domain) : "machine";
	struct watch_unit **at = &watcher->units, *unit;

	for (; (unit = *at) != NULL; at = &unit->next)
		if (strcmp(unit->name, name) == 0)
			return unit;
	unit = calloc(1, sizeof(*unit));
	if (unit && row_at(unit, "reach", name, NULL)) {
		unit->name = unit->rows->target;
		return *at = unit;
	}
	free(unit);
	if (watcher->units)
		fail_unit(watcher, watcher->units, "");
	return watcher->units;
}

static void take_row(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		     const char *target, const char *stated, const char *present)
{
	struct watch_row *row = row_at(unit, subject, target, stated);

	if (row && stated && strcmp(row->stated, stated) != 0) {
		free(row->stated);
		row->stated = strdup(stated);
	}
	if (row) {
		free(row->found);
		row->found = strdup(present);
	}
	/* Nothing is judged then. */
	if (!row || !row->found || (stated && !row->stated))
		fail_unit(watcher, watcher->units, "");
	else
		row->there = true;
}

static void take_value(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		       const char *present)
{
	char *target;

	watcher->digest = hash_string(hash_string(watcher->digest, unit->name), present);
	if (asprintf(&target, "%s: %s", unit->name, subject) < 0) {
		fail_unit(watcher, watcher->units, "");
		return;
	}
	take_row(watcher, unit, subject, target, NULL, present);
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

/** What is not supported is absent; of what fails nothing is known. */
static void take_levels(struct watcher *watcher, const struct isst_result *result)
{
	static const int ids[] = { ISST_VALUE_TURBO_FREQ_STATE, ISST_VALUE_BASE_FREQ_STATE,
				   ISST_VALUE_LOCKED, ISST_VALUE_CURRENT_LEVEL };
	struct watch_unit *unit = unit_at(watcher, isst_result_domain(result));
	unsigned int number = 0;
	char text[16];
	int error = 0;

	for (int part = ISST_PART_RESULT; part <= ISST_PART_PERF_PROFILE && !error; part++) {
		error = isst_result_error(result, part);
		if (error && error != -EOPNOTSUPP)
			fail_unit(watcher, unit, isst_result_message(result, part));
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]) && !error; i++) {
		error = isst_result_value(result, ids[i], &number);
		if (error && error != -ENODATA)
			fail_unit(watcher, unit, "a value could not be read");
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
	struct watch_unit *unit;
	int error = targets ? 0 : -ENOMEM;

	for (size_t i = 0; (domain = isst_domain_at(watcher->context, i)) != NULL && !error; i++)
		if (is_watched(watcher, domain)) {
			unit = unit_at(watcher, domain);
			unit->seen = !unit->failure;
			error = isst_targets_add_domain(targets, domain);
		}
	if (!error)
		error = isst_read_levels(watcher->context, targets, NULL, ISST_READ_LEVELS_CURRENT,
					 &results);
	if (error < 0 && !results)
		fail_unit(watcher, watcher->units, isst_error(watcher->context));
	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL; i++)
		take_levels(watcher, result);
	isst_results_free(results);
	isst_targets_free(targets);
}

static void take_cpus(struct watcher *watcher, struct watch_unit *unit, const char *subject,
		      const struct isst_cpuset *cpus, const char *before, const char *none)
{
	char *list = isst_cpuset_to_list(cpus), *text = NULL;

	if (list && asprintf(&text, "%s%s", *list ? before : none, list) >= 0)
		take_value(watcher, unit, subject, text);
	else
		fail_unit(watcher, watcher->units, "");
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
		fail_unit(watcher, watcher->units, isst_error(watcher->context));
	else
		take_cpus(watcher, watcher->units, "isolated CPUs", isolated, "", "none");
	isst_cpuset_free(isolated);
	for (size_t i = 0; (domain = isst_domain_at(watcher->context, i)) != NULL; i++) {
		struct isst_cpuset *offline = isst_cpuset_new();
		unsigned int cpu;

		isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
			if (!isst_cpuset_has(isst_domain_online_cpus(domain), cpu) &&
			    isst_cpuset_add(offline, cpu, cpu) != 0)
				fail_unit(watcher, watcher->units, "");
		if (is_watched(watcher, domain) && !isst_domain_is_io(domain))
			take_cpus(watcher, unit_at(watcher, domain), "CPUs", offline, "offline ",
				  "online");
		isst_cpuset_free(offline);
	}
}

/** The next look opens and discovers the machine anew. */
static void close_machine(struct watcher *watcher)
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
	fail_unit(watcher, watcher->units, isst_error(watcher->context));
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
		fail_unit(watcher, watcher->units,
			  watcher->context ? isst_error(watcher->context) : problem);
	free(problem);
	return !error && (watcher->undisturbed || read_undisturbed(watcher));
}

/** What went wrong may be the driver's going, or that of CPUs. */
static void end_look(struct watcher *watcher)
{
	if (!watcher->units->seen)
		close_machine(watcher);
	else
		isst_close_device(watcher->context);
}

static void look_small(struct watcher *watcher)
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
			fail_unit(watcher, watcher->units, isst_error(watcher->context));
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
	struct isst_targets *targets = isst_targets_new(watcher->context), *all = targets;
	int error = targets ? 0 : -ENOMEM;

	for (struct watch_unit *unit = watcher->units->next; unit && !error; unit = unit->next)
		if (one ? unit == one
			: unit->seen && (call != COMPARE || watcher->file || unit->based))
			error = isst_targets_add_domain(targets,
							watch_unit_domain(watcher->context, unit));
	/* CPUs of no domain belong to the machine as a whole. */
	if (isst_targets_count(targets) == isst_domain_count(watcher->context))
		all = NULL;
	if (!error && call == READ) {
		isst_config_free(*config);
		error = isst_config_read_targets(
			watcher->context, all, ISST_CONFIG_READ_ALL | ISST_CONFIG_READ_UNDISTURBED,
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
	const char *problem = config ? isst_config_problem_at(config, 0) : NULL;

	fail_unit(watcher, unit, problem ? problem : isst_error(watcher->context));
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

/** What the machine is becomes what it was, unless it changes meanwhile. Returns whether it did. */
static bool rebase_machine(struct watcher *watcher)
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

static void look_whole(struct watcher *watcher)
{
	struct isst_config **config = watcher->file ? &watcher->file : &watcher->before;
	const struct isst_config_difference *difference;
	struct isst_config *unknown = NULL;

	if (!watcher->units->seen || !read_undisturbed(watcher))
		return;
	/* What was read first is what the machine was. */
	if (!*config) {
		(void)rebase_machine(watcher);
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
			take_row(watcher,
				 unit_at(watcher, isst_config_difference_domain(difference)),
				 subject, isst_config_difference_target(difference),
				 isst_config_difference_wanted(difference),
				 isst_config_difference_present(difference));
	}
	end_look(watcher);
}

/* ---- What looks have found ---- */

static bool is_same(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

/** Two looks agree on what was found. */
static void know_found(struct watch_row *row, int64_t now_ms)
{
	const char *value = row->found ? row->found : row->stated;

	watch_history_push(&row->set, value ? hash_text(value) : HASH_START, now_ms);
	free(row->before);
	row->before = row->known;
	row->known = row->found;
	row->found = NULL;
}

/** Takes a value that this look found. Returns whether two looks agree on another than is known. */
static bool judge_row(struct watcher *watcher, const struct watch_unit *unit, struct watch_row *row,
		      int64_t now_ms)
{
	/* Torn answers and changes in several steps are over soon. */
	static const int64_t delays[] = { 50, 250, 1000 };
	const size_t most = sizeof(delays) / sizeof(delays[0]) - 1;

	if (!row->suspect) {
		row->next_ms = INT64_MAX;
		if (is_same(row->found, row->known))
			return false;
		watch_row_suspect(row, now_ms);
	}
	if (row->looks == 0)
		row->suspect_ms = now_ms;
	if (row->looked && is_same(row->found, row->last)) {
		row->suspect = row->unstable = false;
		row->next_ms = INT64_MAX;
		return !is_same(row->found, row->known);
	}
	free(row->last);
	row->last = row->found;
	row->found = NULL;
	row->looked = true;
	/* What another program changes all the time is not to be looked at all the time. */
	row->next_ms = row->unstable ? INT64_MAX
				     : now_ms + delays[row->looks < most ? row->looks++ : most];
	if (!row->unstable && now_ms - row->suspect_ms >= UNSTABLE_MS) {
		row->unstable = true;
		watcher_report(watcher, "unstable", row->target,
			       unit->failure ? unit->failure
					     : "no two looks have found the same for ten seconds");
	}
	return false;
}

/** Judges whether a unit can be read. Returns whether this look could. */
static bool judge_reach(struct watcher *watcher, struct watch_unit *unit, int64_t now_ms)
{
	struct watch_row *row = unit->rows;
	const char *value = unit->seen ? "" : unit->failure ? "unreadable" : "gone";

	/* What is gone may not be read either, and the reverse. */
	row->found = strdup(!unit->seen && row->known && *row->known ? row->known : value);
	if (row->found && judge_row(watcher, unit, row, now_ms)) {
		if (*row->found)
			watcher_report(watcher, row->found, unit->name, unit->failure);
		else if (row->known)
			watcher_report(watcher,
				       strcmp(row->known, "gone") == 0 ? "returned" : "readable",
				       unit->name, NULL);
		know_found(row, now_ms);
	}
	return unit->seen;
}

static bool is_settled(const struct watcher *watcher)
{
	for (const struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		if (!watch_unit_is_settled(watcher, unit))
			return false;
	return true;
}

bool watcher_is_settled(const struct watcher *watcher)
{
	bool any = false;

	for (const struct watch_unit *unit = watcher->units->next; unit; unit = unit->next)
		any |= watch_unit_is_there(unit);
	return any && watch_unit_is_there(watcher->units) && is_settled(watcher);
}

/** What runs of isst left last: a journal, or the record of `config apply` and, behind a comma,
 * its time. To be freed; NULL: nothing. */
static char *read_trace(struct isst_context *context)
{
	struct isst_apply_record *record = NULL;
	struct isst_journal *journal = NULL;
	const char *source;
	char *trace = NULL;
	int length = 0;

	if (isst_journal_open(context, 0, &journal) == 0 && journal) {
		length = asprintf(&trace, "an interrupted run of isst: %s,",
				  isst_journal_command(journal));
	} else if (isst_read_apply_record(context, 0, &record) == 0) {
		source = isst_apply_record_source(record);
		length = asprintf(&trace, "isst config apply%s%s,%lld", source ? " " : "",
				  source ? source : "",
				  (long long)isst_apply_record_time_s(record));
	}
	isst_apply_record_free(record);
	isst_journal_free(journal);
	return length < 0 ? NULL : trace;
}

/** Whether another run of isst is at work; remembers it, also if it has left a new trace. */
static bool is_own_work(struct watcher *watcher)
{
	bool busy = isst_lock(watcher->context, 0, ISST_LOCK_CHECK) == -EBUSY;
	char *own = busy ? strdup(isst_error(watcher->context)) : read_trace(watcher->context);

	if (!busy && is_same(own, watcher->trace)) {
		free(own);
	} else if (own) {
		if (!busy)
			*strrchr(own, ',') = '\0';
		free(watcher->own);
		watcher->own = own;
	}
	return busy;
}

/** Reports a change, unless it is only watched to act on it: a file states nothing of it. */
static void report_change(struct watcher *watcher, const struct watch_unit *unit,
			  const struct watch_row *row)
{
	const bool of_file = watcher->file && row->stated;
	const char *value = row->there ? row->found : row->stated;
	const struct watch_report what = {
		.event = !of_file			   ? "changed"
			 : strcmp(row->stated, value) == 0 ? "equal"
							   : "differs",
		.target = row->target,
		.wanted = of_file ? row->stated : NULL,
		.old = of_file	    ? NULL
		       : row->known ? row->known
				    : row->stated,
		.present = value,
		.cause = unit->acted ? "isst watch" : watcher->own,
	};

	if (watcher->file && !row->stated && !request_has(watcher->run->request, OPTION_FOLLOW))
		return;
	watcher->differences += row->there;
	/* Of CPUs others may be left that differ, in a list with another name. */
	for (const struct watch_row *other = row->there ? NULL : unit->rows; other;
	     other = other->next)
		if (other->there && other->stated && strcmp(other->subject, row->subject) == 0)
			return;
	watcher->report(watcher->report_data, &what);
}

static void take_change(struct watcher *watcher, struct watch_unit *unit, struct watch_row *row,
			int64_t now_ms)
{
	const struct watch_history *set = &row->set;

	report_change(watcher, unit, row);
	if (!row->stated && strcmp(row->subject, "level") == 0) {
		unit->pending = row;
		/* Of a run that was at work nothing is known but that. */
		unit->foreign_level = !unit->acted;
	}
	watcher->changed |= row->stated != NULL;
	if (unit->acted)
		row->set.count = 0;
	know_found(row, now_ms);
	if (set->count == WATCH_FIGHT && set->values[0] == set->values[2] &&
	    set->values[1] == set->values[3] && now_ms - set->ms[2] <= WATCH_FIGHT_MS &&
	    !unit->fights)
		watcher_end_fight(watcher, unit, row);
}

/** Takes changes; while another run of isst is at work, and once more after it, later. */
static void take_changes(struct watcher *watcher, int64_t now_ms)
{
	bool busy = is_own_work(watcher),
	     waits = busy || (watcher->own_ms > 0 && !watcher->own_over);
	int64_t next_ms;

	watcher->own_over = !busy;
	if (busy && watcher->own_ms == 0)
		watcher->own_ms = now_ms;
	/* The longer a run holds the lock, the fewer looks; the last one is at the limit. */
	next_ms = now_ms + (busy ? OWN_LOOK_MS + (now_ms - watcher->own_ms) / OWN_LOOKS : 50);
	if (next_ms > watcher->own_ms + OWN_LIMIT_MS + 1)
		next_ms = watcher->own_ms + OWN_LIMIT_MS + 1;
	waits = waits && now_ms - watcher->own_ms <= OWN_LIMIT_MS;
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		for (struct watch_row *row = unit->rows; row; row = row->next) {
			if (row->changed && waits)
				watch_row_suspect(row, next_ms);
			else if (row->changed)
				take_change(watcher, unit, row, now_ms);
			row->changed = false;
		}
	if (!waits)
		watcher->own_ms = 0;
}

/** Judges the values of all units that can be read. */
static void judge_units(struct watcher *watcher, int64_t now_ms)
{
	bool any = false;

	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next) {
		if (unit != watcher->units && !judge_reach(watcher, unit, now_ms))
			continue;
		for (struct watch_row *row = unit->rows->next; row; row = row->next) {
			bool known = row->known || row->stated;

			if (row->stated ? !watcher->file && !unit->based : !row->there)
				continue;
			row->changed = judge_row(watcher, unit, row, now_ms) && known;
			any |= row->changed;
			if (!known && !row->suspect)
				know_found(row, now_ms);
		}
	}
	if (any)
		take_changes(watcher, now_ms);
}

/* ---- When to look ---- */

/** What the machine was becomes what it is, once nothing is on its way. */
static void accept_machine(struct watcher *watcher)
{
	bool new_unit = false, gone = false;

	for (const struct watch_unit *unit = watcher->units->next; unit; unit = unit->next) {
		new_unit |= watch_unit_is_there(unit) && !unit->based;
		/* What it was is compared when it returns. */
		gone |= watch_unit_is_gone(unit) && unit->based;
	}
	if (watcher->file || gone || (!watcher->changed && !new_unit) || !rebase_machine(watcher))
		return;
	watcher->changed = false;
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		for (struct watch_row *row = unit->rows; row; row = row->next)
			if (row->stated) {
				free(row->known);
				row->known = NULL;
				row->suspect = false;
			}
}

/** Lists of CPUs with ever other names do not remain. */
static void forget_rows(struct watch_unit *unit, int64_t now_ms)
{
	struct watch_row **at = &unit->rows, *row;

	while ((row = *at) != NULL) {
		if (row->stated && !row->known && !row->suspect &&
		    now_ms - row->set.ms[0] > WATCH_FIGHT_MS) {
			*at = row->next;
			free_row(row);
		} else {
			at = &row->next;
		}
	}
}

static void conclude_look(struct watcher *watcher, int64_t now_ms)
{
	accept_machine(watcher);
	watcher->last_digest = watcher->digest;
	watcher->whole_due_ms = now_ms + watcher->whole_ms;
	watcher->own_ms = 0;
	free(watcher->own);
	watcher->own = NULL;
	free(watcher->trace);
	watcher->trace = watcher->context ? read_trace(watcher->context) : NULL;
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next) {
		unit->acted = false;
		forget_rows(unit, now_ms);
	}
}

static int64_t earlier(int64_t one_ms, int64_t other_ms)
{
	return one_ms < other_ms ? one_ms : other_ms;
}

/** When the next look is due that is not for nothing, and later than @after_ms. */
static int64_t next_due_ms(const struct watcher *watcher, int64_t after_ms)
{
	int64_t due_ms = INT64_MAX;

	for (const struct watch_unit *unit = watcher->units; unit; unit = unit->next) {
		/* An action that failed is due again. */
		if (unit->failures > 0 && !unit->fights && unit->retry_ms > after_ms &&
		    (unit->pending || watcher_differs(watcher, unit)))
			due_ms = earlier(due_ms, unit->retry_ms);
		/* Of what cannot be looked at nothing is due. */
		for (const struct watch_row *row = unit->rows; row; row = row->next)
			if (row == unit->rows || watch_unit_is_there(unit))
				due_ms = earlier(due_ms, row->next_ms);
	}
	return due_ms;
}

bool watcher_begin(struct watcher *watcher)
{
	return unit_at(watcher, NULL);
}

void watcher_look(struct watcher *watcher, int64_t now_ms)
{
	bool whole, reached;

	if (now_ms < watcher->due_ms)
		return;
	watcher->suspected_ms = 0;
	/* What the driver was not bound to may be there by now, of which there is no event. */
	if (now_ms >= watcher->whole_due_ms && isst_left_out_at(watcher->context, 0))
		close_machine(watcher);
	look_small(watcher);
	/* Another run that is waited for has looks of its own. */
	whole = now_ms >= next_due_ms(watcher, INT64_MIN) ||
		(watcher->own_ms == 0 &&
		 (watcher->digest != watcher->last_digest || now_ms >= watcher->whole_due_ms));
	if (whole)
		look_whole(watcher);
	reached = judge_reach(watcher, watcher->units, now_ms);
	if (whole && reached) {
		judge_units(watcher, now_ms);
		watcher_answer(watcher, now_ms);
		if (is_settled(watcher))
			conclude_look(watcher, now_ms);
	}
	watcher->due_ms = earlier(now_ms + watcher->interval_ms, watcher->units->rows->next_ms);
	if (reached)
		watcher->due_ms = earlier(watcher->due_ms, next_due_ms(watcher, now_ms));
	if (watcher->hinted_ms > now_ms)
		watcher->due_ms = earlier(watcher->due_ms, watcher->hinted_ms);
}

void watcher_hint(struct watcher *watcher, int64_t now_ms)
{
	if (watcher->hinted_ms > now_ms)
		return; /* that look is still to come */
	watcher->hinted_ms += HINT_MS;
	if (watcher->hinted_ms < now_ms)
		watcher->hinted_ms = now_ms;
	watcher->due_ms = earlier(watcher->due_ms, watcher->hinted_ms);
}

void watcher_forgive(struct watcher *watcher)
{
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next) {
		unit->made.count = unit->failures = 0;
		unit->fights = false;
		unit->retry_ms = 0;
		for (struct watch_row *row = unit->rows; row; row = row->next)
			row->set.count = 0;
	}
	isst_cpuset_free(watcher->by_hand);
	watcher->by_hand = NULL;
}

void watcher_suspect(struct watcher *watcher, int64_t now_ms, int64_t pause_ms)
{
	int64_t due_ms = now_ms + pause_ms, last_ms;

	if (watcher->suspected_ms == 0)
		watcher->suspected_ms = now_ms;
	last_ms = watcher->suspected_ms + watcher->interval_ms;
	due_ms = due_ms < last_ms || now_ms > last_ms ? due_ms : last_ms;
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		watch_unit_suspect(unit, due_ms);
	close_machine(watcher);
	watcher->whole_due_ms = watcher->due_ms = due_ms;
}

void watcher_clear(struct watcher *watcher)
{
	struct watch_unit *unit;
	struct watch_row *row;

	while ((unit = watcher->units) != NULL) {
		watcher->units = unit->next;
		while ((row = unit->rows) != NULL) {
			unit->rows = row->next;
			free_row(row);
		}
		free(unit->failure);
		free(unit);
	}
	free(watcher->own);
	free(watcher->trace);
	isst_cpuset_free(watcher->online);
	isst_cpuset_free(watcher->by_hand);
	isst_config_free(watcher->before);
	isst_cpuset_free(watcher->undisturbed);
	close_machine(watcher);
	*watcher = (struct watcher){ 0 };
}
