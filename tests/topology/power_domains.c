/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packages that consist of power domains: which there are, whose CPUs are whose, and in
 * which order they come.
 */
#include "support/check.h"
#include "support/fake_context.h"
#include "topology/context.h"

/** A machine of API version 3. */
static void tpmi_machine(struct fake_machine *fake, const char *present, const char *online)
{
	fake->device.api_version = 3;
	fake->machine.identity.model = 0xad;
	fake_cpus(fake, present, online);
}

/** The answer of COUNT_TPMI_INSTANCES for a package. */
static void offer(struct fake_machine *fake, unsigned int package, unsigned int mask)
{
	const unsigned char bytes[4] = { (unsigned char)package, 16, (unsigned char)mask,
					 (unsigned char)(mask >> 8) };

	fake_tpmi(&fake->device, FAKE_INSTANCES, FAKE_DOMAIN(package, 0), 0, bytes, sizeof(bytes));
}

/** Gives CPUs of a list the cores from @core on, of a domain; MSR 0x54: domain [15:11], core
 * [10:3], thread [2:0]. */
static void place(struct fake_machine *fake, const char *list, unsigned int domain,
		  unsigned int core, unsigned int thread)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = check_set(list);
	unsigned int cpu;

	isst_cpuset_for_each (cpu, cpus)
		fake_phy_id(&fake->device, cpu, domain << 11 | core++ << 3 | thread);
}

/** A context that has found so many domains. */
static struct isst_context *discovered(struct fake_machine *fake, size_t domains)
{
	struct isst_context *context = fake_discovered(fake);

	assert_int_equal(isst_domain_count(context), domains);
	return context;
}

/** "": no CPU. @die: -1 for one that is not known. */
static void check_domain(const struct isst_context *context, size_t index, unsigned int package,
			 int die, unsigned int number, const char *cpus)
{
	const struct isst_domain *domain = context_domain(context, index);
	char name[64];

	assert_non_null(domain);
	snprintf(name, sizeof(name), "package %u, power domain %u", package, number);
	assert_string_equal(domain->name, name);
	assert_int_equal(domain->index, index);
	assert_int_equal(domain->package, package);
	assert_int_equal(domain->number, number);
	assert_int_equal(domain->die_known, die >= 0);
	if (die >= 0)
		assert_int_equal(domain->die, die);
	check_cpus(domain->online, cpus);
	check_cpus(domain->present, cpus);
	assert_int_equal(domain->has_cpu, *cpus != '\0');
	if (*cpus)
		assert_int_equal(domain->cpu, strtoul(cpus, NULL, 10));
}

/** The CPUs of the cores of a mask, in the domain of that index. */
static void check_cores(const struct isst_context *context, size_t index, uint64_t cores,
			const char *expected)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *cpus = topology_cpus_of_cores(
		context->topology, context_domain(context, index), cores);

	check_cpus(cpus, expected);
}

FAKE_TEST(power_domains_are_those_of_the_mask_with_its_holes)
{
	tpmi_machine(fake, "0-7", "0-7");
	/* As recorded of a Granite Rapids of 64 cores: 0 and 1 compute, 3 and 4 IO, no 2. */
	fake_die(fake, 0, 0, "0-7");
	place(fake, "0-3", 0, 0, 0);
	place(fake, "4-7", 1, 0, 0);
	offer(fake, 0, 0x1b);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 4);
	check_domain(context, 0, 0, 0, 0, "0-3");
	check_domain(context, 1, 0, 0, 1, "4-7");
	check_domain(context, 2, 0, 0, 3, "");
	check_domain(context, 3, 0, 0, 4, "");
	assert_null(isst_notice_at(context, 0));
	assert_int_equal(fake_calls(&fake->device, FAKE_INSTANCES), 1);
}

FAKE_TEST(all_bits_of_the_mask_count)
{
	tpmi_machine(fake, "0", "0");
	fake_die(fake, 0, 0, "0");
	place(fake, "0", 15, 0, 0);
	offer(fake, 0, 0x8001);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 2);
	check_domain(context, 0, 0, 0, 0, "");
	check_domain(context, 1, 0, 0, 15, "0");
}

FAKE_TEST(thread_core_and_domain_are_bits_of_the_firmwares_number)
{
	static const struct {
		uint32_t number;
		unsigned int domain, core, thread;
	} CASES[] = { { 0x0000, 0, 0, 0 },  { 0x0007, 0, 0, 7 }, { 0x0008, 0, 1, 0 },
		      { 0x01f9, 0, 63, 1 }, { 0x0800, 1, 0, 0 }, { 0x09bc, 1, 55, 4 },
		      { 0x7801, 15, 0, 1 }, { 0x1159, 2, 43, 1 } };

	tpmi_machine(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-7");
	offer(fake, 0, 0xffff);
	for (unsigned int i = 0; i < COUNT(CASES); i++)
		fake_phy_id(&fake->device, i, CASES[i].number);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	for (unsigned int i = 0; i < COUNT(CASES); i++) {
		const struct isst_cpu *cpu = context_cpu(context, i);

		assert_non_null(cpu);
		assert_true(cpu->core_known);
		assert_int_equal(cpu->domain->number, CASES[i].domain);
		assert_int_equal(cpu->core, CASES[i].core);
		assert_int_equal(cpu->thread, CASES[i].thread);
	}
}

FAKE_TEST(core_masks_name_modules_with_all_their_cpus)
{
	tpmi_machine(fake, "0-15", "0-15");
	/* Two domains of two modules of four cores, which the thread's bits number. */
	fake_die(fake, 0, 0, "0-15");
	offer(fake, 0, 3);
	for (unsigned int cpu = 0; cpu < 16; cpu++)
		fake_phy_id(&fake->device, cpu, cpu / 8 << 11 | cpu / 4 % 2 << 3 | cpu % 4);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_null(isst_notice_at(context, 0));
	check_cores(context, 0, 2, "4-7");
	check_cores(context, 1, 1, "8-11");
}

FAKE_TEST(packages_have_domains_of_their_own)
{
	tpmi_machine(fake, "0-7", "0-7");
	/* Package ids may have holes; the second package is on die 1 for the kernel. */
	fake_die(fake, 3, 1, "0-1,4-5");
	fake_die(fake, 0, 0, "2-3,6-7");
	place(fake, "0-1", 0, 0, 0);
	place(fake, "4-5", 2, 0, 0);
	place(fake, "2-3", 0, 0, 0);
	place(fake, "6-7", 0, 0, 1);
	offer(fake, 0, 0x3);
	offer(fake, 3, 0xd);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 5);
	check_domain(context, 0, 0, 0, 0, "2-3,6-7");
	check_domain(context, 1, 0, 0, 1, "");
	check_domain(context, 2, 3, 1, 0, "0-1");
	check_domain(context, 3, 3, 1, 2, "4-5");
	check_domain(context, 4, 3, 1, 3, "");
	assert_int_equal(fake_calls(&fake->device, FAKE_INSTANCES), 2);
}

FAKE_TEST(a_domain_without_cpus_is_on_no_known_die_where_its_package_has_several)
{
	tpmi_machine(fake, "0-7", "0-7");
	fake_die(fake, 0, 4, "0-3");
	fake_die(fake, 0, 5, "4-7");
	/* The later die has the lower domain. */
	place(fake, "4-7", 0, 0, 0);
	place(fake, "0-3", 1, 0, 0);
	offer(fake, 0, 0x1b);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 4);
	check_domain(context, 0, 0, 4, 1, "0-3");
	check_domain(context, 1, 0, 5, 0, "4-7");
	check_domain(context, 2, 0, -1, 3, "");
	check_domain(context, 3, 0, -1, 4, "");
}

FAKE_TEST(domains_without_a_die_come_last_in_their_package_only)
{
	tpmi_machine(fake, "0-5", "0-5");
	fake_die(fake, 0, 0, "0-1");
	fake_die(fake, 0, 1, "2-3");
	fake_die(fake, 1, 2, "4-5");
	place(fake, "0-1", 1, 0, 0);
	place(fake, "2-3", 2, 0, 0);
	place(fake, "4-5", 1, 0, 0);
	offer(fake, 0, 0x7);
	offer(fake, 1, 0x3);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 5);
	check_domain(context, 0, 0, 0, 1, "0-1");
	check_domain(context, 1, 0, 1, 2, "2-3");
	check_domain(context, 2, 0, -1, 0, "");
	check_domain(context, 3, 1, 2, 0, "");
	check_domain(context, 4, 1, 2, 1, "4-5");
}

FAKE_TEST(cpus_of_a_domain_outside_the_mask_are_reported_and_left_out)
{
	tpmi_machine(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-7");
	place(fake, "0-1", 0, 0, 0);
	place(fake, "2-3,6", 2, 0, 0);
	place(fake, "4-5,7", 1, 0, 0);
	offer(fake, 0, 0x3);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 2);
	check_domain(context, 0, 0, 0, 0, "0-1");
	check_domain(context, 1, 0, 0, 1, "4-5,7");
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "CPUs 2-3,6: left out");
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "power domain");
	assert_null(isst_left_out_at(context, 1));
	assert_null(isst_notice_at(context, 0));
	assert_null(context_cpu(context, 2));
	assert_null(context_cpu(context, 6));
	assert_non_null(context_cpu(context, 7));
	/* They are there nonetheless. */
	check_cpus(isst_online_cpus(context), "0-7");
	check_cores(context, 0, UINT64_MAX, "0-1");
}

FAKE_TEST(D26_a_cpu_of_unknown_core_is_of_no_power_domain)
{
	tpmi_machine(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0-3");
	place(fake, "0-3", 0, 0, 0);
	fake_phy_id_error(&fake->device, 1, -EINVAL);
	fake_phy_id(&fake->device, 2, UINT32_MAX);
	offer(fake, 0, 0x1);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	check_domain(context, 0, 0, 0, 0, "0,3");
	assert_null(context_cpu(context, 1));
	assert_null(context_cpu(context, 2));
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "CPU 1 ");
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "EINVAL");
	check_holds(isst_message_text(isst_left_out_at(context, 1)), "CPU 2 ");
	assert_null(isst_left_out_at(context, 2));
	assert_null(isst_notice_at(context, 0));
}

FAKE_TEST(a_machine_on_which_no_core_is_known_has_its_power_domains)
{
	tpmi_machine(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0-3");
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		fake_phy_id_error(&fake->device, cpu, -EIO);
	offer(fake, 0, 0x3);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 2);
	check_domain(context, 0, 0, 0, 0, "");
	check_domain(context, 1, 0, 0, 1, "");
	assert_null(context_cpu(context, 0));
	check_cpus(isst_online_cpus(context), "0-3");
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "CPUs 0-3 (GET_PHY_ID: EIO)");
	assert_null(isst_left_out_at(context, 1));
	assert_false(isst_domain_is_io(context_domain(context, 0)));
	assert_false(isst_domain_is_io(context_domain(context, 1)));
}

FAKE_TEST(F5_cpus_of_unknown_core_may_be_in_any_domain_of_their_package)
{
	tpmi_machine(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0-1");
	fake_die(fake, 1, 1, "2-3");
	place(fake, "0-2", 0, 0, 0);
	fake_phy_id_error(&fake->device, 3, -EIO);
	offer(fake, 0, 0x3);
	offer(fake, 1, 0x3);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 4);
	assert_true(isst_domain_is_io(context_domain(context, 1)));
	assert_false(context_domain(context, 2)->cpus_known);
	assert_false(context_domain(context, 3)->cpus_known);
	assert_false(isst_domain_is_io(context_domain(context, 3)));
}

/** A package of two compute domains of four cores and one of I/O, with some of its CPUs online. */
static struct isst_context *partly_online(struct fake_machine *fake, const char *online,
					  const char *smt)
{
	tpmi_machine(fake, "0-15", online);
	fake_die(fake, 0, 0, online);
	place(fake, "0-3", 0, 0, 0);
	place(fake, "4-7", 1, 0, 0);
	place(fake, "8-11", 0, 0, 1);
	place(fake, "12-15", 1, 0, 1);
	offer(fake, 0, 0x7);
	if (smt)
		fake_file(&fake->files, "/sys/devices/system/cpu/smt/control", "%s\n", smt);
	return discovered(fake, 3);
}

FAKE_TEST(B3_cpus_that_were_never_seen_may_be_in_any_domain)
{
	freed_by(isst_close) struct isst_context *context = partly_online(fake, "0-3,8-11", NULL);

	assert_false(context_domain(context, 1)->has_cpu);
	assert_false(isst_domain_is_io(context_domain(context, 1)));
	assert_false(isst_domain_is_io(context_domain(context, 2)));
	check_holds(isst_message_text(isst_notice_at(context, 0)),
		    "CPUs 4-7,12-15 are offline, and have not been seen");
	assert_null(isst_notice_at(context, 1));
	assert_null(isst_left_out_at(context, 0));
}

FAKE_TEST(B3_threads_that_smt_hides_are_in_the_domains_of_their_cores)
{
	freed_by(isst_close) struct isst_context *context = partly_online(fake, "0-7", "off");

	assert_true(isst_domain_is_io(context_domain(context, 2)));
	assert_null(isst_notice_at(context, 0));
}

FAKE_TEST(B3_more_cpus_than_smt_hides_may_be_in_any_domain)
{
	freed_by(isst_close) struct isst_context *context = partly_online(fake, "0-3", "forceoff");

	assert_false(isst_domain_is_io(context_domain(context, 1)));
	assert_false(isst_domain_is_io(context_domain(context, 2)));
}

FAKE_TEST(B3_with_smt_on_no_cpu_is_hidden)
{
	freed_by(isst_close) struct isst_context *context = partly_online(fake, "0-7", "on");

	assert_false(isst_domain_is_io(context_domain(context, 2)));
}

FAKE_TEST(a_package_whose_devices_are_not_all_bound_does_not_hide_the_others)
{
	tpmi_machine(fake, "0-3", "0-3");
	fake_die(fake, 0, 0, "0-1");
	fake_die(fake, 1, 1, "2-3");
	place(fake, "0-1", 0, 0, 0);
	place(fake, "2-3", 0, 0, 0);
	offer(fake, 0, 0x3);
	offer(fake, 1, 0);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 2);
	check_domain(context, 0, 0, 0, 0, "0-1");
	check_domain(context, 1, 0, 0, 1, "");
	check_holds(isst_message_text(isst_left_out_at(context, 0)), "package 1");
	check_holds(isst_message_text(isst_left_out_at(context, 1)), "CPUs 2-3: ");
	assert_null(isst_left_out_at(context, 2));
	/* Missing domains of one package do not affect those of the other. */
	assert_true(isst_domain_is_io(context_domain(context, 1)));
}

FAKE_TEST(no_power_domain_at_all_is_an_error)
{
	static const int ERRORS[] = { 0, -ENOTTY };

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		struct isst_context *context;

		tpmi_machine(fake, "0-3", "0-3");
		fake_die(fake, 0, 0, "0-3");
		place(fake, "0-3", 0, 0, 0);
		offer(fake, 0, 0);
		if (ERRORS[i])
			fake_tpmi_error(&fake->device, FAKE_INSTANCES, FAKE_DOMAIN(0, 0), 0,
					ERRORS[i]);
		context = fake_context(fake);
		assert_int_equal(isst_discover(context), -EOPNOTSUPP);
		check_holds(isst_error(context), "no power domain");
		check_holds(isst_error(context), "isst_tpmi");
		assert_int_equal(isst_domain_count(context), 0);
		isst_close(context);
		assert_false(fake->device.is_open);
	}
}

FAKE_TEST(D26_two_cpus_of_one_place_are_trusted_neither)
{
	tpmi_machine(fake, "0-3", "0-3");
	/* The same core and thread of another domain is another place. */
	fake_die(fake, 0, 0, "0-3");
	place(fake, "0", 0, 7, 0);
	place(fake, "1", 1, 7, 0);
	place(fake, "2", 1, 7, 0);
	place(fake, "3", 1, 8, 0);
	offer(fake, 0, 0x3);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_true(context_cpu(context, 0)->core_known);
	assert_false(context_cpu(context, 1)->core_known);
	assert_false(context_cpu(context, 2)->core_known);
	assert_true(context_cpu(context, 3)->core_known);
	check_holds(topology_find_cpu(context->topology, 1)->unknown_core, "CPU numbers 1-2");
}

/* ---- CPUs that are offline ---- */

/** Two power domains of CPUs 0-3 and 4-7 and one for IO; these CPUs are online. */
static void with_online(struct fake_machine *fake, const char *online)
{
	tpmi_machine(fake, "0-7", online);
	fake_die(fake, 0, 0, online);
	place(fake, "0-3", 0, 0, 0);
	place(fake, "4-7", 2, 40, 1);
	offer(fake, 0, 0x15);
}

FAKE_TEST(D46_cpus_that_go_offline_are_remembered_with_their_power_domains)
{
	with_online(fake, "0-7");
	isst_close(fake_discovered(fake));
	autofree char *text = fake_runtime_text(fake, "topology");
	check_holds(text, "# cpu package die domain core thread\n0 0 0 0 0 0\n");
	check_holds(text, "\n4 0 0 2 40 1\n");
	check_holds(text, "\n7 0 0 2 43 1\n");
	with_online(fake, "0-2,4");
	freed_by(isst_close) struct isst_context *context = discovered(fake, 3);
	check_cpus(context_domain(context, 0)->online, "0-2");
	check_cpus(context_domain(context, 0)->present, "0-3");
	check_cpus(context_domain(context, 1)->online, "4");
	check_cpus(context_domain(context, 1)->present, "4-7");
	assert_int_equal(context_cpu(context, 6)->domain->number, 2);
	assert_int_equal(context_cpu(context, 6)->core, 42);
	assert_int_equal(context_cpu(context, 6)->thread, 1);
	assert_false(context_cpu(context, 6)->online);
	check_cores(context, 1, UINT64_C(0x5) << 40, "4,6");
	assert_null(isst_notice_at(context, 0));
}

FAKE_TEST(a_domain_whose_cpus_are_all_offline_is_there_without_one_that_is_online)
{
	struct isst_context *context;
	const struct isst_domain *domain;

	with_online(fake, "0-7");
	isst_close(fake_discovered(fake));
	with_online(fake, "0-3");
	context = discovered(fake, 3);
	domain = context_domain(context, 1);
	assert_int_equal(domain->number, 2);
	assert_false(domain->has_cpu);
	assert_true(domain->die_known);
	check_cpus(domain->online, "");
	check_cpus(domain->present, "4-7");
	isst_close(context);
	/* And so it stays. */
	context = fake_discovered(fake);
	check_cpus(context_domain(context, 1)->present, "4-7");
	isst_close(context);
}

FAKE_TEST(nothing_is_remembered_of_cpus_that_are_left_out)
{
	with_online(fake, "0-7");
	offer(fake, 0, 0x11);
	isst_close(fake_discovered(fake));
	autofree char *text = fake_runtime_text(fake, "topology");
	check_holds(text, "\n3 0 0 0 3 0\n");
	assert_null(strstr(text, "\n4 "));
	with_online(fake, "0-3");
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_null(context_cpu(context, 4));
}

FAKE_TEST(mailbox_platforms_have_no_power_domains)
{
	fake_small_machine(fake);
	freed_by(isst_close) struct isst_context *context = discovered(fake, 1);
	assert_string_equal(context_domain(context, 0)->name, "package 0, die 0");
	assert_int_equal(fake_calls(&fake->device, FAKE_INSTANCES), 0);
}
