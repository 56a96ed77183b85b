/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of changes, folded for a reader: cores, CPUs and domains that change alike are named
 * together. Must not know how that is printed.
 */
#ifndef ISST_CLI_STEP_FOLDS_H
#define ISST_CLI_STEP_FOLDS_H

#include "isst.h"

struct step_folds;

/** NULL without memory. */
struct step_folds *step_folds_new(void);
void step_folds_free(struct step_folds *folds);

/**
 * Adds a step; one that was added before is not added again.
 *
 * @kind: ISST_ITEM_..., of the item that is written
 * @target: as isst_change_step_target()
 * Returns 0 or -ENOMEM.
 */
int step_folds_add(struct step_folds *folds, int kind, const char *target, const char *old_value,
		   const char *new_value);

/**
 * Calls @line for what is the same, in the order in which the first of each was added.
 *
 * @target: such as `package 0-1, die 0: core-power` or `CPU 0-3: online`
 * Returns 0 or -ENOMEM.
 */
int step_folds_visit(const struct step_folds *folds,
		     void (*line)(void *data, const char *target, const char *old_value,
				  const char *new_value),
		     void *data);

#endif
