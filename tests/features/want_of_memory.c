/* SPDX-License-Identifier: BSD-3-Clause */
/* Lack of memory: it always has its own message, and a lost text is never used as a value.
 */
#include "features/features.h"
#include "support/fake_context.h"
#include "support/levels.h"
#include "topology/context.h"
#include "transaction/item_access.h"
#include "transaction/journal.h"

#include <dlfcn.h>

#define GROUP "/sys/fs/cgroup/1-2-0"

static int no_memory(void)
{
	return -ENOMEM;
}

/** From now on each function that plans to read fails. */
static void plan_without_memory(struct isst_context *context,
				struct firmware_operations *operations)
{
	*operations = *context->firmware.operations;
	*(void **)&operations->plan_core_power = (void *)no_memory;
	*(void **)&operations->plan_get = (void *)no_memory;
	*(void **)&operations->plan_perf_profile = (void *)no_memory;
	context->firmware.operations = operations;
}

FAKE_TEST(reads_without_memory_leave_their_own_message)
{
	struct firmware_operations operations;
	struct isst_turbo_ratio_limits limits = { 0 };
	struct isst_perf_profile profile = { 0 };
	struct isst_core_power core_power = { 0 };
	struct isst_clos_association association = { 0 };
	struct isst_level level = { 0 };
	struct isst_clos clos = { 0 };
	struct isst_context *context;

	fake_small_machine(fake);
	context = fake_discovered(fake);
	plan_without_memory(context, &operations);
	association.cpu = context_cpu(context, 1);
	level.domain = profile.domain = core_power.domain = clos.domain = limits.domain =
		context_domain(context, 0);
#define CHECK(call) \
	do { \
		message_error(&context->messages, -EIO, "of an earlier call"); \
		assert_int_equal((call), -ENOMEM); \
		assert_string_equal(isst_error(context), "out of memory"); \
	} while (0)
	CHECK(core_power_read(context, &core_power, 1));
	CHECK(clos_read(context, &clos, 1));
	CHECK(clos_association_read(context, &association, 1));
	CHECK(perf_profile_read(context, &profile, 1));
	CHECK(level_read_parts(context, &level, 1, ISST_LEVELS_ALL));
	CHECK(turbo_ratio_limits_read(context, &limits, 1));
	/* Within another call. */
	message_begin(&context->messages);
	message_error(&context->messages, -EIO, "of an earlier call");
	assert_int_equal(perf_profile_read(context, &profile, 0), 0);
	assert_string_equal(isst_error(context), "of an earlier call");
	isst_close(context);
}

/* There is no memory for texts. */
static bool lost;

void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *));

void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	static __typeof__(tsearch) *next;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "tsearch");
	return lost ? NULL : next(key, root, compare);
}

FAKE_TEST(a_text_that_is_lost_is_no_value_of_a_journal)
{
	struct isst_context *context;
	char good[] = "partition 1 2 0 0 0 absent isolated~2-3", same[sizeof(good)],
	     damaged[] = "partition 1 2 0 0 x absent isolated~2-3";
	struct item_line saved;

	context = fake_context(fake);
	memcpy(same, good, sizeof(good));
	assert_int_equal(item_line_parse(context, damaged, &saved), -EINVAL);
	lost = true;
	assert_int_equal(item_line_parse(context, good, &saved), -ENOMEM);
	lost = false;
	assert_int_equal(item_line_parse(context, same, &saved), 0);
	assert_string_equal(saved.written.text, "isolated 2-3");
	isst_close(context);
}

FAKE_TEST(a_text_that_is_lost_is_no_value_of_a_file)
{
	struct item_access access = { .item = { .kind = ITEM_PARTITION, .package = 1, .die = 2 } };
	struct isst_context *context;

	context = fake_context(fake);
	fake_file(&fake->files, "/sys/fs/cgroup/cgroup.controllers", "cpuset");
	fake_file(&fake->files, GROUP "/cpuset.cpus.partition", "isolated");
	fake_file(&fake->files, GROUP "/cpuset.cpus", "2-3");
	message_error(&context->messages, -EIO, "of an earlier call");
	lost = true;
	assert_int_equal(items_read(context, &access, 1), 0);
	lost = false;
	assert_int_equal(access.failure.error, -ENOMEM);
	assert_string_equal(access.failure.message, "out of memory");
	/* Within another call. */
	message_begin(&context->messages);
	message_error(&context->messages, -EIO, "of an earlier call");
	assert_int_equal(items_read(context, &access, 1), 0);
	assert_int_equal(access.failure.error, 0);
	assert_string_equal(access.value.text, "isolated 2-3");
	assert_string_equal(isst_error(context), "of an earlier call");
	isst_close(context);
}

FAKE_TEST(a_failure_of_a_file_has_the_message_of_its_own_error)
{
	struct isst_context *context = fake_context(fake);
	struct item_access access = { .item = { .kind = ITEM_SCALING_MAX, .index = 1 } };

	fake_file_error(&fake->files, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq",
			-ENOMEM);
	message_error(&context->messages, -EIO, "of an earlier call");
	assert_int_equal(items_read(context, &access, 1), 0);
	check_holds(access.failure.message, "cpu1/cpufreq/scaling_max_freq cannot be read: ");
	isst_close(context);
}
