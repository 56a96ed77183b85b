/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of a change that is held, as programs call it. */
#include "transaction/held.h"
#include "transaction/journal.h"
#include "transaction/lock.h"

#include <errno.h>
#include <unistd.h>

static int call(struct isst_change *change, int (*function)(struct isst_change *change))
{
	struct messages *messages;
	const char *before;

	if (!change)
		return -EINVAL;
	messages = &change->context->messages;
	before = message_begin(messages);
	return message_end(messages, before, function(change));
}

int isst_change_release(struct isst_change *change)
{
	return call(change, change_release);
}

int isst_change_roll_back(struct isst_change *change)
{
	return call(change, change_roll_back);
}

int isst_change_abandon(struct isst_change *change)
{
	return change ? change_abandon(change) : -EINVAL;
}

bool isst_change_is_held(const struct isst_change *change)
{
	return change && change->held;
}

const char *isst_change_holder(struct isst_context *context)
{
	unsigned int holder = context && !journal_is_missing(context) ? lock_holder(context) : 0;
	const char *command = holder && holder != (unsigned int)getppid()
				      ? journal_held_by(context, holder)
				      : NULL;

	return command ? message_make(&context->messages, "process %u holds a change (%s)", holder,
				      command)
		       : NULL;
}

void isst_change_free(struct isst_change *change)
{
	change_abandon(change);
	change_free(change);
}
