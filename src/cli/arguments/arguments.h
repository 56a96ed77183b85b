/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the values of options; must not know which command they are for. */
#ifndef ISST_CLI_ARGUMENTS_H
#define ISST_CLI_ARGUMENTS_H

#include "options.h"

/**
 * Checks @text as the value of the option @row and stores it.
 *
 * @problem: on -EINVAL set to a message that names option, value and what was expected, to be freed
 * Returns 0, -EINVAL or -ENOMEM.
 */
int argument_read(const struct option_row *row, const char *text, struct option_values *values,
		  char **problem);

#endif
