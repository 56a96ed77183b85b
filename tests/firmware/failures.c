/* SPDX-License-Identifier: BSD-3-Clause */
/* Where failed requests are reported. The cases D2, D3 and D70 have the messages. */
#include "support/fake_firmware.h"

static void plan_get(struct fake_firmware *fake, const struct isst_domain *domain,
		     enum firmware_setting setting, unsigned int index, uint64_t *value,
		     struct isst_failure *failure)
{
	const struct setting_request request = { domain, setting, index, value, failure };

	assert_int_equal(fake->operations->plan_get(fake->batch, &request), 0);
}

FAKE_MACHINE_TEST(D4_only_a_refused_summary_means_not_supported)
{
	static const struct {
		int error, expected;
	} CASES[] = { { -ENXIO, -EOPNOTSUPP },
		      { -ENOTTY, -ENODEV },
		      { -EBUSY, -EIO },
		      { -EINVAL, -EIO },
		      { -EPERM, -EPERM } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);
		struct isst_perf_profile profile = { .domain = &fake->domain };

		fake_mailbox_error(fake->device, 0x7f00, 0, 0, CASES[i].error);
		assert_int_equal(fake->operations->plan_perf_profile(fake->batch, &profile), 0);
		assert_int_equal(firmware_run(fake->batch), 0);
		assert_int_equal(profile.failure.error, CASES[i].expected);
		assert_false(profile.locked);
		fake_firmware_finish(fake);
	}
}

FIRMWARE_TEST(the_first_failure_is_reported_and_the_others_are_counted)
{
	struct isst_core_power power = { .domain = &fake->domain };

	fake_mailbox_error(fake->device, 0x9403, 0, 0, -ENXIO);
	fake_mailbox_error(fake->device, 0xd002, 0, 0, -EPERM);
	assert_int_equal(fake->operations->plan_core_power(fake->batch, &power), 0);
	assert_int_equal(firmware_run(fake->batch), 0);
	assert_int_equal(power.failure.error, -EIO);
	assert_int_equal(power.clos_failure.error, -EPERM);
	failure_join(&power.failure, &power.clos_failure);
	check_holds(power.failure.message, "0x94/0x03");
	assert_int_equal(power.failure.more, 1);
}

FIRMWARE_TEST(D68_a_failure_concerns_only_the_result_that_it_was_for)
{
	struct isst_domain other = {
		.name = "package 3, die 0", .package = 3, .die = 0, .has_cpu = true, .cpu = 77
	};
	struct isst_failure bad = { 0 }, good = { 0 };
	uint64_t values[2] = { 0 };

	fake_io(fake->device, 0x08, 0x00ff0000);
	fake_rule(fake->device,
		  &(struct fake_rule){ .entry = { FAKE_IO, 5, 0x08, 0, 0 }, .error = -EINVAL });
	plan_get(fake, &fake->domain, SETTING_CLOS, 0, &values[0], &bad);
	plan_get(fake, &other, SETTING_CLOS, 0, &values[1], &good);
	assert_int_equal(firmware_run(fake->batch), 0);
	assert_int_equal(bad.error, -EIO);
	assert_int_equal(good.error, 0);
	assert_int_equal(values[1], 0x00ff0000);
}

FIRMWARE_TEST(a_batch_is_used_again_after_it_has_run)
{
	struct isst_failure failure = { 0 };
	uint64_t limits;

	fake_msr(fake->device, 0x1ad, 1);
	assert_int_equal(firmware_run(fake->batch), 0);
	assert_int_equal(fake->device->call_count, 0);
	for (unsigned int i = 0; i < 2; i++) {
		plan_get(fake, &fake->domain, SETTING_TURBO_RATIO_LIMITS, 0, &limits, &failure);
		assert_int_equal(firmware_run(fake->batch), 0);
		assert_int_equal(fake->device->entry_count, i + 1);
	}
}

FIRMWARE_TEST(requests_of_all_domains_travel_together_by_kind)
{
	struct isst_failure failures[100] = { 0 };
	uint64_t limits[100];
	struct isst_core_power powers[100];

	fake_msr(fake->device, 0x1ad, 7);
	fake_mailbox(fake->device, 0x9403, 0, 0, 1);
	for (size_t i = 0; i < 100; i++) {
		powers[i] = (struct isst_core_power){ .domain = &fake->domain };
		plan_get(fake, &fake->domain, SETTING_TURBO_RATIO_LIMITS, 0, &limits[i],
			 &failures[i]);
		assert_int_equal(fake->operations->plan_core_power_switch(fake->batch, &powers[i]),
				 0);
	}
	assert_int_equal(firmware_run(fake->batch), 0);
	assert_int_equal(fake_calls(fake->device, FAKE_MSR), 2);
	assert_int_equal(fake_calls(fake->device, FAKE_MAILBOX), 2);
	for (size_t i = 0; i < 100; i++) {
		assert_int_equal(limits[i], 7);
		assert_true(powers[i].supported);
	}
}
