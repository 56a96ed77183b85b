/* SPDX-License-Identifier: BSD-3-Clause */
/* Discovery: packages, dies and cores from the kernel's files and the driver's numbers. */
#include "support/check.h"
#include "support/fake_context.h"
#include "topology/context.h"

static void check_domain(const struct isst_context *context, size_t index, unsigned int package,
			 unsigned int die, const char *cpus)
{
	const struct isst_domain *domain = context_domain(context, index);

	assert_non_null(domain);
	assert_int_equal(domain->index, index);
	assert_int_equal(domain->package, package);
	assert_int_equal(domain->die, die);
	assert_int_equal(domain->number, 0);
	check_cpus(domain->online, cpus);
	check_cpus(domain->present, cpus);
	assert_int_equal(domain->cpu, strtoul(cpus, NULL, 10));
}

/** Discovery fails like this; the message holds both texts. */
static void check_fails(struct fake_machine *fake, int error, const char *text, const char *more)
{
	struct isst_context *context = fake_context(fake);

	assert_int_equal(isst_discover(context), error);
	check_holds(isst_error(context), text);
	check_holds(isst_error(context), more);
	assert_int_equal(isst_domain_count(context), 0);
	isst_close(context);
	assert_false(fake->device.is_open);
}

static void place_cpus(struct fake_machine *fake, const char *list, unsigned int first_core,
		       unsigned int thread)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = check_set(list);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus)
		fake_place(fake, cpu, first_core++, thread);
}

FAKE_TEST(packages_cores_and_threads_are_found)
{
	const struct isst_cpu *cpu;

	fake_cpus(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-1,4-5");
	fake_die(fake, 1, 0, "2-3,6-7");
	place_cpus(fake, "0-1", 8, 0);
	place_cpus(fake, "4-5", 8, 1);
	place_cpus(fake, "2-3", 20, 0);
	place_cpus(fake, "6-7", 20, 1);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), 2);
	check_domain(context, 0, 0, 0, "0-1,4-5");
	check_domain(context, 1, 1, 0, "2-3,6-7");
	check_cpus(isst_present_cpus(context), "0-7");
	check_cpus(isst_online_cpus(context), "0-7");
	cpu = context_cpu(context, 7);
	assert_int_equal(cpu->number, 7);
	assert_ptr_equal(cpu->domain, context_domain(context, 1));
	assert_true(cpu->online);
	assert_true(cpu->core_known);
	assert_int_equal(cpu->core, 21);
	assert_int_equal(cpu->thread, 1);
	assert_null(context_cpu(context, 8));
	assert_null(context_domain(context, 2));
	assert_null(isst_notice_at(context, 0));
}

FAKE_TEST(package_ids_may_have_holes_and_any_order)
{
	fake_cpus(fake, "0-3", "0-3");
	fake_die(fake, 300, 0, "0");
	fake_die(fake, 4, 0, "1");
	fake_die(fake, 0, 0, "2");
	fake_die(fake, 70000, 0, "3");
	place_cpus(fake, "0-3", 0, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), 4);
	check_domain(context, 0, 0, 0, "2");
	check_domain(context, 1, 4, 0, "1");
	check_domain(context, 2, 300, 0, "0");
	check_domain(context, 3, 70000, 0, "3");
}

FAKE_TEST(D47_dies_of_a_single_package_are_domains_of_their_own)
{
	fake_cpus(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0,2");
	fake_die(fake, 0, 1, "1,3");
	place_cpus(fake, "0,2", 0, 0);
	place_cpus(fake, "1,3", 0, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), 2);
	check_domain(context, 0, 0, 0, "0,2");
	check_domain(context, 1, 0, 1, "1,3");
}

FAKE_TEST(dies_numbered_per_package_are_distinguished)
{
	fake_cpus(fake, "0-3", "0-3");
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		char list[4];

		snprintf(list, sizeof(list), "%u", cpu);
		fake_die(fake, cpu / 2, cpu % 2, list);
		fake_place(fake, cpu, 0, 0);
	}
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), 4);
	check_domain(context, 0, 0, 0, "0");
	check_domain(context, 1, 0, 1, "1");
	check_domain(context, 2, 1, 0, "2");
	check_domain(context, 3, 1, 1, "3");
}

FAKE_TEST(dies_numbered_through_all_packages_keep_their_numbers)
{
	fake_cpus(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0");
	fake_die(fake, 0, 1, "1");
	fake_die(fake, 1, 2, "2");
	fake_die(fake, 1, 17, "3");
	place_cpus(fake, "0-3", 0, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_domain(context, 2, 1, 2, "2");
	check_domain(context, 3, 1, 17, "3");
}

TEST(kernels_without_dies_have_packages_only)
{
	static const char *const LIST_NAMES[] = { "package_cpus_list", "core_siblings_list" };

	for (size_t i = 0; i < COUNT(LIST_NAMES); i++) {
		struct fake_machine *fake;
		struct isst_context *context;
		void *own;

		(void)state;
		fake_machine_setup(&own);
		fake = own;
		fake_cpus(fake, "0-3", "0-3");
		for (unsigned int cpu = 0; cpu < 4; cpu++) {
			fake_topology_file(fake, cpu, "physical_package_id", cpu < 2 ? "0" : "1");
			fake_topology_file(fake, cpu, LIST_NAMES[i], cpu < 2 ? "0-1" : "2-3");
			fake_place(fake, cpu, cpu, 0);
		}
		context = fake_discovered(fake);
		assert_int_equal(isst_domain_count(context), 2);
		check_domain(context, 0, 0, 0, "0-1");
		check_domain(context, 1, 1, 0, "2-3");
		isst_close(context);
		fake_machine_teardown(&own);
	}
}

FAKE_TEST(D14_cpu_numbers_above_4095_and_65535_are_found)
{
	fake_cpus(fake, "0,4096,65537,1000000", "0,4096,65537,1000000");
	fake_die(fake, 0, 0, "0,4096");
	fake_die(fake, 1, 0, "65537,1000000");
	fake_place(fake, 0, 0, 0);
	fake_place(fake, 4096, 1, 0);
	fake_place(fake, 65537, 0, 0);
	fake_place(fake, 1000000, 1, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_domain(context, 0, 0, 0, "0,4096");
	check_domain(context, 1, 1, 0, "65537,1000000");
	assert_int_equal(context_cpu(context, 1000000)->core, 1);
	assert_null(context_cpu(context, 1));
}

TEST(D27_masks_are_as_wide_as_cpus_are_possible)
{
	static const struct {
		const char *possible;
		unsigned int bits;
	} CASES[] = { { "0-3", 32 },
		      { "0-31", 32 },
		      { "0-32", 64 },
		      { "0-3,200", 224 },
		      { "0-4095", 4096 } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_machine *fake;
		struct isst_context *context;
		void *own;

		fake_machine_setup(&own);
		fake = own;
		fake_small_machine(fake);
		fake_file(&fake->files, "/sys/devices/system/cpu/possible", "%s",
			  CASES[i].possible);
		context = fake_discovered(fake);
		assert_int_equal((unsigned int)isst_platform_fact(context, ISST_FACT_MASK_BITS),
				 CASES[i].bits);
		check_cpus(isst_present_cpus(context), "0-3");
		isst_close(context);
		fake_machine_teardown(&own);
	}
}

/** Files opened by a discovery of so many packages of so many dies of so many CPUs. */
static size_t files_opened(unsigned int packages, unsigned int dies, unsigned int cpus)
{
	char list[32];
	struct fake_machine *fake;
	struct isst_context *context;
	size_t reads;
	void *own;

	fake_machine_setup(&own);
	fake = own;
	snprintf(list, sizeof(list), "0-%u", packages * dies * cpus - 1);
	fake_cpus(fake, list, list);
	for (unsigned int i = 0; i < packages * dies; i++) {
		snprintf(list, sizeof(list), "%u-%u", i * cpus, (i + 1) * cpus - 1);
		fake_die(fake, i / dies, i % dies, list);
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			fake_place(fake, i * cpus + cpu, cpu / 2, cpu % 2);
	}
	context = fake_discovered(fake);
	assert_int_equal(isst_domain_count(context), packages * dies);
	assert_int_equal(fake_calls(&fake->device, FAKE_PHY_ID),
			 (packages * dies * cpus + 63) / 64);
	assert_int_equal(context->files.opened, fake->files.reads);
	reads = fake->files.reads;
	isst_close(context);
	fake_machine_teardown(&own);
	return reads;
}

TEST(files_opened_are_four_and_three_for_each_die)
{
	assert_int_equal(files_opened(1, 1, 1), 4 + 3);
	assert_int_equal(files_opened(1, 1, 100), 4 + 3);
	assert_int_equal(files_opened(2, 1, 64), 4 + 6);
	assert_int_equal(files_opened(2, 4, 16), 4 + 24);
	assert_int_equal(files_opened(8, 2, 128), 4 + 48);
}

FAKE_TEST(D26_a_cpu_whose_core_the_driver_does_not_report_has_no_core)
{
	fake_small_machine(fake);
	fake_phy_id_error(&fake->device, 1, -EINVAL);
	fake_phy_id(&fake->device, 2, 0xffffffff);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_true(context_cpu(context, 0)->core_known);
	assert_false(context_cpu(context, 1)->core_known);
	assert_false(context_cpu(context, 2)->core_known);
	assert_true(context_cpu(context, 3)->core_known);
	check_holds(topology_find_cpu(context->topology, 1)->unknown_core, "CPU 1");
	check_holds(topology_find_cpu(context->topology, 1)->unknown_core, "EINVAL");
	check_holds(topology_find_cpu(context->topology, 2)->unknown_core, "CPU 2");
	check_domain(context, 0, 0, 0, "0-3");
}

FAKE_TEST(D26_cpus_that_are_given_one_place_have_no_core)
{
	fake_small_machine(fake);
	fake_phy_id(&fake->device, 2, 0);
	fake_phy_id(&fake->device, 3, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_false(context_cpu(context, 0)->core_known);
	assert_true(context_cpu(context, 1)->core_known);
	assert_false(context_cpu(context, 2)->core_known);
	assert_false(context_cpu(context, 3)->core_known);
	check_holds(topology_find_cpu(context->topology, 0)->unknown_core, "same location");
}

FAKE_TEST(one_place_in_two_domains_or_two_threads_are_no_contradiction)
{
	fake_cpus(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0-1");
	fake_die(fake, 1, 0, "2-3");
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		fake_place(fake, cpu, 0, cpu % 2);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		assert_true(context_cpu(context, cpu)->core_known);
}

FAKE_TEST(a_cpu_of_another_punit_is_kept_and_reported)
{
	fake_small_machine(fake);
	fake_phy_id(&fake->device, 3, 2 << 9 | 3 << 1);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_domain(context, 0, 0, 0, "0-3");
	assert_int_equal(context_cpu(context, 3)->core, 3);
	check_holds(isst_message_text(isst_notice_at(context, 0)), "CPU 3");
	check_holds(isst_message_text(isst_notice_at(context, 0)), "power domain 2");
	assert_null(isst_notice_at(context, 1));
}

FAKE_TEST(a_core_beyond_the_masks_is_not_known)
{
	fake_small_machine(fake);
	fake_place(fake, 2, 63, 0);
	fake_place(fake, 3, 64, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_true(context_cpu(context, 2)->core_known);
	assert_false(context_cpu(context, 3)->core_known);
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "core 64 for CPU 3");
	assert_null(isst_left_out_at(context, 1));
}

FAKE_TEST(core_masks_name_all_threads_of_their_cores)
{
	static const struct {
		uint64_t cores;
		const char *cpus;
	} CASES[] = { { 0, "" },
		      { 1, "0,4" },
		      { UINT64_C(1) << 31, "1,5" },
		      { UINT64_C(1) << 32, "2,6" },
		      { UINT64_C(1) << 63, "3,7" },
		      { UINT64_MAX, "0-7" },
		      { 2, "" } };
	static const unsigned int CORES[] = { 0, 31, 32, 63 };

	fake_cpus(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-7");
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		fake_place(fake, cpu, CORES[cpu % 4], cpu / 4);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	for (size_t i = 0; i < COUNT(CASES); i++) {
		freed_by(isst_cpuset_free) struct isst_cpuset *cpus = topology_cpus_of_cores(
			context->topology, context_domain(context, 0), CASES[i].cores);

		check_cpus(cpus, CASES[i].cpus);
	}
}

FAKE_TEST(a_core_of_64_and_above_is_in_no_mask)
{
	fake_small_machine(fake);
	fake_place(fake, 0, 64, 0);
	fake_place(fake, 1, 255, 0);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = topology_cpus_of_cores(
		context->topology, context_domain(context, 0), UINT64_MAX);
	check_cpus(cpus, "2-3");
}

FAKE_TEST(sibling_lists_that_contradict_each_other_are_refused)
{
	fake_small_machine(fake);
	fake_die(fake, 0, 0, "0-1");
	fake_die(fake, 1, 0, "2-3");
	fake_topology_file(fake, 2, "die_cpus_list", "1-3");
	check_fails(fake, -EIO, "CPU 1", "package 1, die 0");
}

FAKE_TEST(a_sibling_list_without_its_own_cpu_is_refused)
{
	fake_small_machine(fake);
	fake_topology_file(fake, 0, "die_cpus_list", "1-3");
	check_fails(fake, -EIO, "cpu0/topology/die_cpus_list", "CPU 0");
}

FAKE_TEST(two_sets_of_cpus_for_one_die_are_refused)
{
	fake_small_machine(fake);
	fake_die(fake, 0, 0, "0-1");
	fake_die(fake, 0, 0, "2-3");
	check_fails(fake, -EIO, "two sets of CPUs", "package 0, die 0");
}

FAKE_TEST(a_package_that_the_kernel_does_not_know_is_refused)
{
	fake_small_machine(fake);
	fake_topology_file(fake, 0, "physical_package_id", "-1");
	check_fails(fake, -EIO, "cpu0/topology/physical_package_id", "'-1'");
}

FAKE_TEST(a_machine_without_online_cpus_is_refused)
{
	fake_small_machine(fake);
	fake_cpus(fake, "0-3", "");
	check_fails(fake, -EIO, "/sys/devices/system/cpu/online", "no CPU");
}

TEST(malformed_and_missing_lists_are_named)
{
	static const char *const LISTS[] = { "possible", "present", "online" };

	for (size_t i = 0; i < COUNT(LISTS); i++) {
		struct fake_machine *fake;
		char path[64];
		void *own;

		fake_machine_setup(&own);
		fake = own;
		fake_small_machine(fake);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", LISTS[i]);
		fake_file(&fake->files, path, "0-x");
		check_fails(fake, -EIO, path, "'0-x'");
		fake_file_error(&fake->files, path, -ENOENT);
		check_fails(fake, -EIO, path, "missing");
		fake_file_error(&fake->files, path, -EACCES);
		check_fails(fake, -EPERM, path, "may not be read");
		fake_machine_teardown(&own);
	}
}

FAKE_TEST(missing_topology_of_an_online_cpu_is_named)
{
	fake_small_machine(fake);
	fake_topology_file_error(fake, 0, "die_cpus_list", -ENOENT);
	check_fails(fake, -EIO, "cpu0/topology", "package");
	fake_die(fake, 0, 0, "0-3");
	fake_topology_file_error(fake, 0, "physical_package_id", -ENOENT);
	check_fails(fake, -EIO, "cpu0/topology", "package");
}

FAKE_TEST(a_malformed_die_is_named_and_not_taken_for_0)
{
	fake_small_machine(fake);
	fake_topology_file(fake, 0, "die_id", "-1");
	check_fails(fake, -EIO, "cpu0/topology/die_id", "'-1'");
}
