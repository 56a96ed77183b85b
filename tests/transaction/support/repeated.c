/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeated requests, and the effect of each on the machine. */
#include "transaction/support/repeated.h"

static void repeat(const struct machine *machine, const struct request *request,
		   const struct course *course, const char *time)
{
	struct isst_emulator_statistics before, after;
	const struct making making = { .seam = &seam_counting };
	const struct outcome *outcome;

	before = machine_statistics(machine);
	outcome = machine_make(machine, request, &making);
	after = machine_statistics(machine);
	if (outcome_error(outcome) || !outcome->unchanged || outcome->written ||
	    after.writes != before.writes || outcome->counts.changes)
		fail_msg(
			"%s, %s, the %s time: %d, %llu writes to the driver, %u changes (%s ...)\n%s",
			machine->name, request->name, time, outcome_error(outcome),
			after.writes - before.writes, outcome->counts.changes,
			outcome->counts.changes ? outcome->counts.kinds[0] : "", outcome->steps);
	machine_check(machine, course->after, "%s, the %s time", request->name, time);
}

/** The second time may find what the first left in the runtime directory; the third does not. */
static void test_repeated(const struct machine *machine, const struct request *request,
			  const struct course *course, __attribute__((unused)) course_choice chosen)
{
	/* A CPU of a package that the driver does not offer is looked at whenever CPUs go on- or
	 * offline: it is not stored that it belongs to no power domain. */
	if (request->online && strcmp(machine->name, "tests/tpmi-odd") == 0)
		return;
	machine_prepare(machine, request->name);
	repeat(machine, request, course, "second");
	repeat(machine, request, course, "third");
}

void repeated_requests_write_nothing(void **state)
{
	for_each_request(*state, true, test_repeated, NULL);
}
