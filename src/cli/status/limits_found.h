/* SPDX-License-Identifier: BSD-3-Clause */
/* What the hardware holds back in packages, as explain finds it. Must not know output formats. */
#ifndef ISST_CLI_LIMITS_FOUND_H
#define ISST_CLI_LIMITS_FOUND_H

#include "machine_status.h"

/** What limits the CPUs of the packages of the status, which keeps it; NULL: it could not be
 * explained. What could not be read is reported, unless the run has errors: those are of the same.
 */
const struct isst_explanation *limits_explanation(struct machine_status *status);

/** Whether a finding is a performance limit reason of a package. */
bool finding_is_limit_of(const struct isst_finding *finding, unsigned int package);

#endif
