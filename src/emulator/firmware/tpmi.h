/* SPDX-License-Identifier: BSD-3-Clause */
/* What tpmi.c and tpmi_queries.c share: a request on its way through the driver. */
#ifndef EMULATOR_TPMI_H
#define EMULATOR_TPMI_H

#include "emulator/front/driver.h"

struct tpmi_call {
	struct server *server;
	size_t domain; /* index */
	struct tpmi_registers registers;
	const struct fault_effect *effect; /* what a rule says of firmware */
};

/* Each fills in the structure of its request, for a power domain that is there. Returns 0 or the
 * driver's negative errno. */
int query_perf_levels(struct tpmi_call *call, void *argument);
int query_level(struct tpmi_call *call, void *argument);
int query_level_mask(struct tpmi_call *call, void *argument);
int query_base_freq(struct tpmi_call *call, void *argument);
int query_base_freq_mask(struct tpmi_call *call, void *argument);
int query_turbo_freq(struct tpmi_call *call, void *argument);
int query_fabric(struct tpmi_call *call, void *argument);

#endif
