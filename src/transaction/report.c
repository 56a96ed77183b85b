/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of a change. */
#include "transaction/report.h"
#include "base/array.h"
#include "base/machine.h"
#include "common/memory_stream.h"
#include "common/printable.h"
#include "transaction/steps.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void change_warn(struct isst_change *change, enum isst_warning_kind kind, const char *format, ...)
{
	struct warning_list *list = &change->warnings;
	va_list arguments;
	const char *text;

	va_start(arguments, format);
	text = message_make_list(&change->texts, format, arguments);
	va_end(arguments);
	/* An item can be in a step and in a footprint. */
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].text == text)
			return;
	/* Without memory a text is lost; its cause still decides the outcome. */
	if (!ARRAY_GROW(list->items, list->count))
		list->items[list->count++] = (struct warning){ kind, text };
	message_log(&change->context->messages, ISST_LOG_WARNING, text);
}

void change_warn_optional(struct isst_change *change, const char *why)
{
	change_warn(change, ISST_WARNING_LEFT_OUT, "%s; left unchanged", why);
}

void change_warn_left_out(struct isst_change *change, const char *why)
{
	change_warn(change, ISST_WARNING_LEFT_OUT,
		    "%s; left unchanged, because the power domain has no CPUs", why);
}

void change_differs(struct isst_change *change, const struct item *item, struct item_value now,
		    struct item_value old)
{
	struct messages *texts = &change->texts;

	message_notice(texts, "%s is %s, was %s", item_text(texts, change->context, item),
		       item_value_text(texts, item, now), item_value_text(texts, item, old));
}

void change_differs_unread(struct isst_change *change, const struct item *item, const char *why)
{
	message_notice(&change->texts, "%s is unknown: %s",
		       item_text(&change->texts, change->context, item), why);
}

void change_take_texts(struct isst_change *change, const struct isst_change *other)
{
	for (size_t i = 0; i < other->warnings.count; i++)
		change_warn(change, other->warnings.items[i].kind, "%s",
			    other->warnings.items[i].text);
	for (size_t i = 0; i < other->texts.notices.count; i++)
		message_notice(&change->texts, "%s", other->texts.notices.texts[i]);
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
