/* SPDX-License-Identifier: BSD-3-Clause */
/* Targets and requests as the calls of this layer take them apart. */
#ifndef ISST_LIBRARY_TARGETS_H
#define ISST_LIBRARY_TARGETS_H

#include "topology/context.h"

/** Targets of a call. Both lists are the targets'. */
struct target_list {
	const struct isst_domain *const *domains;
	size_t domain_count;
	const struct isst_cpu *const *cpus; /* where CPUs were named */
	size_t cpu_count;
};

/** What a call takes. */
struct call {
	struct isst_context *context;
	const struct isst_targets *targets;
	const struct isst_request *request;
	const int *values; /* that the request may have, ended by 0 */
	unsigned int flags, known_flags;
	bool for_cpus;
	/* For planning: */
	const struct target_list *list; /* of the targets */
	uint64_t needed;		/* the value that the request has to have */
};

/** Checks what a call was given. Returns 0 with the targets, or -EINVAL with a message. */
int call_check(const struct call *call, struct target_list *list);

/** Returns -ENOMEM, as the error of a call on this context. */
int call_no_memory(struct isst_context *context);

/** Ends a call that made *@cpus, which is NULL on an error. Returns @error. */
int call_end_cpus(struct isst_context *context, const char *before, struct isst_cpuset **cpus,
		  int error);

/** Notes that a change is without one of its requests and cannot be made. Returns @error. */
int call_spoil(struct isst_change *change, int error);

/** Whether a request, which may be NULL, has a value; *@value is 0 where it has not. */
bool request_get(const struct isst_request *request, int id, uint64_t *value);

/** The number of a request; @otherwise where it is not given. */
unsigned int request_get_number(const struct isst_request *request, int id, unsigned int otherwise);

/** The set of a request, which stays the request's; NULL where it is not given. */
const struct isst_cpuset *request_get_cpus(const struct isst_request *request, int id);

#endif
