/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a word of a command line; must not know machines. */
#ifndef ISST_CLI_REQUEST_PROBLEMS_H
#define ISST_CLI_REQUEST_PROBLEMS_H

#include "arguments/arguments.h"
#include "arguments/request.h"

/** The option before the feature that took for its value what looks like a word of its own: the
 * feature, or another option. NULL: none did. */
const struct option_row *request_greedy_option(const struct request *request);

/** Which commands have an option of that name, or what a command takes instead, as struct
 * option_place has it. */
char *problem_find_elsewhere(const struct command *of, const char *name, size_t length);

/*
 * The functions below return -EINVAL with the problem, to be freed, or -ENOMEM.
 */

/** A word that is neither a feature nor a command that stands in the place of one. */
int problem_unknown_feature(const struct request *request, const char *word, char **problem);

/** A word that is no command of a feature. */
int problem_unknown_command(const struct feature *feature, const char *word, char **problem);

/** A word that is none of the command's; @before: the one that stands before it. */
int problem_unexpected_word(const struct request *request, const struct option_place *place,
			    const char *before, const char *word, char **problem);

#endif
