/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration states as the steps of a change, in the order that the hardware takes. */
#ifndef ISST_STATE_APPLY_H
#define ISST_STATE_APPLY_H

#include "state/package_scope.h"
#include "state/wanted.h"

/** Adds the steps. Objections stay with the change (isst_change_check()). Returns 0, -ENOMEM
 * or -EINTR. */
int wanted_plan(struct wanted *wanted, struct isst_change *change);

/* ---- Of commands ---- */

/** Core-power, and its priority. */
#define SUBJECTS_OF_SWITCHES \
	(1U << SUBJECT_CORE_POWER | 1U << SUBJECT_PRIORITY | 1U << SUBJECT_CLOS_ENABLE)
/** The same, and classes of service. */
#define SUBJECTS_OF_CORE_POWER \
	(SUBJECTS_OF_SWITCHES | 1U << SUBJECT_CLOS_MIN | 1U << SUBJECT_CLOS_MAX | \
	 1U << SUBJECT_CLOS_EPP | 1U << SUBJECT_CLOS_WEIGHT)
#define ALL_SUBJECTS UINT32_MAX

/** Adds a setting for one domain. Returns 0 or -ENOMEM. */
int settings_add(struct configuration *settings, const struct isst_context *context,
		 const struct isst_domain *domain, struct setting setting);

/**
 * Adds the steps for the settings of a command, where nothing stands against it any more.
 *
 * @requests: of the scope; where they are active the settings count
 * @shared: those that count in others than the active requests of the scope itself
 * @high_priority: the CPUs that a setting of high priority cores is for
 * Returns 0 or a negative errno with a message.
 */
int plan_settings(struct package_scope *scope, const struct domain_request *requests,
		  uint32_t shared, struct isst_cpuset *high_priority,
		  struct configuration *settings);

#endif
