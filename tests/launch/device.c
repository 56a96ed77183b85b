/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that gives the driver addresses at which not all of a structure is; to be run on the
 * machines of tests/platforms/tiny.platform and tpmi-tiny.platform. The
 * driver answers as the kernel's, which copies a batch entry by entry.
 */
#include "program.h"

#include "driver/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int device;
static char *page; /* behind it is nothing */

static int prepare(void **state)
{
	(void)state;
	device = open("/dev/isst_interface", O_RDWR | O_CLOEXEC);
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return device < 0 || page == MAP_FAILED || munmap(page + PAGE, PAGE) ? -1 : 0;
}

static int clean_up(void **state)
{
	(void)state;
	return munmap(page, PAGE) || close(device) ? -1 : 0;
}

/** The address of what has so many bytes before the end of the page. */
static void *before_end(const void *content, size_t size)
{
	return memcpy(page + PAGE - size, content, size);
}

static unsigned int api_version(void)
{
	struct abi_platform_info info = { 0 };

	assert_int_equal(ioctl(device, ABI_GET_PLATFORM_INFO, &info), 0);
	return info.api_version;
}

static void structures_are_there_as_a_whole(void **state)
{
	const struct abi_platform_info info = { 0 };

	(void)state;
	assert_fails(ioctl(device, ABI_GET_PLATFORM_INFO, before_end(&info, 4)), EFAULT);
	assert_int_equal(ioctl(device, ABI_GET_PLATFORM_INFO, before_end(&info, 8)), 0);
	assert_fails(ioctl(device, ABI_READ_WRITE(99), page + PAGE), ENOTTY);
}

/* Three entries for the numbers of CPUs. */
struct numbers {
	uint32_t count;
	struct abi_cpu_map maps[3];
};

static const struct numbers numbers = { 3, { { 3, 77 }, { 2, 77 }, { 1, 77 } } };

static void entries_are_carried_out_as_far_as_they_go(void **state)
{
	struct numbers *found;

	(void)state;
	assert_fails(ioctl(device, ABI_GET_PHY_ID, before_end(&numbers, 2)), EFAULT);
	assert_fails(ioctl(device, ABI_GET_PHY_ID, before_end(&numbers, 4)), EFAULT);
	assert_fails(ioctl(device, ABI_GET_PHY_ID, before_end(&numbers, 11)), EFAULT);
	found = before_end(&numbers, 24);
	assert_int_equal(ioctl(device, ABI_GET_PHY_ID, found), 2);
	assert_int_equal(found->count, 3);
	assert_int_not_equal(found->maps[0].physical_cpu, 77);
	assert_int_not_equal(found->maps[1].physical_cpu, 77);
	assert_int_equal(ioctl(device, ABI_GET_PHY_ID, before_end(&numbers, sizeof(numbers))), 3);
}

/** What the driver only reads may be constant. */
static void what_is_not_writable_is_not_written(void **state)
{
	struct {
		uint32_t count, unused;
		struct abi_msr_cmd command;
	} limits = { 1, 0, { .logical_cpu = 1, .msr = 0x1ad } };

	(void)state;
	if (api_version() > 1)
		skip();
	assert_int_equal(ioctl(device, ABI_MSR_COMMAND, &limits), 1);
	limits.command.read_write = 1;
	memcpy(page, &limits, sizeof(limits));
	memcpy(page + 1024, &numbers, sizeof(numbers));
	assert_int_equal(mprotect(page, PAGE, PROT_READ), 0);
	assert_int_equal(ioctl(device, ABI_MSR_COMMAND, page), 1);
	assert_fails(ioctl(device, ABI_GET_PHY_ID, page + 1024), EFAULT);
	assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
}

/** By TPMI a batch is all, or an error, and every error ENOTTY. */
static void associations_are_there_as_a_whole(void **state)
{
	const struct {
		uint16_t count, set, by_punit;
		struct abi_clos_assoc entries[2];
	} associations = { 2, 0, 1, { { 0, 0, 1, 3 }, { 0, 0, 2, 3 } } };
	const struct abi_perf_level_info levels = { 0 };
	struct abi_clos_assoc *first;

	(void)state;
	if (api_version() == 1)
		skip();
	assert_fails(ioctl(device, ABI_PERF_LEVELS, before_end(&levels, 4)), ENOTTY);
	assert_int_equal(ioctl(device, ABI_PERF_LEVELS, before_end(&levels, sizeof(levels))), 0);
	assert_fails(ioctl(device, ABI_CLOS_ASSOC, before_end(&associations, 4)), ENOTTY);
	assert_fails(ioctl(device, ABI_CLOS_ASSOC, before_end(&associations, 6)), ENOTTY);
	assert_fails(ioctl(device, ABI_CLOS_ASSOC, before_end(&associations, 12)), ENOTTY);
	first = (struct abi_clos_assoc *)(page + PAGE - 6);
	assert_int_equal(first->clos, 0);
	assert_int_equal(
		ioctl(device, ABI_CLOS_ASSOC, before_end(&associations, sizeof(associations))), 0);
}

/* With a word: calls the driver until it is killed. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structures_are_there_as_a_whole),
		cmocka_unit_test(entries_are_carried_out_as_far_as_they_go),
		cmocka_unit_test(what_is_not_writable_is_not_written),
		cmocka_unit_test(associations_are_there_as_a_whole),
	};
	struct numbers asked = numbers;

	(void)argv;
	if (argc > 1 && prepare(NULL) == 0)
		while (ioctl(device, ABI_GET_PHY_ID, &asked) >= 0)
			;
	return cmocka_run_group_tests(tests, prepare, clean_up);
}
