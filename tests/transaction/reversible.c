/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that have to be reversible: refused before the first write if a rollback could not
 * restore all of them, and otherwise made. */
#include "transaction/support/loops.h"

#define CPU "/sys/devices/system/cpu/"

/** Makes a request that has to be reversible. */
static const struct outcome *make_reversible(const struct machine *machine, const char *name)
{
	const struct making making = { .reversible = true };

	return machine_make(machine, request_find(name), &making);
}

/** The request is refused without a write, for a reason that its message holds. */
static void check_refused(const struct machine *machine, const char *name, const char *reason)
{
	const struct making making = { .reversible = true, .seam = &seam_counting };
	char *before = machine_picture(machine), *journal;
	const struct outcome *outcome = machine_make(machine, request_find(name), &making);

	assert_int_equal(outcome_error(outcome), -EIO);
	check_holds(outcome->message, reason);
	check_holds(outcome->message, "could not be rolled back as a whole");
	assert_int_equal(outcome->counts.changes, 0);
	machine_faults(machine, "%s", "");
	machine_check(machine, before, "%s", name);
	journal = machine_text(machine, "run/journal");
	assert_null(journal);
	free(before);
}

/** The same request is made if it need not be reversible. */
static void check_made(const struct machine *machine, const char *name)
{
	const struct outcome *outcome = machine_expect(machine, name, 0);

	assert_true(outcome->written > 0);
}

MACHINE_TEST(an_item_that_a_level_affects_and_that_cannot_be_read, "tests/tiny")
{
	/* A failed read is repeated once. */
	static const char RULES[] = "msr 0x1ad get EIO times 2";

	machine_faults(machine, RULES);
	check_refused(machine, "level 1", "cannot read the turbo ratio limits (MSR 0x1ad");
	machine_faults(machine, RULES);
	check_made(machine, "level 1");
}

MACHINE_TEST(core_power_that_a_level_affects_and_that_cannot_be_read, "guide")
{
	static const char RULES[] = "mailbox 0x94/0x03 package 1 EBUSY";

	machine_faults(machine, RULES);
	check_refused(machine, "level 1", "cannot read the state of core-power");
	machine_faults(machine, RULES);
	check_made(machine, "level 1");
}

TEST(limits_that_are_not_visible_while_turbo_is_off)
{
	static const struct {
		const char *platform, *request;
	} CASES[] = { { "tests/tiny", "turbo-mode disable" },
		      { "cascadelake-6230n", "base-freq enable" } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		automachine struct machine machine = machine_begin(CASES[i].platform);
		machine_set_file(&machine, CPU "intel_pstate/no_turbo", "1");
		check_refused(&machine, CASES[i].request, "not visible while turbo is disabled");
		check_made(&machine, CASES[i].request);
	}
}

/** SST-BF raises lower limits alone, which the kernel shows below the base frequency. */
MACHINE_TEST(lower_limits_are_visible_without_turbo, "tests/tiny")
{
	const struct outcome *outcome;

	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	outcome = make_reversible(machine, "base-freq enable auto");
	assert_int_equal(outcome_error(outcome), 0);
	assert_true(outcome->written > 0);
}

MACHINE_TEST(limits_below_the_base_frequency_are_visible_without_turbo, "tests/tiny")
{
	const struct outcome *outcome;

	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		autofree char *path = formatted(CPU "cpu%u/cpufreq/scaling_max_freq", cpu);
		machine_set_file(machine, path, "1500000");
	}
	outcome = make_reversible(machine, "turbo-mode disable");
	assert_string_equal(outcome->message, "");
	assert_int_equal(outcome_error(outcome), 0);
	assert_int_equal(outcome->written, 4);
}

/* ---- Everything else is reversible ---- */

static void make_one(const struct machine *machine, const struct request *request,
		     const struct course *course, __attribute__((unused)) course_choice chosen)
{
	const struct outcome *outcome = make_reversible(machine, request->name);

	if (outcome_error(outcome))
		fail_msg("%s, %s: %s", machine->name, request->name, outcome->message);
	machine_check(machine, course->after, "%s", request->name);
}

TEST_ON(every_request_is_reversible, "tests/tiny", "tests/multi-die", "tests/offline",
	"tests/tpmi-odd", "tests/preset-unnamed", "icelake-2s40c", "cascadelake-6230n")
{
	for_each_request(*state, true, make_one, NULL);
}
