/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults by number: the Nth command, the Nth change, signals, and firmware that defers what it
 * accepted. */
#include "emulator/emulated.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

TEST_MACHINE(any_command_counts_what_statistics_count, "tests/tiny")
{
	struct abi_platform_info info;
	uint32_t word = 0;
	uint64_t value = 0;

	rules(e, "command any EIO after 3 times 1\n");
	assert_int_equal(call(e, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(phy_id(e, 0, &word), 1);
	assert_int_equal(mmio(e, 0, 0x08, false, &word), 1);
	assert_int_equal(msr(e, 0, 0x1ad, false, &value), -EIO);
	assert_int_equal(msr(e, 0, 0x1ad, false, &value), 1);
	rules(e, "command any set EBUSY\ncommand any get die 7 EIO\n");
	assert_int_equal(mmio(e, 0, 0x08, true, &word), -EBUSY);
	assert_int_equal(mmio(e, 0, 0x08, false, &word), 1);
	rules(e, "command any EAGAIN\n");
	assert_int_equal(call(e, ABI_GET_PLATFORM_INFO, &info), -EAGAIN);
}

TEST_MACHINE(any_change_counts_commands_and_files_in_order, NULL)
{
	uint32_t word = 0;

	for (int k = 0; k < 5; k++) {
		char rule[100];
		int results[4];

		start(e, "tests/tiny");
		snprintf(rule, sizeof(rule), "change any ENXIO after %d times 1\n", k);
		rules(e, rule);
		ask(e, 0x00, 0); /* these change nothing */
		assert_int_equal(read_result(e, CPUS "/online"), 0);
		results[0] = mmio(e, 0, 0x08, true, &word) - 1;
		results[1] = write_file(e, CPUS "/cpu1/online", "0");
		results[2] = make_directory(e, "/sys/fs/cgroup/a");
		results[3] = mailbox_result(e, 0x7f, 0x08, 0, 1) - 1;
		for (int i = 0; i < 4; i++)
			assert_int_equal(results[i] != 0, i == k);
		finish(e);
	}
}

TEST_MACHINE(directories, "tests/tiny")
{
	rules(e, "mkdir /sys/fs/cgroup/* ENOSPC times 1\nrmdir /sys/fs/cgroup/a EBUSY times 1\n");
	assert_int_equal(make_directory(e, "/sys/fs/cgroup/a"), -ENOSPC);
	assert_int_equal(make_directory(e, "/sys/fs/cgroup/a"), 0);
	assert_int_equal(remove_directory(e, "/sys/fs/cgroup/a"), -EBUSY);
	assert_int_equal(remove_directory(e, "/sys/fs/cgroup/a"), 0);
}

static volatile sig_atomic_t signals_seen;

static void count_signal(int number)
{
	(void)number;
	signals_seen++;
}

struct writes {
	uint32_t count;
	struct abi_io_reg access[3];
};

static int write_three(struct emulated *e)
{
	struct writes writes = { .count = 3 };

	for (uint32_t i = 0; i < 3; i++)
		writes.access[i] = (struct abi_io_reg){ 1, 0, 0x08 + 4 * i, i + 1 };
	return call(e, ABI_IO_COMMAND, &writes);
}

TEST_MACHINE(a_signal_comes_right_behind_an_operation, "tests/tiny")
{
	sigset_t set;

	assert_true(signal(SIGUSR1, count_signal) != SIG_ERR);
	rules(e, "change any signal USR1 after 1 times 1\n");
	assert_int_equal(write_three(e), 2); /* pending before the third entry */
	assert_int_equal(signals_seen, 1);
	assert_mmio(e, 0, 0x0c, 2);
	rules(e, "write /sys/devices/system/cpu/cpu1/online signal USR1\n");
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	assert_int_equal(signals_seen, 2);
	assert_file(e, CPUS "/cpu1/online", "0\n");
	/* The driver does not see signals that the process has blocked. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	rules(e, "mmio any set signal USR1 times 1\n");
	assert_int_equal(write_three(e), 3);
	assert_int_equal(signals_seen, 2);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	assert_int_equal(signals_seen, 3);
}

TEST_MACHINE(sigkill_leaves_what_was_done, "tests/tiny")
{
	int status;
	pid_t child;

	rules(e, "change any signal KILL after 1 times 1\n");
	child = fork();
	if (child == 0) {
		write_three(e);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_mmio(e, 0, 0x0c, 2);
	assert_mmio(e, 0, 0x10, 0x00ff0000);
}

TEST_MACHINE(a_late_level_is_seen_by_all_when_it_is_due, "tests/tiny")
{
	struct isst_machine *other;

	rules(e, "mailbox 0x7f/0x08 deferred 300\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	assert_int_equal(ask(e, 0x00, 0), 0x80000103);
	assert_file(e, CPUS "/cpu1/cpufreq/base_frequency", "2000000\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 9), -ENXIO); /* refused at once */
	close_machine(e);
	usleep(350 * 1000);
	other = open_another(e);
	e->machine = other;
	assert_file(e, CPUS "/cpu1/cpufreq/base_frequency", "2500000\n");
	e->device = other->device->open(other->data);
	assert_answer(e, 0, 0x7f, 0x00, 0, 0, 0x80010103);
}

TEST_MACHINE(late_sets_take_effect_in_the_order_that_they_are_due, "tests/tiny")
{
	uint32_t word = 0x11;

	rules(e, "mmio 0x08 deferred 200\nmmio 0x0c deferred 100\n");
	assert_int_equal(mmio(e, 0, 0x08, true, &word), 1);
	assert_int_equal(mmio(e, 0, 0x0c, true, &word), 1);
	word = 0x22;
	assert_int_equal(mmio(e, 0, 0x08, true, &word), 1);
	usleep(120 * 1000);
	assert_mmio(e, 0, 0x0c, 0x11);
	assert_mmio(e, 0, 0x08, 0x00ff0000);
	usleep(120 * 1000);
	assert_mmio(e, 0, 0x08, 0x22);
}

TEST_MACHINE(many_operations_under_rules_are_quick, "tests/tiny")
{
	struct timespec before, after;

	rules(e, "change any EIO after 1000000\ncommand any EIO after 1000000\n");
	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 5000; i++)
		ask(e, 0x00, 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < 10);
}
