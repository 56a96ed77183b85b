/* SPDX-License-Identifier: BSD-3-Clause */
/* How each setting is read and written; words written manually from the layouts. */
#include "support/fake_firmware.h"

enum { SKYLAKE = 0x55 };

/** A request, and what is to be sent with which data for it. */
struct setting_case {
	unsigned int model;
	enum firmware_setting setting;
	unsigned int index;
	struct fake_entry read;
	uint64_t answer, value;
	struct fake_entry write;
};

static const struct setting_case CASES[] = {
	{ FAKE_ICE_LAKE,
	  SETTING_LEVEL,
	  0,
	  { FAKE_MAILBOX, 5, 0x7f00, 0, 0 },
	  0xff03ffff,
	  3,
	  { FAKE_MAILBOX, 5, 0x7f08, 0, 3 } },
	{ FAKE_ICE_LAKE,
	  SETTING_FEATURES,
	  4,
	  { FAKE_MAILBOX, 5, 0x7f01, 0, 4 },
	  0xfffeffff,
	  2,
	  { FAKE_MAILBOX, 5, 0x7f02, 0, 0x20000 } },
	{ FAKE_ICE_LAKE,
	  SETTING_FEATURES,
	  0,
	  { FAKE_MAILBOX, 5, 0x7f01, 0, 0 },
	  0x00010000,
	  1,
	  { FAKE_MAILBOX, 5, 0x7f02, 0, 0x10000 } },
	{ FAKE_ICE_LAKE,
	  SETTING_CORE_POWER,
	  0,
	  { FAKE_MAILBOX, 5, 0x9403, 0, 0 },
	  0xffffffff,
	  1,
	  { FAKE_MAILBOX, 5, 0x9503, 0, 0x10000 } },
	{ FAKE_ICE_LAKE,
	  SETTING_QOS,
	  0,
	  { FAKE_MAILBOX, 5, 0xd002, 0, 0 },
	  0x80000006,
	  0x80000006,
	  { FAKE_MAILBOX, 5, 0xd002, 0x100, 0x80000006 } },
	{ FAKE_ICE_LAKE,
	  SETTING_CLOS,
	  0,
	  { FAKE_IO, 5, 0x08, 0, 0 },
	  0x0aff143c,
	  0x0aff143c,
	  { FAKE_IO, 5, 0x08, 1, 0x0aff143c } },
	{ FAKE_ICE_LAKE,
	  SETTING_ASSOCIATION,
	  1,
	  { FAKE_IO, 5, 0x24, 0, 0 },
	  0xfffdffff,
	  1,
	  { FAKE_IO, 5, 0x24, 1, 0x10000 } },
	{ FAKE_ICE_LAKE,
	  SETTING_CLOS,
	  2,
	  { FAKE_IO, 5, 0x10, 0, 0 },
	  0xff1e0fc3,
	  0xff1e0fc3,
	  { FAKE_IO, 5, 0x10, 1, 0xff1e0fc3 } },
	{ FAKE_ICE_LAKE,
	  SETTING_ASSOCIATION,
	  63,
	  { FAKE_IO, 5, 0x11c, 0, 0 },
	  0xfffeffff,
	  2,
	  { FAKE_IO, 5, 0x11c, 1, 0x20000 } },
	{ SKYLAKE,
	  SETTING_CLOS,
	  3,
	  { FAKE_MAILBOX, 5, 0xd001, 3, 0 },
	  0xff1e0fc3,
	  0xff1e0fc3,
	  { FAKE_MAILBOX, 5, 0xd001, 0x103, 0xff1e0fc3 } },
	{ SKYLAKE,
	  SETTING_ASSOCIATION,
	  27,
	  { FAKE_MAILBOX, 5, 0xd000, 27, 0 },
	  0x00030000,
	  3,
	  { FAKE_MAILBOX, 5, 0xd000, 0x11b, 0x30000 } },
	{ SKYLAKE,
	  SETTING_TURBO_RATIO_LIMITS,
	  0,
	  { FAKE_MSR, 5, 0x1ad, 0, 0 },
	  UINT64_MAX,
	  UINT64_MAX,
	  { FAKE_MSR, 5, 0x1ad, 1, UINT64_MAX } },
};

FAKE_MACHINE_TEST(each_setting_is_read_as_a_plain_value)
{
	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_firmware_start(machine, CASES[i].model);
		uint64_t value = 0x1234;
		struct isst_failure failure = { 0 };
		struct setting_request request = { &fake->domain, CASES[i].setting, CASES[i].index,
						   &value, &failure };

		fake_rule(fake->device,
			  &(struct fake_rule){ .entry = CASES[i].read, .answer = CASES[i].answer });
		assert_int_equal(fake->operations->plan_get(fake->batch, &request), 0);
		assert_int_equal(firmware_run(fake->batch), 0);
		assert_int_equal(failure.error, 0);
		assert_int_equal(value, CASES[i].value);
		fake_firmware_finish(fake);
	}
}

FAKE_MACHINE_TEST(each_setting_is_written_in_its_own_encoding)
{
	for (size_t i = 0; i < COUNT(CASES); i++) {
		struct fake_firmware *fake = fake_firmware_start(machine, CASES[i].model);
		uint64_t value = CASES[i].value;
		struct isst_failure failure = { 0 };
		struct setting_request request = { &fake->domain, CASES[i].setting, CASES[i].index,
						   &value, &failure };

		fake_rule(fake->device, &(struct fake_rule){ .entry = CASES[i].write });
		assert_int_equal(fake->operations->plan_set(fake->batch, &request), 0);
		assert_int_equal(firmware_run_writes(fake->batch), 0);
		assert_int_equal(failure.error, 0);
		assert_int_equal(fake->device->entry_count, 1);
		assert_int_equal(value, CASES[i].value);
		fake_firmware_finish(fake);
	}
}

/** Plans to write four CLOS registers and, before them, a mailbox setting; @address fails. */
static void write_five(struct fake_firmware *fake, struct isst_failure failures[5])
{
	static uint64_t values[5] = { 1, 0, 0, 0, 0 };

	for (unsigned int i = 0; i < 5; i++) {
		struct setting_request request = { &fake->domain,
						   i ? SETTING_CLOS : SETTING_CORE_POWER,
						   i ? i - 1 : 0, &values[i], &failures[i] };

		assert_int_equal(fake->operations->plan_set(fake->batch, &request), 0);
	}
	assert_int_equal(firmware_run_writes(fake->batch), 0);
}

FIRMWARE_TEST(D9_writes_after_one_that_fails_are_not_sent_and_fail)
{
	struct isst_failure failures[5] = { 0 };

	fake_mailbox(fake->device, 0x9503, 0, 0x10000, 0);
	for (uint32_t address = 0x08; address < 0x18; address += 4)
		fake_rule(fake->device,
			  &(struct fake_rule){ .entry = { FAKE_IO, 5, address, 1, 0 },
					       .error = address == 0x0c ? -EPERM : 0 });
	write_five(fake, failures);
	assert_int_equal(failures[0].error, 0);
	assert_int_equal(failures[1].error, 0);
	assert_int_equal(failures[2].error, -EPERM);
	check_holds(failures[2].message, "CAP_SYS_ADMIN");
	assert_int_equal(failures[3].error, -ECANCELED);
	assert_int_equal(failures[4].error, -ECANCELED);
	check_holds(failures[4].message, "not sent");
}

FIRMWARE_TEST(D9_a_failed_write_stops_those_of_other_kinds_too)
{
	struct isst_failure failures[5] = { 0 };

	fake_mailbox_error(fake->device, 0x9503, 0, 0x10000, -ENXIO);
	for (uint32_t address = 0x08; address < 0x18; address += 4)
		fake_rule(fake->device,
			  &(struct fake_rule){ .entry = { FAKE_IO, 5, address, 1, 0 } });
	write_five(fake, failures);
	assert_int_equal(failures[0].error, -EIO);
	for (unsigned int i = 1; i < 5; i++)
		assert_int_equal(failures[i].error, -ECANCELED);
	assert_int_equal(fake_calls(fake->device, FAKE_IO), 0);
}
