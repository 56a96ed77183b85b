/* SPDX-License-Identifier: BSD-3-Clause */
#include "watcher.h"
#include "isst-journal.h"

#include "../../common/hash.h"
#include "../process/xalloc.h"
#include "../text/utc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNSTABLE_MS = 10 * 1000,
	OWN_LOOK_MS = 250,
	OWN_LOOKS = 4,
	OWN_LIMIT_MS = 120 * 1000, /* a level change takes hundreds of CPUs offline */
	HINT_MS = 1000,		   /* while the processor is hot, there is an event every 100 ms */
};

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
	row->found = xstrdup(!unit->seen && row->known && *row->known ? row->known : value);
	if (judge_row(watcher, unit, row, now_ms)) {
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

/** What runs of isst left last: a journal, or the record of `config apply`. To be freed; NULL:
 * nothing. */
static char *read_trace(struct isst_context *context)
{
	struct isst_apply_record *record = NULL;
	struct isst_journal *journal = NULL;
	char *trace = NULL, time[UTC_TEXT] = "?";
	const char *source;

	if (isst_journal_open(context, 0, &journal) == 0 && journal) {
		trace = xasprintf("an interrupted run of isst: %s", isst_journal_command(journal));
	} else if (isst_read_apply_record(context, 0, &record) == 0) {
		source = isst_apply_record_source(record);
		utc_text((time_t)isst_apply_record_time_s(record), time);
		trace = xasprintf("isst config apply%s%s at %s", source ? " " : "",
				  source ? source : "", time);
	}
	isst_apply_record_free(record);
	isst_journal_free(journal);
	return trace;
}

/** Whether another run of isst is at work; remembers it, also if it has left a new trace. */
static bool is_own_work(struct watcher *watcher)
{
	bool busy = isst_lock(watcher->context, 0, ISST_LOCK_CHECK) == -EBUSY;
	char *own = busy ? xstrdup(isst_error(watcher->context)) : read_trace(watcher->context);

	if (!busy && is_same(own, watcher->trace)) {
		free(own);
	} else if (own) {
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
	if (watcher->file || gone || (!watcher->changed && !new_unit) || !watcher_rebase(watcher))
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
			watch_row_free(row);
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

void watcher_begin(struct watcher *watcher)
{
	(void)watcher_unit(watcher, NULL);
}

void watcher_look(struct watcher *watcher, int64_t now_ms)
{
	bool whole, reached;

	if (now_ms < watcher->due_ms)
		return;
	watcher->suspected_ms = 0;
	/* What the driver was not bound to may be there by now, of which there is no event. */
	if (now_ms >= watcher->whole_due_ms && isst_left_out_at(watcher->context, 0))
		watcher_close_machine(watcher);
	watcher_look_small(watcher);
	/* Another run that is waited for has looks of its own. */
	whole = now_ms >= next_due_ms(watcher, INT64_MIN) ||
		(watcher->own_ms == 0 &&
		 (watcher->digest != watcher->last_digest || now_ms >= watcher->whole_due_ms));
	if (whole)
		watcher_look_whole(watcher);
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
	watcher_close_machine(watcher);
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
			watch_row_free(row);
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
	watcher_close_machine(watcher);
	*watcher = (struct watcher){ 0 };
}
