/* SPDX-License-Identifier: BSD-3-Clause */
/* Help texts at three levels, made from the tables; must touch nothing of a machine. */
#ifndef ISST_CLI_HELP_H
#define ISST_CLI_HELP_H

#include "arguments/request.h"

#include <stdio.h>

/**
 * Writes the help of a command; without @command, of a feature; without @feature, of all.
 *
 * @program: the name to call the program by
 * @preset: for a machine whose Speed Select the BIOS has set up: of the commands only those that
 * work there
 * @columns: of the page
 */
void help_write(const char *program, const struct feature *feature, const struct command *command,
		bool preset, unsigned int columns, FILE *stream);

#endif
