/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts into words why a word of the command line is no option, and what was probably meant. Must
 * not know features or commands.
 */
#ifndef ISST_CLI_OPTION_HINTS_H
#define ISST_CLI_OPTION_HINTS_H

#include "options.h"

/** Sets @problem to a message (NULL without memory). Returns -EINVAL or -ENOMEM. */
int usage_problem(char **problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * No option of @place.
 *
 * @word: as given
 * @name, @length: the name in it, or the letter
 */
int option_unknown(const struct option_place *place, const char *word, const char *name,
		   size_t length, char **problem);

/**
 * A word that is no option since it begins with a dash other than ASCII's, as word processors make
 * them of hyphens. Returns 0 if @word begins otherwise, -EINVAL or -ENOMEM.
 *
 * @rows: the options that may be meant
 */
int option_foreign_dash(const struct option_row *rows, const char *word, char **problem);

#endif
