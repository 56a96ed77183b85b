/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a change, as they are planned, and its texts. */
#include "transaction/steps.h"
#include "base/array.h"
#include "base/machine.h"
#include "common/memory_stream.h"
#include "common/printable.h"
#include "sysfs/cpufreq.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step *change_step(struct isst_change *change, enum item_kind kind)
{
	struct step *step = calloc(1, sizeof(*step));

	if (!step || ARRAY_GROW(change->steps, change->count)) {
		change->broken = true;
		free(step);
		return NULL;
	}
	step->change = change;
	step->kind = kind;
	if (change->count == 0)
		change->runs = change->context->runs;
	step->position = change->count;
	change->steps[change->count++] = step;
	return step;
}

struct step *change_step_behind(const struct step *before, enum item_kind kind)
{
	struct isst_change *change = before->change;
	struct step *step = change_step(change, kind);
	size_t at;

	if (!step)
		return NULL;
	for (at = change->count - 1; change->steps[at - 1] != before; at--) {
		change->steps[at] = change->steps[at - 1];
		change->steps[at]->position = at;
	}
	change->steps[at] = step;
	step->position = at;
	return step;
}

/* ---- Entries, and where an item has some ---- */

static bool is_before(const struct entry_place *one, const struct entry_place *other)
{
	if (one->step != other->step)
		return one->step->position < other->step->position;
	return one->footprint != other->footprint ? other->footprint : one->at < other->at;
}

/* A step may stand before one that was added earlier; an item has few entries. */
const struct entry_place *change_next_place(const struct isst_change *change,
					    const struct item *item,
					    const struct entry_place *before)
{
	const struct entry_place *next = NULL;

	for (size_t i = item_index_first(&change->index, item); i != ITEM_NONE;
	     i = item_index_next(&change->index, i)) {
		const struct entry_place *place = &change->places[i];

		if ((!before || is_before(before, place)) && (!next || is_before(place, next)))
			next = place;
	}
	return next;
}

struct entry *place_entry(const struct entry_place *place)
{
	return place->footprint ? &place->step->footprint[place->at]
				: &place->step->entries[place->at];
}

struct entry *step_entry(const struct step *step, size_t i)
{
	if (i < step->count)
		return &step->entries[i];
	i -= step->count;
	return i < step->footprint_count ? &step->footprint[i] : NULL;
}

/** The entry that a step has of an item. */
static struct entry *find_in_step(const struct step *step, const struct item *item, bool footprint)
{
	change_for_each_place (place, step->change, item)
		if (place->step == step && place->footprint == footprint)
			return place_entry(place);
	return NULL;
}

/** What callers set where there is no entry to be set. */
static _Thread_local struct entry no_entry;

static struct entry *add_entry(struct step *step, const struct item *item, bool footprint)
{
	struct isst_change *change = step->change;
	struct entry **entries = footprint ? &step->footprint : &step->entries;
	size_t *count = footprint ? &step->footprint_count : &step->count;
	size_t number = change->index.count;

	if (ARRAY_GROW(*entries, *count) || ARRAY_GROW(change->places, number) ||
	    item_index_add(&change->index, item)) {
		change->broken = true;
		return &no_entry;
	}
	change->places[number] = (struct entry_place){ step, *count, footprint };
	(*entries)[*count] = (struct entry){ .item = *item };
	return &(*entries)[(*count)++];
}

struct entry *step_set(struct step *step, struct item item, uint64_t mask, uint64_t bits)
{
	struct entry *entry = NULL;

	if (!step)
		return &no_entry;
	/* The entry of an item that domains share is the same for each of them. */
	if (item_is_shared(&item))
		entry = find_in_step(step, &item, false);
	if (!entry)
		entry = add_entry(step, &item, false);
	entry->mask = mask;
	entry->bits = bits;
	return entry;
}

struct entry *step_set_hidden(struct step *step, struct item item, uint64_t value, uint64_t shown)
{
	struct entry *entry = step_set(step, item, WHOLE_VALUE, value);

	entry->hidden = true;
	entry->shown = shown;
	return entry;
}

void step_raise(struct step *step, struct item item, uint64_t least, uint64_t value)
{
	struct entry *entry = step_set(step, item, WHOLE_VALUE, least);

	entry->raised = value;
	entry->at_least = true;
}

struct entry *step_disturbs(struct step *step, struct item item)
{
	struct entry *entry;

	if (!step || (item_is_shared(&item) && find_in_step(step, &item, true)))
		return &no_entry;
	entry = add_entry(step, &item, true);
	entry->mask = item_known_bits(item.kind);
	return entry;
}

void step_keeps(struct step *step, struct item item)
{
	struct entry *entry = step_disturbs(step, item);

	entry->optional = entry->keep = true;
}

void step_disturbs_limits(struct step *step, const struct isst_domain *domain, unsigned int cpu)
{
	step_disturbs(step, item_of(ITEM_SCALING_MAX, domain, cpu));
	step_disturbs(step, item_of(ITEM_SCALING_MIN, domain, cpu));
}

void step_disturbs_counterpart(struct step *step, const struct item *item)
{
	struct item counterpart;

	if (item_counterpart(item, &counterpart) && !find_in_step(step, &counterpart, true))
		step_disturbs(step, counterpart);
}

void change_be_exact(struct isst_change *change)
{
	for (size_t i = 0; i < change->count; i++)
		change->steps[i]->exact = true;
}

uint64_t entry_apply(const struct entry *entry, uint64_t value)
{
	uint64_t mask = entry->mask;

	if (entry->at_least)
		return value < entry->bits ? entry->raised : value;
	if ((value & mask & entry->not_lowered) > (entry->bits & mask & entry->not_lowered))
		mask &= ~entry->not_lowered;
	return (value & ~mask) | (entry->bits & mask);
}

bool entry_is_unseen(const struct step *step, const struct entry *entry)
{
	const struct isst_change *change = step->change;
	bool none = entry->bits == CPUFREQ_NO_LIMIT || entry->bits == 0;

	return entry->hidden && !(none && change->options.reversible && !change->turbo_switched);
}

void change_relies_on(struct isst_change *change, struct item item, uint64_t value)
{
	struct baseline_item *relied;

	if (baseline_add(&change->baseline, &item, true)) {
		change->broken = true;
		return;
	}
	relied = baseline_find(&change->baseline, &item);
	if (!relied->relied)
		relied->planned = value;
	relied->relied = true;
}

bool change_project(const struct isst_change *change, const struct item *item, uint64_t *value)
{
	bool any = false;

	change_for_each_place (place, change, item) {
		const struct entry *entry = place_entry(place);

		if (!place->footprint || entry->resets)
			*value = entry_apply(entry, *value);
		any |= !place->footprint;
	}
	return any;
}

bool change_has_begun(const struct isst_change *change)
{
	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->begun)
			return true;
	return false;
}

bool change_touches_cpus(const struct isst_change *change)
{
	for (size_t i = 0; i < change->count; i++)
		if (change->steps[i]->begun && change->steps[i]->kind == ITEM_ONLINE)
			return true;
	return false;
}

/* ---- What a change reports ---- */

/** Adds a message to a list, once; logs one that was added. */
static void add_message(struct isst_change *change, struct message_list *list, int code, int level,
			const struct isst_message *message)
{
	const size_t count = list->count;

	message_mark(message, code, level, 0);
	/* Without memory a text is lost; its cause still decides the outcome. */
	if (message_list_add(list, message) || list->count > count)
		message_log(&change->context->messages, level, message->text);
}

void change_warn(struct isst_change *change, enum isst_message_code code,
		 struct message_place place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_message(change, &change->warnings, (int)code, ISST_LOG_WARNING,
		    message_new(&change->texts, place, format, arguments));
	va_end(arguments);
}

struct message_place of_cause(const struct isst_change *change, const char *why)
{
	return of_text(message_find(&change->texts, why) ? &change->texts
							 : &change->context->messages,
		       why);
}

void change_warn_optional(struct isst_change *change, const char *why)
{
	change_warn(change, ISST_MESSAGE_LEFT_OUT, of_cause(change, why), "%s; left unchanged",
		    why);
}

void change_warn_left_out(struct isst_change *change, const char *why)
{
	change_warn(change, ISST_MESSAGE_LEFT_OUT, of_cause(change, why),
		    "%s; left unchanged, because the power domain has no CPUs", why);
}

/** Differences are in the error of the change, which is logged. */
static void add_difference(struct isst_change *change, const char *text)
{
	const struct isst_message *message = message_find(&change->texts, text);

	if (!message)
		return;
	message_mark(message, 0, ISST_LOG_ERROR, -ISST_ERR_ROLLBACK);
	change->texts.lost |= message_list_add(&change->differences, message) != 0;
}

void change_differs(struct isst_change *change, const struct item *item, struct item_value now,
		    struct item_value old)
{
	struct messages *texts = &change->texts;

	add_difference(change,
		       message_make_at(texts, of_item(change->context, item), "%s is %s, was %s",
				       item_text(texts, change->context, item),
				       item_value_text(texts, item, now),
				       item_value_text(texts, item, old)));
}

void change_differs_unread(struct isst_change *change, const struct item *item, const char *why)
{
	struct messages *texts = &change->texts;

	add_difference(change,
		       message_make_at(texts, of_item(change->context, item), "%s is unknown: %s",
				       item_text(texts, change->context, item), why));
}

void change_take_texts(struct isst_change *change, const struct isst_change *other)
{
	for (size_t i = 0; i < other->warnings.count; i++) {
		const struct isst_message *warning = other->warnings.items[i];

		change_warn(change, (enum isst_message_code)warning->code, warning->place, "%s",
			    warning->text);
	}
	for (size_t i = 0; i < other->differences.count; i++) {
		const struct isst_message *difference = other->differences.items[i];

		add_difference(change, message_make_at(&change->texts, difference->place, "%s",
						       difference->text));
	}
}

int change_list(struct isst_change *change)
{
	struct messages *texts = &change->texts;
	size_t total = 0;

	for (size_t i = 0; i < change->count; i++)
		total += change->steps[i]->count;
	change_forget_list(change);
	change->listed = calloc(total + 1, sizeof(*change->listed));
	if (!change->listed)
		return -ENOMEM;
	texts->lost = false;
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];
			struct isst_change_step *listed = &change->listed[change->listed_count];
			const struct item *item = &entry->item;
			/* What was there before it was written may be another than it read as. */
			bool seen = !entry_is_unseen(change->steps[i], entry) ||
				    entry->now.number != entry->shown;

			if (entry->state == ENTRY_UNKNOWN)
				continue;
			change->listed_count++;
			*listed = (struct isst_change_step){
				.target = item_text(texts, change->context, item),
				.old_value = seen ? item_value_text(texts, item, entry->now)
						  : "unknown",
				.new_value = item_value_text(texts, item, entry->wanted),
				.item = item_public(change->context, item),
				.old_number = item_number_of(item, entry->now, seen),
				.new_number = item_number_of(item, entry->wanted, true),
				.written = entry->state >=
					   (change->options.dry_run ? ENTRY_NEEDED : ENTRY_WRITTEN),
			};
			listed->field_count = item_fields(texts, change->context, item,
							  seen ? &entry->now : NULL, entry->wanted,
							  listed->fields);
		}
	/* A list with values that have no text would be taken for one of fewer writes. */
	if (!texts->lost)
		return 0;
	change_forget_list(change);
	return -ENOMEM;
}

void change_forget_list(struct isst_change *change)
{
	free(change->listed);
	change->listed = NULL;
	change->listed_count = 0;
}

void change_log(struct isst_change *change, const struct item *item, struct item_value from,
		struct item_value to, const char *result)
{
	struct isst_machine *machine = change->context->machine;
	const char *command = change->options.command;
	struct messages *texts = &change->texts;
	struct memory_stream text;
	char *line;

	if (!machine->log || !change->context->system_log || memory_stream_open(&text))
		return;
	/* The name of a program and words of its command line can be anything. */
	write_printable(command ? command : "", "", text.stream);
	fprintf(text.stream, "%s%s: %s -> %s: %s", command ? ": " : "",
		item_text(texts, change->context, item), item_value_text(texts, item, from),
		item_value_text(texts, item, to), result);
	line = memory_stream_text(&text);
	if (line)
		machine->log(machine->data, line);
	free(line);
}
