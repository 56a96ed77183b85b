/* SPDX-License-Identifier: BSD-3-Clause */
/* Core-power, classes of service and turbo ratio limits, read for sets of domains and CPUs. */
#include "features/features.h"
#include "support/fake_context.h"

/** Two packages of two cores with two threads each: CPU n and n + 4 are of one core. */
static struct isst_context *hyperthreaded(struct fake_machine *fake)
{
	fake_cpus(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-1,4-5");
	fake_die(fake, 1, 0, "2-3,6-7");
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		fake_place(fake, cpu, cpu % 2, cpu / 4);
	return fake_discovered(fake);
}

FAKE_TEST(D68_core_power_of_each_domain_stands_alone)
{
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_core_power states[2] = { { .domain = context_domain(context, 0) },
					     { .domain = context_domain(context, 1) } };

	fake_mailbox(&fake->device, 0x9403, 0, 0, 0x00010001);
	fake_mailbox(&fake->device, 0xd002, 0, 0, 0x00000006);
	fake_rule(&fake->device, &(struct fake_rule){ .entry = { FAKE_MAILBOX, 0, 0xd002, 0, 0 },
						      .error = -EPERM });
	fake_forget(&fake->device);
	assert_int_equal(core_power_read(context, states, 2), 0);
	assert_int_equal(states[0].failure.error, -EPERM);
	assert_int_equal(states[1].failure.error, 0);
	assert_true(states[1].supported);
	assert_true(states[1].enabled);
	assert_true(states[1].clos_enabled);
	assert_int_equal(states[1].priority, ISST_PRIORITY_ORDERED);
}

FAKE_TEST(D3_a_clos_that_cannot_be_read_is_a_failure_and_no_data)
{
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_clos configs[3];

	memset(configs, 0xee, sizeof(configs));
	for (unsigned int i = 0; i < 3; i++) {
		configs[i].domain = context_domain(context, 0);
		configs[i].clos = i;
	}
	fake_io(&fake->device, 0x08, 0x00ff0000);
	fake_io_error(&fake->device, 0x0c, -EINVAL);
	fake_io(&fake->device, 0x10, 0x0b1e0a21);
	assert_int_equal(clos_read(context, configs, 3), 0);
	assert_int_equal(configs[0].failure.error, 0);
	assert_int_equal(configs[0].max_mhz, ISST_CLOS_NO_LIMIT_MHZ);
	assert_int_equal(configs[1].failure.error, -EIO);
	assert_int_equal(configs[1].min_mhz | configs[1].max_mhz | configs[1].epp, 0);
	assert_int_equal(configs[2].failure.error, 0);
	assert_int_equal(configs[2].epp, 1);
	assert_int_equal(configs[2].weight, 2);
	assert_int_equal(configs[2].min_mhz, 1000);
	assert_int_equal(configs[2].max_mhz, 3000);
	assert_int_equal(configs[2].desired_mhz, 1100);
}

FAKE_TEST(a_clos_that_no_machine_has_is_a_bad_request_and_not_sent)
{
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_clos clos = { .domain = context_domain(context, 0), .clos = 4 };

	fake_forget(&fake->device);
	assert_int_equal(clos_read(context, &clos, 1), -EINVAL);
	check_holds(isst_error(context), "CLOS 4");
	assert_int_equal(fake->device.call_count, 0);
}

FAKE_TEST(a_missing_mmio_transport_names_its_module)
{
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_clos clos = { .domain = context_domain(context, 0) };

	fake_io_error(&fake->device, 0x08, -ENOTTY);
	assert_int_equal(clos_read(context, &clos, 1), 0);
	assert_int_equal(clos.failure.error, -ENODEV);
	check_holds(clos.failure.message, "isst_if_mmio");
}

static void associate(const struct isst_context *context, struct isst_clos_association *all,
		      const unsigned int *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++)
		all[i] = (struct isst_clos_association){ .cpu = context_cpu(context, cpus[i]),
							 .clos = 99 };
}

FAKE_TEST(a_register_is_read_once_for_all_cpus_of_its_core)
{
	static const unsigned int CPUS[] = { 7, 0, 4, 3, 1, 0 };
	static const unsigned int CLOS_COUNT[] = { 3, 1, 1, 3, 2, 1 };
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_clos_association all[COUNT(CPUS)];

	fake_io(&fake->device, 0x20, 0x00010000);
	fake_io(&fake->device, 0x24, 0x00020000);
	fake_rule(&fake->device,
		  &(struct fake_rule){ .entry = { FAKE_IO, 2, 0x24, 0, 0 }, .answer = 0x00030000 });
	associate(context, all, CPUS, COUNT(CPUS));
	fake_forget(&fake->device);
	assert_int_equal(clos_association_read(context, all, COUNT(CPUS)), 0);
	for (size_t i = 0; i < COUNT(CPUS); i++) {
		assert_int_equal(all[i].cpu->number, CPUS[i]);
		assert_int_equal(all[i].failure.error, 0);
		assert_int_equal(all[i].clos, CLOS_COUNT[i]);
	}
	assert_int_equal(fake->device.call_count, 1);
	assert_int_equal(fake->device.entry_count, 3);
}

FAKE_TEST(D3_a_register_that_fails_is_a_failure_of_every_cpu_of_its_core_alone)
{
	static const unsigned int CPUS[] = { 0, 1, 4, 5 };
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_clos_association all[COUNT(CPUS)];

	fake_io_error(&fake->device, 0x20, -EINVAL);
	fake_io(&fake->device, 0x24, 0x00020000);
	associate(context, all, CPUS, COUNT(CPUS));
	assert_int_equal(clos_association_read(context, all, COUNT(CPUS)), 0);
	for (size_t i = 0; i < COUNT(CPUS); i++) {
		assert_int_equal(all[i].failure.error, i % 2 ? 0 : -EIO);
		assert_int_equal(all[i].clos, i % 2 ? 2 : 0);
	}
	check_holds(all[2].failure.message, "MMIO register 0x20");
}

FAKE_TEST(D26_the_clos_of_a_cpu_of_unknown_core_is_not_that_of_core_0)
{
	static const unsigned int CPUS[] = { 0, 1, 2, 3 };
	struct isst_clos_association all[COUNT(CPUS)];

	fake_small_machine(fake);
	fake_phy_id_error(&fake->device, 1, -EINVAL);
	fake_phy_id(&fake->device, 2, 0xffffffff);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	fake_io(&fake->device, 0x20, 0x00010000);
	fake_io(&fake->device, 0x2c, 0x00030000);
	associate(context, all, CPUS, COUNT(CPUS));
	fake_forget(&fake->device);
	assert_int_equal(clos_association_read(context, all, COUNT(CPUS)), 0);
	assert_int_equal(all[0].clos, 1);
	assert_int_equal(all[1].failure.error, -EIO);
	check_holds(all[1].failure.message, "CPU 1");
	assert_int_equal(all[2].failure.error, -EIO);
	check_holds(all[2].failure.message, "CPU 2");
	assert_int_equal(all[3].clos, 3);
	assert_int_equal(fake->device.entry_count, 2);
}

FAKE_TEST(the_registers_of_hundreds_of_cpus_take_the_fewest_calls)
{
	enum { CPUS = 256 };
	struct isst_clos_association all[CPUS];

	/* 2 packages of 64 cores of 2 threads. */
	fake_cpus(fake, "0-255", "0-255");
	fake_die(fake, 0, 0, "0-63,128-191");
	fake_die(fake, 1, 0, "64-127,192-255");
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		fake_place(fake, cpu, cpu % 64, cpu / 128);
	for (uint32_t core = 0; core < 64; core++)
		fake_io(&fake->device, 0x20 + 4 * core, core % 4 << 16);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		all[cpu].cpu = context_cpu(context, cpu);
	fake_forget(&fake->device);
	assert_int_equal(clos_association_read(context, all, CPUS), 0);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(all[cpu].clos, cpu % 4);
	assert_int_equal(fake->device.call_count, 2);
	assert_int_equal(fake->device.entry_count, 128);
}

FAKE_TEST(no_associations_are_no_request)
{
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);

	fake_forget(&fake->device);
	assert_int_equal(clos_association_read(context, NULL, 0), 0);
	assert_int_equal(fake->device.call_count, 0);
}

FAKE_TEST(D2_turbo_ratio_limits_that_cannot_be_read_are_a_failure_and_no_data)
{
	freed_by(isst_close) struct isst_context *context = hyperthreaded(fake);
	struct isst_turbo_ratio_limits limits[2];

	memset(limits, 0xee, sizeof(limits));
	limits[0].domain = context_domain(context, 0);
	limits[1].domain = context_domain(context, 1);
	fake_msr(&fake->device, 0x1ad, UINT64_C(0x1c1c1c1e20222426));
	fake_rule(&fake->device,
		  &(struct fake_rule){ .entry = { FAKE_MSR, 0, 0x1ad, 0, 0 }, .error = -EIO });
	assert_int_equal(turbo_ratio_limits_read(context, limits, 2), 0);
	assert_int_equal(limits[0].failure.error, -EIO);
	assert_int_equal(limits[0].value, 0);
	assert_int_equal(limits[1].failure.error, 0);
	assert_int_equal(limits[1].value, UINT64_C(0x1c1c1c1e20222426));
}
