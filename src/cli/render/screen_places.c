/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the names of places from the steps of paths. */
#include "screen_places.h"

#include "../../common/memory_stream.h"
#include "../../common/numbered.h"
#include "../text/cpu_list.h"

#include <errno.h>
#include <stdlib.h>

/** The step of a unit with that key; NULL if there is none. */
static const struct report_step *find_step(const struct report_entry *unit, const struct key *key)
{
	for (size_t i = 0; i < unit->steps; i++)
		if (unit->path[i].key == key)
			return &unit->path[i];
	return NULL;
}

/** Whether two units are the same by the steps that always are shown. */
static bool is_same_without(const struct report_entry *one, const struct report_entry *other)
{
	for (size_t i = 0; i < one->steps; i++) {
		const struct key *key = one->path[i].key;
		const struct report_step *step = find_step(other, key);

		if (key->place && !key->optional && (!step || step->index != one->path[i].index))
			return false;
	}
	return true;
}

/** Whether two units differ in a step alone. */
static bool is_needed(const struct report *report, const struct report_entry *unit,
		      const struct report_step *step)
{
	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next) {
		const struct report_step *other;

		if (entry->kind != ENTRY_UNIT || entry->steps == 0)
			continue;
		other = find_step(entry, step->key);
		if (other && other->index != step->index && is_same_without(unit, entry))
			return true;
	}
	return false;
}

int screen_place_make(struct screen_place *place, const struct report *report,
		      const struct report_entry *unit)
{
	*place = (struct screen_place){ 0 };
	for (size_t i = 0; i < unit->steps; i++) {
		const struct report_step *step = &unit->path[i];
		size_t at = place->steps;

		if (!step->key->place || (step->key->optional && !is_needed(report, unit, step)))
			continue;
		place->keys[at] = step->key;
		place->numbers[at] = isst_cpuset_new();
		place->steps++;
		if (!place->numbers[at] ||
		    isst_cpuset_add(place->numbers[at], step->index, step->index))
			return -ENOMEM;
	}
	return 0;
}

void screen_place_clear(struct screen_place *place)
{
	for (size_t i = 0; i < place->steps; i++)
		isst_cpuset_free(place->numbers[i]);
	*place = (struct screen_place){ 0 };
}

bool screen_place_joins(const struct screen_place *one, const struct screen_place *other,
			size_t step)
{
	if (one->steps != other->steps)
		return false;
	for (size_t i = 0; i < one->steps; i++)
		if (one->keys[i] != other->keys[i] ||
		    (i != step && !cpus_are_same(one->numbers[i], other->numbers[i])))
			return false;
	return true;
}

int screen_place_join(struct screen_place *place, const struct screen_place *other)
{
	int error = 0;

	for (size_t i = 0; i < place->steps && !error; i++)
		error = isst_cpuset_add_set(place->numbers[i], other->numbers[i]);
	return error;
}

/** Whether a unit is at a place but for the last step of that; a whole package is at none. */
static bool is_beside(const struct screen_place *place, const struct report_entry *unit)
{
	size_t i = 0;

	while (i < place->steps) {
		const struct report_step *step = find_step(unit, place->keys[i]);

		if (!step)
			return false;
		if (!isst_cpuset_has(place->numbers[i], step->index))
			break;
		i++;
	}
	return i + 1 == place->steps;
}

/** Whether a place has all numbers of its last step. */
static bool has_all(const struct screen_place *place, const struct report *report)
{
	for (const struct report_entry *entry = report_first(report); entry; entry = entry->next)
		if (entry->kind == ENTRY_UNIT && entry->steps > 0 && is_beside(place, entry))
			return false;
	return true;
}

void screen_place_shorten(struct screen_place *place, const struct report *report)
{
	while (place->steps > 1 && has_all(place, report))
		isst_cpuset_free(place->numbers[--place->steps]);
}

bool screen_place_is_whole(const struct screen_place *place, const struct report *report)
{
	return place->steps == 1 && has_all(place, report);
}

char *screen_place_name(const struct screen_place *place)
{
	struct memory_stream memory;
	bool complete = true;

	if (memory_stream_open(&memory))
		return NULL;
	for (size_t i = 0; i < place->steps; i++) {
		char *name = name_numbers(place->keys[i]->place, place->numbers[i]);

		complete = complete && name;
		fprintf(memory.stream, "%s%s", i > 0 ? ", " : "", name ? name : "");
		free(name);
	}
	if (memory_stream_close(&memory))
		return NULL;
	if (complete)
		return memory.text;
	free(memory.text);
	return NULL;
}
