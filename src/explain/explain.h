/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out why CPUs run as they do. */
#ifndef ISST_EXPLAIN_EXPLAIN_H
#define ISST_EXPLAIN_EXPLAIN_H

#include "explain/findings.h"

/** Looks for everything in a survey. Returns 0 or -ENOMEM. To be cleared in any case; the survey
 * has to live as long. */
int explain(const struct survey *survey, struct findings *findings);

#endif
