/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the word that the user probably meant. */
#ifndef ISST_COMMON_SUGGEST_H
#define ISST_COMMON_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* as written */
	const char *best; /* the nearest so far, or NULL */
	size_t distance;
};

/** Adds a candidate. */
void suggestion_consider(struct suggestion *suggestion, const char *candidate);

#endif
