/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a report that are the same for several domains, cores or CPUs. Must not know what
 * they are about. */
#ifndef ISST_CLI_MESSAGE_FOLDS_H
#define ISST_CLI_MESSAGE_FOLDS_H

#include "report.h"

/** Makes one message of those that differ only in the domain, core or CPUs that they name. */
void message_folds_apply(struct report *report);

#endif
