/* SPDX-License-Identifier: BSD-3-Clause */
/* Complete levels: phases, failures of single parts, and the number of calls. */
#include "support/levels.h"
#include "features/features.h"
#include "support/fake_context.h"

/** Everything about a level: cores 0-3 enabled, both features supported, core 1 high priority, two
 * turbo-freq buckets. */
static void answer_level(struct fake_device *device, uint32_t level)
{
	fake_mailbox(device, 0x7f01, 0, level, 0x00020003);
	fake_mailbox(device, 0x7f03, 0, level, 0x001b0109);
	fake_mailbox(device, 0x7f05, 0, level, 0x64);
	fake_mailbox(device, 0x7f06, 0, level, 0x0000000f);
	fake_mailbox(device, 0x7f06, 0, 0x100 | level, 0x00000000);
	fake_mailbox(device, 0x7f0a, 0, level, 0x0a0f141b);
	fake_mailbox(device, 0x7f0b, 0, level, 0x00);
	fake_mailbox(device, 0x7f0c, 0, 0x10000 | level, 0x08001216);
	fake_mailbox(device, 0x7f20, 0, level, 0x00000002);
	fake_mailbox(device, 0x7f20, 0, 0x100 | level, 0x00000000);
	fake_mailbox(device, 0x7f21, 0, level, 0x1e15);
	fake_mailbox(device, 0x7f22, 0, level, 0x5f);
	fake_mailbox(device, 0x7f23, 0, level, 250);
	fake_mailbox(device, 0x7f12, 0, level, 0x0f141b);
	fake_mailbox(device, 0x7f10, 0, level, 0x00000402);
	fake_mailbox(device, 0x7f10, 0, 0x100 | level, 0);
	for (uint32_t type = 0; type < 3; type++) {
		fake_mailbox(device, 0x7f07, 0, type << 16 | level, 0x1c1e2023);
		fake_mailbox(device, 0x7f07, 0, type << 16 | 0x100 | level, 0);
		fake_mailbox(device, 0x7f11, 0, type << 16 | level, 0x00002527);
	}
}

/** Levels 0 to 2, level 1 current; core-power on. */
static void answer_all(struct fake_device *device)
{
	fake_mailbox(device, 0x7f00, 0, 0, 0x80010203);
	fake_mailbox(device, 0x9403, 0, 0, 0x00010001);
	fake_msr(device, 0x1ae, UINT64_C(0x1c1814100c080402));
	for (uint32_t level = 0; level < 3; level++)
		answer_level(device, level);
}

/** Two packages: CPUs 0-3 and 4-7, cores 0-3 of each. */
static struct isst_context *two_packages(struct fake_machine *fake)
{
	fake_cpus(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-3");
	fake_die(fake, 1, 0, "4-7");
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		fake_place(fake, cpu, cpu % 4, 0);
	answer_all(&fake->device);
	return fake_discovered(fake);
}

/** A mailbox command of one CPU fails. */
static void fail_command(struct fake_machine *fake, uint32_t cpu, uint32_t address, uint32_t data,
			 int error)
{
	fake_rule(&fake->device,
		  &(struct fake_rule){ .entry = { FAKE_MAILBOX, cpu, address, 0, data },
				       .error = error });
}

static void read_level(struct isst_context *context, struct isst_level *level, size_t domain,
		       unsigned int number)
{
	*level = (struct isst_level){ .domain = context_domain(context, domain), .level = number };
	assert_int_equal(level_read_parts(context, level, 1, ISST_LEVELS_ALL), 0);
}

FAKE_TEST(a_level_is_read_with_all_that_it_specifies)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	read_level(context, &level, 1, 2);
	assert_int_equal(level.failure.error, 0);
	assert_int_equal(level.base_freq, ISST_FEATURE_ENABLED);
	assert_int_equal(level.turbo_freq, ISST_FEATURE_DISABLED);
	assert_int_equal(level.core_power, ISST_FEATURE_ENABLED);
	check_cpus(level.cpus, "4-7");
	check_known(level.tdp_ratio, 27);
	check_known(level.power_w, 265);
	check_known(level.tjunction_c, 100);
	check_known(level.base_mhz, 2700);
	check_known(level.memory_mhz, 3200);
	check_known(level.fabric[0].min_mhz, 800);
	assert_true(level.limit[0].present);
	assert_false(level.limit[3].present);
	check_known(level.limit[2].mhz[0], 3500);
	check_known(level.limit[2].core_count[0], 2);
	check_known(level.limit[2].core_count[7], 28);
	assert_int_equal(level.base_freq_info.failure.error, 0);
	check_cpus(level.base_freq_info.high_priority, "5");
	check_known(level.base_freq_info.high_mhz, 3000);
	assert_int_equal(level.turbo_freq_info.buckets, 2);
	assert_int_equal(level.turbo_freq_info.high_priority_cores[1], 4);
	check_known(level.turbo_freq_info.mhz[0][0], 3900);
	check_known(level.turbo_freq_info.clip_mhz[2], 1500);
	level_clear(&level);
	assert_null(level.cpus);
	assert_null(level.base_freq_info.high_priority);
	level_clear(&level);
}

FAKE_TEST(A8_the_state_of_a_feature_is_the_one_that_the_level_reports)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	/* Level 0 reports both as enabled, and does not support turbo-freq; at level 1, which is
	 * current, base-freq is off. */
	fake_mailbox(&fake->device, 0x7f01, 0, 0, 0x00030002);
	fake_mailbox(&fake->device, 0x7f01, 0, 1, 0x00010003);
	read_level(context, &level, 0, 0);
	assert_int_equal(level.turbo_freq, ISST_FEATURE_UNSUPPORTED);
	assert_int_equal(level.base_freq, ISST_FEATURE_ENABLED);
	assert_int_equal(level.turbo_freq_info.buckets, 0);
	assert_int_equal(fake_sent(&fake->device, FAKE_MAILBOX, 0, 0x7f10, 0, 0), 0);
	level_clear(&level);
}

FAKE_TEST(features_that_cannot_be_read_are_unknown_and_not_unsupported)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	fail_command(fake, 0, 0x7f01, 1, -EBUSY);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.failure.error, -EIO);
	assert_int_equal(level.base_freq, ISST_FEATURE_UNKNOWN);
	assert_int_equal(level.turbo_freq, ISST_FEATURE_UNKNOWN);
	assert_int_equal(level.core_power, ISST_FEATURE_ENABLED);
	check_known(level.power_w, 265);
	level_clear(&level);
	/* Another level reports its own. */
	read_level(context, &level, 0, 2);
	assert_int_equal(level.failure.error, 0);
	assert_int_not_equal(level.base_freq, ISST_FEATURE_UNKNOWN);
	check_cpus(level.base_freq_info.high_priority, "1");
	level_clear(&level);
}

FAKE_TEST(D69_core_power_that_cannot_be_read_is_unknown)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	fail_command(fake, 0, 0x9403, 0, -ENXIO);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.core_power, ISST_FEATURE_UNKNOWN);
	assert_int_equal(level.failure.error, -EIO);
	check_holds(level.failure.message, "0x94/0x03");
	level_clear(&level);
}

FAKE_TEST(D17_a_level_above_the_highest_does_not_exist_and_nothing_is_sent)
{
	static const unsigned int LEVELS[] = { 3, 4, 255, 256, 65536, UINT32_MAX };
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	for (size_t i = 0; i < COUNT(LEVELS); i++) {
		fake_forget(&fake->device);
		read_level(context, &level, 1, LEVELS[i]);
		assert_int_equal(level.failure.error, -EOPNOTSUPP);
		check_holds(level.failure.message, "package 1, die 0: no level");
		check_holds(level.failure.message, "levels 0 to 2");
		assert_null(level.cpus);
		assert_int_equal(level.base_freq, ISST_FEATURE_UNKNOWN);
		/* Only the summary. */
		assert_int_equal(fake->device.entry_count, 1);
	}
	fake_mailbox(&fake->device, 0x7f00, 0, 0, 0x00000003);
	read_level(context, &level, 1, 1);
	check_holds(level.failure.message, "only level 0");
}

FAKE_TEST(D4_a_failed_summary_is_an_error_of_its_levels)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_perf_profile profile = { .domain = context_domain(context, 0) };
	struct isst_level level;

	fail_command(fake, 0, 0x7f00, 0, -EBUSY);
	assert_int_equal(perf_profile_read(context, &profile, 1), 0);
	assert_int_equal(profile.failure.error, -EIO);
	check_holds(profile.failure.message, "0x7f/0x00");
	fake_forget(&fake->device);
	read_level(context, &level, 0, 0);
	assert_int_equal(level.failure.error, -EIO);
	check_holds(level.failure.message, "0x7f/0x00");
	assert_int_equal(fake_sent(&fake->device, FAKE_MAILBOX, FAKE_ANY_CPU, 0x7f03, 0, 0), 0);
	fail_command(fake, 0, 0x7f00, 0, -ENXIO);
	assert_int_equal(perf_profile_read(context, &profile, 1), 0);
	assert_int_equal(profile.failure.error, -EOPNOTSUPP);
}

TEST(D68_what_fails_in_one_domain_does_not_spoil_the_others)
{
	static const struct {
		uint32_t address, data;
	} COMMANDS[] = { { 0x7f00, 0 },	      { 0x7f01, 1 }, { 0x7f03, 1 }, { 0x7f06, 1 },
			 { 0x7f07, 0x10001 }, { 0x7f10, 1 }, { 0x7f11, 1 }, { 0x7f20, 1 },
			 { 0x7f21, 1 },	      { 0x7f12, 1 }, { 0x9403, 0 } };

	for (size_t i = 0; i < COUNT(COMMANDS); i++) {
		struct fake_machine *fake;
		struct isst_context *context;
		struct isst_level levels[2] = { 0 };
		void *own;

		(void)state;
		fake_machine_setup(&own);
		fake = own;
		context = two_packages(fake);
		fail_command(fake, 0, COMMANDS[i].address, COMMANDS[i].data, -EPERM);
		for (size_t domain = 0; domain < 2; domain++) {
			levels[domain].domain = context_domain(context, domain);
			levels[domain].level = 1;
		}
		assert_int_equal(level_read_parts(context, levels, 2, ISST_LEVELS_ALL), 0);
		assert_true(levels[0].failure.error == -EPERM ||
			    levels[0].base_freq_info.failure.error == -EPERM ||
			    levels[0].turbo_freq_info.failure.error == -EPERM);
		assert_int_equal(levels[1].failure.error, 0);
		assert_int_equal(levels[1].base_freq_info.failure.error, 0);
		assert_int_equal(levels[1].turbo_freq_info.failure.error, 0);
		check_cpus(levels[1].cpus, "4-7");
		check_cpus(levels[1].base_freq_info.high_priority, "5");
		level_clear(&levels[0]);
		level_clear(&levels[1]);
		isst_close(context);
		fake_machine_teardown(&own);
	}
}

FAKE_TEST(D2_bucket_sizes_that_cannot_be_read_are_unreadable)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	fake_msr_error(&fake->device, 0x1ae, -EIO);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.failure.error, -EIO);
	check_holds(level.failure.message, "MSR 0x1ae");
	check_unreadable(level.limit[0].core_count[0]);
	check_known(level.limit[0].mhz[0], 3500);
	level_clear(&level);
}

FAKE_TEST(D6_a_high_priority_mask_that_cannot_be_read_is_an_error_and_not_none)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_level level;

	fail_command(fake, 0, 0x7f20, 1, -ENXIO);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.base_freq_info.failure.error, -EIO);
	check_holds(level.base_freq_info.failure.message, "0x7f/0x20");
	assert_null(level.base_freq_info.high_priority);
	check_known(level.base_freq_info.high_mhz, 3000);
	assert_int_equal(level.failure.error, 0);
	check_cpus(level.cpus, "0-3");
	level_clear(&level);
}

/** One package whose only CPUs are of these two cores. */
static struct isst_context *two_cores(struct fake_machine *fake, unsigned int first,
				      unsigned int second)
{
	fake_cpus(fake, "0-1", "0-1");
	fake_die(fake, 0, 0, "0-1");
	fake_place(fake, 0, first, 0);
	fake_place(fake, 1, second, 0);
	answer_all(&fake->device);
	return fake_discovered(fake);
}

FAKE_TEST(D24_core_32_exactly_is_in_the_masks)
{
	freed_by(isst_close) struct isst_context *context = two_cores(fake, 0, 32);
	struct isst_level level;

	fake_mailbox(&fake->device, 0x7f06, 0, 0x101, 0x00000001);
	fake_mailbox(&fake->device, 0x7f20, 0, 0x101, 0x00000001);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.failure.error, 0);
	check_cpus(level.cpus, "0-1");
	check_cpus(level.base_freq_info.high_priority, "1");
	level_clear(&level);
}

FAKE_TEST(D24_up_to_core_31_one_half_is_enough)
{
	freed_by(isst_close) struct isst_context *context = two_cores(fake, 1, 31);
	struct isst_level level;

	fake_mailbox(&fake->device, 0x7f06, 0, 1, 0x80000000);
	read_level(context, &level, 0, 1);
	check_cpus(level.cpus, "1");
	assert_int_equal(fake_sent(&fake->device, FAKE_MAILBOX, 0, 0x7f06, 0, 0x101), 0);
	assert_int_equal(fake_sent(&fake->device, FAKE_MAILBOX, 0, 0x7f20, 0, 0x101), 0);
	level_clear(&level);
}

FAKE_TEST(D6_a_refused_upper_half_is_an_error_where_such_cores_exist)
{
	freed_by(isst_close) struct isst_context *context = two_cores(fake, 0, 32);
	struct isst_level level;

	fail_command(fake, 0, 0x7f06, 0x101, -ENXIO);
	fail_command(fake, 0, 0x7f20, 0x101, -ENXIO);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.failure.error, -EIO);
	assert_null(level.cpus);
	assert_int_equal(level.base_freq_info.failure.error, -EIO);
	assert_null(level.base_freq_info.high_priority);
	level_clear(&level);
}

FAKE_TEST(a_refused_upper_half_is_empty_where_only_unknown_cpus_could_be_in_it)
{
	struct isst_level level;

	fake_cpus(fake, "0-2", "0-1");
	fake_die(fake, 0, 0, "0-1");
	fake_place(fake, 0, 0, 0);
	fake_place(fake, 1, 1, 0);
	answer_all(&fake->device);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	fail_command(fake, 0, 0x7f06, 0x101, -ENXIO);
	fail_command(fake, 0, 0x7f20, 0x101, -ENXIO);
	read_level(context, &level, 0, 1);
	assert_int_equal(level.failure.error, 0);
	check_cpus(level.cpus, "0-1");
	assert_true(fake_sent(&fake->device, FAKE_MAILBOX, 0, 0x7f06, 0, 0x101) > 0);
	level_clear(&level);
}

FAKE_TEST(D26_a_cpu_of_unknown_core_makes_lists_unknown_rather_than_wrong)
{
	struct isst_level levels[2] = { 0 };

	fake_cpus(fake, "0-7", "0-7");
	fake_die(fake, 0, 0, "0-3");
	fake_die(fake, 1, 0, "4-7");
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		fake_place(fake, cpu, cpu % 4, 0);
	fake_phy_id(&fake->device, 2, 0xffffffff);
	answer_all(&fake->device);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	levels[0] = (struct isst_level){ .domain = context_domain(context, 0) };
	levels[1] = (struct isst_level){ .domain = context_domain(context, 1) };
	assert_int_equal(level_read_parts(context, levels, 2, ISST_LEVELS_ALL), 0);
	assert_int_equal(levels[0].failure.error, -EIO);
	check_holds(levels[0].failure.message, "CPU 2");
	assert_null(levels[0].cpus);
	assert_null(levels[0].base_freq_info.high_priority);
	check_known(levels[0].power_w, 265);
	assert_int_equal(levels[1].failure.error, 0);
	check_cpus(levels[1].cpus, "4-7");
	level_clear(&levels[0]);
	level_clear(&levels[1]);
}

FAKE_TEST(a_summary_that_the_caller_brings_is_not_asked_for)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);
	struct isst_perf_profile profile = { .domain = context_domain(context, 0),
					     .highest_level = 1,
					     .current_level = 0 };
	struct isst_level levels[2] = { { .profile = &profile, .level = 0 },
					{ .profile = &profile, .level = 2 } };

	levels[0].domain = levels[1].domain = context_domain(context, 0);
	assert_int_equal(levels_read(context, levels, 2, sizeof(*levels), ISST_LEVELS_ALL), 0);
	assert_int_equal(fake_sent(&fake->device, FAKE_MAILBOX, 0, 0x7f00, 0, 0), 0);
	assert_int_equal(levels[0].failure.error, 0);
	assert_int_equal(levels[1].failure.error, -EOPNOTSUPP);
	level_clear(&levels[0]);
}

FAKE_TEST(parts_that_are_left_out_are_not_asked_for)
{
	static const struct {
		unsigned int parts;
		size_t properties, base_freq, turbo_freq;
	} CASES[] = { { ISST_LEVEL_FEATURES, 0, 0, 0 },
		      { ISST_LEVELS_PROPERTIES, 1, 0, 0 },
		      { ISST_LEVELS_BASE_FREQ, 0, 1, 0 },
		      { ISST_LEVELS_TURBO_FREQ, 0, 0, 1 },
		      { ISST_LEVELS_ALL, 1, 1, 1 } };
	freed_by(isst_close) struct isst_context *context = two_packages(fake);

	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct isst_level level = { .domain = context_domain(context, 0), .level = 2 };
		const struct fake_device *device = &fake->device;

		fake_forget(&fake->device);
		assert_int_equal(level_read_parts(context, &level, 1, CASES[i].parts | 1U << 3),
				 -EINVAL);
		assert_int_equal(level_read_parts(context, &level, 1, CASES[i].parts), 0);
		assert_int_equal(level.base_freq, ISST_FEATURE_ENABLED);
		assert_int_equal(fake_sent(device, FAKE_MAILBOX, 0, 0x7f03, 0, 2),
				 CASES[i].properties);
		assert_int_equal(fake_sent(device, FAKE_MAILBOX, 0, 0x9403, 0, 0),
				 CASES[i].properties);
		assert_int_equal(fake_sent(device, FAKE_MSR, 0, 0x1ae, 0, 0), CASES[i].properties);
		assert_int_equal(fake_sent(device, FAKE_MAILBOX, 0, 0x7f20, 0, 2),
				 CASES[i].base_freq);
		assert_int_equal(fake_sent(device, FAKE_MAILBOX, 0, 0x7f12, 0, 2),
				 CASES[i].turbo_freq);
		level_clear(&level);
	}
}

FAKE_TEST(no_levels_are_no_request)
{
	freed_by(isst_close) struct isst_context *context = two_packages(fake);

	fake_forget(&fake->device);
	assert_int_equal(level_read_parts(context, NULL, 0, ISST_LEVELS_ALL), 0);
	assert_int_equal(perf_profile_read(context, NULL, 0), 0);
	assert_int_equal(fake->device.call_count, 0);
}

FAKE_TEST(D53_eight_packages_take_the_calls_of_four_phases_and_no_more)
{
	enum { PACKAGES = 8, LEVELS = 3 };
	/* Mailbox commands for each package or level by phase, counted by hand: summary; then for
	 * the package features of the current level and core-power, for each other level its
	 * features; then for each level 03 05 0c 0a 0b 06 and 2 x 3 of 07, and 20 21 22 23 12 and 2
	 * x 10; then 3 of 11. */
	static const size_t PHASES[] = { PACKAGES, PACKAGES * (2 + LEVELS - 1),
					 PACKAGES * LEVELS * (12 + 7), PACKAGES * LEVELS * 3 };
	struct isst_level levels[PACKAGES * LEVELS] = { 0 };
	size_t calls = 0, commands = 0;
	char list[8];

	fake_cpus(fake, "0-7", "0-7");
	for (unsigned int package = 0; package < PACKAGES; package++) {
		snprintf(list, sizeof(list), "%u", package);
		fake_die(fake, package, 0, list);
		fake_place(fake, package, 0, 0);
	}
	answer_all(&fake->device);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	for (size_t i = 0; i < COUNT(levels); i++) {
		levels[i].domain = context_domain(context, i / LEVELS);
		levels[i].level = (unsigned int)(i % LEVELS);
	}
	fake_forget(&fake->device);
	assert_int_equal(level_read_parts(context, levels, COUNT(levels), ISST_LEVELS_ALL), 0);
	for (size_t i = 0; i < COUNT(PHASES); i++) {
		calls += (PHASES[i] + 63) / 64;
		commands += PHASES[i];
	}
	assert_int_equal(fake_calls(&fake->device, FAKE_MAILBOX), calls);
	assert_int_equal(fake_calls(&fake->device, FAKE_MSR), 1);
	assert_int_equal(fake->device.entry_count, commands + PACKAGES);
	assert_int_equal(fake->device.opens, 1);
	for (size_t i = 0; i < COUNT(levels); i++) {
		assert_int_equal(levels[i].failure.error, 0);
		level_clear(&levels[i]);
	}
}
