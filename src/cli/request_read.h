/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_REQUEST_READ_H
#define ISST_CLI_REQUEST_READ_H

#include "arguments/request.h"

/** Reads a command line. @reference: accept what the reference tool accepts, with a note.
 * @problem: what is wrong, to be freed; the request then has the format of the message. Returns
 * 0 or -EINVAL. */
int request_read(struct request *request, bool reference, int argc, char **argv, char **problem);
void request_clear(struct request *request);

/* ---- Its parts: they return 0, or -EINVAL with the problem, to be freed ---- */

/* request_check.c */

/** An option before the feature, or of the request's command. */
const struct option_row *request_option_row(const struct request *request, enum option_id id);

/** Whether the command has the format, and that goes with its options. */
int request_check_format(const struct request *request, char **problem);
int request_check(const struct request *request, char **problem);

#endif
