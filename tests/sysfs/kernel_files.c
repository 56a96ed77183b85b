/* SPDX-License-Identifier: BSD-3-Clause */
/* The typed readers of the kernel's files. */
#include "sysfs/kernel_files.h"
#include "base/messages.h"
#include "common/numbered.h"
#include "support/check.h"
#include "support/fake_machine.h"

#define PATH "/sys/some/file"

struct reader {
	struct messages messages;
	struct kernel_files files;
};

static struct kernel_files *start(struct fake_machine *fake, struct reader *reader)
{
	*reader = (struct reader){ 0 };
	kernel_files_init(&reader->files, &fake->machine, &reader->messages);
	return &reader->files;
}

static int number_of(struct fake_machine *fake, struct reader *reader, uint64_t max,
		     uint64_t *number)
{
	return kernel_files_number(start(fake, reader), PATH, max, number);
}

static int cpus_of(struct fake_machine *fake, struct reader *reader, struct isst_cpuset *set)
{
	return kernel_files_cpulist(start(fake, reader), PATH, set);
}

FAKE_TEST(D28_white_space_at_the_end_does_not_count)
{
	static const char *const CONTENTS[] = { "800", "800\n", "800\n\n", "800 \t\r\n" };
	struct reader reader;
	uint64_t number;

	for (size_t i = 0; i < COUNT(CONTENTS); i++) {
		fake_file_bytes(&fake->files, PATH, CONTENTS[i], strlen(CONTENTS[i]));
		assert_int_equal(number_of(fake, &reader, 1000, &number), 0);
		assert_int_equal(number, 800);
		messages_free(&reader.messages);
	}
}

FAKE_TEST(text_is_read_whole_and_inner_white_space_stays)
{
	struct reader reader;
	char *text;

	fake_file(&fake->files, PATH, "isolated invalid (no cpu)");
	assert_int_equal(kernel_files_text(start(fake, &reader), PATH, &text), 0);
	assert_string_equal(text, "isolated invalid (no cpu)");
	free(text);
	fake_file_bytes(&fake->files, PATH, "", 0);
	assert_int_equal(kernel_files_text(&reader.files, PATH, &text), 0);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(reader.files.opened, 2);
	messages_free(&reader.messages);
}

FAKE_TEST(a_malformed_number_names_file_and_content)
{
	static const char *const CONTENTS[] = {
		"-1",  "abc",  "",   "0x10", "1 2",
		"1,2", "1001", "+5", "1.5",  "99999999999999999999999"
	};
	struct reader reader;
	uint64_t number = 4;
	char quoted[64];

	for (size_t i = 0; i < COUNT(CONTENTS); i++) {
		fake_file(&fake->files, PATH, "%s", CONTENTS[i]);
		assert_int_equal(number_of(fake, &reader, 1000, &number), -EIO);
		check_holds(reader.messages.error, PATH);
		snprintf(quoted, sizeof(quoted), "'%s'", CONTENTS[i]);
		check_holds(reader.messages.error, quoted);
		check_holds(reader.messages.error, "0 to 1000");
		assert_int_equal(number, 4);
		messages_free(&reader.messages);
	}
}

FAKE_TEST(the_largest_allowed_number_is_read)
{
	struct reader reader;
	uint64_t number;

	fake_file(&fake->files, PATH, "18446744073709551615");
	assert_int_equal(number_of(fake, &reader, UINT64_MAX, &number), 0);
	assert_int_equal(number, UINT64_MAX);
	messages_free(&reader.messages);
}

FAKE_TEST(D29_a_nul_byte_is_no_text)
{
	struct reader reader;
	uint64_t number = 4;

	fake_file_bytes(&fake->files, PATH,
			"8\0"
			"5\n",
			4);
	assert_int_equal(number_of(fake, &reader, 1000, &number), -EIO);
	check_holds(reader.messages.error, PATH);
	check_holds(reader.messages.error, "NUL");
	assert_int_equal(number, 4);
	messages_free(&reader.messages);
}

FAKE_TEST(a_missing_file_is_the_callers_to_judge)
{
	freed_by(isst_cpuset_free) struct isst_cpuset *set = isst_cpuset_new();
	struct reader reader;
	uint64_t number;

	assert_int_equal(number_of(fake, &reader, 1000, &number), -ENOENT);
	assert_null(reader.messages.error);
	assert_int_equal(cpus_of(fake, &reader, set), -ENOENT);
	assert_null(reader.messages.error);
}

FAKE_TEST(a_file_that_may_not_be_read_is_not_permitted)
{
	static const int ERRORS[] = { -EACCES, -EPERM };
	struct reader reader;
	uint64_t number;

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		fake_file_error(&fake->files, PATH, ERRORS[i]);
		assert_int_equal(number_of(fake, &reader, 1000, &number), -EPERM);
		check_holds(reader.messages.error, PATH);
		messages_free(&reader.messages);
	}
}

FAKE_TEST(any_other_failure_names_file_and_cause)
{
	static const int ERRORS[] = { -EIO, -EAGAIN, -ENODATA, -EINVAL, -EISDIR };
	struct reader reader;
	uint64_t number;

	for (size_t i = 0; i < COUNT(ERRORS); i++) {
		fake_file_error(&fake->files, PATH, ERRORS[i]);
		assert_int_equal(number_of(fake, &reader, 1000, &number), -EIO);
		check_holds(reader.messages.error, PATH);
		check_holds(reader.messages.error, strerror(-ERRORS[i]));
		messages_free(&reader.messages);
	}
}

/** A write asks for no memory of ours; a read does, and who called it may go on with less. */
FAKE_TEST(the_kernels_lack_of_memory_names_the_file)
{
	struct reader reader;
	uint64_t number;

	fake->files.writable = true;
	fake_file(&fake->files, PATH, "1");
	fake_file_refuses(&fake->files, PATH, -ENOMEM);
	assert_int_equal(kernel_files_write(start(fake, &reader), PATH, "0"), -EIO);
	check_holds(reader.messages.error, PATH " cannot be written: ");
	check_holds(reader.messages.error, strerror(ENOMEM));
	messages_free(&reader.messages);
	fake_file_error(&fake->files, PATH, -ENOMEM);
	assert_int_equal(number_of(fake, &reader, 1000, &number), -ENOMEM);
	check_holds(reader.messages.error, PATH " cannot be read: ");
	check_holds(reader.messages.error, strerror(ENOMEM));
	messages_free(&reader.messages);
}

FAKE_TEST(lists_are_added_to_the_set)
{
	struct isst_cpuset *set = check_set("100");
	struct reader reader;

	fake_file(&fake->files, PATH, "0-63,128-191");
	assert_int_equal(cpus_of(fake, &reader, set), 0);
	check_cpus(set, "0-63,100,128-191");
	fake_file(&fake->files, PATH, "%s", "");
	assert_int_equal(cpus_of(fake, &reader, set), 0);
	check_cpus(set, "0-63,100,128-191");
	isst_cpuset_free(set);
	messages_free(&reader.messages);
}

FAKE_TEST(D15_a_list_of_thousands_is_read_whole)
{
	enum { CPUS = 8192 };
	struct isst_cpuset *set = isst_cpuset_new(), *written = isst_cpuset_new();
	struct reader reader;

	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(isst_cpuset_add(written, 3 * cpu, 3 * cpu), 0);
	autofree char *list = numbers_enumeration(written);
	fake_file(&fake->files, PATH, "%s", list);
	assert_int_equal(cpus_of(fake, &reader, set), 0);
	assert_int_equal(isst_cpuset_count(set), CPUS);
	assert_true(isst_cpuset_has(set, 3 * (CPUS - 1)));
	isst_cpuset_free(written);
	isst_cpuset_free(set);
	messages_free(&reader.messages);
}

FAKE_TEST(a_malformed_list_names_file_and_content_and_adds_nothing)
{
	static const char *const CONTENTS[] = { "0-",	  "3-1", "0,,1",      "a",
						"(null)", "0 1", "4294967295" };
	freed_by(isst_cpuset_free) struct isst_cpuset *set = check_set("7");
	struct reader reader;
	char quoted[64];

	for (size_t i = 0; i < COUNT(CONTENTS); i++) {
		fake_file(&fake->files, PATH, "%s", CONTENTS[i]);
		assert_int_equal(cpus_of(fake, &reader, set), -EIO);
		check_holds(reader.messages.error, PATH);
		snprintf(quoted, sizeof(quoted), "'%s'", CONTENTS[i]);
		check_holds(reader.messages.error, quoted);
		check_cpus(set, "7");
		messages_free(&reader.messages);
	}
}
