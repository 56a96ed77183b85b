/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rollbacks that find the machine busy: once or twice, which must not show in the end, and for
 * good, after which the journal restores what is left.
 */
#include "support/snapshot.h"
#include "transaction/support/differences.h"
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

/* ---- What is left of a rollback ---- */

static int apply(struct isst_context *context)
{
	struct isst_journal *journal;
	int error;

	isst_journal_keep(context);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_journal_open(context, 0, &journal), 0);
	assert_non_null(journal);
	error = isst_journal_apply(journal, 0);
	isst_journal_free(journal);
	return error;
}

/** The next run restores what is left, or `isst journal apply` does where that has to be decided.
 */
static void finish(const struct machine *machine, const char *what)
{
	struct isst_context *context = machine_lock(machine);
	int error = isst_discover(context);

	if (error)
		check_holds(isst_error(context), "isst journal apply");
	isst_close(context);
	if (!error)
		return;
	context = machine_lock(machine);
	if (apply(context))
		fail_msg("%s, %s: %s", machine->name, what, isst_error(context));
	isst_close(context);
}

/* ---- Each operation of a rollback ---- */

/** The rollback is incomplete: the journal exists, and the message reports this and the
 * differences. */
static void check_kept(const struct machine *machine, const struct course *course,
		       const struct outcome *outcome, const char *what)
{
	char *journal = machine_text(machine, "run/journal"), *now = machine_picture(machine);
	char *wrong = differences_check(course->before.picture, now, outcome->differences);

	if (!journal || wrong)
		fail_msg("%s, %s: %s; %s", machine->name, what, journal ? "" : "no journal",
			 wrong ? wrong : "");
	check_holds(outcome->message, "the journal was kept");
	check_holds(outcome->message, "`isst journal apply`");
	free(journal);
	free(now);
	finish(machine, what);
}

static void make_busy(const struct machine *machine, const struct request *request,
		      const struct course *course, const struct seam_plan *plan)
{
	const struct making making = { .seam = plan };
	const struct outcome *outcome;
	char what[160];

	outcome = machine_make(machine, request, &making);
	snprintf(what, sizeof(what), "%s: change %u of %u failed, then busy at %u, %u times",
		 request->name, plan->fail_change, course->changes, plan->busy, plan->busy_times);
	/* A failure that was survived has nothing to be rolled back. */
	if (outcome_error(outcome) == -ENOTRECOVERABLE) {
		if (plan->busy_times != SEAM_ALWAYS)
			fail_msg("%s, %s: %s\n%s", machine->name, what, outcome->message,
				 outcome->differences);
		check_kept(machine, course, outcome, what);
	}
	if (outcome_error(outcome)) {
		moment_check(machine, &course->before, "%s", what);
		machine_check_no_journal(machine, what);
	}
	moment_return(&course->before);
}

/** How many operations the rollback of a failure takes; 0 where nothing is rolled back. */
static unsigned int count_operations(const struct machine *machine, const struct request *request,
				     const struct course *course, unsigned int k)
{
	const struct seam_plan plan = { .fail_change = k, .error = -EIO };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;
	unsigned int later;

	outcome = machine_make(machine, request, &making);
	later = outcome_error(outcome) ? outcome->counts.later : 0;
	moment_return(&course->before);
	return later;
}

enum { SAMPLES = 10 };

static void be_busy(const struct machine *machine, const struct request *request,
		    const struct course *course, __attribute__((unused)) course_choice chosen)
{
	static const unsigned int TIMES[] = { 1, 2, SEAM_ALWAYS };
	unsigned int later = count_operations(machine, request, course, course->changes);
	unsigned int stride = later / SAMPLES + 1;

	for (unsigned int at = 1; at <= later; at += stride)
		for (size_t i = 0; i < COUNT(TIMES); i++)
			make_busy(machine, request, course,
				  &(struct seam_plan){ .fail_change = course->changes,
						       .error = -EIO,
						       .busy = at,
						       .busy_times = TIMES[i] });
}

TEST_ON(a_busy_machine_is_rolled_back, "tests/tiny", "tests/tpmi-tiny")
{
	for_each_request(*state, false, be_busy, NULL);
}

#define MINIMUM(cpu) "write /sys/devices/system/cpu/cpu" #cpu "/cpufreq/scaling_min_freq "

/** Some kernels call limits busy while another CPU goes on- or offline. */
TEST(a_limit_that_is_busy_for_a_moment_fails_neither_change_nor_rollback)
{
	static const struct {
		const char *rules;
		int error;
	} CASES[] = {
		{ MINIMUM(1) "EBUSY times 1", 0 },
		{ MINIMUM(1) "EBUSY times 5", 0 },
		{ MINIMUM(1) "EBUSY", -EIO },
		{ MINIMUM(1) "EBUSY times 5 after 1\n" MINIMUM(3) "EIO times 1", -EIO },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		const struct outcome *outcome;

		automachine struct machine machine = machine_begin("tests/tiny");
		autofree char *before = machine_picture(&machine);
		machine_faults(&machine, "%s", CASES[i].rules);
		outcome = machine_try(&machine, "base-freq enable auto");
		if (outcome_error(outcome) != CASES[i].error)
			fail_msg("%s: %d, %s", CASES[i].rules, outcome_error(outcome),
				 outcome->message);
		if (CASES[i].error)
			machine_check(&machine, before, "%s", CASES[i].rules);
	}
}

/* ---- The same for a run that was killed ---- */

#define CLOS_WRITE "mmio 0x08 set"

TEST(a_recovery_that_finds_the_machine_busy_keeps_the_journal)
{
	static const struct {
		const char *rule;
		int result;
	} CASES[] = {
		{ CLOS_WRITE " EBUSY times 1", 0 },
		{ CLOS_WRITE " EBUSY times 2", 0 },
		{ CLOS_WRITE " EBUSY", -ENOTRECOVERABLE },
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct isst_context *context;

		automachine struct machine machine = machine_begin("tests/tiny");
		autofree char *before = machine_picture(&machine);
		/* CLOS 0 is what was not restored. */
		machine_faults(&machine, "%s",
			       CLOS_WRITE " EBUSY after 1\nwrite /sys/* EIO\n"
					  "mailbox 0x7f/0x02 EIO\n");
		{
			const struct outcome *outcome = machine_expect(
				&machine, "base-freq enable auto", -ENOTRECOVERABLE);

			check_holds(outcome->message, "the journal was kept");
		}
		machine_faults(&machine, "%s", CASES[i].rule);
		context = machine_lock(&machine);
		assert_int_equal(apply(context), CASES[i].result);
		if (CASES[i].result)
			check_holds(isst_error(context), "the journal was kept");
		isst_close(context);
		autofree char *journal = machine_text(&machine, "run/journal");
		assert_int_equal(journal != NULL, CASES[i].result != 0);
		if (!CASES[i].result)
			machine_check(&machine, before, "%s", CASES[i].rule);
	}
}

/* ---- A program that goes on ---- */

MACHINE_TEST(a_change_is_refused_while_an_earlier_one_is_not_rolled_back, "tests/tiny")
{
	const struct isst_clos clos = { .clos = 0, .max_mhz = 1500 };
	struct domain_request request = { 0 };
	struct isst_journal *journal;
	struct isst_change *change;

	autofree char *before = machine_picture(machine);
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	assert_int_equal(isst_discover(context), 0);
	request.domain = context_domain(context, 0);
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	assert_int_equal(change_plan_base_freq(change, &request, 1, true, true), 0);
	machine_faults(machine, "%s",
		       CLOS_WRITE " EBUSY after 1\nwrite /sys/* EIO\nmailbox 0x7f/0x02 EIO\n");
	assert_int_equal(change_run(change), -ENOTRECOVERABLE);
	isst_change_free(change);
	machine_faults(machine, "%s", "");
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	assert_int_equal(change_plan_clos(change, &request, 1, &clos, UINT32_MAX), 0);
	assert_int_equal(change_run(change), -EIO);
	check_holds(isst_error(context), "an earlier change could not be rolled back");
	isst_change_free(change);
	assert_int_equal(isst_journal_open(context, 0, &journal), 0);
	assert_non_null(journal);
	if (isst_journal_apply(journal, 0))
		fail_msg("%s", isst_error(context));
	isst_journal_free(journal);
	machine_check(machine, before, "the journal was applied");
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	assert_int_equal(change_plan_clos(change, &request, 1, &clos, UINT32_MAX), 0);
	assert_int_equal(change_run(change), 0);
	isst_change_free(change);
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
