/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results as programs get them: each with its target, its errors, and the structs that its values
 * are looked up in. They own all they show. Knows no feature.
 */
#ifndef ISST_LIBRARY_RESULTS_H
#define ISST_LIBRARY_RESULTS_H

#include "library/targets.h"
#include "library/values.h"

enum { PARTS = ISST_PART_CLOS + 1 };

struct isst_result {
	size_t target;
	const struct isst_domain *domain;
	const struct isst_cpu *cpu;
	unsigned int carried;	      /* bit n: results of this call have values of source n */
	const void *sources[SOURCES]; /* NULL: this one has none, for its error's sake */
	/* A value that is missing, or an error, is explained by what is nearest: its row's failure,
	 * its source's part, PART_RESULT, PART_PERF_PROFILE (results.c, why_none()). */
	struct isst_failure parts[PARTS];
};

struct isst_results {
	struct isst_result *items;
	size_t count;
	bool finished; /* the messages of their failures are their own */
	/* What the sources point to; the levels hold sets. */
	void *structs;
	struct domain_snapshot *levels;
	size_t level_count;
};

/** Results of a call, @each for each of its targets; @carried as above. NULL without memory. */
struct isst_results *results_new(const struct call *call, const struct target_list *list,
				 unsigned int each, unsigned int carried);

/**
 * Ends a call on a set, and hands over the results, with messages of their own; without @out they
 * are freed. Returns what the call does, by its results. Where all of them failed the context's
 * message is the first one's. -ENOMEM: there are none.
 *
 * @passes_io: results of I/O dies do not count, beside others
 */
int results_finish(struct isst_context *context, struct isst_results *results, bool passes_io,
		   struct isst_results **out);

#endif
