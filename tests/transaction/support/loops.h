/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over all requests that a machine can take, in which one operation after the other goes
 * wrong. Each is a test whose *state is the name of the platform.
 */
#ifndef TESTS_TRANSACTION_LOOPS_H
#define TESTS_TRANSACTION_LOOPS_H

#include "transaction/support/machines.h"

/** What a request does when nothing goes wrong. */
struct course {
	unsigned int changes, reads;
	char **kinds; /* as in struct seam_counts */
	struct moment before;
	char *after; /* a picture */
	char *cache; /* what is remembered of CPUs that are offline */
};

/** Restarts the machine for the request, makes it, and puts the machine back. Returns false where
 * the machine cannot take it. To be cleared. */
bool course_run(const struct machine *machine, const struct request *request,
		struct course *course);
void course_clear(struct course *course);

/** Puts the machine back to where CPUs that were seen offline have been forgotten, if they were. */
void course_forget_offline(const struct machine *machine, const struct course *course);

/** The next run rolls back what one left that was killed after change @k, with a notice. */
void course_check_recovery(const struct machine *machine, const struct request *request,
			   const struct course *course, unsigned int k, const char *notice);

/** Whether change @k of a course is the first, middle or last of a row of its kind. */
bool course_sample(const struct course *course, unsigned int k);
/** The same of all that are of its kind; for machines on which rows are many. */
bool course_sample_kind(const struct course *course, unsigned int k);
/** The middle one of its kind. */
bool course_middle_of_kind(const struct course *course, unsigned int k);
/** All of them. */
bool course_all(const struct course *course, unsigned int k);
typedef bool (*course_choice)(const struct course *course, unsigned int k);

/** Called for each request that the machine can take, with the machine as it is before it. */
typedef void (*request_test)(const struct machine *machine, const struct request *request,
			     const struct course *course, course_choice chosen);
/** @variants: also requests that differ from another one in a number only. */
void for_each_request(const char *platform, bool variants, request_test test, course_choice chosen);

/** The k-th change fails, k from 1 on: the machine is as before. */
void every_change_fails(void **state);
/** The same for samples of rows, and of kinds. */
void sampled_changes_fail(void **state);
void sampled_kinds_fail(void **state);
/** The k-th read fails: an error and the machine as before, or no error and all done. */
void every_read_fails(void **state);
void sampled_reads_fail(void **state);
/** A change fails, and the rollback of another one as well: exactly the differences are listed. */
void every_undo_fails(void **state);
void sampled_undos_fail(void **state);
void sampled_kinds_and_undos_fail(void **state);

#endif
