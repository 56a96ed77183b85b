/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs that go online and offline with a level, and partitions for those that cannot or must not.
 */
#include "transaction/item_access.h"
#include "transaction/support/loops.h"

#define ONLINE "/sys/devices/system/cpu/online"
#define GROUP "/sys/fs/cgroup/0-0-0"

/* ---- Hotplug ---- */

MACHINE_TEST(unknown_cpus_are_left_alone_where_the_level_is_not_for_all_domains, "tests/offline")
{
	/* CPU 12 is of the other package, and cannot be brought online. */
	machine_faults(machine, "write /sys/devices/system/cpu/cpu12/online EIO");
	machine_expect(machine, "first package: level 1 online", 0);
	machine_check_file(machine, ONLINE, "0-1,4-9,13-15");
}

/** The kernel writes the MSR again that CPU 4 has written, as that comes online with the level. */
MACHINE_TEST(a_level_has_its_turbo_ratio_limits_though_cpus_come_online, "tests/offline")
{
	machine_expect(machine, "turbo ratio limits", 0);
	machine_set_file(machine, "/sys/devices/system/cpu/cpu4/online", "0");
	machine_expect(machine, "level 1 online", 0);
	machine_check_file(machine, ONLINE, "0-1,4-5,8-9,12-13");
	autofree char *picture = machine_picture(machine);
	check_holds(picture, "domain 1 msr 0x1ad: 0x0000000000001f1f\n");
}

/* ---- Partitions ---- */

MACHINE_TEST(a_kernel_without_isolated_partitions_gets_root_ones, "tests/tiny")
{
	const struct outcome *outcome;

	machine_change(machine, "[topology]", "[cgroup]\nisolated = no\n\n[topology]");
	machine_expect(machine, "level 1 partitions", 0);
	machine_check_file(machine, GROUP "/cpuset.cpus", "2-3");
	machine_check_file(machine, GROUP "/cpuset.cpus.partition", "root");
	outcome = machine_try(machine, "level 1 partitions");
	assert_true(outcome->unchanged);
}

static void make_group(const struct machine *machine, const char *path, const char *cpus,
		       const char *type)
{
	struct isst_machine *opened = machine_open(machine);
	char *file;

	assert_int_equal(opened->files->mkdir(opened->data, path), 0);
	opened->release(opened);
	file = formatted("%s/cpuset.cpus", path);
	machine_set_file(machine, file, cpus);
	free(file);
	file = formatted("%s/cpuset.cpus.partition", path);
	machine_set_file(machine, file, type);
	free(file);
}

/** A partition that was invalid before the change is invalid again when it is undone. */
MACHINE_TEST(an_invalid_partition_comes_back_as_such, "tests/multi-die")
{
	static const char *const REQUESTS_OF_PARTITIONS[] = { "level 1 partitions",
							      "level 0 partitions" };
	char *before;

	for (size_t i = 0; i < COUNT(REQUESTS_OF_PARTITIONS); i++) {
		const char *name = REQUESTS_OF_PARTITIONS[i];
		const struct outcome *outcome;

		machine_restart(machine, i ? "level 1" : NULL);
		machine_set_file(machine, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
		/* Another group holds CPUs 0 and 4, which level 1 does not isolate. */
		make_group(machine, "/sys/fs/cgroup/other", "0,4", "root");
		make_group(machine, "/sys/fs/cgroup/0-0-0", "0,3", "isolated");
		make_group(machine, "/sys/fs/cgroup/0-1-0", "4", "root");
		machine_check_file(machine, GROUP "/cpuset.cpus.partition",
				   "isolated invalid (Cpu list in cpuset.cpus not exclusive)");
		before = machine_picture(machine);
		machine_faults(machine, "write /sys/fs/cgroup/0-1-0/cpuset.cpus EIO times 1");
		outcome = machine_try(machine, name);
		if (outcome_error(outcome) != -EIO)
			fail_msg("%s: %d %s\n%s", name, outcome_error(outcome), outcome->message,
				 outcome->differences);
		check_holds(outcome->message, "/0-1-0/cpuset.cpus cannot be written");
		machine_check(machine, before, "%s", name);
		free(before);
	}
}

/** A partition of the name of die 0, of CPUs that are not all its own. */
MACHINE_TEST(a_partition_of_others_is_neither_replaced_nor_removed, "tests/multi-die")
{
	const struct outcome *outcome;

	machine_set_file(machine, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	make_group(machine, "/sys/fs/cgroup/0-0-0", "3-4", "root");
	outcome = machine_expect(machine, "level 1 partitions", -EIO);
	check_holds(outcome->message, "/sys/fs/cgroup/0-0-0 is in use (root 3-4)");
	outcome = machine_expect(machine, "level 1 online", 0);
	check_holds(outcome->warnings, "/sys/fs/cgroup/0-0-0 is left unchanged (root ");
	machine_check_file(machine, GROUP "/cpuset.cpus", "3-4");
}

/** CPU 1 is of level 1, and its limit below the base frequency of that; with SMT off it cannot come
 * online. */
TEST(a_level_goes_without_limits_of_cpus_that_stay_offline)
{
	static const char *const KINDS[] = { "busy", "readable", "gone" };

	for (size_t i = 0; i < sizeof(KINDS) / sizeof(*KINDS); i++) {
		const struct outcome *outcome;

		autofree char *lines = formatted("[files]\noffline-cpufreq = %s\n\n[topology]",
						 KINDS[i]);
		automachine struct machine machine = machine_begin_with("tests/tiny", "[topology]",
									lines);
		machine_set_file(&machine, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq",
				 "1800000");
		machine_set_file(&machine, "/sys/devices/system/cpu/smt/control", "off");
		outcome = machine_try(&machine, "level 1 online");
		if (outcome_error(outcome))
			fail_msg("%s: %s", KINDS[i], outcome->message);
		check_holds(outcome->warnings, "CPUs 1,3 stay offline because SMT is off");
	}
}

/* ---- The uncore ---- */

#define UNCORE "/sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/"

MACHINE_TEST(uncore_limits_that_firmware_moved_are_restored, "tests/tiny")
{
	machine_change(machine,
		       "[level 1]\ncores = 0\npower = 90\ntjunction = 100\nbase = 2500\n"
		       "base-avx2 = 2200\nbase-avx512 = 2000\nuncore-max = 2200\n"
		       "uncore-base = 1600\nuncore-min = 800",
		       "[files]\nuncore-follows-level = yes\n\n[level 1]\ncores = 0\n"
		       "power = 90\ntjunction = 100\nbase = 2500\nuncore-max = 1900\n"
		       "uncore-base = 1600\nuncore-min = 900");
	/* The user's own ones, which no level has. */
	machine_set_file(machine, UNCORE "max_freq_khz", "2000000");
	machine_set_file(machine, UNCORE "min_freq_khz", "1000000");
	autofree char *before = machine_picture(machine);
	machine_faults(machine, "write /sys/devices/system/cpu/cpu*/online EBUSY");
	machine_expect(machine, "level 1 online", -EIO);
	machine_check(machine, before, "a level change that failed");
}

/* ---- A CPU that carries requests goes ---- */

/** What takes a CPU offline between two steps of a run, and when; whether the run is to end then.
 */
static struct {
	const struct machine *machine;
	const char *online;
	unsigned int calls, at;
	bool ends;
} leaving;

static int carrier_leaves(void *data)
{
	(void)data;
	if (leaving.calls++ == leaving.at)
		machine_set_file(leaving.machine, leaving.online, "0");
	return leaving.ends && leaving.calls > leaving.at;
}

/** Returns whether the CPU went in the midst of the run. */
static bool make_while_carrier_leaves(const struct machine *machine, const char *name,
				      unsigned int at, bool ends)
{
	const struct making making = { .interrupted = carrier_leaves };
	const struct outcome *outcome;
	char *journal;

	leaving.calls = 0;
	leaving.at = at;
	leaving.ends = ends;
	machine_restart(machine, NULL);
	outcome = machine_make(machine, request_find(name), &making);
	if (leaving.calls <= at) {
		return false;
	}
	if (outcome_error(outcome) != (ends ? -EINTR : 0))
		fail_msg("%s, %s, before step %u: %s\n%s", machine->name, name, at,
			 outcome->message, outcome->differences);
	if (strstr(outcome->warnings, "left unchanged"))
		fail_msg("%s, %s, before step %u: %s", machine->name, name, at, outcome->warnings);
	journal = machine_text(machine, "run/journal");
	assert_null(journal);
	return true;
}

/** The package's other CPUs carry the requests as well, on the way back, too. */
TEST(a_cpu_that_carries_requests_may_go_offline_in_the_midst)
{
	static const struct {
		const char *platform, *online;
	} CARRIERS[] = {
		{ "cooperlake", "/sys/devices/system/cpu/cpu24/online" },
		{ "tests/multi-die-across", "/sys/devices/system/cpu/cpu6/online" },
		{ "tests/tpmi-tiny", "/sys/devices/system/cpu/cpu4/online" },
	};

	for (size_t i = 0; i < COUNT(CARRIERS); i++) {
		unsigned int at = 0;

		automachine struct machine machine = machine_begin(CARRIERS[i].platform);
		leaving.machine = &machine;
		leaving.online = CARRIERS[i].online;
		while (make_while_carrier_leaves(&machine, "turbo-freq enable auto cpus", at,
						 false) &&
		       make_while_carrier_leaves(&machine, "turbo-freq enable auto cpus", at, true))
			at++;
		assert_true(at > 1);
	}
}

/** Why a limit of CPU 3 could not be read, by a look after that. */
static void check_why_gone(const struct machine *machine, const char *online, const char *expected)
{
	const struct item item = { .kind = ITEM_SCALING_MAX, .index = 3 };
	freed_by(isst_close) struct isst_context *context = machine_lock(machine);

	assert_int_equal(isst_discover(context), 0);
	machine_set_file(machine, "/sys/devices/system/cpu/cpu3/online", online);
	assert_string_equal(item_why_gone(context, &item, "it no longer exists"), expected);
	machine_set_file(machine, "/sys/devices/system/cpu/cpu3/online", "1");
}

TEST(limits_of_a_cpu_that_was_offline_for_a_moment_have_not_ceased_to_exist)
{
	struct machine machine;

	machine = machine_begin("tests/tiny");
	check_why_gone(&machine, "0", "the CPU went offline");
	check_why_gone(&machine, "1", "the CPU went offline");
	machine_end(&machine);
	machine = machine_begin("tests/no-cpufreq");
	check_why_gone(&machine, "1", "it no longer exists");
	machine_end(&machine);
}
