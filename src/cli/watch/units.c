/* SPDX-License-Identifier: BSD-3-Clause */
/* What a watcher knows: domains and the machine, and their values. */
#include "watcher.h"

#include "../../common/hash.h"

#include <stdlib.h>
#include <string.h>

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

void watcher_fail(struct watcher *watcher, const char *why)
{
	struct watch_unit *machine = watcher->units[0];

	if (!machine->failure)
		machine->failure = strdup(*why ? why : "out of memory");
	machine->seen = false;
}

static struct watch_unit *add_unit(struct watcher *watcher, const char *name)
{
	size_t count = watcher->unit_count + 1;
	struct watch_unit **units = reallocarray(watcher->units, count, sizeof(*units));
	struct watch_unit *unit = units ? calloc(1, sizeof(*unit)) : NULL;

	watcher->units = units ? units : watcher->units;
	if (unit)
		unit->name = strdup(name);
	if (!unit || !unit->name) {
		free(unit);
		return NULL;
	}
	watched_init(&unit->reach);
	units[watcher->unit_count++] = unit;
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
	watcher_fail(watcher, "");
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

void watcher_take(struct watcher *watcher, struct watch_unit *unit, const char *subject,
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
	watcher_fail(watcher, "");
}

void watcher_report(struct watcher *watcher, const char *event, const char *target, const char *old,
		    const char *present, const char *cause)
{
	const struct watch_report what = {
		.event = event, .target = target, .old = old, .present = present, .cause = cause
	};

	watcher->report(watcher->report_data, &what);
}

bool watcher_unit_is_settled(const struct watcher *watcher, const struct watch_unit *unit)
{
	if (unit->reach.state == WATCHED_GONE)
		return true;
	if (unit->reach.state != WATCHED_KNOWN || (!watcher->file && !watcher->before))
		return false;
	for (size_t i = 0; i < unit->part_count; i++) {
		const struct watched *watched = &unit->parts[i].watched;

		if (watched->state != WATCHED_KNOWN && watched->state != WATCHED_GONE &&
		    !watched->unstable)
			return false;
	}
	return true;
}

void watcher_suspect_unit(struct watch_unit *unit, int64_t now_ms)
{
	watched_suspect(&unit->reach, now_ms);
	for (size_t i = 0; i < unit->part_count; i++)
		watched_suspect(&unit->parts[i].watched, now_ms);
}

void unit_free(struct watch_unit *unit)
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
