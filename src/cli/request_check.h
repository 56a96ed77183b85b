/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks what no single word of a command line shows; must not know machines. */
#ifndef ISST_CLI_REQUEST_CHECK_H
#define ISST_CLI_REQUEST_CHECK_H

#include "arguments/request.h"

/**
 * Whether a command has all that it needs, and nothing that it cannot be combined with.
 *
 * @request: with a command
 * @problem: set to a message, to be freed (NULL without memory)
 * Returns 0, -EINVAL or -ENOMEM.
 */
int request_check(const struct request *request, char **problem);

#endif
