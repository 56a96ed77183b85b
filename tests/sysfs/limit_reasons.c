/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading performance limit reasons, and the CPUs that are to be left alone. */
#include "sysfs/limit_reasons.h"
#include "base/messages.h"
#include "support/check.h"
#include "support/fake_machine.h"
#include "sysfs/system.h"

#include <errno.h>

#define PLR "/sys/kernel/debug/tpmi-0000:00:03.1/plr"
#define CPUS "/sys/devices/system/cpu"

struct reader {
	struct messages messages;
	struct kernel_files files;
};

static struct isst_cpuset *online;

static int bring_online(void **state)
{
	(void)state;
	online = isst_cpuset_new();
	return isst_cpuset_add_list(online, "0,127", NULL);
}

static int forget_online(void **state)
{
	(void)state;
	isst_cpuset_free(online);
	return 0;
}

static struct kernel_files *start(struct fake_machine *fake, struct reader *reader)
{
	*reader = (struct reader){ 0 };
	fake->files.listable = true;
	kernel_files_init(&reader->files, &fake->machine, &reader->messages);
	return &reader->files;
}

/* Those of CPUs that are offline are not taken: of one that was never online the line is of another
 * core. */
FAKE_TEST(lines_are_of_a_domain_or_of_a_cpu)
{
	struct limit_reasons reasons;
	struct reader reader;

	fake_file(&fake->files, PLR "/domain0/status",
		  "cpus THERMAL POWER\ncpu0 none\ncpu1 POWER\ncpu127 THERMAL THERMAL_PER_CORE");
	fake_file(&fake->files, "/sys/kernel/debug/other/plr/domain0/status", "nonsense");
	fake_file(&fake->files, PLR "/srcdst/status", "nonsense");
	assert_int_equal(limit_reasons_read(start(fake, &reader), online, &reasons), 0);
	assert_int_equal(reasons.count, 3);
	assert_true(reasons.lines[0].of_domain);
	assert_string_equal(reasons.lines[0].words, "THERMAL POWER");
	assert_false(reasons.lines[1].of_domain);
	assert_int_equal(reasons.lines[1].cpu, 0);
	assert_string_equal(reasons.lines[1].words, "");
	assert_int_equal(reasons.lines[2].cpu, 127);
	assert_string_equal(reasons.lines[2].words, "THERMAL THERMAL_PER_CORE");
	limit_reasons_clear(&reasons);
	kernel_files_forget(&reader.files);
	messages_free(&reader.messages);
}

FAKE_TEST(kernels_without_them_have_none)
{
	struct limit_reasons reasons;
	struct reader reader;

	fake_file(&fake->files, "/sys/kernel/debug/tpmi-0000:00:03.1/tpmi-id-05/mem_dump", "x");
	assert_int_equal(limit_reasons_read(start(fake, &reader), online, &reasons), -ENOENT);
	assert_int_equal(reasons.count, 0);
	limit_reasons_clear(&reasons);
	kernel_files_forget(&reader.files);
	messages_free(&reader.messages);
}

/* As under kernel lockdown. */
FAKE_TEST(what_may_not_be_read_is_not_permitted)
{
	struct limit_reasons reasons;
	struct reader reader;

	fake_file_error(&fake->files, PLR "/domain0/status", -EPERM);
	assert_int_equal(limit_reasons_read(start(fake, &reader), online, &reasons), -EPERM);
	assert_string_equal(reader.messages.error,
			    PLR "/domain0/status may not be read: Operation not permitted");
	limit_reasons_clear(&reasons);
	kernel_files_forget(&reader.files);
	messages_free(&reader.messages);
}

FAKE_TEST(a_line_of_nothing_known_is_refused)
{
	static const char *const LINES[] = { "cpux THERMAL", "domain THERMAL", "cpu THERMAL" };

	for (size_t i = 0; i < COUNT(LINES); i++) {
		struct limit_reasons reasons;
		struct reader reader;

		fake_file(&fake->files, PLR "/domain0/status", "%s", LINES[i]);
		assert_int_equal(limit_reasons_read(start(fake, &reader), online, &reasons), -EIO);
		assert_non_null(strstr(reader.messages.error, "is neither 'cpus' nor a CPU"));
		limit_reasons_clear(&reasons);
		kernel_files_forget(&reader.files);
		messages_free(&reader.messages);
	}
}

static void check_undisturbed(struct fake_machine *fake, const char *nohz_full,
			      const char *expected)
{
	struct isst_cpuset *cpus = isst_cpuset_new();
	struct reader reader;

	fake_file(&fake->files, CPUS "/isolated", "4-5");
	fake_file(&fake->files, CPUS "/nohz_full", "%s", nohz_full);
	assert_int_equal(undisturbed_cpus(start(fake, &reader), cpus), 0);
	autofree char *list = isst_cpuset_to_list(cpus);
	assert_string_equal(list, expected);
	isst_cpuset_free(cpus);
	kernel_files_forget(&reader.files);
	messages_free(&reader.messages);
}

/* Without nohz_full the kernel prints a set that it does not have. */
FAKE_TEST(isolated_and_nohz_full_cpus_are_left_alone)
{
	check_undisturbed(fake, "7-8", "4-5,7-8");
	check_undisturbed(fake, "  (null)", "4-5");
	check_undisturbed(fake, "", "4-5");
}

/** They are looked for once, and what is wrong with their files is no failure of a read. */
FAKE_TEST(files_of_cpus_to_leave_alone_fail_no_read)
{
	const struct isst_cpuset *known;
	struct kernel_files *files;
	struct reader reader;

	fake_file(&fake->files, CPUS "/isolated", "4-5");
	fake_file(&fake->files, CPUS "/nohz_full", "everything");
	files = start(fake, &reader);
	/* Within a call that is not successful so far. */
	message_begin(&reader.messages);
	message_error(&reader.messages, -EIO, "an earlier failure");
	known = undisturbed_known(files);
	assert_int_equal(isst_cpuset_count(known), 2);
	assert_true(isst_cpuset_has(known, 4) && isst_cpuset_has(known, 5));
	assert_string_equal(reader.messages.error, "an earlier failure");
	fake_file(&fake->files, CPUS "/isolated", "6");
	assert_ptr_equal(undisturbed_known(files), known);
	assert_false(isst_cpuset_has(undisturbed_known(files), 6));
	undisturbed_forget(files);
	assert_true(isst_cpuset_has(undisturbed_known(files), 6));
	kernel_files_forget(files);
	messages_free(&reader.messages);
}

int main(void)
{
	return test_main(bring_online, forget_online);
}
