/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs see of files of the system that nothing can be mounted over: /proc/PID/status, of
 * which libnuma takes the CPUs and memory nodes of the machine, and /proc/PID/mounts, which the
 * kernel makes anew for each task; and the type of a file system, by which they see which hierarchy
 * of control groups there is: FUSE has its own.
 */
#include "emulator/launch/launch.h"
#include "emulator/model/task.h"
#include "emulator/model/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/** The path in the system of one that may begin in a directory of a task; an empty one is that of
 * the descriptor. */
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
	       snprintf(absolute + length, (size_t)(PATH_MAX - length), "%s%s", *path ? "/" : "",
			path) < PATH_MAX - length;
}

/* ---- /proc/PID ---- */

/** Which task's file of that name it is: /proc/N/NAME, /proc/N/task/N/NAME, and "self" and
 * "thread-self" in place of the first number. Returns 0 if it is none. */
static pid_t find_task(pid_t caller, const char *path, const char *name)
{
	char group[TASK_FIELD];
	uint64_t task = (uint64_t)caller;

	if (strncmp(path, "/proc/", 6) != 0)
		return 0;
	path += 6;
	if (strncmp(path, "thread-self/", 12) == 0) {
		path += 12;
	} else if (strncmp(path, "self/", 5) == 0) {
		task = read_task_field(caller, "Tgid:", group) ? 0 : strtoul(group, NULL, 10);
		path += 5;
	} else {
		path = number_before(path, '/', 10, INT_MAX, &task);
	}
	if (path && strncmp(path, "task/", 5) == 0)
		path = number_before(path + 5, '/', 10, INT_MAX, &task);
	return path && strcmp(path, name) == 0 ? (pid_t)task : 0;
}

static void print_status(pid_t task, FILE *real, FILE *stream)
{
	char *line = NULL;
	size_t space = 0;

	while (getline(&line, &space, real) > 0) {
		if (strncmp(line, "Cpus_allowed:", 13) == 0)
			print_placement(task, stream);
		else if (strncmp(line, "Cpus_allowed_list:", 18) != 0 &&
			 strncmp(line, "Mems_allowed", 12) != 0)
			fputs(line, stream);
	}
	free(line);
}

/** What the machine has is shown by the type that programs look for: debugfs, to read its
 * registers, and cgroup2. */
static void print_mounts(FILE *real, FILE *stream)
{
	static const char debug[] = "isst /sys/kernel/debug ", groups[] = "isst /sys/fs/cgroup ";
	static const char options[] = "rw,nosuid,nodev,noexec,relatime 0 0";
	char *line = NULL;
	size_t space = 0;

	while (getline(&line, &space, real) > 0)
		if (strncmp(line, debug, strlen(debug)) == 0)
			fprintf(stream, "debugfs /sys/kernel/debug debugfs %s\n", options);
		else if (strncmp(line, groups, strlen(groups)) == 0)
			fprintf(stream, "cgroup2 /sys/fs/cgroup cgroup2 %s\n", options);
		else if (strncmp(line, "isst /", 6) != 0 && !strstr(line, " /sys/fs/cgroup"))
			fputs(line, stream);
	free(line);
}

bool task_file_open(pid_t caller, int directory, const char *path, int *descriptor)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const bool mounts = strcmp(name, "mounts") == 0;
	char absolute[PATH_MAX];
	FILE *real, *stream;
	pid_t task;

	if ((!mounts && strcmp(name, "status") != 0) ||
	    !make_absolute(caller, directory, path, absolute))
		return false;
	task = strcmp(absolute, "/proc/mounts") == 0 ? caller : find_task(caller, absolute, name);
	if (task == 0)
		return false;
	snprintf(absolute, sizeof(absolute), "/proc/%d/%s", task, mounts ? "mounts" : "status");
	real = fopen(absolute, "re");
	if (!real)
		return false;
	*descriptor = memfd_create(mounts ? "mounts" : "status", MFD_CLOEXEC);
	stream = *descriptor < 0 ? NULL : fdopen(dup(*descriptor), "w");
	if (stream && mounts)
		print_mounts(real, stream);
	else if (stream)
		print_status(task, real, stream);
	if (!stream || fclose(stream) || lseek(*descriptor, 0, SEEK_SET)) {
		close(*descriptor);
		*descriptor = -ENOMEM;
	}
	fclose(real);
	return true;
}

/* ---- statfs(2) ---- */

static long type_of(const char *path)
{
	static const struct {
		const char *directory;
		long type;
	} types[] = { { "/sys/fs/cgroup", CGROUP2_SUPER_MAGIC },
		      { "/sys/kernel/debug", DEBUGFS_MAGIC },
		      { "/dev", TMPFS_MAGIC },
		      { "/proc", PROC_SUPER_MAGIC },
		      { "", SYSFS_MAGIC } };
	size_t i = 0;

	while (strncmp(path, types[i].directory, strlen(types[i].directory)) != 0)
		i++;
	return types[i].type;
}

bool file_system_get(pid_t caller, int directory, const char *path, uint64_t address, long *result)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char link[40], seen[PATH_MAX];
	struct statfs status;
	ssize_t length = -1;
	int root, file;

	if (!make_absolute(caller, directory, path, seen))
		return false;
	/* As the caller would, which need not be allowed to read it. */
	snprintf(link, sizeof(link), "/proc/%d/root", caller);
	root = open(link, O_PATH | O_CLOEXEC);
	file = (int)syscall(SYS_openat2, root, seen, &how, sizeof(how));
	close(root);
	if (file < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	if (fstatfs(file, &status) == 0 && status.f_type == FUSE_SUPER_MAGIC)
		length = readlink(link, seen, sizeof(seen) - 1);
	close(file);
	if (length < 0)
		return false;
	seen[length] = '\0';
	status.f_type = type_of(seen);
	*result = caller_write(caller, address, &status, sizeof(status)) ? 0 : -EFAULT;
	return true;
}
