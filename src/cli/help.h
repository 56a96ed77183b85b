/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_HELP_H
#define ISST_CLI_HELP_H

#include "arguments/request.h"

#include <stdio.h>

/** Writes the help of a command, a feature, or all. @program: the name to use; @preset: leave out
 * what does not work on preset platforms; @columns: of the page. */
void help_write(const char *program, const struct feature *feature, const struct command *command,
		bool preset, unsigned int columns, FILE *stream);

#endif
