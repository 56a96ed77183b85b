/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a command line by the tables of options and commands. Must not know machines. */
#ifndef ISST_CLI_REQUEST_READ_H
#define ISST_CLI_REQUEST_READ_H

#include "arguments/request.h"

/**
 * Understands a command line.
 *
 * @reference: accept what the reference tool accepts and has no effect, with a note
 * @problem: where the command line is wrong, set to a message, to be freed (NULL without memory).
 *	The request then still has the format of the message.
 * Returns 0, -EINVAL (wrong) or -ENOMEM.
 */
int request_read(struct request *request, bool reference, int argc, char **argv, char **problem);
void request_clear(struct request *request);

#endif
