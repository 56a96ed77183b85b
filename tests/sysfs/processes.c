/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes by number and name. */
#include "base/messages.h"
#include "support/check.h"
#include "support/fake_machine.h"
#include "sysfs/system.h"

#include <errno.h>
#include <stdio.h>

struct reader {
	struct messages messages;
	struct kernel_files files;
	char found[200];
	int answer; /* to what was found */
};

static void start(struct fake_machine *fake, struct reader *reader)
{
	*reader = (struct reader){ 0 };
	fake->files.listable = true;
	kernel_files_init(&reader->files, &fake->machine, &reader->messages);
}

static int note(void *data, unsigned int number, const char *name)
{
	struct reader *reader = data;
	size_t length = strlen(reader->found);

	snprintf(reader->found + length, sizeof(reader->found) - length, "%u %s\n", number, name);
	return reader->answer;
}

FAKE_TEST(directories_of_digits_are_processes)
{
	struct reader reader;

	fake_file(&fake->files, "/proc/812/comm", "tuned");
	fake_file(&fake->files, "/proc/sys/kernel/osrelease", "6.12.0");
	fake_file(&fake->files, "/proc/9x/comm", "none");
	fake_file_bytes(&fake->files, "/proc/7/comm", "bad\0name", 8);
	/* It has ended since the directory was listed. */
	fake_file_error(&fake->files, "/proc/900/comm", -ESRCH);
	start(fake, &reader);
	assert_int_equal(processes_each(&reader.files, note, &reader), 0);
	assert_string_equal(reader.found, "812 tuned\n");
	kernel_files_forget(&reader.files);
	messages_free(&reader.messages);
}

FAKE_TEST(an_error_of_the_caller_ends_it)
{
	struct reader reader;

	fake_file(&fake->files, "/proc/812/comm", "tuned");
	fake_file(&fake->files, "/proc/813/comm", "thermald");
	start(fake, &reader);
	reader.answer = -ENOMEM;
	assert_int_equal(processes_each(&reader.files, note, &reader), -ENOMEM);
	assert_string_equal(strchr(reader.found, '\n'), "\n");
	fake->files.list_error = -ENOENT;
	assert_int_equal(processes_each(&reader.files, note, &reader), -ENOENT);
	kernel_files_forget(&reader.files);
	messages_free(&reader.messages);
}
