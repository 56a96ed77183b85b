/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing the device, and the properties that the driver reports. */
#include "base/messages.h"
#include "driver/driver.h"
#include "support/check.h"
#include "support/fake_machine.h"

struct opened {
	struct messages messages;
	struct driver driver;
	struct abi_platform_info info;
};

static int open_on(struct fake_machine *fake, struct opened *opened)
{
	*opened = (struct opened){ 0 };
	driver_init(&opened->driver, &fake->machine, &opened->messages);
	opened->driver.modules = "isst_tpmi";
	return driver_open(&opened->driver, &opened->info);
}

static void finish(struct opened *opened)
{
	driver_close(&opened->driver);
	messages_free(&opened->messages);
}

FAKE_TEST(the_driver_reports_its_properties)
{
	struct opened opened;

	fake->device.api_version = 3;
	fake->device.driver_version = 2;
	fake->device.max_commands = 17;
	fake->device.mmio = 0;
	assert_int_equal(open_on(fake, &opened), 0);
	assert_int_equal(opened.info.api_version, 3);
	assert_int_equal(opened.info.driver_version, 2);
	assert_int_equal(opened.info.max_cmds_per_ioctl, 17);
	assert_int_equal(opened.info.mbox_supported, 1);
	assert_int_equal(opened.info.mmio_supported, 0);
	assert_int_equal(opened.driver.max_commands, 17);
	assert_true(fake->device.is_open);
	finish(&opened);
	assert_false(fake->device.is_open);
}

FAKE_TEST(a_driver_that_reports_no_limit_gets_64_commands)
{
	struct opened opened;

	fake->device.max_commands = 0;
	assert_int_equal(open_on(fake, &opened), 0);
	assert_int_equal(opened.driver.max_commands, 64);
	finish(&opened);
}

FAKE_TEST(D70_no_device_means_no_driver_here_and_names_the_modules)
{
	static const int ERRORS[] = { -ENOENT, -ENODEV, -ENXIO };
	struct opened opened;

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		fake->device.open_error = ERRORS[i];
		assert_int_equal(open_on(fake, &opened), -EOPNOTSUPP);
		check_holds(opened.messages.error, "/dev/isst_interface");
		check_holds(opened.messages.error, strerror(-ERRORS[i]));
		check_holds(opened.messages.error, "load isst_tpmi;");
		finish(&opened);
	}
	assert_int_equal(fake->device.closes, 0);
	assert_int_equal(fake->device.call_count, 0);
}

FAKE_TEST(a_device_that_may_not_be_opened_is_not_permitted)
{
	static const int ERRORS[] = { -EACCES, -EPERM };
	struct opened opened;

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		fake->device.open_error = ERRORS[i];
		assert_int_equal(open_on(fake, &opened), -EPERM);
		check_holds(opened.messages.error, "/dev/isst_interface");
		check_holds(opened.messages.error, "by default only root may open");
		finish(&opened);
	}
}

FAKE_TEST(any_other_failure_to_open_is_reported_unchanged)
{
	struct opened opened;

	fake->device.open_error = -EMFILE;
	assert_int_equal(open_on(fake, &opened), -EIO);
	check_holds(opened.messages.error, strerror(EMFILE));
	assert_int_equal(opened.driver.descriptor, -1);
	finish(&opened);
}

FAKE_TEST(a_device_without_transports_is_closed_at_once_and_no_error)
{
	struct opened opened;

	fake->device.api_version = 0;
	assert_int_equal(open_on(fake, &opened), 0);
	assert_int_equal(opened.info.api_version, 0);
	assert_false(fake->device.is_open);
	assert_int_equal(fake->device.closes, 1);
	finish(&opened);
	assert_int_equal(fake->device.closes, 1);
}

FAKE_TEST(D10_a_device_that_does_not_report_its_properties_is_closed)
{
	static const int ANSWERS[] = { -ENOTTY, -EFAULT, 1, 0x87 };
	struct opened opened;

	for (size_t i = 0; i < COUNT(ANSWERS); i++) {
		fake->device.info_answer = ANSWERS[i];
		assert_int_equal(open_on(fake, &opened), -EIO);
		check_holds(opened.messages.error, "GET_PLATFORM_INFO");
		if (ANSWERS[i] < 0)
			check_holds(opened.messages.error, strerror(-ANSWERS[i]));
		assert_false(fake->device.is_open);
		finish(&opened);
	}
}

FAKE_TEST(nothing_is_sent_once_the_device_is_closed)
{
	struct abi_mbox_cmd command = { .command = 0x7f };
	struct opened opened;
	int error = 0;

	assert_int_equal(open_on(fake, &opened), 0);
	driver_close(&opened.driver);
	fake_forget(&fake->device);
	driver_mailbox(&opened.driver, &command, &error, 1, BATCH_READS);
	assert_int_equal(error, -EBADF);
	assert_int_equal(fake->device.call_count, 0);
	finish(&opened);
}

FAKE_TEST(closing_twice_closes_once_and_a_failure_to_close_is_harmless)
{
	struct opened opened;

	fake->device.close_error = -EIO;
	assert_int_equal(open_on(fake, &opened), 0);
	driver_close(&opened.driver);
	driver_close(&opened.driver);
	assert_int_equal(fake->device.closes, 1);
	finish(&opened);
}

TEST(request_codes_are_those_of_a_64_bit_kernel)
{
	static const struct {
		unsigned long code, expected;
	} CODES[] = {
		{ ABI_GET_PLATFORM_INFO, 0x8008FE00 },
		{ ABI_GET_PHY_ID, 0xC008FE01 },
		{ ABI_IO_COMMAND, 0x4008FE02 },
		{ ABI_MAILBOX_COMMAND, 0xC008FE03 },
		{ ABI_MSR_COMMAND, 0xC008FE04 },
		{ ABI_COUNT_TPMI_INSTANCES, 0x8008FE05 },
		{ ABI_CORE_POWER_STATE, 0xC008FE06 },
		{ ABI_CLOS_PARAM, 0xC008FE07 },
		{ ABI_CLOS_ASSOC, 0xC008FE08 },
		{ ABI_PERF_LEVELS, 0xC008FE09 },
		{ ABI_PERF_SET_LEVEL, 0x4008FE0A },
		{ ABI_PERF_SET_FEATURE, 0x4008FE0B },
		{ ABI_GET_PERF_LEVEL_INFO, 0x8008FE0C },
		{ ABI_GET_PERF_LEVEL_CPU_MASK, 0x8008FE0D },
		{ ABI_GET_BASE_FREQ_INFO, 0x8008FE0E },
		{ ABI_GET_BASE_FREQ_CPU_MASK, 0x8008FE0F },
		{ ABI_GET_TURBO_FREQ_INFO, 0x8008FE10 },
		{ ABI_GET_PERF_LEVEL_FABRIC_INFO, 0x8008FE11 },
	};

	for (size_t i = 0; i < COUNT(CODES); i++)
		assert_int_equal(CODES[i].code, CODES[i].expected);
}

static void open_for_mailbox(struct fake_machine *fake, struct opened *opened)
{
	fake->device.may_be_tried = true;
	fake_mailbox(&fake->device, 0x7f00, 0, 0, 17);
	assert_int_equal(open_on(fake, opened), 0);
	driver_suspend(&opened->driver);
	assert_false(fake->device.is_tried);
}

/** Sends two mailbox commands; returns the error of both. */
static int ask(struct opened *opened)
{
	struct abi_mbox_cmd commands[2] = { { .command = 0x7f }, { .command = 0x7f } };
	int errors[2];

	driver_mailbox(&opened->driver, commands, errors, 2, BATCH_READS);
	assert_int_equal(errors[0], errors[1]);
	if (!errors[0])
		assert_int_equal(commands[1].resp_data, 17);
	return errors[0];
}

/** An open device keeps modules from registering, also while a program waits for its user. */
FAKE_TEST(a_suspended_device_is_opened_by_the_next_request)
{
	struct opened opened;

	open_for_mailbox(fake, &opened);
	assert_false(fake->device.is_open);
	assert_int_equal(ask(&opened), 0);
	assert_true(fake->device.is_open);
	/* Only once is it tried whether it can be opened again. */
	assert_int_equal(fake->device.opens, 3);
	driver_suspend(&opened.driver);
	assert_false(fake->device.is_open);
	assert_int_equal(fake->device.opens, 3);
	driver_suspend(&opened.driver);
	finish(&opened);
	assert_int_equal(ask(&opened), -EBADF);
}

FAKE_TEST(a_device_that_could_not_be_opened_again_stays_open)
{
	struct opened opened;

	assert_int_equal(open_on(fake, &opened), 0);
	fake->device.open_error = -EACCES;
	driver_suspend(&opened.driver);
	driver_suspend(&opened.driver);
	assert_true(fake->device.is_open);
	assert_int_equal(fake->device.opens, 2);
	finish(&opened);
	assert_false(fake->device.is_open);
}

FAKE_TEST(a_driver_that_was_unloaded_meanwhile_can_be_loaded_again)
{
	static const int ERRORS[] = { -ENOENT, -ENXIO, -ENODEV };
	struct opened opened;

	open_for_mailbox(fake, &opened);
	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		fake->device.open_error = ERRORS[i];
		assert_int_equal(ask(&opened), -ENODEV);
	}
	assert_int_equal(fake->device.opens, 2 + COUNT(ERRORS));
	fake->device.open_error = 0;
	assert_int_equal(ask(&opened), 0);
	finish(&opened);
}
