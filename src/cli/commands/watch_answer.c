/* SPDX-License-Identifier: BSD-3-Clause */
#include "watcher.h"

#include "../../common/hash.h"
#include "../run/config.h"
#include "../run/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Reports something of a target without values. @cause: NULL: there is none */
void watcher_report(struct watcher *watcher, const char *event, const char *target,
		    const char *cause)
{
	const struct watch_report what = { .event = event, .target = target, .cause = cause };

	watcher->report(watcher->report_data, &what);
}

/* ---- States of a unit ---- */

bool watcher_unit_is_settled(const struct watcher *watcher, const struct watch_unit *unit)
{
	if (unit->reach.state == WATCHED_GONE)
		return true;
	if (unit->reach.state != WATCHED_KNOWN || (!watcher->file && !watcher->before))
		return false;
	for (const struct watched_part *part = unit->parts; part; part = part->next) {
		const struct watched *watched = &part->watched;

		if (watched->state != WATCHED_KNOWN && watched->state != WATCHED_GONE &&
		    !watched->unstable)
			return false;
	}
	return true;
}

void watcher_suspect_unit(struct watch_unit *unit, int64_t now_ms)
{
	watched_suspect(&unit->reach, now_ms);
	for (struct watched_part *part = unit->parts; part; part = part->next)
		watched_suspect(&part->watched, now_ms);
}

/* ---- Fights ---- */

void watcher_report_fight(struct watcher *watcher, const struct watch_unit *unit,
			  const struct watched_part *part)
{
	struct isst_context *context = watcher->context;
	struct isst_targets *targets = context ? isst_targets_new(context) : NULL;
	struct isst_explanation *explanation = NULL;
	/* What is as stated was known while it differed. */
	const struct found *known = part->known ? part->known : part->previous;
	const struct found *previous = part->previous ? part->previous : known;
	const struct isst_finding *finding;
	const char *manager = NULL;
	char *cause;

	/* Programs that set such values, as far as `explain` knows them. */
	if (targets && isst_targets_add_all_domains(targets, 0) == 0 &&
	    isst_explain(context, targets, NULL, 0, &explanation) >= 0)
		for (size_t i = 0;
		     !manager && (finding = isst_explanation_finding_at(explanation, i)) != NULL;
		     i++)
			if (isst_finding_code(finding) == ISST_FINDING_MANAGER_AT_WORK)
				manager = isst_finding_evidence(finding);
	if (asprintf(&cause,
		     "%s %s and %s are set in turn; nothing more is done about it until SIGHUP%s%s",
		     part->subject,
		     !known	     ? "what is stated"
		     : known->stated ? known->stated
				     : previous->present,
		     known ? known->present : "another value", manager ? "; " : "",
		     manager ? manager : "") < 0)
		cause = NULL;
	watcher_report(watcher, "fight", unit->name, cause);
	free(cause);
	isst_explanation_free(explanation);
	isst_targets_free(targets);
	isst_close_device(context);
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
		if (isst_change_warning_code_at(change, i) == ISST_WARNING_CPUSETS_LOSE_CPUS)
			return isst_change_warning_at(change, i);
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
	struct isst_targets *targets = run.context ? isst_targets_new(run.context) : NULL;
	int done = run.report && targets ? run_call(&run, isst_lock(run.context, 0, 0)) : -ENOMEM;

	isst_close_device(watcher->context);
	if (!done)
		done = run_call(&run, isst_discover(run.context));
	if (!done && unit != watcher->units)
		done = run_call(&run, isst_targets_add_domain(targets,
							      look_find_domain(run.context, unit)));
	if (!done) {
		isst_config_set_targets(config, unit == watcher->units ? NULL : targets);
		done = make_change(unit, &run, config);
		isst_config_set_targets(config, NULL);
	}
	if (done < 0 && !*cause) {
		const struct report_entry *entry = run.report ? run.report->first : NULL;

		while (entry && entry->kind != ENTRY_ERROR)
			entry = entry->next;
		*cause = strdup(entry && entry->message ? entry->message : "out of memory");
	}
	isst_targets_free(targets);
	isst_close(run.context);
	report_free(run.report);
	return done;
}

/** Without numbers, such as how long ago another run was interrupted. */
static uint64_t hash_cause(const char *cause)
{
	uint64_t hash = HASH_START;

	for (; *cause; cause++)
		if (!strchr("0123456789", *cause))
			hash = hash_bytes(hash, cause, 1);
	return hash;
}

/** Takes note of how an action about a part ended: reports that as @event, or why it failed. */
static void conclude_action(struct watcher *watcher, struct watch_unit *unit,
			    const struct watched_part *about, int done, const char *event,
			    const char *cause, int64_t now_ms)
{
	/* What the file states is all made at once. */
	const char *target = about->compared ? unit->name : about->known->target;

	cause = cause || done >= 0 ? cause : "out of memory";
	if (done > 0) {
		watcher_report(watcher, event, target, NULL);
		unit->acted = true;
		if (actions_made(&unit->actions, now_ms))
			watcher_report_fight(watcher, unit, about);
		for (struct watched_part *part = unit->parts; part; part = part->next)
			part->watched.value_count = 0;
		watcher_suspect_unit(unit, now_ms);
	} else if (done < 0 && actions_failed(&unit->actions, hash_cause(cause), now_ms) &&
		   done != -EBUSY) {
		/* Another run is waited for, and nothing is wrong with that. */
		watcher_report(watcher, done == -ECANCELED ? "left" : "failed", target, cause);
	}
}

/* ---- CPUs that were taken on- or offline by hand ---- */

static struct isst_config *config_of(const char *text)
{
	struct isst_config *config = isst_config_new();

	if (config && isst_config_add_text(config, "watch", text, strlen(text), 0) == 0)
		return config;
	isst_config_free(config);
	return NULL;
}

/** Compares CPUs of a domain with its level. To be freed; NULL: unknown, or no domain. */
static struct isst_config *compare_cpus(struct isst_context *context,
					const struct isst_domain *domain)
{
	struct isst_targets *targets = isst_targets_new(context);
	struct isst_config *compared = NULL;

	if (targets && isst_targets_add_domain(targets, domain) == 0)
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
static bool note_online(struct watcher *watcher, bool own)
{
	const struct isst_cpuset *now = isst_online_cpus(watcher->context);
	struct isst_cpuset *online = isst_cpuset_new(), *by_hand = isst_cpuset_new();
	bool complete = online && by_hand && isst_cpuset_add_set(online, now) == 0;
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
			complete = complete && isst_cpuset_add(by_hand, cpu, cpu) == 0;
	}
	isst_config_free(compared);
	isst_cpuset_free(complete ? watcher->online : online);
	isst_cpuset_free(complete ? watcher->by_hand : by_hand);
	if (complete) {
		watcher->online = online;
		watcher->by_hand = by_hand;
	}
	return complete;
}

/* ---- CPUs follow a level ---- */

/** The CPUs of a domain as its level has them, but for those set by hand. To be freed; may be
 * NULL. */
static struct isst_config *state_cpus(const struct watcher *watcher,
				      const struct isst_domain *domain)
{
	struct isst_config *compared = compare_cpus(watcher->context, domain), *config;
	struct isst_cpuset *offline = isst_cpuset_new();
	bool complete = compared && offline;
	char *list, *text = NULL;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain)) {
		bool goes = !isst_cpuset_has(watcher->by_hand, cpu) && deviates(compared, cpu);

		if (isst_cpuset_has(isst_domain_online_cpus(domain), cpu) == goes)
			complete = complete && isst_cpuset_add(offline, cpu, cpu) == 0;
	}
	list = complete ? isst_cpuset_to_list(offline) : NULL;
	if (list && asprintf(&text, "cpus %s%s", *list ? "offline " : "online", list) < 0)
		text = NULL;
	config = text ? config_of(text) : NULL;
	free(text);
	free(list);
	isst_cpuset_free(offline);
	isst_config_free(compared);
	return config;
}

static void follow(struct watcher *watcher, struct watch_unit *unit, int64_t now_ms)
{
	struct watched_part *level = unit->pending;
	const struct isst_domain *domain = look_find_domain(watcher->context, unit);
	bool isolate = request_has(watcher->run->request, OPTION_CGROUP), by_hand = false;
	struct isst_config *config = NULL;
	const char *obstacle = NULL;
	int done = -ENOMEM;
	char *cause = NULL;
	unsigned int cpu;

	unit->pending = domain && !isst_domain_is_io(domain) ? level : NULL;
	if (!unit->pending || level->watched.state != WATCHED_KNOWN)
		return;
	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		by_hand |= isst_cpuset_has(watcher->by_hand, cpu);
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
	else if (by_hand)
		cause = strdup(isst_error(watcher->context));
	unit->pending = !obstacle && done < 0 && done != -ECANCELED ? level : NULL;
	if (obstacle)
		watcher_report(watcher, "left", level->known->target, obstacle);
	else
		conclude_action(watcher, unit, level, done, "followed", cause, now_ms);
	/* What was done here is not by hand. */
	if (isst_rediscover(watcher->context) == 0)
		(void)note_online(watcher, true);
	isst_config_free(config);
	free(cause);
}

/* ---- A domain becomes what the file states ---- */

const struct watched_part *watcher_differs(const struct watcher *watcher,
					   const struct watch_unit *unit)
{
	const struct watched_part *part = unit->parts;

	while (part && !(part->compared && part->watched.value != HASH_START))
		part = part->next;
	return request_has(watcher->run->request, OPTION_APPLY) ? part : NULL;
}

static void repair(struct watcher *watcher, struct watch_unit *unit,
		   const struct watched_part *differs, int64_t now_ms)
{
	char *cause = NULL;
	int done = act_on_unit(watcher, unit, watcher->file, &cause);

	if (done == 0) {
		done = -EIO;
		cause = strdup("what differs cannot be changed, or was left out");
	}
	conclude_action(watcher, unit, differs, done, "applied", cause, now_ms);
	free(cause);
}

/* ---- All of it ---- */

void watcher_answer(struct watcher *watcher, int64_t now_ms)
{
	bool follows = request_has(watcher->run->request, OPTION_FOLLOW), any = false;
	struct watch_unit *unit = watcher->units;
	const struct watched_part *differs;
	bool may;

	if (follows && !note_online(watcher, false))
		return;
	/* The machine as a whole comes last, when no domain differs. */
	do {
		unit = unit->next ? unit->next : watcher->units;
		differs = watcher_differs(watcher, unit);
		may = unit->reach.state == WATCHED_KNOWN && watcher_unit_is_settled(watcher, unit);
		any |= differs != NULL;
		if (may && !differs && !unit->pending)
			actions_forgive_failures(&unit->actions);
		may &= actions_may(&unit->actions, now_ms);
		if (follows && unit->pending && may)
			follow(watcher, unit, now_ms);
		else if (differs && may && (unit != watcher->units || !any))
			repair(watcher, unit, differs, now_ms);
	} while (unit != watcher->units);
}
