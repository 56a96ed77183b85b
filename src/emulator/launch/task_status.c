/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/PID/status, of which libnuma takes the CPUs and memory nodes of the machine. The kernel
 * makes it anew for each task, so nothing can be mounted there.
 */
#include "emulator/launch/placement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int read_task_field(pid_t task, const char *name, char value[TASK_FIELD])
{
	char path[40], *line = NULL;
	size_t length = strlen(name), space = 0;
	int result = -ENOENT;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	stream = fopen(path, "re");
	if (!stream)
		return -errno;
	while (result && getline(&line, &space, stream) > 0) {
		if (strncmp(line, name, length) != 0)
			continue;
		snprintf(value, TASK_FIELD, "%s", line + length);
		result = 0;
	}
	free(line);
	fclose(stream);
	return result;
}

/** The path in the system of one that may begin in a directory of a task. */
static bool make_absolute(pid_t caller, int directory, const char *path, char absolute[PATH_MAX])
{
	char link[60];
	ssize_t length;

	if (*path == '/')
		return snprintf(absolute, PATH_MAX, "%s", path) < PATH_MAX;
	if (directory == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", caller);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", caller, directory);
	length = readlink(link, absolute, PATH_MAX);
	return length > 0 && length < PATH_MAX &&
	       snprintf(absolute + length, (size_t)(PATH_MAX - length), "/%s", path) <
		       PATH_MAX - length;
}

/** Skips a number and a slash. Returns NULL if they are not there. */
static const char *skip_number(const char *text, pid_t *number)
{
	char *end;

	*number = (pid_t)strtol(text, &end, 10);
	return *text >= '1' && *text <= '9' && *end == '/' ? end + 1 : NULL;
}

/** Which task's status it is: /proc/N/status, /proc/N/task/N/status, and "self" and "thread-self"
 * in place of the first number. Returns 0 if it is none. */
static pid_t find_task(pid_t caller, const char *path)
{
	char group[TASK_FIELD];
	const char *rest;
	pid_t task;

	if (strncmp(path, "/proc/", 6) != 0)
		return 0;
	path += 6;
	if (strncmp(path, "thread-self/", 12) == 0) {
		task = caller;
		rest = path + 12;
	} else if (strncmp(path, "self/", 5) == 0) {
		if (read_task_field(caller, "Tgid:", group))
			return 0;
		task = (pid_t)strtol(group, NULL, 10);
		rest = path + 5;
	} else {
		rest = skip_number(path, &task);
	}
	if (rest && strncmp(rest, "task/", 5) == 0)
		rest = skip_number(rest + 5, &task);
	return rest && strcmp(rest, "status") == 0 ? task : 0;
}

static void print_status(struct placements *placements, pid_t task, FILE *real, FILE *stream)
{
	char *line = NULL;
	size_t space = 0;

	while (getline(&line, &space, real) > 0) {
		if (strncmp(line, "Cpus_allowed:", 13) == 0)
			print_placement(placements, task, stream);
		else if (strncmp(line, "Cpus_allowed_list:", 18) != 0 &&
			 strncmp(line, "Mems_allowed", 12) != 0)
			fputs(line, stream);
	}
	free(line);
}

bool open_task_status(struct placements *placements, pid_t caller, int directory, const char *path,
		      int *descriptor)
{
	const char *slash = strrchr(path, '/');
	char absolute[PATH_MAX];
	FILE *real, *stream;
	pid_t task;

	if (strcmp(slash ? slash + 1 : path, "status") != 0 ||
	    !make_absolute(caller, directory, path, absolute))
		return false;
	task = find_task(caller, absolute);
	if (task == 0)
		return false;
	snprintf(absolute, sizeof(absolute), "/proc/%d/status", task);
	real = fopen(absolute, "re");
	if (!real)
		return false;

	*descriptor = memfd_create("status", MFD_CLOEXEC);
	stream = *descriptor < 0 ? NULL : fdopen(dup(*descriptor), "w");
	if (stream)
		print_status(placements, task, real, stream);
	if (!stream || fclose(stream) || lseek(*descriptor, 0, SEEK_SET)) {
		close(*descriptor);
		*descriptor = -ENOMEM;
	}
	fclose(real);
	return true;
}
