/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How each setting is read and written by TPMI; what the values of
 * settings mean is in firmware.h.
 */
#include "support/fake_tpmi.h"

static void plan_get(struct fake_firmware *fake, const struct isst_domain *domain,
		     enum firmware_setting setting, unsigned int index, uint64_t *value,
		     struct isst_failure *failure)
{
	const struct setting_request request = { domain, setting, index, value, failure };

	assert_int_equal(fake->operations->plan_get(fake->batch, &request), 0);
}

static void plan_set(struct fake_firmware *fake, const struct isst_domain *domain,
		     enum firmware_setting setting, unsigned int index, uint64_t *value,
		     struct isst_failure *failure)
{
	const struct setting_request request = { domain, setting, index, value, failure };

	assert_int_equal(fake->operations->plan_set(fake->batch, &request), 0);
}

static uint64_t get(struct fake_firmware *fake, enum firmware_setting setting, unsigned int index)
{
	struct isst_failure failure = { 0 };
	uint64_t value = 0x1234;

	plan_get(fake, &fake->domain, setting, index, &value, &failure);
	fake_run(fake);
	if (failure.error)
		fail_msg("%s", failure.message);
	return value;
}

static struct isst_failure set(struct fake_firmware *fake, enum firmware_setting setting,
			       unsigned int index, uint64_t value)
{
	struct isst_failure failure = { 0 };
	uint64_t before = value;

	plan_set(fake, &fake->domain, setting, index, &value, &failure);
	assert_int_equal(firmware_run_writes(fake->batch), 0);
	assert_int_equal(value, before);
	return failure;
}

FAKE_MACHINE_TEST(the_level_is_read_from_the_summary)
{
	for (unsigned int level = 0; level < 8; level++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);

		fake_summary(fake, FAKE_OWN,
			     (unsigned char[11]){ [2] = 7, [5] = (unsigned char)level, [6] = 3 });
		assert_int_equal(get(fake, SETTING_LEVEL, 0), level);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(the_level_is_written_and_nothing_is_asked)
{
	for (unsigned int level = 0; level < 8; level++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);

		fake_tpmi_write(fake->device, FAKE_SET_LEVEL, FAKE_OWN, level);
		assert_int_equal(set(fake, SETTING_LEVEL, 0, level).error, 0);
		assert_int_equal(fake_tpmi_sent(fake, FAKE_SET_LEVEL, FAKE_OWN, true, level), 1);
		assert_int_equal(fake->device->entry_count, 1);
		fake_tpmi_finish(fake);
	}
}

/** The values of a setting and of TPMI have the two features at each other's place. */
static const struct {
	unsigned int value, tpmi;
} FEATURES[] = { { 0, 0 }, { 1 /* turbo-freq */, 2 }, { 2 /* base-freq */, 1 }, { 3, 3 } };

FAKE_MACHINE_TEST(features_are_read_with_their_bits_at_the_other_place)
{
	for (size_t i = 0; i < COUNT(FEATURES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);

		fake_summary(fake, FAKE_OWN,
			     (unsigned char[11]){ [5] = 3, [6] = (unsigned char)FEATURES[i].tpmi });
		assert_int_equal(get(fake, SETTING_FEATURES, 3), FEATURES[i].value);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(features_are_written_with_their_bits_at_the_other_place)
{
	for (size_t i = 0; i < COUNT(FEATURES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);

		fake_tpmi_write(fake->device, FAKE_SET_FEATURE, FAKE_OWN, FEATURES[i].tpmi);
		assert_int_equal(set(fake, SETTING_FEATURES, 3, FEATURES[i].value).error, 0);
		assert_int_equal(fake->device->entry_count, 1);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(core_power_is_read_as_a_switch)
{
	for (unsigned int bits = 0; bits < 4; bits++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);

		fake_core_power(fake, FAKE_OWN, true, bits & 1, bits & 2);
		assert_int_equal(get(fake, SETTING_CORE_POWER, 0), bits & 1);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(D42_switching_core_power_keeps_the_priority_type)
{
	for (unsigned int bits = 0; bits < 4; bits++) {
		bool enable = bits & 1, ordered = bits & 2;
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		/* enable @3, priority_type @5 of the structure. */
		const uint64_t data = (uint64_t)enable | (uint64_t)ordered << 16;

		fake_core_power(fake, FAKE_OWN, true, !enable, ordered);
		fake_tpmi_write(fake->device, FAKE_CORE_POWER, FAKE_OWN, data);
		assert_int_equal(set(fake, SETTING_CORE_POWER, 0, enable).error, 0);
		assert_int_equal(fake_tpmi_sent(fake, FAKE_CORE_POWER, FAKE_OWN, true, data), 1);
		fake_tpmi_finish(fake);
	}
}

/** Of SETTING_QOS: bit 1 CLOS on, bit 2 ordered. By TPMI the switch is core-power's own. */
static const struct {
	unsigned int value;
	bool enabled, ordered;
} QOS[] = { { 0, false, false }, { 2, true, false }, { 4, false, true }, { 6, true, true } };

FAKE_MACHINE_TEST(qos_is_switch_and_priority_type_together)
{
	for (size_t i = 0; i < COUNT(QOS); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		const uint64_t data = (uint64_t)QOS[i].enabled | (uint64_t)QOS[i].ordered << 16;

		fake_core_power(fake, FAKE_OWN, true, QOS[i].enabled, QOS[i].ordered);
		assert_int_equal(get(fake, SETTING_QOS, 0), QOS[i].value);
		fake_tpmi_write(fake->device, FAKE_CORE_POWER, FAKE_OWN, data);
		assert_int_equal(set(fake, SETTING_QOS, 0, QOS[i].value).error, 0);
		assert_int_equal(fake_tpmi_sent(fake, FAKE_CORE_POWER, FAKE_OWN, true, data), 1);
		fake_tpmi_finish(fake);
	}
}

/** Of SETTING_CLOS: weight [7:4], ratios min [15:8] and max [23:16]. */
static const struct {
	uint64_t value;
	unsigned int weight, min_mhz, max_mhz;
} CLOS_COUNT[] = {
	{ 0x00ff0000, 0, 0, 25500 },
	{ 0x001e08f0, 15, 800, 3000 },
	{ 0x00181870, 7, 2400, 2400 },
	{ 0x00ffff10, 1, 25500, 25500 },
	{ 0, 0, 0, 0 },
};

FAKE_MACHINE_TEST(a_clos_is_read_as_ratios)
{
	for (size_t i = 0; i < COUNT(CLOS_COUNT); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		unsigned char bytes[10] = { [8] = (unsigned char)CLOS_COUNT[i].weight };

		put_half(bytes, 4, CLOS_COUNT[i].min_mhz);
		put_half(bytes, 6, CLOS_COUNT[i].max_mhz);
		fake_core_power(fake, FAKE_OWN, true, false, false);
		fake_tpmi(fake->device, FAKE_CLOS, FAKE_OWN, 3, bytes, sizeof(bytes));
		assert_int_equal(get(fake, SETTING_CLOS, 3), CLOS_COUNT[i].value);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(a_clos_is_written_in_megahertz)
{
	for (size_t i = 0; i < COUNT(CLOS_COUNT); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		/* clos @3, min @4, max @6, prop_prio @8 of the structure. */
		const uint64_t data = 2 | (uint64_t)CLOS_COUNT[i].min_mhz << 8 |
				      (uint64_t)CLOS_COUNT[i].max_mhz << 24 |
				      (uint64_t)CLOS_COUNT[i].weight << 40;

		fake_core_power(fake, FAKE_OWN, true, false, false);
		fake_tpmi_write(fake->device, FAKE_CLOS, FAKE_OWN, data);
		assert_int_equal(set(fake, SETTING_CLOS, 2, CLOS_COUNT[i].value).error, 0);
		assert_int_equal(fake_tpmi_sent(fake, FAKE_CLOS, FAKE_OWN, true, data), 1);
		fake_tpmi_finish(fake);
	}
}

TPMI_TEST(an_association_is_read_and_written_by_core)
{
	fake_core_power(fake, FAKE_OWN, true, false, false);
	fake_association(fake->device, FAKE_OWN, 63, 2);
	assert_int_equal(get(fake, SETTING_ASSOCIATION, 63), 2);
	fake_rule(fake->device,
		  &(struct fake_rule){ .entry = { FAKE_ASSOCIATION, 63, FAKE_OWN, 1, 3 } });
	assert_int_equal(set(fake, SETTING_ASSOCIATION, 63, 3).error, 0);
	assert_int_equal(fake_sent(fake->device, FAKE_ASSOCIATION, 63, FAKE_OWN, 1, 3), 1);
}

TPMI_TEST(turbo_ratio_limits_are_a_register_of_a_cpu)
{
	fake_msr(fake->device, 0x1ad, UINT64_MAX - 1);
	assert_true(get(fake, SETTING_TURBO_RATIO_LIMITS, 0) == UINT64_MAX - 1);
	fake_rule(fake->device,
		  &(struct fake_rule){ .entry = { FAKE_MSR, 5, 0x1ad, 1, UINT64_MAX } });
	assert_int_equal(set(fake, SETTING_TURBO_RATIO_LIMITS, 0, UINT64_MAX).error, 0);
}

TPMI_TEST(a_register_of_a_domain_without_cpus_is_out_of_reach)
{
	struct isst_domain io = fake_tpmi_domain(fake, 4, false);
	struct isst_failure failures[2] = { 0 };
	uint64_t value = 77;

	plan_get(fake, &io, SETTING_TURBO_RATIO_LIMITS, 0, &value, &failures[0]);
	fake_run(fake);
	plan_set(fake, &io, SETTING_TURBO_RATIO_LIMITS, 0, &value, &failures[1]);
	assert_int_equal(firmware_run_writes(fake->batch), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(failures[i].error, -EOPNOTSUPP);
		check_holds(failures[i].message, io.name);
		check_holds(failures[i].message, "no online CPU");
		check_holds(failures[i].message, "turbo ratio limits");
	}
	assert_int_equal(value, 77);
	assert_int_equal(fake->device->call_count, 0);
}

/* ---- Domains without core-power ---- */

static const enum firmware_setting OF_CORE_POWER[] = { SETTING_CORE_POWER, SETTING_QOS,
						       SETTING_CLOS, SETTING_ASSOCIATION };

/**
 * The kernel checks none of these, and takes what lies at the place of registers that are not
 * there: only the question whether there is core-power may be sent.
 */
FAKE_MACHINE_TEST(nothing_is_written_to_missing_core_power)
{
	for (size_t i = 0; i < COUNT(OF_CORE_POWER); i++)
		for (unsigned int known = 0; known < 2; known++) {
			struct fake_firmware *fake = fake_tpmi_start(machine, 3);
			struct isst_failure failure;

			fake->device->unexpected_error = -EINVAL;
			if (known)
				fake_core_power(fake, FAKE_OWN, false, false, false);
			else
				fake_tpmi_error(fake->device, FAKE_CORE_POWER, FAKE_OWN, 0,
						-ENOTTY);
			failure = set(fake, OF_CORE_POWER[i], 0, 0);
			assert_int_equal(failure.error, known ? -EOPNOTSUPP : -EIO);
			if (known)
				check_holds(failure.message, "core-power is not supported");
			assert_int_equal(fake_tpmi_sent(fake, FAKE_CORE_POWER, FAKE_OWN, false, 0),
					 1);
			assert_int_equal(fake->device->call_count, 1);
			fake_tpmi_finish(fake);
		}
}

FAKE_MACHINE_TEST(only_core_power_itself_is_read_where_it_is_missing)
{
	for (size_t i = 2; i < COUNT(OF_CORE_POWER); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		struct isst_failure failure = { 0 };
		uint64_t value = 77;

		fake_core_power(fake, FAKE_OWN, false, false, false);
		plan_get(fake, &fake->domain, OF_CORE_POWER[i], 0, &value, &failure);
		fake_run(fake);
		assert_int_equal(failure.error, -EOPNOTSUPP);
		assert_int_equal(value, 77);
		assert_int_equal(fake->device->call_count, 1);
		fake_tpmi_finish(fake);
	}
}

/* ---- Several writes ---- */

TPMI_TEST(D9_writes_after_one_that_fails_are_not_sent_and_fail)
{
	struct isst_domain domains[3];
	struct isst_failure failures[3] = { 0 };
	uint64_t value = 1;

	for (unsigned int i = 0; i < 3; i++) {
		domains[i] = fake_tpmi_domain(fake, i, true);
		fake_tpmi_write(fake->device, FAKE_SET_LEVEL, FAKE_DOMAIN(1, i), 1);
	}
	fake_tpmi_error(fake->device, FAKE_SET_LEVEL, FAKE_DOMAIN(1, 1), 1, -ENOTTY);
	for (unsigned int i = 0; i < 3; i++)
		plan_set(fake, &domains[i], SETTING_LEVEL, 0, &value, &failures[i]);
	assert_int_equal(firmware_run_writes(fake->batch), 0);
	assert_int_equal(failures[0].error, 0);
	assert_int_equal(failures[1].error, -EIO);
	assert_int_equal(failures[2].error, -ECANCELED);
	check_holds(failures[2].message, "not sent");
	assert_int_equal(fake_calls(fake->device, FAKE_SET_LEVEL), 2);
}

TPMI_TEST(D9_no_association_is_written_after_one_that_fails)
{
	struct isst_failure failures[4] = { 0 };
	uint64_t value = 3;

	fake_core_power(fake, FAKE_OWN, true, false, false);
	for (uint32_t core = 0; core < 4; core++)
		fake_rule(fake->device,
			  &(struct fake_rule){ .entry = { FAKE_ASSOCIATION, core, FAKE_OWN, 1, 3 },
					       .error = core == 1 ? -EPERM : 0 });
	for (unsigned int core = 0; core < 4; core++)
		plan_set(fake, &fake->domain, SETTING_ASSOCIATION, core, &value, &failures[core]);
	assert_int_equal(firmware_run_writes(fake->batch), 0);
	assert_int_equal(failures[0].error, 0);
	assert_int_equal(failures[1].error, -EPERM);
	assert_int_equal(failures[2].error, -ECANCELED);
	assert_int_equal(failures[3].error, -ECANCELED);
}

TPMI_TEST(settings_of_several_domains_are_read_together)
{
	struct isst_domain other = fake_tpmi_domain(fake, 0, true);
	struct isst_failure failures[4] = { 0 };
	uint64_t values[4] = { 0 };

	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [5] = 3, [6] = 1 });
	fake_summary(fake, FAKE_DOMAIN(1, 0), (unsigned char[11]){ [5] = 4, [6] = 2 });
	plan_get(fake, &fake->domain, SETTING_LEVEL, 0, &values[0], &failures[0]);
	plan_get(fake, &other, SETTING_LEVEL, 0, &values[1], &failures[1]);
	plan_get(fake, &fake->domain, SETTING_FEATURES, 3, &values[2], &failures[2]);
	plan_get(fake, &other, SETTING_FEATURES, 4, &values[3], &failures[3]);
	fake_run(fake);
	assert_int_equal(values[0], 3);
	assert_int_equal(values[1], 4);
	assert_int_equal(values[2], 2);
	assert_int_equal(values[3], 1);
	assert_int_equal(fake->device->call_count, 2);
}

/** The kernel does not check that there is core-power; one look is enough for all that a batch
 * asks. */
TPMI_TEST(core_power_is_looked_at_once_for_all_that_is_read_together)
{
	struct isst_failure failures[7] = { 0 };
	uint64_t values[7] = { 0 };

	fake_core_power(fake, FAKE_OWN, true, true, false);
	fake_association(fake->device, FAKE_OWN, 5, 2);
	for (unsigned int clos = 0; clos < 4; clos++) {
		const unsigned char bytes[10] = { [8] = (unsigned char)(clos + 1) };

		fake_tpmi(fake->device, FAKE_CLOS, FAKE_OWN, clos, bytes, sizeof(bytes));
		plan_get(fake, &fake->domain, SETTING_CLOS, clos, &values[clos], &failures[clos]);
	}
	plan_get(fake, &fake->domain, SETTING_CORE_POWER, 0, &values[4], &failures[4]);
	plan_get(fake, &fake->domain, SETTING_QOS, 0, &values[5], &failures[5]);
	plan_get(fake, &fake->domain, SETTING_ASSOCIATION, 5, &values[6], &failures[6]);
	fake_run(fake);
	for (size_t i = 0; i < COUNT(failures); i++)
		assert_int_equal(failures[i].error, 0);
	for (unsigned int clos = 0; clos < 4; clos++)
		assert_int_equal(values[clos], (clos + 1) << 4);
	assert_int_equal(values[4], 1);
	assert_int_equal(values[5], 2);
	assert_int_equal(values[6], 2);
	assert_int_equal(fake_tpmi_sent(fake, FAKE_CORE_POWER, FAKE_OWN, false, 0), 1);
}

/** Of a domain beside it nothing is known by that. */
TPMI_TEST(core_power_is_looked_at_in_each_domain)
{
	struct isst_domain other = fake_tpmi_domain(fake, 0, true);
	struct isst_failure failures[2] = { 0 };
	const unsigned char bytes[10] = { [8] = 7 };
	uint64_t values[2] = { 0 };

	fake_core_power(fake, FAKE_OWN, true, false, false);
	fake_core_power(fake, FAKE_DOMAIN(1, 0), false, false, false);
	fake_tpmi(fake->device, FAKE_CLOS, FAKE_OWN, 0, bytes, sizeof(bytes));
	plan_get(fake, &fake->domain, SETTING_CLOS, 0, &values[0], &failures[0]);
	plan_get(fake, &other, SETTING_CLOS, 0, &values[1], &failures[1]);
	fake_run(fake);
	assert_int_equal(failures[0].error, 0);
	assert_int_equal(values[0], 7 << 4);
	assert_int_equal(failures[1].error, -EOPNOTSUPP);
	assert_int_equal(fake_calls(fake->device, FAKE_CLOS), 1);
}

TPMI_TEST(core_power_is_read_again_for_a_write_and_after_it)
{
	fake_core_power(fake, FAKE_OWN, true, false, false);
	fake_tpmi_write(fake->device, FAKE_CORE_POWER, FAKE_OWN, 1);
	assert_int_equal(get(fake, SETTING_CORE_POWER, 0), 0);
	assert_int_equal(set(fake, SETTING_CORE_POWER, 0, 1).error, 0);
	assert_int_equal(get(fake, SETTING_CORE_POWER, 0), 0);
	assert_int_equal(fake_tpmi_sent(fake, FAKE_CORE_POWER, FAKE_OWN, false, 0), 3);
}
