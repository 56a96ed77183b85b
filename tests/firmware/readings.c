/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is sent for each thing that is read, and what the bits of the answers mean. Words and
 * expectations are made by hand from the layouts of the commands.
 */
#include "support/fake_firmware.h"

enum { SKYLAKE = 0x55, SAPPHIRE_RAPIDS = 0x8f, EMERALD_RAPIDS = 0xcf };

static void run(struct fake_firmware *fake)
{
	assert_int_equal(firmware_run(fake->batch), 0);
}

/** Everything that a level specifies is answered with 0. */
static void answer_properties(struct fake_firmware *fake, uint32_t level, unsigned int types)
{
	static const uint32_t ADDRESSES[] = { 0x7f03, 0x7f05, 0x7f0a, 0x7f0b, 0x7f06 };

	for (size_t i = 0; i < COUNT(ADDRESSES); i++)
		fake_mailbox(fake->device, ADDRESSES[i], 0, level, 0);
	fake_mailbox(fake->device, 0x7f06, 0, 0x100 | level, 0);
	fake_mailbox(fake->device, 0x7f0c, 0, 0x10000 | level, 0);
	for (uint32_t type = 0; type < types; type++)
		for (uint32_t half = 0; half < 2; half++)
			fake_mailbox(fake->device, 0x7f07, 0, type << 16 | half << 8 | level, 0);
}

static void read_properties(struct fake_firmware *fake)
{
	assert_int_equal(fake->operations->plan_properties(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(fake->level.failure.error, 0);
}

/** Starts, answers all properties of level 3 with 0 but this one, and reads them. */
static struct fake_firmware *with_property(struct fake_machine *machine, uint32_t address,
					   uint32_t data, uint32_t answer)
{
	struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);

	fake->level.level = 3;
	answer_properties(fake, 3, 3);
	fake_mailbox(fake->device, address, 0, data, answer);
	read_properties(fake);
	return fake;
}

static struct isst_perf_profile read_summary(struct fake_machine *machine, uint32_t answer)
{
	struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);
	struct isst_perf_profile profile = { .domain = &fake->domain };

	fake_mailbox(fake->device, 0x7f00, 0, 0, answer);
	assert_int_equal(fake->operations->plan_perf_profile(fake->batch, &profile), 0);
	run(fake);
	assert_int_equal(fake_sent(fake->device, FAKE_MAILBOX, 5, 0x7f00, 0, 0), 1);
	assert_int_equal(fake->device->entry_count, 1);
	assert_int_equal(profile.failure.error, 0);
	fake_firmware_finish(fake);
	return profile;
}

FAKE_MACHINE_TEST(the_summary_of_levels_is_decoded)
{
	struct isst_perf_profile profile = read_summary(machine, 0x81020403);

	assert_int_equal(profile.version, 3);
	assert_int_equal(profile.highest_level, 4);
	assert_int_equal(profile.current_level, 2);
	assert_true(profile.locked);
	assert_true(profile.enabled);
	profile = read_summary(machine, 0x7effffff);
	assert_int_equal(profile.version, 255);
	assert_int_equal(profile.highest_level, 255);
	assert_int_equal(profile.current_level, 255);
	assert_false(profile.locked);
	assert_false(profile.enabled);
	profile = read_summary(machine, 0x80000000);
	assert_int_equal(profile.version | profile.highest_level | profile.current_level, 0);
	assert_false(profile.locked);
	assert_true(profile.enabled);
	profile = read_summary(machine, 0x01000000);
	assert_true(profile.locked);
	assert_false(profile.enabled);
}

FAKE_MACHINE_TEST(the_features_of_a_level_are_decoded)
{
	static const struct {
		uint32_t answer;
		bool tf_supported, bf_supported, tf_on, bf_on;
	} CASES[] = { { 0x00000000, false, false, false, false },
		      { 0x00000001, true, false, false, false },
		      { 0x00000002, false, true, false, false },
		      { 0x00010000, false, false, true, false },
		      { 0x00020000, false, false, false, true },
		      { 0xfffcfffc, false, false, false, false },
		      { 0xffffffff, true, true, true, true } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);
		struct level_features features = { 0 };

		fake_mailbox(fake->device, 0x7f01, 0, 4, CASES[i].answer);
		assert_int_equal(
			fake->operations->plan_features(fake->batch, &fake->domain, 4, &features),
			0);
		run(fake);
		assert_int_equal(features.failure.error, 0);
		assert_int_equal(features.turbo_freq_supported, CASES[i].tf_supported);
		assert_int_equal(features.base_freq_supported, CASES[i].bf_supported);
		assert_int_equal(features.turbo_freq_on, CASES[i].tf_on);
		assert_int_equal(features.base_freq_on, CASES[i].bf_on);
		fake_firmware_finish(fake);
	}
}

FAKE_MACHINE_TEST(power_and_ratio_of_a_level_are_decoded)
{
	struct fake_firmware *fake = with_property(machine, 0x7f03, 3, 0x001b0109);

	check_known(fake->level.power_w, 265);
	check_known(fake->level.tdp_ratio, 27);
	fake_firmware_finish(fake);
	fake = with_property(machine, 0x7f03, 3, 0xffffffff);
	check_known(fake->level.power_w, 32767);
	check_known(fake->level.tdp_ratio, 255);
	fake_firmware_finish(fake);
	fake = with_property(machine, 0x7f03, 3, 0xff008000);
	check_absent(fake->level.power_w);
	check_known(fake->level.tdp_ratio, 0);
	fake_firmware_finish(fake);
}

FAKE_MACHINE_TEST(the_temperature_of_a_level_is_decoded)
{
	struct fake_firmware *fake = with_property(machine, 0x7f05, 3, 0xffffff64);

	check_known(fake->level.tjunction_c, 100);
	fake_firmware_finish(fake);
	fake = with_property(machine, 0x7f05, 3, 0xffffff00);
	check_absent(fake->level.tjunction_c);
	fake_firmware_finish(fake);
}

FAKE_MACHINE_TEST(base_frequencies_of_a_level_are_decoded)
{
	struct fake_firmware *fake = with_property(machine, 0x7f0a, 3, 0x0a0f141b);

	check_known(fake->level.base_mhz, 2700);
	check_known(fake->level.base_avx2_mhz, 2000);
	check_known(fake->level.base_avx512_mhz, 1500);
	check_known(fake->level.base_amx_mhz, 1000);
	fake_firmware_finish(fake);
	fake = with_property(machine, 0x7f0a, 3, 0x00ff00ff);
	check_known(fake->level.base_mhz, 25500);
	check_absent(fake->level.base_avx2_mhz);
	check_known(fake->level.base_avx512_mhz, 25500);
	check_absent(fake->level.base_amx_mhz);
	fake_firmware_finish(fake);
}

FAKE_MACHINE_TEST(uncore_frequencies_of_a_level_are_decoded)
{
	struct fake_firmware *fake = with_property(machine, 0x7f0c, 0x10003, 0x08ff1216);

	check_known(fake->level.fabric[0].max_mhz, 2200);
	check_known(fake->level.fabric[0].base_mhz, 1800);
	check_known(fake->level.fabric[0].min_mhz, 800);
	check_absent(fake->level.fabric[1].max_mhz);
	assert_int_equal(fake->operations->plan_properties_rest(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(fake_sent(fake->device, FAKE_MAILBOX, 5, 0x7f09, 0, 3), 0);
	fake_firmware_finish(fake);
}

/** Reads the uncore frequencies where command 0x0c is answered like this. */
static struct fake_firmware *uncore_without_0c(struct fake_machine *machine, int error)
{
	struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);

	fake->level.level = 3;
	answer_properties(fake, 3, 3);
	fake_mailbox_error(fake->device, 0x7f0c, 0, 0x10003, error);
	fake_mailbox(fake->device, 0x7f09, 0, 3, 0xffff1216);
	assert_int_equal(fake->operations->plan_properties(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(fake->operations->plan_properties_rest(fake->batch, &fake->request), 0);
	run(fake);
	return fake;
}

FAKE_MACHINE_TEST(where_command_0c_is_unknown_09_reports_the_uncore_frequencies)
{
	/* To the firmware; to the kernel before 6.12. */
	static const int ERRORS[] = { -ENXIO, -EINVAL };

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		struct fake_firmware *fake = uncore_without_0c(machine, ERRORS[i]);

		assert_int_equal(fake->level.failure.error, 0);
		check_known(fake->level.fabric[0].max_mhz, 2200);
		check_known(fake->level.fabric[0].base_mhz, 1800);
		check_absent(fake->level.fabric[0].min_mhz);
		fake_firmware_finish(fake);
	}
}

FAKE_MACHINE_TEST(D69_a_command_0c_that_fails_otherwise_is_no_absence)
{
	struct fake_firmware *fake = uncore_without_0c(machine, -EPERM);

	assert_int_equal(fake->level.failure.error, -EPERM);
	check_unreadable(fake->level.fabric[0].max_mhz);
	check_unreadable(fake->level.fabric[0].base_mhz);
	check_unreadable(fake->level.fabric[0].min_mhz);
	assert_int_equal(fake_sent(fake->device, FAKE_MAILBOX, 5, 0x7f09, 0, 3), 0);
	fake_firmware_finish(fake);
}

FAKE_MACHINE_TEST(where_neither_command_is_known_there_are_no_uncore_frequencies)
{
	struct fake_firmware *fake = fake_firmware_start(machine, SKYLAKE);

	answer_properties(fake, 0, 3);
	fake_mailbox_error(fake->device, 0x7f0c, 0, 0x10000, -EINVAL);
	fake_mailbox_error(fake->device, 0x7f09, 0, 0, -ENXIO);
	read_properties(fake);
	assert_int_equal(fake->operations->plan_properties_rest(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(fake->level.failure.error, 0);
	check_absent(fake->level.fabric[0].max_mhz);
	check_absent(fake->level.fabric[0].base_mhz);
	check_absent(fake->level.fabric[0].min_mhz);
	fake_firmware_finish(fake);
}

FAKE_MACHINE_TEST(D69_optional_commands_are_absent_when_refused_and_else_unreadable)
{
	static const struct {
		int error;
		enum isst_state state;
		int failure;
	} CASES[] = { { -ENXIO, ISST_ABSENT, 0 },
		      { -EINVAL, ISST_UNREADABLE, -EIO },
		      { -EBUSY, ISST_UNREADABLE, -EIO },
		      { -EPERM, ISST_UNREADABLE, -EPERM },
		      { -EFAULT, ISST_UNREADABLE, -EIO } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);

		answer_properties(fake, 0, 3);
		fake_mailbox_error(fake->device, 0x7f0a, 0, 0, CASES[i].error);
		fake_mailbox_error(fake->device, 0x7f0b, 0, 0, CASES[i].error);
		assert_int_equal(fake->operations->plan_properties(fake->batch, &fake->request), 0);
		run(fake);
		fake->operations->finish_properties(&fake->platform, &fake->request);
		assert_int_equal(fake->level.base_mhz.state, CASES[i].state);
		assert_int_equal(fake->level.base_amx_mhz.state, CASES[i].state);
		assert_int_equal(fake->level.memory_mhz.state, CASES[i].state);
		assert_int_equal(fake->level.failure.error, CASES[i].failure);
		fake_firmware_finish(fake);
	}
}

FIRMWARE_TEST(turbo_limits_are_read_by_type_and_half)
{
	fake->level.level = 2;
	answer_properties(fake, 2, 3);
	fake_mailbox(fake->device, 0x7f07, 0, 0x000002, 0x1c1e2023);
	fake_mailbox(fake->device, 0x7f07, 0, 0x000102, 0x0004ff1a);
	fake_mailbox(fake->device, 0x7f07, 0, 0x020102, 0x01000000);
	read_properties(fake);
	check_known(fake->level.limit[0].mhz[0], 3500);
	check_known(fake->level.limit[0].mhz[1], 3200);
	check_known(fake->level.limit[0].mhz[2], 3000);
	check_known(fake->level.limit[0].mhz[3], 2800);
	check_known(fake->level.limit[0].mhz[4], 2600);
	check_known(fake->level.limit[0].mhz[5], 25500);
	check_known(fake->level.limit[0].mhz[6], 400);
	check_known(fake->level.limit[0].mhz[7], 0);
	check_known(fake->level.limit[1].mhz[0], 0);
	check_known(fake->level.limit[2].mhz[7], 100);
	check_absent(fake->level.limit[3].mhz[0]);
}

FAKE_MACHINE_TEST(emerald_rapids_has_five_types_sapphire_rapids_four_and_others_three)
{
	static const char *const NAMES[] = { "level-0", "level-1", "level-2", "level-3",
					     "level-4" };
	struct fake_firmware *fake = fake_firmware_start(machine, EMERALD_RAPIDS);

	answer_properties(fake, 0, 5);
	fake_mailbox(fake->device, 0x7f07, 0, 0x040100, 0x2a000000);
	read_properties(fake);
	check_known(fake->level.limit[4].mhz[7], 4200);
	for (unsigned int type = 0; type < COUNT(NAMES); type++)
		assert_string_equal(fake->operations->trl_type_name(&fake->platform, type),
				    NAMES[type]);
	assert_null(fake->operations->trl_type_name(&fake->platform, 5));
	fake->platform.model = SAPPHIRE_RAPIDS;
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 0), "sse");
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 1), "avx2");
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 2), "avx512");
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 3), "amx");
	assert_null(fake->operations->trl_type_name(&fake->platform, 4));
	fake->platform.model = FAKE_ICE_LAKE;
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 2), "avx512");
	assert_null(fake->operations->trl_type_name(&fake->platform, 3));
	fake_firmware_finish(fake);
}

FIRMWARE_TEST(D24_the_upper_half_of_a_core_mask_is_asked_for_only_where_needed)
{
	answer_properties(fake, 0, 3);
	fake_mailbox(fake->device, 0x7f06, 0, 0, 0x80000001);
	fake_mailbox(fake->device, 0x7f06, 0, 0x100, 0x40000002);
	read_properties(fake);
	check_known(fake->request.cores.half[0], 0x80000001);
	check_absent(fake->request.cores.half[1]);
	assert_int_equal(fake->request.cores.half[1].value, 0);
	assert_int_equal(fake_sent(fake->device, FAKE_MAILBOX, 5, 0x7f06, 0, 0x100), 0);
	fake->request.may_have_high_cores = true;
	read_properties(fake);
	check_known(fake->request.cores.half[0], 0x80000001);
	check_known(fake->request.cores.half[1], 0x40000002);
}

FAKE_MACHINE_TEST(D24_a_refused_upper_half_is_empty_only_where_such_cores_are_uncertain)
{
	for (unsigned int certain = 0; certain < 2; certain++) {
		struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);

		answer_properties(fake, 0, 3);
		fake_mailbox_error(fake->device, 0x7f06, 0, 0x100, -ENXIO);
		fake->request.may_have_high_cores = true;
		fake->request.has_high_cores = certain;
		assert_int_equal(fake->operations->plan_properties(fake->batch, &fake->request), 0);
		run(fake);
		assert_int_equal(fake->request.cores.half[1].state,
				 certain ? ISST_UNREADABLE : ISST_ABSENT);
		assert_int_equal(fake->level.failure.error, certain ? -EIO : 0);
		fake_firmware_finish(fake);
	}
}

static unsigned int memory_mhz(struct fake_machine *machine, unsigned int family,
			       unsigned int model, uint32_t code, enum isst_state expected)
{
	struct fake_firmware *fake = fake_firmware_start(machine, model);
	struct isst_value result;

	fake->platform.family = family;
	answer_properties(fake, 0, 5);
	fake_mailbox(fake->device, 0x7f0b, 0, 0, code);
	read_properties(fake);
	fake->operations->finish_properties(&fake->platform, &fake->request);
	result = fake->level.memory_mhz;
	assert_int_equal(result.state, expected);
	fake_firmware_finish(fake);
	return result.value;
}

FAKE_MACHINE_TEST(memory_codes_of_ice_lake_are_multiples_of_266_from_the_top)
{
	static const unsigned int MHZ[] = { 3200, 2933, 2667, 2400, 2133, 1867, 1600 };

	for (uint32_t code = 0; code < COUNT(MHZ); code++) {
		assert_int_equal(memory_mhz(machine, 6, 0x6a, code, ISST_KNOWN), MHZ[code]);
		assert_int_equal(memory_mhz(machine, 6, 0x6c, 0xffffff00 | code, ISST_KNOWN),
				 MHZ[code]);
	}
	memory_mhz(machine, 6, 0x6a, 7, ISST_ABSENT);
	memory_mhz(machine, 6, 0x6c, 0xff, ISST_ABSENT);
}

FAKE_MACHINE_TEST(memory_codes_of_sapphire_and_emerald_rapids_are_multiples_of_200)
{
	assert_int_equal(memory_mhz(machine, 6, 0x8f, 24, ISST_KNOWN), 4800);
	assert_int_equal(memory_mhz(machine, 6, 0xcf, 28, ISST_KNOWN), 5600);
	assert_int_equal(memory_mhz(machine, 6, 0x8f, 0xffffffff, ISST_KNOWN), 51000);
	memory_mhz(machine, 6, 0x8f, 0, ISST_ABSENT);
}

FAKE_MACHINE_TEST(memory_codes_of_other_models_mean_nothing)
{
	memory_mhz(machine, 6, 0x55, 3, ISST_ABSENT);
	memory_mhz(machine, 6, 0xad, 24, ISST_ABSENT);
	memory_mhz(machine, 19, 0x8f, 24, ISST_ABSENT);
	memory_mhz(machine, 19, 0x6a, 3, ISST_ABSENT);
}

FIRMWARE_TEST(base_freq_is_decoded)
{
	struct isst_base_freq *result = &fake->level.base_freq_info;

	fake->level.level = 1;
	fake->request.may_have_high_cores = fake->request.has_high_cores = true;
	fake_mailbox(fake->device, 0x7f20, 0, 0x001, 0x0000ff00);
	fake_mailbox(fake->device, 0x7f20, 0, 0x101, 0x80000001);
	fake_mailbox(fake->device, 0x7f21, 0, 1, 0xffff1e15);
	fake_mailbox(fake->device, 0x7f22, 0, 1, 0xffff0a5f);
	fake_mailbox(fake->device, 0x7f23, 0, 1, 0xffffffff);
	assert_int_equal(fake->operations->plan_base_freq(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(result->failure.error, 0);
	check_known(fake->request.high_priority.half[0], 0x0000ff00);
	check_known(fake->request.high_priority.half[1], 0x80000001);
	check_known(result->low_mhz, 2100);
	check_known(result->high_mhz, 3000);
	check_known(result->tjunction_c, 95);
	check_known(result->power_w, 65535);
}

FIRMWARE_TEST(turbo_freq_is_decoded_for_the_buckets_that_there_are)
{
	struct isst_turbo_freq *result = &fake->level.turbo_freq_info;

	fake->level.level = 2;
	fake_mailbox(fake->device, 0x7f12, 0, 2, 0xff0f141b);
	fake_mailbox(fake->device, 0x7f10, 0, 0x002, 0x00080402);
	fake_mailbox(fake->device, 0x7f10, 0, 0x102, 0x10101010);
	fake_mailbox(fake->device, 0x7f11, 0, 0x000002, 0x00232527);
	fake_mailbox(fake->device, 0x7f11, 0, 0x010002, 0x00ff0021);
	fake_mailbox(fake->device, 0x7f11, 0, 0x020002, 0x001d1e1f);
	assert_int_equal(fake->operations->plan_turbo_freq(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(firmware_valid_buckets(fake->request.turbo_freq_cores), 3);
	check_known(fake->request.turbo_freq_cores[0], 2);
	check_known(fake->request.turbo_freq_cores[1], 4);
	check_known(fake->request.turbo_freq_cores[2], 8);
	assert_int_equal(fake->operations->plan_turbo_freq_rest(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(result->failure.error, 0);
	check_known(result->clip_mhz[0], 2700);
	check_known(result->clip_mhz[1], 2000);
	check_known(result->clip_mhz[2], 1500);
	check_absent(result->clip_mhz[3]);
	check_known(result->mhz[0][0], 3900);
	check_known(result->mhz[0][2], 3500);
	check_known(result->mhz[1][0], 3300);
	check_absent(result->mhz[1][1]);
	check_known(result->mhz[1][2], 25500);
	check_known(result->mhz[2][1], 3000);
	assert_int_equal(fake_sent(fake->device, FAKE_MAILBOX, 5, 0x7f11, 0, 0x102), 0);
}

FIRMWARE_TEST(the_upper_buckets_of_turbo_freq_are_read_where_there_are_any)
{
	fake_mailbox(fake->device, 0x7f12, 0, 0, 0);
	fake_mailbox(fake->device, 0x7f10, 0, 0x000, 0x08060402);
	fake_mailbox(fake->device, 0x7f10, 0, 0x100, 0xff0e0c0a);
	for (uint32_t type = 0; type < 3; type++)
		for (uint32_t half = 0; half < 2; half++)
			fake_mailbox(fake->device, 0x7f11, 0, type << 16 | half << 8,
				     0x21222324 + half * 0x04040404);
	assert_int_equal(fake->operations->plan_turbo_freq(fake->batch, &fake->request), 0);
	run(fake);
	assert_int_equal(firmware_valid_buckets(fake->request.turbo_freq_cores), 8);
	check_known(fake->request.turbo_freq_cores[7], 255);
	assert_int_equal(fake->operations->plan_turbo_freq_rest(fake->batch, &fake->request), 0);
	run(fake);
	check_known(fake->level.turbo_freq_info.mhz[2][3], 3300);
	check_known(fake->level.turbo_freq_info.mhz[2][4], 4000);
	check_known(fake->level.turbo_freq_info.mhz[2][7], 3700);
}

FIRMWARE_TEST(D31_bucket_sizes_come_from_the_register)
{
	struct isst_value cores[ISST_BUCKETS] = { 0 };
	struct isst_failure failure = { 0 };

	fake_msr(fake->device, 0x1ae, UINT64_C(0xff1c18140f0c0804));
	assert_int_equal(
		fake->operations->plan_bucket_cores(fake->batch, &fake->domain, &failure, cores),
		0);
	run(fake);
	assert_int_equal(failure.error, 0);
	check_known(cores[0], 4);
	check_known(cores[3], 15);
	check_known(cores[4], 20);
	check_known(cores[7], 255);
}

FAKE_MACHINE_TEST(core_power_is_decoded)
{
	static const struct {
		uint32_t power, qos;
		bool supported, enabled, clos_enabled;
		enum isst_priority priority;
	} CASES[] = { { 0x00000001, 0x00000000, true, false, false, ISST_PRIORITY_PROPORTIONAL },
		      { 0x00010001, 0x00000002, true, true, true, ISST_PRIORITY_PROPORTIONAL },
		      { 0x00010000, 0x00000004, false, true, false, ISST_PRIORITY_ORDERED },
		      { 0xfffefffe, 0xfffffff9, false, false, false, ISST_PRIORITY_PROPORTIONAL },
		      { 0xffffffff, 0xffffffff, true, true, true, ISST_PRIORITY_ORDERED } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_firmware_start(machine, FAKE_ICE_LAKE);
		struct isst_core_power power = { .domain = &fake->domain };

		fake_mailbox(fake->device, 0x9403, 0, 0, CASES[i].power);
		fake_mailbox(fake->device, 0xd002, 0, 0, CASES[i].qos);
		assert_int_equal(fake->operations->plan_core_power(fake->batch, &power), 0);
		run(fake);
		assert_int_equal(power.failure.error, 0);
		assert_int_equal(power.supported, CASES[i].supported);
		assert_int_equal(power.enabled, CASES[i].enabled);
		assert_int_equal(power.clos_enabled, CASES[i].clos_enabled);
		assert_int_equal(power.priority, CASES[i].priority);
		fake_firmware_finish(fake);
	}
}

FAKE_MACHINE_TEST(D5_the_lock_of_the_level_is_bit_31_and_unreadable_is_a_failure)
{
	static const struct {
		uint64_t answer;
		bool locked;
	} CASES[] = { { 0x80000000, true }, { UINT64_C(0xffffffff7fffffff), false } };
	struct fake_firmware *fake;
	struct isst_failure failure = { 0 };
	uint64_t locked;
	struct setting_request request = { NULL, SETTING_LEVEL_LOCK, 0, &locked, &failure };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		fake = fake_firmware_start(machine, FAKE_ICE_LAKE);
		fake_msr(fake->device, 0x64b, CASES[i].answer);
		request.domain = &fake->domain;
		assert_int_equal(fake->operations->plan_get(fake->batch, &request), 0);
		run(fake);
		assert_int_equal(failure.error, 0);
		assert_int_equal(locked, CASES[i].locked);
		fake_firmware_finish(fake);
	}
	fake = fake_firmware_start(machine, FAKE_ICE_LAKE);
	fake_msr_error(fake->device, 0x64b, -EIO);
	request.domain = &fake->domain;
	fake->operations->plan_get(fake->batch, &request);
	run(fake);
	assert_int_equal(failure.error, -EIO);
	fake_firmware_finish(fake);
}

TEST(the_drivers_number_of_a_cpu_is_taken_apart)
{
	static const struct {
		uint32_t number;
		unsigned int domain, core, thread;
	} CASES[] = { { 0, 0, 0, 0 },	     { 1, 0, 0, 1 },	      { 2, 0, 1, 0 },
		      { 0x1fe, 0, 255, 0 },  { 0x1ff, 0, 255, 1 },    { 0x200, 1, 0, 0 },
		      { 0x3e00, 31, 0, 0 },  { 0xffffc000, 0, 0, 0 }, { 0x45b, 2, 45, 1 },
		      { 0x3fff, 31, 255, 1 } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct punit_number punit = firmware_decode_punit(&mailbox_operations,
								  CASES[i].number);

		assert_int_equal(punit.domain, CASES[i].domain);
		assert_int_equal(punit.core, CASES[i].core);
		assert_int_equal(punit.thread, CASES[i].thread);
	}
}

TEST(buckets_end_at_the_first_without_cores)
{
	struct isst_value cores[ISST_BUCKETS] = {
		{ ISST_KNOWN, 1 }, { ISST_KNOWN, 2 }, { ISST_KNOWN, 0 }, { ISST_KNOWN, 4 }
	};

	assert_int_equal(firmware_valid_buckets(cores), 2);
	cores[0].value = 0;
	assert_int_equal(firmware_valid_buckets(cores), 0);
	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		cores[i] = (struct isst_value){ ISST_KNOWN, 9 };
	assert_int_equal(firmware_valid_buckets(cores), 8);
	cores[4].state = ISST_UNREADABLE;
	assert_int_equal(firmware_valid_buckets(cores), 4);
}
