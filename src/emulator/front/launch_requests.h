/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver's requests take of a program's memory, which may be at wrong addresses. */
#ifndef EMULATOR_LAUNCH_REQUESTS_H
#define EMULATOR_LAUNCH_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>

struct isst_machine;

/** Of a batch what comes before its entries, which the driver copies one by one; else all. */
struct request_layout {
	size_t head, entry; /* bytes; no entry: it is no batch */
	size_t count_bytes; /* with which the head begins */
	unsigned int most;  /* entries */
	bool all_or_error;  /* the call returns no count of entries */
	int fault;	    /* what it returns where addresses are wrong */
};

/** Returns false for a request that takes none. */
bool launch_layout(const struct isst_machine *machine, unsigned long request,
		   struct request_layout *layout);

#endif
