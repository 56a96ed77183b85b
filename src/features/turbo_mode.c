/* SPDX-License-Identifier: BSD-3-Clause */
/* The turbo ratio limits that are in force. */
#include "features/features.h"
#include "features/reading.h"

static int plan_limits(struct isst_context *context, struct firmware_batch *batch, void *result)
{
	struct isst_turbo_ratio_limits *limits = result;

	*limits = (struct isst_turbo_ratio_limits){ .domain = limits->domain };
	if (!context_accepts_domain(context, limits->domain, &limits->failure))
		return 0;
	return context->firmware.operations->plan_turbo_ratio_limits(batch, limits);
}

int turbo_ratio_limits_read(struct isst_context *context, struct isst_turbo_ratio_limits *limits,
			    size_t count)
{
	return context_read(context, limits, count, sizeof(*limits), plan_limits);
}
