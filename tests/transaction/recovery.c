/* SPDX-License-Identifier: BSD-3-Clause */
/* How the next run handles a journal if the machine has changed since the run was killed. */
#include "transaction/support/loops.h"
#include "transaction/support/rests.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** A process that is killed right after its @k-th change. */
static void run_and_kill(const struct machine *machine, const char *name, unsigned int k)
{
	machine_kill_after(machine, request_find(name), NULL, k);
}

static struct isst_journal *open_journal(struct isst_context *context)
{
	struct isst_journal *journal;

	assert_int_equal(isst_journal_open(context, 0, &journal), 0);
	assert_non_null(journal);
	return journal;
}

/** Opens the journal as `isst journal show` does, before anything is discovered. */
static struct isst_journal *look_at_journal(struct isst_context *context)
{
	isst_journal_keep(context);
	assert_int_equal(isst_discover(context), 0);
	return open_journal(context);
}

static struct isst_journal *find_journal(const struct machine *machine,
					 struct isst_context **context)
{
	*context = machine_lock(machine);
	return look_at_journal(*context);
}

/** Applies the journal as `isst journal apply` does, and ends. */
static void apply_journal(const struct machine *machine, struct isst_context *context)
{
	struct isst_journal *journal = look_at_journal(context);

	assert_int_equal(isst_journal_apply(journal, 0), 0);
	isst_journal_free(journal);
	isst_close(context);
	machine_check_no_journal(machine, "");
}

/* ---- A package that went offline ---- */

/** CPUs of the second package, and a change of that machine that writes to both. */
static const struct {
	const char *platform, *name;
	unsigned int killed_after, first, last;
	const char *message;
} PACKAGES[] = {
	{ "tests/multi-die-across", "core-power enable", 4, 6, 11, "CPUs 6-11 are offline: bring" },
	{ "tests/multi-die-across", "core-power enable", 7, 6, 11, "CPUs 6-11 are offline: bring" },
	{ "tests/multi-die-across", "level 1", 4, 6, 11, "CPUs 6-11 are offline: bring" },
	{ "tests/multi-die-across", "turbo-mode disable", 12, 6, 11,
	  "CPUs 6-11 are offline: bring" },
	{ "tests/multi-die-across", "base-freq enable auto", 30, 6, 11,
	  "CPUs 6-11 are offline: bring" },
	/* Power domains of I/O have no CPUs, and go with those of their package. */
	{ "tests/tpmi-two-packages", "core-power enable", 3, 4, 7, "CPUs 4-7 are offline: bring" },
	{ "tests/tpmi-two-packages", "level 1", 3, 4, 7, "CPUs 4-7 are offline: bring" },
};

/** Counts the items that wait for CPUs; each reports it. */
static unsigned int count_kept(struct isst_journal *journal)
{
	const struct isst_journal_entry *item;
	unsigned int count = 0;

	for (size_t i = 0; (item = journal_item(journal, i)); i++) {
		if (!item->kept)
			continue;
		assert_string_equal(item->present_value, "unknown");
		assert_false(item->restored || item->moved);
		count++;
	}
	return count;
}

/** What takes time is waited for, and overwritten, in each rollback: it may change yet. */
static void check_is_as_before(const struct isst_journal_entry *item)
{
	if (!item->restored)
		return;
	assert_string_equal(item->present_value, item->old_value);
	assert_string_equal(item->finding, "as before, but may still change");
}

TEST(offline_items_wait_and_the_rest_is_rolled_back)
{
	for (size_t i = 0; i < COUNT(PACKAGES); i++) {
		struct isst_context *context;
		struct isst_journal *journal;

		automachine struct machine machine = machine_begin(PACKAGES[i].platform);
		autofree char *before = machine_picture(&machine);
		run_and_kill(&machine, PACKAGES[i].name, PACKAGES[i].killed_after);
		machine_set_online(&machine, PACKAGES[i].first, PACKAGES[i].last, false);
		machine_next_run(&machine, -ISST_ERR_JOURNAL, PACKAGES[i].message);
		journal = find_journal(&machine, &context);
		assert_true(count_kept(journal) > 0);
		assert_true(journal_is_moved(journal));
		assert_int_equal(isst_journal_apply(journal, 0), -EAGAIN);
		check_holds(isst_error(context), PACKAGES[i].message);
		isst_journal_free(journal);
		/* All that is in reach is as before. */
		journal = open_journal(context);
		for (size_t j = 0; journal_item(journal, j); j++)
			check_is_as_before(journal_item(journal, j));
		isst_journal_free(journal);
		isst_close(context);
		autofree char *text = machine_text(&machine, "run/journal");
		assert_non_null(text);
		machine_set_online(&machine, PACKAGES[i].first, PACKAGES[i].last, true);
		machine_next_run(&machine, 0, "");
		machine_check(&machine, before, "%s, with its CPUs online", PACKAGES[i].name);
		machine_check_no_journal(&machine, "");
	}
}

/** A query that fails once makes no item of its package one that the machine does not have. */
MACHINE_TEST(items_that_the_driver_does_not_provide_wait_and_the_rest_is_rolled_back,
	     "tests/tpmi-two-packages")
{
	static const char MESSAGE[] = "while the driver does not provide their power domains: bind";
	struct isst_context *context;
	struct isst_journal *journal;

	autofree char *before = machine_picture(machine);
	run_and_kill(machine, "core-power enable", 3);
	machine_faults(machine, "tpmi count-instances package 1 EIO");
	context = machine_lock(machine);
	assert_int_equal(isst_discover(context), -ISST_ERR_JOURNAL);
	check_holds(isst_error(context), MESSAGE);
	journal = look_at_journal(context);
	assert_true(count_kept(journal) > 0);
	assert_int_equal(isst_journal_apply(journal, 0), -EAGAIN);
	check_holds(isst_error(context), MESSAGE);
	isst_journal_free(journal);
	isst_close(context);
	machine_faults(machine, "%s", "");
	machine_next_run(machine, 0, "");
	machine_check(machine, before, "once the driver offers all again");
	machine_check_no_journal(machine, "");
}

/** What waits for a package is what the package can have: another one has nothing to wait for. */
TEST(a_place_that_no_package_can_have_does_not_wait_for_one)
{
	static const char *const PLACES[] = { "1 0 32", "2 0 1", "0 0 2" };

	for (size_t i = 0; i < COUNT(PLACES); i++) {
		automachine struct machine machine = machine_begin("tests/tpmi-two-packages");
		machine_look(&machine);
		machine_set_online(&machine, 4, 7, false);
		autofree char *boot_id = machine_text(&machine, "/proc/sys/kernel/random/boot_id");
		autofree char *text = formatted("isst journal 2 boot %sbegun 1 core-power enable\n"
						"1 item core-power %s 0 0 0 1\n",
						boot_id, PLACES[i]);
		machine_write(&machine, "run/journal", text);
		machine_next_run(&machine, -EIO, "this machine has no such item");
	}
}

/** Without the file that remembers them the CPUs may be of any package. */
MACHINE_TEST(offline_items_wait_also_if_their_location_is_unknown, "tests/multi-die-across")
{
	autofree char *before = machine_picture(machine);

	run_and_kill(machine, "core-power enable", 4);
	machine_set_online(machine, 6, 11, false);
	autofree char *path = formatted("%s/run/topology", machine->state);
	assert_int_equal(unlink(path), 0);
	machine_next_run(machine, -ISST_ERR_JOURNAL, "CPUs 6-11 are offline: bring them online");
	machine_set_online(machine, 6, 11, true);
	machine_next_run(machine, 0, "");
	machine_check(machine, before, "with its CPUs online");
}

/* ---- What firmware or driver made of a value ---- */

/** The item that a journal names so; fails where there is none. */
static const struct isst_journal_entry *find_item(struct isst_journal *journal, const char *target)
{
	const struct isst_journal_entry *item;

	for (size_t i = 0; (item = journal_item(journal, i)); i++)
		if (strcmp(item->target, target) == 0)
			return item;
	fail_msg("no item \"%s\"", target);
	return NULL;
}

/** The driver holds uncore limits below that of the package. What became of a write is noted after
 * it was read back: until then it cannot be distinguished from the value of another process. */
MACHINE_TEST(a_value_that_was_clipped_in_the_step_that_was_cut_off_is_uncertain, "tests/tpmi-tiny")
{
	static const char DIRECTORY[] = "/sys/devices/system/cpu/intel_uncore_frequency";
	struct isst_context *context;
	struct isst_journal *journal;
	const struct isst_journal_entry *item;
	char *path;

	machine_change(machine, "[topology]", "[files]\nuncore-follows-level = no\n\n[topology]");
	path = formatted("%s/package_00_die_00/max_freq_khz", DIRECTORY);
	machine_set_file(machine, path, "1800000\n");
	free(path);
	for (unsigned int number = 0; number < 3; number++) {
		path = formatted("%s/uncore%02u/max_freq_khz", DIRECTORY, number);
		machine_set_file(machine, path, "1500000\n");
		free(path);
	}
	autofree char *before = machine_picture(machine);
	/* What is there is written before all else. 2000 MHz is refused; then what is there is
	 * written, and what gets closer: 1700, 1800. */
	autofree char *rule = formatted(
		"write %s/uncore00/max_freq_khz signal KILL after 4 times 1", DIRECTORY);
	machine_try_killed(machine, "level 1 online", rule);
	journal = find_journal(machine, &context);
	item = find_item(journal, "package 0, power domain 0: uncore max");
	assert_string_equal(item->present_value, "1800000 kHz");
	assert_string_equal(item->finding, "changed by the interrupted run or another process");
	assert_true(item->restored && !item->moved);
	assert_int_equal(isst_journal_apply(journal, 0), 0);
	isst_journal_free(journal);
	isst_close(context);
	machine_check(machine, before, "with uncore limits that were clipped");
	machine_check_no_journal(machine, "");
}

/** Bits without a known meaning are written unchanged; a change of them does not affect
 * the run's. */
MACHINE_TEST(a_bit_without_a_known_meaning_makes_nothing_anothers, "tests/tiny")
{
	struct isst_context *context;
	struct isst_journal *journal;
	const struct isst_journal_entry *item;

	autofree char *before = machine_picture(machine);
	run_and_kill(machine, "core-power enable ordered", 2);
	machine_faults(machine, "mailbox 0xd0/0x02 get value 0x106");
	journal = find_journal(machine, &context);
	item = find_item(journal, "package 0, die 0: CLOS and priority type");
	assert_string_equal(item->written_value, "0x6");
	assert_string_equal(item->finding, "as the interrupted run left it");
	machine_faults(machine, "%s", "");
	assert_int_equal(isst_journal_apply(journal, 0), 0);
	isst_journal_free(journal);
	isst_close(context);
	machine_check(machine, before, "with an unknown bit");
}

/** Machines of one core per pair of CPUs whose files of cpufreq answer in the three ways of kernels
 * while their CPU is offline. */
static const char *const OFFLINE_CPUFREQ[] = { "busy", "readable", "gone" };

static void begin_and_kill(struct machine *machine, const char *offline_cpufreq)
{
	autofree char *lines = formatted("[files]\noffline-cpufreq = %s\n\n[topology]",
					 offline_cpufreq);

	*machine = machine_begin_with("tests/tiny", "[topology]", lines);
	run_and_kill(machine, "base-freq enable auto", 12);
	autofree char *journal = machine_text(machine, "run/journal");
	check_holds(journal, "scaling-min 0 0 0 3");
}

TEST(limits_of_second_threads_are_left_where_smt_is_off)
{
	for (size_t i = 0; i < COUNT(OFFLINE_CPUFREQ); i++) {
		struct machine machine;

		begin_and_kill(&machine, OFFLINE_CPUFREQ[i]);
		machine_set_file(&machine, "/sys/devices/system/cpu/smt/control", "off");
		machine_next_run(&machine, 0, "");
		machine_check_no_journal(&machine, "");
		machine_end(&machine);
	}
}

TEST(limits_of_an_offline_cpu_wait_for_it)
{
	for (size_t i = 0; i < COUNT(OFFLINE_CPUFREQ); i++) {
		struct machine machine;

		begin_and_kill(&machine, OFFLINE_CPUFREQ[i]);
		machine_set_online(&machine, 3, 3, false);
		machine_next_run(&machine, -ISST_ERR_JOURNAL,
				 "while CPU 3 is offline: bring it online (");
		machine_set_online(&machine, 3, 3, true);
		machine_next_run(&machine, 0, "");
		machine_check_no_journal(&machine, "");
		machine_end(&machine);
	}
}

MACHINE_TEST(an_unidentified_boot_names_its_file_once, "tests/tiny")
{
	const struct outcome *outcome;
	const char *first;

	machine_faults(machine, "read /proc/sys/kernel/random/boot_id EACCES");
	outcome = machine_try(machine, "core-power enable");
	assert_true(outcome_error(outcome) != 0);
	check_holds(outcome->message, "the current boot cannot be identified");
	first = strstr(outcome->message, "boot_id");
	assert_non_null(first);
	assert_null(strstr(first + 1, "boot_id"));
}

/* ---- A journal that is cut off ---- */

/** A kill within a write leaves part of a line. What a recovery notes behind it must not make that
 * a damaged journal. */
MACHINE_TEST(a_line_that_is_cut_off_spoils_no_recovery, "tests/tiny")
{
	autofree char *before = machine_picture(machine);
	run_and_kill(machine, "core-power enable", 2);
	autofree char *journal_text = machine_text(machine, "run/journal");
	assert_non_null(journal_text);
	autofree char *cut = formatted("%s2 item online 0 0 0 ", journal_text);
	machine_write(machine, "run/journal", cut);
	machine_faults(machine, "%s", "mailbox any set EBUSY");
	machine_next_run(machine, -ENOTRECOVERABLE, "");
	machine_faults(machine, "%s", "");
	apply_journal(machine, machine_lock(machine));
	machine_check(machine, before, "after a recovery that went wrong first");
}

/** A file system that lost a block leaves NULs there: none ends the journal before its end. */
MACHINE_TEST(a_nul_byte_makes_a_journal_damaged_wherever_it_is, "tests/tiny")
{
	enum { LINE = 4 };
	char *line;
	size_t size;

	run_and_kill(machine, "base-freq enable auto", 12);
	autofree char *text = machine_text(machine, "run/journal");
	assert_non_null(text);
	size = strlen(text);
	autofree char *path = formatted("%s/run/journal", machine->state);
	line = text;
	for (unsigned int i = 1; i < LINE; i++)
		line = strchr(line, '\n') + 1;
	{
		const struct {
			size_t from, to;
			const char *reason;
		} CASES[] = {
			{ 0, size, "journal:1 is damaged" },
			{ 3, 4, "journal:1 is damaged" },
			{ (size_t)(line - text), (size_t)(line - text) + 1,
			  "journal:4 is damaged" },
			{ (size_t)(line - text) + 2, size, "journal:4 is damaged" },
			{ size, size + 512,
			  "is damaged: no change is made until the file is "
			  "removed with `isst journal discard`" },
		};

		for (size_t i = 0; i < COUNT(CASES); i++) {
			static const char NULS[8192];
			int file = open(path, O_WRONLY);

			assert_true(file >= 0 && CASES[i].to - CASES[i].from < sizeof(NULS));
			assert_true(pwrite(file, NULS, CASES[i].to - CASES[i].from,
					   (off_t)CASES[i].from) > 0);
			close(file);
			machine_next_run(machine, -EIO, CASES[i].reason);
			machine_write(machine, "run/journal", text);
		}
	}
	apply_journal(machine, machine_lock(machine));
}

/* ---- Limits of CPUs that came online with the level ---- */

#define LIMIT(cpu) "/sys/devices/system/cpu/cpu" #cpu "/cpufreq/scaling_max_freq"

static void rolls_back(const struct machine *machine)
{
	machine_next_run(machine, 0, "");
	machine_check_no_journal(machine, "");
}

/** CPU 4 of the guide's machine is not of level 4; that it goes offline again takes its limit
 * along. */
MACHINE_TEST(a_limit_goes_with_the_cpu_that_the_rollback_takes_offline, "guide")
{
	machine_look(machine);
	machine_set_file(machine, LIMIT(4), "2000000\n");
	machine_expect(machine, "level 4 online", 0);
	autofree char *before = machine_picture(machine);
	machine_try_killed(machine, "level 0 online", "write " LIMIT(4) " signal KILL");
	rolls_back(machine);
	machine_check(machine, before, "level 0, killed at a limit");
	machine_set_online(machine, 4, 4, true);
	machine_check_file(machine, LIMIT(4), "2000000");
}

/** The CPU is offline by then, and its limit was restored before. */
MACHINE_TEST(a_rollback_goes_on_where_it_has_taken_cpus_offline, "guide")
{
	struct isst_context *context;

	machine_look(machine);
	machine_set_file(machine, LIMIT(4), "2000000\n");
	machine_expect(machine, "level 4 online", 0);
	autofree char *before = machine_picture(machine);
	machine_try_killed(machine, "level 0 online", "write " LIMIT(4) " signal KILL");
	machine_faults(machine, "mailbox 0x7f/0x08 set EBUSY");
	context = machine_lock(machine);
	assert_int_equal(isst_discover(context), -ENOTRECOVERABLE);
	assert_null(strstr(isst_error(context), "CPU 4"));
	isst_close(context);
	machine_faults(machine, "%s", "");
	rolls_back(machine);
	machine_check(machine, before, "rolled back in two runs");
	machine_set_online(machine, 4, 4, true);
	machine_check_file(machine, LIMIT(4), "2000000");
}

/* ---- A read that fails once ---- */

/** The lower limit is shown at the upper one, which another process lowered. */
MACHINE_TEST(a_look_at_limits_that_fails_once_is_repeated, "tests/tiny")
{
	for (unsigned int k = 0; k < 8; k++) {
		const char *enable = "base-freq enable auto";

		machine_restart(machine, NULL);
		if (k % 2)
			run_and_kill(machine, enable, 11);
		else
			assert_true(machine_prepare(machine, enable));
		machine_set_file(machine, LIMIT(0), "1500000\n");
		machine_faults(machine, "read " LIMIT(0) " EIO after %u times 1", k / 2);
		if (k % 2)
			apply_journal(machine, machine_lock(machine));
		else
			machine_expect(machine, "base-freq disable auto", 0);
		machine_faults(machine, "%s", "");
	}
}

/* ---- Partitions that a rollback takes apart ---- */

/** What stops the making of the second partition, and then the removal of the first one. */
static const char *const APART[] = {
	"write /sys/fs/cgroup/1-*-0/cpuset.cpus EIO times 1\nrmdir /sys/fs/cgroup/0-0-0 EBUSY times 3",
	"write /sys/fs/cgroup/1-*-0/cpuset.cpus EIO times 1\nrmdir /sys/fs/cgroup/0-0-0 signal KILL",
};

TEST(a_partition_that_a_rollback_removes_belongs_to_the_run)
{
	for (size_t i = 0; i < COUNT(APART); i++) {
		automachine struct machine machine = machine_begin("guide");
		autofree char *before = machine_picture(&machine);
		if (strstr(APART[i], "KILL")) {
			machine_try_killed(&machine, "level 1 partitions", APART[i]);
		} else {
			machine_faults(&machine, "%s", APART[i]);
			machine_expect(&machine, "level 1 partitions", -ENOTRECOVERABLE);
			machine_faults(&machine, "%s", "");
		}
		autofree char *journal = machine_text(&machine, "run/journal");
		assert_non_null(journal);
		check_holds(journal, "\nrollback\n");
		rolls_back(&machine);
		machine_check(&machine, before, "%s", APART[i]);
	}
}

/* ---- A recovery that is refused ---- */

/** The interrupted change is not rolled back, so there is no machine to make another one of. */
MACHINE_TEST(a_refused_recovery_leaves_the_context_undiscovered, "tests/tiny")
{
	struct isst_context *context;
	struct isst_journal *journal;
	struct isst_change *change;

	run_and_kill(machine, "base-freq enable auto", 11);
	machine_set_file(machine, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq",
			 "1900000\n");
	context = machine_lock(machine);
	assert_int_equal(isst_discover(context), -ISST_ERR_JOURNAL);
	check_holds(isst_error(context), "isst journal apply");
	assert_int_equal(isst_domain_count(context), 0);
	assert_null(context_cpu(context, 0));
	assert_int_equal(isst_change_new(context, NULL, &change), -EINVAL);
	assert_null(change);
	assert_int_equal(isst_journal_open(context, 0, &journal), -EINVAL);
	/* It is not too late to look. */
	apply_journal(machine, context);
}

/* ---- Twice ---- */

MACHINE_TEST(a_journal_is_applied_once, "tests/tiny")
{
	struct isst_context *context;
	struct isst_journal *one, *other, *none;

	autofree char *before = machine_picture(machine);
	run_and_kill(machine, "core-power enable", 2);
	context = machine_lock(machine);
	one = look_at_journal(context);
	other = open_journal(context);
	assert_int_equal(isst_journal_apply(one, 0), 0);
	assert_int_equal(isst_journal_apply(one, 0), -ENOENT);
	check_holds(isst_error(context), "the journal no longer exists");
	assert_int_equal(isst_journal_apply(other, 0), -ENOENT);
	assert_int_equal(isst_journal_open(context, 0, &none), 0);
	assert_null(none);
	isst_journal_free(one);
	isst_journal_free(other);
	isst_close(context);
	machine_check_no_journal(machine, "");
	machine_check(machine, before, "applied twice");
}

/* ---- What is not rolled back ---- */

/** The CLOS switch is what the second step writes, and a footprint of the first one. */
MACHINE_TEST(unreadable_items_are_reported_once, "tests/tiny")
{
	const char *first;

	run_and_kill(machine, "core-power enable ordered", 2);
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	freed_by(isst_journal_free) struct isst_journal *journal = look_at_journal(context);
	machine_faults(machine, "mailbox 0xd0/0x02 EBUSY");
	assert_int_equal(isst_journal_apply(journal, 0), -ENOTRECOVERABLE);
	first = strstr(isst_error(context), "CLOS and priority type is unknown");
	assert_non_null(first);
	assert_null(strstr(first + 1, "CLOS and priority type"));
	assert_null(strstr(isst_error(context), "pending"));
}

/* ---- Many items ---- */

MACHINE_TEST(a_notice_about_many_items_is_a_summary, "guide")
{
	const char *notice;

	run_and_kill(machine, "turbo-mode disable", 30);
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	assert_int_equal(isst_discover(context), 0);
	notice = isst_message_text(isst_notice_at(context, 0));
	assert_non_null(notice);
	check_holds(notice, "rolled back the incomplete change");
	check_holds(notice, "scaling_max_freq of CPUs 0-29");
	assert_null(strstr(notice, " kHz"));
}

MACHINE_TEST(a_refusal_about_many_items_is_a_summary, "guide")
{
	run_and_kill(machine, "turbo-mode disable", 30);
	for (unsigned int cpu = 0; cpu < 20; cpu++) {
		char path[80];

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq", cpu);
		machine_set_file(machine, path, "1700000\n");
	}
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);
	assert_int_equal(isst_discover(context), -ISST_ERR_JOURNAL);
	check_holds(isst_error(context), "scaling_max_freq of CPUs 0-19;");
	assert_null(strstr(isst_error(context), " kHz"));
}

/** Makes a file one to which can only be appended, or not. Returns false where that cannot be had.
 */
static bool set_append_only(const char *path, bool on)
{
	int file = open(path, O_RDONLY), flags = 0;
	bool done = file >= 0 && ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;

	flags = on ? flags | FS_APPEND_FL : flags & ~FS_APPEND_FL;
	done = done && ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
	if (file >= 0)
		close(file);
	return done;
}

/** The journal would stand against the next change although the rollback is complete. */
TEST(a_journal_that_cannot_be_removed_is_an_error_of_its_rollback)
{
	struct isst_context *context;
	struct isst_journal *journal;
	struct machine machine;
	char *path;

	machine = machine_begin("tests/tiny");
	run_and_kill(&machine, "core-power enable", 1);
	path = formatted("%s/run/journal", machine.state);
	if (!set_append_only(path, true)) {
		free(path);
		machine_end(&machine);
		skip();
	}
	journal = find_journal(&machine, &context);
	assert_int_equal(isst_journal_apply(journal, 0), -EPERM);
	check_holds(isst_error(context), "cannot be removed");
	isst_journal_free(journal);
	isst_close(context);
	assert_true(set_append_only(path, false));
	free(path);
	machine_end(&machine);
}

static bool reports_interruption(const struct machine *machine)
{
	struct isst_context *context = machine_discover(machine);
	bool reported = false;

	for (size_t i = 0; isst_notice_at(context, i); i++)
		reported |= strstr(isst_message_text(isst_notice_at(context, i)),
				   "a run was interrupted") != NULL;
	isst_close(context);
	return reported;
}

/** Locks a file of the state directory. Returns a descriptor. */
static int lock_file(const struct machine *machine, const char *name, int how)
{
	int file;

	autofree char *path = formatted("%s/%s", machine->state, name);
	file = open(path, O_RDONLY);
	assert_true(file >= 0 && flock(file, how | LOCK_NB) == 0);
	return file;
}

/** Messages of a reading run about a journal: none about a change in progress. */
TEST(readers_report_an_interrupted_run_unless_a_change_is_in_progress)
{
	struct machine machine;
	int file;

	machine = machine_begin("tests/tiny");
	run_and_kill(&machine, "core-power enable", 1);
	assert_true(reports_interruption(&machine));
	file = lock_file(&machine, "run/lock", LOCK_EX);
	assert_false(reports_interruption(&machine));
	close(file);
	machine_end(&machine);
	/* No driver, and so no device. */
	machine = machine_begin("tests/preset-unnamed");
	run_and_kill(&machine, "base-freq enable", 1);
	assert_true(reports_interruption(&machine));
	machine_end(&machine);
}

/** What another process does just before a lock is looked at. */
static const struct machine *ends_meanwhile;

/** In place of the C library's. Readers look at locks so. */
int flock(int descriptor, int operation)
{
	const struct machine *machine = operation == (LOCK_SH | LOCK_NB) ? ends_meanwhile : NULL;
	char *path;

	if (machine) {
		ends_meanwhile = NULL;
		path = formatted("%s/run/journal", machine->state);
		assert_int_equal(unlink(path), 0);
		free(path);
	}
	return (int)syscall(SYS_flock, descriptor, operation);
}

/** The change was at work when its journal was read, and is complete when the lock is looked at. */
MACHINE_TEST(readers_do_not_report_a_change_that_ends_meanwhile, "tests/tiny")
{
	run_and_kill(machine, "core-power enable", 1);
	ends_meanwhile = machine;
	assert_false(reports_interruption(machine));
	assert_null(ends_meanwhile);
	machine_check_no_journal(machine, "");
}

static int open_unlocked(const struct machine *machine, bool *found)
{
	struct isst_context *context = machine_discover(machine);
	struct isst_journal *journal = NULL;
	int error;

	error = isst_journal_open(context, 0, &journal);
	*found = journal != NULL;
	if (error)
		assert_non_null(strstr(isst_error(context), "is changing the machine and holds"));
	isst_journal_free(journal);
	isst_close(context);
	return error;
}

/** What a run that is at work has written is compared with nothing. */
MACHINE_TEST(the_journal_of_a_change_in_progress_is_not_an_interrupted_one, "tests/tiny")
{
	bool found;
	int file;

	assert_int_equal(open_unlocked(machine, &found), 0);
	assert_false(found);
	run_and_kill(machine, "core-power enable", 1);
	file = lock_file(machine, "run/lock", LOCK_EX);
	assert_int_equal(open_unlocked(machine, &found), -EBUSY);
	assert_false(found);
	close(file);
	assert_int_equal(open_unlocked(machine, &found), 0);
	assert_true(found);
}

int main(void)
{
	rests_end_at_once();
	return test_main(NULL, NULL);
}
