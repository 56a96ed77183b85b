/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading for a set of things at once, as all features do it. */
#ifndef ISST_FEATURES_READING_H
#define ISST_FEATURES_READING_H

#include "topology/context.h"

/** Plans what one result needs; returns 0 or a negative errno that ends the whole call. */
typedef int (*plan_result)(struct isst_context *context, struct firmware_batch *batch,
			   void *result);

/** Reads @count results of @size bytes each, in one batch that @plan fills. Returns 0 or a negative
 * errno. */
int context_read(struct isst_context *context, void *results, size_t count, size_t size,
		 plan_result plan);

/** A batch for reads, which leave CPUs alone that are isolated or nohz_full; but not under the
 * lock: for a change some CPUs go offline. NULL without memory. */
struct firmware_batch *context_batch_new(struct isst_context *context);

#endif
