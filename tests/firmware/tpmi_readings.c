/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is sent for each thing that is read by TPMI, and what the structures of the answers mean.
 * Offsets are those of the kernel's interface, by hand. The fake device fails a test that sends
 * unexpected requests, and structures with values other than zero in unused members.
 */
#include "support/fake_tpmi.h"

enum { LEVEL = 3 };

/** Data of requests for a level; those for masks also specify core numbers. */
#define LEVEL_DATA LEVEL
#define MASK_DATA (1 << 8 | LEVEL)

static struct fake_firmware *start_level(struct fake_machine *machine)
{
	struct fake_firmware *fake = fake_tpmi_start(machine, 3);

	fake->level.level = LEVEL;
	return fake;
}

#define LEVEL_TEST(name) \
	FAKE_TEST_OF(name, struct fake_firmware *fake, start_level, fake_tpmi_finish)

/* ---- Summary of levels ---- */

static struct isst_perf_profile read_summary(struct fake_machine *machine,
					     const unsigned char bytes[11])
{
	struct fake_firmware *fake = fake_tpmi_start(machine, 3);
	struct isst_perf_profile profile = { .domain = &fake->domain };

	fake_summary(fake, FAKE_OWN, bytes);
	assert_int_equal(fake->operations->plan_perf_profile(fake->batch, &profile), 0);
	fake_run(fake);
	assert_int_equal(fake_tpmi_sent(fake, FAKE_LEVELS, FAKE_OWN, false, 0), 1);
	assert_int_equal(fake->device->entry_count, 1);
	assert_int_equal(profile.failure.error, 0);
	fake_tpmi_finish(fake);
	return profile;
}

FAKE_MACHINE_TEST(the_summary_of_levels_is_decoded)
{
	struct isst_perf_profile profile = read_summary(
		machine, (unsigned char[11]){ 1, 2, 4, 3, 0x1b, 1, 0, 1, 1, 0, 0 });

	assert_int_equal(profile.highest_level, 4);
	assert_int_equal(profile.version, 3);
	assert_int_equal(profile.level_mask, 0x1b);
	assert_int_equal(profile.current_level, 1);
	assert_true(profile.locked);
	assert_true(profile.enabled);
	profile = read_summary(machine, (unsigned char[11]){ 1, 2, 0, 1, 0x01, 0, 3, 0, 1, 9, 9 });
	assert_int_equal(profile.highest_level, 0);
	assert_int_equal(profile.version, 1);
	assert_int_equal(profile.level_mask, 1);
	assert_int_equal(profile.current_level, 0);
	assert_false(profile.locked);
	assert_true(profile.enabled);
	profile = read_summary(machine, (unsigned char[11]){ 1, 2, 0, 1, 0x01, 0, 0, 1, 0, 0, 0 });
	assert_true(profile.locked);
	assert_false(profile.enabled);
}

/* Some kernels have the error of the last change in the bits above. */
FAKE_MACHINE_TEST(B16_only_bit_0_of_the_summary_is_the_lock)
{
	for (unsigned int value = 0; value < 8; value++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		struct isst_perf_profile profile = { .domain = &fake->domain };

		fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [7] = (unsigned char)value });
		assert_int_equal(fake->operations->plan_perf_profile(fake->batch, &profile), 0);
		fake_run(fake);
		assert_int_equal(profile.failure.error, 0);
		assert_int_equal(profile.locked, value & 1);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(the_lock_of_the_level_is_the_summarys)
{
	for (unsigned int value = 0; value < 8; value++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		struct isst_failure failure = { 0 };
		uint64_t locked = !(value & 1);
		const struct setting_request lock = { &fake->domain, SETTING_LEVEL_LOCK, 0, &locked,
						      &failure };

		fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [7] = (unsigned char)value });
		assert_int_equal(fake->operations->plan_get(fake->batch, &lock), 0);
		fake_run(fake);
		assert_int_equal(failure.error, 0);
		assert_int_equal(locked, value & 1);
		fake_tpmi_finish(fake);
	}
}

/* ---- Features ---- */

static struct level_features read_features(struct fake_machine *machine, unsigned int api_version,
					   unsigned int level, const unsigned char bytes[11])
{
	struct fake_firmware *fake = fake_tpmi_start(machine, api_version);
	struct level_features features = { 0 };

	fake_summary(fake, FAKE_OWN, bytes);
	assert_int_equal(
		fake->operations->plan_features(fake->batch, &fake->domain, level, &features), 0);
	fake_run(fake);
	assert_int_equal(features.failure.error, 0);
	fake_tpmi_finish(fake);
	return features;
}

FAKE_MACHINE_TEST(version_3_reports_support_of_each_level)
{
	/* SST-TF at levels 0 and 3, SST-BF at 1 and 3. */
	const unsigned char bytes[11] = { [9] = 0x09, [10] = 0x0a };
	const bool turbo_freq[8] = { [0] = true, [3] = true };
	const bool base_freq[8] = { [1] = true, [3] = true };

	for (unsigned int level = 0; level < 8; level++) {
		struct level_features features = read_features(machine, 3, level, bytes);

		assert_int_equal(features.turbo_freq_supported, turbo_freq[level]);
		assert_int_equal(features.base_freq_supported, base_freq[level]);
	}
	assert_true(read_features(machine, 3, 7, (unsigned char[11]){ [9] = 0x80 })
			    .turbo_freq_supported);
}

FAKE_MACHINE_TEST(version_2_reports_support_of_all_levels_at_once)
{
	static const struct {
		unsigned char turbo_freq, base_freq;
	} CASES[] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 4, 2 } };

	for (size_t i = 0; i < COUNT(CASES); i++)
		for (unsigned int level = 0; level < 8; level++) {
			struct level_features features = read_features(
				machine, 2, level,
				(unsigned char[11]){
					[9] = CASES[i].turbo_freq, [10] = CASES[i].base_freq });

			assert_int_equal(features.turbo_freq_supported, CASES[i].turbo_freq != 0);
			assert_int_equal(features.base_freq_supported, CASES[i].base_freq != 0);
		}
}

FAKE_MACHINE_TEST(bit_0_is_base_freq_and_bit_1_turbo_freq)
{
	for (unsigned int bits = 0; bits < 4; bits++) {
		struct level_features features = read_features(
			machine, 3, 0, (unsigned char[11]){ [6] = (unsigned char)(0xfc | bits) });

		assert_int_equal(features.base_freq_on, bits & 1);
		assert_int_equal(features.turbo_freq_on, bits >> 1);
		assert_false(features.base_freq_supported);
		assert_false(features.turbo_freq_supported);
	}
}

FAKE_MACHINE_TEST(E7_a_level_that_no_hardware_has_is_a_failure)
{
	static const unsigned char BYTES[][11] = { { [2] = 32 },
						   { [2] = 255, [4] = 3 },
						   { [5] = 40 } };

	for (size_t i = 0; i < COUNT(BYTES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		struct isst_perf_profile profile = { .domain = &fake->domain };

		fake_summary(fake, FAKE_OWN, BYTES[i]);
		assert_int_equal(fake->operations->plan_perf_profile(fake->batch, &profile), 0);
		fake_run(fake);
		assert_int_equal(profile.failure.error, -EIO);
		check_holds(profile.failure.message, "answer is invalid");
		fake_tpmi_finish(fake);
	}
}

/** Reads the values of the summary of two domains in several ways. */
static void read_of_summaries(struct fake_firmware *fake, const struct isst_domain *other)
{
	struct isst_perf_profile profiles[2] = { { .domain = &fake->domain }, { .domain = other } };
	struct level_features features[2][3] = { 0 };
	struct isst_failure failure = { 0 };
	uint64_t locked = 0;
	const struct setting_request lock = { &fake->domain, SETTING_LEVEL_LOCK, 0, &locked,
					      &failure };

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(fake->operations->plan_perf_profile(fake->batch, &profiles[i]), 0);
		for (unsigned int level = 0; level < 3; level++)
			assert_int_equal(fake->operations->plan_features(fake->batch,
									 profiles[i].domain, level,
									 &features[i][level]),
					 0);
	}
	assert_int_equal(fake->operations->plan_get(fake->batch, &lock), 0);
	fake_run(fake);
	assert_int_equal(profiles[0].highest_level, 4);
	assert_int_equal(profiles[1].highest_level, 2);
	assert_true(locked);
	assert_true(features[0][0].turbo_freq_supported);
	assert_false(features[0][1].turbo_freq_supported);
	assert_true(features[1][1].turbo_freq_supported);
	assert_false(features[1][0].turbo_freq_supported);
}

static void check_summaries_asked(const struct fake_firmware *fake, size_t count)
{
	assert_int_equal(fake_tpmi_sent(fake, FAKE_LEVELS, FAKE_OWN, false, 0), count);
	assert_int_equal(fake_tpmi_sent(fake, FAKE_LEVELS, FAKE_DOMAIN(1, 0), false, 0), count);
	assert_int_equal(fake_calls(fake->device, FAKE_LEVELS), 2 * count);
}

TPMI_TEST(D81_a_summary_is_asked_for_once_in_a_batch)
{
	struct isst_domain other = fake_tpmi_domain(fake, 0, true);

	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [2] = 4, [7] = 1, [9] = 1 });
	fake_summary(fake, FAKE_DOMAIN(1, 0), (unsigned char[11]){ [2] = 2, [9] = 2 });
	read_of_summaries(fake, &other);
	check_summaries_asked(fake, 1);
	read_of_summaries(fake, &other);
	check_summaries_asked(fake, 1);
	firmware_batch_free(fake->batch);
	fake->batch = firmware_batch_new(&fake->firmware);
	assert_non_null(fake->batch);
	read_of_summaries(fake, &other);
	check_summaries_asked(fake, 2);
}

TPMI_TEST(a_summary_is_not_trusted_after_a_write)
{
	struct isst_domain other = fake_tpmi_domain(fake, 0, true);
	struct isst_failure failure = { 0 };
	uint64_t level = 2;
	const struct setting_request set = { &fake->domain, SETTING_LEVEL, 0, &level, &failure };

	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [2] = 4, [7] = 1, [9] = 1 });
	fake_summary(fake, FAKE_DOMAIN(1, 0), (unsigned char[11]){ [2] = 2, [9] = 2 });
	fake_tpmi_write(fake->device, FAKE_SET_LEVEL, FAKE_OWN, 2);
	read_of_summaries(fake, &other);
	assert_int_equal(fake->operations->plan_set(fake->batch, &set), 0);
	assert_int_equal(firmware_run_writes(fake->batch), 0);
	assert_int_equal(failure.error, 0);
	read_of_summaries(fake, &other);
	check_summaries_asked(fake, 2);
}

TPMI_TEST(a_summary_that_failed_is_asked_for_again)
{
	struct level_features features[2] = { 0 };

	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [9] = 1 });
	fake_rule(fake->device, &(struct fake_rule){ .entry = { FAKE_LEVELS, 0, FAKE_OWN, 0, 0 },
						     .error = -ENOTTY,
						     .times = 1 });
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(fake->operations->plan_features(fake->batch, &fake->domain, 0,
								 &features[i]),
				 0);
	fake_run(fake);
	assert_int_equal(features[0].failure.error, -EIO);
	assert_int_equal(features[1].failure.error, 0);
	assert_true(features[1].turbo_freq_supported);
}

/* ---- Properties of a level ---- */

/** Answers what belongs to the properties of the level, GET_PERF_LEVEL_INFO with these bytes. */
static void answer_properties(struct fake_firmware *fake, const unsigned char info[154])
{
	static const unsigned char NO_MASK[24];

	fake_tpmi(fake->device, FAKE_LEVEL_INFO, FAKE_OWN, LEVEL_DATA, info, 154);
	fake_tpmi(fake->device, FAKE_LEVEL_MASK, FAKE_OWN, MASK_DATA, NO_MASK, sizeof(NO_MASK));
	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = 1 });
}

static void read_properties(struct fake_firmware *fake)
{
	assert_int_equal(fake->operations->plan_properties(fake->batch, &fake->request), 0);
	fake_run(fake);
	/* Everything is reported at once. */
	assert_null(fake->operations->plan_properties_rest);
	assert_null(fake->operations->finish_properties);
}

LEVEL_TEST(the_properties_of_a_level_are_decoded)
{
	struct isst_level *level = &fake->level;
	unsigned char info[154] = { 0 };

	put_half(info, 4, 26);	  /* tdp_ratio */
	put_half(info, 6, 2600);  /* base_freq_mhz */
	put_half(info, 8, 2400);  /* base_freq_avx2_mhz */
	put_half(info, 10, 2000); /* base_freq_avx512_mhz */
	put_half(info, 12, 1500); /* base_freq_amx_mhz */
	put_half(info, 14, 500);  /* thermal_design_power_w */
	put_half(info, 16, 105);  /* tjunction_max_c */
	put_half(info, 18, 8800); /* max_memory_freq_mhz */
	put_half(info, 20, 2);	  /* cooling_type */
	put_half(info, 22, 3900); /* p0, p1, pn, pm: of the cores, not the uncore's */
	put_half(info, 24, 2100);
	put_half(info, 26, 800);
	put_half(info, 28, 500);
	put_half(info, 30, 2200); /* p0_fabric_freq_mhz */
	put_half(info, 32, 1400); /* p1_fabric_freq_mhz */
	put_half(info, 34, 999);  /* pn_fabric_freq_mhz */
	put_half(info, 36, 700);  /* pm_fabric_freq_mhz */
	answer_properties(fake, info);
	read_properties(fake);
	assert_int_equal(level->failure.error, 0);
	check_known(level->tdp_ratio, 26);
	check_known(level->base_mhz, 2600);
	check_known(level->base_avx2_mhz, 2400);
	check_known(level->base_avx512_mhz, 2000);
	check_known(level->base_amx_mhz, 1500);
	check_known(level->power_w, 500);
	check_known(level->tjunction_c, 105);
	check_known(level->memory_mhz, 8800);
	check_known(level->cooling_type, 2);
	check_known(level->fabric[0].max_mhz, 2200);
	check_known(level->fabric[0].base_mhz, 1400);
	check_known(level->fabric[0].min_mhz, 700);
	check_absent(level->fabric[1].max_mhz);
	assert_int_equal(fake_tpmi_sent(fake, FAKE_LEVEL_INFO, FAKE_OWN, false, LEVEL_DATA), 1);
	assert_int_equal(fake_tpmi_sent(fake, FAKE_LEVEL_MASK, FAKE_OWN, false, MASK_DATA), 1);
	assert_int_equal(fake_calls(fake->device, FAKE_FABRIC_INFO), 0);
}

LEVEL_TEST(the_largest_numbers_of_a_level_are_not_cut)
{
	unsigned char info[154];

	memset(info, 0xff, sizeof(info));
	answer_properties(fake, info);
	read_properties(fake);
	check_known(fake->level.base_mhz, 65535);
	check_known(fake->level.power_w, 65535);
	check_known(fake->level.fabric[0].max_mhz, 65535);
	check_known(fake->level.limit[5].mhz[7], 65535);
	check_known(fake->level.limit[0].core_count[7], 65535);
}

LEVEL_TEST(a_frequency_of_0_is_absent)
{
	struct isst_level *level = &fake->level;
	unsigned char info[154] = { 0 };

	answer_properties(fake, info);
	read_properties(fake);
	check_absent(level->base_avx2_mhz);
	check_absent(level->base_avx512_mhz);
	check_absent(level->base_amx_mhz);
	check_absent(level->power_w);
	check_absent(level->tjunction_c);
	check_absent(level->memory_mhz);
	check_absent(level->fabric[0].max_mhz);
	check_absent(level->fabric[0].base_mhz);
	check_absent(level->fabric[0].min_mhz);
	check_known(level->cooling_type, 0);
}

LEVEL_TEST(turbo_limits_are_reported_by_type_and_bucket)
{
	unsigned char info[154] = { 0 };

	/* bucket_core_counts @42, trl_freq_mhz @58: first index is the type. */
	for (unsigned int i = 0; i < 8; i++) {
		put_half(info, 42 + 2 * i, 10 + i);
		for (unsigned int type = 0; type < 6; type++)
			put_half(info, 58 + 2 * (8 * type + i), 1000 * (type + 1) + 100 * i);
	}
	answer_properties(fake, info);
	read_properties(fake);
	for (unsigned int type = 0; type < 6; type++)
		for (unsigned int i = 0; i < 8; i++) {
			check_known(fake->level.limit[type].core_count[i], 10 + i);
			check_known(fake->level.limit[type].mhz[i], 1000 * (type + 1) + 100 * i);
		}
}

LEVEL_TEST(D69_of_a_level_that_cannot_be_read_nothing_is_absent)
{
	struct isst_level *level = &fake->level;
	unsigned char info[154] = { 0 };

	answer_properties(fake, info);
	fake_tpmi_error(fake->device, FAKE_LEVEL_INFO, FAKE_OWN, LEVEL_DATA, -ENOTTY);
	read_properties(fake);
	assert_int_equal(level->failure.error, -EIO);
	check_unreadable(level->tdp_ratio);
	check_unreadable(level->base_mhz);
	check_unreadable(level->base_avx2_mhz);
	check_unreadable(level->base_avx512_mhz);
	check_unreadable(level->base_amx_mhz);
	check_unreadable(level->power_w);
	check_unreadable(level->tjunction_c);
	check_unreadable(level->memory_mhz);
	check_unreadable(level->cooling_type);
	check_unreadable(level->fabric[0].max_mhz);
	check_unreadable(level->fabric[0].base_mhz);
	check_unreadable(level->fabric[0].min_mhz);
	for (unsigned int type = 0; type < ISST_TRL_TYPES; type++)
		for (unsigned int i = 0; i < ISST_BUCKETS; i++) {
			check_unreadable(level->limit[type].mhz[i]);
			check_unreadable(level->limit[type].core_count[i]);
		}
	/* The rest was asked for all the same. */
	check_known(fake->request.cores.half[0], 0);
}

/* ---- The second fabric ---- */

static void answer_fabrics(struct fake_firmware *fake, unsigned int count)
{
	unsigned char fabrics[54] = { 0 };

	/* max_fabrics @4, p0 @6, p1 @22, pm @38, eight fabrics each. */
	put_half(fabrics, 4, count);
	put_half(fabrics, 6, 2200);
	put_half(fabrics, 8, 2500);
	put_half(fabrics, 22, 1400);
	put_half(fabrics, 24, 1100);
	put_half(fabrics, 38, 800);
	put_half(fabrics, 40, 400);
	for (unsigned int i = 2; i < 8; i++) {
		put_half(fabrics, 6 + 2 * i, 2500 + 100 * i);
		put_half(fabrics, 22 + 2 * i, 1100 + 100 * i);
		put_half(fabrics, 38 + 2 * i, 400 + 100 * i);
	}
	fake_tpmi(fake->device, FAKE_FABRIC_INFO, FAKE_OWN, LEVEL_DATA, fabrics, sizeof(fabrics));
}

LEVEL_TEST(revision_2_reports_a_second_fabric)
{
	unsigned char info[154] = { 0 };

	put_half(info, 30, 2000);
	answer_properties(fake, info);
	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = 2 });
	answer_fabrics(fake, 2);
	read_properties(fake);
	assert_int_equal(fake->level.failure.error, 0);
	check_known(fake->level.fabric[0].max_mhz, 2000);
	check_known(fake->level.fabric[1].max_mhz, 2500);
	check_known(fake->level.fabric[1].base_mhz, 1100);
	check_known(fake->level.fabric[1].min_mhz, 400);
}

/* As many as there are, and no more than the answer holds, whatever the number in it. */
FAKE_MACHINE_TEST(every_fabric_of_the_answer_is_reported)
{
	static const unsigned int COUNTS[] = { 2, 3, 7, 8, 9, 65535 };

	for (size_t i = 0; i < COUNT(COUNTS); i++) {
		struct fake_firmware *fake = start_level(machine);
		unsigned char info[154] = { 0 };

		answer_properties(fake, info);
		fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = 2 });
		answer_fabrics(fake, COUNTS[i]);
		read_properties(fake);
		assert_int_equal(fake->level.failure.error, 0);
		for (unsigned int fabric = 2; fabric < 8; fabric++) {
			const struct isst_fabric *found = &fake->level.fabric[fabric];

			if (fabric >= COUNTS[i]) {
				check_absent(found->max_mhz);
				check_absent(found->base_mhz);
				check_absent(found->min_mhz);
				continue;
			}
			check_known(found->max_mhz, 2500 + 100 * fabric);
			check_known(found->base_mhz, 1100 + 100 * fabric);
			check_known(found->min_mhz, 400 + 100 * fabric);
		}
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(older_revisions_are_not_asked_for_a_second_fabric)
{
	for (unsigned int revision = 0; revision < 2; revision++) {
		struct fake_firmware *fake = start_level(machine);
		unsigned char info[154] = { 0 };

		answer_properties(fake, info);
		fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = (unsigned char)revision });
		answer_fabrics(fake, 2);
		read_properties(fake);
		assert_int_equal(fake_calls(fake->device, FAKE_FABRIC_INFO), 0);
		check_absent(fake->level.fabric[1].max_mhz);
		fake_tpmi_finish(fake);
	}
}

FAKE_MACHINE_TEST(F13_a_second_fabric_that_cannot_be_read_is_a_failure)
{
	static const int ERRORS[] = { -EIO, -EPERM, -EBUSY, -EINVAL };

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		struct fake_firmware *fake = start_level(machine);
		unsigned char info[154] = { 0 };

		answer_properties(fake, info);
		fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = 3 });
		fake_tpmi_error(fake->device, FAKE_FABRIC_INFO, FAKE_OWN, LEVEL_DATA, ERRORS[i]);
		read_properties(fake);
		assert_int_not_equal(fake->level.failure.error, 0);
		check_holds(fake->level.failure.message, "the further fabrics of level 3");
		check_unreadable(fake->level.fabric[1].max_mhz);
		check_unreadable(fake->level.fabric[1].min_mhz);
		fake_tpmi_finish(fake);
	}
}

LEVEL_TEST(kernels_that_know_no_second_fabric_are_no_failure)
{
	unsigned char info[154] = { 0 };

	answer_properties(fake, info);
	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = 3 });
	fake_tpmi_error(fake->device, FAKE_FABRIC_INFO, FAKE_OWN, LEVEL_DATA, -ENOTTY);
	read_properties(fake);
	assert_int_equal(fake_calls(fake->device, FAKE_FABRIC_INFO), 1);
	assert_int_equal(fake->level.failure.error, 0);
	check_absent(fake->level.fabric[1].max_mhz);
	check_absent(fake->level.fabric[1].base_mhz);
	check_absent(fake->level.fabric[1].min_mhz);
}

LEVEL_TEST(a_count_of_one_fabric_is_no_second_one)
{
	unsigned char info[154] = { 0 };

	answer_properties(fake, info);
	fake_summary(fake, FAKE_OWN, (unsigned char[11]){ [3] = 2 });
	answer_fabrics(fake, 1);
	read_properties(fake);
	check_absent(fake->level.fabric[1].max_mhz);
}

/* ---- Masks of cores ---- */

FAKE_MACHINE_TEST(D24_masks_of_64_cores_are_decoded)
{
	static const uint64_t MASKS[] = { 0,
					  1,
					  UINT64_C(1) << 31,
					  UINT64_C(1) << 32,
					  UINT64_C(0x7fb86640000),
					  UINT64_C(1) << 63,
					  UINT64_MAX };

	for (size_t i = 0; i < COUNT(MASKS); i++) {
		struct fake_firmware *fake = start_level(machine);
		unsigned char info[154] = { 0 }, mask[24] = { 0 };

		memcpy(mask + 8, &MASKS[i], 8);
		answer_properties(fake, info);
		fake_tpmi(fake->device, FAKE_LEVEL_MASK, FAKE_OWN, MASK_DATA, mask, sizeof(mask));
		read_properties(fake);
		check_known(fake->request.cores.half[0], (uint32_t)MASKS[i]);
		check_known(fake->request.cores.half[1], MASKS[i] >> 32);
		fake_tpmi_finish(fake);
	}
}

LEVEL_TEST(a_mask_that_cannot_be_read_is_a_failure_and_no_data)
{
	unsigned char info[154] = { 0 };

	answer_properties(fake, info);
	fake_tpmi_error(fake->device, FAKE_LEVEL_MASK, FAKE_OWN, MASK_DATA, -ENOTTY);
	read_properties(fake);
	assert_int_equal(fake->level.failure.error, -EIO);
	check_holds(fake->level.failure.message, "the enabled cores of level 3");
	check_unreadable(fake->request.cores.half[0]);
	check_unreadable(fake->request.cores.half[1]);
}

/** Leaves the domain of @fake without CPUs. */
static void take_cpus_away(struct fake_firmware *fake, bool cpus_known)
{
	isst_cpuset_free((struct isst_cpuset *)fake->domain.present);

	fake->domain.present = isst_cpuset_new();
	fake->domain.has_cpu = false;
	fake->domain.cpus_known = cpus_known;
}

LEVEL_TEST(B3_a_domain_whose_cpus_are_not_known_is_asked_for_its_cores)
{
	unsigned char info[154] = { 0 };

	take_cpus_away(fake, false);
	answer_properties(fake, info);
	read_properties(fake);
	assert_int_equal(fake_calls(fake->device, FAKE_LEVEL_MASK), 1);
}

LEVEL_TEST(a_domain_without_cpus_is_not_asked_for_its_cores)
{
	unsigned char info[154] = { 0 };

	take_cpus_away(fake, true);
	put_half(info, 30, 2500);
	answer_properties(fake, info);
	read_properties(fake);
	assert_int_equal(fake->level.failure.error, 0);
	assert_int_equal(fake_calls(fake->device, FAKE_LEVEL_MASK), 0);
	check_known(fake->level.fabric[0].max_mhz, 2500);
}

/* ---- Features of a level ---- */

LEVEL_TEST(base_freq_is_decoded)
{
	struct isst_base_freq *result = &fake->level.base_freq_info;
	const uint64_t cores = UINT64_C(0x601430a72a5);
	unsigned char info[12] = { 0 }, mask[24] = { 0 };

	put_half(info, 4, 2200);
	put_half(info, 6, 1800);
	put_half(info, 8, 100);
	put_half(info, 10, 500);
	memcpy(mask + 8, &cores, 8);
	fake_tpmi(fake->device, FAKE_BASE_FREQ_INFO, FAKE_OWN, LEVEL_DATA, info, sizeof(info));
	fake_tpmi(fake->device, FAKE_BASE_FREQ_MASK, FAKE_OWN, MASK_DATA, mask, sizeof(mask));
	assert_int_equal(fake->operations->plan_base_freq(fake->batch, &fake->request), 0);
	fake_run(fake);
	assert_int_equal(result->failure.error, 0);
	check_known(result->high_mhz, 2200);
	check_known(result->low_mhz, 1800);
	check_known(result->tjunction_c, 100);
	check_known(result->power_w, 500);
	check_known(fake->request.high_priority.half[0], 0x430a72a5);
	check_known(fake->request.high_priority.half[1], 0x601);
	assert_int_equal(fake->device->entry_count, 2);
}

LEVEL_TEST(base_freq_that_cannot_be_read_is_its_own_failure)
{
	struct isst_base_freq *result = &fake->level.base_freq_info;

	fake_tpmi_error(fake->device, FAKE_BASE_FREQ_INFO, FAKE_OWN, LEVEL_DATA, -ENOTTY);
	fake_tpmi_error(fake->device, FAKE_BASE_FREQ_MASK, FAKE_OWN, MASK_DATA, -ENOTTY);
	assert_int_equal(fake->operations->plan_base_freq(fake->batch, &fake->request), 0);
	fake_run(fake);
	assert_int_equal(fake->level.failure.error, 0);
	assert_int_equal(result->failure.error, -EIO);
	assert_int_equal(result->failure.more, 1);
	check_unreadable(result->high_mhz);
	check_unreadable(result->low_mhz);
	check_unreadable(result->tjunction_c);
	check_unreadable(result->power_w);
	check_unreadable(fake->request.high_priority.half[0]);
	check_unreadable(fake->request.high_priority.half[1]);
}

LEVEL_TEST(turbo_freq_is_decoded)
{
	struct isst_turbo_freq *result = &fake->level.turbo_freq_info;
	unsigned char info[134] = { 0 };

	/* lp_clip_freq_mhz @10, bucket_core_counts @22, trl_freq_mhz @38. */
	for (unsigned int type = 0; type < 5; type++) {
		put_half(info, 10 + 2 * type, 2000 - 100 * type);
		for (unsigned int i = 0; i < 3; i++)
			put_half(info, 38 + 2 * (8 * type + i), 3900 - 100 * type - 10 * i);
	}
	put_half(info, 22, 30);
	put_half(info, 24, 60);
	put_half(info, 26, 300);
	fake_tpmi(fake->device, FAKE_TURBO_FREQ_INFO, FAKE_OWN, LEVEL_DATA, info, sizeof(info));
	assert_int_equal(fake->operations->plan_turbo_freq(fake->batch, &fake->request), 0);
	fake_run(fake);
	assert_null(fake->operations->plan_turbo_freq_rest);
	assert_int_equal(result->failure.error, 0);
	assert_int_equal(fake->device->entry_count, 1);
	assert_int_equal(firmware_valid_buckets(fake->request.turbo_freq_cores), 3);
	check_known(fake->request.turbo_freq_cores[0], 30);
	check_known(fake->request.turbo_freq_cores[1], 60);
	check_known(fake->request.turbo_freq_cores[2], 300);
	for (unsigned int type = 0; type < 5; type++) {
		check_known(result->clip_mhz[type], 2000 - 100 * type);
		for (unsigned int i = 0; i < 3; i++)
			check_known(result->mhz[type][i], 3900 - 100 * type - 10 * i);
		check_absent(result->mhz[type][3]);
	}
	check_absent(result->clip_mhz[5]);
	check_absent(result->mhz[5][0]);
}

LEVEL_TEST(turbo_freq_that_cannot_be_read_has_no_bucket)
{
	struct isst_turbo_freq *result = &fake->level.turbo_freq_info;

	fake_tpmi_error(fake->device, FAKE_TURBO_FREQ_INFO, FAKE_OWN, LEVEL_DATA, -ENOTTY);
	assert_int_equal(fake->operations->plan_turbo_freq(fake->batch, &fake->request), 0);
	fake_run(fake);
	assert_int_equal(result->failure.error, -EIO);
	assert_int_equal(fake->level.failure.error, 0);
	assert_int_equal(firmware_valid_buckets(fake->request.turbo_freq_cores), 0);
	check_unreadable(fake->request.turbo_freq_cores[0]);
	check_unreadable(result->clip_mhz[0]);
	check_unreadable(result->clip_mhz[5]);
}

/* ---- Core-power ---- */

/** @features: of the level, which are asked for where core-power is off; negative: that fails. */
static struct isst_core_power read_core_power(struct fake_machine *machine, bool supported,
					      bool enabled, bool ordered, int features)
{
	struct fake_firmware *fake = fake_tpmi_start(machine, 3);
	struct isst_core_power power = { .domain = &fake->domain };
	unsigned char info[11] = { [6] = (unsigned char)features };
	bool asks = supported && !enabled;

	fake_core_power(fake, FAKE_OWN, supported, enabled, ordered);
	if (asks && features < 0)
		fake_tpmi_error(fake->device, FAKE_LEVELS, FAKE_OWN, 0, -ENOTTY);
	else if (asks)
		fake_tpmi(fake->device, FAKE_LEVELS, FAKE_OWN, 0, info, sizeof(info));
	assert_int_equal(fake->operations->plan_core_power(fake->batch, &power), 0);
	fake_run(fake);
	assert_int_equal(power.failure.error, 0);
	assert_int_equal(fake_calls(fake->device, FAKE_CORE_POWER), 1);
	assert_true(fake_calls(fake->device, FAKE_LEVELS) >= asks);
	fake_tpmi_finish(fake);
	return power;
}

/** Classes hold while core-power or SST-TF is on; SST-BF is no reason. */
FAKE_MACHINE_TEST(classes_are_in_force_with_core_power_or_turbo_freq)
{
	assert_int_equal(read_core_power(machine, true, true, false, 0).clos_in_force,
			 ISST_FEATURE_ENABLED);
	assert_int_equal(read_core_power(machine, true, false, false, 2).clos_in_force,
			 ISST_FEATURE_ENABLED);
	assert_int_equal(read_core_power(machine, true, false, false, 1).clos_in_force,
			 ISST_FEATURE_DISABLED);
	assert_int_equal(read_core_power(machine, false, false, false, 2).clos_in_force,
			 ISST_FEATURE_UNSUPPORTED);
	assert_int_equal(read_core_power(machine, true, false, false, -1).clos_in_force,
			 ISST_FEATURE_UNKNOWN);
}

FAKE_MACHINE_TEST(core_power_is_decoded)
{
	for (unsigned int bits = 0; bits < 4; bits++) {
		struct isst_core_power power = read_core_power(machine, true, bits & 1, bits & 2,
							       0);

		assert_true(power.supported);
		assert_int_equal(power.enabled, bits & 1);
		assert_int_equal(power.clos_enabled, bits & 1);
		assert_int_equal(power.priority,
				 bits & 2 ? ISST_PRIORITY_ORDERED : ISST_PRIORITY_PROPORTIONAL);
	}
	assert_false(read_core_power(machine, false, false, false, 0).supported);
}

FAKE_MACHINE_TEST(missing_core_power_is_not_enabled)
{
	/* Registers that are not there: what the kernel reads in their place means nothing. */
	struct isst_core_power power = read_core_power(machine, false, true, true, 0);

	assert_false(power.supported);
	assert_false(power.enabled);
	assert_false(power.clos_enabled);
	assert_int_equal(power.priority, ISST_PRIORITY_PROPORTIONAL);
}

/* ---- Associations ---- */

enum { MOST_CPUS = 140 };

struct readers {
	uint64_t clos[MOST_CPUS];
	struct isst_failure failures[MOST_CPUS];
};

static void plan_associations(struct fake_firmware *fake, struct readers *readers,
			      const struct isst_domain *domain, unsigned int first,
			      unsigned int count)
{
	for (unsigned int i = first; i < first + count; i++) {
		const struct setting_request request = { domain, SETTING_ASSOCIATION, i - first,
							 &readers->clos[i], &readers->failures[i] };

		assert_int_equal(fake->operations->plan_get(fake->batch, &request), 0);
	}
}

TPMI_TEST(associations_are_read_by_core_number)
{
	struct isst_domain other = fake_tpmi_domain(fake, 0, true);
	struct readers readers = { 0 };

	fake_core_power(fake, FAKE_OWN, true, false, false);
	fake_core_power(fake, FAKE_DOMAIN(1, 0), true, false, false);
	for (uint32_t core = 0; core < 64; core++) {
		fake_association(fake->device, FAKE_OWN, core, core % 4);
		fake_association(fake->device, FAKE_DOMAIN(1, 0), core, (core + 1) % 4);
	}
	plan_associations(fake, &readers, &fake->domain, 0, 64);
	plan_associations(fake, &readers, &other, 64, 64);
	fake_run(fake);
	for (unsigned int i = 0; i < 128; i++) {
		assert_int_equal(readers.failures[i].error, 0);
		assert_int_equal(readers.clos[i], (i / 64 + i) % 4);
	}
	assert_int_equal(fake_calls(fake->device, FAKE_ASSOCIATION), 2);
	assert_int_equal(fake_calls(fake->device, FAKE_CORE_POWER), 2);
}

TPMI_TEST(an_association_is_not_asked_for_where_there_is_no_core_power)
{
	struct isst_domain without = fake_tpmi_domain(fake, 0, true);
	struct isst_domain unknown = fake_tpmi_domain(fake, 4, true);
	struct readers readers = { 0 };

	fake_core_power(fake, FAKE_DOMAIN(1, 0), false, false, false);
	fake_tpmi_error(fake->device, FAKE_CORE_POWER, FAKE_DOMAIN(1, 4), 0, -ENOTTY);
	fake_core_power(fake, FAKE_OWN, true, false, false);
	for (uint32_t core = 0; core < 10; core++)
		fake_association(fake->device, FAKE_OWN, core, 3);
	plan_associations(fake, &readers, &without, 0, 10);
	plan_associations(fake, &readers, &fake->domain, 10, 10);
	plan_associations(fake, &readers, &unknown, 20, 10);
	fake_run(fake);
	for (unsigned int i = 0; i < 30; i++)
		assert_int_equal(readers.failures[i].error, i < 10   ? -EOPNOTSUPP
							    : i < 20 ? 0
								     : -EIO);
	for (unsigned int i = 10; i < 20; i++)
		assert_int_equal(readers.clos[i], 3);
	check_holds(readers.failures[0].message, "core-power is not supported");
	assert_int_equal(fake_calls(fake->device, FAKE_ASSOCIATION), 1);
	assert_int_equal(fake->device->entry_count, 3 + 10);
}

/* ---- Domains, names, registers ---- */

FAKE_MACHINE_TEST(the_domains_of_a_package_are_a_mask)
{
	static const struct {
		unsigned char bytes[4];
		unsigned int valid;
	} CASES[] = { { { 1, 5, 0x1b, 0x00 }, 0x1b },
		      { { 1, 16, 0x01, 0x80 }, 0x8001 },
		      { { 1, 0, 0, 0 }, 0 } };

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_tpmi_start(machine, 3);
		unsigned int valid = 12345;

		fake_tpmi(fake->device, FAKE_INSTANCES, FAKE_DOMAIN(1, 0), 0, CASES[i].bytes, 4);
		assert_int_equal(fake->operations->valid_domains(&fake->driver, 1, &valid), 0);
		assert_int_equal(valid, CASES[i].valid);
		fake_tpmi_finish(fake);
	}
}

TPMI_TEST(a_package_that_the_driver_refuses_has_no_domain)
{
	unsigned int valid = 12345;

	fake_tpmi_error(fake->device, FAKE_INSTANCES, FAKE_DOMAIN(1, 0), 0, -ENOTTY);
	assert_int_equal(fake->operations->valid_domains(&fake->driver, 1, &valid), -ENOTTY);
	assert_int_equal(valid, 0);
}

TPMI_TEST(D14_a_package_that_no_request_can_name_is_not_cut_to_8_bits)
{
	unsigned int valid = 12345;

	assert_int_equal(fake->operations->valid_domains(&fake->driver, 256, &valid), -EINVAL);
	assert_int_equal(valid, 0);
	assert_int_equal(fake->device->call_count, 0);
}

TPMI_TEST(trl_types_are_numbered)
{
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 0), "level-0");
	assert_string_equal(fake->operations->trl_type_name(&fake->platform, 5), "level-5");
	assert_null(fake->operations->trl_type_name(&fake->platform, 6));
}
