/* SPDX-License-Identifier: BSD-3-Clause */
#include "watcher.h"

#include "../../common/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reports ---- */

static void report_value(struct watcher *watcher, const struct watch_unit *unit,
			 const struct found *found, const char *old, const char *present)
{
	const bool of_file = watcher->file && found->stated;
	const struct watch_report what = { .event = !of_file ? "changed"
						    : strcmp(found->stated, present) == 0
							    ? "equal"
							    : "differs",
					   .target = found->target,
					   .wanted = of_file ? found->stated : NULL,
					   .old = of_file ? NULL : old,
					   .present = present,
					   .cause = unit->acted ? "isst watch" : watcher->own };

	watcher->report(watcher->report_data, &what);
}

/* ---- After a look ---- */

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

	if (!busy && own && (!watcher->trace || strcmp(own, watcher->trace) != 0))
		*strrchr(own, ',') = '\0';
	else if (!busy) {
		free(own);
		own = NULL;
	}
	if (own) {
		free(watcher->own);
		watcher->own = own;
	}
	return busy;
}

static void remember(struct watched_part *part)
{
	found_clear(&part->previous);
	part->previous = part->known;
	part->known = part->found;
	part->found = NULL;
}

static void take_change(struct watcher *watcher, struct watch_unit *unit, struct watched_part *part,
			int64_t now_ms)
{
	/* Only watched to act on it: a file states nothing of it. */
	bool silent = watcher->file && !part->compared &&
		      !request_has(watcher->run->request, OPTION_FOLLOW);
	bool fights;

	if (watched_defer(&part->watched, is_own_work(watcher), now_ms))
		return;
	if (!silent) {
		for (const struct found *now = part->found; now; now = now->next) {
			const struct found *old = part->known;

			while (old && strcmp(old->target, now->target) != 0)
				old = old->next;
			if (!old || strcmp(old->present, now->present) != 0)
				report_value(watcher, unit, now, old ? old->present : now->stated,
					     now->present);
		}
		/* Of CPUs others may be left that differ, in a list with another name. */
		for (const struct found *old = part->found ? NULL : part->known; old;
		     old = old->next)
			if (old->stated)
				report_value(watcher, unit, old, old->present, old->stated);
	}
	if (!part->compared && strcmp(part->subject, "level") == 0) {
		unit->pending = part;
		/* Of a run that was at work nothing is known but that. */
		unit->foreign_level = !unit->acted;
	}
	fights = watched_accept(&part->watched, !unit->acted, now_ms);
	watcher->differences += !silent && (!part->compared || part->watched.value != HASH_START);
	remember(part);
	watcher->changed |= part->compared;
	if (fights && !unit->actions.fights) {
		unit->actions.fights = true;
		watcher_report_fight(watcher, unit, part);
	}
}

static void judge_part(struct watcher *watcher, struct watch_unit *unit, struct watched_part *part,
		       int64_t now_ms)
{
	bool there = part->compared || part->found, first = !part->watched.has_value;
	enum watched_verdict verdict;
	uint64_t value = HASH_START;

	for (const struct found *found = part->found; found; found = found->next)
		value = hash_string(hash_string(value, found->target), found->present);
	verdict = watched_look(&part->watched, there, value, now_ms);
	if (verdict == WATCHED_HAS_CHANGED)
		take_change(watcher, unit, part, now_ms);
	else if (verdict == WATCHED_IS_UNSTABLE)
		watcher_report(watcher, "unstable",
			       part->found ? part->found->target : part->subject,
			       "no two looks have found the same for ten seconds");
	if (first && part->watched.state == WATCHED_KNOWN)
		remember(part);
}

/** Whether there is something to look at is watched like any value. Returns whether there is. */
static bool judge_reach(struct watcher *watcher, struct watch_unit *unit, int64_t now_ms)
{
	const char *failure = unit->failure;
	enum watched_verdict verdict = watched_look(&unit->reach, unit->seen, 0, now_ms);

	if (verdict == WATCHED_HAS_GONE)
		watcher_report(watcher, failure ? "unreadable" : "gone", unit->name, failure);
	else if (verdict == WATCHED_IS_UNSTABLE)
		watcher_report(watcher, "unstable", unit->name, failure);
	else if (unit->absent && unit->reach.state == WATCHED_KNOWN)
		watcher_report(watcher, unit->absent, unit->name, NULL);
	if (verdict == WATCHED_HAS_GONE)
		unit->absent = failure ? "readable" : "returned";
	else if (unit->reach.state == WATCHED_KNOWN)
		unit->absent = NULL;
	return unit->seen;
}

static bool is_settled(const struct watcher *watcher)
{
	for (const struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		if (!watcher_unit_is_settled(watcher, unit))
			return false;
	return true;
}

bool watcher_is_settled(const struct watcher *watcher)
{
	bool any = false;

	for (const struct watch_unit *unit = watcher->units->next; unit; unit = unit->next)
		any |= unit->reach.state == WATCHED_KNOWN;
	return any && watcher->units->reach.state == WATCHED_KNOWN && is_settled(watcher);
}

/** What the machine was becomes what it is, once nothing is on its way. */
static void accept_machine(struct watcher *watcher)
{
	bool new_unit = false, gone = false;

	for (const struct watch_unit *unit = watcher->units->next; unit; unit = unit->next) {
		new_unit |= unit->reach.state == WATCHED_KNOWN && !unit->based;
		/* What it was is compared when it returns. */
		gone |= unit->reach.state == WATCHED_GONE && unit->based;
	}
	if (watcher->file || gone || (!watcher->changed && !new_unit) || !look_accept(watcher))
		return;
	watcher->changed = false;
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		for (struct watched_part *part = unit->parts; part; part = part->next)
			if (part->compared) {
				watched_know(&part->watched, HASH_START);
				found_clear(&part->known);
			}
}

static void conclude_look(struct watcher *watcher, int64_t now_ms)
{
	accept_machine(watcher);
	watcher->last_digest = watcher->digest;
	watcher->whole_due_ms = now_ms + watcher->whole_ms;
	free(watcher->own);
	watcher->own = NULL;
	free(watcher->trace);
	watcher->trace = watcher->context ? read_trace(watcher->context) : NULL;
	for (struct watch_unit *unit = watcher->units; unit; unit = unit->next)
		unit->acted = false;
}

/* Between looks for hints: while the processor is hot, the kernel sends an event every 100 ms. */
enum { HINT_MS = 1000 };

static int64_t earlier(int64_t one_ms, int64_t other_ms)
{
	return one_ms < other_ms ? one_ms : other_ms;
}

/** When the next look is due that is not for nothing, and later than @after_ms. */
static int64_t next_due_ms(const struct watcher *watcher, int64_t after_ms)
{
	int64_t due_ms = INT64_MAX;

	for (const struct watch_unit *unit = watcher->units; unit; unit = unit->next) {
		due_ms = earlier(due_ms, unit->reach.next_ms);
		/* An action that failed is due again. */
		if (unit->actions.failures > 0 && !unit->actions.fights &&
		    unit->actions.retry_ms > after_ms &&
		    (unit->pending || watcher_differs(watcher, unit)))
			due_ms = earlier(due_ms, unit->actions.retry_ms);
		/* Of what cannot be looked at nothing is due. */
		if (unit->reach.state == WATCHED_KNOWN)
			for (const struct watched_part *part = unit->parts; part; part = part->next)
				due_ms = earlier(due_ms, part->watched.next_ms);
	}
	return due_ms;
}

bool watcher_begin(struct watcher *watcher)
{
	return watcher_unit(watcher, NULL);
}

void watcher_look(struct watcher *watcher, int64_t now_ms)
{
	struct watch_unit *unit; /* the first is the machine */
	bool whole, reached, own = false;

	if (now_ms < watcher->due_ms)
		return;
	watcher->suspected_ms = 0;
	/* What the driver was not bound to may be there by now, of which there is no event. */
	if (now_ms >= watcher->whole_due_ms && isst_left_out_at(watcher->context, 0))
		look_anew(watcher);
	look_small(watcher);
	/* Another run that is waited for has looks of its own. */
	unit = watcher->units;
	do {
		for (const struct watched_part *part = unit->parts; part; part = part->next)
			own |= part->watched.state == WATCHED_OWN;
	} while ((unit = unit->next));
	whole = now_ms >= next_due_ms(watcher, INT64_MIN) ||
		(!own &&
		 (watcher->digest != watcher->last_digest || now_ms >= watcher->whole_due_ms));
	if (whole)
		look_whole(watcher);
	reached = judge_reach(watcher, watcher->units, now_ms);
	if (whole && reached) {
		for (unit = watcher->units; unit; unit = unit->next)
			if (unit == watcher->units || judge_reach(watcher, unit, now_ms))
				for (struct watched_part *part = unit->parts; part;
				     part = part->next)
					if (watcher->file || unit->based || !part->compared)
						judge_part(watcher, unit, part, now_ms);
		watcher_answer(watcher, now_ms);
		if (is_settled(watcher))
			conclude_look(watcher, now_ms);
	}
	watcher->due_ms = earlier(now_ms + watcher->interval_ms, watcher->units->reach.next_ms);
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
		unit->actions = (struct actions){ 0 };
		for (struct watched_part *part = unit->parts; part; part = part->next)
			part->watched.value_count = 0;
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
		watcher_suspect_unit(unit, due_ms);
	look_anew(watcher);
	watcher->whole_due_ms = watcher->due_ms = due_ms;
}

void watcher_clear(struct watcher *watcher)
{
	while (watcher->units) {
		struct watch_unit *unit = watcher->units;

		watcher->units = unit->next;
		while (unit->parts) {
			struct watched_part *part = unit->parts;

			unit->parts = part->next;
			found_clear(&part->found);
			found_clear(&part->known);
			found_clear(&part->previous);
			free(part);
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
	look_anew(watcher);
	*watcher = (struct watcher){ 0 };
}
