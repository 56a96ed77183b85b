/* SPDX-License-Identifier: BSD-3-Clause */
/* Actions of a watcher, and what keeps it from them. */
#include "answer.h"

#include "../../common/hash.h"
#include "../../common/memory_stream.h"
#include "../text/cpu_list.h"
#include "act.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OWN_NAME "isst watch"

static void report(struct watcher *watcher, const char *event, const char *target,
		   const char *present, const char *cause)
{
	const struct watch_report what = {
		.event = event, .target = target, .present = present, .cause = cause
	};

	watcher->report(watcher->data, &what);
}

/** What changes next is what was done. */
static void note_own_work(struct watcher *watcher)
{
	free(watcher->own);
	watcher->own = strdup(OWN_NAME);
	watcher->acted = true;
}

/* ---- Fights ---- */

/** Programs that set such values, as far as `explain` knows them. To be freed with the results. */
static const char *find_manager(struct isst_explanation *explanation)
{
	const struct isst_finding *finding;

	for (size_t i = 0; (finding = isst_explanation_finding_at(explanation, i)) != NULL; i++)
		if (isst_finding_code(finding) == ISST_FINDING_MANAGER_AT_WORK)
			return isst_finding_evidence(finding);
	return NULL;
}

void watcher_report_fight(struct watcher *watcher, const struct watched_part *part)
{
	struct isst_context *context = watcher->looker.context;
	struct isst_targets *targets = context ? isst_targets_new(context) : NULL;
	struct isst_explanation *explanation = NULL;
	const char *manager = NULL;
	char *cause;

	if (targets && isst_targets_add_all_domains(targets, 0) == 0 &&
	    isst_explain(context, targets, NULL, 0, &explanation) >= 0)
		manager = find_manager(explanation);
	if (asprintf(&cause,
		     "%s and %s are set in turn; nothing more is done about it until "
		     "SIGHUP%s%s",
		     part && part->previous ? part->previous : "what the configuration states",
		     part && part->known_count ? part->known[0].present : "another value",
		     manager ? "; " : "", manager ? manager : "") < 0)
		cause = NULL;
	report(watcher, "fight", part ? part->key : "configuration", NULL, cause);
	free(cause);
	isst_explanation_free(explanation);
	isst_targets_free(targets);
	isst_close_device(context);
}

/* ---- CPUs that were taken on- or offline by hand ---- */

/** Which CPUs the present levels enable, and of which that is known. */
struct enabled {
	struct isst_cpuset *cpus, *known;
};

static bool read_enabled(struct isst_context *context, struct enabled *enabled)
{
	struct isst_targets *targets = isst_targets_new(context);
	const struct isst_result *result;
	struct isst_results *results = NULL;
	bool complete = targets && isst_targets_add_all_domains(targets, 0) == 0;

	*enabled = (struct enabled){ isst_cpuset_new(), isst_cpuset_new() };
	complete = complete && enabled->cpus && enabled->known;
	if (complete)
		(void)isst_read_levels(context, targets, NULL,
				       ISST_READ_LEVELS_CURRENT | ISST_READ_LEVELS_PROPERTIES,
				       &results);
	for (size_t i = 0; (result = isst_results_at(results, i)) != NULL && complete; i++) {
		const struct isst_cpuset *cpus;

		if (isst_result_cpus(result, ISST_VALUE_CPUS, &cpus) != 0)
			continue;
		complete = isst_cpuset_add_set(enabled->cpus, cpus) == 0 &&
			   isst_cpuset_add_set(
				   enabled->known,
				   isst_domain_present_cpus(isst_result_domain(result))) == 0;
	}
	isst_results_free(results);
	isst_targets_free(targets);
	return complete;
}

static void free_enabled(struct enabled *enabled)
{
	isst_cpuset_free(enabled->cpus);
	isst_cpuset_free(enabled->known);
}

/** Replaces a set by a copy of another one. */
static bool copy(struct isst_cpuset **to, const struct isst_cpuset *from)
{
	struct isst_cpuset *set = isst_cpuset_new();

	if (!set || isst_cpuset_add_set(set, from) != 0) {
		isst_cpuset_free(set);
		return false;
	}
	isst_cpuset_free(*to);
	*to = set;
	return true;
}

static bool note_toggled(struct watcher *watcher, const struct isst_cpuset *online)
{
	struct isst_cpuset *by_hand = isst_cpuset_new();
	struct enabled enabled;
	bool complete = read_enabled(watcher->looker.context, &enabled) && by_hand;
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_present_cpus(watcher->looker.context)) {
		bool is_online = isst_cpuset_has(online, cpu);
		bool toggled = is_online != isst_cpuset_has(watcher->online, cpu);
		bool stays = toggled ? is_online != isst_cpuset_has(enabled.cpus, cpu) &&
					       isst_cpuset_has(enabled.known, cpu)
				     : isst_cpuset_has(watcher->by_hand, cpu);

		if (complete && stays)
			complete = isst_cpuset_add(by_hand, cpu, cpu) == 0;
	}
	free_enabled(&enabled);
	isst_cpuset_free(complete ? watcher->by_hand : by_hand);
	if (complete)
		watcher->by_hand = by_hand;
	return complete;
}

bool watcher_note_hotplug(struct watcher *watcher)
{
	const struct isst_cpuset *online = isst_online_cpus(watcher->looker.context);

	if (watcher->online && cpus_are_same(watcher->online, online))
		return true;
	return (!watcher->online || note_toggled(watcher, online)) &&
	       copy(&watcher->online, online);
}

/** Whether CPUs of a domain are as they are by hand. */
static bool has_any(const struct isst_cpuset *set, const struct isst_domain *domain)
{
	unsigned int cpu;

	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		if (isst_cpuset_has(set, cpu))
			return true;
	return false;
}

/* ---- CPUs follow a level ---- */

/** A domain whose level is followed. */
struct followed {
	struct watcher *watcher;
	struct watched_part *part;
	const struct isst_domain *domain;
};

/** CPUs offline where the level does not enable them, but for those that are so by hand. */
static bool write_offline(const struct followed *followed, FILE *stream)
{
	const struct watcher *watcher = followed->watcher;
	struct isst_cpuset *offline = isst_cpuset_new();
	struct enabled enabled;
	bool complete = read_enabled(watcher->looker.context, &enabled) && offline;
	unsigned int cpu;
	char *list;

	isst_cpuset_for_each (cpu, isst_domain_present_cpus(followed->domain)) {
		bool stays = isst_cpuset_has(watcher->by_hand, cpu);

		if (complete && !isst_cpuset_has(stays ? watcher->online : enabled.cpus, cpu))
			complete = isst_cpuset_add(offline, cpu, cpu) == 0;
	}
	list = complete ? isst_cpuset_to_list(offline) : NULL;
	if (list && *list)
		fprintf(stream, "cpus offline %s", list);
	else
		fputs("cpus online", stream);
	free_enabled(&enabled);
	isst_cpuset_free(offline);
	complete = complete && list;
	free(list);
	return complete;
}

/** What the CPUs of a domain are to be. NULL without memory. */
static struct isst_config *make_config(const struct followed *followed)
{
	const struct watcher *watcher = followed->watcher;
	struct isst_config *config = isst_config_new();
	struct memory_stream text;
	bool complete = config && memory_stream_open(&text) == 0;
	char *statement;

	if (!complete) {
		isst_config_free(config);
		return NULL;
	}
	look_write_place(followed->domain, text.stream);
	if (has_any(watcher->by_hand, followed->domain))
		complete = write_offline(followed, text.stream);
	else
		fputs(request_has(watcher->run->request, OPTION_CGROUP) ? "cpus isolated"
									: "cpus by-level",
		      text.stream);
	statement = memory_stream_text(&text);
	if (complete && statement &&
	    isst_config_add_text(config, "watch", statement, strlen(statement), 0) == 0) {
		free(statement);
		return config;
	}
	free(statement);
	isst_config_free(config);
	return NULL;
}

static const struct isst_domain *find_domain(const struct watched_part *part,
					     struct isst_context *context)
{
	const struct isst_domain *domain;

	for (size_t i = 0; (domain = isst_domain_at(context, i)) != NULL; i++) {
		const char *name = isst_domain_name(domain);

		if (strncmp(part->key, name, strlen(name)) == 0 &&
		    strcmp(part->key + strlen(name), LEVEL_KEY) == 0)
			return domain;
	}
	return NULL;
}

/** Why a domain is not followed though its level has changed; NULL: it is. */
static const char *find_obstacle(const struct followed *followed)
{
	const struct watcher *watcher = followed->watcher;
	const char *name = isst_domain_name(followed->domain);

	for (size_t i = 0; i < watcher->part_count; i++) {
		const struct watched_part *part = &watcher->parts[i];

		if (strncmp(part->key, name, strlen(name)) == 0 &&
		    strcmp(part->key + strlen(name), LOCK_KEY) == 0 && part->known_count &&
		    strcmp(part->known[0].present, "locked") == 0)
			return "the level is locked";
	}
	if (request_has(watcher->run->request, OPTION_CGROUP) &&
	    has_any(watcher->by_hand, followed->domain))
		return "CPUs were taken on- or offline by hand, which a partition would not keep";
	return NULL;
}

/** Takes note of how an action ended. */
static void conclude(struct watcher *watcher, struct watched_part *part, struct watched *watched,
		     int done, const char *cause, int64_t now_ms)
{
	const char *target = part ? part->key : "configuration";

	if (done == -ECANCELED) {
		if (part)
			part->pending = false;
		if (watched_failed(watched, hash_text(cause), now_ms))
			report(watcher, "left", target, NULL, cause);
	} else if (done < 0) {
		/* Another run is waited for, and nothing is wrong with that. */
		if (watched_failed(watched, hash_text(cause), now_ms) && done != -EBUSY)
			report(watcher, "failed", target, NULL, cause);
	} else if (done > 0) {
		note_own_work(watcher);
		if (watched_acted(watched, watched->value, now_ms))
			watcher_report_fight(watcher, part);
	}
}

static void follow(struct watcher *watcher, struct watched_part *part, int64_t now_ms)
{
	struct followed followed = { watcher, part, find_domain(part, watcher->looker.context) };
	const struct actor actor = { .run = watcher->run };
	const char *obstacle;
	struct isst_config *config;
	char *cause = NULL;
	int done;

	part->pending = followed.domain && !isst_domain_is_io(followed.domain);
	obstacle = part->pending ? find_obstacle(&followed) : NULL;
	if (obstacle) {
		report(watcher, "left", part->key, NULL, obstacle);
		part->pending = false;
	}
	if (!part->pending)
		return;
	config = make_config(&followed);
	isst_close_device(watcher->looker.context);
	done = config ? act(&actor, watcher->looker.open(watcher->looker.data), config, &cause)
		      : -ENOMEM;
	if (done >= 0)
		part->pending = false;
	if (done > 0)
		report(watcher, "followed", part->key, part->known[0].present, NULL);
	conclude(watcher, part, &part->watched, done, cause ? cause : "out of memory", now_ms);
	/* What was done here is not by hand. */
	if (isst_rediscover(watcher->looker.context) == 0)
		(void)copy(&watcher->online, isst_online_cpus(watcher->looker.context));
	isst_config_free(config);
	free(cause);
}

/* ---- The machine becomes what the file states ---- */

/** Whether something differs for good, and nothing is on its way. */
static bool differs(struct watcher *watcher, bool *foreign_level)
{
	bool any = false;

	for (size_t i = 0; i < watcher->part_count; i++) {
		const struct watched_part *part = &watcher->parts[i];

		*foreign_level |= part->foreign_level;
		if (part->watched.state == WATCHED_OWN)
			return false;
		any |= part->compared && part->watched.state == WATCHED_KNOWN &&
		       part->watched.value != part->base;
	}
	if (!any)
		watcher->repair.failures = 0;
	return any;
}

static void repair(struct watcher *watcher, int64_t now_ms)
{
	struct actor actor = { .run = watcher->run };
	char *cause = NULL;
	int done;

	if (!differs(watcher, &actor.foreign_level) || !watched_may_act(&watcher->repair, now_ms))
		return;
	isst_close_device(watcher->looker.context);
	done = act(&actor, watcher->looker.open(watcher->looker.data), watcher->looker.file,
		   &cause);
	if (done == 0) {
		done = -EIO;
		cause = strdup("what differs cannot be changed, or was left out");
	}
	if (done > 0)
		report(watcher, "applied", "configuration", NULL, NULL);
	conclude(watcher, NULL, &watcher->repair, done, cause ? cause : "out of memory", now_ms);
	free(cause);
	for (size_t i = 0; i < watcher->part_count && done > 0; i++)
		if (watcher->parts[i].compared)
			watched_suspect(&watcher->parts[i].watched, now_ms);
}

/* ---- All of it ---- */

void watcher_answer(struct watcher *watcher, int64_t now_ms)
{
	bool follows = request_has(watcher->run->request, OPTION_FOLLOW);

	if (follows && !watcher_note_hotplug(watcher))
		return;
	for (size_t i = 0; i < watcher->part_count && follows; i++) {
		struct watched_part *part = &watcher->parts[i];

		if (part->pending && part->watched.state == WATCHED_KNOWN &&
		    watched_may_act(&part->watched, now_ms))
			follow(watcher, part, now_ms);
	}
	if (request_has(watcher->run->request, OPTION_APPLY))
		repair(watcher, now_ms);
}

int64_t watcher_retry_ms(const struct watcher *watcher)
{
	int64_t retry_ms = INT64_MAX;

	if (watcher->repair.failures > 0 && !watcher->repair.fights)
		retry_ms = watcher->repair.retry_ms;
	for (size_t i = 0; i < watcher->part_count; i++) {
		const struct watched_part *part = &watcher->parts[i];

		if (part->pending && !part->watched.fights && part->watched.failures > 0 &&
		    part->watched.retry_ms < retry_ms)
			retry_ms = part->watched.retry_ms;
	}
	return retry_ms;
}
