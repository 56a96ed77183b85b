/* SPDX-License-Identifier: BSD-3-Clause */
/* Offline CPUs, and the cache of their locations. */
#include "support/check.h"
#include "support/fake_context.h"
#include "topology/context.h"

#include <sys/stat.h>
#include <unistd.h>

#define HEADER "isst topology 1 boot boot-1\n# cpu package die domain core thread\n"

/** Two packages, CPUs 0-3 and 4-7, cores 0, 1 with two threads each; these of them are online. */
static void machine_with_online(struct fake_machine *fake, const char *online, const char *package0,
				const char *package1)
{
	fake_cpus(fake, "0-7", online);
	if (*package0)
		fake_die(fake, 0, 0, package0);
	if (*package1)
		fake_die(fake, 1, 0, package1);
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		fake_place(fake, cpu, cpu % 4 / 2, cpu % 2);
}

static void discover_once(struct fake_machine *fake)
{
	isst_close(fake_discovered(fake));
}

static void check_cache(const struct fake_machine *fake, const char *lines)
{
	char *text = fake_runtime_text(fake, "topology"), *expected;

	expected = formatted(HEADER "%s", lines);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
	free(expected);
}

FAKE_TEST(online_cpus_are_remembered_in_one_readable_file)
{
	struct stat status;
	char path[512];

	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	check_cache(fake, "0 0 0 0 0 0\n1 0 0 0 0 1\n2 0 0 0 1 0\n3 0 0 0 1 1\n"
			  "4 1 0 0 0 0\n5 1 0 0 0 1\n6 1 0 0 1 0\n7 1 0 0 1 1\n");
	snprintf(path, sizeof(path), "%s/topology", fake->runtime);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
}

FAKE_TEST(D46_a_cpu_that_went_offline_is_still_known)
{
	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_cpus(context_domain(context, 0)->present, "0-3");
	check_cpus(context_domain(context, 0)->online, "0-2");
	assert_false(context_cpu(context, 3)->online);
	assert_true(context_cpu(context, 3)->core_known);
	assert_int_equal(context_cpu(context, 3)->core, 1);
	assert_int_equal(context_cpu(context, 3)->thread, 1);
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = topology_cpus_of_cores(
		context->topology, context_domain(context, 0), 2);
	check_cpus(cpus, "2-3");
}

FAKE_TEST(D46_a_cpu_stays_known_through_many_runs)
{
	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	discover_once(fake);
	machine_with_online(fake, "0,4-7", "0", "4-7");
	discover_once(fake);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_cpus(context_domain(context, 0)->present, "0-3");
}

FAKE_TEST(D46_a_die_that_was_offline_as_a_whole_is_not_forgotten)
{
	struct isst_context *context;

	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	machine_with_online(fake, "0-3", "0-3", "");
	context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), 1);
	assert_null(context_cpu(context, 4));
	isst_close(context);
	machine_with_online(fake, "0-4", "0-3", "4");
	context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), 2);
	check_cpus(context_domain(context, 1)->present, "4-7");
	isst_close(context);
}

FAKE_TEST(a_package_that_is_offline_is_described_and_its_cpus_are_known_to_be_elsewhere)
{
	machine_with_online(fake, "0-7", "0-3", "4-7");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_null(isst_offline_part_at(context, 0));
	machine_with_online(fake, "0-3", "0-3", "");
	assert_int_equal(isst_discover(context), 0);
	assert_string_equal(isst_message_text(isst_offline_part_at(context, 0)),
			    "package 1: all its CPUs (4-7) are offline");
	assert_null(isst_offline_part_at(context, 1));
	assert_true(topology_is_unreachable(context->topology, 4));
	assert_false(topology_is_unreachable(context->topology, 3));
	assert_true(context_domain(context, 0)->cpus_known);
	/* One of them that comes back makes it a domain again. */
	machine_with_online(fake, "0-3,6", "0-3", "6");
	assert_int_equal(isst_discover(context), 0);
	assert_null(isst_offline_part_at(context, 0));
	assert_false(topology_is_unreachable(context->topology, 4));
}

FAKE_TEST(a_die_that_is_offline_is_described)
{
	machine_with_online(fake, "0-7", "", "");
	fake_die(fake, 0, 0, "0-3");
	fake_die(fake, 0, 1, "4-7");
	discover_once(fake);
	machine_with_online(fake, "0-3", "", "");
	fake_die(fake, 0, 0, "0-3");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_string_equal(isst_message_text(isst_offline_part_at(context, 0)),
			    "package 0, die 1: all its CPUs (4-7) are offline");
	assert_null(isst_offline_part_at(context, 1));
}

FAKE_TEST(cpus_that_were_never_seen_may_be_a_package)
{
	machine_with_online(fake, "0-3,5", "0-3", "5");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_string_equal(isst_message_text(isst_offline_part_at(context, 0)),
			    "CPUs 4,6-7, and any package that consists of them alone, have been "
			    "offline since before isst first looked");
	assert_null(isst_offline_part_at(context, 1));
	assert_false(topology_is_unreachable(context->topology, 4));
	assert_false(context_domain(context, 0)->cpus_known);
}

FAKE_TEST(cpus_that_are_too_few_are_no_package)
{
	machine_with_online(fake, "0-2,4-6", "0-2", "4-6");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_string_equal(isst_message_text(isst_offline_part_at(context, 0)),
			    "CPUs 3,7 have been offline since before isst first looked");
}

FAKE_TEST(pointers_stay_valid_after_another_discovery)
{
	const struct isst_domain *before;
	const struct isst_cpuset *online, *online_of_domain;
	const struct isst_cpu *cpu;

	machine_with_online(fake, "0-7", "0-3", "4-7");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	before = context_domain(context, 0);
	online_of_domain = before->online;
	online = isst_online_cpus(context);
	cpu = context_cpu(context, 3);
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	assert_int_equal(context_discover_topology(context), 0);
	assert_ptr_equal(context_domain(context, 0), before);
	assert_ptr_equal(before->online, online_of_domain);
	check_cpus(online_of_domain, "0-2");
	assert_ptr_equal(isst_online_cpus(context), online);
	check_cpus(online, "0-2,4-7");
	assert_ptr_equal(context_cpu(context, 3), cpu);
	assert_false(cpu->online);
	check_cpus(context_domain(context, 0)->present, "0-3");
	fake_cpus(fake, "0-7", "");
	assert_int_equal(context_discover_topology(context), -EIO);
	check_cpus(context_domain(context, 0)->online, "0-2");
}

FAKE_TEST(D26_offline_cpus_are_not_asked_about)
{
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	discover_once(fake);
	assert_int_equal(fake_sent(&fake->device, FAKE_PHY_ID, 3, 0, 0, 0), 0);
	assert_int_equal(fake_sent(&fake->device, FAKE_PHY_ID, FAKE_ANY_CPU, 0, 0, 0), 7);
}

FAKE_TEST(D46_without_a_cache_an_offline_cpu_is_present_but_nowhere)
{
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_cpus(isst_present_cpus(context), "0-7");
	check_cpus(isst_online_cpus(context), "0-2,4-7");
	assert_null(context_cpu(context, 3));
	check_cpus(context_domain(context, 0)->present, "0-2");
}

FAKE_TEST(a_cpu_that_is_online_again_is_taken_from_the_kernel)
{
	machine_with_online(fake, "0-7", "0-3", "4-7");
	/* It claims that CPU 3 is of package 1. */
	fake_runtime_write(fake, "topology", HEADER "3 1 0 0 9 0\n");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_int_equal(context_cpu(context, 3)->domain->package, 0);
	assert_int_equal(context_cpu(context, 3)->core, 1);
}

FAKE_TEST(a_remembered_place_yields_to_a_live_cpu_that_has_it)
{
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	fake_runtime_write(fake, "topology", HEADER "3 0 0 0 1 0\n");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_true(context_cpu(context, 2)->core_known);
	assert_int_equal(context_cpu(context, 2)->core, 1);
	assert_null(context_cpu(context, 3));
	assert_null(((const struct topology_domain *)context_domain(context, 0))->unknown_core);
}

/** With this in the cache, nothing of it is believed, and discovery works without it. */
static void check_not_believed(const char *content)
{
	struct fake_machine *fake;
	struct isst_context *context;
	void *own;

	fake_machine_setup(&own);
	fake = own;
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	fake_runtime_write(fake, "topology", content);
	context = fake_discovered(fake);
	if (context_cpu(context, 3))
		fail_msg("believed: '%s'", content);
	check_cpus(context_domain(context, 0)->present, "0-2");
	isst_close(context);
	check_cache(fake, "0 0 0 0 0 0\n1 0 0 0 0 1\n2 0 0 0 1 0\n"
			  "4 1 0 0 0 0\n5 1 0 0 0 1\n6 1 0 0 1 0\n7 1 0 0 1 1\n");
	fake_machine_teardown(&own);
}

TEST(D79_a_cache_of_another_boot_or_version_is_not_believed)
{
	check_not_believed("isst topology 1 boot boot-2\n# cpu package die domain core thread\n"
			   "3 0 0 0 1 1\n");
	check_not_believed("isst topology 2 boot boot-1\n# cpu package die domain core thread\n"
			   "3 0 0 0 1 1\n");
	check_not_believed("isst topology 1 boot boot-1\n3 0 0 0 1 1\n");
}

TEST(D79_a_damaged_cache_is_not_believed)
{
	static const char *const CONTENTS[] = {
		"",
		"\n",
		"isst topology 1 bo",
		HEADER "3 0 0 0 1\n",
		HEADER "3 0 0 0 1 1 1\n",
		HEADER "3 0 0 0 1 -1\n",
		HEADER "3 0 0 0 1 4294967295\n",
		HEADER "3 0 0 0 1 x\n",
		HEADER "3  0 0 0 1 1\n",
		HEADER "3 0 0 0 1 1 \n",
		HEADER "\n3 0 0 0 1 1\n",
		HEADER "3 0 0 0 1 1\n\n",
		HEADER "3 0 0 0 1 1\ngarbage\n",
		HEADER "3\t0\t0\t0\t1\t1\n",
	};

	for (size_t i = 0; i < COUNT(CONTENTS); i++)
		check_not_believed(CONTENTS[i]);
}

FAKE_TEST(a_remembered_cpu_that_is_not_present_is_left_out)
{
	machine_with_online(fake, "0-7", "0-3", "4-7");
	fake_runtime_write(fake, "topology", HEADER "8 0 0 0 5 0\n4294967294 0 0 0 6 0\n");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_null(context_cpu(context, 8));
	check_cpus(context_domain(context, 0)->present, "0-3");
}

FAKE_TEST(a_cpu_that_is_remembered_twice_counts_once)
{
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	fake_runtime_write(fake, "topology", HEADER "3 0 0 0 1 1\n3 1 0 0 5 0\n3 0 0 0 7 0\n");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_int_equal(context_cpu(context, 3)->domain->package, 0);
	assert_int_equal(context_cpu(context, 3)->core, 1);
	assert_int_equal(context->topology->cpu_count, 8);
	check_cpus(context_domain(context, 1)->present, "4-7");
}

/** Whether CPU 3 is recalled by a second run where the boot id cannot be read like this. */
static bool is_recalled_without_boot_id(struct fake_machine *fake, int error)
{
	struct isst_context *context;
	bool recalled;

	fake_file_error(&fake->files, "/proc/sys/kernel/random/boot_id", error);
	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	context = fake_discovered(fake);
	recalled = context_cpu(context, 3);
	isst_close(context);
	return recalled;
}

FAKE_TEST(a_boot_id_that_cannot_be_read_lets_nothing_be_recalled)
{
	assert_false(is_recalled_without_boot_id(fake, -EACCES));
}

FAKE_TEST(a_machine_that_numbers_no_boots_recalls_its_cpus)
{
	assert_true(is_recalled_without_boot_id(fake, -ENOENT));
}

static ino_t cache_inode(const struct fake_machine *fake)
{
	struct stat status;
	char path[512];

	snprintf(path, sizeof(path), "%s/topology", fake->runtime);
	assert_int_equal(stat(path, &status), 0);
	return status.st_ino;
}

FAKE_TEST(D79_the_cache_is_replaced_as_a_whole_and_only_when_it_changes)
{
	char path[512], other[512];

	ino_t first;

	machine_with_online(fake, "0-2,4-7", "0-2", "4-7");
	discover_once(fake);
	first = cache_inode(fake);
	/* Keeps the number from being given to the next file. */
	snprintf(path, sizeof(path), "%s/topology", fake->runtime);
	snprintf(other, sizeof(other), "%s/held", fake->scratch);
	assert_int_equal(link(path, other), 0);
	discover_once(fake);
	assert_int_equal(cache_inode(fake), first);
	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	assert_int_not_equal(cache_inode(fake), first);
}

FAKE_TEST(nothing_but_the_cache_is_left_in_the_runtime_directory)
{
	char path[512];

	machine_with_online(fake, "0-7", "0-3", "4-7");
	discover_once(fake);
	snprintf(path, sizeof(path), "%s/topology", fake->runtime);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(fake->runtime), 0);
}

FAKE_TEST(D79_a_cache_that_cannot_be_written_is_no_failure_and_no_message)
{
	FILE *file = fopen(fake->runtime, "we");

	/* A file in the place of the directory. */
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	machine_with_online(fake, "0-7", "0-3", "4-7");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_string_equal(isst_error(context), "");
	assert_null(isst_notice_at(context, 0));
}

FAKE_TEST(D26_a_cpu_of_unknown_core_is_not_remembered)
{
	machine_with_online(fake, "0-7", "0-3", "4-7");
	fake_phy_id(&fake->device, 3, 0xffffffff);
	discover_once(fake);
	check_cache(fake, "0 0 0 0 0 0\n1 0 0 0 0 1\n2 0 0 0 1 0\n"
			  "4 1 0 0 0 0\n5 1 0 0 0 1\n6 1 0 0 1 0\n7 1 0 0 1 1\n");
}
