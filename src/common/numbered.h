/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of numbers (`CPU 5`, `packages 0-1`), and texts that differ in such names alone. */
#ifndef ISST_COMMON_NUMBERED_H
#define ISST_COMMON_NUMBERED_H

#include "isst.h"

#include <stdbool.h>
#include <stddef.h>

/** The word (plural for several numbers) and their list. To be freed; NULL without memory. */
char *name_numbers(const char *word, const struct isst_cpuset *numbers);

/** All numbers, without ranges: `0,1,2,5`; "" for none. To be freed; NULL without memory. */
char *numbers_enumeration(const struct isst_cpuset *numbers);

/** The numbers as a mask of the kernel: words of 8 hexadecimal digits, the most significant first.
 * @bits: its width, rounded up to whole words; higher numbers are left out. To be freed; NULL
 * without memory. */
char *numbers_mask(const struct isst_cpuset *numbers, unsigned int bits);

enum { FOLD_NAMES = 6 };

struct fold_name {
	const char *word;
	unsigned int level; /* see folds_add() and folds_join() */
	struct isst_cpuset *numbers;
};

struct fold {
	char *text; /* the first one */
	char *rest; /* with a mark for each name */
	struct fold_name names[FOLD_NAMES];
	size_t name_count;
	unsigned int texts; /* that are joined, each counted once */
	bool whole; /* it has all domains of its packages; several, if their numbers differ: */
	bool mixed;
	void *data; /* of the first text */
};

/** Texts in the order of the first of each; empty when zeroed. */
struct folds {
	struct fold *all;
	size_t count;
	void (*join)(void *data, void *other); /* called for texts that become one; may be NULL */
};

/**
 * Adds a text, or joins it with one that differs in cores and classes alone. Numbers of CPUs may
 * differ in any case. What is behind the first line has no names. Returns 0 or -ENOMEM.
 */
__attribute__((format(printf, 3, 4))) int folds_add(struct folds *folds, void *data,
						    const char *format, ...);

/**
 * Joins texts that differ in power domains alone, then in dies, then in packages. Packages as a
 * whole are joined even if numbers of their dies differ: `packages 0-7`. @machine: the names of all
 * domains, which are joined as well; or none. Returns 0 or -ENOMEM.
 */
int folds_join(struct folds *folds, struct folds *machine);

/** A text with all names, or all texts with "; " between. To be freed; NULL without memory. */
char *fold_text(const struct fold *fold);
char *folds_text(const struct folds *folds);

void folds_clear(struct folds *folds);

#endif
