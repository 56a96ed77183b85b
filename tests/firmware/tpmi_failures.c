/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages about failed TPMI requests. The kernel returns ENOTTY for nearly all failures, so
 * that a message has to list the possible causes; the actual errno is reported if a kernel returns
 * it.
 */
#include "base/error_name.h"
#include "support/fake_tpmi.h"

#define HWP "hardware-controlled performance states (HWP) are disabled"

/** A write, the structure's data that is sent for it, and what may be the cause of a refusal. */
static const struct write_case {
	enum firmware_setting setting;
	unsigned long request;
	uint64_t value, data;
	const char *what, *number, *causes;
} WRITES[] = {
	{ SETTING_LEVEL, FAKE_SET_LEVEL, 3, 3, "level", "TPMI request 10", HWP },
	{ SETTING_FEATURES, FAKE_SET_FEATURE, 1, 2, "turbo-freq and base-freq", "TPMI request 11",
	  HWP },
	{ SETTING_CORE_POWER, FAKE_CORE_POWER, 1, 1, "core-power", "TPMI request 6", HWP },
	{ SETTING_QOS, FAKE_CORE_POWER, 6, 0x10001, "core-power", "TPMI request 6", HWP },
	{ SETTING_CLOS, FAKE_CLOS, 0x001e0800, 0x0bb8032001, "CLOS", "TPMI request 7",
	  "the firmware does not allow it" },
	{ SETTING_ASSOCIATION, FAKE_ASSOCIATION, 3, 3, "CLOS of a core", "TPMI request 8, core 1",
	  "the firmware does not allow it" },
};

static struct isst_failure write_failure(struct fake_firmware *fake, const struct write_case *write,
					 int error)
{
	struct isst_failure failure = { 0 };
	uint64_t value = write->value;
	const struct setting_request request = { &fake->domain, write->setting, 1, &value,
						 &failure };

	fake_core_power(fake, FAKE_OWN, true, false, false);
	fake_rule(fake->device, &(struct fake_rule){ .entry = { write->request, FAKE_ANY_CPU,
								FAKE_OWN, 1, write->data },
						     .error = error });
	assert_int_equal(fake->operations->plan_set(fake->batch, &request), 0);
	assert_int_equal(firmware_run_writes(fake->batch), 0);
	return failure;
}

FAKE_MACHINE_TEST(D70_a_refused_write_names_domain_and_request_and_what_may_be_the_cause)
{
	for (size_t i = 0; i < COUNT(WRITES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		struct isst_failure failure = write_failure(fake, &WRITES[i], -ENOTTY);
		const char *reason;

		assert_int_equal(failure.error, -EIO);
		assert_int_equal(strncmp(failure.message, "package 1, power domain 2: ", 27), 0);
		check_holds(failure.message, WRITES[i].what);
		check_holds(failure.message, WRITES[i].number);
		check_holds(failure.message, "cannot write");
		/* First what is most often so. */
		reason = strstr(failure.message, "without reporting the cause (ENOTTY): ");
		assert_non_null(reason);
		reason += strlen("without reporting the cause (ENOTTY): ");
		if (strncmp(reason, WRITES[i].causes, strlen(WRITES[i].causes)) != 0)
			fail_msg("'%s' does not begin with '%s'", reason, WRITES[i].causes);
		assert_null(strstr(failure.message, "module"));
		fake_tpmi_finish(fake);
	}
}

TPMI_TEST(possible_obstacles_of_a_level_are_listed_for_levels)
{
	struct isst_failure failure = write_failure(fake, &WRITES[0], -ENOTTY);

	check_holds(failure.message, "does not allow the level");
	check_holds(failure.message, "still pending");
	check_holds(failure.message, "did not take effect in time");
	check_holds(failure.message, "BIOS");
	check_holds(failure.message, "intel_pstate");
}

FAKE_MACHINE_TEST(causes_are_not_guessed_if_the_kernel_reports_one)
{
	static const struct {
		int error, expected;
		const char *text;
	} CASES[] = { { -EPERM, -EPERM, "CAP_SYS_ADMIN" },
		      { -EINVAL, -EIO, "does not allow it" },
		      { -EFAULT, -EIO, HWP } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		struct isst_failure failure = write_failure(fake, &WRITES[0], CASES[i].error);

		assert_int_equal(failure.error, CASES[i].expected);
		check_holds(failure.message, CASES[i].text);
		check_holds(failure.message, error_name(CASES[i].error).text);
		assert_null(strstr(failure.message, "still pending"));
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(HWP_is_no_cause_where_the_kernel_does_not_look_at_it)
{
	size_t found = 0;

	for (size_t i = 0; i < COUNT(WRITES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);

		if (WRITES[i].setting == SETTING_CLOS || WRITES[i].setting == SETTING_ASSOCIATION) {
			assert_null(
				strstr(write_failure(fake, &WRITES[i], -ENOTTY).message, "HWP"));
			found++;
		}
		fake_tpmi_finish(fake);
	}
	assert_int_equal(found, 2);
}

/* ---- Reading ---- */

typedef int (*plan_read)(struct fake_firmware *fake, struct isst_failure **failure);

static struct isst_perf_profile profile;
static struct level_features features;
static struct isst_core_power power;

static int plan_summary(struct fake_firmware *fake, struct isst_failure **failure)
{
	profile = (struct isst_perf_profile){ .domain = &fake->domain };
	*failure = &profile.failure;
	return fake->operations->plan_perf_profile(fake->batch, &profile);
}

static int plan_features(struct fake_firmware *fake, struct isst_failure **failure)
{
	features = (struct level_features){ 0 };
	*failure = &features.failure;
	return fake->operations->plan_features(fake->batch, &fake->domain, 3, &features);
}

static int plan_core_power(struct fake_firmware *fake, struct isst_failure **failure)
{
	power = (struct isst_core_power){ .domain = &fake->domain };
	*failure = &power.failure;
	return fake->operations->plan_core_power(fake->batch, &power);
}

static int plan_clos(struct fake_firmware *fake, struct isst_failure **failure)
{
	static struct isst_failure of_clos;
	static uint64_t clos;

	of_clos = (struct isst_failure){ 0 };
	*failure = &of_clos;
	return fake->operations->plan_get(
		fake->batch,
		&(struct setting_request){ &fake->domain, SETTING_CLOS, 1, &clos, &of_clos });
}

static const struct read_case {
	plan_read plan;
	const char *texts[2];
} READS[] = {
	{ plan_summary, { "the performance levels", "TPMI request 9" } },
	{ plan_features, { "the features of level 3", "TPMI request 9" } },
	{ plan_core_power, { "the state of core-power", "TPMI request 6" } },
	{ plan_clos, { "the configuration of a CLOS", "TPMI request 7" } },
};

FAKE_MACHINE_TEST(D70_a_refused_read_is_reported_with_value_place_and_request)
{
	static const struct {
		int error, expected;
		const char *text;
	} CASES[] = { { -ENOTTY, -EIO, "refused it without reporting the cause" },
		      { -EPERM, -EPERM, "CAP_SYS_ADMIN" },
		      { -EINVAL, -EIO, "does not allow it" },
		      { -ENOMEM, -EIO, "the driver failed" } };

	for (size_t i = 0; i < COUNT(READS); i++)
		for (size_t e = 0; e < COUNT(CASES); e++) {
			struct fake_firmware *fake = fake_tpmi_start(machine, 3);
			struct isst_failure *failure;

			fake->device->unexpected_error = CASES[e].error;
			assert_int_equal(READS[i].plan(fake, &failure), 0);
			fake_run(fake);
			assert_int_equal(failure->error, CASES[e].expected);
			check_holds(failure->message, "package 1, power domain 2");
			check_holds(failure->message, READS[i].texts[0]);
			check_holds(failure->message, READS[i].texts[1]);
			check_holds(failure->message, CASES[e].text);
			check_holds(failure->message, error_name(CASES[e].error).text);
			/* ENOTTY does not indicate HWP, modules or support. */
			assert_null(strstr(failure->message, "HWP"));
			assert_null(strstr(failure->message, "module"));
			fake_tpmi_finish(fake);
		}
}

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
