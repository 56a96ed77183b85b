/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_COMMAND_TABLE_H
#define ISST_CLI_COMMAND_TABLE_H

#include "arguments/request.h"

#include <stdio.h>

/** Ended by a NULL name. */
extern const struct feature features[];

/** The options that the reference tool accepts behind each command; without help texts. */
extern const struct option_row argument_options[];

extern const struct command info_command;
/** The commands that stand in the place of a feature. Ended by a NULL name. */
extern const struct command single_commands[];

const struct feature *feature_find(const char *name);
/** Finds a command of a feature, or of single_commands; NULL: there is none. */
const struct command *command_find(const struct command *commands, const char *name);

/* help.c */

/** Writes the help of a command, a feature, or all. @program: the name to use; @preset: leave out
 * what does not work on preset platforms; @columns: of the page. */
void help_write(const char *program, const struct feature *feature, const struct command *command,
		bool preset, unsigned int columns, FILE *stream);

#endif
