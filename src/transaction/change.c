/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that create a change, free it and ask for what became of it. Its steps: steps.c;
 * running it: run.c. */
#include "transaction/change.h"
#include "transaction/lock.h"
#include "transaction/saved_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int make_change(struct isst_context *context, const struct isst_change_options *options,
		       struct isst_change **result)
{
	static const struct isst_change_options DEFAULTS;
	struct isst_change *change;
	int error;

	if (!options)
		options = &DEFAULTS;
	*result = NULL;
	if (!context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine has not been discovered yet");
	if (options->targets > ISST_SKIP_FAILED)
		return message_error(&context->messages, -EINVAL,
				     "%d is not a valid choice of targets (enum target_policy)",
				     (int)options->targets);
	error = options->dry_run ? 0 : lock_check(context, context->unlocks);
	if (error)
		return error;
	if (!options->dry_run && context->keep_journal)
		return message_error(&context->messages, -EINVAL,
				     "the journal of an interrupted run is being examined");
	change = calloc(1, sizeof(*change));
	if (!change)
		return -ENOMEM;
	change->context = context;
	change->unlocks = context->unlocks;
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
	const char *before;

	if (!context || !result)
		return context_refuse(context, "there is nowhere to put the change (NULL)");
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, make_change(context, options, result));
}

void change_free(struct isst_change *change)
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
	while (change->settings) {
		struct settings_plan *plan = change->settings;

		change->settings = plan->next;
		free(plan);
	}
	baseline_clear(&change->baseline);
	free(change->steps);
	free(change->places);
	item_index_clear(&change->index);
	free(change->enabled);
	free(change->listed);
	message_list_free(&change->warnings);
	message_list_free(&change->differences);
	messages_free(&change->texts);
	free(change);
}

const struct isst_change_step *change_listed_step(const struct isst_change *change, size_t index)
{
	return index < change->listed_count ? &change->listed[index] : NULL;
}

bool isst_change_is_unchanged(const struct isst_change *change)
{
	return change && change->made && !change->effective;
}

bool isst_change_has_left_out(const struct isst_change *change, const struct isst_domain *domain)
{
	for (size_t i = 0; change && domain && i < change->count; i++)
		for (size_t j = 0; j < change->steps[i]->count; j++) {
			const struct entry *entry = &change->steps[i]->entries[j];
			struct item same;

			if (!entry->refused || entry->optional)
				continue;
			same = item_of(entry->item.kind, domain, entry->item.index);
			if (item_is(&entry->item, &same))
				return true;
		}
	return false;
}

int isst_change_check(const struct isst_change *change)
{
	if (!change || !change->objection.error)
		return change ? 0 : -EINVAL;
	return message_error(&change->context->messages, change->objection.error, "%s",
			     change->objection.message);
}

const struct isst_message *isst_change_warning_at(const struct isst_change *change, size_t index)
{
	return change ? message_at(&change->warnings, index) : NULL;
}

const struct isst_message *isst_change_difference_at(const struct isst_change *change, size_t index)
{
	return change ? message_at(&change->differences, index) : NULL;
}
