/* SPDX-License-Identifier: BSD-3-Clause */
/* What is different in a report than in the one before. Must not know what they are about. */
#ifndef ISST_CLI_REPORT_CHANGES_H
#define ISST_CLI_REPORT_CHANGES_H

#include "report.h"

/**
 * Marks the leaves of a report that would be shown with another text than in an earlier report of
 * the same command, or that this did not have. Units are the same if their places are, whatever CPU
 * they are named by. What memory does not suffice for is not marked.
 */
void report_mark_changes(struct report *report, const struct report *before);

#endif
