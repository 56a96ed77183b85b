/* SPDX-License-Identifier: BSD-3-Clause */
/* The topology of a context, which is found anew when CPUs went on- or offline. */
#include "topology/context.h"

int context_discover_topology(struct isst_context *context)
{
	struct topology_sources sources = { .files = &context->files,
					    .driver = &context->driver,
					    .operations = context->firmware.operations,
					    .messages = &context->messages,
					    .runtime = &context->runtime };
	struct topology *topology;
	int error = topology_discover(&sources, &topology);

	if (error)
		return error;
	if (context->topology)
		error = topology_inherit(topology, context->topology);
	if (error)
		topology_free(topology);
	else
		context->topology = topology;
	return error;
}
