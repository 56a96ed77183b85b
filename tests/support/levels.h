/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels with the summaries of their domains. In a header, as fake_context.h. */
#ifndef TESTS_SUPPORT_LEVELS_H
#define TESTS_SUPPORT_LEVELS_H

#include "features/snapshot.h"

#include <errno.h>
#include <stdlib.h>

static inline int level_read_parts(struct isst_context *context, struct isst_level *levels,
				   size_t count, unsigned int parts)
{
	struct isst_perf_profile *profiles = calloc(count + 1, sizeof(*profiles));
	size_t found = 0;
	int error;

	if (!profiles)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < found && profiles[k].domain != levels[i].domain)
			k++;
		profiles[k].domain = levels[i].domain;
		levels[i].profile = &profiles[k];
		found += k == found;
	}
	error = perf_profile_read(context, profiles, found);
	if (!error)
		error = levels_read(context, levels, count, sizeof(*levels), parts);
	for (size_t i = 0; i < count; i++)
		levels[i].profile = NULL;
	free(profiles);
	return error;
}

#endif
