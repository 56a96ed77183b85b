/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a configuration states, and that do not come about: all is rolled back, what the
 * kernel does not show included. */
#include "transaction/support/states.h"

#include <sys/wait.h>
#include <unistd.h>

#define CPU "/sys/devices/system/cpu/"
#define UNCORE CPU "intel_uncore_frequency/"
#define HEADER "# isst configuration 1\n"

/** A configuration is refused; @message: part of why. */
static void check_fails(const struct machine *machine, const char *text, const char *message)
{
	struct applied applied = states_try(machine, STATES_TEXT, text);

	if (applied.error != -EIO)
		fail_msg("%s: %d of\n%s", machine->name, applied.error, text);
	check_holds(applied.message, message);
	free(applied.message);
}

static void check_succeeds(const struct machine *machine, const char *text)
{
	struct applied applied = states_try(machine, STATES_TEXT, text);

	if (applied.error)
		fail_msg("%s: %s, of\n%s", machine->name, applied.message, text);
	free(applied.message);
}

/* ---- Failures ---- */

/** A configuration on the machine as it is at a moment, with rules of faults. */
struct attempt {
	const struct machine *machine;
	const struct moment *before;
	const char *text;
};

/** Each write fails in turn. Returns how many there are. */
static unsigned int fail_each(const struct attempt *attempt)
{
	struct applied applied;
	unsigned int writes = 0;

	do {
		moment_return(attempt->before);
		machine_faults(attempt->machine, "change any EIO after %u times 1", writes);
		applied = states_try(attempt->machine, STATES_TEXT, attempt->text);
		free(applied.message);
		machine_faults(attempt->machine, "%s", "");
		if (applied.error)
			moment_check(attempt->machine, attempt->before, "write %u fails, of\n%s",
				     writes, attempt->text);
		writes += applied.error != 0;
	} while (applied.error);
	return writes;
}

/** Makes it in a process that may be killed. Returns whether it was. */
static bool is_killed(const struct attempt *attempt)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		free(states_try(attempt->machine, STATES_TEXT, attempt->text).message);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	machine_faults(attempt->machine, "%s", "");
	return WIFSIGNALED(status);
}

/** It is killed at each write that follows write @failing, which fails; the next run rolls back. */
static void kill_each(const struct attempt *attempt, unsigned int failing)
{
	for (unsigned int at = failing;; at++) {
		moment_return(attempt->before);
		machine_faults(
			attempt->machine,
			"change any EIO after %u times 1\nchange any signal KILL after %u times 1",
			failing, at);
		if (!is_killed(attempt))
			return;
		machine_next_run(attempt->machine, 0, "");
		moment_check(attempt->machine, attempt->before,
			     "write %u fails, killed at %u, of\n%s", failing, at, attempt->text);
	}
}

static void interrupt_everywhere(const struct machine *machine, const char *text)
{
	struct moment before = moment_take(machine);
	const struct attempt attempt = { machine, &before, text };
	unsigned int writes = fail_each(&attempt);

	assert_true(writes > 2);
	/* The last one: no write fails. */
	for (unsigned int failing = 0; failing <= writes; failing++)
		kill_each(&attempt, failing);
	moment_clear(&before);
}

/* ---- Limits of a package, which the kernel does not show ---- */

static void hold_package(const struct machine *machine)
{
	machine_set_file(machine, UNCORE "package_00_die_00/max_freq_khz", "1300000");
	machine_set_file(machine, UNCORE "package_00_die_00/min_freq_khz", "900000");
	machine_set_file(machine, UNCORE "uncore01/max_freq_khz", "1100000");
}

/** The kernel refuses what is beyond the limit that was written for the package. */
MACHINE_TEST(a_limit_beyond_that_of_the_package_is_rolled_back, "tests/tpmi-tiny")
{
	static const char *const STATED[][2] = {
		{ HEADER "package 0 domain 0-1: uncore-max 2200\n",
		  UNCORE "package_00_die_00/max_freq_khz" },
		{ HEADER "package 0 domain 1-2: uncore-min 800\n",
		  UNCORE "package_00_die_00/min_freq_khz" },
		/* What is there is what it would be clipped to: nothing seems to happen. */
		{ HEADER "package 0 domain 0: uncore-max 1400\n",
		  UNCORE "package_00_die_00/max_freq_khz" },
	};

	machine_look(machine);
	hold_package(machine);
	autofree char *before = machine_picture(machine);
	for (size_t i = 0; i < COUNT(STATED); i++) {
		check_fails(machine, STATED[i][0], STATED[i][1]);
		machine_check(machine, before, "%s", STATED[i][0]);
	}
	check_succeeds(machine, HEADER "uncore-max 1300\n");
}

static const char WIDER[] = HEADER "uncore-min 800\nuncore-max 2000\n"
				   "package 0 domain 1: uncore-max 1900\n"
				   "package 0 domain 2: uncore-min 1000\n";

/** If all of a package is stated, its limit is moved. */
MACHINE_TEST(the_limit_of_a_package_is_moved, "tests/tpmi-tiny")
{
	struct applied applied;

	hold_package(machine);
	check_succeeds(machine, WIDER);
	states_check(machine, 0, WIDER);
	applied = states_try(machine, STATES_TEXT, WIDER);
	assert_true(applied.unchanged);
	free(applied.message);
	/* No further than that. */
	check_fails(machine, HEADER "package 0 domain 1: uncore-max 2100\n",
		    "package_00_die_00/max_freq_khz");
}

MACHINE_TEST(the_limit_of_a_package_is_rolled_back, "tests/tpmi-tiny")
{
	machine_look(machine);
	hold_package(machine);
	interrupt_everywhere(machine, WIDER);
}

/* ---- I/O dies ---- */

/** The register requests the level still: what the firmware may do later is no level that stays. */
MACHINE_TEST(a_pending_level_of_an_io_die_is_rolled_back, "tests/tpmi-tiny")
{
	static const char LEVEL[] = HEADER "level 1\n";

	machine_faults(machine, "tpmi perf-set-level power-domain 2 refused 1 times 1");
	check_fails(machine, LEVEL, "may still do so; all changes were rolled back");
	states_check(machine, 0, HEADER "level 0\n");
}

MACHINE_TEST(an_io_die_that_is_named_does_not_refuse, "tests/tpmi-tiny")
{
	static const char REFUSED[] = "tpmi perf-set-feature power-domain 2 ENOTTY";

	machine_look(machine);
	autofree char *before = machine_picture(machine);
	machine_faults(machine, REFUSED);
	check_fails(machine, HEADER "package 0 domain 1-2: base-freq on\n", "power domain 2");
	machine_check(machine, before, "%s", REFUSED);
	check_succeeds(machine, HEADER "base-freq on\n");
}

/* ---- Lower limits above upper ones, which the kernel keeps and does not show ---- */

#define CPUFREQ(cpu, name) CPU "cpu" #cpu "/cpufreq/scaling_" name "_freq"

static const char NO_LIMITS[] = HEADER "scaling-min none\nscaling-max none\n";

static void cover(const struct machine *machine)
{
	machine_set_file(machine, CPUFREQ(1, "min"), "2900000");
	machine_set_file(machine, CPUFREQ(1, "max"), "800000");
	machine_set_file(machine, CPUFREQ(2, "min"), "2500000");
	machine_set_file(machine, CPUFREQ(2, "max"), "1500000");
}

MACHINE_TEST(a_covered_limit_goes_with_the_one_above_it, "tests/tiny")
{
	cover(machine);
	check_succeeds(machine, NO_LIMITS);
	states_check(machine, 0, NO_LIMITS);
}

MACHINE_TEST(a_covered_limit_is_rolled_back, "tests/tiny")
{
	machine_look(machine);
	cover(machine);
	interrupt_everywhere(machine, NO_LIMITS);
}

MACHINE_TEST(an_upper_limit_does_not_lower_what_is_not_stated, "tests/tiny")
{
	machine_look(machine);
	machine_set_file(machine, CPUFREQ(1, "min"), "2000000");
	autofree char *before = machine_picture(machine);
	check_fails(machine, HEADER "scaling-max 1500\n", "is below the lower one, 2000 MHz");
	machine_check(machine, before, "an upper limit below the lower one");
	check_succeeds(machine, HEADER "scaling-max 2000\n");
	check_succeeds(machine, HEADER "scaling-max 1500\nscaling-min 1000\n");
}

/** The processor of tests/tiny has 3000 MHz at level 0, and 3100 at level 1. */
MACHINE_TEST(a_limit_is_not_fitted_to_another_range, "tests/tiny")
{
	machine_look(machine);
	autofree char *before = machine_picture(machine);
	check_fails(machine, HEADER "level 1\nscaling-min 3200\n", "3100 MHz; all changes were");
	machine_check(machine, before, "a lower limit above the highest frequency of the level");
	check_succeeds(machine, HEADER "level 1\nscaling-min 3050\n");
}
