/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUs run at, what has limited them, and what packages draw, by files of the kernel. */
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

/** Power of a domain's package, or of its die where the kernel has zones of dies. */
struct domain_power {
	const struct isst_domain *domain; /* in */
	/* -EOPNOTSUPP: the kernel has no zone with a limit for it. */
	struct isst_failure failure;
	struct isst_value power_mw; /* absent: there was no reading before this one */
	struct isst_value limit_mw;
};

/** Read for @count CPUs, each with @cpu set. Return 0, or a negative errno with a message where
 * nothing could be read. */
int frequencies_read(struct isst_context *context, struct cpu_running *cpus, size_t count);
int reasons_read(struct isst_context *context, struct cpu_running *cpus, size_t count);

/** The same for domains, each with @domain set: what was drawn since the last call, which
 * @context keeps. */
int power_read(struct isst_context *context, struct domain_power *domains, size_t count);

#endif
