/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_REQUEST_READ_H
#define ISST_CLI_REQUEST_READ_H

#include "arguments/request.h"

/* What is wrong is a message, to be freed; NULL: nothing is. */

/** Reads a command line. @reference: accept what the reference tool accepts, with a note. After a
 * mistake the request has the format of the message. */
char *request_read(struct request *request, bool reference, int argc, char **argv);
void request_clear(struct request *request);

/* request_check.c */

/** An option before the feature, or of the request's command. */
const struct option_row *request_option_row(const struct request *request, enum option_id id);

/** Whether the command has the format, and that goes with its options. */
char *request_check_format(const struct request *request);
char *request_check(const struct request *request);

#endif
