/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins texts that differ only in the domains, cores and CPUs that they name: messages of a report,
 * steps of changes and items of journals. Must not know what they are about. */
#ifndef ISST_CLI_FOLDS_H
#define ISST_CLI_FOLDS_H

#include "report.h"

/** Makes one message of those that are alike. @context: of the machine that they are about; NULL:
 * of none */
void message_folds_apply(struct report *report, const struct isst_context *context);

struct step_folds;

/** NULL without memory. */
struct step_folds *step_folds_new(void);
void step_folds_free(struct step_folds *folds);

/** The most texts of a step. */
enum { STEP_FOLD_TEXTS = 5 };

/** What is reported of a step, in an order of the caller's; NULL: nothing. */
struct step_texts {
	const char *text[STEP_FOLD_TEXTS];
};

/** Adds a step; one that was added before is not added again. Those with the same texts, which are
 * copied, are joined. @target: as isst_change_step_target(). Returns 0 or -ENOMEM. */
int step_folds_add(struct step_folds *folds, const char *target, const struct step_texts *texts);

/** Steps that are joined. */
struct step_group {
	const char *target; /* such as `packages 0-1, die 0: core-power` or `CPUs 0-3: online` */
	unsigned int count; /* of steps */
	struct step_texts texts;
};

typedef void (*step_folds_visitor)(void *data, const struct step_group *group);

/** Visits what is joined, in the order in which the first of each was added. @context: of the
 * machine; NULL: of none. Returns 0 or -ENOMEM. */
int step_folds_visit(const struct step_folds *folds, const struct isst_context *context,
		     step_folds_visitor visit, void *data);

#endif
