/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a report: which command it is of, and which machine. Must not know output formats.
 */
#ifndef ISST_CLI_DESCRIBE_H
#define ISST_CLI_DESCRIBE_H

#include "report.h"
#include "request.h"

/** Names the command, as far as the request has one. */
void describe_command(struct report *report, const struct request *request);

/** Names the machine, for which a file of the kernel is read. */
void describe_machine(struct report *report, struct isst_context *context);

#endif
