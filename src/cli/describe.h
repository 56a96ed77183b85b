/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a report: which command it is of, and which machine. Must not know output formats.
 */
#ifndef ISST_CLI_DESCRIBE_H
#define ISST_CLI_DESCRIBE_H

#include "arguments/request.h"
#include "report/report.h"

/** Names the command, as far as the request has one. */
void describe_command(struct report_header *header, const struct request *request);

/** Describes the machine of a context that was opened just now; reads a file of the kernel. */
void describe_machine(struct report *report, struct isst_context *context);

#endif
