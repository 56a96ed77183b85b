/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUs run at, and what has limited them, as files of the kernel show it. */
#ifndef ISST_FEATURES_RUNNING_H
#define ISST_FEATURES_RUNNING_H

#include "topology/context.h"

struct cpu_running {
	const struct isst_cpu *cpu; /* in */
	/* -EOPNOTSUPP: the kernel shows none. */
	struct isst_failure failure;
	unsigned int mhz; /* of frequencies_read(): scaling_cur_freq */
	uint64_t reasons; /* of reasons_read(): a bit for each of limit_words[] */
};

/** Read for @count CPUs, each with @cpu set. Return 0, or a negative errno with a message where
 * nothing could be read. */
int frequencies_read(struct isst_context *context, struct cpu_running *cpus, size_t count);
int reasons_read(struct isst_context *context, struct cpu_running *cpus, size_t count);

#endif
