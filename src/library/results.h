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
	unsigned int carried;		  /* bit n: results of this call have values of source n */
	const void *sources[SOURCES];	  /* NULL: this one has none, for its error's sake */
	struct isst_failure parts[PARTS]; /* with messages of their own */
};

struct isst_results {
	struct isst_result *items;
	size_t count;
	/* What the sources point to; the levels hold sets. */
	void *structs;
	struct domain_snapshot *levels;
	size_t level_count;
};

/** Results of a call, @each for each of its targets; @carried as above. NULL without memory. */
struct isst_results *results_new(const struct call *call, const struct target_list *list,
				 unsigned int each, unsigned int carried);

/** Keeps why a part failed; nothing where it did not. Returns 0 or -ENOMEM. */
int result_fail(struct isst_result *result, enum isst_part part,
		const struct isst_failure *failure);

/**
 * Ends a call on a set: what it returns, by its results. Where all of them failed the context's
 * message is the first one's.
 *
 * @ignored: where not NULL, results of which it returns true do not count, beside others
 */
int results_conclude(struct isst_context *context, const struct isst_results *results,
		     bool (*ignored)(const struct isst_result *result));

#endif
