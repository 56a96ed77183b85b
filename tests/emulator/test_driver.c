/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests, batches and error numbers of the emulated driver. */
#include "emulator/emulated.h"

struct mailbox_batch {
	uint32_t count;
	struct abi_mbox_cmd command[65];
};

/** @good entries that work, then one that the firmware refuses, then more that would work. */
static void fill(struct mailbox_batch *batch, uint32_t count, uint32_t good)
{
	*batch = (struct mailbox_batch){ .count = count };
	for (uint32_t i = 0; i < 65; i++)
		batch->command[i] = (struct abi_mbox_cmd){
			.resp_data = 0xdeadbeef,
			.command = 0x7f,
			.sub_command = 0x03,
			.req_data = i == good ? 9 : 0,
		};
}

TEST_MACHINE(a_batch_returns_the_completed_entries, "guide")
{
	struct mailbox_batch batch;

	fill(&batch, 64, 99);
	assert_int_equal(call(e, ABI_MAILBOX_COMMAND, &batch), 64);
	fill(&batch, 10, 3);
	assert_int_equal(call(e, ABI_MAILBOX_COMMAND, &batch), 3);
	assert_int_equal(batch.command[2].resp_data, 0x001a00cd);
	assert_int_equal(batch.command[3].resp_data, 0xdeadbeef);
	assert_int_equal(batch.command[4].resp_data, 0xdeadbeef);
	fill(&batch, 10, 0);
	assert_int_equal(call(e, ABI_MAILBOX_COMMAND, &batch), -ENXIO);
}

TEST_MACHINE(counts_outside_1_to_64_are_invalid, "guide")
{
	static const unsigned long requests[] = { ABI_GET_PHY_ID, ABI_IO_COMMAND,
						  ABI_MAILBOX_COMMAND, ABI_MSR_COMMAND };
	struct mailbox_batch batch;

	for (size_t i = 0; i < 4; i++) {
		fill(&batch, 0, 99);
		assert_int_equal(call(e, requests[i], &batch), -EINVAL);
		fill(&batch, 65, 99);
		assert_int_equal(call(e, requests[i], &batch), -EINVAL);
		assert_int_equal(call(e, requests[i], NULL), -EFAULT);
	}
}

TEST_MACHINE(unknown_requests_and_absent_transports, NULL)
{
	struct abi_platform_info info;
	struct mailbox_batch batch;
	uint32_t value = 0;

	start(e, "guide");
	assert_int_equal(call(e, ABI_PERF_LEVELS, &batch), -ENOTTY);
	assert_int_equal(call(e, 0x4711, &batch), -ENOTTY);
	assert_int_equal(
		e->machine->device->ioctl(e->machine->data, 9999, ABI_GET_PLATFORM_INFO, &info),
		-EBADF);
	finish(e);

	start(e, "tests/no-transport");
	assert_int_equal(call(e, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 0);
	assert_int_equal(info.mbox_supported, 0);
	assert_int_equal(info.mmio_supported, 0);
	fill(&batch, 1, 99);
	assert_int_equal(call(e, ABI_MAILBOX_COMMAND, &batch), -ENOTTY);
	assert_int_equal(mmio(e, 0, 0x08, false, &value), -ENOTTY);
	assert_int_equal(phy_id(e, 1, &value), 1);
	finish(e);

	start(e, "tests/no-device");
	assert_int_equal(e->device, -ENOENT);
}

TEST_MACHINE(platform_info, "guide")
{
	struct abi_platform_info info;

	check_request(e, ABI_GET_PLATFORM_INFO, info, { 1, 1, 64, 1, 1 });
	assert_string_equal(e->machine->name, "guide");
	assert_int_equal(e->machine->identity.model, 0x6a);
}

TEST_MACHINE(phy_ids, NULL)
{
	uint32_t id;

	start(e, "guide");
	assert_phy_id(e, 5, 10);  /* core 5, thread 0 */
	assert_phy_id(e, 33, 11); /* its other thread */
	assert_phy_id(e, 55, 27);
	assert_int_equal(phy_id(e, 56, &id), -EINVAL);
	finish(e);

	start(e, "tests/offline");
	assert_phy_id(e, 2, 4);
	assert_phy_id(e, 3, 0); /* never online: looks like core 0 */
	finish(e);

	start(e, "tests/sparse");
	assert_phy_id(e, 5003, 11);
	assert_int_equal(phy_id(e, 4, &id), 1); /* possible, not present */
	assert_int_equal(id, 0);
}

TEST_MACHINE(offline_cpus, NULL)
{
	uint32_t word = 0;
	uint64_t value = 0;

	start(e, "tests/offline");
	assert_int_equal(msr(e, 3, 0x1ad, false, &value), -ENXIO);
	assert_int_equal(mailbox_on(e, 3, 0x7f, 0, 0, 0, &word), -EINVAL);
	assert_int_equal(mmio(e, 3, 0x08, false, &word), -EINVAL);
	/* The PCI transport remembers a CPU that was online once. */
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "1\n"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0\n"), 0);
	assert_int_equal(mailbox_on(e, 3, 0x7f, 0, 0, 0, &word), 1);
	assert_int_equal(msr(e, 3, 0x1ad, false, &value), -ENXIO);
	assert_phy_id(e, 3, 6);
	finish(e);

	start(e, "tests/skylake-mailbox");
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	assert_int_equal(mailbox_on(e, 3, 0x7f, 0, 0, 0, &word), -ENXIO);
}

TEST_MACHINE(mmio_registers, "guide")
{
	uint32_t value = 0;

	rules(e, "capability granted\n");
	for (uint32_t clos = 0; clos < 4; clos++) {
		value = 0;
		assert_int_equal(mmio(e, 0, 0x08 + 4 * clos, false, &value), 1);
		assert_int_equal(value, 0x00ff0000); /* max 255: no limit */
	}
	value = 0x1e1a08f3;
	assert_int_equal(mmio(e, 0, 0x0c, true, &value), 1);
	value = 0;
	assert_mmio(e, 28, 0x0c, 0x1e1a08f3);
	assert_mmio(e, 14, 0x0c, 0x00ff0000); /* the other package */
	/* The association is the core's: written through either thread, other bits do not exist. */
	value = 0xffffffff;
	assert_int_equal(mmio(e, 5, 0x20 + 4 * 5, true, &value), 1);
	value = 0;
	assert_int_equal(mmio(e, 33, 0x20 + 4 * 5, false, &value), 1);
	assert_int_equal(value, 3 << 16);
}

TEST_MACHINE(mmio_ranges, NULL)
{
	static const struct {
		const char *platform;
		uint32_t offset;
		int result;
	} accesses[] = {
		{ "guide", 0x00, -EINVAL },
		{ "guide", 0x04, 1 },
		{ "guide", 0x06, -EINVAL },
		{ "guide", 0x18, 1 },
		{ "guide", 0xd0, 1 },
		{ "guide", 0xd4, -EINVAL },
		{ "sapphirerapids-2s56c", 0xd4, 1 },
		{ "sapphirerapids-2s56c", 0x11c, 1 },
		{ "sapphirerapids-2s56c", 0x120, -EINVAL },
	};

	for (size_t i = 0; i < COUNT(accesses); i++) {
		uint32_t value = 0;

		start(e, accesses[i].platform);
		assert_int_equal(mmio(e, 0, accesses[i].offset, false, &value), accesses[i].result);
		finish(e);
	}
	start(e, "guide");
	assert_int_equal(mmio(e, 4711, 0x08, false, &(uint32_t){ 0 }), -EINVAL);
}

TEST_MACHINE(msrs, NULL)
{
	uint64_t value = 0;

	start(e, "guide");
	rules(e, "capability granted\n");
	assert_msr(e, 0, 0x1ad, UINT64_C(0x1f1f1f1f1f1f1f20));
	assert_msr(e, 0, 0x1ae, UINT64_C(0x100e0c0a08060402));
	value = UINT64_C(0x1122334455667788);
	assert_int_equal(msr(e, 13, 0x1ad, true, &value), 1);
	value = 0;
	assert_int_equal(msr(e, 28, UINT64_C(0xffff0000000001ad), false, &value), 1);
	assert_true(value == UINT64_C(0x1122334455667788));
	assert_msr(e, 14, 0x1ad, UINT64_C(0x1f1f1f1f1f1f1f20));
	assert_msr(e, 0, 0x64b, 0);
	assert_int_equal(msr(e, 0, 0x770, false, &value), -EINVAL);
	assert_int_equal(msr(e, 56, 0x1ad, false, &value), -EINVAL);
	assert_int_equal(msr(e, 0, 0x54, false, &value), -EIO);
	assert_int_equal(msr(e, 0, 0x1ae, true, &value), -EIO);
	finish(e);
	start(e, "tests/old-kernel");
	assert_int_equal(msr(e, 0, 0x54, false, &value), -EINVAL);
}

TEST_MACHINE(statistics_are_exact, "guide")
{
	struct isst_emulator_statistics found;
	struct mailbox_batch batch;
	struct abi_platform_info info;

	rules(e, "capability granted\n");
	call(e, ABI_GET_PLATFORM_INFO, &info);
	fill(&batch, 10, 3); /* three work, the fourth is tried */
	call(e, ABI_MAILBOX_COMMAND, &batch);
	mailbox_result(e, 0x7f, 0x08, 0, 4);
	mailbox_result(e, 0x7f, 0x08, 0, 9); /* refused: sets nothing */
	call(e, 0x4711, &info);
	read_result(e, CPUS "/online");
	read_result(e, "/nothing");
	write_file(e, CPUS "/cpu3/online", "0");
	found = take_statistics(e, true);
	assert_true(found.device_opens == 1);
	assert_true(found.driver_calls == 5);
	assert_true(found.commands == 1 + 4 + 1 + 1 + 1);
	assert_true(found.writes == 1);
	assert_true(found.files_opened == 3);
	found = take_statistics(e, false);
	assert_true(found.driver_calls == 0);
}
