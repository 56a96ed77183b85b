/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that comes to the kernel's files by winding ways, and leaves them again; to be run on
 * the machine of tests/platforms/tiny.platform. Nothing that it does may
 * reach the real machine, or what stands for the emulated one.
 */
#include "program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static char scratch[] = "/tmp/paths-XXXXXX"; /* no emulated one is longer */
static int start;			     /* the directory that the program began in */

static int prepare(void **state)
{
	(void)state;
	start = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return mkdtemp(scratch) ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	return rmdir(scratch);
}

/** After each test, whatever it has done. */
static int go_back(void **state)
{
	return reset_cpu(state) || fchdir(start) ? -1 : 0;
}

static const char *of_state(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", getenv("ISST_EMULATE_STATE"), name);
	return path;
}

/* ---- Links ---- */

static void links_of_programs_lead_to_the_machine(void **state)
{
	struct stat status, expected;
	char path[PATH_MAX];
	FILE *stream;
	DIR *directory;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	assert_int_equal(symlink(CPUS, "cpus"), 0);
	assert_int_equal(symlink("cpus/cpu3/online", "online"), 0);
	write_file(CPU3, "0");
	assert_content("cpus/online", "0-2\n");
	assert_content("online", "0\n");
	write_file("online", "1");
	assert_content(CPUS "/online", "0-3\n");
	stream = fopen("cpus/present", "r");
	assert_non_null(stream);
	assert_non_null(fgets(path, sizeof(path), stream));
	assert_string_equal(path, "0-3\n");
	fclose(stream);
	directory = opendir("cpus");
	assert_non_null(directory);
	assert_int_equal(faccessat(dirfd(directory), "cpu3/topology", F_OK, 0), 0);
	closedir(directory);
	assert_int_equal(stat("online", &status), 0);
	assert_int_equal(stat(CPU3, &expected), 0);
	assert_int_equal(status.st_ino, expected.st_ino);
	assert_int_equal(lstat("online", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_true(readlink("online", path, sizeof(path)) == (ssize_t)strlen("cpus/cpu3/online"));
	assert_string_equal(realpath("online", path), CPU3);
	assert_fails(access("cpus/cpu77", F_OK), ENOENT);
	assert_fails(rename("cpus/online", "other"), EXDEV);
	assert_int_equal(chdir("cpus/cpu1"), 0);
	assert_string_equal(getcwd(path, sizeof(path)), CPUS "/cpu1");
	assert_int_equal(chdir(scratch), 0);
	assert_int_equal(unlink("cpus"), 0);
	assert_int_equal(unlink("online"), 0);
}

static void the_root_of_a_process_leads_to_the_machine(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_content("/proc/self/root" CPUS "/present", "0-3\n");
	assert_content("/proc/thread-self/root" CPUS "/present", "0-3\n");
	snprintf(path, sizeof(path), "/proc/%d/root" CPUS "/present", getpid());
	assert_content(path, "0-3\n");
	assert_int_equal(access("/proc/self/root/dev/isst_interface", R_OK), 0);
	assert_int_equal(chdir(CPUS), 0);
	assert_content("/proc/self/cwd/present", "0-3\n");
	assert_content("/proc/self/cwd/../cpu/present", "0-3\n");
}

static void descriptors_are_opened_again(void **state)
{
	static const int flags[] = { O_PATH, O_RDONLY };
	char path[40];

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		int descriptor = open(CPU3, flags[i] | O_CLOEXEC);

		snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
		assert_content(path, "1\n");
		write_file(path, "0");
		assert_content(path, "0\n");
		snprintf(path, sizeof(path), "/dev/fd/%d", descriptor);
		write_file(path, "1");
		assert_content(CPUS "/online", "0-3\n");
		close(descriptor);
	}
}

static void assert_link(const char *path, const char *expected)
{
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	assert_true(length >= 0);
	target[length] = '\0';
	assert_string_equal(target, expected);
}

static void assert_link_of_opened(const char *opened, int flags)
{
	int descriptor = open(opened, flags | O_CLOEXEC);
	char path[40];

	assert_true(descriptor >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	assert_link(path, opened);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), descriptor);
	assert_link(path, opened);
	assert_int_equal(close(descriptor), 0);
}

static void descriptors_are_shown_by_their_paths(void **state)
{
	int file = open(CPU3, O_RDONLY | O_CLOEXEC), ends[2];
	int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char path[40], target[8] = "", whole[PATH_MAX];

	(void)state;
	assert_link_of_opened(CPU3, O_RDONLY);
	assert_link_of_opened(CPU3, O_WRONLY);
	assert_link_of_opened(CPU3, O_PATH);
	assert_link_of_opened(CPUS, O_RDONLY | O_DIRECTORY);
	assert_link_of_opened("/dev/isst_interface", O_RDWR);
	assert_link_of_opened("/dev/null", O_RDONLY);
	assert_int_equal(chdir(CPUS), 0);
	assert_link("/proc/self/cwd", CPUS);
	snprintf(path, sizeof(path), "%d", file);
	assert_int_equal(readlinkat(directory, path, target, 4), 4);
	assert_string_equal(target, "/sys");
	assert_int_equal(readlinkat(directory, path, whole, sizeof(whole)), strlen(CPU3));
	assert_fails(readlinkat(directory, path, target, 0), EINVAL);
	assert_int_equal(close(file), 0);
	assert_fails(readlinkat(directory, path, target, 4), ENOENT);
	assert_int_equal(close(directory), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(readlink(path, target, 5), 5);
	assert_memory_equal(target, "pipe:", 5);
	close(ends[0]);
	close(ends[1]);
}

static void descriptors_of_the_system_are_opened_again(void **state)
{
	int ends[2];
	char path[40];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "here", 4), 4);
	assert_int_equal(close(ends[1]), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	assert_content(path, "here");
	assert_int_equal(chdir(CPUS), 0);
	assert_int_equal(access("../../../../proc/self/exe", X_OK), 0);
	close(ends[0]);
}

/** More than the kernel follows, though they lead over the machine's directories. */
static void links_may_be_too_many(void **state)
{
	enum { LINKS = 45 };
	char target[PATH_MAX], name[20];

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	for (int i = 0; i < LINKS; i++) {
		snprintf(target, sizeof(target), "../../../..%s/link%d", scratch, i + 1);
		snprintf(name, sizeof(name), "link%d", i);
		assert_int_equal(symlink(i + 1 < LINKS ? strstr(target, "link") : CPUS, name), 0);
	}
	assert_fails(open("link0/present", O_RDONLY), ELOOP);
	snprintf(target, sizeof(target), "../../../..%s/link0/present", scratch);
	assert_int_equal(chdir(CPUS), 0);
	assert_fails(open(target, O_RDONLY), ELOOP);
	assert_int_equal(chdir(scratch), 0);
	for (int i = 0; i < LINKS; i++) {
		snprintf(name, sizeof(name), "link%d", i);
		assert_int_equal(unlink(name), 0);
	}
}

/* ---- Upwards ---- */

static void parents_are_those_of_the_directory(void **state)
{
	(void)state;
	assert_content(CPUS "/cpu0/../online", "0-3\n");
	assert_content(CPUS "/cpu2/node0/../online", "0\n");
	assert_content("/sys/bus/cpu/devices/cpu2/../present", "0-3\n");
	assert_content(CPUS "/cpu2/node0/../../cpu/present", "0-3\n");
}

static void files_have_no_parents(void **state)
{
	struct stat status;

	(void)state;
	assert_fails(open(CPUS "/online/../online", O_RDONLY), ENOTDIR);
	assert_fails(open(CPUS "/online/.", O_RDONLY), ENOTDIR);
	assert_fails(open(CPUS "/online/", O_RDONLY), ENOTDIR);
	assert_fails(open(CPUS "/online/", O_WRONLY | O_TRUNC), ENOTDIR);
	assert_fails(open(CPUS "/online/x", O_RDONLY), ENOTDIR);
	assert_fails(open(CPUS "/cpu77/../online", O_RDONLY), ENOENT);
	assert_fails(open("/etc/nonesuch/../.." CPUS "/online", O_RDONLY), ENOENT);
	assert_fails(open("/proc/version/../.." CPUS "/online", O_RDONLY), ENOTDIR);
	assert_fails(stat(CPUS "/online/", &status), ENOTDIR);
	assert_fails(access(CPUS "/online/..", F_OK), ENOTDIR);
	assert_fails(chdir(CPUS "/online/.."), ENOTDIR);
	assert_fails(stat("/dev/cpu/0/msr/", &status), ENOTDIR);
	assert_int_equal(stat(CPUS "/cpu1/", &status), 0);
	assert_int_equal(lstat("/sys/bus/cpu/devices/cpu2/", &status), 0);
	assert_true(S_ISDIR(status.st_mode));
}

/** They lead to the system's files, not to what is beside what stands for the machine's. */
static void relative_paths_lead_out_again(void **state)
{
	char path[PATH_MAX], name[PATH_MAX], template[PATH_MAX];
	struct stat status;
	int file;

	(void)state;
	/* As far up as there is anything; the root is its own parent. */
	snprintf(path, sizeof(path), "../../../../..%s/file", scratch);
	snprintf(name, sizeof(name), "%s/file", scratch);
	assert_int_equal(chdir(CPUS), 0);
	write_file(path, "here\n");
	assert_content(name, "here\n");
	assert_content(path, "here\n");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(truncate(path, 2), 0);
	assert_int_equal(unlink(path), 0);
	assert_fails(access(name, F_OK), ENOENT);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(rmdir(name), 0);
	assert_int_equal(symlink("here", path), 0);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(remove(path), 0);
	snprintf(template, sizeof(template), "../../../..%s/XXXXXX", scratch);
	file = mkstemp(template);
	assert_true(file >= 0);
	close(file);
	assert_null(strstr(template, "XXXXXX"));
	assert_int_equal(unlink(strstr(template, scratch)), 0);
}

static void what_the_machine_is_kept_in_is_not_reached(void **state)
{
	static const char *const tops[] = { CPUS, "/sys/fs/cgroup", "/sys/bus/cpu" };

	(void)state;
	for (size_t i = 0; i < sizeof(tops) / sizeof(*tops); i++) {
		char up[PATH_MAX] = "";

		assert_int_equal(chdir(tops[i]), 0);
		for (const char *slash = tops[i]; (slash = strchr(slash, '/')); slash++) {
			char path[PATH_MAX + 10];

			snprintf(up + strlen(up), sizeof(up) - strlen(up), "../");
			/* No system has such files above /sys. */
			snprintf(path, sizeof(path), "%s../lock", up);
			assert_fails(access(path, F_OK), ENOENT);
			assert_true(unlink(path) < 0);
			snprintf(path, sizeof(path), "%s../state", up);
			assert_fails(open(path, O_RDONLY), ENOENT);
		}
	}
	assert_int_equal(access(of_state("lock"), F_OK), 0);
	assert_int_equal(chdir("/run/isst"), 0);
	assert_fails(unlink("../state"), ENOENT);
	assert_int_equal(access(of_state("state"), F_OK), 0);
}

static void the_directory_of_tools_is_where_it_seems(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(chdir("/run/isst"), 0);
	assert_string_equal(getcwd(path, sizeof(path)), "/run/isst");
	write_file("probe", "one\n");
	assert_content("../isst/probe", "one\n");
	assert_content(of_state("run/probe"), "one\n");
	assert_int_equal(chdir("/run"), 0);
	assert_content("isst/probe", "one\n");
	assert_int_equal(unlink("isst/probe"), 0);
}

/* ---- Changes ---- */

/** Names that a directory has, without what stands for it being asked. */
static unsigned int count_names(const char *path)
{
	unsigned int count = 0;
	DIR *directory = opendir(path);

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void directories_take_no_names(void **state)
{
	int directory = open(CPUS "/cpu1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int before = count_names(CPUS "/cpu1");
	char template[] = "XXXXXX", path[PATH_MAX];
	struct timeval times[2] = { { 0 }, { 0 } };

	(void)state;
	assert_int_equal(chdir(CPUS "/cpu1"), 0);
	snprintf(path, sizeof(path), "%s/file", scratch);
	write_file(path, "here\n");
	assert_fails(mkdirat(directory, "x", 0700), EPERM);
	assert_fails(symlinkat("y", directory, "x"), EPERM);
	assert_fails(symlink("y", "x"), EPERM);
	assert_fails(mknodat(directory, "x", S_IFREG | 0600, 0), EPERM);
	assert_fails(mknod("x", S_IFIFO | 0600, 0), EPERM);
	assert_fails(mkfifo("x", 0600), EPERM);
	assert_fails(mkfifoat(directory, "x", 0600), EPERM);
	assert_fails(linkat(directory, "online", directory, "x", 0), EPERM);
	assert_fails(link("online", "x"), EPERM);
	assert_fails(link(path, "x"), EXDEV);
	assert_fails(link("online", path), EEXIST);
	assert_fails(renameat(AT_FDCWD, path, directory, "x"), EXDEV);
	assert_fails(renameat(directory, "online", directory, "x"), EPERM);
	assert_fails(unlinkat(directory, "online", 0), EPERM);
	assert_fails(unlinkat(directory, "topology", AT_REMOVEDIR), EPERM);
	assert_fails(remove("online"), EPERM);
	assert_fails(remove("nonesuch"), ENOENT);
	assert_fails(symlink("y", "online"), EEXIST);
	assert_fails(openat(directory, "x", O_WRONLY | O_CREAT, 0600), EACCES);
	assert_fails(mkstemp(template), EACCES);
	assert_int_equal(fchmodat(directory, "online", 0600, 0), 0);
	assert_int_equal(fchownat(directory, "online", geteuid(), getegid(), 0), 0);
	assert_int_equal(utimensat(directory, "online", NULL, 0), 0);
	assert_int_equal(utimes("online", times), 0);
	assert_fails(utimes("nonesuch", times), ENOENT);
	assert_int_equal(count_names(CPUS "/cpu1"), before);
	snprintf(path, sizeof(path), "%s/names%s/cpu1/x", getenv("ISST_EMULATE_STATE"), CPUS);
	assert_fails(access(path, F_OK), ENOENT);
	snprintf(path, sizeof(path), "%s/file", scratch);
	assert_content(path, "here\n");
	assert_int_equal(unlink(path), 0);
	close(directory);
}

static void calls_by_number_lead_to_the_machine(void **state)
{
	char content[10];
	long file = syscall(SYS_openat, AT_FDCWD, CPUS "/present", O_RDONLY);

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(read((int)file, content, sizeof(content)), 4);
	assert_memory_equal(content, "0-3\n", 4);
	close((int)file);
	assert_fails(syscall(SYS_openat, AT_FDCWD, CPUS "/cpu0/cache", O_RDONLY), ENOENT);
	file = syscall(SYS_openat, AT_FDCWD, "/proc/version", O_RDONLY);
	assert_true(file >= 0);
	assert_int_equal(close((int)file), 0);
}

static void status_by_number_is_the_machine_s(void **state)
{
	struct stat expected;
	struct statx found;

	(void)state;
	assert_int_equal(stat(CPUS "/present", &expected), 0);
	assert_int_equal(
		syscall(SYS_statx, AT_FDCWD, CPUS "/present", 0, STATX_BASIC_STATS, &found), 0);
	assert_true(found.stx_ino == expected.st_ino);
	assert_int_equal(found.stx_mode, expected.st_mode);
	assert_int_equal(
		syscall(SYS_statx, AT_FDCWD, CPUS "/cpu3/online", 0, STATX_BASIC_STATS, &found), 0);
	assert_fails(syscall(SYS_statx, AT_FDCWD, CPUS "/cpu0/cache", 0, STATX_BASIC_STATS, &found),
		     ENOENT);
}

static void paths_that_cannot_be_read_are_refused(void **state)
{
	char *nowhere = (char *)(uintptr_t)8;
	char longer[PATH_MAX + 10];
	struct stat status;

	(void)state;
	assert_fails(open(nowhere, O_RDONLY), EFAULT);
	assert_fails(stat(nowhere, &status), EFAULT);
	assert_fails(access(nowhere, F_OK), EFAULT);
	assert_fails(chdir(nowhere), EFAULT);
	assert_fails(rename(nowhere, nowhere), EFAULT);
	assert_null(fopen(nowhere, "r"));
	assert_int_equal(errno, EFAULT);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	memcpy(longer, CPUS "/", strlen(CPUS "/"));
	assert_fails(open(longer, O_RDONLY), ENAMETOOLONG);
	assert_fails(open("", O_RDONLY), ENOENT);
	assert_content(CPUS "/present", "0-3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(links_of_programs_lead_to_the_machine, go_back),
		cmocka_unit_test_teardown(the_root_of_a_process_leads_to_the_machine, go_back),
		cmocka_unit_test_teardown(descriptors_are_opened_again, go_back),
		cmocka_unit_test_teardown(descriptors_are_shown_by_their_paths, go_back),
		cmocka_unit_test_teardown(descriptors_of_the_system_are_opened_again, go_back),
		cmocka_unit_test_teardown(links_may_be_too_many, go_back),
		cmocka_unit_test_teardown(parents_are_those_of_the_directory, go_back),
		cmocka_unit_test_teardown(files_have_no_parents, go_back),
		cmocka_unit_test_teardown(relative_paths_lead_out_again, go_back),
		cmocka_unit_test_teardown(what_the_machine_is_kept_in_is_not_reached, go_back),
		cmocka_unit_test_teardown(the_directory_of_tools_is_where_it_seems, go_back),
		cmocka_unit_test_teardown(directories_take_no_names, go_back),
		cmocka_unit_test_teardown(calls_by_number_lead_to_the_machine, go_back),
		cmocka_unit_test_teardown(status_by_number_is_the_machine_s, go_back),
		cmocka_unit_test_teardown(paths_that_cannot_be_read_are_refused, go_back),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
