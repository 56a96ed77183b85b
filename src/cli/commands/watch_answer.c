/* SPDX-License-Identifier: BSD-3-Clause */
#include "isst-explain.h"
#include "isst-journal.h"
#include "watcher.h"

#include "../../common/hash.h"
#include "../process/xalloc.h"
#include "../run/config.h"
#include "../run/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_RETRY_MS = 1000, LAST_RETRY_MS = 300 * 1000 };

/* ---- Units, as looks have found them ---- */

void watcher_report(struct watcher *watcher, const char *event, const char *target,
		    const char *cause)
{
	const struct watch_report what = { .event = event, .target = target, .cause = cause };

	watcher->report(watcher->report_data, &what);
}

void watch_history_push(struct watch_history *history, uint64_t value, int64_t now_ms)
{
	history->count += history->count < WATCH_FIGHT;
	for (size_t i = history->count - 1; i > 0; i--) {
		history->values[i] = history->values[i - 1];
		history->ms[i] = history->ms[i - 1];
	}
	history->values[0] = value;
	history->ms[0] = now_ms;
}

const struct isst_domain *watch_unit_domain(struct isst_context *context,
					    const struct watch_unit *unit)
{
	const struct isst_domain *domain;

	for (size_t i = 0; (domain = isst_domain_at(context, i)) != NULL; i++)
		if (strcmp(isst_domain_name(domain), unit->name) == 0)
			return domain;
	return NULL;
}

bool watch_unit_is_there(const struct watch_unit *unit)
{
	return !unit->rows->suspect && unit->rows->known && !*unit->rows->known;
}

bool watch_unit_is_gone(const struct watch_unit *unit)
{
	return !unit->rows->suspect && !watch_unit_is_there(unit);
}

bool watch_unit_is_settled(const struct watcher *watcher, const struct watch_unit *unit)
{
	bool settled = watch_unit_is_there(unit) && (watcher->file || watcher->before);

	for (const struct watch_row *row = unit->rows; row; row = row->next)
		settled &= !row->suspect || row->unstable;
	return settled || watch_unit_is_gone(unit);
}

void watch_row_suspect(struct watch_row *row, int64_t due_ms)
{
	row->suspect = true;
	row->looked = false;
	row->looks = 0;
	row->next_ms = due_ms;
}

void watch_unit_suspect(struct watch_unit *unit, int64_t due_ms)
{
	for (struct watch_row *row = unit->rows; row; row = row->next)
		watch_row_suspect(row, due_ms);
}

/* ---- Fights ---- */

void watcher_end_fight(struct watcher *watcher, struct watch_unit *unit,
		       const struct watch_row *row)
{
	struct isst_targets *targets = xcheck(isst_targets_new(watcher->context));
	struct isst_explanation *explanation = NULL;
	/* What is as stated was known while it differed. */
	const char *known = row->known ? row->known : row->before, *manager = NULL;
	const struct isst_finding *finding;
	char *cause;

	unit->fights = true;
	/* Programs that set such values, as far as `explain` knows them. */
	if (isst_targets_add_all_domains(targets, 0) == 0 &&
	    isst_explain(watcher->context, targets, NULL, 0, &explanation) >= 0)
		for (size_t i = 0;
		     !manager && (finding = isst_explanation_finding_at(explanation, i)) != NULL;
		     i++)
			if (isst_finding_code(finding) == ISST_FINDING_MANAGER_AT_WORK)
				manager = isst_finding_evidence(finding);
	cause = xasprintf(
		"%s %s and %s are set in turn; nothing more is done about it until SIGHUP%s%s",
		row->subject,
		row->stated   ? row->stated
		: row->before ? row->before
			      : "another value",
		known ? known : "another value", manager ? "; " : "", manager ? manager : "");
	watcher_report(watcher, "fight", unit->name, cause);
	free(cause);
	isst_explanation_free(explanation);
	isst_targets_free(targets);
	isst_close_device(watcher->context);
}

/* ---- An action: a change as `config apply` makes it, planned first to see whether it may be ----
 */

/** Why a change must not be made without a person who asks for it; NULL: it may be. */
static const char *find_objection(const struct watch_unit *unit, const struct run *run,
				  const struct isst_change *change)
{
	bool features = false, level = false;
	const struct isst_change_step *step;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++) {
		features |= isst_item_kind(isst_change_step_item(step)) == ISST_ITEM_FEATURES;
		level |= isst_item_kind(isst_change_step_item(step)) == ISST_ITEM_LEVEL;
	}
	/* By TPMI, a write of a feature requests the level once more that was requested last. */
	if (unit->foreign_level && isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0 &&
	    features && !level)
		return "a write of SST-BF or SST-TF would request the level once more that was "
		       "requested last, and another program has set the present one";
	for (size_t i = 0; isst_change_warning_at(change, i); i++)
		if (isst_message_code(isst_change_warning_at(change, i)) ==
		    ISST_MESSAGE_CPUSETS_LOSE_CPUS)
			return isst_message_text(isst_change_warning_at(change, i));
	return NULL;
}

/** Plans and makes a change. Returns 1: written, 0, or a negative errno; -ECANCELED: not allowed.
 */
static int make_change(const struct watch_unit *unit, struct run *run, struct isst_config *config)
{
	const char *objection;
	struct isst_change *change;
	int error = config_change(run, config, ISST_CHANGE_DRY_RUN, &change);
	bool unchanged = !error && isst_change_is_unchanged(change);

	objection = error || unchanged ? NULL : find_objection(unit, run, change);
	/* The same warnings once more. */
	if (!error)
		report_empty(run->report);
	if (objection) {
		run_error(run, STATUS_FAILED, "%s", objection);
		error = -ECANCELED;
	}
	isst_change_free(change);
	if (error || unchanged)
		return error;
	error = config_change(run, config, 0, &change);
	isst_change_free(change);
	return error ? error : 1;
}

/** Makes what a configuration states of a unit, in a context of its own. @cause: why it failed, to
 * be freed. Returns as make_change(); -EBUSY: another run is changing the machine. */
static int act_on_unit(struct watcher *watcher, const struct watch_unit *unit,
		       struct isst_config *config, char **cause)
{
	struct run run = {
		.request = watcher->run->request,
		.signals = watcher->run->signals,
		.progress = watcher->run->progress,
		.context = watcher->open(watcher->open_data, cause),
		.report = report_new(),
		.program_status = -1,
	};
	struct isst_targets *targets = NULL;
	int done = run.context ? run_call(&run, isst_lock(run.context, 0, 0)) : -EIO;

	isst_close_device(watcher->context);
	if (run.context)
		targets = xcheck(isst_targets_new(run.context));
	if (!done)
		done = run_call(&run, isst_discover(run.context));
	if (!done && unit != watcher->units)
		done = run_call(&run, isst_targets_add_domain(
					      targets, watch_unit_domain(run.context, unit)));
	if (!done) {
		isst_config_set_targets(config, unit == watcher->units ? NULL : targets);
		done = make_change(unit, &run, config);
		isst_config_set_targets(config, NULL);
	}
	if (done < 0 && !*cause) {
		const struct report_entry *entry = run.report->first;

		while (entry && entry->kind != ENTRY_ERROR)
			entry = entry->next;
		*cause = xstrdup(entry ? entry->message : strerror(-done));
	}
	isst_targets_free(targets);
	isst_close(run.context);
	report_free(run.report);
	return done;
}

/** Takes note of how an action about a row ended: reports that as @event, or why it failed. */
static void conclude_action(struct watcher *watcher, struct watch_unit *unit,
			    const struct watch_row *about, int done, const char *event,
			    const char *cause, int64_t now_ms)
{
	/* What the file states is all made at once. */
	const char *target = about->stated ? unit->name : about->target;
	int64_t delay_ms = FIRST_RETRY_MS;
	uint64_t hash = HASH_START;
	bool is_new;

	if (done > 0) {
		watcher_report(watcher, event, target, NULL);
		unit->acted = true;
		unit->failures = 0;
		unit->retry_ms = 0;
		watch_history_push(&unit->made, 0, now_ms);
		if (!unit->fights && unit->made.count == WATCH_FIGHT &&
		    now_ms - unit->made.ms[WATCH_FIGHT - 1] <= WATCH_FIGHT_MS)
			watcher_end_fight(watcher, unit, about);
		for (struct watch_row *row = unit->rows; row; row = row->next)
			row->set.count = 0;
		watch_unit_suspect(unit, now_ms);
	}
	if (done >= 0)
		return;
	/* Numbers, such as how long ago another run was interrupted, make no other cause. */
	for (const char *next = cause; *next; next++)
		if (!strchr("0123456789", *next))
			hash = hash_bytes(hash, next, 1);
	is_new = unit->failures == 0 || hash != unit->cause;
	for (unsigned int i = 0; i < unit->failures && delay_ms < LAST_RETRY_MS; i++)
		delay_ms *= 2;
	unit->failures++;
	unit->cause = hash;
	unit->retry_ms = now_ms + (delay_ms < LAST_RETRY_MS ? delay_ms : LAST_RETRY_MS);
	/* Another run is waited for, and nothing is wrong with that. */
	if (is_new && done != -EBUSY)
		watcher_report(watcher, done == -ECANCELED ? "left" : "failed", target, cause);
}

/* ---- CPUs that were taken on- or offline by hand ---- */

static struct isst_config *config_of(const char *text)
{
	struct isst_config *config = xcheck(isst_config_new());

	xcall(isst_config_add_text(config, "watch", text, strlen(text), 0));
	return config;
}

/** Compares CPUs of a domain with its level. To be freed; NULL: unknown, or no domain. */
static struct isst_config *compare_cpus(struct isst_context *context,
					const struct isst_domain *domain)
{
	struct isst_targets *targets = xcheck(isst_targets_new(context));
	struct isst_config *compared = NULL;

	if (isst_targets_add_domain(targets, domain) == 0)
		(void)levels_compare_cpus(context, targets, CPUS_BY_LEVEL, 0, &compared);
	isst_targets_free(targets);
	return compared;
}

static bool deviates(const struct isst_config *compared, unsigned int cpu)
{
	return isst_cpuset_has(isst_config_difference_cpus(isst_config_difference_at(compared, 0)),
			       cpu);
}

/** Notes the online CPUs, and those that others (not @own) have toggled against their level. */
static void note_online(struct watcher *watcher, bool own)
{
	const struct isst_cpuset *now = isst_online_cpus(watcher->context);
	struct isst_cpuset *online = xcheck(isst_cpuset_new()),
			   *by_hand = xcheck(isst_cpuset_new());
	const struct isst_domain *domain = NULL;
	struct isst_config *compared = NULL;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_present_cpus(watcher->context)) {
		bool toggled = watcher->online && !own &&
			       isst_cpuset_has(now, cpu) != isst_cpuset_has(watcher->online, cpu);
		const struct isst_domain *before = domain;

		if (toggled)
			domain = isst_cpu_domain(isst_cpu_by_number(watcher->context, cpu));
		if (domain != before) {
			isst_config_free(compared);
			compared = compare_cpus(watcher->context, domain);
		}
		if (toggled ? !compared || deviates(compared, cpu)
			    : isst_cpuset_has(watcher->by_hand, cpu))
			xcall(isst_cpuset_add(by_hand, cpu, cpu));
	}
	xcall(isst_cpuset_add_set(online, now));
	isst_config_free(compared);
	isst_cpuset_free(watcher->online);
	isst_cpuset_free(watcher->by_hand);
	watcher->online = online;
	watcher->by_hand = by_hand;
}

/* ---- CPUs follow a level ---- */

/** The CPUs of a domain as its level has them, but for those set by hand. To be freed; NULL:
 * unknown. */
static struct isst_config *state_cpus(const struct watcher *watcher,
				      const struct isst_domain *domain)
{
	struct isst_config *compared = compare_cpus(watcher->context, domain), *config;
	struct isst_cpuset *offline;
	char *list, *text;
	unsigned int cpu;

	if (!compared)
		return NULL;
	offline = xcheck(isst_cpuset_new());
	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain)) {
		bool goes = !isst_cpuset_has(watcher->by_hand, cpu) && deviates(compared, cpu);

		if (isst_cpuset_has(isst_domain_online_cpus(domain), cpu) == goes)
			xcall(isst_cpuset_add(offline, cpu, cpu));
	}
	list = xcheck(isst_cpuset_to_list(offline));
	text = xasprintf("cpus %s%s", *list ? "offline " : "online", list);
	config = config_of(text);
	free(text);
	free(list);
	isst_cpuset_free(offline);
	isst_config_free(compared);
	return config;
}

static void follow(struct watcher *watcher, struct watch_unit *unit, int64_t now_ms)
{
	struct watch_row *level = unit->pending;
	const struct isst_domain *domain = watch_unit_domain(watcher->context, unit);
	bool isolate = request_has(watcher->run->request, OPTION_CGROUP), by_hand;
	struct isst_config *config = NULL;
	const char *obstacle = NULL;
	int done = -EIO;
	char *cause = NULL;

	unit->pending = domain && !isst_domain_is_io(domain) ? level : NULL;
	if (!unit->pending || level->suspect)
		return;
	by_hand = domain_has_cpu_of(domain, watcher->by_hand);
	if (unit->locked)
		obstacle = "the level is locked";
	else if (isolate && by_hand)
		obstacle = "CPUs were taken on- or offline by hand, which a partition would not "
			   "keep";
	else if (by_hand)
		config = state_cpus(watcher, domain);
	else
		config = config_of(isolate ? "cpus isolated" : "cpus by-level");
	if (config)
		done = act_on_unit(watcher, unit, config, &cause);
	else
		cause = xstrdup(isst_error(watcher->context));
	unit->pending = !obstacle && done < 0 && done != -ECANCELED ? level : NULL;
	if (obstacle)
		watcher_report(watcher, "left", level->target, obstacle);
	else
		conclude_action(watcher, unit, level, done, "followed", cause, now_ms);
	/* What was done here is not by hand. */
	if (isst_discover(watcher->context) == 0)
		note_online(watcher, true);
	isst_config_free(config);
	free(cause);
}

/* ---- A domain becomes what the file states ---- */

const struct watch_row *watcher_differs(const struct watcher *watcher,
					const struct watch_unit *unit)
{
	const struct watch_row *row = unit->rows;

	while (row && !(row->stated && row->known))
		row = row->next;
	return request_has(watcher->run->request, OPTION_APPLY) ? row : NULL;
}

static void repair(struct watcher *watcher, struct watch_unit *unit,
		   const struct watch_row *differs, int64_t now_ms)
{
	char *cause = NULL;
	int done = act_on_unit(watcher, unit, watcher->file, &cause);

	if (done == 0) {
		done = -EIO;
		cause = xstrdup("what differs cannot be changed, or was left out");
	}
	conclude_action(watcher, unit, differs, done, "applied", cause, now_ms);
	free(cause);
}

/* ---- All of it ---- */

void watcher_answer(struct watcher *watcher, int64_t now_ms)
{
	bool follows = request_has(watcher->run->request, OPTION_FOLLOW), any = false;
	struct watch_unit *unit = watcher->units;
	const struct watch_row *differs;
	bool may;

	if (follows)
		note_online(watcher, false);
	/* The machine as a whole comes last, when no domain differs. */
	do {
		unit = unit->next ? unit->next : watcher->units;
		differs = watcher_differs(watcher, unit);
		may = watch_unit_is_there(unit) && watch_unit_is_settled(watcher, unit);
		any |= differs != NULL;
		if (may && !differs && !unit->pending) {
			unit->failures = 0;
			unit->retry_ms = 0;
		}
		may &= !unit->fights && now_ms >= unit->retry_ms;
		if (follows && unit->pending && may)
			follow(watcher, unit, now_ms);
		else if (differs && may && (unit != watcher->units || !any))
			repair(watcher, unit, differs, now_ms);
	} while (unit != watcher->units);
}
