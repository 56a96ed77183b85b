/* SPDX-License-Identifier: BSD-3-Clause */
/* What is watched, and what follows from a look. */
#include "watcher.h"

#include "../../common/hash.h"
#include "answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- What was found of a part ---- */

static void free_all(struct found **found, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		found_clear(&(*found)[i]);
	free(*found);
	*found = NULL;
	*count = 0;
}

static struct watched_part *find_part(struct watcher *watcher, const char *key)
{
	for (size_t i = 0; i < watcher->part_count; i++)
		if (strcmp(watcher->parts[i].key, key) == 0)
			return &watcher->parts[i];
	return NULL;
}

/** Returns NULL without memory. */
static struct watched_part *add_part(struct watcher *watcher, const char *key)
{
	size_t size = (watcher->part_count + 1) * sizeof(*watcher->parts);
	struct watched_part *parts = realloc(watcher->parts, size), *part;

	if (!parts)
		return NULL;
	watcher->parts = parts;
	part = &parts[watcher->part_count];
	*part = (struct watched_part){ .key = strdup(key) };
	watched_init(&part->watched);
	if (!part->key)
		return NULL;
	watcher->part_count++;
	return part;
}

/** Gives a value to its part. Returns false without memory. */
static bool take(struct watcher *watcher, struct found *found)
{
	struct watched_part *part = find_part(watcher, found->key);
	struct found *more;

	if (!part)
		part = add_part(watcher, found->key);
	if (!part)
		return false;
	more = realloc(part->found, (part->found_count + 1) * sizeof(*more));
	if (!more)
		return false;
	part->found = more;
	part->found[part->found_count++] = *found;
	*found = (struct found){ 0 };
	return true;
}

/** The value of a part, of which there may be several: those of CPUs. */
static uint64_t value_of(const struct watched_part *part, bool stated)
{
	uint64_t value = HASH_START;

	for (size_t i = 0; i < part->found_count; i++) {
		const struct found *found = &part->found[i];

		value = hash_string(value, found->target);
		value = hash_string(value, stated ? found->stated : found->present);
	}
	return value;
}

/* ---- Reports ---- */

static void report(struct watcher *watcher, const char *event, const char *target, const char *old,
		   const char *present, const char *cause)
{
	const struct watch_report what = {
		.event = event, .target = target, .old = old, .present = present, .cause = cause
	};

	watcher->report(watcher->data, &what);
}

/** Reports that something is, or is again, as the file states it, or is not. */
static void report_comparison(struct watcher *watcher, const struct found *found, bool equal)
{
	const struct watch_report what = { .event = equal ? "equal" : "differs",
					   .target = found->target,
					   .wanted = found->stated,
					   .present = equal ? found->stated : found->present,
					   .cause = watcher->own };

	watcher->report(watcher->data, &what);
}

static const struct found *find_target(const struct found *found, size_t count, const char *target)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(found[i].target, target) == 0)
			return &found[i];
	return NULL;
}

/** Whether a part is only watched to act on it: a file states nothing of it. */
static bool is_silent(const struct watcher *watcher, const struct watched_part *part)
{
	return watcher->looker.file && !part->compared &&
	       !request_has(watcher->run->request, OPTION_FOLLOW);
}

/** Reports what differs from what is known; what is not found any more is as stated. */
static void report_change(struct watcher *watcher, struct watched_part *part)
{
	for (size_t i = 0; i < part->found_count; i++) {
		const struct found *now = &part->found[i];
		const struct found *old = find_target(part->known, part->known_count, now->target);

		if (old && strcmp(old->present, now->present) == 0)
			continue;
		if (watcher->looker.file && part->compared)
			report_comparison(watcher, now, false);
		else
			report(watcher, "changed", now->target, old ? old->present : now->stated,
			       now->present, watcher->own);
	}
	for (size_t i = 0; i < part->known_count; i++) {
		const struct found *old = &part->known[i];

		if (!old->stated || find_target(part->found, part->found_count, old->target))
			continue;
		if (watcher->looker.file)
			report_comparison(watcher, old, true);
		else
			report(watcher, "changed", old->target, old->present, old->stated,
			       watcher->own);
	}
}

/* ---- After a look ---- */

/** Whether another run of this program is at work; remembers which, also one that was interrupted
 * and left a journal, which nothing is to be waited for of. */
static bool is_own_work(struct watcher *watcher)
{
	struct isst_journal *journal = NULL;
	struct isst_context *context = watcher->looker.context;
	bool busy = isst_lock(context, 0, ISST_LOCK_CHECK) == -EBUSY;
	char *own = busy ? strdup(isst_error(context)) : NULL;

	if (!busy && isst_journal_open(context, 0, &journal) == 0 && journal &&
	    asprintf(&own, "an interrupted run of isst: %s", isst_journal_command(journal)) < 0)
		own = NULL;
	isst_journal_free(journal);
	if (!own)
		return busy;
	free(watcher->own);
	watcher->own = own;
	return busy;
}

static void remember(struct watched_part *part)
{
	if (part->known_count > 0) {
		free(part->previous);
		part->previous = part->known[0].present;
		part->known[0].present = NULL;
	}
	free_all(&part->known, &part->known_count);
	part->known = part->found;
	part->known_count = part->found_count;
	part->found = NULL;
	part->found_count = 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), rest = strlen(end);

	return length >= rest && strcmp(text + length - rest, end) == 0;
}

static void take_change(struct watcher *watcher, struct watched_part *part, int64_t now_ms)
{
	bool fights;

	if (is_own_work(watcher) && watched_defer(&part->watched, now_ms))
		return;
	if (!is_silent(watcher, part))
		report_change(watcher, part);
	if (ends_with(part->key, LEVEL_KEY)) {
		part->pending = true;
		part->foreign_level = !watcher->own;
	}
	fights = watched_accept(&part->watched, !watcher->acted, now_ms);
	watcher->differences += !is_silent(watcher, part) &&
				(!part->compared || part->watched.value != part->base);
	remember(part);
	watcher->changed |= part->compared;
	if (fights)
		watcher_report_fight(watcher, part);
}

/** Feeds a part with what the look found of it. */
static void judge(struct watcher *watcher, struct watched_part *part, int64_t now_ms)
{
	bool stated = part->found_count > 0 && part->found[0].stated;
	bool there = part->found_count > 0 || part->compared;
	uint64_t value = part->found_count > 0 ? value_of(part, false) : part->base;
	bool first = !part->watched.has_value;

	if (stated && first) {
		part->base = value_of(part, true);
		part->compared = true;
		watched_know(&part->watched, part->base);
	}
	switch (watched_look(&part->watched, there, value, now_ms)) {
	case WATCHED_HAS_CHANGED:
		take_change(watcher, part, now_ms);
		break;
	case WATCHED_IS_UNSTABLE:
		report(watcher, "unstable", part->key, NULL, NULL,
		       "no two looks have found the same for ten seconds");
		break;
	case WATCHED_HAS_GONE:
		report(watcher, "gone", part->key,
		       part->known_count ? part->known[0].present : NULL, NULL, NULL);
		break;
	case WATCHED_HAS_RETURNED:
		report(watcher, "returned", part->key, NULL,
		       part->found_count ? part->found[0].present : NULL, NULL);
		break;
	case WATCHED_NOTHING:
		break;
	}
	if (first && part->watched.state == WATCHED_KNOWN && !part->compared)
		remember(part);
	free_all(&part->found, &part->found_count);
}

/** What the machine was becomes what it is, unless something is on its way. */
static void accept_machine(struct watcher *watcher)
{
	if (!watcher->changed || !looker_accept(&watcher->looker))
		return;
	watcher->changed = false;
	for (size_t i = 0; i < watcher->part_count; i++) {
		struct watched_part *part = &watcher->parts[i];

		if (!part->compared)
			continue;
		part->base = part->watched.value;
		free_all(&part->known, &part->known_count);
	}
}

static bool is_settled(const struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->part_count; i++) {
		const struct watched *watched = &watcher->parts[i].watched;

		if (watched->state != WATCHED_KNOWN && watched->state != WATCHED_GONE &&
		    !watched->unstable)
			return false;
	}
	return true;
}

static void judge_all(struct watcher *watcher, struct look *look, int64_t now_ms)
{
	for (size_t i = 0; i < look->count; i++)
		if (!take(watcher, &look->found[i]))
			report(watcher, "failed", "watch", NULL, NULL, "out of memory");
	for (size_t i = 0; i < watcher->part_count; i++)
		judge(watcher, &watcher->parts[i], now_ms);
	watcher_answer(watcher, now_ms);
	if (!is_settled(watcher))
		return;
	accept_machine(watcher);
	watcher->digest = look->digest;
	watcher->whole_due_ms = now_ms + watcher->whole_ms;
	free(watcher->own);
	watcher->own = NULL;
	watcher->acted = false;
}

/** Whether there is something to look at is watched like any value. */
static void judge_reach(struct watcher *watcher, struct look *look, int64_t now_ms)
{
	enum watched_verdict verdict = watched_look(&watcher->reach, !look->failure, 0, now_ms);

	if (look->failure) {
		free(watcher->failure);
		watcher->failure = look->failure;
		look->failure = NULL;
	}
	if (verdict == WATCHED_HAS_GONE)
		report(watcher, "unreadable", "machine", NULL, NULL, watcher->failure);
	else if (verdict == WATCHED_HAS_RETURNED)
		report(watcher, "readable", "machine", NULL, NULL, NULL);
	else if (verdict == WATCHED_IS_UNSTABLE)
		report(watcher, "unstable", "machine", NULL, NULL, watcher->failure);
}

/* Between looks for hints: while the processor is hot, the kernel sends an event every 100 ms. */
enum { HINT_MS = 1000 };

/** When the next look at a part is due. */
static int64_t parts_due_ms(const struct watcher *watcher)
{
	int64_t due_ms = INT64_MAX;

	for (size_t i = 0; i < watcher->part_count; i++)
		if (watcher->parts[i].watched.next_ms < due_ms)
			due_ms = watcher->parts[i].watched.next_ms;
	return due_ms;
}

static void schedule(struct watcher *watcher, bool reached, int64_t now_ms)
{
	int64_t due_ms = now_ms + watcher->interval_ms;

	if (watcher->reach.next_ms < due_ms)
		due_ms = watcher->reach.next_ms;
	/* Of what cannot be looked at nothing is due. */
	if (reached && parts_due_ms(watcher) < due_ms)
		due_ms = parts_due_ms(watcher);
	if (watcher_retry_ms(watcher) > now_ms && watcher_retry_ms(watcher) < due_ms)
		due_ms = watcher_retry_ms(watcher);
	if (watcher->hinted_ms > now_ms && watcher->hinted_ms < due_ms)
		due_ms = watcher->hinted_ms;
	watcher->due_ms = due_ms;
}

void watcher_begin(struct watcher *watcher)
{
	watched_init(&watcher->reach);
	watched_init(&watcher->repair);
	watched_know(&watcher->repair, 0);
}

void watcher_look(struct watcher *watcher, int64_t now_ms)
{
	struct look look;
	bool whole, reached;

	if (now_ms < watcher->due_ms)
		return;
	look_small(&watcher->looker, &look);
	whole = look.digest != watcher->digest || now_ms >= watcher->whole_due_ms ||
		now_ms >= watcher_retry_ms(watcher) || now_ms >= parts_due_ms(watcher);
	if (whole)
		look_whole(&watcher->looker, &look);
	reached = !look.failure;
	judge_reach(watcher, &look, now_ms);
	if (whole && reached)
		judge_all(watcher, &look, now_ms);
	look_clear(&look);
	schedule(watcher, reached, now_ms);
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
	for (size_t i = 0; i < watcher->part_count; i++)
		watched_forgive(&watcher->parts[i].watched);
	watched_forgive(&watcher->repair);
	isst_cpuset_free(watcher->by_hand);
	watcher->by_hand = NULL;
}

bool watcher_is_settled(const struct watcher *watcher)
{
	return watcher->reach.state == WATCHED_KNOWN && is_settled(watcher);
}

void watcher_suspect(struct watcher *watcher, int64_t now_ms)
{
	watched_suspect(&watcher->reach, now_ms);
	for (size_t i = 0; i < watcher->part_count; i++)
		watched_suspect(&watcher->parts[i].watched, now_ms);
	looker_close(&watcher->looker);
	watcher->whole_due_ms = watcher->due_ms = now_ms;
}

void watcher_clear(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->part_count; i++) {
		struct watched_part *part = &watcher->parts[i];

		free_all(&part->found, &part->found_count);
		free_all(&part->known, &part->known_count);
		free(part->previous);
		free(part->key);
	}
	free(watcher->parts);
	free(watcher->failure);
	free(watcher->own);
	isst_cpuset_free(watcher->online);
	isst_cpuset_free(watcher->by_hand);
	isst_config_free(watcher->looker.before);
	isst_cpuset_free(watcher->looker.undisturbed);
	looker_close(&watcher->looker);
	*watcher = (struct watcher){ 0 };
}
