/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures into a directory of another user, who puts links there while the machine is read: they
 * are not followed, and what they lead to stays as it was.
 */
#include "base/machine.h"
#include "emulator/model/machines.h"
#include "isst-explain.h"
#include "support/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct capture_test {
	char scratch[256], state[300], directory[300], theirs[300];
	struct isst_machine *machine;
	const struct files_operations *files;
	void (*plant)(const struct capture_test *test); /* what happens while the machine is read */
};
static struct capture_test test;

static int read_and_plant(void *data, const char *path, char **content, size_t *size)
{
	void (*plant)(const struct capture_test *) = test.plant;

	test.plant = NULL;
	if (plant)
		plant(&test);
	return test.files->read(data, path, content, size);
}

static int set_up(void **state)
{
	static struct files_operations planting;
	const char *temporary = getenv("TMPDIR");
	struct isst_emulator_target target = { .platform = "guide", .state_directory = test.state };
	char *error;

	(void)state;
	snprintf(test.scratch, sizeof(test.scratch), "%.200s/capture-test-XXXXXX",
		 temporary ? temporary : "/tmp");
	assert_non_null(mkdtemp(test.scratch));
	snprintf(test.state, sizeof(test.state), "%s/state", test.scratch);
	snprintf(test.directory, sizeof(test.directory), "%s/capture", test.scratch);
	snprintf(test.theirs, sizeof(test.theirs), "%s/theirs", test.scratch);
	assert_int_equal(mkdir(test.theirs, 0755), 0);
	assert_int_equal(isst_emulator_open(&target, &test.machine, &error), 0);
	test.files = test.machine->files;
	planting = *test.files;
	planting.read = read_and_plant;
	test.machine->files = &planting;
	return 0;
}

static int tear_down(void **state)
{
	char command[400];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", test.scratch);
	return system(command);
}

#define DIRECTORY_TEST(name) TEST_WITH(name, set_up, tear_down)

static unsigned int count_entries(const char *path)
{
	DIR *stream = opendir(path);
	unsigned int count = 0;

	assert_non_null(stream);
	for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(stream);
	return count;
}

/** Captures, which has to end with @expected, and with @words in the message. */
static void capture(int expected, const char *words)
{
	const struct isst_options options = { .machine = test.machine };
	struct isst_context *context;
	int result;

	assert_int_equal(isst_open(&options, &context), 0);
	result = isst_capture(context, test.directory, 0);
	if (result != expected || (words && !strstr(isst_error(context), words)))
		fail_msg("%d: %s", result, isst_error(context));
	isst_close(context);
	assert_int_equal(count_entries(test.theirs), 0);
}

static void plant_below(const struct capture_test *planted, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", planted->directory, name);
	assert_int_equal(symlink(planted->theirs, path), 0);
}

static void plant_directory_link(const struct capture_test *planted)
{
	plant_below(planted, "proc");
}

DIRECTORY_TEST(a_link_in_the_place_of_a_directory_is_not_followed)
{
	assert_int_equal(mkdir(test.directory, 0755), 0);
	test.plant = plant_directory_link;
	capture(-EIO, "/proc/cpuinfo: ");
	/* The link is not ours to remove, and nothing else stays. */
	assert_int_equal(count_entries(test.directory), 1);
}

static void plant_file_link(const struct capture_test *planted)
{
	char path[400], target[400];

	snprintf(path, sizeof(path), "%s/proc", planted->directory);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/proc/cpuinfo", planted->directory);
	snprintf(target, sizeof(target), "%s/new", planted->theirs);
	assert_int_equal(symlink(target, path), 0);
}

DIRECTORY_TEST(a_link_in_the_place_of_a_file_is_not_followed)
{
	assert_int_equal(mkdir(test.directory, 0755), 0);
	test.plant = plant_file_link;
	capture(-EIO, "/proc/cpuinfo: ");
}

static void swap(const struct capture_test *planted)
{
	char aside[400];

	snprintf(aside, sizeof(aside), "%s/aside", planted->scratch);
	assert_int_equal(rename(planted->directory, aside), 0);
	assert_int_equal(symlink(planted->theirs, planted->directory), 0);
}

DIRECTORY_TEST(a_directory_that_becomes_a_link_is_still_the_one_that_was_looked_at)
{
	char path[400];

	assert_int_equal(mkdir(test.directory, 0755), 0);
	test.plant = swap;
	capture(0, NULL);
	snprintf(path, sizeof(path), "%s/aside/proc/cpuinfo", test.scratch);
	assert_int_equal(access(path, F_OK), 0);
}

static void plant_link(const struct capture_test *planted)
{
	assert_int_equal(symlink(planted->theirs, planted->directory), 0);
}

DIRECTORY_TEST(a_link_that_appears_in_the_place_of_a_new_directory_is_refused)
{
	test.plant = plant_link;
	capture(-EINVAL, "File exists");
}

DIRECTORY_TEST(a_link_to_a_directory_is_not_a_directory)
{
	plant_link(&test);
	capture(-EINVAL, "cannot write to");
}

DIRECTORY_TEST(a_slash_after_a_link_does_not_make_it_a_directory)
{
	plant_link(&test);
	strcat(test.directory, "//");
	capture(-EINVAL, "cannot write to");
}
