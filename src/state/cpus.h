/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs are online or isolated, as configurations state it: of whole domains, not by items. */
#ifndef ISST_STATE_CPUS_H
#define ISST_STATE_CPUS_H

#include "state/compare.h"

/** Adds what differs of domains for which CPUs are stated. CPUs that the kernel keeps offline while
 * SMT is off are as stated; a notice names them. Returns as wanted_compare(). */
int cpus_compare(struct wanted *wanted, struct differences *differences);

/** Plans CPUs that come online, or those that go offline or are isolated. Returns 0 or -ENOMEM,
 * -EINTR. */
int cpus_plan_all_online(struct wanted *wanted);
int cpus_plan_all_offline(struct wanted *wanted);

/**
 * CPUs that come online by the steps planned so far, and were offline ever since, belong to cores
 * and domains that are not known yet: what is stated of CPUs cannot be planned for them. Adds that
 * as problems. Returns 0 or -ENOMEM.
 */
int cpus_check_unknown(struct wanted *wanted);

/** Adds settings with the present state of the targets of @wanted, unless it is as @except (which
 * may be NULL) states it. What no setting describes is unmanaged, with a notice. Returns 0, -EIO
 * with a problem, -ENOMEM or -EINTR. */
int cpus_add_state(const struct wanted *wanted, struct configuration *configuration,
		   struct origin origin, const struct configuration *except);

#endif
