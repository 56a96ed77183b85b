/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls that read for a set of targets have in common. */
#ifndef ISST_LIBRARY_READ_KIND_H
#define ISST_LIBRARY_READ_KIND_H

#include "library/results.h"
#include "library/targets.h"

#include <stddef.h>

/** A kind of results, of which each target has one or several, one struct each. */
struct read_kind {
	size_t size;
	size_t target_at;  /* of the domain or CPU that the struct is about */
	size_t failure_at; /* of what stands against all of it */
	int (*read)(struct isst_context *context, void *structs, size_t count);
	unsigned int carried; /* sources that are found in the struct */
	bool needs_success;   /* they are found only where nothing failed */
	/* Where it has several structs for a target: their number is kept here; 0: it has not. */
	size_t index_at;
	/* A part of results with a failure of its own; 0: there is none. */
	enum isst_part part;
	size_t part_failure_at;
};

#define READ_KIND(type, target, reader, sources) \
	.size = sizeof(type), .target_at = offsetof(type, target), \
	.failure_at = offsetof(type, failure), .read = (reader), .carried = (sources)

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
