/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock that runs which change the machine share, and what a caller needs to be such a run. */
#include "base/machine.h"
#include "base/runtime_file.h"
#include "firmware/preset.h"
#include "isst.h"
#include "topology/context.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY_MS = 20 };

int isst_check_privileges(struct isst_context *context)
{
	struct isst_machine *machine = context->machine;
	int answer = machine->capable ? machine->capable(machine->data, CAP_SYS_ADMIN) : 1;

	if (answer < 0)
		return message_error(&context->messages, -EIO,
				     "the capabilities cannot be read: %s", strerror(-answer));
	if (answer == 0)
		return message_error(
			&context->messages, -EPERM,
			"not permitted: changing the machine needs CAP_SYS_ADMIN in the initial "
			"user namespace, which the driver asks for");
	return 0;
}

/** Takes the next word of a line of the kernel's list of locks; words are parted by blanks and
 * colons. */
static const char *next_word(char **rest)
{
	const char *word;

	do
		word = strsep(rest, " :\n");
	while (word && !*word);
	return word ? word : "";
}

/** `1: FLOCK  ADVISORY  WRITE 4711 00:05:1234 0 EOF`: the process, if it holds a flock on this
 * file; else 0. */
static unsigned int holder_in_line(char *line, const struct stat *file)
{
	static const char *const WORDS[] = { "FLOCK", "ADVISORY", "WRITE" };
	uint64_t process, major_number, minor_number, inode;

	next_word(&line);
	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
		if (strcmp(next_word(&line), WORDS[i]) != 0)
			return 0;
	if (isst_parse_number(next_word(&line), 10, UINT32_MAX, &process) ||
	    isst_parse_number(next_word(&line), 16, UINT32_MAX, &major_number) ||
	    isst_parse_number(next_word(&line), 16, UINT32_MAX, &minor_number) ||
	    isst_parse_number(next_word(&line), 10, UINT64_MAX, &inode))
		return 0;
	return inode == file->st_ino && major_number == major(file->st_dev) &&
			       minor_number == minor(file->st_dev)
		       ? (unsigned int)process
		       : 0;
}

/** Finds the process that holds the lock, in the kernel's list. Returns 0 for none. */
static unsigned int find_holder(int descriptor)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned int holder = 0;
	struct stat file;
	char *line = NULL;
	size_t space = 0;

	if (!locks)
		return 0;
	while (!fstat(descriptor, &file) && !holder && getline(&line, &space, locks) > 0)
		holder = holder_in_line(line, &file);
	free(line);
	fclose(locks);
	return holder;
}

static int busy(struct isst_context *context, const char *path, int descriptor)
{
	unsigned int holder = find_holder(descriptor);

	if (holder)
		return message_error(
			&context->messages, -EBUSY,
			"another run, process %u, is changing the machine and holds the lock of "
			"%s",
			holder, path);
	return message_error(&context->messages, -EBUSY,
			     "another run is changing the machine and holds the lock of %s", path);
}

static int wait_for_lock(struct isst_context *context, const char *path, int descriptor,
			 unsigned int timeout_ms)
{
	const struct timespec pause = { 0, LOOK_EVERY_MS * 1000000L };
	unsigned int waited_ms = 0;

	while (flock(descriptor, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return message_error(&context->messages, -EIO, "%s cannot be locked: %s",
					     path, strerror(errno));
		if (waited_ms >= timeout_ms)
			return busy(context, path, descriptor);
		nanosleep(&pause, NULL);
		waited_ms += LOOK_EVERY_MS;
	}
	return 0;
}

/**
 * Opens what is locked: the device, or on a machine that needs none a file of the runtime
 * directory. Returns a descriptor or a negative errno with a message.
 */
static int open_lock(struct isst_context *context, const char **path)
{
	static const char NAME[] = "lock";
	const char *directory = context->machine->runtime_directory;
	int descriptor;

	*path = context->machine->lock_path;
	descriptor = open(*path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor >= 0)
		return descriptor;
	if (errno != ENOENT || !preset_possible(&context->platform))
		return driver_open_error(&context->driver, -errno);
	*path = message_make(&context->messages, "%s/%s", directory, NAME);
	descriptor = runtime_file_append(directory, NAME);
	if (descriptor == -EACCES || descriptor == -EPERM || descriptor == -EROFS)
		return message_error(
			&context->messages, -EPERM,
			"not permitted: %s, which is locked where there is no %s, cannot be "
			"opened: %s",
			*path, context->machine->lock_path, strerror(-descriptor));
	if (descriptor < 0)
		return message_error(&context->messages, -EIO, "%s cannot be opened: %s", *path,
				     strerror(-descriptor));
	return descriptor;
}

int isst_lock(struct isst_context *context, unsigned int timeout_ms)
{
	const char *path;
	int descriptor, error;

	if (context->topology || context->lock >= 0)
		return message_error(&context->messages, -EINVAL,
				     "the lock is taken once, before the machine is discovered");
	descriptor = open_lock(context, &path);
	if (descriptor < 0)
		return descriptor;
	error = wait_for_lock(context, path, descriptor, timeout_ms);
	if (error) {
		close(descriptor);
		return error;
	}
	context->lock = descriptor;
	return 0;
}
