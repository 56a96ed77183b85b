/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls that read for a set of targets have in common. */
#ifndef ISST_LIBRARY_READ_KIND_H
#define ISST_LIBRARY_READ_KIND_H

#include "library/results.h"
#include "library/targets.h"

/** A kind of results, of which each target has one or several, one struct each. */
struct read_kind {
	size_t size;
	/* Fills in whom the struct @index of a target is about. */
	void (*begin)(void *one, const struct isst_domain *domain, const struct isst_cpu *cpu,
		      unsigned int index);
	int (*read)(struct isst_context *context, void *structs, size_t count);
	/* Points a result to its struct. Returns 0 or -ENOMEM. */
	int (*finish)(struct isst_result *result, const void *one);
	unsigned int carried; /* sources */
};

#define CARRIES(source) (1U << SOURCE_##source)

/**
 * Reads for the targets of a call.
 *
 * @first, @each: so many structs for each target, the first of which has that number
 * Returns what isst_read_...() do.
 */
int read_kind(const struct read_kind *kind, const struct call *call, unsigned int first,
	      unsigned int each, struct isst_results **out);

/** The same with one struct for each domain, or for each CPU, of what isst_read_...() were given.
 */
int read_domains(const struct read_kind *kind, struct isst_context *context,
		 const struct isst_targets *targets, const struct isst_request *request,
		 unsigned int flags, struct isst_results **out);
int read_cpus(const struct read_kind *kind, struct isst_context *context,
	      const struct isst_targets *targets, const struct isst_request *request,
	      unsigned int flags, struct isst_results **out);

#endif
