/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a configuration states, and that do not come about: all is rolled back, what the
 * kernel does not show included. */
#include "transaction/support/states.h"

#define CPU "/sys/devices/system/cpu/"
#define UNCORE CPU "intel_uncore_frequency/"
#define HEADER "# isst configuration 1\n"

static void write_file(const struct machine *machine, const char *path, const char *text)
{
	struct isst_machine *opened = machine_open(machine);

	assert_int_equal(opened->files->write(opened->data, path, text, strlen(text)), 0);
	opened->release(opened);
}

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

/** The kernel refuses what is beyond the limit that was written for the package. */
static void a_limit_beyond_that_of_the_package_is_rolled_back(void **state)
{
	static const char *const STATED[][2] = {
		{ HEADER "uncore-max 2200\n", UNCORE "package_00_die_00/max_freq_khz" },
		{ HEADER "uncore-min 800\n", UNCORE "package_00_die_00/min_freq_khz" },
		/* What is there is what it would be clipped to: nothing seems to happen. */
		{ HEADER "package 0 powerdomain 0: uncore-max 1400\n",
		  UNCORE "package_00_die_00/max_freq_khz" },
	};
	struct machine machine;
	char *before;

	(void)state;
	machine_begin(&machine, "tests/tpmi-tiny");
	machine_look(&machine);
	write_file(&machine, UNCORE "package_00_die_00/max_freq_khz", "1300000");
	write_file(&machine, UNCORE "package_00_die_00/min_freq_khz", "900000");
	write_file(&machine, UNCORE "uncore01/max_freq_khz", "1100000");
	before = machine_picture(&machine);
	for (size_t i = 0; i < COUNT(STATED); i++) {
		check_fails(&machine, STATED[i][0], STATED[i][1]);
		machine_check(&machine, before, "%s", STATED[i][0]);
	}
	check_succeeds(&machine, HEADER "uncore-max 1300\n");
	free(before);
	machine_end(&machine);
}

/** The register requests the level still: what the firmware may do later is no level that stays. */
static void a_pending_level_of_an_io_die_is_rolled_back(void **state)
{
	static const char LEVEL[] = HEADER "level 1\n";
	struct machine machine;

	(void)state;
	machine_begin(&machine, "tests/tpmi-tiny");
	machine_faults(&machine, "tpmi perf-set-level power-domain 2 refused 1 times 1");
	check_fails(&machine, LEVEL, "may still do so; all changes were rolled back");
	states_check(&machine, 0, HEADER "level 0\n");
	machine_end(&machine);
}

static void an_io_die_that_is_named_does_not_refuse(void **state)
{
	static const char REFUSED[] = "tpmi perf-set-feature power-domain 2 ENOTTY";
	struct machine machine;
	char *before;

	(void)state;
	machine_begin(&machine, "tests/tpmi-tiny");
	machine_look(&machine);
	before = machine_picture(&machine);
	machine_faults(&machine, REFUSED);
	check_fails(&machine, HEADER "package 0 powerdomain 1-2: base-freq on\n", "power domain 2");
	machine_check(&machine, before, "%s", REFUSED);
	check_succeeds(&machine, HEADER "base-freq on\n");
	free(before);
	machine_end(&machine);
}

/* ---- Lower limits above upper ones, which the kernel keeps and does not show ---- */

#define CPUFREQ(cpu, name) CPU "cpu" #cpu "/cpufreq/scaling_" name "_freq"

static const char NO_LIMITS[] = HEADER "scaling-min none\nscaling-max none\n";

static void cover(const struct machine *machine)
{
	write_file(machine, CPUFREQ(1, "min"), "2900000");
	write_file(machine, CPUFREQ(1, "max"), "800000");
	write_file(machine, CPUFREQ(2, "min"), "2500000");
	write_file(machine, CPUFREQ(2, "max"), "1500000");
}

static void a_covered_limit_goes_with_the_one_above_it(void **state)
{
	struct machine machine;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	cover(&machine);
	check_succeeds(&machine, NO_LIMITS);
	states_check(&machine, 0, NO_LIMITS);
	machine_end(&machine);
}

/** Each write fails in turn: the limits that were covered are covered again. */
static void a_covered_limit_is_rolled_back(void **state)
{
	unsigned int writes = 0;
	struct machine machine;
	struct applied applied;
	char *before;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	machine_look(&machine);
	cover(&machine);
	before = machine_picture(&machine);
	do {
		machine_faults(&machine, "change any EIO after %u times 1", writes);
		applied = states_try(&machine, STATES_TEXT, NO_LIMITS);
		free(applied.message);
		if (applied.error)
			machine_check(&machine, before, "write %u fails", writes);
		writes += applied.error != 0;
	} while (applied.error);
	/* Two limits of two CPUs. */
	assert_int_equal(writes, 4);
	free(before);
	machine_end(&machine);
}

static void an_upper_limit_does_not_lower_what_is_not_stated(void **state)
{
	struct machine machine;
	char *before;

	(void)state;
	machine_begin(&machine, "tests/tiny");
	machine_look(&machine);
	write_file(&machine, CPUFREQ(1, "min"), "2000000");
	before = machine_picture(&machine);
	check_fails(&machine, HEADER "scaling-max 1500\n", "is below the lower one, 2000 MHz");
	machine_check(&machine, before, "an upper limit below the lower one");
	check_succeeds(&machine, HEADER "scaling-max 2000\n");
	check_succeeds(&machine, HEADER "scaling-max 1500\nscaling-min 1000\n");
	free(before);
	machine_end(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_beyond_that_of_the_package_is_rolled_back),
		cmocka_unit_test(a_pending_level_of_an_io_die_is_rolled_back),
		cmocka_unit_test(an_io_die_that_is_named_does_not_refuse),
		cmocka_unit_test(a_covered_limit_goes_with_the_one_above_it),
		cmocka_unit_test(a_covered_limit_is_rolled_back),
		cmocka_unit_test(an_upper_limit_does_not_lower_what_is_not_stated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
