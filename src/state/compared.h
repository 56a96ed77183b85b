/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wanted beside what is there, item by item; and the list of what differs. */
#ifndef ISST_STATE_COMPARED_H
#define ISST_STATE_COMPARED_H

#include "state/compare.h"

/** A wanted item with what it is. */
struct compared {
	const struct wanted_item *wanted;
	uint64_t present;     /* its bits */
	uint64_t listed_bits; /* what is wanted, as it is listed */
	bool differs;
	bool listed;
	bool at_most; /* it is wanted to be no more than that */
};

/** Lists those that differ. Returns 0 or -ENOMEM. */
int compared_list(const struct wanted *wanted, struct compared *compared, size_t count,
		  struct differences *differences);

#endif
