/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was written is read back: taken, clipped (a warning), not taken (a failure), or late. And
 * items that a step affects are restored when it is rolled back.
 */
#include "transaction/item_access.h"
#include "transaction/steps.h"
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

/** The request fails with a message that holds @part, and leaves the machine as it was. */
static void check_fails(const struct machine *machine, const char *rules, const char *name,
			const char *part)
{
	autofree char *before = machine_picture(machine);
	const struct outcome *outcome = machine_expect_under(machine, rules, name, -EIO);

	check_holds(outcome->message, part);
	assert_string_equal(outcome->differences, "");
	machine_check(machine, before, "%s under '%s'", name, rules);
}

/* ---- D12: writes that firmware or kernel take without effect ---- */

static const struct {
	const char *rules, *name, *part;
} IGNORED[] = {
	{ "mailbox 0x7f/0x08 set ignored", "level 1", "die 0: level" },
	{ "mailbox 0x7f/0x02 set ignored", "turbo-freq enable", "turbo-freq" },
	{ "mailbox 0x7f/0x02 set ignored", "base-freq enable auto", "base-freq" },
	{ "mailbox 0x95/0x03 set ignored", "core-power enable", "core-power" },
	{ "mailbox 0xd0/0x02 set ignored", "core-power enable ordered", "priority type" },
	{ "mmio 0x10 set ignored", "clos", "CLOS 2" },
	{ "mmio 0x24 set ignored", "association", "CLOS of core 1" },
	{ "msr 0x1ad set ignored", "turbo ratio limits", "turbo ratio limits" },
	{ "write /sys/devices/system/cpu/cpu3/online ignored", "level 1 online", "CPU 3: online" },
	{ "write /sys/fs/cgroup/0-0-0/cpuset.cpus ignored", "level 1 partitions", "0-0-0" },
};

MACHINE_TEST(D12_what_was_not_taken_is_a_failure_and_undone, "tests/tiny")
{
	for (size_t i = 0; i < COUNT(IGNORED); i++)
		check_fails(machine, IGNORED[i].rules, IGNORED[i].name, IGNORED[i].part);
}

/* ---- Writes that are refused are failures, each of them ---- */

static const struct {
	const char *rules, *name, *part;
} REFUSED[] = {
	/* D7 */
	{ "mmio 0x20 set EIO", "association", "CLOS of a core" },
	/* D8 */
	{ "write /sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq EINVAL",
	  "base-freq enable auto", "scaling_min_freq" },
	{ "write /sys/devices/system/cpu/cpu2/online EBUSY", "level 1 online", "cpu2/online" },
	{ "mkdir /sys/fs/cgroup/0-0-0 EACCES", "level 1 partitions", "0-0-0" },
	{ "write /sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq EIO", "turbo-mode disable",
	  "scaling_max_freq" },
	/* D9 */
	{ "mailbox 0x95/0x03 set EIO", "core-power enable", "core-power" },
	{ "mailbox 0x95/0x03 set EBUSY", "turbo-freq enable auto cpus", "core-power" },
	/* D37, D38: core-power returns to what it was */
	{ "mailbox 0x7f/0x02 set ENXIO", "turbo-freq enable", "turbo-freq" },
	{ "mailbox 0x7f/0x02 set ENXIO", "base-freq enable auto", "base-freq" },
};

MACHINE_TEST(D7_D8_D9_D37_a_refused_write_is_a_failure_and_undone, "tests/tiny")
{
	for (size_t i = 0; i < COUNT(REFUSED); i++) {
		autofree char *before = machine_picture(machine);
		const struct outcome *outcome = machine_try_under(machine, REFUSED[i].rules,
								  REFUSED[i].name);

		if (outcome_error(outcome) >= 0 || outcome_error(outcome) == -ENOTRECOVERABLE)
			fail_msg("%s under '%s': %d", REFUSED[i].name, REFUSED[i].rules,
				 outcome_error(outcome));
		check_holds(outcome->message, REFUSED[i].part);
		machine_check(machine, before, "%s under '%s'", REFUSED[i].name, REFUSED[i].rules);
	}
}

MACHINE_TEST(D38_core_power_that_was_on_stays_on_when_a_change_fails, "tests/tiny")
{
	machine_prepare(machine, "core-power enable ordered");
	check_fails(machine, "mailbox 0x7f/0x02 set ENXIO", "turbo-freq enable auto cpus",
		    "turbo-freq");
	check_fails(machine, "mailbox 0x7f/0x02 set ENXIO", "base-freq enable auto", "base-freq");
}

/* ---- Clipped, late ---- */

MACHINE_TEST(a_clipped_limit_is_a_warning_with_both_values, "tests/tiny")
{
	const struct outcome *outcome = machine_expect_under(
		machine,
		"read /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq after 1 "
		"content \"1900000\\n\"",
		"turbo-mode disable", 0);

	check_holds(outcome->warnings, "wrote 2000000 kHz, read back 1900000 kHz: clipped");
}

MACHINE_TEST(late_levels_are_waited_for, "tests/tiny")
{
	static const unsigned int DELAYS_MS[] = { 10, 60, 400, 900, 1500 };
	static const char *const NAMES[] = { "level 1", "level 1 online" };

	for (size_t i = 0; i < COUNT(DELAYS_MS) * COUNT(NAMES); i++) {
		const char *name = NAMES[i % COUNT(NAMES)];

		machine_restart(machine, name);
		autofree char *soon = machine_picture(machine);
		machine_restart(machine, NULL);
		autofree char *rules = formatted("mailbox 0x7f/0x08 set deferred %u",
						 DELAYS_MS[i / COUNT(NAMES)]);
		machine_expect_under(machine, rules, name, 0);
		machine_check(machine, soon, "%s, %s", name, rules);
	}
}

MACHINE_TEST(late_core_power_is_waited_for, "tests/tiny")
{
	machine_expect_under(machine, "mailbox 0x95/0x03 set deferred 30", "core-power enable", 0);
}

MACHINE_TEST(firmware_that_is_too_late_is_overwritten, "tests/tiny")
{
	const struct outcome *outcome;

	autofree char *before = machine_picture(machine);
	outcome = machine_try_under(machine, "mailbox 0x95/0x03 set deferred 300",
				    "core-power enable");
	assert_true(outcome_error(outcome) < 0);
	/* What is late comes, and what takes it back has come by then, or is listed. */
	if (outcome_error(outcome) != -ENOTRECOVERABLE) {
		rest_ms(600);
		machine_look(machine);
		machine_check(machine, before, "core-power that came too late");
	} else {
		check_holds(outcome->differences, "core-power");
	}
}

/* ---- Footprints ---- */

MACHINE_TEST(side_effects_of_a_failed_level_change_are_restored, "tests/multi-die", "guide")
{
	static const char *const BEFORE[] = {
		"turbo-freq enable auto cpus",
		"base-freq enable auto",
		"turbo ratio limits",
		"core-power enable ordered",
	};

	for (size_t i = 0; i < COUNT(BEFORE); i++) {
		machine_restart(machine, BEFORE[i]);
		/* Firmware takes the new level, and then something else fails. */
		check_fails(machine, "write /sys/devices/system/cpu/cpu*/online EBUSY",
			    "level 1 online", "online");
	}
}

MACHINE_TEST(what_cannot_be_rolled_back_is_listed, "tests/tiny")
{
	const struct outcome *outcome = machine_expect_under(
		machine, "mmio 0x20 set EIO after 1\nmmio 0x24 set EIO", "association",
		-ENOTRECOVERABLE);

	assert_string_equal(outcome->differences, "package 0, die 0: CLOS of core 0 is 2, was 0\n");
}

MACHINE_TEST(a_failure_in_a_rollback_does_not_stop_it, "tests/multi-die")
{
	const struct outcome *outcome;

	/* Cores 0, 1, 2 and 5 of two dies: 5 cannot be written, and 1 only once. */
	outcome = machine_expect_under(machine,
				       "mmio 0x24 set die 0 EIO after 1\nmmio 0x34 set EIO",
				       "association", -ENOTRECOVERABLE);
	assert_string_equal(outcome->differences, "package 0, die 0: CLOS of core 1 is 2, was 0\n");
}

MACHINE_TEST(unreadable_items_are_not_written, "tests/tiny")
{
	struct isst_emulator_statistics before;

	before = machine_statistics(machine);
	machine_expect_under(machine, "mmio 0x24 get EIO", "association", -EIO);
	assert_int_equal(machine_statistics(machine).writes, before.writes);
}

MACHINE_TEST(a_write_that_fails_ends_its_batch, "tests/tiny")
{
	struct isst_emulator_statistics before;

	before = machine_statistics(machine);
	machine_expect_under(machine, "mmio 0x20 set EIO", "association", -EIO);
	assert_int_equal(machine_statistics(machine).writes, before.writes);
}

/* ---- Files that cannot be written ---- */

static int writable_answer;
static unsigned int writable_count;

static int answer_writable(void *data, const char *path)
{
	(void)data;
	(void)path;
	writable_count++;
	return writable_answer;
}

/** Root cannot write to a file system that is mounted read-only either. */
MACHINE_TEST(a_read_only_file_system_is_not_a_matter_of_privileges, "tests/tiny")
{
	static const struct {
		int answer, error;
		const char *part;
	} CASES[] = {
		{ -EROFS, -EIO,
		  "/sys/devices/system/cpu/cpu3/online cannot be written: it is on a "
		  "file system that is mounted read-only" },
		{ -EACCES, -EPERM, "requires root" },
		{ 0, 0, NULL },
	};
	const struct item item = item_of_cpu(3);
	struct isst_options options = { 0 };
	freed_by(isst_close) struct isst_context *context = NULL;

	options.machine = machine_open(machine);
	options.machine->writable = answer_writable;
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_lock(context, 0, 0), 0);
	assert_int_equal(isst_discover(context), 0);
	for (size_t i = 0; i < COUNT(CASES); i++) {
		writable_answer = CASES[i].answer;
		assert_int_equal(item_check_writable(context, &item), CASES[i].error);
		if (CASES[i].part)
			check_holds(isst_error(context), CASES[i].part);
	}
}

/** The files of a kind have one owner, however many CPUs there are. */
MACHINE_TEST(one_file_of_each_kind_is_looked_at, "tests/tiny")
{
	struct isst_options options = { 0 };
	const struct isst_domain *domain;
	freed_by(isst_close) struct isst_context *context = NULL;
	struct isst_change *change;
	struct step *step;

	options.machine = machine_open(machine);
	options.machine->writable = answer_writable;
	assert_int_equal(isst_open(&options, &context), 0);
	assert_int_equal(isst_lock(context, 0, 0), 0);
	assert_int_equal(isst_discover(context), 0);
	assert_int_equal(isst_change_new(context, NULL, &change), 0);
	domain = context_domain(context, 0);
	step = change_step(change, ITEM_SCALING_MAX);
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		step_set(step, item_of(ITEM_SCALING_MAX, domain, cpu), WHOLE_VALUE, 2000000);
		step_disturbs_limits(step, domain, cpu);
	}
	writable_answer = 0;
	writable_count = 0;
	assert_int_equal(change_run(change), 0);
	assert_int_equal(writable_count, 2);
	change_free(change);
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
