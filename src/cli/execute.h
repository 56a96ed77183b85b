/* SPDX-License-Identifier: BSD-3-Clause */
/* The execution of the command that was requested. */
#ifndef ISST_CLI_EXECUTE_H
#define ISST_CLI_EXECUTE_H

#include "arguments/request.h"
#include "process/exit_status.h"
#include "render/output.h"

/** Names the command in a header, as far as the request has one. */
void describe_command(struct report_header *header, const struct request *request);

/** Executes the request's command. Returns what the program ends with: enum exit_status, or for a
 * command that runs a program the statuses of env(1). */
int execute_command(const struct request *request, struct output *output);

#endif
