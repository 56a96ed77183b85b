/* SPDX-License-Identifier: BSD-3-Clause */
/* What the hardware holds back in a package, as explain finds it. Must not know output formats. */
#ifndef ISST_CLI_LIMITS_FOUND_H
#define ISST_CLI_LIMITS_FOUND_H

#include "run.h"

/** What limits the CPUs of a package. To be freed; NULL: it could not be explained. What could not
 * be read is reported, unless the run has errors: those are of the same. */
struct isst_explanation *package_explanation(struct run *run, unsigned int package);

/** Whether a finding (enum isst_finding_kind) is a performance limit reason. */
bool finding_is_limit(int code);

#endif
