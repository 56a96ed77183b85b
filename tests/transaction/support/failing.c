/* SPDX-License-Identifier: BSD-3-Clause */
/* One request, in which one operation after the other goes wrong. */
#include "transaction/support/failing.h"

/** Fails where the machine is neither as @before nor, unless a write failed, as asked (@done). */
static void check_failed(const struct machine *machine, const struct outcome *outcome,
			 const char *before, const char *done, const char *what)
{
	bool made = outcome_error(outcome) == 0 && outcome->here;

	if (outcome->differences)
		assert_string_equal(outcome->differences, "");
	if (made && !done)
		fail_msg("%s: made, though it failed: %s", machine->name, what);
	machine_check(machine, made ? done : before, "failed: %s: %s", what, outcome->message);
}

/** Returns false where there is no such operation: the request is made. */
static bool make_failing(const struct machine *machine, const struct request *request,
			 const struct seam_plan *plan, const char *done)
{
	autofree char *before = machine_picture(machine);
	const struct making making = { .seam = plan };
	const struct outcome *outcome = machine_make(machine, request, &making);

	if (outcome->counts.failed && !outcome_did_without_haste(outcome))
		check_failed(machine, outcome, before, done, outcome->counts.target);
	else
		assert_int_equal(outcome_error(outcome), 0);
	return outcome->counts.failed;
}

unsigned int fail_each_write(const struct machine *machine, const struct request *request)
{
	struct seam_plan plan = { .fail_change = 1, .error = -EIO };

	machine_restart(machine, NULL);
	while (make_failing(machine, request, &plan, NULL))
		plan.fail_change++;
	return plan.fail_change - 1;
}

unsigned int fail_each_read(const struct machine *machine, const struct request *request)
{
	struct seam_plan plan = { .error = -EIO };

	machine_restart(machine, NULL);
	make_failing(machine, request, &plan, NULL);
	autofree char *done = machine_picture(machine);
	do {
		machine_restart(machine, NULL);
		plan.fail_read++;
	} while (make_failing(machine, request, &plan, done));
	return plan.fail_read - 1;
}
