/* SPDX-License-Identifier: BSD-3-Clause */
/* Which formats a command has. Must not know machines. */
#ifndef ISST_CLI_FORMAT_CHECK_H
#define ISST_CLI_FORMAT_CHECK_H

#include "arguments/request.h"

/** Refuses a format that the command does not have, or that does not go with its options. Returns
 * 0, -EINVAL with *@problem (NULL without memory) or -ENOMEM. */
int format_check(const struct request *request, char **problem);

#endif
