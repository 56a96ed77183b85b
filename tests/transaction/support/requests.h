/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests that change a machine, in one table; each is planned through the public interface.
 */
#ifndef TESTS_TRANSACTION_REQUESTS_H
#define TESTS_TRANSACTION_REQUESTS_H

#include "state/apply.h"
#include "transaction/tracked.h"

/** What stands against a request, a line each; and whether it was planned for anything. */
struct objections {
	char *lines;
	bool planned;
	int error; /* of the first one that is no lack of the machine */
};

struct request {
	const char *name;
	const char *before; /* names of requests that are made first, joined by "; " */
	/* As a whole, or as of all domains, or all online CPUs. */
	int (*plan)(struct isst_context *context, struct isst_change *change,
		    const struct request *request, struct objections *objections);
	int (*domains)(struct isst_change *change, const struct request *request,
		       struct domain_request *requests, size_t count);
	int (*cpus)(struct isst_change *change, const struct request *request,
		    struct domain_request *requests, size_t count);
	bool enable, automatic, online, limits_given;
	bool partitions, partition_for_cpu0;
	unsigned int level;
	/* Cores that are named: so many of each package, beginning with the lowest CPU. */
	unsigned int named;
	enum isst_priority_request priority;
	uint64_t limits;
	struct isst_clos clos;
	const char *config; /* statements of a configuration */
	bool one_package;   /* only the first one */
	bool one_domain;    /* likewise */
	bool variant;	    /* of another request, with another number */
};

/** All of them; ended by a NULL name. */
extern const struct request REQUESTS[];

int request_plan(struct isst_context *context, struct isst_change *change,
		 const struct request *request, struct objections *objections);

/** The one of that name; fails where there is none. */
const struct request *request_find(const char *name);

#endif
