/* SPDX-License-Identifier: BSD-3-Clause */
/* Where failed TPMI requests are reported. D70-causes-of-failed-requests-of-TPMI has messages. */
#include "support/fake_tpmi.h"

TPMI_TEST(D68_a_failure_concerns_only_the_domain_that_it_was_for)
{
	struct isst_domain other = fake_tpmi_domain(fake, 0, true);
	struct isst_core_power powers[2] = { { .domain = &fake->domain }, { .domain = &other } };

	fake_tpmi_error(fake->device, FAKE_CORE_POWER, FAKE_OWN, 0, -ENOTTY);
	fake_core_power(fake, FAKE_DOMAIN(1, 0), true, true, true);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(fake->operations->plan_core_power(fake->batch, &powers[i]), 0);
	fake_run(fake);
	assert_int_equal(powers[0].failure.error, -EIO);
	assert_false(powers[0].supported);
	assert_int_equal(powers[1].failure.error, 0);
	assert_true(powers[1].supported);
	assert_true(powers[1].enabled);
}
