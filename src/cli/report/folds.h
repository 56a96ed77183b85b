/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_FOLDS_H
#define ISST_CLI_FOLDS_H

#include "report.h"

/** Joins messages that are alike. @context: of their machine, or NULL */
void message_folds_apply(struct report *report, const struct isst_context *context);

/** Steps that are joined by their cores, classes and CPUs so far; empty, it is all zero. */
struct step_folds {
	struct fold *all;
	size_t count;
};

void step_folds_clear(struct step_folds *folds);

enum { STEP_FOLD_TEXTS = 5 };

/** What is reported of a step, in an order of the caller's; NULL: nothing. */
struct step_texts {
	const char *text[STEP_FOLD_TEXTS];
};

/** Adds a step once; texts are copied. @target: as isst_change_step_target(). Returns 0 or
 * -ENOMEM. */
int step_folds_add(struct step_folds *folds, const char *target, const struct step_texts *texts);

struct step_group {
	const char *target; /* such as `packages 0-1, die 0: core-power` or `CPUs 0-3: online` */
	unsigned int count; /* of steps */
	struct step_texts texts;
};

typedef void (*step_folds_visitor)(void *data, const struct step_group *group);

/** Visits joined steps in order of their first. @context: of the machine, or NULL. Returns 0 or
 * -ENOMEM. */
int step_folds_visit(const struct step_folds *folds, const struct isst_context *context,
		     step_folds_visitor visit, void *data);

#endif
