/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's answers, word by word against numbers worked out by hand from the reference. */
#include "emulator/emulated.h"

/** guide, level 0: 205 W, 2600 MHz, ...: every word made by hand from the layout of the command. */
TEST_MACHINE(guide_level_0_word_by_word, "guide")
{
	static const struct {
		unsigned int sub;
		uint32_t data, response;
	} answers[] = {
		{ 0x00, 0, 0x80000403 },	/* SST-PP on, level 0, highest 4, version 3 */
		{ 0x01, 0, 0x00000003 },	/* TF and BF supported, off */
		{ 0x03, 0, 0x001a00cd },	/* ratio 26, 205 W */
		{ 0x04, 0, 0x009600cd },	/* 150 W, 205 W */
		{ 0x05, 0, 0x00000069 },	/* 105 C */
		{ 0x06, 0x0000, 0x00003fff },	/* cores 0-13 */
		{ 0x06, 0x0100, 0x00000000 },	/* none above 31 */
		{ 0x07, 0x000000, 0x1f1f1f20 }, /* SSE 32 31 31 31 */
		{ 0x07, 0x000100, 0x1f1f1f1f },
		{ 0x07, 0x010000, 0x1d1e1e1f }, /* AVX2 31 30 30 29 */
		{ 0x07, 0x010100, 0x1c1c1d1d },
		{ 0x07, 0x020000, 0x1a1c1c1d }, /* AVX-512 29 28 28 26 */
		{ 0x07, 0x020100, 0x1919191a },
		{ 0x07, 0x030000, 0 },
		{ 0x09, 0, 0x00001218 },       /* uncore max 24, base 18 */
		{ 0x0a, 0, 0x0012161a },       /* base 26 22 18, no AMX */
		{ 0x0b, 0, 0 },		       /* 3200 */
		{ 0x0c, 0x10000, 0x08001218 }, /* min 8 */
		{ 0x10, 0x000, 0x00060402 },   /* 2 4 6 */
		{ 0x10, 0x100, 0 },
		{ 0x11, 0x000000, 0x001f1f20 },
		{ 0x11, 0x010000, 0x001e1e20 },
		{ 0x11, 0x020000, 0x001d1d1f },
		{ 0x12, 0, 0x0015181a },     /* 26 24 21 */
		{ 0x20, 0x000, 0x00002160 }, /* cores 5 6 8 13 */
		{ 0x20, 0x100, 0 },
		{ 0x21, 0, 0x00001e18 }, /* high 30, low 24 */
		{ 0x22, 0, 0x0000007d }, /* 125 C */
		{ 0x23, 0, 0x000000cd }, /* 205 W */
	};

	for (size_t i = 0; i < COUNT(answers); i++) {
		uint32_t response = ask(e, answers[i].sub, answers[i].data);

		if (response != answers[i].response)
			fail_msg("0x7f/0x%02x 0x%x: 0x%08x, not 0x%08x", answers[i].sub,
				 answers[i].data, response, answers[i].response);
	}
}

TEST_MACHINE(guide_level_4_has_fewer_cores_and_no_base_freq, "guide")
{
	assert_int_equal(ask(e, 0x01, 4), 0x00000001);
	assert_int_equal(ask(e, 0x03, 4), 0x001c00c3);
	assert_int_equal(ask(e, 0x06, 4), 0x00000faf);
	for (unsigned int sub = 0x20; sub <= 0x23; sub++)
		assert_int_equal(mailbox_result(e, 0x7f, sub, 0, 4), -ENXIO);
}

TEST_MACHINE(a_missing_level_is_refused, "tests/level-gaps")
{
	rules(e, "capability granted\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x03, 0, 1), -ENXIO);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 2), -ENXIO);
	assert_int_equal(mailbox_result(e, 0x7f, 0x03, 0, 3), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 0x12, 0, 3), -ENXIO);
}

TEST_MACHINE(commands_outside_the_allow_list_are_invalid, NULL)
{
	start(e, "guide");
	assert_int_equal(mailbox_result(e, 0x7f, 0x0d, 0, 0), -EINVAL);
	assert_int_equal(mailbox_result(e, 0x7f, 0x13, 0, 0), -EINVAL);
	assert_int_equal(mailbox_result(e, 0x94, 0x02, 0, 0), -EINVAL);
	assert_int_equal(mailbox_result(e, 0xd0, 0x04, 0, 0), -EINVAL);
	assert_int_equal(mailbox_result(e, 0x7f, 0x0c, 0, 0x10000), 1);
	finish(e);
	start(e, "tests/old-kernel");
	assert_int_equal(mailbox_result(e, 0x7f, 0x0c, 0, 0x10000), -EINVAL);
	finish(e);
	start(e, "tests/old-firmware");
	assert_int_equal(mailbox_result(e, 0x7f, 0x0c, 0, 0x10000), -ENXIO);
	assert_int_equal(mailbox_result(e, 0x7f, 0x0a, 0, 0), -ENXIO);
	assert_int_equal(mailbox_result(e, 0x7f, 0x09, 0, 0), 1);
}

TEST_MACHINE(core_32_is_in_the_second_half, NULL)
{
	start(e, "tests/core32");
	assert_int_equal(ask(e, 0x06, 0x0000), 0xf);
	assert_int_equal(ask(e, 0x06, 0x0100), 0x1);
	assert_int_equal(ask(e, 0x20, 0x0100), 0x1);
	finish(e);
	start(e, "tests/first-half-only");
	assert_int_equal(mailbox_result(e, 0x7f, 0x06, 0, 0x100), -ENXIO);
}

TEST_MACHINE(A8_features_are_on_only_at_the_current_level, "guide")
{
	rules(e, "capability granted\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 3 << 16), 1);
	assert_int_equal(ask(e, 0x01, 0), 0x00030003);
	assert_int_equal(ask(e, 0x01, 2), 0);
	assert_int_equal(ask(e, 0x01, 4), 0x00000001);
	assert_file(e, CPUS "/cpu5/cpufreq/base_frequency", "3000000\n");
	assert_file(e, CPUS "/cpu4/cpufreq/base_frequency", "2400000\n");
	assert_file(e, CPUS "/cpu19/cpufreq/base_frequency", "2600000\n");
}

TEST_MACHINE(a_level_change_resets_features_and_turbo_limits, "guide")
{
	uint64_t value = UINT64_MAX;

	rules(e, "capability granted\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 1 << 16), 1);
	assert_int_equal(msr(e, 0, 0x1ad, true, &value), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 4), 1);
	assert_int_equal(ask(e, 0x00, 0), 0x80040403);
	assert_int_equal(ask(e, 0x01, 4), 0x00000001);
	assert_msr(e, 0, 0x1ad, UINT64_C(0x2020202020202020));
	assert_file(e, CPUS "/cpu0/cpufreq/base_frequency", "2800000\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 1 << 17), -ENXIO);
}

/** The driver writes MSRs again that a CPU has written, as that CPU comes online; until 6.16. */
TEST_MACHINE(an_online_cpu_gets_its_msr_back, NULL)
{
	static const struct {
		const char *kernel;
		uint64_t becomes;
	} CASES[] = {
		{ "6.1", 0x1111 }, { "6.12", 0x1111 }, { "6.16", 0x2222 }, { "7.2", 0x2222 }
	};

	for (size_t i = 0; i < COUNT(CASES); i++) {
		uint64_t value = 0x1111;
		char text[512];

		snprintf(text, sizeof(text),
			 "[cpu]\nmodel = 0x6a\n[driver]\nkernel = %s\nmmio = 0x3451\n"
			 "[topology]\npackages = 0\ncores = 0-3\n"
			 "[level 0]\ncores = 0-3\nbase = 2000\ntrl-sse = 3000\n"
			 "[domain]\nturbo-cores = 4\n",
			 CASES[i].kernel);
		start_written(e, text);
		rules(e, "capability granted\n");
		assert_int_equal(msr(e, 1, 0x1ad, true, &value), 1);
		value = 0x2222;
		assert_int_equal(msr(e, 2, 0x1ad, true, &value), 1);
		assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
		assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
		assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
		assert_msr(e, 0, 0x1ad, 0x2222);
		assert_int_equal(write_file(e, CPUS "/cpu1/online", "1"), 0);
		assert_msr(e, 0, 0x1ad, CASES[i].becomes);
		finish(e);
	}
}

TEST_MACHINE(a_locked_level_stays, "tests/locked")
{
	rules(e, "capability granted\n");
	assert_int_equal(ask(e, 0x00, 0), 0x81000103);
	assert_msr(e, 0, 0x64b, UINT64_C(1) << 31);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), -ENXIO);
}

TEST_MACHINE(core_power_by_mailbox, "guide")
{
	assert_answer(e, 0, 0x94, 3, 0, 0, 1);
	assert_int_equal(mailbox_result(e, 0x95, 3, 0, 1 << 16), 1);
	assert_answer(e, 0, 0x94, 3, 0, 0, 0x10001);
	assert_int_equal(mailbox_result(e, 0xd0, 2, 0x100, 6), 1);
	assert_answer(e, 0, 0xd0, 2, 0, 0, 6);
	assert_answer(e, 14, 0xd0, 2, 0, 0, 0);
	/* Ice Lake has its classes in MMIO registers. */
	assert_int_equal(mailbox_result(e, 0xd0, 1, 0, 0), -ENXIO);
}

TEST_MACHINE(classes_by_mailbox_on_model_55, "tests/skylake-mailbox")
{
	uint32_t value = 0;

	assert_answer(e, 0, 0xd0, 1, 3, 0, 0x00ff0000);
	assert_int_equal(mailbox_result(e, 0xd0, 1, 0x103, 0x00220a00), 1);
	assert_answer(e, 0, 0xd0, 1, 3, 0, 0x00220a00);
	assert_int_equal(mailbox_result(e, 0xd0, 0, 0x109, 2 << 16), 1);
	assert_answer(e, 5, 0xd0, 0, 9, 0, 2 << 16);
	assert_int_equal(mailbox_result(e, 0xd0, 0, 5, 0), -ENXIO); /* no core 5 */
	assert_int_equal(mmio(e, 0, 0x08, false, &value), -ENOTTY);
}

TEST_MACHINE(writes_take_the_capability_where_the_kernel_sees_them, "guide")
{
	uint32_t word = 0;
	uint64_t value = 0;

	rules(e, "capability denied\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 0), -EPERM);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 0), -EPERM);
	assert_int_equal(mailbox_result(e, 0x95, 0x03, 3, 0), -EPERM);
	assert_int_equal(mailbox_result(e, 0xd0, 0x02, 8, 0), -EPERM);
	assert_int_equal(mmio(e, 0, 0x08, true, &word), -EPERM);
	assert_int_equal(msr(e, 0, 0x1ad, true, &value), -EPERM);
	/* Not recognised: only the device's file mode protects them. */
	assert_int_equal(mailbox_result(e, 0x95, 0x03, 0, 0), 1);
	assert_int_equal(mailbox_result(e, 0xd0, 0x02, 0x100, 0), 1);
	assert_int_equal(mmio(e, 0, 0x08, false, &word), 1);
}
