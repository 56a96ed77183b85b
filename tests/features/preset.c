/* SPDX-License-Identifier: BSD-3-Clause */
/* Platforms whose SST-BF the BIOS has set up for good: which they are, and what can be read there.
 */
#include "common/numbered.h"
#include "features/features.h"
#include "support/fake_context.h"
#include "support/levels.h"

#define CPU "/sys/devices/system/cpu/cpu"

/** CPUs 0 to 3 of one package, with these base frequencies (0: none), and no driver. */
static void preset_machine(struct fake_machine *fake, const char *name,
			   const unsigned int base_khz[4])
{
	fake_small_machine(fake);
	fake->machine.identity.model = 0x55;
	fake->machine.identity.stepping = 7;
	fake->device.open_error = -ENOENT;
	fake_file(
		&fake->files, "/proc/cpuinfo",
		"processor\t: 0\nmodel\t\t: 85\nmodel name\t: %s\n\nprocessor\t: 1\nmodel name\t: "
		"Another",
		name);
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		char path[100];

		snprintf(path, sizeof(path), CPU "%u/topology/core_id", cpu);
		fake_file(&fake->files, path, "%u", cpu / 2);
		snprintf(path, sizeof(path), CPU "%u/cpufreq/base_frequency", cpu);
		if (base_khz[cpu])
			fake_file(&fake->files, path, "%u", base_khz[cpu]);
		else
			fake_file_error(&fake->files, path, -ENOENT);
	}
}

static const unsigned int TWO[] = { 2100000, 2100000, 2700000, 2100000 };
static const unsigned int ONE[] = { 2300000, 2300000, 2300000, 2300000 };
static const unsigned int NONE[] = { 0, 0, 0, 0 };

FAKE_TEST(a_model_name_identifies_a_preset_platform_without_the_driver)
{
	static const char *const NAMES[] = { "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz",
					     "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
					     "Intel(R) Xeon(R) Gold 5218N" };

	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
		preset_machine(fake, NAMES[i], NONE);
		fake->device.open_error = 0;
		freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
		assert_true(context->platform.preset);
		assert_int_equal(context->platform.api_version, 0);
		assert_int_equal(fake->device.opens, 0);
		assert_null(isst_notice_at(context, 0));
	}
}

FAKE_TEST(two_base_frequencies_make_a_preset_platform_where_there_is_no_mailbox)
{
	static const struct {
		unsigned int model, stepping;
		const unsigned int *base_khz;
		bool preset;
	} CASES[] = {
		{ 0x55, 6, TWO, true },	  { 0x55, 7, TWO, true },  { 0x55, 7, ONE, false },
		{ 0x55, 7, NONE, false }, { 0x55, 5, TWO, false }, { 0x55, 11, TWO, false },
		{ 0x6a, 6, TWO, false },
	};

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		preset_machine(fake, "Genuine Intel(R) CPU", CASES[i].base_khz);
		fake->machine.identity.model = CASES[i].model;
		fake->machine.identity.stepping = CASES[i].stepping;
		freed_by(isst_close) struct isst_context *context = fake_context(fake);
		assert_int_equal(context_is_preset(context), CASES[i].preset);
		assert_int_equal(isst_discover(context), CASES[i].preset ? 0 : -EOPNOTSUPP);
		assert_int_equal(context->platform.preset, CASES[i].preset);
		assert_false(fake->device.is_open);
	}
}

/** What 0x7f/0x00 is answered decides. */
FAKE_TEST(a_mailbox_that_answers_is_used)
{
	static const struct {
		int error; /* of the mailbox */
		bool preset;
	} CASES[] = { { 0, false },	{ -EBUSY, false }, { -EIO, false },
		      { -ENXIO, true }, { -EINVAL, true }, { -ENOTTY, true } };

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		preset_machine(fake, "Intel(R) Xeon(R) Platinum 8260L CPU @ 2.40GHz", TWO);
		fake->device.open_error = 0;
		fake->device.rule_count = 0;
		for (unsigned int cpu = 0; cpu < 4; cpu++)
			fake_place(fake, cpu, cpu, 0);
		fake_rule(&fake->device,
			  &(struct fake_rule){ .entry = { FAKE_MAILBOX, 0, 0x7f00, 0, 0 },
					       .answer = 0x80000003,
					       .error = CASES[i].error });
		freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
		assert_int_equal(context->platform.preset, CASES[i].preset);
		assert_int_equal(context->platform.api_version, CASES[i].preset ? 0 : 1);
		assert_int_equal(fake->device.is_open, !CASES[i].preset);
	}
}

FAKE_TEST(without_access_to_the_driver_nothing_is_guessed)
{
	preset_machine(fake, "Genuine Intel(R) CPU", TWO);
	fake->device.open_error = -EACCES;
	freed_by(isst_close) struct isst_context *context = fake_context(fake);
	assert_int_equal(isst_discover(context), -EPERM);
	check_holds(isst_error(context), "/dev/isst_interface");
}

static struct isst_level read_level(struct isst_context *context, unsigned int number)
{
	struct isst_level level = { .domain = context_domain(context, 0), .level = number };

	assert_int_equal(level_read_parts(context, &level, 1, ISST_LEVELS_ALL), 0);
	return level;
}

FAKE_TEST(level_0_is_described_by_cpufreq)
{
	struct isst_level level;
	char *list;

	preset_machine(fake, "Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz", TWO);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	level = read_level(context, 0);
	assert_int_equal(level.failure.error, 0);
	assert_int_equal(level.base_freq, ISST_FEATURE_ENABLED);
	assert_int_equal(level.turbo_freq, ISST_FEATURE_UNSUPPORTED);
	assert_int_equal(level.core_power, ISST_FEATURE_UNSUPPORTED);
	assert_int_equal(level.tdp_ratio.value, 23);
	assert_int_equal(level.base_mhz.state, ISST_ABSENT);
	assert_int_equal(level.power_w.state, ISST_ABSENT);
	assert_int_equal(level.base_freq_info.failure.error, 0);
	assert_int_equal(level.base_freq_info.high_mhz.value, 2700);
	assert_int_equal(level.base_freq_info.low_mhz.value, 2100);
	assert_int_equal(level.base_freq_info.power_w.state, ISST_ABSENT);
	list = numbers_enumeration(level.base_freq_info.high_priority);
	assert_string_equal(list, "2");
	free(list);
	list = numbers_enumeration(level.cpus);
	assert_string_equal(list, "0,1,2,3");
	free(list);
	level_clear(&level);
	assert_null(isst_trl_type_name(context, 0));
}

FAKE_TEST(D32_the_frequency_in_the_name_is_read_strictly)
{
	static const struct {
		const char *name;
		unsigned int ratio; /* 21: what all CPUs have stands for it */
	} CASES[] = {
		{ "6230N CPU @ 2.30GHz", 23 },
		{ "6230N CPU @ 2.3GHz", 23 },
		{ "6230N CPU @ 2.39GHz", 23 },
		{ "6230N CPU @ 10.50GHz", 105 },
		{ "6230N", 21 },
		{ "6230N @", 21 },
		{ "6230N @ ", 21 },
		{ "6230N @ 2.30", 21 },
		{ "6230N @ 2.30MHz", 21 },
		{ "6230N @ 2GHz", 21 },
		{ "6230N @ .GHz", 21 },
		{ "6230N @ 2.GHz", 21 },
		{ "6230N @ GHz", 21 },
		{ "6230N @ 99999999999999999999.9GHz", 21 },
		{ "6230N @ 2.30GHz and more", 21 },
	};

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		struct isst_level level;

		preset_machine(fake, CASES[i].name, TWO);
		freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
		level = read_level(context, 0);
		if (level.tdp_ratio.value != CASES[i].ratio)
			fail_msg("'%s': ratio %u", CASES[i].name, level.tdp_ratio.value);
		level_clear(&level);
	}
}

FAKE_TEST(base_frequencies_that_cannot_be_read_are_not_guessed)
{
	struct isst_level level;

	preset_machine(fake, "6230N CPU @ 2.30GHz", NONE);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	level = read_level(context, 0);
	assert_int_equal(level.base_freq_info.failure.error, -EOPNOTSUPP);
	check_holds(level.base_freq_info.failure.message, "HWP");
	assert_int_equal(level.base_freq_info.high_mhz.state, ISST_ABSENT);
	assert_null(level.base_freq_info.high_priority);
	level_clear(&level);

	fake_file(&fake->files, CPU "1/cpufreq/base_frequency", "2.1GHz");
	level = read_level(context, 0);
	assert_int_equal(level.base_freq_info.failure.error, -EIO);
	check_holds(level.base_freq_info.failure.message, "cpu1/cpufreq/base_frequency");
	assert_null(level.base_freq_info.high_priority);
	level_clear(&level);
}

FAKE_TEST(missing_files_are_reported_as_missing)
{
	struct isst_turbo_ratio_limits limits = { 0 };
	struct isst_clos_association association = { 0 };
	struct isst_core_power core_power = { 0 };
	struct isst_perf_profile profile = { 0 };
	struct isst_clos clos = { 0 };
	struct isst_level level;

	preset_machine(fake, "6230N CPU @ 2.30GHz", TWO);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	limits.domain = core_power.domain = profile.domain = clos.domain = context_domain(context,
											  0);
	association.cpu = context_cpu(context, 0);
	assert_int_equal(perf_profile_read(context, &profile, 1), 0);
	assert_int_equal(profile.failure.error, 0);
	assert_true(profile.locked);
	assert_false(profile.enabled);
	assert_int_equal(profile.highest_level, 0);
	assert_int_equal(core_power_read(context, &core_power, 1), 0);
	assert_int_equal(core_power.failure.error, 0);
	assert_false(core_power.supported);
	assert_int_equal(clos_read(context, &clos, 1), 0);
	assert_int_equal(clos.failure.error, -EOPNOTSUPP);
	check_holds(clos.failure.message, "BIOS");
	assert_int_equal(clos_association_read(context, &association, 1), 0);
	assert_int_equal(association.failure.error, -EOPNOTSUPP);
	assert_int_equal(turbo_ratio_limits_read(context, &limits, 1), 0);
	assert_int_equal(limits.failure.error, -EOPNOTSUPP);
	level = read_level(context, 1);
	assert_int_equal(level.failure.error, -EOPNOTSUPP);
	level_clear(&level);
}

FAKE_TEST(cores_are_those_of_the_kernel)
{
	preset_machine(fake, "6230N CPU @ 2.30GHz", TWO);
	fake_topology_file_error(fake, 3, "core_id", -ENOENT);
	freed_by(isst_close) struct isst_context *context = fake_discovered(fake);
	assert_true(context_cpu(context, 1)->core_known);
	assert_int_equal(context_cpu(context, 1)->core, 0);
	assert_int_equal(context_cpu(context, 1)->thread, 1);
	assert_int_equal(context_cpu(context, 2)->core, 1);
	assert_int_equal(context_cpu(context, 2)->thread, 0);
	assert_false(context_cpu(context, 3)->core_known);
}

FAKE_TEST(asking_whether_it_is_one_leaves_other_processors_alone)
{
	fake_small_machine(fake);
	freed_by(isst_close) struct isst_context *context = fake_context(fake);
	assert_false(context_is_preset(context));
	assert_int_equal(fake->device.opens, 0);
	assert_int_equal(fake->files.reads, 0);
}
