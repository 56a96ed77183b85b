/* SPDX-License-Identifier: BSD-3-Clause */
/* What the options of a choice of cores (--high-priority) mean only together. */
#ifndef ISST_CLI_CHOICE_OPTIONS_H
#define ISST_CLI_CHOICE_OPTIONS_H

struct request;

/** Checks them. Returns 0, -EINVAL with a message, to be freed, or -ENOMEM. */
int choice_options_check(const struct request *request, char **problem);

#endif
