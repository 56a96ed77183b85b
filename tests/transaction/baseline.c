/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Old values are those from before the first write of a change, whatever its own steps make of them
 * meanwhile; and bits that a step does not write are ignored.
 */
#include "driver/abi.h"
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#include <unistd.h>

#define CPU "/sys/devices/system/cpu/"
#define CPUFREQ(cpu, name) CPU "cpu" #cpu "/cpufreq/" name

/* ---- SST-BF while turbo is off: cpuinfo_max_freq follows the base frequency ---- */

/** Level 0 of tests/tiny: base 2000 MHz; with SST-BF 2300 on core 0 (CPUs 0, 1), 1800 on core 1. */
static void begin_without_turbo(struct machine *machine)
{
	*machine = machine_begin("tests/tiny");
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	machine_check_file(machine, CPUFREQ(0, "cpuinfo_max_freq"), "2000000");
}

TEST(B5_limits_follow_the_new_base_frequency_while_turbo_is_off)
{
	struct machine machine;

	begin_without_turbo(&machine);
	machine_expect(&machine, "base-freq enable auto", 0);
	machine_check_file(&machine, CPUFREQ(0, "cpuinfo_max_freq"), "2300000");
	machine_check_file(&machine, CPUFREQ(0, "scaling_min_freq"), "2300000");
	machine_check_file(&machine, CPUFREQ(0, "scaling_max_freq"), "2300000");
	machine_check_file(&machine, CPUFREQ(2, "scaling_min_freq"), "1800000");
	machine_check_file(&machine, CPUFREQ(2, "scaling_max_freq"), "1800000");
	machine_end(&machine);
}

TEST(B5_a_second_run_without_turbo_changes_nothing)
{
	struct machine machine;
	const struct outcome *outcome;

	begin_without_turbo(&machine);
	machine_expect(&machine, "base-freq enable auto", 0);
	autofree char *before = machine_picture(&machine);
	outcome = machine_expect(&machine, "base-freq enable auto", 0);
	assert_string_equal(outcome->steps, "");
	assert_true(outcome->unchanged);
	machine_check(&machine, before, "a second run");
	machine_end(&machine);
}

/** As cpufreq shows the upper limits of CPUs 0 and 3 once turbo is on. */
static void check_with_turbo(const struct machine *machine, const char *khz)
{
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "0");
	machine_check_file(machine, CPUFREQ(0, "cpuinfo_max_freq"), "3000000");
	machine_check_file(machine, CPUFREQ(0, "scaling_max_freq"), khz);
	machine_check_file(machine, CPUFREQ(3, "scaling_max_freq"), khz);
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
}

TEST(limits_that_turbo_hides_are_set_and_removed)
{
	struct machine machine;

	begin_without_turbo(&machine);
	machine_expect(&machine, "turbo-mode disable", 0);
	check_with_turbo(&machine, "2000000");
	machine_expect(&machine, "turbo-mode enable", 0);
	check_with_turbo(&machine, "3000000");
	machine_end(&machine);
}

TEST(limits_that_turbo_hides_are_rolled_back)
{
	struct machine machine;

	begin_without_turbo(&machine);
	machine_faults(&machine, "write " CPUFREQ(3, "scaling_max_freq") " EIO times 1");
	machine_expect(&machine, "turbo-mode disable", -EIO);
	machine_faults(&machine, "%s", "");
	check_with_turbo(&machine, "3000000");
	machine_end(&machine);
}

/** Of a step that was verified, when one behind it fails. */
MACHINE_TEST(limits_that_turbo_hides_are_rolled_back_on_preset_platforms, "cascadelake-6230n")
{
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	machine_faults(machine, "write " CPUFREQ(0, "scaling_min_freq") " EIO times 1");
	machine_expect(machine, "base-freq enable", -EIO);
	machine_faults(machine, "%s", "");
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "0");
	machine_check_file(machine, CPUFREQ(0, "scaling_max_freq"), "3900000");
	machine_check_file(machine, CPUFREQ(1, "scaling_max_freq"), "3900000");
}

/* Limits that a user has set between the base frequencies of two levels, or of SST-BF: nobody sees
 * them while turbo is off, until the base frequency is the higher one. */
static const struct {
	const char *path, *khz;
} HIDDEN[] = {
	{ CPUFREQ(0, "scaling_max_freq"), "2200000" },
	{ CPUFREQ(1, "scaling_max_freq"), "2250000" },
	{ CPUFREQ(1, "scaling_min_freq"), "2200000" },
	{ CPUFREQ(2, "scaling_max_freq"), "2200000" },
	{ CPUFREQ(3, "scaling_min_freq"), "2150000" },
};

static void begin_with_hidden_limits(struct machine *machine)
{
	*machine = machine_begin("tests/tiny");
	for (size_t i = 0; i < COUNT(HIDDEN); i++)
		machine_set_file(machine, HIDDEN[i].path, HIDDEN[i].khz);
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "1");
	machine_check_file(machine, CPUFREQ(0, "scaling_max_freq"), "2000000");
}

static void check_hidden_limits(const struct machine *machine)
{
	machine_set_file(machine, CPU "intel_pstate/no_turbo", "0");
	for (size_t i = 0; i < COUNT(HIDDEN); i++)
		machine_check_file(machine, HIDDEN[i].path, HIDDEN[i].khz);
}

/** A change, and what it stops at. */
static const struct {
	const char *request, *stop;
} STOPS[] = {
	{ "level 1 online", "write " CPU "cpu2/online" },
	{ "level 1 online", "write " CPU "cpu3/online" },
	{ "level 1 online", "write " CPUFREQ(0, "scaling_max_freq") },
	{ "level 1 online", "write " CPUFREQ(1, "scaling_max_freq") },
	{ "base-freq enable auto", "write " CPUFREQ(1, "scaling_max_freq") },
	{ "base-freq enable auto", "write " CPUFREQ(1, "scaling_min_freq") },
};

TEST(limits_that_become_visible_with_a_base_frequency_are_rolled_back)
{
	for (size_t i = 0; i < COUNT(STOPS); i++) {
		const struct outcome *outcome;
		struct machine machine;

		begin_with_hidden_limits(&machine);
		machine_faults(&machine, "%s EIO times 1", STOPS[i].stop);
		outcome = machine_try(&machine, STOPS[i].request);
		if (outcome_error(outcome) != -EIO)
			fail_msg("%s, %s: %s", STOPS[i].request, STOPS[i].stop, outcome->message);
		check_holds(outcome->message, "all changes were rolled back");
		machine_faults(&machine, "%s", "");
		check_hidden_limits(&machine);
		machine_end(&machine);
	}
}

TEST(limits_that_become_visible_with_a_base_frequency_belong_to_the_change)
{
	for (size_t i = 0; i < COUNT(STOPS); i++) {
		struct machine machine;

		begin_with_hidden_limits(&machine);
		autofree char *rule = formatted("%s signal KILL", STOPS[i].stop);
		machine_try_killed(&machine, STOPS[i].request, rule);
		machine_next_run(&machine, 0, "");
		check_hidden_limits(&machine);
		machine_end(&machine);
	}
}

TEST(a_limit_that_becomes_visible_with_the_level_is_reported_correctly)
{
	const struct outcome *outcome;
	struct machine machine;

	begin_with_hidden_limits(&machine);
	outcome = machine_expect(&machine, "level 1 online", 0);
	check_holds(outcome->warnings, "CPU 0: the frequency limit of 2200 MHz");
	check_holds(outcome->warnings, "CPU 1: the frequency limit of 2250 MHz");
	machine_end(&machine);
}

/** Limits of a user: what they are before, and is found again after it all. */
static const struct {
	const char *path, *khz;
} LIMITS[] = {
	{ CPUFREQ(0, "scaling_max_freq"), "1900000" },
	{ CPUFREQ(1, "scaling_min_freq"), "1900000" },
	{ CPUFREQ(2, "scaling_max_freq"), "1900000" },
	{ CPUFREQ(3, "scaling_min_freq"), "1900000" },
};

TEST(B5_disabling_restores_the_limits_of_the_user)
{
	struct machine machine;
	char *before;

	for (size_t i = 0; i <= COUNT(LIMITS); i++) {
		begin_without_turbo(&machine);
		for (size_t j = 0; j < COUNT(LIMITS); j++)
			if (i == j || i == COUNT(LIMITS))
				machine_set_file(&machine, LIMITS[j].path, LIMITS[j].khz);
		machine_prepare(&machine, "core-power enable ordered");
		machine_expect(&machine, "core-power disable", 0);
		before = machine_picture(&machine);
		machine_expect(&machine, "base-freq enable auto", 0);
		machine_expect(&machine, "base-freq disable auto", 0);
		for (size_t j = 0; j < COUNT(LIMITS); j++)
			if (i == j || i == COUNT(LIMITS))
				machine_check_file(&machine, LIMITS[j].path, LIMITS[j].khz);
		machine_check(&machine, before, "enabled and disabled");
		free(before);
		machine_end(&machine);
	}
}

TEST(B5_a_failed_change_restores_the_limits_of_the_user)
{
	struct machine machine;
	const struct outcome *outcome;

	begin_without_turbo(&machine);
	for (size_t i = 0; i < COUNT(LIMITS); i++)
		machine_set_file(&machine, LIMITS[i].path, LIMITS[i].khz);
	autofree char *before = machine_picture(&machine);
	machine_faults(&machine, "write " CPUFREQ(2, "scaling_min_freq") " EIO");
	outcome = machine_try(&machine, "base-freq enable auto");
	machine_faults(&machine, "%s", "");
	assert_int_equal(outcome_error(outcome), -EIO);
	assert_string_equal(outcome->differences, "");
	machine_check(&machine, before, "a change that failed");
	machine_end(&machine);
}

/* ---- Old values are read before the first write ---- */

/** What the last step writes cannot be read. */
static const struct {
	const char *rule, *part;
} UNREADABLE[] = {
	{ "read " CPUFREQ(3, "scaling_min_freq") " EIO", "scaling_min_freq" },
};

TEST(every_old_value_is_read_before_the_first_write)
{
	const struct making making = { .seam = &seam_counting };
	struct machine machine;
	const struct outcome *outcome;

	for (size_t i = 0; i < COUNT(UNREADABLE); i++) {
		machine = machine_begin("tests/tiny");
		machine_faults(&machine, "%s", UNREADABLE[i].rule);
		outcome = machine_make(&machine, request_find("base-freq enable auto"), &making);
		assert_int_equal(outcome_error(outcome), -EIO);
		assert_int_equal(outcome->counts.changes, 0);
		check_holds(outcome->message, UNREADABLE[i].part);
		machine_end(&machine);
	}
}

/* ---- Bits that a step does not write ---- */

/** The machine that another process writes to, behind the back of the change. */
static const struct machine *foreign;
static uint32_t foreign_register, foreign_value;

/** One entry of an MMIO call, as struct abi_io_regs has it. */
struct one_register {
	uint32_t count;
	struct abi_io_reg reg;
};

static uint32_t send(const struct machine *machine, struct abi_io_reg reg)
{
	struct one_register argument = { 1, reg };
	struct isst_machine *opened = machine_open(machine);
	int device = opened->device->open(opened->data);

	assert_true(device >= 0);
	assert_true(opened->device->ioctl(opened->data, device, ABI_IO_COMMAND, &argument) >= 0);
	opened->device->close(opened->data, device);
	opened->release(opened);
	return argument.reg.value;
}

static uint32_t read_register(const struct machine *machine, uint32_t reg)
{
	return send(machine, (struct abi_io_reg){ .reg = reg });
}

static void write_behind_the_back(void)
{
	send(foreign, (struct abi_io_reg){
			      .read_write = 1, .reg = foreign_register, .value = foreign_value });
}

/** The number of the change in which the request writes CLOS 0: the first one of that kind. */
static unsigned int find_clos_change(void)
{
	const struct making making = { .seam = &seam_counting };
	const struct outcome *outcome;
	unsigned int number = 0;

	automachine struct machine machine = machine_begin("tests/tiny");
	/* Switching core-power on may reset the whole of a CLOS. */
	machine_prepare(&machine, "core-power enable ordered");
	outcome = machine_make(&machine, request_find("base-freq enable auto"), &making);
	while (number < outcome->counts.changes &&
	       strcmp(outcome->counts.kinds[number], "mmio clos") != 0)
		number++;
	assert_int_not_equal(number, outcome->counts.changes);
	return number + 1;
}

/** base-freq writes all of CLOS 0 but its desired frequency, which another process sets meanwhile.
 */
MACHINE_TEST(B11_bits_of_others_outlast_a_rollback, "tests/tiny")
{
	struct seam_plan plan = { 0 };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;
	uint32_t before;

	/* Switching core-power on may reset the whole of a CLOS. */
	machine_prepare(machine, "core-power enable ordered");
	foreign = machine;
	foreign_register = 0x08;
	before = read_register(machine, 0x08);
	assert_int_equal(before >> 24, 0);
	/* What the change writes, the desired frequency included that is not its own. */
	foreign_value = 0x15ff1700;
	plan.after_change = find_clos_change();
	plan.then = write_behind_the_back;
	machine_faults(machine, "mailbox 0x7f/0x02 set ENXIO");
	outcome = machine_make(machine, request_find("base-freq enable auto"), &making);
	machine_faults(machine, "%s", "");
	if (outcome_error(outcome) != -EIO)
		fail_msg("%d: %s\n%s", outcome_error(outcome), outcome->message,
			 outcome->differences);
	assert_string_equal(outcome->differences, "");
	assert_int_equal(read_register(machine, 0x08), before | 0x15000000);
}

MACHINE_TEST(B11_bits_of_others_do_not_fail_the_verification, "tests/tiny")
{
	struct seam_plan plan = { .after_change = find_clos_change(),
				  .then = write_behind_the_back };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;

	/* Switching core-power on may reset the whole of a CLOS. */
	machine_prepare(machine, "core-power enable ordered");
	foreign = machine;
	foreign_register = 0x08;
	foreign_value = 0x15ff1700;
	outcome = machine_make(machine, request_find("base-freq enable auto"), &making);
	if (outcome_error(outcome))
		fail_msg("%d: %s", outcome_error(outcome), outcome->message);
	assert_string_equal(outcome->warnings, "");
	assert_int_equal(read_register(machine, 0x08), 0x15ff1700);
}

/* ---- What a step moves beside what it writes ---- */

/** The range of each CPU ends at its base frequency then. */
static void switch_turbo_off(void)
{
	machine_set_file(foreign, CPU "intel_pstate/no_turbo", "1");
}

/** As kernels do that keep the limit which no limit was before. */
static void keep_the_old_maximum(void)
{
	machine_set_file(foreign, CPUFREQ(0, "scaling_max_freq"), "2000000");
}

/** The level is the first change; its base frequency, 2500 MHz, is above the limit of before. */
MACHINE_TEST(a_limit_that_came_with_the_level_is_lifted, "tests/tiny")
{
	struct seam_plan plan = { .after_change = 1, .then = keep_the_old_maximum };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;

	foreign = machine;
	switch_turbo_off();
	machine_prepare(machine, "level 1 online");
	autofree char *before = machine_picture(machine);
	machine_prepare(machine, "level 0");
	outcome = machine_make(machine, request_find("level 1 online"), &making);
	if (outcome_error(outcome))
		fail_msg("%d: %s", outcome_error(outcome), outcome->message);
	assert_true(outcome->counts.changes > 0);
	assert_string_equal(outcome->counts.kinds[0], "mailbox 0x7f/0x8");
	machine_check(machine, before, "a level that brings a limit with it");
}

static void switch_turbo_off_and_lower_the_limit_of_cpu_0(void)
{
	switch_turbo_off();
	machine_set_file(foreign, CPUFREQ(0, "scaling_max_freq"), "1500000");
}

/** Disables turbo mode while another process does something right after the first write. */
static const struct outcome *disable_turbo_mode_beside(const struct machine *machine,
						       void (*other)(void))
{
	struct seam_plan plan = { .after_change = 1, .then = other };
	const struct making making = { .seam = &plan };
	const struct outcome *outcome;

	foreign = machine;
	outcome = machine_make(machine, request_find("turbo-mode disable"), &making);
	if (outcome_error(outcome))
		fail_msg("%d: %s", outcome_error(outcome), outcome->message);
	assert_true(outcome->counts.changes > 0);
	return outcome;
}

/** What was written reads as no limit, since the range ends there by now. */
MACHINE_TEST(a_range_that_shrinks_to_the_limit_is_no_failure, "tests/tiny")
{
	const struct outcome *outcome = disable_turbo_mode_beside(machine, switch_turbo_off);

	assert_string_equal(outcome->warnings, "");
	machine_check_file(machine, CPUFREQ(0, "scaling_max_freq"), "2000000");
}

MACHINE_TEST(a_shrinking_range_is_no_failure_beside_a_clipped_limit, "tests/tiny")
{
	const struct outcome *outcome = disable_turbo_mode_beside(
		machine, switch_turbo_off_and_lower_the_limit_of_cpu_0);

	check_holds(outcome->warnings,
		    "CPU 0: scaling_max_freq: wrote 2000000 kHz, read back 1500000 kHz: clipped");
	machine_check_file(machine, CPUFREQ(1, "scaling_max_freq"), "2000000");
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
