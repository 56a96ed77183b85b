/* SPDX-License-Identifier: BSD-3-Clause */
/* Small machines: a run is interrupted, or killed, right after any of its changes; and what is
 * found in a journal. */
#include "transaction/support/ends.h"
#include "transaction/support/rests.h"

/* ---- A row of CPUs ---- */

/** CPUs that are being taken offline, and the changes that were made by then. */
static struct {
	unsigned int lines, changes[64];
} row;

static void note_cpu(void *data, unsigned int cpu, int online, unsigned int done,
		     unsigned int count)
{
	(void)data;
	(void)cpu;
	assert_true(done <= count);
	if (!online && row.lines < 64)
		row.changes[row.lines++] = seam_changes();
}

static int after_two_cpus(void *data)
{
	(void)data;
	return row.lines == 2;
}

MACHINE_TEST(B14_hundreds_of_cpus_are_interrupted_between_two_of_them, "guide")
{
	const struct making making = { .seam = &seam_counting,
				       .interrupted = after_two_cpus,
				       .progress = note_cpu };
	const struct outcome *outcome;

	row.lines = 0;
	autofree char *before = machine_picture(machine);
	outcome = machine_make(machine, request_find("level 1 online"), &making);
	assert_int_equal(outcome_error(outcome), -EINTR);
	assert_int_equal(row.lines, 2);
	machine_check(machine, before, "an interrupted row");
}

MACHINE_TEST(F10_a_cpu_is_reported_immediately_before_it_goes_offline, "guide")
{
	const struct making making = { .seam = &seam_counting, .progress = note_cpu };
	const struct outcome *outcome;

	row.lines = 0;
	outcome = machine_make(machine, request_find("level 1 online"), &making);
	assert_int_equal(outcome_error(outcome), 0);
	assert_true(row.lines > 2);
	for (unsigned int i = 1; i < row.lines; i++)
		assert_int_equal(row.changes[i], row.changes[i - 1] + 1);
}

/* ---- What is found in a journal ---- */

MACHINE_TEST(a_journal_of_another_boot_is_put_away, "tests/tiny")
{
	const struct outcome *outcome;

	machine_prepare(machine, "level 1");
	autofree char *before = machine_picture(machine);
	machine_write(machine, "run/journal",
		      "isst journal 2 boot 00000000-0000-0000-0000-000000000000\n"
		      "1 item level 0 0 0 0 0 0 1\n");
	outcome = machine_expect(machine, "level 1", 0);
	assert_string_equal(outcome->notices, "");
	machine_check(machine, before, "a journal of another boot");
	assert_null(machine_text(machine, "run/journal"));
}

MACHINE_TEST(a_line_that_is_cut_off_is_passed_over, "tests/tiny")
{
	const struct outcome *outcome;

	autofree char *before = machine_picture(machine);
	machine_prepare(machine, "level 1");
	autofree char *boot_id = machine_text(machine, "/proc/sys/kernel/random/boot_id");
	autofree char *text = formatted(
		"isst journal 2 boot %sbegun 1 level 1\n"
		"1 item level 0 0 0 0 0 0 1\n1 written\n1 verified\n2 item lev",
		boot_id);
	machine_write(machine, "run/journal", text);
	outcome = machine_try(machine, "level 0");
	assert_string_equal(outcome->message, "");
	assert_int_equal(outcome_error(outcome), 0);
	check_holds(outcome->notices, "rolled back the incomplete change");
	assert_true(outcome->unchanged);
}

/** Writes a journal of this boot according to which a run changed level 0 to level 1. */
static void write_journal(const struct machine *machine, const char *end)
{
	char *boot_id = machine_text(machine, "/proc/sys/kernel/random/boot_id"), *text;

	assert_true(
		asprintf(&text,
			 "isst journal 2 boot %sbegun 1 level 1\n1 item level 0 0 0 0 0 0 1\n%s",
			 boot_id, end) >= 0);
	machine_write(machine, "run/journal", text);
	free(boot_id);
	free(text);
}

TEST(B18_a_change_that_was_complete_is_not_rolled_back)
{
	static const char *const ENDS[] = { "1 written\n1 verified\n",
					    "1 written\n1 verified\ndone\n" };

	for (size_t i = 0; i < COUNT(ENDS); i++) {
		const struct outcome *outcome;

		automachine struct machine machine = machine_begin("tests/tiny");
		machine_prepare(&machine, "level 1");
		write_journal(&machine, ENDS[i]);
		outcome = machine_expect(&machine, "level 1", 0);
		/* It is level 1 still, or was made level 0 again by the recovery. */
		assert_int_equal(outcome->unchanged, i == 1);
		assert_null(machine_text(&machine, "run/journal"));
	}
}

MACHINE_TEST(an_empty_journal_is_ignored, "tests/tiny")
{
	const struct outcome *outcome;

	machine_prepare(machine, "level 1");
	machine_write(machine, "run/journal", "");
	outcome = machine_expect(machine, "level 1", 0);
	assert_true(outcome->unchanged);
	assert_null(machine_text(machine, "run/journal"));
}

TEST(B19_if_the_boot_cannot_be_identified_nothing_is_changed_or_removed)
{
	static const char *const ERRORS[] = { "EIO", "ENOENT" };

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		const struct outcome *outcome;

		automachine struct machine machine = machine_begin("tests/tiny");
		machine_prepare(&machine, "level 1");
		write_journal(&machine, "");
		autofree char *before = machine_picture(&machine);
		machine_faults(&machine, "read /proc/sys/kernel/random/boot_id %s", ERRORS[i]);
		outcome = machine_expect(&machine, "level 0", -EIO);
		check_holds(outcome->message, "boot");
		machine_faults(&machine, "%s", "");
		machine_check(&machine, before, "the boot cannot be identified");
		autofree char *journal = machine_text(&machine, "run/journal");
		assert_non_null(journal);
	}
}

RUN_ON(every_interruption, "tests/tiny", "tests/features-on")
RUN_ON(every_change_after_a_kill, "tests/tiny", "tests/tpmi-tiny")
RUN_ON(every_kill, "tests/tiny")
RUN_ON(few_ends, "tests/tpmi-tiny", "tests/offline", "tests/skylake-mailbox",
       "tests/preset-unnamed")

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
