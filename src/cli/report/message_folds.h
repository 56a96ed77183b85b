/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a report that are the same for several domains, cores or CPUs. Must not know what
 * they are about. */
#ifndef ISST_CLI_MESSAGE_FOLDS_H
#define ISST_CLI_MESSAGE_FOLDS_H

#include "report.h"

struct domain_list;

/** Lists all domains of a machine, for names of several of them. @context: NULL: there is none.
 * Returns 0 or -ENOMEM; the list is to be cleared in both cases. */
int list_domains(const struct isst_context *context, struct domain_list *machine);

/** Makes one message of those that differ only in the domain, core or CPUs that they name.
 * @context: of the machine that they are about; NULL: of none */
void message_folds_apply(struct report *report, const struct isst_context *context);

#endif
