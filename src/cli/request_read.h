/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_REQUEST_READ_H
#define ISST_CLI_REQUEST_READ_H

#include "arguments/request.h"

/** Reads a command line. @reference: accept what the reference tool accepts, with a note.
 * @problem: what is wrong, to be freed; the request then has the format of the message. Returns
 * 0, -EINVAL or -ENOMEM. */
int request_read(struct request *request, bool reference, int argc, char **argv, char **problem);
void request_clear(struct request *request);

/* ---- Its parts: they return 0, -EINVAL with the problem, to be freed, or -ENOMEM ---- */

/* request_check.c */

/** The name of an option before the feature, or of the request's command. */
const char *request_option_name(const struct request *request, enum option_id id);

/** Whether the command has the format, and that goes with its options. */
int request_check_format(const struct request *request, char **problem);

int request_check(const struct request *request, char **problem);

/* request_problems.c */

/** The option before the feature whose value looks like a feature or an option; NULL: none. */
const struct option_row *request_greedy_option(const struct request *request);

/** As struct option_place has it. */
char *problem_find_elsewhere(const struct command *of, const char *name, size_t length);

/** A word that is neither a feature nor a command that stands in the place of one. */
int problem_unknown_feature(const struct request *request, const char *word, char **problem);

int problem_unknown_command(const struct feature *feature, const char *word, char **problem);

/** A word that is none of the command's; @before: the one that stands before it. */
int problem_unexpected_word(const struct request *request, const struct option_place *place,
			    const char *before, const char *word, char **problem);

#endif
