/* SPDX-License-Identifier: BSD-3-Clause */
/* The snapshots that tests compare: equal for equal machines, different for every change. */
#include "emulator/emulated.h"
#include "support/snapshot.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static char *take(struct emulated *e)
{
	char *snapshot = machine_snapshot(e->directory);

	assert_non_null(snapshot);
	return snapshot;
}

TEST_MACHINE(what_is_no_state_is_not_in_it, "guide")
{
	char *before, *after, *difference;

	before = take(e);
	rules(e, "command any EIO after 100\n");
	ask(e, 0x00, 0);
	assert_int_equal(read_result(e, CPUS "/online"), 0);
	e->machine->log(e->machine->data, "a line");
	after = take(e);
	assert_string_equal(before, after);
	difference = snapshot_difference(before, after);
	assert_string_equal(difference, "");
	free(difference);
	free(before);
	free(after);
	assert_null(machine_snapshot("/nowhere"));
}

static int make_group(struct emulated *e)
{
	return make_directory(e, "/sys/fs/cgroup/a");
}

static int write_msr(struct emulated *e)
{
	return msr(e, 0, 0x1ad, true, &(uint64_t){ UINT64_MAX }) - 1;
}

static int defer_level(struct emulated *e)
{
	rules(e, "mailbox 0x7f/0x08 deferred 1000000\n");
	return mailbox_result(e, 0x7f, 0x08, 0, 1) - 1;
}

#define CPUFREQ CPUS "/cpu3/cpufreq"
#define UNCORE CPUS "/intel_uncore_frequency/package_00_die_00"

/** A write to a file, a mailbox command, a write to an MMIO register, or what a function does. */
struct change {
	const char *path, *text;
	unsigned int command, sub, parameter, mmio;
	uint32_t data;
	int (*function)(struct emulated *e);
};
enum { LEVEL, HOTPLUG, LIMIT, UNCORE_LIMIT, TURBO };
static const struct change CHANGES[] = {
	[LEVEL] = { .command = 0x7f, .sub = 0x08, .data = 1 },
	[HOTPLUG] = { CPUS "/cpu3/online", "0" },
	[LIMIT] = { CPUFREQ "/scaling_max_freq", "1000000" },
	[UNCORE_LIMIT] = { UNCORE "/max_freq_khz", "1000000" },
	[TURBO] = { CPUS "/intel_pstate/no_turbo", "1" },
	{ .command = 0x7f, .sub = 0x02, .data = 1 << 16 }, /* SST-TF */
	{ .command = 0x95, .sub = 0x03, .data = 1 << 16 }, /* core-power */
	{ .command = 0xd0, .sub = 0x02, .parameter = 0x100, .data = 2 },
	{ .mmio = 0x0c, .data = 5 },	   /* a class */
	{ .mmio = 0x24, .data = 1 << 16 }, /* an association */
	/* A request that has no effect yet. */
	{ CPUFREQ "/scaling_max_freq", "9000000" },
	{ CPUFREQ "/scaling_governor", "performance" },
	{ "/sys/fs/cgroup/cgroup.subtree_control", "+io" },
	{ CPUS "/smt/control", "off" },
	{ .function = write_msr },
	{ .function = make_group },
	{ .function = defer_level },
};

static int make_change(struct emulated *e, const struct change *change)
{
	uint32_t data = change->data;

	return change->function ? change->function(e)
	       : change->path	? write_file(e, change->path, change->text)
	       : change->mmio
		       ? mmio(e, 0, change->mmio, true, &data) - 1
		       : mailbox_result(e, change->command, change->sub, change->parameter, data) -
				 1;
}

TEST_MACHINE(every_change_is_in_it, NULL)
{
	for (size_t i = 0; i < COUNT(CHANGES); i++) {
		char *before, *after;

		start(e, "tests/tiny");
		before = take(e);
		assert_int_equal(make_change(e, &CHANGES[i]), 0);
		after = take(e);
		if (strcmp(before, after) == 0)
			fail_msg("change %zu is not in the snapshot", i);
		free(before);
		free(after);
		finish(e);
	}
}

TEST_MACHINE(what_is_put_back_is_equal, "tests/offline")
{
	char *before, *after, *difference;

	before = take(e);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	assert_int_equal(make_group(e), 0);
	assert_int_equal(remove_directory(e, "/sys/fs/cgroup/a"), 0);
	assert_int_equal(make_change(e, &CHANGES[TURBO]), 0);
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "0"), 0);
	after = take(e);
	difference = snapshot_difference(before, after);
	assert_string_equal(difference, "");
	free(difference);
	free(before);
	free(after);
}

/** Changes all kinds of files, over and over. */
static void keep_changing(struct emulated *e)
{
	for (;;) {
		write_file(e, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
		make_group(e);
		write_file(e, "/sys/fs/cgroup/a/cpuset.cpus", "1-2");
		write_file(e, "/sys/fs/cgroup/a/cpuset.cpus.partition", "isolated");
		for (size_t i = LEVEL; i <= TURBO; i++)
			make_change(e, &CHANGES[i]);
		write_file(e, CPUS "/intel_pstate/no_turbo", "0");
		remove_directory(e, "/sys/fs/cgroup/a");
		write_file(e, "/sys/fs/cgroup/cgroup.subtree_control", "-cpuset");
		mailbox_result(e, 0x7f, 0x08, 0, 0);
		write_file(e, CPUS "/cpu3/online", "1");
	}
}

/** The first state again, by writes that change nothing where it is there already. */
static void put_back(struct emulated *e)
{
	remove_directory(e, "/sys/fs/cgroup/a");
	write_file(e, "/sys/fs/cgroup/cgroup.subtree_control", "-cpuset");
	write_file(e, CPUS "/intel_pstate/no_turbo", "0");
	mailbox_result(e, 0x7f, 0x08, 0, 0);
	write_file(e, CPUS "/cpu3/online", "1");
	write_file(e, CPUS "/cpu3/cpufreq/scaling_max_freq", "2147483647");
	write_file(e, CPUS "/intel_uncore_frequency/package_00_die_00/max_freq_khz", "2200000");
}

/** Kills a process that is at it, @us microseconds after it has begun. */
static void kill_one(struct emulated *e, long us)
{
	const struct timespec time = { .tv_nsec = us * 1000 };
	int begun[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(begun), 0);
	child = fork();
	if (child == 0) {
		make_change(e, &CHANGES[HOTPLUG]);
		if (write(begun[1], "", 1) == 1)
			keep_changing(e);
		_exit(1);
	}
	assert_int_equal(read(begun[0], &byte, 1), 1);
	nanosleep(&time, NULL);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(begun[0]);
	close(begun[1]);
}

TEST_MACHINE(a_kill_in_the_midst_leaves_a_whole_machine, "tests/tiny")
{
	char *before, *after, *difference;

	before = take(e);
	for (long i = 0; i < 300; i++) {
		kill_one(e, i * 13);
		put_back(e);
		after = take(e);
		difference = snapshot_difference(before, after);
		assert_string_equal(difference, "");
		free(difference);
		free(after);
	}
	free(before);
}

TEST_MACHINE(differences_are_lines, NULL)
{
	char *difference = snapshot_difference("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 9\nd: 4\n");

	assert_string_equal(difference, "- b: 2\n+ b: 9\n- c: 3\n+ d: 4\n");
	free(difference);
}
