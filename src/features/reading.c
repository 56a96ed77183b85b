/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of things at once. */
#include "features/reading.h"
#include "base/messages.h"

#include <errno.h>

struct firmware_batch *context_batch_new(struct isst_context *context)
{
	struct firmware_batch *batch = firmware_batch_new(&context->firmware);

	if (batch && context_has_lock(context))
		firmware_confirm(batch);
	else if (batch && !context_has_power_domains(context))
		firmware_leave_alone(batch);
	return batch;
}

int context_read(struct isst_context *context, void *results, size_t count, size_t size,
		 plan_result plan)
{
	const char *before = message_begin(&context->messages);
	int error = context_check_discovered(context);
	struct firmware_batch *batch = error ? NULL : context_batch_new(context);

	if (!error && !batch)
		error = -ENOMEM;
	for (size_t i = 0; i < count && !error; i++)
		error = plan(context, batch, (char *)results + i * size);
	if (!error)
		error = firmware_run(batch);
	firmware_batch_free(batch);
	return message_end(&context->messages, before, error);
}
