/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that are held: released, rolled back, or left behind by a process that is killed. */
#include "transaction/support/holds.h"
#include "support/snapshot.h"
#include "transaction/support/differences.h"

#include <signal.h>
#include <unistd.h>

/* ---- What becomes of a held change ---- */

static int release(struct isst_context *context, struct isst_change *change)
{
	int error = isst_change_release(change);

	(void)context;
	assert_false(isst_change_is_held(change));
	return error;
}

static int roll_back(struct isst_context *context, struct isst_change *change)
{
	int error = isst_change_roll_back(change);

	(void)context;
	assert_false(isst_change_is_held(change));
	return error;
}

/** As above; one that was not begun is left to isst_change_free(). */
static int roll_back_or_not(struct isst_context *context, struct isst_change *change)
{
	int error = isst_change_roll_back(change);

	(void)context;
	if (!error || error == -ENOTRECOVERABLE)
		assert_false(isst_change_is_held(change));
	else
		assert_true(isst_change_is_held(change));
	return error;
}

/** The change is freed while it is held. */
static int abandon(struct isst_context *context, struct isst_change *change)
{
	(void)context;
	assert_true(isst_change_is_held(change));
	return 0;
}

static int die(struct isst_context *context, struct isst_change *change)
{
	(void)context;
	(void)change;
	raise(SIGKILL);
	return 0;
}

/** The file of saved settings, to be freed. */
static char *saved_settings(const struct machine *machine)
{
	char *text = machine_text(machine, "run/saved-settings");

	return text ? text : strdup("");
}

static void make_held(const struct machine *machine, const struct request *request,
		      int (*held)(struct isst_context *context, struct isst_change *change))
{
	const struct making making = { .held = held };
	const struct outcome *outcome = machine_make(machine, request, &making);

	if (outcome_error(outcome) || *outcome->differences)
		fail_msg("%s, %s: %s\n%s", machine->name, request->name, outcome->message,
			 outcome->differences);
	machine_check_no_journal(machine, request->name);
}

static void release_one(const struct machine *machine, const struct request *request,
			const struct course *course, __attribute__((unused)) course_choice chosen)
{
	machine_prepare(machine, request->name);
	autofree char *expected = saved_settings(machine);
	moment_return(&course->before);
	make_held(machine, request, release);
	machine_check(machine, course->after, "%s, released", request->name);
	autofree char *saved = saved_settings(machine);
	assert_string_equal(saved, expected);
}

void every_release(void **state)
{
	for_each_request(*state, true, release_one, NULL);
}

static void roll_back_one(const struct machine *machine, const struct request *request,
			  const struct course *course, __attribute__((unused)) course_choice chosen)
{
	char *expected = saved_settings(machine), *saved;

	make_held(machine, request, roll_back);
	moment_check(machine, &course->before, "%s, rolled back", request->name);
	saved = saved_settings(machine);
	assert_string_equal(saved, expected);
	course_forget_offline(machine, course);
	make_held(machine, request, abandon);
	moment_check(machine, &course->before, "%s, abandoned", request->name);
	free(saved);
	free(expected);
}

void every_rollback(void **state)
{
	for_each_request(*state, true, roll_back_one, NULL);
}

/* ---- SIGKILL ---- */

/** What a request takes until it is held, and until it is rolled back. */
static void count(const struct machine *machine, const struct request *request,
		  const struct course *course,
		  int (*held)(struct isst_context *context, struct isst_change *change),
		  unsigned int *changes, unsigned int *reads)
{
	const struct making making = { .seam = &seam_counting, .held = held };
	const struct outcome *outcome = machine_make(machine, request, &making);

	assert_int_equal(outcome_error(outcome), 0);
	*changes = outcome->counts.changes;
	*reads = outcome->counts.reads;
	moment_return(&course->before);
}

/** Kills runs after every change of theirs, or after so many of them. */
static void kill_some(const struct machine *machine, const struct request *request,
		      const struct course *course, course_choice chosen)
{
	unsigned int samples = chosen == course_all ? UINT_MAX : suite_is_large() ? 6 : 3;
	const struct making making = { .held = roll_back }, dying = { .held = die };
	unsigned int changes, reads;

	count(machine, request, course, roll_back, &changes, &reads);
	for (unsigned int k = 1; k <= changes; k += 1 + changes / samples) {
		machine_kill_after(machine, request, &making, k);
		course_check_recovery(machine, request, course, k, "rolled back the ");
	}
	machine_make_killed(machine, request, &dying, "");
	/* One that wrote nothing has no journal. */
	if (course->changes > 0)
		course_check_recovery(machine, request, course, course->changes,
				      "rolled back the held change of an interrupted run");
}

void every_kill_of_holders(void **state)
{
	for_each_request(*state, false, kill_some, course_all);
}

void sampled_kills_of_holders(void **state)
{
	for_each_request(*state, false, kill_some, course_sample);
}

/* ---- Failures ---- */

/** The next run completes a rollback that was not complete. */
static void check_completed(const struct machine *machine, const struct request *request,
			    const struct course *course, const char *what, unsigned int k)
{
	machine_next_run(machine, 0, "");
	moment_check(machine, &course->before, "%s, %s %u of the rollback failed", request->name,
		     what, k);
	machine_check_no_journal(machine, request->name);
	course_forget_offline(machine, course);
}

/** A change of the rollback fails, and whatever is tried again. */
static void fail_change(const struct machine *machine, const struct request *request,
			const struct course *course, unsigned int k)
{
	const struct seam_plan plan = { .fail_change = k, .stuck_change = k, .error = -EIO };
	const struct making making = { .seam = &plan, .held = roll_back };
	const struct outcome *outcome;
	char *wrong = NULL;

	outcome = machine_make(machine, request, &making);
	autofree char *now = machine_picture(machine);
	if (outcome_error(outcome) == -ENOTRECOVERABLE) {
		wrong = differences_check(course->before.picture, now, outcome->differences);
		check_holds(outcome->message, "isst journal apply");
	} else if (outcome_error(outcome)) {
		fail_msg("%s, %s: %s", machine->name, request->name, outcome->message);
	}
	if (wrong)
		fail_msg("%s, %s, change %u (%s) of the rollback failed: %s\n%s", machine->name,
			 request->name, k, outcome->counts.target, wrong, outcome->message);
	check_completed(machine, request, course, "change", k);
}

static void fail_read(const struct machine *machine, const struct request *request,
		      const struct course *course, unsigned int k)
{
	const struct seam_plan plan = { .fail_read = k, .error = -EIO };
	const struct making making = { .seam = &plan, .held = roll_back_or_not };
	const struct outcome *outcome = machine_make(machine, request, &making);

	if (!outcome_error(outcome))
		moment_check(machine, &course->before, "%s, read %u of the rollback failed",
			     request->name, k);
	check_completed(machine, request, course, "read", k);
}

static void fail_one(const struct machine *machine, const struct request *request,
		     const struct course *course, __attribute__((unused)) course_choice chosen)
{
	const unsigned int stride = suite_is_large() ? 1 : 3;
	unsigned int changes[2], reads[2];

	count(machine, request, course, release, &changes[0], &reads[0]);
	count(machine, request, course, roll_back, &changes[1], &reads[1]);
	for (unsigned int k = changes[0] + 1; k <= changes[1]; k++)
		fail_change(machine, request, course, k);
	/* Another first one for each request. */
	for (unsigned int k = reads[0] + 1 + (unsigned int)strlen(request->name) % stride;
	     k <= reads[1]; k += stride)
		fail_read(machine, request, course, k);
}

void every_failing_rollback(void **state)
{
	for_each_request(*state, false, fail_one, NULL);
}
