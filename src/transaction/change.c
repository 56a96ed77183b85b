/* SPDX-License-Identifier: BSD-3-Clause */
/* How a change is put together, and what is told of it. Making and undoing it: run.c, undo.c. */
#include "transaction/change.h"
#include "transaction/journal.h"
#include "transaction/record.h"
#include "transaction/undo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Makes room for one more element of an array. Returns false without memory. */
static bool grow(void **array, size_t count, size_t *space, size_t size)
{
	size_t wanted = *space ? *space * 2 : 16;
	void *larger;

	if (count < *space)
		return true;
	larger = reallocarray(*array, wanted, size);
	if (!larger)
		return false;
	*array = larger;
	*space = wanted;
	return true;
}

static int make_change(struct isst_context *context, const struct isst_change_options *options,
		       struct isst_change **result)
{
	static const struct isst_change_options DEFAULTS;
	struct isst_change *change;

	if (!options)
		options = &DEFAULTS;
	*result = NULL;
	if (!context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine is not discovered yet");
	if (options->targets > ISST_SKIP_FAILED)
		return message_error(&context->messages, -EINVAL,
				     "%d is no choice of targets (enum isst_targets)",
				     (int)options->targets);
	if (!options->dry_run && context->lock < 0)
		return message_error(
			&context->messages, -EINVAL,
			"a change needs the lock, taken before the machine is discovered");
	if (!options->dry_run && context->keep_journal)
		return message_error(&context->messages, -EINVAL,
				     "the journal of an interrupted run is being looked at");
	change = calloc(1, sizeof(*change));
	if (!change)
		return -ENOMEM;
	change->context = context;
	change->options = *options;
	if (options->command)
		change->options.command = message_make(&change->texts, "%s", options->command);
	change->journal = -1;
	*result = change;
	return 0;
}

int isst_change_new(struct isst_context *context, const struct isst_change_options *options,
		    struct isst_change **result)
{
	const char *before = message_begin(&context->messages);

	return message_end(&context->messages, before, make_change(context, options, result));
}

void isst_change_free(struct isst_change *change)
{
	if (!change)
		return;
	for (size_t i = 0; i < change->count; i++) {
		free(change->steps[i]->entries);
		free(change->steps[i]->footprint);
		free(change->steps[i]);
	}
	if (change->journal >= 0)
		close(change->journal);
	record_plans_free(change->records);
	baseline_clear(&change->baseline);
	free(change->steps);
	free(change->enabled);
	free(change->listed);
	free(change->warnings.texts);
	free(change->differences.texts);
	messages_free(&change->texts);
	free(change);
}

struct step *change_step(struct isst_change *change, enum item_kind kind)
{
	struct step *step = calloc(1, sizeof(*step));

	if (!step || !grow((void **)&change->steps, change->count, &change->space, sizeof(step))) {
		change->broken = true;
		free(step);
		return NULL;
	}
	step->change = change;
	step->kind = kind;
	if (change->count == 0)
		change->runs = change->context->runs;
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
	for (at = change->count - 1; change->steps[at - 1] != before; at--)
		change->steps[at] = change->steps[at - 1];
	change->steps[at] = step;
	return step;
}

/** The kernel keeps a lower limit below the upper one: a write to one of them may move the other.
 */
static const enum item_kind COUNTERPARTS[ITEM_KINDS] = {
	[ITEM_SCALING_MAX] = ITEM_SCALING_MIN,
	[ITEM_SCALING_MIN] = ITEM_SCALING_MAX,
	[ITEM_UNCORE_MAX] = ITEM_UNCORE_MIN,
	[ITEM_UNCORE_MIN] = ITEM_UNCORE_MAX,
};

bool item_counterpart(const struct item *item, struct item *counterpart)
{
	*counterpart = *item;
	counterpart->kind = COUNTERPARTS[item->kind];
	return COUNTERPARTS[item->kind] != 0;
}

static struct entry *add_entry(struct step *step, struct item item)
{
	struct entry *entry;

	if (!step)
		return NULL;
	if (!grow((void **)&step->entries, step->count, &step->space, sizeof(*entry))) {
		step->change->broken = true;
		return NULL;
	}
	entry = &step->entries[step->count++];
	*entry = (struct entry){ .item = item, .mask = WHOLE_VALUE };
	return entry;
}

void step_set(struct step *step, struct item item, uint64_t mask, uint64_t bits)
{
	struct entry *entry = add_entry(step, item);

	if (entry) {
		entry->mask = mask;
		entry->bits = bits;
	}
}

void step_set_optional(struct step *step, struct item item, uint64_t mask, uint64_t bits)
{
	size_t count = step ? step->count : 0;

	step_set(step, item, mask, bits);
	if (step && step->count > count)
		step->entries[count].optional = true;
}

void step_set_hidden(struct step *step, struct item item, uint64_t value, uint64_t shown)
{
	struct entry *entry = add_entry(step, item);

	if (entry) {
		entry->bits = value;
		entry->hidden = true;
		entry->shown = shown;
	}
}

void step_raise(struct step *step, struct item item, uint64_t least)
{
	step_raise_to(step, item, least, least);
}

void step_raise_to(struct step *step, struct item item, uint64_t least, uint64_t value)
{
	struct entry *entry = add_entry(step, item);

	if (entry) {
		entry->bits = least;
		entry->raised = value;
		entry->at_least = true;
	}
}

void step_set_text(struct step *step, struct item item, const char *text)
{
	struct entry *entry = add_entry(step, item);

	if (entry)
		entry->text = text;
}

static void add_to_footprint(struct step *step, struct item item, bool optional)
{
	if (!step)
		return;
	if (!grow((void **)&step->footprint, step->footprint_count, &step->footprint_space,
		  sizeof(*step->footprint))) {
		step->change->broken = true;
		return;
	}
	step->footprint[step->footprint_count++] = (struct entry){
		.item = item, .mask = item_known_bits(item.kind), .optional = optional
	};
}

void step_disturbs(struct step *step, struct item item)
{
	add_to_footprint(step, item, false);
}

void step_resets(struct step *step, struct item item, uint64_t bits)
{
	size_t count = step ? step->footprint_count : 0;

	step_disturbs_optional(step, item);
	if (step && step->footprint_count > count) {
		step->footprint[count].resets = true;
		step->footprint[count].bits = bits;
	}
}

void step_disturbs_optional(struct step *step, struct item item)
{
	add_to_footprint(step, item, true);
}

void step_disturbs_counterpart(struct step *step, const struct item *item)
{
	struct item counterpart;

	if (!item_counterpart(item, &counterpart))
		return;
	for (size_t i = 0; i < step->footprint_count; i++)
		if (item_is(&step->footprint[i].item, &counterpart))
			return;
	step_disturbs(step, counterpart);
}

static void project_entry(const struct entry *entry, const struct item *item, uint64_t *value)
{
	if (!item_is(&entry->item, item))
		return;
	if (entry->at_least)
		*value = *value < entry->bits ? entry->raised : *value;
	else
		*value = (*value & ~entry->mask) | (entry->bits & entry->mask);
}

bool change_project(const struct isst_change *change, const struct item *item, uint64_t *value)
{
	bool any = false;

	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count; j++) {
			project_entry(&step->entries[j], item, value);
			any |= item_is(&step->entries[j].item, item);
		}
		for (size_t j = 0; j < step->footprint_count; j++)
			if (step->footprint[j].resets)
				project_entry(&step->footprint[j], item, value);
	}
	return any;
}

static void add_text(struct text_list *list, const char *text)
{
	/* Without memory a text is lost; what it tells of still decides the outcome. */
	if (grow((void **)&list->texts, list->count, &list->space, sizeof(text)))
		list->texts[list->count++] = text;
}

/** Whether something was said already: an item can be in a step and in a footprint. */
static bool has_text(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->texts[i], text) == 0)
			return true;
	return false;
}

void change_warn(struct isst_change *change, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (!has_text(&change->warnings, text))
		add_text(&change->warnings, message_make(&change->texts, "%s", text));
	free(text);
}

void change_warn_optional(struct isst_change *change, const char *why)
{
	change_warn(change, "%s; left as it is", why);
}

void change_warn_left_out(struct isst_change *change, const char *why)
{
	change_warn(change, "%s; left as it is, as the power domain has no CPUs", why);
}

void change_differs(struct isst_change *change, const struct item *item, struct item_value now,
		    struct item_value old)
{
	struct messages *texts = &change->texts;

	add_text(&change->differences,
		 message_make(texts, "%s is %s, was %s", item_text(texts, change->context, item),
			      item_value_text(texts, item, now),
			      item_value_text(texts, item, old)));
}

void change_differs_unread(struct isst_change *change, const struct item *item, const char *why)
{
	struct messages *texts = &change->texts;
	const char *text = message_make(texts, "%s is not known: %s",
					item_text(texts, change->context, item), why);

	if (!has_text(&change->differences, text))
		add_text(&change->differences, text);
}

void change_forget_differences(struct isst_change *change)
{
	change->differences.count = 0;
}

/** Whether what was there before an entry was written is what it read as. */
static bool is_seen(const struct entry *entry)
{
	return !entry->hidden || entry->now.number != entry->shown;
}

int change_list(struct isst_change *change)
{
	size_t total = 0;

	for (size_t i = 0; i < change->count; i++)
		total += change->steps[i]->count;
	change_forget_list(change);
	change->listed = calloc(total + 1, sizeof(*change->listed));
	if (!change->listed)
		return -ENOMEM;
	change->texts.lost = false;
	for (size_t i = 0; i < change->count; i++) {
		const struct step *step = change->steps[i];

		for (size_t j = 0; j < step->count; j++) {
			const struct entry *entry = &step->entries[j];
			const struct item *item = &entry->item;

			if (!entry->recorded)
				continue;
			change->listed[change->listed_count++] = (struct isst_change_step){
				.target = item_text(&change->texts, change->context, item),
				.old_value = is_seen(entry) ? item_value_text(&change->texts, item,
									      entry->now)
							    : "unknown",
				.new_value = item_value_text(&change->texts, item, entry->wanted),
				.written = entry->written,
			};
		}
	}
	/* A list with values that have no text would be taken for one of fewer writes. */
	if (!change->texts.lost)
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

const struct isst_change_step *isst_change_step(struct isst_change *change, size_t index)
{
	if (!change->listed && change_list(change))
		return NULL;
	return index < change->listed_count ? &change->listed[index] : NULL;
}

bool isst_change_unchanged(const struct isst_change *change)
{
	return !change->moved;
}

bool isst_change_left_out(const struct isst_change *change, const struct isst_domain *domain)
{
	for (size_t i = 0; i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];
			struct item same = item_of(entry->item.kind, domain, entry->item.index);

			if (entry->refused && !entry->optional && item_is(&entry->item, &same))
				return true;
		}
	return false;
}

int isst_change_objection(const struct isst_change *change)
{
	const struct isst_failure *objection = &change->objection;

	if (!objection->error)
		return 0;
	return message_error(&change->context->messages, objection->error, "%s",
			     objection->message);
}

static const char *text_at(const struct text_list *list, size_t index)
{
	return index < list->count ? list->texts[index] : NULL;
}

const char *isst_change_warning(const struct isst_change *change, size_t index)
{
	return text_at(&change->warnings, index);
}

const char *isst_change_difference(const struct isst_change *change, size_t index)
{
	return text_at(&change->differences, index);
}
