/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory. */
#include "base/runtime_file.h"
#include "support/check.h"
#include "support/fake_machine.h"

#include <sys/stat.h>
#include <unistd.h>

static void check_text(const struct fake_machine *fake, const char *name, const char *expected)
{
	char *text = NULL;

	assert_int_equal(runtime_file_read(fake->runtime, name, &text), 0);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void the_directory_is_made_with_the_first_file(void **state)
{
	struct fake_machine *fake = *state;

	assert_int_equal(runtime_file_read(fake->runtime, "file", &(char *){ NULL }), -ENOENT);
	assert_int_equal(access(fake->runtime, F_OK), -1);
	assert_int_equal(runtime_file_replace(fake->runtime, "file", "one\ntwo\n"), 0);
	check_text(fake, "file", "one\ntwo\n");
	assert_int_equal(runtime_file_replace(fake->runtime, "file", "three\n"), 0);
	check_text(fake, "file", "three\n");
}

static void a_file_that_cannot_be_replaced_stays_and_leaves_nothing_behind(void **state)
{
	struct fake_machine *fake = *state;
	char path[512];

	/* A directory in the place of the file. */
	assert_int_equal(runtime_file_replace(fake->runtime, "other", "x"), 0);
	snprintf(path, sizeof(path), "%s/file", fake->runtime);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(runtime_file_replace(fake->runtime, "file", "new"), -EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(runtime_file_remove(fake->runtime, "other"), 0);
	assert_int_equal(rmdir(fake->runtime), 0);
}

static void appending_adds_at_the_end_and_follows_no_link(void **state)
{
	struct fake_machine *fake = *state;
	char path[512];

	for (unsigned int i = 0; i < 2; i++) {
		int descriptor = runtime_file_append(fake->runtime, "journal");

		assert_true(descriptor >= 0);
		assert_int_equal(write(descriptor, "line\n", 5), 5);
		assert_int_equal(close(descriptor), 0);
	}
	check_text(fake, "journal", "line\nline\n");
	snprintf(path, sizeof(path), "%s/link", fake->runtime);
	assert_int_equal(symlink("journal", path), 0);
	assert_int_equal(runtime_file_append(fake->runtime, "link"), -ELOOP);
}

static void removing_what_is_not_there_is_no_error(void **state)
{
	struct fake_machine *fake = *state;

	assert_int_equal(runtime_file_remove(fake->runtime, "file"), 0);
	assert_int_equal(runtime_file_replace(fake->runtime, "file", "x"), 0);
	assert_int_equal(runtime_file_remove(fake->runtime, "file"), 0);
	assert_int_equal(runtime_file_read(fake->runtime, "file", &(char *){ NULL }), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(the_directory_is_made_with_the_first_file),
		MACHINE_TEST(a_file_that_cannot_be_replaced_stays_and_leaves_nothing_behind),
		MACHINE_TEST(appending_adds_at_the_end_and_follows_no_link),
		MACHINE_TEST(removing_what_is_not_there_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
