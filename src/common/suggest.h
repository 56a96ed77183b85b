/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the word that the user probably meant; must not know where the words come from. */
#ifndef ISST_COMMON_SUGGEST_H
#define ISST_COMMON_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* what was written */
	const char *best; /* the nearest word so far; NULL: none is near */
	size_t distance;
};

/** Offers a word that exists. */
void suggestion_consider(struct suggestion *suggestion, const char *candidate);

#endif
