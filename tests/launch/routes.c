/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that comes to one and the same file by many paths: from outside into what the
 * emulated machine has, out of it, and from one of its directories into another. The table says
 * where each path leads on a server whose files these are; every function must find that file. To
 * be run on the machine of tests/platforms/tiny.platform by the preload library.
 */
#include "program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <unistd.h>

#define RUN "/run/isst"
#define NODES "/sys/devices/system/node"
#define LINKS "/tmp/routes-links" /* replaced by the directory of this run */

static char scratch[] = "/tmp/routes-XXXXXX";
static int start_directory;

/** A path, from a directory; where that leads, without links, or why it leads nowhere. */
struct route {
	const char *from, *path, *to;
	int error;
};

static const struct route routes[] = {
	/* Into the directory of tools, and about in it. */
	{ "/", RUN, RUN, 0 },
	{ "/", "run/isst", RUN, 0 },
	{ "/", "//run///isst//", RUN, 0 },
	{ "/", "/run/./isst/.", RUN, 0 },
	{ "/run", "isst", RUN, 0 },
	{ "/run", "./isst/file", RUN "/file", 0 },
	{ "/", RUN "/file", RUN "/file", 0 },
	{ "/", RUN "/below/..", RUN, 0 },
	{ "/", RUN "/below/../file", RUN "/file", 0 },
	{ RUN, ".", RUN, 0 },
	{ RUN, "file", RUN "/file", 0 },
	{ RUN, "below/..", RUN, 0 },
	{ RUN "/below", "..", RUN, 0 },
	{ RUN "/below", "../file", RUN "/file", 0 },
	{ "/run/isst_below", ".", "/run/isst_below", 0 },
	/* Out of it. */
	{ "/", RUN "/..", "/run", 0 },
	{ "/", RUN "/../", "/run", 0 },
	{ "/", RUN "/../.", "/run", 0 },
	{ "/", RUN "//..//", "/run", 0 },
	{ "/", RUN "/below/../..", "/run", 0 },
	{ "/", RUN "/../..", "/", 0 },
	{ "/", RUN "/../../..", "/", 0 },
	{ "/", RUN "/../../tmp", "/tmp", 0 },
	{ RUN, "..", "/run", 0 },
	{ RUN, "../", "/run", 0 },
	{ RUN, "../..", "/", 0 },
	{ RUN, "./../../tmp", "/tmp", 0 },
	{ RUN "/below", "../..", "/run", 0 },
	{ RUN "/below", "../../..", "/", 0 },
	{ "/", "/run/isst_below/..", "/run", 0 },
	{ "/run/isst_below", "..", "/run", 0 },
	/* Out of it, and in again. */
	{ "/", RUN "/../isst", RUN, 0 },
	{ "/", RUN "/../isst/file", RUN "/file", 0 },
	{ "/", RUN "/../isst_below", "/run/isst_below", 0 },
	{ "/", "/run/isst_below/../isst/file", RUN "/file", 0 },
	{ RUN, "../isst/file", RUN "/file", 0 },
	{ RUN, "../../run/isst/below", RUN "/below", 0 },
	{ RUN "/below", "../../isst", RUN, 0 },
	{ RUN, "../isst_below", "/run/isst_below", 0 },
	{ "/run/isst_below", "../isst/file", RUN "/file", 0 },
	/* By links in it. */
	{ "/", RUN "/up", "/run", 0 },
	{ "/", RUN "/up/isst/file", RUN "/file", 0 },
	{ "/", RUN "/up/..", "/", 0 },
	{ "/", RUN "/again", RUN "/below", 0 },
	{ "/", RUN "/again/../file", RUN "/file", 0 },
	{ "/", RUN "/cpus", CPUS, 0 },
	{ "/", RUN "/cpus/online", CPUS "/online", 0 },
	{ "/", RUN "/cpus/..", "/sys/devices/system", 0 },
	{ RUN, "up/isst", RUN, 0 },
	{ RUN, "cpus/../node", NODES, 0 },
	{ RUN "/below", "../up/isst/below/..", RUN, 0 },
	/* By links to it. */
	{ "/", LINKS "/isst", RUN, 0 },
	{ "/", LINKS "/isst/", RUN, 0 },
	{ "/", LINKS "/isst/file", RUN "/file", 0 },
	{ "/", LINKS "/isst/..", "/run", 0 },
	{ "/", LINKS "/run/isst/below", RUN "/below", 0 },
	{ "/", LINKS "/file", RUN "/file", 0 },
	{ "/", "/var/run/isst/file", RUN "/file", 0 },
	{ "/", "/var/run/isst/..", "/run", 0 },
	{ "/var/run", "isst", RUN, 0 },
	/* What is not there, or no directory. */
	{ "/", RUN "/nonesuch", NULL, ENOENT },
	{ "/", RUN "/nonesuch/..", NULL, ENOENT },
	{ "/", RUN "/file/", NULL, ENOTDIR },
	{ "/", RUN "/file/..", NULL, ENOTDIR },
	{ "/", RUN "/file/.", NULL, ENOTDIR },
	{ "/", RUN "/../isst-nonesuch", NULL, ENOENT },
	{ "/", RUN "/../device", NULL, ENOENT },
	{ "/", RUN "/../names", NULL, ENOENT },
	{ "/", RUN "/up/state", NULL, ENOENT },
	{ "/", RUN "/dangling", NULL, ENOENT },
	{ "/", RUN "/circle", NULL, ELOOP },
	{ RUN, "../state", NULL, ENOENT },
	{ RUN, "../names/sys", NULL, ENOENT },
	{ "/run/isst_below", "../state", NULL, ENOENT },
	/* The kernel's files. */
	{ "/", "//sys/devices/./system//cpu/", CPUS, 0 },
	{ "/", CPUS "/cpu0/..", CPUS, 0 },
	{ "/", CPUS "/cpu0/../cpu1/online", CPUS "/cpu1/online", 0 },
	{ "/", CPUS "/..", "/sys/devices/system", 0 },
	{ "/", CPUS "/../node", NODES, 0 },
	{ "/", CPUS "/../../..", "/sys", 0 },
	{ "/", "/sys/devices/../../sys", "/sys", 0 },
	{ "/", CPUS "/../../../../run/isst/file", RUN "/file", 0 },
	{ "/", RUN "/../../sys/devices/system/cpu/online", CPUS "/online", 0 },
	{ CPUS, "..", "/sys/devices/system", 0 },
	{ CPUS, "../cpu", CPUS, 0 },
	{ CPUS, "../node/..", "/sys/devices/system", 0 },
	{ CPUS, "../../../../run/isst/..", "/run", 0 },
	{ CPUS "/cpu0", "node0", NODES "/node0", 0 },
	{ CPUS "/cpu0", "node0/..", NODES, 0 },
	{ CPUS "/cpu0", "node0/cpu0", CPUS "/cpu0", 0 },
	{ RUN, "../../sys/devices/system/cpu/cpu0", CPUS "/cpu0", 0 },
	{ "/sys/bus/cpu/devices", "cpu2", CPUS "/cpu2", 0 },
	{ "/sys/bus/cpu", "..", "/sys/bus", 0 },
	{ "/sys/fs/cgroup", "..", "/sys/fs", 0 },
	{ "/sys/module/isst_if_common", "../..", "/sys", 0 },
	{ "/", "/sys/fs/cgroup/../../devices/system/node", NODES, 0 },
	{ "/", CPUS "/online/..", NULL, ENOTDIR },
	{ "/", CPUS "/nonesuch/..", NULL, ENOENT },
	{ CPUS, "../../../state", NULL, ENOENT },
	/* Devices. */
	{ "/", "/dev/./isst_interface", "/dev/isst_interface", 0 },
	{ "/dev", "isst_interface", "/dev/isst_interface", 0 },
	{ "/dev/cpu", "../isst_interface", "/dev/isst_interface", 0 },
	{ "/dev/cpu/0", "..", "/dev/cpu", 0 },
	{ "/dev/cpu/0", "../..", "/dev", 0 },
	{ "/dev/cpu", "../../run/isst/file", RUN "/file", 0 },
	{ RUN, "../../dev/cpu/1/msr", "/dev/cpu/1/msr", 0 },
	{ "/", "/dev/cpu/0/../1/msr", "/dev/cpu/1/msr", 0 },
	{ "/", "/dev/isst_interface/", NULL, ENOTDIR },
	{ "/", "/dev/isst_interface/x", NULL, ENOTDIR },
	{ "/", "/dev/isst_interface/..", NULL, ENOTDIR },
	{ "/", "/dev/cpu/0/msr/..", NULL, ENOTDIR },
};

/* ---- What there is ---- */

static const char *in_scratch(const char *path)
{
	static char whole[200];

	if (strncmp(path, LINKS, strlen(LINKS)) != 0)
		return path;
	snprintf(whole, sizeof(whole), "%s%s", scratch, path + strlen(LINKS));
	return whole;
}

static const struct {
	const char *target, *path;
} links[] = {
	{ "..", RUN "/up" },	     { "../isst/below", RUN "/again" },
	{ CPUS, RUN "/cpus" },	     { "nonesuch", RUN "/dangling" },
	{ "circle", RUN "/circle" }, { RUN, LINKS "/isst" },
	{ "/run", LINKS "/run" },    { RUN "/below/../file", LINKS "/file" },
};

enum { LINK_COUNT = sizeof(links) / sizeof(*links) };

static int prepare(void **state)
{
	int error = 0;

	(void)state;
	start_directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!mkdtemp(scratch) || mkdir(RUN "/below", 0755) || mkdir("/run/isst_below", 0755))
		return -1;
	write_file(RUN "/file", "here\n");
	for (size_t i = 0; i < LINK_COUNT && !error; i++)
		error = symlink(links[i].target, in_scratch(links[i].path));
	return error;
}

static int clean_up(void **state)
{
	int error = 0;

	(void)state;
	for (size_t i = 0; i < LINK_COUNT && !error; i++)
		error = unlink(in_scratch(links[i].path));
	return error || unlink(RUN "/file") || rmdir(RUN "/below") || rmdir("/run/isst_below") ||
	       rmdir(scratch);
}

static int go_back(void **state)
{
	(void)state;
	return fchdir(start_directory);
}

/* ---- Each function by each route ---- */

static unsigned int wrong;

static void complain(const struct route *route, const char *function, const char *found)
{
	print_message("from %s, %s by %s: %s\n", route->from, in_scratch(route->path), function,
		      found);
	wrong++;
}

/** Whether a function succeeded, or failed with the error that it should. */
static bool check_result(const struct route *route, const char *function, bool succeeded)
{
	int error = succeeded ? 0 : errno;

	if (error != route->error)
		complain(route, function, strerror(error));
	return succeeded && !route->error;
}

static void check_same(const struct route *route, const char *function, ino_t number, dev_t device)
{
	struct stat expected;

	if (stat(route->to, &expected))
		complain(route, "stat of where it leads", strerror(errno));
	else if (expected.st_ino != number || expected.st_dev != device)
		complain(route, function, "another file");
}

static void check_path(const struct route *route, const char *function, const char *found)
{
	if (strcmp(found, route->to) != 0)
		complain(route, function, found);
}

static void check_status(const struct route *route, int directory, const char *path)
{
	struct stat status = { 0 };
	struct statx extended = { 0 };

	if (check_result(route, "stat", !stat(path, &status)))
		check_same(route, "stat", status.st_ino, status.st_dev);
	if (check_result(route, "fstatat", !fstatat(directory, path, &status, 0)))
		check_same(route, "fstatat", status.st_ino, status.st_dev);
	if (check_result(route, "statx", !statx(directory, path, 0, STATX_INO, &extended)))
		check_same(route, "statx", extended.stx_ino, status.st_dev);
	check_result(route, "access", !access(path, F_OK));
	check_result(route, "faccessat", !faccessat(directory, path, F_OK, 0));
	check_result(route, "euidaccess", !euidaccess(path, F_OK));
}

/** Also of what the link in /proc shows. */
static void check_opened(const struct route *route, const char *function, int opened)
{
	struct stat status = { 0 };
	char link[40], target[PATH_MAX];
	ssize_t length;

	if (!check_result(route, function, opened >= 0))
		goto out;
	fstat(opened, &status);
	check_same(route, "fstat", status.st_ino, status.st_dev);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", opened);
	length = readlink(link, target, sizeof(target) - 1);
	target[length < 0 ? 0 : length] = '\0';
	check_path(route, "readlink", target);
out:
	if (opened >= 0)
		close(opened);
}

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/** On an overlay, entries of a directory need not have the inode numbers that stat(2) shows. */
static bool is_overlay(const char *path)
{
	struct statfs file_system;

	return statfs(path, &file_system) == 0 && file_system.f_type == OVERLAYFS_SUPER_MAGIC;
}

/** What a directory has for itself and for the one above. What is mounted has none above it in its
 * own file system. */
static void check_entries(const struct route *route, DIR *directory)
{
	const struct dirent *entry;
	struct stat self, above;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/..", route->to);
	if (stat(route->to, &self) || stat(path, &above) || is_overlay(route->to))
		return;
	if (above.st_dev != self.st_dev && strncmp(route->to, RUN, strlen(RUN)) != 0)
		above = self;
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") == 0 && entry->d_ino != self.st_ino)
			complain(route, "readdir", ".");
		if (strcmp(entry->d_name, "..") == 0 && entry->d_ino != above.st_ino)
			complain(route, "readdir", "..");
	}
}

static void check_directory(const struct route *route, const char *path)
{
	DIR *directory = opendir(path);
	char current[PATH_MAX];

	if (check_result(route, "opendir", directory))
		check_entries(route, directory);
	if (directory)
		closedir(directory);
	check_result(route, "chdir", !chdir(path));
	if (!route->error)
		check_path(route, "getcwd", getcwd(current, sizeof(current)));
}

static void check_route(const struct route *route)
{
	const char *path = in_scratch(route->path);
	int directory = open(route->from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char resolved[PATH_MAX] = "";

	if (directory < 0 || fchdir(directory)) {
		complain(route, "chdir before it", strerror(errno));
		return;
	}
	check_status(route, directory, path);
	check_opened(route, "open", open(path, O_PATH | O_CLOEXEC));
	check_opened(route, "openat", openat(directory, path, O_RDONLY | O_CLOEXEC));
	if (check_result(route, "realpath", realpath(path, resolved)))
		check_path(route, "realpath", resolved);
	if (route->error || is_directory(route->to))
		check_directory(route, path);
	close(directory);
}

/** What a system need not have: /sys where it is not mounted, a link to /run. */
static bool is_here(const struct route *route)
{
	struct stat status;

	return (strncmp(route->from, "/var", 4) != 0 && strncmp(route->path, "/var", 4) != 0 &&
		(!route->to || strncmp(route->to, "/sys", 4) != 0)) ||
	       (strstr(route->path, "/var") || strstr(route->from, "/var")
			? syscall(SYS_readlinkat, AT_FDCWD, "/var/run", (char[9]){ 0 }, 9) > 0
			: stat(route->to, &status) == 0);
}

static void every_path_leads_to_its_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		if (is_here(&routes[i]))
			check_route(&routes[i]);
	assert_int_equal(wrong, 0);
}

/* ---- Who owns them ---- */

/** The machine's root, who runs this, owns its /run as well as what is below. */
static void the_owner_of_the_machine_owns_run(void **state)
{
	static const char *const paths[] = { "/run", "/run/isst", "/run/isst/..", "/run/isst/up" };
	struct stat status;
	struct statx extended;
	int directory = open(RUN, O_RDONLY | O_DIRECTORY | O_CLOEXEC), above;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		assert_int_equal(stat(paths[i], &status), 0);
		assert_int_equal(status.st_uid, geteuid());
	}
	assert_int_equal(lstat("/run", &status), 0);
	assert_int_equal(status.st_uid, geteuid());
	assert_int_equal(fstatat(directory, "..", &status, 0), 0);
	assert_int_equal(status.st_uid, geteuid());
	assert_int_equal(statx(directory, "..", 0, STATX_UID, &extended), 0);
	assert_int_equal(extended.stx_uid, geteuid());
	above = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fstat(above, &status), 0);
	assert_int_equal(status.st_uid, geteuid());
	assert_int_equal(fstatat(above, "", &status, AT_EMPTY_PATH), 0);
	assert_int_equal(status.st_uid, geteuid());
	assert_int_equal(statx(above, "", AT_EMPTY_PATH, STATX_UID, &extended), 0);
	assert_int_equal(extended.stx_uid, geteuid());
	close(above);
	close(directory);
}

/* ---- Changes, by paths into the directory of tools ---- */

static const char *below(const char *prefix, const char *name)
{
	static char paths[2][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 2];

	snprintf(path, PATH_MAX, "%s/%s", in_scratch(prefix), name);
	return path;
}

/** Whether the state has that file, which no path of the machine leads to. */
static bool is_kept(const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	snprintf(path, sizeof(path), "%s/run/%s", getenv("ISST_EMULATE_STATE"), name);
	return lstat(path, &status) == 0;
}

static void assert_names_by(const char *prefix)
{
	assert_int_equal(mkdir(below(prefix, "new"), 0755), 0);
	assert_true(is_kept("new"));
	assert_int_equal(rename(below(prefix, "new"), below(RUN, "other")), 0);
	assert_true(is_kept("other"));
	assert_int_equal(rmdir(below(prefix, "other")), 0);
	write_file(below(prefix, "new"), "new\n");
	assert_true(is_kept("new"));
	assert_content(below(RUN, "new"), "new\n");
	assert_int_equal(link(below(prefix, "new"), below(prefix, "other")), 0);
	assert_true(is_kept("other"));
	assert_int_equal(unlink(below(prefix, "other")), 0);
	assert_int_equal(truncate(below(prefix, "new"), 1), 0);
	assert_content(below(RUN, "new"), "n");
	assert_int_equal(chmod(below(prefix, "new"), 0640), 0);
	assert_int_equal(chown(below(prefix, "new"), geteuid(), (gid_t)-1), 0);
	assert_int_equal(utimensat(AT_FDCWD, below(prefix, "new"), NULL, 0), 0);
	assert_int_equal(remove(below(prefix, "new")), 0);
	assert_int_equal(symlink("file", below(prefix, "new")), 0);
	assert_content(below(RUN, "new"), "here\n");
	assert_int_equal(unlink(below(prefix, "new")), 0);
	assert_int_equal(mkfifo(below(prefix, "new"), 0600), 0);
	assert_true(is_kept("new"));
	assert_int_equal(unlink(below(prefix, "new")), 0);
	assert_false(is_kept("new"));
}

static void assert_temporary_by(const char *prefix)
{
	char template[220];
	int file;

	snprintf(template, sizeof(template), "%s/XXXXXX", in_scratch(prefix));
	file = mkstemp(template);
	assert_true(file >= 0);
	close(file);
	assert_true(is_kept(strrchr(template, '/') + 1));
	assert_int_equal(unlink(template), 0);
	assert_false(is_kept(strrchr(template, '/') + 1));
}

static const char *const prefixes[] = {
	RUN,
	"//run/./isst",
	RUN "/../isst",
	RUN "/below/..",
	RUN "/up/isst",
	LINKS "/isst",
	LINKS "/run/isst",
	"/sys/../run/isst",
	CPUS "/../../../../run/isst",
	"/dev/cpu/../../run/isst",
};

static void changes_are_made_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		assert_names_by(prefixes[i]);
		assert_temporary_by(prefixes[i]);
	}
	assert_int_equal(chdir(RUN "/below"), 0);
	assert_names_by("..");
	assert_temporary_by("..");
	assert_names_by("../../isst");
	assert_int_equal(chdir(CPUS), 0);
	assert_names_by("../../../../run/isst");
	assert_temporary_by("../../../../run/isst");
}

static void changes_are_made_by_descriptors(void **state)
{
	int directory = open(RUN, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;
	int lower = openat(directory, "below", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(mkdirat(lower, "../new", 0755), 0);
	assert_true(is_kept("new"));
	assert_int_equal(renameat(directory, "new", lower, "../../isst/below/new"), 0);
	assert_true(is_kept("below/new"));
	assert_int_equal(unlinkat(directory, "../isst/below/new", AT_REMOVEDIR), 0);
	file = openat(lower, "../../isst/new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	close(file);
	assert_true(is_kept("new"));
	assert_int_equal(linkat(lower, "../new", directory, "other", 0), 0);
	assert_int_equal(fchmodat(lower, "../other", 0640, 0), 0);
	assert_int_equal(unlinkat(lower, "../other", 0), 0);
	assert_int_equal(unlinkat(directory, "./new", 0), 0);
	assert_int_equal(symlinkat("file", lower, "../new"), 0);
	assert_content_at(lower, "../new", "here\n");
	assert_int_equal(unlinkat(directory, "new", 0), 0);
	close(lower);
	close(directory);
}

/** Another file system: what is beside /run/isst is the system's. */
static void nothing_is_moved_between_machines(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_fails(rename(RUN "/file", CPUS "/file"), EXDEV);
	assert_fails(rename(CPUS "/online", RUN "/../isst/online"), EXDEV);
	assert_fails(link(CPUS "/online", RUN "/online"), EXDEV);
	assert_fails(mkdir(RUN, 0755), EEXIST);
	assert_fails(mkdir(RUN "/../isst", 0755), EEXIST);
	assert_fails(mkdir(RUN "/below/..", 0755), EEXIST);
	assert_fails(rmdir(RUN "/below/."), EINVAL);
	assert_fails(rmdir(RUN "/below/.."), ENOTEMPTY);
	assert_fails(unlink(RUN "/below"), EISDIR);
	snprintf(path, sizeof(path), "%s/other", scratch);
	write_file(path, "");
	assert_fails(rmdir(path), ENOTDIR);
	assert_int_equal(unlink(path), 0);
}

/* ---- Directories of the system ---- */

/** Counts entries of a name; what they show is what the status shows. */
static unsigned int count_entries(DIR *directory, const char *name)
{
	const struct dirent *entry;
	unsigned int count = 0;
	struct stat status;

	errno = 0;
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, name) != 0)
			continue;
		count++;
		assert_int_equal(fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW), 0);
		assert_true(entry->d_ino == status.st_ino);
		assert_int_equal(entry->d_type, IFTODT(status.st_mode));
	}
	assert_int_equal(errno, 0);
	return count;
}

static int is_device(const struct dirent *entry)
{
	return strncmp(entry->d_name, "isst_", 5) == 0;
}

static void directories_of_the_system_show_the_machine(void **state)
{
	static const struct {
		const char *directory, *name;
	} rows[] = {
		{ "/dev", "isst_interface" }, { "/dev", "cpu" },   { "/run", "isst" },
		{ "/proc", "cpuinfo" },	      { "/dev/", "null" },
	};
	struct dirent **entries;
	glob_t found;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		DIR *directory = opendir(rows[i].directory);

		assert_non_null(directory);
		assert_int_equal(count_entries(directory, rows[i].name), 1);
		assert_int_equal(count_entries(directory, rows[i].name), 0);
		rewinddir(directory);
		assert_int_equal(count_entries(directory, rows[i].name), 1);
		assert_int_equal(closedir(directory), 0);
	}
	assert_int_equal(scandir("/dev", &entries, is_device, alphasort), 1);
	assert_string_equal(entries[0]->d_name, "isst_interface");
	free(entries[0]);
	free(entries);
	assert_int_equal(glob("/dev/isst*", 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	assert_string_equal(found.gl_pathv[0], "/dev/isst_interface");
	globfree(&found);
}

/* ---- What is watched ---- */

static void assert_event(int watch, const char *name)
{
	union {
		struct inotify_event event;
		char space[sizeof(struct inotify_event) + NAME_MAX + 1];
	} read_event;

	assert_true(read(watch, &read_event, sizeof(read_event)) > 0);
	assert_string_equal(read_event.event.name, name);
}

static void what_is_made_there_is_noticed(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		int directory = inotify_add_watch(watch, in_scratch(prefixes[i]), IN_CREATE);

		assert_true(directory >= 0);
		assert_int_equal(mkdir(RUN "/new", 0755), 0);
		assert_event(watch, "new");
		assert_int_equal(rmdir(RUN "/new"), 0);
		assert_int_equal(inotify_rm_watch(watch, directory), 0);
		while (read(watch, (char[4096]){ 0 }, 4096) > 0)
			;
	}
	assert_true(inotify_add_watch(watch, CPUS "/online", IN_MODIFY) >= 0);
	assert_true(inotify_add_watch(watch, CPUS, IN_CREATE) >= 0);
	assert_fails(inotify_add_watch(watch, CPUS "/cpu77", IN_CREATE), ENOENT);
	assert_fails(inotify_add_watch(watch, CPUS "/online", IN_MODIFY | IN_ONLYDIR), ENOTDIR);
	close(watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_path_leads_to_its_file, go_back),
		cmocka_unit_test_teardown(the_owner_of_the_machine_owns_run, go_back),
		cmocka_unit_test_teardown(changes_are_made_there, go_back),
		cmocka_unit_test_teardown(changes_are_made_by_descriptors, go_back),
		cmocka_unit_test_teardown(nothing_is_moved_between_machines, go_back),
		cmocka_unit_test_teardown(directories_of_the_system_show_the_machine, go_back),
		cmocka_unit_test_teardown(what_is_made_there_is_noticed, go_back),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
