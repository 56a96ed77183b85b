/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine in front of another one, which sees every operation at the two seams: it counts what
 * reads and what changes something, and lets one of them fail. Knows no request of the library.
 */
#ifndef TESTS_TRANSACTION_SEAM_H
#define TESTS_TRANSACTION_SEAM_H

#include "base/machine.h"

#include <limits.h>
#include <stdbool.h>

/** What shall happen; numbers count from 1, 0 is never. */
struct seam_plan {
	unsigned int fail_change, fail_read;
	int error; /* negative errno */
	/* What this change was about cannot be changed any more once the other one has failed. */
	unsigned int stuck_change;
	/* Operations after the failure, of the rollback that is: from this one on so many (changes
	 * only, where these are all) are refused with EBUSY. */
	unsigned int busy, busy_times;
	/* Called right after this change was made. */
	unsigned int after_change;
	void (*then)(void);
	/* Called right before this read. */
	unsigned int before_read;
	void (*first)(void);
};

/** No end of it. */
#define SEAM_ALWAYS UINT_MAX

/** Nothing: it is only counted. */
extern const struct seam_plan seam_counting;

/** What did happen. */
struct seam_counts {
	unsigned int changes, reads;
	unsigned int later; /* operations after the failure */
	bool failed;	    /* the chosen operation was reached */
	/* What each change was: a word for command, register or file; ended by NULL. */
	char **kinds;
	char *target; /* of the one that failed: a line for messages */
};

/**
 * Puts itself in front of @inner, which it owns from then on; one at a time. @counts are to be
 * cleared.
 */
struct isst_machine *seam_open(struct isst_machine *inner, const struct seam_plan *plan,
			       struct seam_counts *counts);
void seam_counts_clear(struct seam_counts *counts);

/** The changes that were made by now. */
unsigned int seam_changes(void);

#endif
