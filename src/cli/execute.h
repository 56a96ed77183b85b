/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_EXECUTE_H
#define ISST_CLI_EXECUTE_H

#include "arguments/request.h"
#include "process/exit_status.h"
#include "render/output.h"

/** Names the command in a header, as far as the request has one. */
void describe_command(struct report_header *header, const struct request *request);

/** Executes the command. Returns the exit status, or that of a program as env(1) has it. */
int execute_command(const struct request *request, struct output *output);

#endif
