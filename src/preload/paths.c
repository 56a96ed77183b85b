/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files are the emulated machine's, and what stands for them. Nothing of what is done to
 * them. */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the emulated machine has instead of the real one, with all that is below. */
static const char *const owned[] = {
	"/sys/devices/system/cpu",
	"/sys/devices/system/node",
	"/sys/bus/cpu",
	"/sys/fs/cgroup",
	"/sys/kernel/debug",
	"/proc/cpuinfo",
	"/proc/sys/kernel/osrelease",
	"/proc/sys/kernel/random/boot_id",
	"/proc/modules",
	"/dev/cpu",
	"/sys/module",
	ABI_DEVICE_PATH,
};

/* How the kernel names a memory file; ours are called after the path they stand for. */
static const char memory_file[] = "/memfd:" MEMORY_FILE_PREFIX;
static const char deleted[] = " (deleted)";

static char *root; /* the directory that stands for / */
static size_t root_length;
static dev_t root_device;

int path_start(const char *directory)
{
	char run[PATH_MAX];
	struct stat status;

	if (mkdir(directory, 0755) && errno != EEXIST)
		return -errno;
	root = realpath(directory, NULL);
	if (!root || status_real(AT_FDCWD, root, &status, 0))
		return -errno;
	root_device = status.st_dev;
	root_length = strlen(root);
	snprintf(run, sizeof(run), "%s/../run", root);
	return mkdir(run, 0755) && errno != EEXIST ? -errno : 0;
}

dev_t path_device(void)
{
	return root_device;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0');
}

static bool is_owned(const char *path)
{
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		if (is_below(path, owned[i]))
			return true;
	return false;
}

const char *path_from_backing(const char *backing)
{
	if (strncmp(backing, root, root_length) != 0)
		return NULL;
	if (backing[root_length] == '\0')
		return "/";
	return backing[root_length] == '/' ? backing + root_length : NULL;
}

/** The path of a directory or file in /proc/self/fd. Returns its length or -1. */
static ssize_t read_link(int descriptor, char *path)
{
	char name[40];
	ssize_t length;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
	/* By number: the function of this name is one of ours. */
	length = syscall(SYS_readlinkat, AT_FDCWD, name, path, PATH_MAX - 1);
	if (length >= 0)
		path[length] = '\0';
	return length;
}

/** Where a relative path begins, as the program sees it. */
static bool start_of(int directory, char *start)
{
	char path[PATH_MAX];
	const char *emulated;

	if (directory == AT_FDCWD) {
		if (syscall(SYS_getcwd, path, sizeof(path)) < 0 || *path != '/')
			return false;
	} else if (read_link(directory, path) < 0) {
		return false;
	}
	emulated = path_from_backing(path);
	snprintf(start, PATH_MAX, "%s", emulated ? emulated : path);
	return true;
}

/** Appends the parts of @path to the path of @length in @whole, without dots. Returns false where
 * it is too long. */
static bool append(char *whole, const char *path)
{
	size_t length = strcmp(whole, "/") == 0 ? 0 : strlen(whole);

	while (*path) {
		size_t part = strcspn(path, "/");

		if (part == 2 && path[0] == '.' && path[1] == '.') {
			while (length > 0 && whole[length] != '/')
				length--;
			while (length > 0 && whole[length - 1] == '/')
				length--;
		} else if (part > 0 && !(part == 1 && path[0] == '.')) {
			if (length + part + 2 > PATH_MAX)
				return false;
			whole[length++] = '/';
			memcpy(whole + length, path, part);
			length += part;
		}
		whole[length] = '\0';
		path += part + strspn(path + part, "/");
	}
	if (length == 0)
		memcpy(whole, "/", 2);
	return true;
}

/** Takes the links out of a path that the machine has. */
static int resolve(char *emulated, bool follow)
{
	char *resolved;
	int result;

	if (strcmp(emulated, ABI_DEVICE_PATH) == 0)
		return 0;
	result = launch_resolve(preload_machine, emulated, follow, &resolved);
	if (result) {
		errno = -result;
		return -1;
	}
	memcpy(emulated, resolved, strlen(resolved) + 1);
	free(resolved);
	return 0;
}

int path_follow(char *emulated)
{
	return resolve(emulated, true);
}

bool path_is_emulated(int directory, const char *path, char *emulated)
{
	int error = errno;

	if (!path || !*path)
		return false;
	if (*path == '/')
		memcpy(emulated, "/", 2);
	else if (!start_of(directory, emulated))
		return false;
	if (!append(emulated, path) || !is_owned(emulated))
		return false;
	/* What is not there is found so by whoever asks for it. */
	resolve(emulated, false);
	errno = error;
	return true;
}

const char *path_moved(const char *path, char *moved)
{
	static const char *const kept[] = { "/run/isst", "/var/run/isst" };

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept) && preload_machine && path; i++) {
		const char *rest = path + strlen(kept[i]);

		if (strncmp(path, kept[i], strlen(kept[i])) != 0 || !strchr("/_", *rest))
			continue;
		/* The directory of ours, or a file isst_... beside it. */
		if (snprintf(moved, PATH_MAX, "%s/../run%s%s", root, *rest == '_' ? "/isst" : "",
			     rest) >= PATH_MAX)
			*moved = '\0'; /* which no file is called */
		return moved;
	}
	return path;
}

size_t path_backing(const char *emulated, char *backing)
{
	/* What stands for the device is beside the tree. */
	bool device = strcmp(emulated, ABI_DEVICE_PATH) == 0;
	int length = snprintf(backing, PATH_MAX, "%s%s", root, device ? "/../device" : emulated);

	return length < PATH_MAX ? root_length : 0;
}

bool path_of_opened(int descriptor, char *emulated)
{
	char path[PATH_MAX];
	const char *found = read_link(descriptor, path) < 0 ? NULL : path_from_backing(path);

	if (!found || !is_owned(found))
		return false;
	memcpy(emulated, found, strlen(found) + 1);
	return true;
}

bool path_of_descriptor(int descriptor, char *emulated)
{
	size_t prefix = sizeof(memory_file) - 1, suffix = sizeof(deleted) - 1;
	char path[PATH_MAX];
	struct stat status;
	ssize_t length;

	/* Most files are ruled out by this alone: a memory file has no name in any directory. */
	if (status_real(descriptor, "", &status, AT_EMPTY_PATH) || !S_ISREG(status.st_mode) ||
	    status.st_nlink > 0)
		return false;
	length = read_link(descriptor, path);
	if (length <= (ssize_t)(prefix + suffix) || strncmp(path, memory_file, prefix) != 0 ||
	    strcmp(path + (size_t)length - suffix, deleted) != 0)
		return false;
	path[(size_t)length - suffix] = '\0';
	memcpy(emulated, path + prefix, (size_t)length - prefix - suffix + 1);
	return true;
}
