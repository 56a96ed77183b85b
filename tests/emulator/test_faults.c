/* SPDX-License-Identifier: BSD-3-Clause */
/* Fault rules: each does what docs/internals/emulator.md says, counts over processes. */
#include "emulator/emulated.h"

#include <time.h>

TEST_MACHINE(opening_and_calling, "guide")
{
	struct abi_platform_info info;

	rules(e, "open EACCES\nioctl ENOTTY after 1\nplatform-info api-version 4 mmio 0\n");
	assert_int_equal(e->machine->device->open(e->machine->data), -EACCES);
	assert_int_equal(call(e, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 4);
	assert_int_equal(info.mmio_supported, 0);
	assert_int_equal(info.mbox_supported, 1);
	assert_int_equal(call(e, ABI_GET_PLATFORM_INFO, &info), -ENOTTY);
}

TEST_MACHINE(a_request_by_its_code, "guide")
{
	uint32_t id;

	rules(e, "ioctl request 0xC008FE03 ENOTTY\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0, 0, 0), -ENOTTY);
	assert_int_equal(phy_id(e, 0, &id), 1);
}

TEST_MACHINE(mailbox_conditions, "guide")
{
	uint32_t response;

	rules(e, "# the second package only\n"
		 "mailbox 0x7f/0x03 package 1 die 0 EBUSY\n"
		 "mailbox 0x7f/0x06 data 0x0100 value 0xffffffff\n"
		 "mailbox 0xd0/0x02 set ignored   # a comment\n"
		 "mailbox 0xd0/0x02 parameter 8 EIO\n");
	assert_int_equal(mailbox_on(e, 14, 0x7f, 3, 0, 0, &response), -EBUSY);
	assert_int_equal(mailbox_on(e, 0, 0x7f, 3, 0, 0, &response), 1);
	assert_int_equal(ask(e, 0x06, 0x100), 0xffffffff);
	assert_int_equal(ask(e, 0x06, 0x000), 0x3fff);
	assert_int_equal(mailbox_result(e, 0xd0, 2, 0x100, 6), 1);
	assert_answer(e, 0, 0xd0, 2, 0, 0, 0);
	assert_int_equal(mailbox_result(e, 0xd0, 2, 8, 0), -EIO);
}

TEST_MACHINE(times_and_after_count_over_processes, "guide")
{
	struct isst_machine *first;

	first = open_another(e);
	rules(e, "mailbox 0x7f/0x03 EBUSY times 2 after 1\n");
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), -EBUSY);
	close_machine(e);
	first->release(first);
	open_machine(e);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), -EBUSY);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), 1);
}

/** What could not be read once cannot be read again; anything else can. */
TEST_MACHINE(a_rule_sticks_to_what_it_acted_on, "guide")
{
	const char *file = "/sys/devices/system/cpu/online";
	uint32_t id;

	rules(e, "query any EIO after 2 times 1 sticks\n");
	assert_int_equal(phy_id(e, 0, &id), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0x10000, 0), -EIO);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), 1);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0x10000, 0), -EIO);
	assert_log(e, "fault rule sticks: mailbox 0x7f/0x03 package 0x0 die 0x0 cpu 0x0 "
		      "data 0x0 parameter 0x10000\n");
	/* What sets something is no query. */
	rules(e, "query any EIO times 1 sticks\n");
	assert_int_equal(mailbox_result(e, 0xd0, 2, 0x100, 6), 1);
	assert_int_equal(read_result(e, file), -EIO);
	assert_int_equal(phy_id(e, 0, &id), 1);
	assert_int_equal(read_result(e, file), -EIO);
}

struct batch {
	uint32_t count;
	struct abi_mbox_cmd command[4];
};

static int ask_four(struct emulated *e)
{
	struct batch batch = { .count = 4 };

	for (size_t i = 0; i < 4; i++)
		batch.command[i] = (struct abi_mbox_cmd){ .command = 0x7f, .sub_command = 3 };
	return call(e, ABI_MAILBOX_COMMAND, &batch);
}

TEST_MACHINE(batches_end_early, "guide")
{
	rules(e, "mailbox any short\n");
	assert_int_equal(ask_four(e), 3);
	assert_int_equal(mailbox_result(e, 0x7f, 3, 0, 0), 1);
	rules(e, "mailbox any EINTR times 1\n");
	assert_int_equal(ask_four(e), -EINTR);
	assert_int_equal(ask_four(e), 4);
	rules(e, "mailbox any EINTR times 1 after 2\n");
	assert_int_equal(ask_four(e), 2);
	rules(e, "mailbox any return 0x87 after 0\n");
	assert_int_equal(ask_four(e), 0x87);
}

TEST_MACHINE(registers_and_numbers, "guide")
{
	uint64_t value = 0;
	uint32_t word = 0;

	rules(e, "capability granted\nmmio 0x08 ENXIO\nmmio 0x0c set ignored\nmsr 0x1ad EIO cpu 3\n"
		 "msr 0x1ae value 0x1122334455667788\nphy-id cpu 5 value 0xffffffff\n");
	assert_int_equal(mmio(e, 0, 0x08, false, &word), -ENXIO);
	word = 1;
	assert_int_equal(mmio(e, 0, 0x0c, true, &word), 1);
	assert_mmio(e, 0, 0x0c, 0x00ff0000);
	assert_int_equal(msr(e, 3, 0x1ad, false, &value), -EIO);
	assert_int_equal(msr(e, 4, 0x1ad, false, &value), 1);
	assert_msr(e, 4, 0x1ae, UINT64_C(0x1122334455667788));
	assert_phy_id(e, 5, 0xffffffff);
	assert_phy_id(e, 6, 12);
}

TEST_MACHINE(files, "guide")
{
	rules(e, "read /sys/devices/system/cpu/online content \"0-x\"\n"
		 "read /sys/devices/system/cpu/offline content \"# \\\"1\\\"\\n\"\n"
		 "read /sys/devices/system/cpu/cpu*/topology/core_id EIO\n"
		 "write /sys/devices/system/cpu/cpu3/online EBUSY\n"
		 "write /sys/devices/system/cpu/cpu4/online ignored\n"
		 "list /sys/devices/system/cpu EACCES\n");
	assert_file(e, CPUS "/online", "0-x");
	assert_file(e, CPUS "/offline", "# \"1\"\n");
	assert_int_equal(read_result(e, CPUS "/cpu7/topology/core_id"), -EIO);
	assert_int_equal(read_result(e, CPUS "/cpu7/topology/die_id"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), -EBUSY);
	set_file(e, CPUS "/cpu4/online", "0", "1\n");
	assert_int_equal(count_names(e, CPUS, ""), -EACCES);
}

/* What another agent does after a call is there in the next one, and not in this one. */
TEST_MACHINE(others_act_between_two_calls, "guide")
{
	uint32_t response;

	rules(e, "mailbox 0x7f/0x00 package 0 times 1 then level 4 package 0\n"
		 "write " CPUS "/cpu3/online EBUSY then write " CPUS "/cpu4/online 0\n"
		 "mailbox 0x7f/0x03 then write " CPUS "/cpu5/online \"what\"\n");
	assert_int_equal(ask(e, 0x00, 0) >> 16 & 0xff, 0);
	assert_int_equal(ask(e, 0x00, 0) >> 16 & 0xff, 4);
	assert_int_equal(mailbox_on(e, 14, 0x7f, 0, 0, 0, &response), 1);
	assert_int_equal(response >> 16 & 0xff, 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), -EBUSY);
	assert_file(e, CPUS "/cpu3/online", "1\n");
	assert_file(e, CPUS "/cpu4/online", "0\n");
	/* What fails is not lost. */
	ask(e, 0x03, 0);
	assert_file(e, CPUS "/cpu5/online", "1\n");
	assert_log(e, "emulator: a fault rule could not write " CPUS
		      "/cpu5/online: Invalid argument\n");
}

static int64_t now_us(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/** How long @count commands take at least. */
static void assert_delay(const char *rule, unsigned int count, int64_t us)
{
	struct emulated e;
	int64_t begin;

	start(&e, "tests/tiny");
	rules(&e, rule);
	begin = now_us();
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(mailbox_result(&e, 0x7f, 0, 0, 0), 1);
	assert_true(now_us() - begin >= us);
	finish(&e);
}

TEST_MACHINE(firmware_can_be_slow, NULL)
{
	assert_delay("command any delay 300us\n", 10, 3000);
	assert_delay("mailbox any delay 5\n", 2, 10000);
	assert_delay("command any delay 2500us times 1\n", 2, 2500);
}

/** Of calls, and of who opens the machine next, who is told what is wrong. The case
 * emulated-faults-with-mistakes has the messages. */
TEST_MACHINE(wrong_rules_are_an_error, "tests/tiny")
{
	rules(e, "\nfrobnicate EIO\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0, 0, 0), -EIO);
	assert_refused(e, -EINVAL, "/faults:2: found ");
}
