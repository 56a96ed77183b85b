/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files are the emulated machine's, and what stands for them, by path and by descriptor. How
 * a path leads there is the business of walk.c. */
#include "preload/preload.h"

#include "common/hash.h"

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
	"/sys/kernel/rcu_expedited",
	"/sys/kernel/rcu_normal",
	"/proc/cpuinfo",
	"/proc/version",
	"/proc/sys/kernel/osrelease",
	"/proc/sys/kernel/random/boot_id",
	"/proc/modules",
	"/proc/cmdline",
	"/sys/power",
	"/sys/class/powercap",
	"/sys/class/thermal",
	"/sys/devices/virtual/powercap",
	"/sys/devices/virtual/thermal",
	"/sys/kernel/security",
	"/dev/cpu",
	"/sys/module",
	ABI_DEVICE_PATH,
};

/* How the kernel names a memory file; ours are called after the path they stand for. */
static const char memory_file[] = "/memfd:" MEMORY_FILE_PREFIX;
static const char deleted[] = " (deleted)";

static char *root; /* the directory that stands for / */
static size_t root_length;
static struct stat root_status;
static char *run_directory; /* that stands for /run/isst */
static char *device_file;   /* that stands for the device, where the machine has one */
static struct stat device_status;
static struct stat run_status; /* of /run itself, the system's */

static int find_places_below(const char *directory)
{
	char path[PATH_MAX];

	if (mkdir(directory, 0755) && errno != EEXIST)
		return -1;
	root = REAL(realpath)(directory, NULL);
	if (!root || status_real(AT_FDCWD, root, &root_status, 0))
		return -1;
	root_length = strlen(root);
	if (status_real(AT_FDCWD, "/run", &run_status, 0))
		run_status.st_ino = 0;
	snprintf(path, sizeof(path), "%s/../run", root);
	if (mkdir(path, 0755) && errno != EEXIST)
		return -1;
	run_directory = REAL(realpath)(path, NULL);
	/* Beside the other two. The file need not be there. */
	if (run_directory &&
	    asprintf(&device_file, "%.*s/device", (int)(strrchr(root, '/') - root), root) < 0)
		device_file = NULL;
	return run_directory && device_file ? 0 : -1;
}

/** Where the emulated machine's files are. */
static void find_places(void)
{
	char *names;

	if (root)
		return;
	names = launch_names(preload_machine ? preload_machine : preload_machine_around());
	if (!names || find_places_below(names))
		preload_fatal("the emulated machine's files cannot be found");
	free(names);
}

/** Before the program can have another root directory. */
__attribute__((constructor)) static void start(void)
{
	if (!preload_begin())
		return;
	path_find_device();
	preload_end(false);
}

const struct stat *path_root_status(void)
{
	find_places();
	return &root_status;
}

bool path_is_run(const struct stat *status)
{
	find_places();
	return run_status.st_ino && status->st_ino == run_status.st_ino &&
	       status->st_dev == run_status.st_dev;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0');
}

bool path_is_owned(const char *path)
{
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		if (is_below(path, owned[i]))
			return true;
	return false;
}

const char *path_listed(size_t index)
{
	enum { OWNED = sizeof(owned) / sizeof(*owned) };

	if (index > OWNED)
		return NULL;
	return index == OWNED ? "/run/isst" : owned[index];
}

bool path_leads_to_owned(const char *path)
{
	if (strcmp(path, "/") == 0)
		return true;
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		if (is_below(owned[i], path))
			return true;
	return false;
}

ino_t path_number(const char *emulated)
{
	/* Tools take it for a signed number. */
	return (ino_t)(hash_text(emulated) >> 1);
}

const char *path_from_backing(const char *backing)
{
	find_places();
	if (strncmp(backing, root, root_length) != 0 || backing[root_length] != '/')
		return NULL;
	/* What is above those is the system's own, or a directory of the state like any other: a
	 * program that removes the state must not walk from there into the system. */
	return path_is_owned(backing + root_length) ? backing + root_length : NULL;
}

ssize_t path_read_link(int descriptor, char *path)
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

/** As the program sees what is real. */
static bool show(const char *real, char *seen)
{
	const char *emulated = path_from_backing(real);
	size_t length = strlen(run_directory);

	/* Also what is beside /run/isst: path_moved(). */
	if (!emulated && (is_below(real, run_directory) ||
			  (strncmp(real, run_directory, length) == 0 && real[length] == '_')))
		return snprintf(seen, PATH_MAX, "/run/isst%s", real + length) < PATH_MAX;
	return snprintf(seen, PATH_MAX, "%s", emulated ? emulated : real) < PATH_MAX;
}

bool path_is_of_removed(const char *link)
{
	size_t length = strlen(link), suffix = sizeof(deleted) - 1;

	return length > suffix && strcmp(link + length - suffix, deleted) == 0;
}

bool path_of_directory(int directory, char *seen, bool *changed)
{
	char path[PATH_MAX];

	if (directory == AT_FDCWD) {
		if (syscall(SYS_getcwd, path, sizeof(path)) < 0)
			return false;
	} else if (path_read_link(directory, path) < 0) {
		return false;
	}
	if (*path != '/' || path_is_of_removed(path) || !show(path, seen))
		return false;
	*changed = strcmp(path, seen) != 0;
	return true;
}

/** What follows the part of a path that is moved: the directory of ours, or a file isst_... beside
 * it. NULL: it is not moved. */
static const char *behind_moved(const char *path)
{
	static const char *const kept[] = { "/run/isst", "/var/run/isst" };

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		size_t length = strlen(kept[i]);

		if (strncmp(path, kept[i], length) == 0 && strchr("/_", path[length]))
			return path + length;
	}
	return NULL;
}

bool path_is_moved(const char *path)
{
	return behind_moved(path);
}

const char *path_moved(const char *path, char *moved)
{
	const char *rest = behind_moved(path);

	if (!rest)
		return path;
	find_places();
	if (snprintf(moved, PATH_MAX, "%s%s", run_directory, rest) >= PATH_MAX)
		*moved = '\0'; /* which no file is called */
	return moved;
}

size_t path_backing(const char *emulated, char *backing)
{
	/* What stands for the device is beside the tree. */
	bool device = path_is_device(emulated);
	int length;

	find_places();
	length = snprintf(backing, PATH_MAX, "%s%s", device ? device_file : root,
			  device ? "" : emulated);
	return length < PATH_MAX ? root_length : 0;
}

bool path_of_opened(int descriptor, char *emulated)
{
	char path[PATH_MAX];
	const char *found = path_read_link(descriptor, path) < 0 ? NULL : path_from_backing(path);

	if (!found || !path_is_owned(found))
		return false;
	memcpy(emulated, found, strlen(found) + 1);
	return true;
}

/* ---- Memory files ---- */

/** The link that has a path which is too long for a name. */
static bool name_long_path(const char *number, char *link)
{
	return snprintf(link, PATH_MAX, "%s/%s", root, number) < PATH_MAX;
}

static bool read_long_path(const char *number, char *emulated)
{
	char link[PATH_MAX];
	ssize_t length = -1;

	if (name_long_path(number, link))
		length = syscall(SYS_readlinkat, AT_FDCWD, link, emulated, PATH_MAX - 1);
	if (length >= 0)
		emulated[length] = '\0';
	return length >= 0;
}

static int keep_long_path(const char *number, const char *emulated)
{
	char link[PATH_MAX], known[PATH_MAX];

	errno = ENAMETOOLONG;
	if (!name_long_path(number, link))
		return -1;
	/* By number: the function of this name is one of ours. */
	if (syscall(SYS_symlinkat, emulated, AT_FDCWD, link) == 0)
		return 0;
	if (errno != EEXIST || !read_long_path(number, known))
		return -1;
	errno = ENAMETOOLONG;
	return strcmp(known, emulated) == 0 ? 0 : -1;
}

bool path_of_circle(char *path)
{
	static const char name[] = "circle";
	char link[PATH_MAX];

	find_places();
	if (!name_long_path(name, link) || snprintf(path, PATH_MAX, "%s/.", link) >= PATH_MAX)
		return false;
	return syscall(SYS_symlinkat, name, AT_FDCWD, link) == 0 || errno == EEXIST;
}

int path_name_memory_file(const char *emulated, char name[MEMORY_FILE_NAME])
{
	char number[20];

	if (snprintf(name, MEMORY_FILE_NAME, MEMORY_FILE_PREFIX "%s", emulated) < MEMORY_FILE_NAME)
		return 0;
	snprintf(number, sizeof(number), "%llx", (unsigned long long)path_number(emulated));
	snprintf(name, MEMORY_FILE_NAME, MEMORY_FILE_PREFIX "%s", number);
	return keep_long_path(number, emulated);
}

/** Whether that is the name of a memory file of ours, and which file that is. */
static bool of_memory_file(const char *link, size_t length, char *emulated)
{
	const size_t prefix = sizeof(memory_file) - 1;
	char name[MEMORY_FILE_NAME];

	if (length <= prefix || strncmp(link, memory_file, prefix) != 0 ||
	    length - prefix >= sizeof(name))
		return false;
	memcpy(name, link + prefix, length - prefix);
	name[length - prefix] = '\0';
	if (*name != '/')
		return read_long_path(name, emulated);
	memcpy(emulated, name, strlen(name) + 1);
	return true;
}

/** Whether that is the file that stands for the device. */
static bool of_device(const char *link, size_t length, char *emulated)
{
	find_places();
	if (length != strlen(device_file) || strncmp(link, device_file, length) != 0)
		return false;
	memcpy(emulated, ABI_DEVICE_PATH, sizeof(ABI_DEVICE_PATH));
	return true;
}

bool path_of_link(const char *link, char *emulated)
{
	bool removed = path_is_of_removed(link);
	size_t length = strlen(link) - (removed ? sizeof(deleted) - 1 : 0);

	/* That of the device is removed with the state; a memory file has never been anywhere. */
	return of_device(link, length, emulated) ||
	       (removed && of_memory_file(link, length, emulated));
}

bool path_as_seen(const char *link, char *seen)
{
	return path_of_link(link, seen) ||
	       (*link == '/' && show(link, seen) && strcmp(link, seen) != 0);
}

/** Looks for it again: it may have been removed with the state, and made anew. */
void path_find_device(void)
{
	find_places();
	if (status_real(AT_FDCWD, device_file, &device_status, AT_SYMLINK_NOFOLLOW))
		device_status.st_ino = 0;
}

/** A memory file has no name in any directory, nor has what stood for the device and was removed.
 */
static bool may_stand_for_file(int descriptor)
{
	struct stat status;

	return status_real(descriptor, "", &status, AT_EMPTY_PATH) == 0 &&
	       S_ISREG(status.st_mode) &&
	       (status.st_nlink == 0 ||
		(status.st_ino == device_status.st_ino && status.st_dev == device_status.st_dev));
}

static bool probe_file(int descriptor, char *unused)
{
	(void)unused;
	return may_stand_for_file(descriptor);
}

bool path_may_be_emulated(int descriptor)
{
	return preload_machine && !preload_inside() && preload_probe(probe_file, descriptor, NULL);
}

bool path_of_descriptor(int descriptor, char *emulated)
{
	char path[PATH_MAX];

	return may_stand_for_file(descriptor) && path_read_link(descriptor, path) >= 0 &&
	       path_of_link(path, emulated);
}

bool path_is_device(const char *emulated)
{
	return strcmp(emulated, ABI_DEVICE_PATH) == 0;
}

bool path_begins_with_device(const char *emulated)
{
	return is_below(emulated, ABI_DEVICE_PATH);
}

bool path_is_msr(const char *emulated)
{
	static const char directory[] = "/dev/cpu/", name[] = "/msr";
	const char *end = strrchr(emulated, '/');

	return strncmp(emulated, directory, sizeof(directory) - 1) == 0 && strcmp(end, name) == 0;
}
