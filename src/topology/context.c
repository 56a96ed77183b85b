/* SPDX-License-Identifier: BSD-3-Clause */
/* The topology of a context, which is found anew when CPUs went on- or offline. */
#include "topology/context.h"
#include "base/machine.h"

#include <errno.h>
#include <stdlib.h>

/** Keeps the present topology until the context is closed. */
static int retire_topology(struct isst_context *context)
{
	struct topology **retired;

	if (!context->topology)
		return 0;
	retired = reallocarray(context->retired, context->retired_count + 1, sizeof(*retired));
	if (!retired)
		return -ENOMEM;
	context->retired = retired;
	retired[context->retired_count++] = context->topology;
	context->topology = NULL;
	return 0;
}

int context_discover_topology(struct isst_context *context)
{
	struct topology_sources sources = { .files = &context->files,
					    .driver = &context->driver,
					    .operations = context->firmware.operations,
					    .messages = &context->messages,
					    .runtime_directory =
						    context->machine->runtime_directory };
	struct topology *topology;
	int error = topology_discover(&sources, &topology);

	if (error)
		return error;
	error = retire_topology(context);
	if (error)
		topology_free(topology);
	else
		context->topology = topology;
	return error;
}

void context_free_topology(struct isst_context *context)
{
	topology_free(context->topology);
	for (size_t i = 0; i < context->retired_count; i++)
		topology_free(context->retired[i]);
	free(context->retired);
}
