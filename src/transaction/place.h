/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the items of a journal are, and which CPUs have to be online for it. */
#ifndef ISST_TRANSACTION_PLACE_H
#define ISST_TRANSACTION_PLACE_H

#include "transaction/items.h"

/** Where an item is. */
enum place {
	PLACE_NONE,	/* this machine has no such place */
	PLACE_OFFLINE,	/* no CPU is online by which it could be reached */
	PLACE_UNSERVED, /* of a power domain that the driver does not offer now */
	PLACE_REACHED,
};

/**
 * Where an item of a journal is. @cpus: if not NULL, the CPUs of a place that is offline are added
 * to it; one that nothing is remembered of may be that of any CPU which was never seen. Returns
 * -ENOMEM, or an enum place.
 */
int item_place(struct isst_context *context, const struct item *item, struct isst_cpuset *cpus);

/** Whether an item is of a core that its domain, all of whose cores are known, does not have. */
bool item_is_of_no_core(const struct isst_context *context, const struct item *item);

#endif
