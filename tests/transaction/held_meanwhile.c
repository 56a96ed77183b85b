/* SPDX-License-Identifier: BSD-3-Clause */
/* While a change is held: what other processes, and the one that holds it, can do, and what becomes
 * of the rollback if the machine was changed meanwhile. */
#include "transaction/support/loops.h"

#include <sys/wait.h>
#include <unistd.h>

#define CPU "/sys/devices/system/cpu/"

/** A program that holds a change. */
struct holding {
	struct machine machine;
	char *before; /* a picture */
	struct isst_context *context;
	struct isst_change *change;
};

static struct isst_change *make(struct isst_context *context, const char *name, bool hold)
{
	const struct request *request = request_find(name);
	const struct isst_change_options options = { .command = name, .hold = hold };
	struct objections objections = { .lines = strdup("") };
	struct isst_change *change;

	assert_int_equal(isst_change_new(context, &options, &change), 0);
	assert_int_equal(request_plan(context, change, request, &objections), 0);
	assert_string_equal(objections.lines, "");
	assert_int_equal(isst_change_run(change), 0);
	assert_int_equal(isst_change_is_held(change), hold);
	free(objections.lines);
	return change;
}

static struct holding hold(const char *platform, const char *name)
{
	struct holding holding = { .machine = machine_begin(platform) };

	holding.before = machine_picture(&holding.machine);
	holding.context = machine_lock(&holding.machine);
	assert_int_equal(isst_discover(holding.context), 0);
	holding.change = make(holding.context, name, true);
	return holding;
}

static void holding_end(struct holding *holding)
{
	isst_change_free(holding->change);
	isst_close(holding->context);

	free(holding->before);
	machine_end(&holding->machine);
}

/** It ends with its block. */
#define autohold __attribute__((cleanup(holding_end)))

static void write_cpu_file(const struct holding *holding, unsigned int cpu, const char *name,
			   const char *text)
{
	autofree char *path = formatted(CPU "cpu%u/%s", cpu, name);

	machine_set_file(&holding->machine, path, text);
}

static void check_cpu_file(const struct holding *holding, unsigned int cpu, const char *name,
			   const char *expected)
{
	autofree char *path = formatted(CPU "cpu%u/%s", cpu, name);

	machine_check_file(&holding->machine, path, expected);
}

static bool has_journal(const struct holding *holding)
{
	char *journal = machine_text(&holding->machine, "run/journal");

	free(journal);
	return journal;
}

/** The rollback succeeds with exactly one warning, or none (NULL). */
static void check_rolled_back(struct holding *holding, const char *warning)
{
	size_t count = 0;

	/* Those of making the change come first. */
	while (isst_change_warning_at(holding->change, count))
		count++;
	if (isst_change_roll_back(holding->change))
		fail_msg("the rollback reports: %s", isst_error(holding->context));
	assert_false(isst_change_is_held(holding->change));
	assert_false(has_journal(holding));
	if (warning) {
		assert_non_null(isst_change_warning_at(holding->change, count));
		assert_string_equal(
			isst_message_text(isst_change_warning_at(holding->change, count)), warning);
		count++;
	}
	assert_null(isst_change_warning_at(holding->change, count));
	assert_null(isst_change_difference_at(holding->change, 0));
}

/* ---- The machine changes ---- */

/* The base frequency of tests/tiny is 2000 MHz at level 0, its highest one 3000 MHz. */
TEST(a_value_of_another_process_stays)
{
	autohold struct holding holding = hold("tests/tiny", "turbo-mode disable");
	check_cpu_file(&holding, 2, "cpufreq/scaling_max_freq", "2000000");
	write_cpu_file(&holding, 3, "cpufreq/scaling_max_freq", "1500000");
	check_rolled_back(
		&holding,
		"not rolled back, because another process changed it since: CPU 3: scaling_max_freq is 1500000 kHz");
	check_cpu_file(&holding, 3, "cpufreq/scaling_max_freq", "1500000");
	write_cpu_file(&holding, 3, "cpufreq/scaling_max_freq", "2147483647");
	machine_check(&holding.machine, holding.before, "all but what the other process wrote");
}

/** A level moves no limit that was set: it has nothing to do with them. */
TEST(a_limit_of_another_process_is_not_of_a_level_that_is_rolled_back)
{
	autohold struct holding holding = hold("tests/tiny", "level 1");
	write_cpu_file(&holding, 1, "cpufreq/scaling_max_freq", "1500000");
	check_rolled_back(&holding, NULL);
	check_cpu_file(&holding, 1, "cpufreq/scaling_max_freq", "1500000");
	write_cpu_file(&holding, 1, "cpufreq/scaling_max_freq", "2147483647");
	machine_check(&holding.machine, holding.before, "all but what the other process wrote");
}

/** Drivers of mailbox servers restore a level over a suspend, and core-power not. */
TEST(what_was_lost_over_a_suspend_is_rolled_back)
{
	autohold struct holding holding = hold("tests/tiny", "core-power enable ordered");
	assert_int_equal(isst_change_release(holding.change), 0);
	isst_change_free(holding.change);
	autofree char *before = machine_picture(&holding.machine);
	holding.change = make(holding.context, "level 1", true);
	machine_set_file(&holding.machine, "/sys/power/state", "mem");
	check_rolled_back(&holding, "changed over a suspend of the machine, and rolled back as "
				    "well: package 0, die 0: core-power is 0");
	machine_check(&holding.machine, before, "a suspend");
}

TEST(a_cpu_that_went_offline_keeps_its_limits)
{
	autohold struct holding holding = hold("tests/tiny", "turbo-mode disable");
	write_cpu_file(&holding, 3, "online", "0");
	check_rolled_back(&holding,
			  "not rolled back, because the CPU is offline: scaling_max_freq of CPU 3");
	check_cpu_file(&holding, 2, "cpufreq/scaling_max_freq", "3000000");
	check_cpu_file(&holding, 3, "online", "0");
}

/** The other threads of cores 0 and 1 are CPUs 1 and 3. */
TEST(cpus_that_smt_keeps_offline_keep_their_limits)
{
	autohold struct holding holding = hold("tests/tiny", "turbo-mode disable");
	machine_set_file(&holding.machine, CPU "smt/control", "off");
	check_rolled_back(
		&holding,
		"not rolled back, because the CPU is offline: scaling_max_freq of CPUs 1,3");
	check_cpu_file(&holding, 0, "cpufreq/scaling_max_freq", "3000000");
	check_cpu_file(&holding, 2, "cpufreq/scaling_max_freq", "3000000");
}

/** Level 1 of tests/tiny has core 0 alone: CPUs 2 and 3 go offline. */
TEST(a_cpu_that_another_process_brought_back_stays_online)
{
	autohold struct holding holding = hold("tests/tiny", "level 1 online");
	check_cpu_file(&holding, 2, "online", "0");
	write_cpu_file(&holding, 2, "online", "1");
	check_rolled_back(&holding, NULL);
	check_cpu_file(&holding, 2, "online", "1");
	check_cpu_file(&holding, 3, "online", "1");
	machine_check(&holding.machine, holding.before, "a CPU that was back already");
}

/** The CPU that carries the requests of a package goes offline. */
TEST(requests_are_carried_by_another_cpu)
{
	autohold struct holding holding = hold("guide", "clos");
	write_cpu_file(&holding, 14, "online", "0");
	check_rolled_back(&holding, NULL);
	write_cpu_file(&holding, 14, "online", "1");
	machine_check(&holding.machine, holding.before, "the carrier went offline");
}

static void set_second_package(const struct holding *holding, const char *online)
{
	const struct isst_domain *domain = isst_domain_at(holding->context, 1);
	unsigned int cpu;

	assert_int_equal(isst_domain_package(domain), 1);
	isst_cpuset_for_each (cpu, domain->present)
		write_cpu_file(holding, cpu, "online", online);
}

TEST(a_package_that_is_offline_is_rolled_back_by_a_later_run)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	const struct isst_message *difference;
	unsigned int cpu;

	autohold struct holding holding = hold("guide", "association");
	assert_int_equal(isst_cpuset_add_set(cpus, isst_domain_at(holding.context, 1)->present), 0);
	set_second_package(&holding, "0");
	assert_int_equal(isst_change_roll_back(holding.change), -ISST_ERR_ROLLBACK);
	assert_false(isst_change_is_held(holding.change));
	check_holds(isst_error(holding.context), "bring them online");
	check_holds(isst_error(holding.context), "isst journal apply");
	for (size_t i = 0; (difference = isst_change_difference_at(holding.change, i)); i++)
		check_holds(isst_message_text(difference), "package 1, die 0: CLOS of core ");
	assert_non_null(isst_change_difference_at(holding.change, 0));
	assert_true(has_journal(&holding));
	/* It is no longer held: the lock can be released. */
	assert_int_equal(isst_unlock(holding.context), 0);
	isst_cpuset_for_each (cpu, cpus)
		write_cpu_file(&holding, cpu, "online", "1");
	machine_next_run(&holding.machine, 0, "");
	machine_check(&holding.machine, holding.before, "a package that was offline");
	assert_false(has_journal(&holding));
	isst_cpuset_free(cpus);
}

TEST(what_cannot_be_written_is_listed_and_rolled_back_later)
{
	autohold struct holding holding = hold("tests/tiny", "turbo-mode disable");
	machine_faults(&holding.machine, "write " CPU "cpu3/cpufreq/scaling_max_freq EIO");
	assert_int_equal(isst_change_roll_back(holding.change), -ISST_ERR_ROLLBACK);
	assert_string_equal(isst_message_text(isst_change_difference_at(holding.change, 0)),
			    "CPU 3: scaling_max_freq is 2000000 kHz, was no limit");
	assert_null(isst_change_difference_at(holding.change, 1));
	check_holds(isst_error(holding.context),
		    "CPU 3: scaling_max_freq is 2000000 kHz, was no limit");
	assert_int_equal(isst_change_roll_back(holding.change), -EINVAL);
	machine_faults(&holding.machine, "%s", "");
	assert_int_equal(isst_unlock(holding.context), 0);
	machine_next_run(&holding.machine, 0, "");
	machine_check(&holding.machine, holding.before, "completed by the next run");
}

TEST(a_machine_that_cannot_be_read_leaves_the_change_held)
{
	autohold struct holding holding = hold("tests/tiny", "clos");
	machine_faults(&holding.machine, "read " CPU "online EIO");
	assert_int_equal(isst_change_roll_back(holding.change), -EIO);
	assert_true(isst_change_is_held(holding.change));
	machine_faults(&holding.machine, "%s", "");
	check_rolled_back(&holding, NULL);
	machine_check(&holding.machine, holding.before, "the second attempt");
}

TEST(a_journal_that_was_removed_is_reported)
{
	autohold struct holding holding = hold("tests/tiny", "clos");
	autofree char *path = formatted("%s/run/journal", holding.machine.state);
	assert_int_equal(remove(path), 0);
	assert_int_equal(isst_change_roll_back(holding.change), -EIO);
	check_holds(isst_error(holding.context), "was removed");
	assert_true(isst_change_is_held(holding.change));
	assert_int_equal(isst_change_release(holding.change), 0);
}

/* ---- Other processes ---- */

/** A message about the change that this process holds. */
static void check_names_holder(const char *message)
{
	autofree char *expected = formatted("process %ld holds a change (clos", (long)getpid());

	check_holds(message, expected);
}

TEST(another_process_is_refused_the_lock_and_can_read)
{
	struct isst_options options = { 0 };
	struct isst_context *other;
	struct isst_journal *journal;

	autohold struct holding holding = hold("tests/tiny", "clos");
	options.machine = machine_open(&holding.machine);
	assert_int_equal(isst_open(&options, &other), 0);
	assert_int_equal(isst_lock(other, 0, 0), -EBUSY);
	check_names_holder(isst_error(other));
	assert_int_equal(isst_discover(other), 0);
	assert_null(isst_notice_at(other, 0));
	check_names_holder(isst_change_holder(other));
	check_holds(isst_change_holder(other), ", since 20");
	assert_int_equal(isst_journal_open(other, 0, &journal), -EBUSY);
	check_names_holder(isst_error(other));
	assert_null(journal);
	assert_null(strstr(isst_error(other), "apply"));
	isst_close(other);
	assert_true(isst_change_is_held(holding.change));
	assert_true(has_journal(&holding));
}

/** Once its holder has died, a process that does not change the machine reports it. */
MACHINE_TEST(a_change_whose_holder_died_is_reported_and_shown, "tests/tiny")
{
	freed_by(isst_journal_free) struct isst_journal *journal = NULL;
	freed_by(isst_close) struct isst_context *other = NULL;
	pid_t child;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct isst_context *context = machine_lock(machine);

		if (isst_discover(context) == 0)
			make(context, "clos", true);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	other = machine_discover(machine);
	check_holds(isst_message_text(isst_notice_at(other, 0)),
		    "a run ended while it held a change");
	assert_int_equal(isst_journal_open(other, 0, &journal), 0);
	assert_non_null(journal);
	assert_true(isst_journal_is_held(journal));
	assert_string_equal(isst_journal_command(journal), "clos");
}

/* ---- The process itself ---- */

TEST(nothing_else_is_changed_under_the_lock)
{
	const struct isst_change_options dry_run = { .dry_run = true };
	struct isst_journal *journal;
	struct isst_change *other;

	autohold struct holding holding = hold("tests/tiny", "clos");
	assert_int_equal(isst_unlock(holding.context), -EINVAL);
	check_holds(isst_error(holding.context), "a change is held");
	assert_int_equal(isst_change_new(holding.context, NULL, &other), -EINVAL);
	check_holds(isst_error(holding.context), "a change is held");
	assert_int_equal(isst_journal_discard(holding.context, 0), -EINVAL);
	assert_int_equal(isst_journal_open(holding.context, 0, &journal), 0);
	assert_true(isst_journal_is_held(journal));
	assert_int_equal(isst_journal_apply(journal, 0), -EINVAL);
	isst_journal_free(journal);
	assert_int_equal(isst_discover(holding.context), 0);
	assert_int_equal(isst_change_new(holding.context, &dry_run, &other), 0);
	isst_change_free(other);
	assert_true(isst_change_is_held(holding.change));
	assert_true(has_journal(&holding));
	check_rolled_back(&holding, NULL);
	machine_check(&holding.machine, holding.before, "after refused calls");
	/* Now other changes can be made. */
	isst_change_free(make(holding.context, "association", false));
	assert_int_equal(isst_unlock(holding.context), 0);
}

TEST(what_is_not_held_is_refused)
{
	struct isst_change *change;

	autohold struct holding holding = hold("tests/tiny", "clos");
	assert_int_equal(isst_change_release(holding.change), 0);
	assert_false(isst_change_is_held(holding.change));
	assert_false(has_journal(&holding));
	assert_int_equal(isst_change_release(holding.change), -EINVAL);
	assert_int_equal(isst_change_roll_back(holding.change), -EINVAL);
	check_holds(isst_error(holding.context), "not held");
	change = make(holding.context, "association", false);
	assert_int_equal(isst_change_release(change), -EINVAL);
	assert_int_equal(isst_change_roll_back(change), -EINVAL);
	isst_change_free(change);
}

/** There is nothing to write, and yet the change is held. */
TEST(a_change_that_finds_all_done_is_held_without_journal)
{
	struct isst_change *change;

	autohold struct holding holding = hold("tests/tiny", "clos");
	assert_int_equal(isst_change_release(holding.change), 0);
	autofree char *before = machine_picture(&holding.machine);
	change = make(holding.context, "clos", true);
	assert_true(isst_change_is_unchanged(change));
	assert_false(has_journal(&holding));
	assert_int_equal(isst_unlock(holding.context), -EINVAL);
	assert_int_equal(isst_change_roll_back(change), 0);
	assert_int_equal(isst_unlock(holding.context), 0);
	machine_check(&holding.machine, before, "an unchanged machine");
	isst_change_free(change);
}

TEST(closing_the_context_rolls_back)
{
	autohold struct holding holding = hold("tests/tiny", "level 1 online");
	isst_close(holding.context);
	machine_check(&holding.machine, holding.before, "a closed context");
	assert_false(has_journal(&holding));
	assert_false(isst_change_is_held(holding.change));
	holding.context = NULL;
}

TEST(a_forked_child_leaves_the_change_to_its_parent)
{
	pid_t child;
	int status;

	autohold struct holding holding = hold("tests/tiny", "clos");
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		bool refused = isst_change_roll_back(holding.change) == -EINVAL &&
			       isst_change_release(holding.change) == -EINVAL;

		isst_change_free(holding.change);
		isst_close(holding.context);
		_exit(refused ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(has_journal(&holding));
	check_rolled_back(&holding, NULL);
	machine_check(&holding.machine, holding.before, "rolled back by the parent");
}
