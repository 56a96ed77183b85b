/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a command line by the tables of options and commands. */
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

/* ---- Its parts: they return 0, -EINVAL with the problem, to be freed, or -ENOMEM ---- */

/* request_check.c */

/** The name of an option before the feature, or of the request's command. */
const char *request_option_name(const struct request *request, enum option_id id);

/** Whether the command has the format, and that goes with its options. */
int request_check_format(const struct request *request, char **problem);

/** Whether a command has all that it needs, and nothing that it cannot be combined with. */
int request_check(const struct request *request, char **problem);

/* request_problems.c */

/** The option before the feature that took for its value what looks like a word of its own: the
 * feature, or another option. NULL: none did. */
const struct option_row *request_greedy_option(const struct request *request);

/** Which commands have an option of that name, or what a command takes instead, as struct
 * option_place has it. */
char *problem_find_elsewhere(const struct command *of, const char *name, size_t length);

/** A word that is neither a feature nor a command that stands in the place of one. */
int problem_unknown_feature(const struct request *request, const char *word, char **problem);

/** A word that is no command of a feature. */
int problem_unknown_command(const struct feature *feature, const char *word, char **problem);

/** A word that is none of the command's; @before: the one that stands before it. */
int problem_unexpected_word(const struct request *request, const struct option_place *place,
			    const char *before, const char *word, char **problem);

#endif
