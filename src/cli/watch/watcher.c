/* SPDX-License-Identifier: BSD-3-Clause */
/* What is watched, and what follows from a look. */
#include "watcher.h"

#include "../../common/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** The value of a part, of which there may be several: those of CPUs. */
static uint64_t value_of(const struct watched_part *part)
{
	uint64_t value = HASH_START;

	for (size_t i = 0; i < part->found.count; i++)
		value = hash_string(hash_string(value, part->found.items[i].target),
				    part->found.items[i].present);
	return value;
}

/* ---- Reports ---- */

/** By whom a change is, as far as that is known. */
static const char *author_of(const struct watcher *watcher, const struct watch_unit *unit)
{
	return unit->acted ? "isst watch" : watcher->own;
}

/** Reports a value that became another one; of a file whether it is as that states it. */
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
					   .cause = author_of(watcher, unit) };

	watcher->report(watcher->report_data, &what);
}

static const struct found *find_target(const struct found_list *list, const char *target)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].target, target) == 0)
			return &list->items[i];
	return NULL;
}

/** Whether a part is only watched to act on it: a file states nothing of it. */
static bool is_silent(const struct watcher *watcher, const struct watched_part *part)
{
	return watcher->file && !part->compared &&
	       !request_has(watcher->run->request, OPTION_FOLLOW);
}

/** Reports what differs from what is known; what is not found any more is as stated. */
static void report_change(struct watcher *watcher, const struct watch_unit *unit,
			  const struct watched_part *part)
{
	for (size_t i = 0; i < part->found.count; i++) {
		const struct found *now = &part->found.items[i];
		const struct found *old = find_target(&part->known, now->target);

		if (!old || strcmp(old->present, now->present) != 0)
			report_value(watcher, unit, now, old ? old->present : now->stated,
				     now->present);
	}
	/* Of CPUs others may be left that differ, in a list with another name. */
	for (size_t i = 0; i < part->known.count && part->found.count == 0; i++)
		if (part->known.items[i].stated)
			report_value(watcher, unit, &part->known.items[i],
				     part->known.items[i].present, part->known.items[i].stated);
}

/* ---- After a look ---- */

/** What runs of this program have left last: a journal, or the record of a configuration that was
 * applied, with its time behind a comma. To be freed; NULL: nothing since boot, as far as is known.
 */
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

/** Whether another run of this program is at work; remembers which, also one that has left another
 * trace than there was before. */
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
	if (part->known.count > 0) {
		free(part->previous);
		part->previous = part->known.items[0].present;
		part->known.items[0].present = NULL;
	}
	found_clear(&part->known);
	part->known = part->found;
	part->found = (struct found_list){ 0 };
}

static void take_change(struct watcher *watcher, struct watch_unit *unit, struct watched_part *part,
			int64_t now_ms)
{
	bool silent = is_silent(watcher, part), fights;

	if (watched_defer(&part->watched, is_own_work(watcher), now_ms))
		return;
	if (!silent)
		report_change(watcher, unit, part);
	if (!part->compared && strcmp(part->subject, "level") == 0) {
		unit->pending = true;
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

/** Feeds a part with what the look found of it. */
static void judge_part(struct watcher *watcher, struct watch_unit *unit, struct watched_part *part,
		       int64_t now_ms)
{
	bool there = part->compared || part->found.count > 0, first = !part->watched.has_value;

	switch (watched_look(&part->watched, there, value_of(part), now_ms)) {
	case WATCHED_HAS_CHANGED:
		take_change(watcher, unit, part, now_ms);
		break;
	case WATCHED_IS_UNSTABLE:
		watcher_report(watcher, "unstable",
			       part->found.items ? part->found.items[0].target : part->subject,
			       "no two looks have found the same for ten seconds");
		break;
	default:
		break;
	}
	if (first && part->watched.state == WATCHED_KNOWN)
		remember(part);
	found_clear(&part->found);
}

/** Whether there is something to look at is watched like any value. Returns whether there is. */
static bool judge_reach(struct watcher *watcher, struct watch_unit *unit, int64_t now_ms)
{
	const char *failure = unit->failure ? unit->failure : unit->whole_failure;
	bool there = unit->seen && !failure;
	enum watched_verdict verdict;

	verdict = watched_look(&unit->reach, there, 0, now_ms);
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
	return there;
}

static bool is_settled(const struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->unit_count; i++)
		if (!watcher_unit_is_settled(watcher, watcher->units[i]))
			return false;
	return true;
}

bool watcher_is_settled(const struct watcher *watcher)
{
	bool any = false;

	for (size_t i = 1; i < watcher->unit_count; i++)
		any |= watcher->units[i]->reach.state == WATCHED_KNOWN;
	return any && watcher->units[0]->reach.state == WATCHED_KNOWN && is_settled(watcher);
}

/** What the machine was becomes what it is, once nothing is on its way. */
static void accept_machine(struct watcher *watcher)
{
	bool new_unit = false, gone = false;

	for (size_t i = 1; i < watcher->unit_count; i++) {
		const struct watch_unit *unit = watcher->units[i];

		new_unit |= unit->reach.state == WATCHED_KNOWN && !unit->based;
		/* What it was is compared when it returns. */
		gone |= unit->reach.state == WATCHED_GONE && unit->based;
	}
	if (watcher->file || gone || (!watcher->changed && !new_unit) || !look_accept(watcher))
		return;
	watcher->changed = false;
	for (size_t i = 0; i < watcher->unit_count; i++)
		for (size_t j = 0; j < watcher->units[i]->part_count; j++) {
			struct watched_part *part = &watcher->units[i]->parts[j];

			if (!part->compared)
				continue;
			watched_know(&part->watched, HASH_START);
			found_clear(&part->known);
		}
}

static void conclude_look(struct watcher *watcher, int64_t now_ms)
{
	if (!is_settled(watcher))
		return;
	accept_machine(watcher);
	watcher->last_digest = watcher->digest;
	watcher->whole_due_ms = now_ms + watcher->whole_ms;
	free(watcher->own);
	watcher->own = NULL;
	free(watcher->trace);
	watcher->trace = watcher->context ? read_trace(watcher->context) : NULL;
	for (size_t i = 0; i < watcher->unit_count; i++)
		watcher->units[i]->acted = false;
}

/* Between looks for hints: while the processor is hot, the kernel sends an event every 100 ms. */
enum { HINT_MS = 1000 };

/** When the next look at a unit is due that is not one of all. */
static int64_t unit_due_ms(const struct watch_unit *unit)
{
	int64_t due_ms = unit->reach.next_ms;

	/* Of what cannot be looked at nothing is due. */
	for (size_t i = 0; i < unit->part_count && unit->reach.state == WATCHED_KNOWN; i++)
		if (unit->parts[i].watched.next_ms < due_ms)
			due_ms = unit->parts[i].watched.next_ms;
	return due_ms;
}

/** When an action that failed is due again; INT64_MAX: none is. */
static int64_t retry_ms(const struct watcher *watcher, const struct watch_unit *unit)
{
	bool waits = unit->actions.failures > 0 && !unit->actions.fights &&
		     (unit->pending || watcher_differs(watcher, unit));

	return waits ? unit->actions.retry_ms : INT64_MAX;
}

/** When the next look is due that is not for nothing, and later than @after_ms. */
static int64_t next_due_ms(const struct watcher *watcher, int64_t after_ms)
{
	int64_t due_ms = INT64_MAX;

	for (size_t i = 0; i < watcher->unit_count; i++) {
		int64_t unit_ms = unit_due_ms(watcher->units[i]);
		int64_t action_ms = retry_ms(watcher, watcher->units[i]);

		due_ms = unit_ms < due_ms ? unit_ms : due_ms;
		due_ms = action_ms > after_ms && action_ms < due_ms ? action_ms : due_ms;
	}
	return due_ms;
}

bool watcher_begin(struct watcher *watcher)
{
	return watcher_unit(watcher, "machine");
}

/** Feeds what a look found to what is known. */
static void judge_unit(struct watcher *watcher, struct watch_unit *unit, int64_t now_ms)
{
	bool based = watcher->file || unit->based;

	for (size_t i = 0; i < unit->part_count; i++)
		if (based || !unit->parts[i].compared)
			judge_part(watcher, unit, &unit->parts[i], now_ms);
}

static void forget_found(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->unit_count; i++)
		for (size_t j = 0; j < watcher->units[i]->part_count; j++)
			found_clear(&watcher->units[i]->parts[j].found);
}

/** Whether another run is waited for, which has looks of its own. */
static bool waits_for_own(const struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->unit_count; i++)
		for (size_t j = 0; j < watcher->units[i]->part_count; j++)
			if (watcher->units[i]->parts[j].watched.state == WATCHED_OWN)
				return true;
	return false;
}

void watcher_look(struct watcher *watcher, int64_t now_ms)
{
	bool whole, reached;

	if (now_ms < watcher->due_ms)
		return;
	watcher->suspected_ms = 0;
	look_small(watcher);
	whole = now_ms >= next_due_ms(watcher, INT64_MIN) ||
		(!waits_for_own(watcher) &&
		 (watcher->digest != watcher->last_digest || now_ms >= watcher->whole_due_ms));
	if (whole)
		look_whole(watcher);
	reached = judge_reach(watcher, watcher->units[0], now_ms);
	for (size_t i = 0; i < watcher->unit_count && whole && reached; i++)
		if (i == 0 || judge_reach(watcher, watcher->units[i], now_ms))
			judge_unit(watcher, watcher->units[i], now_ms);
	forget_found(watcher);
	if (whole && reached) {
		watcher_answer(watcher, now_ms);
		conclude_look(watcher, now_ms);
	}
	watcher->due_ms = now_ms + watcher->interval_ms;
	if (watcher->units[0]->reach.next_ms < watcher->due_ms)
		watcher->due_ms = watcher->units[0]->reach.next_ms;
	if (reached && next_due_ms(watcher, now_ms) < watcher->due_ms)
		watcher->due_ms = next_due_ms(watcher, now_ms);
	if (watcher->hinted_ms > now_ms && watcher->hinted_ms < watcher->due_ms)
		watcher->due_ms = watcher->hinted_ms;
}

void watcher_hint(struct watcher *watcher, int64_t now_ms)
{
	if (watcher->hinted_ms > now_ms)
		return; /* that look is still to come */
	watcher->hinted_ms += HINT_MS;
	if (watcher->hinted_ms < now_ms)
		watcher->hinted_ms = now_ms;
	if (watcher->hinted_ms < watcher->due_ms)
		watcher->due_ms = watcher->hinted_ms;
}

void watcher_forgive(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->unit_count; i++) {
		watcher->units[i]->actions = (struct actions){ 0 };
		for (size_t j = 0; j < watcher->units[i]->part_count; j++)
			watcher->units[i]->parts[j].watched.value_count = 0;
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
	for (size_t i = 0; i < watcher->unit_count; i++)
		watcher_suspect_unit(watcher->units[i], due_ms);
	look_anew(watcher);
	watcher->whole_due_ms = watcher->due_ms = due_ms;
}

static void unit_free(struct watch_unit *unit)
{
	for (size_t i = 0; i < unit->part_count; i++) {
		found_clear(&unit->parts[i].found);
		found_clear(&unit->parts[i].known);
		free(unit->parts[i].previous);
		free(unit->parts[i].subject);
	}
	free(unit->parts);
	free(unit->failure);
	free(unit->whole_failure);
	free(unit->name);
	free(unit);
}

void watcher_clear(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->unit_count; i++)
		unit_free(watcher->units[i]);
	free(watcher->units);
	free(watcher->own);
	free(watcher->trace);
	isst_cpuset_free(watcher->online);
	isst_cpuset_free(watcher->by_hand);
	isst_config_free(watcher->before);
	isst_cpuset_free(watcher->undisturbed);
	look_anew(watcher);
	*watcher = (struct watcher){ 0 };
}
