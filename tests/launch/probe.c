/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program like any other, to be run on the machine of tests/platforms/tiny.platform by the
 * launcher: what it meets of it by each function of libc.
 */
#include "program.h"

#include "driver/abi.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

static void write_stream(const char *path, const char *content)
{
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	assert_true(fputs(content, stream) >= 0);
	assert_int_equal(fclose(stream), 0);
}

static int put(const char *path, const char *text)
{
	int descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), result, error;

	if (descriptor < 0)
		return -1;
	result = write(descriptor, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	error = errno;
	assert_int_equal(close(descriptor), 0);
	errno = error;
	return result;
}

/* ---- Reading ---- */

static void files_are_the_machines(void **state)
{
	char line[100];
	FILE *stream;
	struct stat status;
	int descriptor;

	(void)state;
	assert_content(CPUS "/online", "0-3\n");
	assert_content(CPUS "/cpu1/topology/core_id", "0\n");
	stream = fopen(CPUS "/present", "r");
	assert_non_null(stream);
	assert_non_null(fgets(line, sizeof(line), stream));
	assert_string_equal(line, "0-3\n");
	assert_int_equal(fclose(stream), 0);
	descriptor = open(CPUS "/online", O_RDONLY);
	assert_int_equal(fstat(descriptor, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(pread(descriptor, line, 2, 1), 2);
	assert_memory_equal(line, "-3", 2);
	assert_fails(write(descriptor, "x", 1), EBADF);
	close(descriptor);
}

static void other_files_are_those_of_the_system(void **state)
{
	char path[] = "/tmp/probe-XXXXXX";
	int descriptor = mkstemp(path);

	(void)state;
	assert_int_equal(write(descriptor, "here\n", 5), 5);
	close(descriptor);
	assert_content(path, "here\n");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(access("/proc/self/exe", R_OK), 0);
}

static void what_tools_keep_is_kept_with_the_machine(void **state)
{
	char path[PATH_MAX];
	struct stat status;

	(void)state;
	assert_int_equal(mkdir("/run/isst", 0755), -1);
	assert_int_equal(errno, EEXIST);
	write_stream("/run/isst/probe", "one\n");
	assert_content("/var/run/isst/probe", "one\n");
	snprintf(path, sizeof(path), "%s/run/probe", getenv("ISST_EMULATE_STATE"));
	assert_content(path, "one\n");
	assert_int_equal(rename("/run/isst/probe", "/run/isst/other"), 0);
	assert_fails(access("/run/isst/probe", F_OK), ENOENT);
	assert_int_equal(stat("/run/isst/other", &status), 0);
	assert_int_equal(unlink("/run/isst/other"), 0);
	write_stream("/var/run/isst_cpu_topology.dat", "two\n");
	snprintf(path, sizeof(path), "%s/run/cpu_topology.dat", getenv("ISST_EMULATE_STATE"));
	assert_content(path, "two\n");
	assert_int_equal(unlink(path), 0);
}

static void missing_files_are_missing(void **state)
{
	(void)state;
	assert_fails(open(CPUS "/cpu77/online", O_RDONLY), ENOENT);
	assert_fails(open(CPUS "/cpu77", O_WRONLY | O_CREAT, 0600), EACCES);
	assert_fails(open(CPUS "/online", O_RDONLY | O_CREAT | O_EXCL, 0600), EEXIST);
	assert_fails(open(CPUS, O_WRONLY), EISDIR);
	assert_fails(open(CPUS "/online", O_RDONLY | O_DIRECTORY), ENOTDIR);
	assert_null(fopen(CPUS "/cpu77/online", "r"));
	assert_fails(access(CPUS "/cpu77", F_OK), ENOENT);
	assert_null(opendir(CPUS "/cpu77"));
	assert_null(realpath(CPUS "/cpu77", NULL));
}

/* ---- Writing ---- */

static void writes_take_effect_at_once(void **state)
{
	int descriptor = open(CPU3, O_WRONLY | O_CLOEXEC);
	const struct iovec parts[] = { { (void *)(uintptr_t) "1", 1 },
				       { (void *)(uintptr_t) "\n", 1 } };

	(void)state;
	assert_int_equal(write(descriptor, "0\n", 2), 2);
	assert_content(CPUS "/online", "0-2\n");
	assert_int_equal(writev(descriptor, parts, 2), 2);
	assert_content(CPUS "/online", "0-3\n");
	assert_int_equal(pwrite(descriptor, "0", 1, 0), 1);
	assert_content(CPUS "/offline", "3\n");
	assert_fails(write(descriptor, "7", 1), EINVAL);
	close(descriptor);
}

static void duplicates_and_children_write_too(void **state)
{
	int descriptor = open(CPU3, O_WRONLY), other = dup(descriptor);

	(void)state;
	close(descriptor);
	assert_int_equal(dup2(other, 9), 9);
	close(other);
	assert_int_equal(system("echo 0 >&9"), 0);
	assert_content(CPUS "/online", "0-2\n");
	assert_int_equal(system("exec bash -c 'echo 1 >&9'"), 0);
	assert_content(CPUS "/online", "0-3\n");
	assert_int_not_equal(system("exec bash -c 'echo 2 >&9' 2> /dev/null"), 0);
	close(9);
}

static void streams_tell_errors_when_they_are_flushed(void **state)
{
	FILE *stream = fopen(CPU3, "w");

	(void)state;
	assert_true(fputs("0", stream) >= 0);
	assert_content(CPUS "/online", "0-3\n");
	assert_int_equal(fflush(stream), 0);
	assert_content(CPUS "/online", "0-2\n");
	assert_true(fputs("x", stream) >= 0);
	assert_fails(fflush(stream), EINVAL);
	assert_true(ferror(stream));
	fclose(stream);
	stream = fopen(CPU3, "we");
	assert_true(fputs("1\n", stream) >= 0);
	assert_int_equal(fclose(stream), 0);
	assert_content(CPUS "/online", "0-3\n");
	stream = fopen(CPU3, "w");
	assert_true(fputs("2\n", stream) >= 0);
	assert_fails(fclose(stream), EINVAL);
}

static void what_is_open_for_both_is_read_and_written(void **state)
{
	int descriptor = open(CPU3, O_RDWR);
	char content[10];

	(void)state;
	assert_int_equal(read(descriptor, content, sizeof(content)), 2);
	assert_memory_equal(content, "1\n", 2);
	assert_int_equal(read(descriptor, content, sizeof(content)), 0);
	assert_int_equal(write(descriptor, "0", 1), 1);
	assert_int_equal(lseek(descriptor, 0, SEEK_SET), 0);
	assert_int_equal(read(descriptor, content, sizeof(content)), 2);
	assert_memory_equal(content, "0\n", 2);
	close(descriptor);
}

/* ---- Directories ---- */

static void directories_are_listed(void **state)
{
	DIR *directory = opendir(CPUS "/cpu0");
	struct dirent *entry, **entries;
	unsigned int found = 0;
	glob_t paths = { 0 };
	int count;

	(void)state;
	assert_non_null(directory);
	while ((entry = readdir(directory)))
		found += strcmp(entry->d_name, "topology") == 0;
	assert_int_equal(found, 1);
	/* Relative to a directory that is open. */
	assert_int_equal(faccessat(dirfd(directory), "topology/core_id", R_OK, 0), 0);
	assert_int_equal(openat(dirfd(directory), "../cpu77", O_RDONLY), -1);
	closedir(directory);
	count = scandir(CPUS "/cpu0/cpufreq", &entries, NULL, alphasort);
	assert_true(count > 4);
	assert_string_equal(entries[0]->d_name, ".");
	while (count > 0)
		free(entries[--count]);
	free(entries);
	assert_int_equal(glob(CPUS "/cpu[0-9]*", 0, NULL, &paths), 0);
	assert_int_equal(paths.gl_pathc, 4);
	globfree(&paths);
}

static void the_current_directory_can_be_one_of_them(void **state)
{
	char before[PATH_MAX], path[PATH_MAX];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(CPUS "/cpu1"), 0);
	assert_string_equal(getcwd(path, sizeof(path)), CPUS "/cpu1");
	assert_content("../online", "0-3\n");
	assert_content("topology/core_id", "0\n");
	assert_fails(getcwd(path, 3) ? 0 : -1, ERANGE);
	assert_int_equal(chdir(before), 0);
}

/** What is above is the system's own, where /sys is mounted. */
static void the_current_directory_can_be_left_upwards(void **state)
{
	char before[PATH_MAX], path[PATH_MAX];

	(void)state;
	if (access("/sys/devices/system", X_OK) != 0)
		skip();
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(CPUS "/cpu1"), 0);
	assert_int_equal(chdir("../.."), 0);
	assert_string_equal(getcwd(path, sizeof(path)), "/sys/devices/system");
	assert_int_equal(chdir(before), 0);
}

static void groups_are_made_and_removed(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip(); /* permissions count, and owners are given by root alone */
	assert_int_equal(mkdir(GROUPS "/a", 0755), 0);
	assert_fails(mkdir(GROUPS "/a", 0755), EEXIST);
	assert_int_equal(put(GROUPS "/cgroup.subtree_control", "+cpuset"), 0);
	assert_int_equal(put(GROUPS "/a/cpuset.cpus", "2-3"), 0);
	assert_content(GROUPS "/a/cpuset.cpus", "2-3\n");
	assert_fails(unlink(GROUPS "/a/cpuset.cpus"), EPERM);
	assert_fails(rename(GROUPS "/a", GROUPS "/b"), EPERM);
	assert_int_equal(rmdir(GROUPS "/a"), 0);
	assert_fails(rmdir(GROUPS "/a"), ENOENT);
	assert_fails(mkdir(CPUS "/a", 0755), EPERM);
}

/** Whose files are at paths that are longer than the name of anything. */
static void groups_have_names_of_any_length(void **state)
{
	char path[600], name[256], file[700];
	struct stat status, opened;
	int descriptor;

	(void)state;
	if (geteuid() != 0)
		skip(); /* permissions count, and owners are given by root alone */
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(path, sizeof(path), GROUPS "/%sx", name);
	assert_fails(mkdir(path, 0755), ENAMETOOLONG);
	snprintf(path, sizeof(path), GROUPS "/%s", name);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(put(GROUPS "/cgroup.subtree_control", "+cpuset"), 0);
	snprintf(file, sizeof(file), "%s/cpuset.cpus", path);
	assert_int_equal(put(file, "2-3"), 0);
	assert_content(file, "2-3\n");
	descriptor = open(file, O_RDWR | O_CLOEXEC);
	assert_true(descriptor >= 0);
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(fstat(descriptor, &opened), 0);
	assert_int_equal(opened.st_ino, status.st_ino);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", descriptor);
	assert_int_equal(put(file, "1"), 0);
	assert_content(file, "1\n");
	close(descriptor);
	assert_int_equal(rmdir(path), 0);
}

/* ---- Status ---- */

static void the_status_of_files_is_told(void **state)
{
	struct stat status;
	struct statx extended;
	struct statvfs space;
	struct statfs system;
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(stat(CPUS "/cpu0", &status), 0);
	assert_true(S_ISDIR(status.st_mode));
	assert_int_equal(lstat(CPUS "/online", &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_fails(fstatat(AT_FDCWD, CPUS "/cpu77", &status, 0), ENOENT);
	assert_int_equal(statx(AT_FDCWD, CPUS "/cpu0", 0, STATX_ALL, &extended), 0);
	assert_true(S_ISDIR(extended.stx_mode));
	assert_fails(readlink(CPUS "/online", path, sizeof(path)), EINVAL);
	assert_string_equal(realpath(CPUS "/cpu1/./../cpu2//topology", path),
			    CPUS "/cpu2/topology");
	assert_int_equal(statfs(GROUPS, &system), 0);
	assert_int_equal(system.f_type, CGROUP2_SUPER_MAGIC);
	assert_int_equal(system.f_blocks, 0);
	assert_int_equal(statvfs(CPUS, &space), 0);
	assert_int_equal(space.f_blocks, 0);
	assert_int_equal(space.f_ffree, 0);
	assert_fails(statfs(CPUS "/cpu77", &system), ENOENT);
	assert_fails(statvfs(CPUS "/cpu77", &space), ENOENT);
	assert_fails(truncate(CPUS "/nonesuch", 0), ENOENT);
	assert_fails(chmod(CPUS "/nonesuch", 0600), ENOENT);
}

/** What a program that copies compares, and what the kernel says of a file of sysfs. */
static void assert_same_file(const struct stat *found, const struct stat *expected)
{
	assert_int_equal(found->st_dev, expected->st_dev);
	assert_int_equal(found->st_ino, expected->st_ino);
	assert_int_equal(found->st_mode, expected->st_mode);
	assert_int_equal(found->st_nlink, 1);
	assert_int_equal(found->st_size, 4096);
	assert_int_equal(found->st_blocks, 0);
}

static void what_is_open_is_the_file_of_that_path(void **state)
{
	static const int FLAGS[] = { O_RDONLY, O_WRONLY, O_RDWR, O_PATH };
	struct stat expected, status;
	struct statx extended;

	(void)state;
	assert_int_equal(stat(CPU3, &expected), 0);
	assert_same_file(&expected, &expected);
	assert_int_equal(lstat(CPU3, &status), 0);
	assert_same_file(&status, &expected);
	assert_int_equal(fstatat(AT_FDCWD, CPU3, &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_same_file(&status, &expected);
	for (size_t i = 0; i < sizeof(FLAGS) / sizeof(*FLAGS); i++) {
		int descriptor = open(CPU3, FLAGS[i]);

		assert_true(descriptor >= 0);
		assert_int_equal(fstat(descriptor, &status), 0);
		assert_same_file(&status, &expected);
		assert_int_equal(fstatat(descriptor, "", &status, AT_EMPTY_PATH), 0);
		assert_same_file(&status, &expected);
		assert_int_equal(statx(descriptor, "", AT_EMPTY_PATH, STATX_ALL, &extended), 0);
		assert_int_equal(extended.stx_ino, expected.st_ino);
		assert_int_equal(makedev(extended.stx_dev_major, extended.stx_dev_minor),
				 expected.st_dev);
		assert_int_equal(extended.stx_size, 4096);
		close(descriptor);
	}
}

/** Directories are those of the file systems, too, and not what stands for them. */
static void directories_are_the_kernels(void **state)
{
	struct stat status, opened, parent;
	int directory = open(CPUS "/cpu1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs system;

	(void)state;
	assert_int_equal(stat(CPUS "/cpu1", &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(status.st_blocks, 0);
	assert_int_equal(fstat(directory, &opened), 0);
	assert_memory_equal(&opened, &status, sizeof(status));
	assert_int_equal(fstatat(directory, "..", &parent, 0), 0);
	assert_int_equal(parent.st_dev, status.st_dev);
	assert_int_equal(stat(CPUS "/online", &status), 0);
	assert_int_equal(parent.st_dev, status.st_dev);
	assert_int_equal(statfs("/dev/cpu/0/msr", &system), 0);
	assert_int_equal(system.f_type, TMPFS_MAGIC);
	assert_int_equal(statfs("/proc/cpuinfo", &system), 0);
	assert_int_equal(system.f_type, PROC_SUPER_MAGIC);
	assert_int_equal(fstatfs(directory, &system), 0);
	assert_int_equal(system.f_type, SYSFS_MAGIC);
	close(directory);
	directory = open(GROUPS "/cgroup.controllers", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstatfs(directory, &system), 0);
	assert_int_equal(system.f_type, CGROUP2_SUPER_MAGIC);
	close(directory);
}

static void numbers_are_those_of_the_status(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	struct stat status;

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		if (*entry->d_name == '.')
			continue;
		assert_int_equal(
			fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW), 0);
		assert_int_equal(entry->d_ino, status.st_ino);
	}
	closedir(directory);
}

static void the_kernel_is_the_machines(void **state)
{
	char release[100], version[200];
	struct utsname name;

	(void)state;
	assert_int_equal(uname(&name), 0);
	snprintf(release, sizeof(release), "%s\n", name.release);
	assert_content("/proc/sys/kernel/osrelease", release);
	snprintf(version, sizeof(version), "Linux version %s (isst@emulator) (gcc) %s\n",
		 name.release, name.version);
	assert_content("/proc/version", version);
}

/** The line of a status that has a list. */
static void assert_list(const char *path, const char *name, const char *expected)
{
	char line[10000], wanted[100];
	FILE *stream = fopen(path, "r");

	assert_non_null(stream);
	do {
		assert_non_null(fgets(line, sizeof(line), stream));
	} while (strncmp(line, name, strlen(name)) != 0);
	snprintf(wanted, sizeof(wanted), "%s:\t%s\n", name, expected);
	assert_string_equal(line, wanted);
	fclose(stream);
}

static int allow_all(void **state)
{
	cpu_set_t cpus;

	(void)state;
	memset(&cpus, 0xff, sizeof(cpus));
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void every_status_of_a_process_has_its_cpus(void **state)
{
	char paths[6][60];
	cpu_set_t cpus;

	(void)state;
	snprintf(paths[0], sizeof(paths[0]), "/proc/self/status");
	snprintf(paths[1], sizeof(paths[1]), "/proc/thread-self/status");
	snprintf(paths[2], sizeof(paths[2]), "/proc/%d/status", getpid());
	snprintf(paths[3], sizeof(paths[3]), "/proc/self/task/%d/status", getpid());
	snprintf(paths[4], sizeof(paths[4]), "/proc/%d/task/%d/status", getpid(), getpid());
	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	CPU_SET(2, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	for (size_t i = 0; i < 5; i++)
		assert_list(paths[i], "Cpus_allowed_list", "1-2");
	/* Of another process, which is on the machine, too. */
	snprintf(paths[5], sizeof(paths[5]), "/proc/%d/status", getppid());
	assert_list(paths[5], "Cpus_allowed_list", "0-3");
	assert_fails(open("/proc/self/task/1234567890/status", O_RDONLY), ENOENT);
}

/** Nor are files of the same content links to each other. */
static void each_file_has_a_number_of_its_own(void **state)
{
	DIR *directory = opendir(CPUS "/cpu0/topology");
	unsigned long long seen[100];
	struct dirent *entry;
	struct stat status;
	size_t count = 0;

	(void)state;
	assert_non_null(directory);
	while ((entry = readdir(directory)) && count < 100) {
		if (entry->d_name[0] == '.')
			continue;
		assert_int_equal(fstatat(dirfd(directory), entry->d_name, &status, 0), 0);
		assert_int_equal(entry->d_ino, status.st_ino);
		assert_int_equal(status.st_nlink, 1);
		for (size_t i = 0; i < count; i++)
			assert_int_not_equal(status.st_ino, seen[i]);
		seen[count++] = status.st_ino;
	}
	closedir(directory);
	assert_true(count > 8);
	numbers_are_those_of_the_status(CPUS "/cpu0");
	numbers_are_those_of_the_status("/sys/bus/cpu/devices");
}

static void files_end_where_the_kernel_says(void **state)
{
	int descriptor = open(CPUS "/online", O_RDONLY);
	char content[10];

	(void)state;
	assert_int_equal(lseek(descriptor, 0, SEEK_DATA), 0);
	assert_int_equal(lseek(descriptor, 1, SEEK_HOLE), 4096);
	assert_fails(lseek(descriptor, 4096, SEEK_DATA), ENXIO);
	assert_int_equal(lseek(descriptor, -1, SEEK_END), 4095);
	assert_int_equal(read(descriptor, content, sizeof(content)), 0);
	assert_int_equal(lseek(descriptor, 1, SEEK_SET), 1);
	assert_int_equal(read(descriptor, content, sizeof(content)), 3);
	close(descriptor);
}

static void files_stay_where_they_are(void **state)
{
	(void)state;
	assert_fails(rename(CPU3, "/tmp/probe"), EXDEV);
	assert_fails(rename(CPU3, GROUPS "/online"), EXDEV);
	assert_fails(rename("/tmp/probe", CPU3), EXDEV);
	assert_fails(renameat(AT_FDCWD, CPU3, AT_FDCWD, CPUS "/probe"), EPERM);
	assert_fails(renameat2(AT_FDCWD, CPU3, AT_FDCWD, CPUS "/probe", RENAME_NOREPLACE), EPERM);
	assert_fails(rename(CPUS "/probe", CPUS "/other"), ENOENT);
	assert_fails(unlink(CPU3), EPERM);
}

static void the_device_is_a_device(void **state)
{
	struct stat status;
	int descriptor;

	(void)state;
	assert_int_equal(stat("/dev/isst_interface", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(access("/dev/isst_interface", R_OK | W_OK), 0);
	descriptor = open("/dev/isst_interface", O_RDWR);
	assert_int_equal(fstat(descriptor, &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	close(descriptor);
}

/* ---- The device ---- */

static void the_driver_answers(void **state)
{
	struct abi_platform_info info = { 0 };
	int descriptor = open("/dev/isst_interface", O_RDONLY), other;

	(void)state;
	assert_true(descriptor >= 0);
	assert_int_equal(ioctl(descriptor, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 1);
	assert_int_equal(info.mbox_supported, 1);
	assert_int_equal(info.mmio_supported, 1);
	other = dup(descriptor);
	close(descriptor);
	info.api_version = 0;
	assert_int_equal(ioctl(other, ABI_GET_PLATFORM_INFO, &info), 0);
	assert_int_equal(info.api_version, 1);
	assert_fails(ioctl(other, ABI_GET_PLATFORM_INFO, NULL), EFAULT);
	assert_fails(ioctl(other, ABI_READ_WRITE(99), &info), ENOTTY);
	assert_fails(write(other, "x", 1), EBADF);
	close(other);
	assert_fails(ioctl(other, ABI_GET_PLATFORM_INFO, &info), EBADF);
	assert_fails(ioctl(STDIN_FILENO, ABI_GET_PLATFORM_INFO, &info), ENOTTY);
}

/* ---- Registers of CPUs ---- */

static uint64_t read_msr(int descriptor, off_t number)
{
	uint64_t value = 0;

	assert_int_equal(pread(descriptor, &value, sizeof(value), number), sizeof(value));
	return value;
}

/** As rdmsr and wrmsr use them; the values follow from the platform file. */
static void registers_are_those_of_the_cpu(void **state)
{
	int descriptor = open("/dev/cpu/1/msr", O_RDWR);
	const uint64_t limits = 0x1b1c;
	uint64_t value;

	(void)state;
	assert_true(descriptor >= 0);
	assert_int_equal(read_msr(descriptor, 0x1ad), 0x1c1e); /* 2800, 3000 MHz */
	assert_int_equal(read_msr(descriptor, 0x1ae), 0x0201);
	assert_int_equal(read_msr(descriptor, 0x620), 0x0816); /* 800 to 2200 MHz */
	assert_int_equal(read_msr(descriptor, 0x770), 1);
	assert_int_equal(read_msr(descriptor, 0xce) >> 8 & 0xff, 20);	 /* 2000 MHz */
	assert_int_equal(read_msr(descriptor, 0x198) >> 8 & 0xff, 28);	 /* 2800 MHz: two cores */
	assert_int_equal(read_msr(descriptor, 0x774) >> 24 & 0xff, 128); /* balance_performance */
	assert_fails(pread(descriptor, &value, sizeof(value), 0x12345), EIO);
	assert_fails(pread(descriptor, &value, 4, 0x1ad), EINVAL);
	assert_int_equal(pwrite(descriptor, &limits, sizeof(limits), 0x1ad), sizeof(limits));
	assert_int_equal(read_msr(descriptor, 0x1ad), limits);
	assert_int_equal(lseek(descriptor, 0x1ad, SEEK_SET), 0x1ad);
	assert_int_equal(read(descriptor, &value, sizeof(value)), sizeof(value));
	assert_int_equal(value, limits);
	value = 0x1c1e;
	assert_int_equal(lseek(descriptor, 0x1ad, SEEK_SET), 0x1ad);
	assert_int_equal(write(descriptor, &value, sizeof(value)), sizeof(value));
	assert_fails(pwrite(descriptor, &value, sizeof(value), 0x198), EIO);
	close(descriptor);
	assert_int_equal(put(CPU3, "0"), 0);
	assert_fails(open("/dev/cpu/3/msr", O_RDONLY), ENOENT);
}

/* ---- Links ---- */

static void links_lead_on(void **state)
{
	char path[PATH_MAX] = "";
	struct stat status, followed;
	int descriptor;

	(void)state;
	assert_int_equal(lstat("/sys/bus/cpu/devices/cpu2", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_true(readlink("/sys/bus/cpu/devices/cpu2", path, sizeof(path) - 1) > 0);
	assert_string_equal(path, "../../../devices/system/cpu/cpu2");
	assert_string_equal(realpath("/sys/bus/cpu/devices/cpu2/topology", path),
			    CPUS "/cpu2/topology");
	assert_int_equal(stat("/sys/bus/cpu/devices/cpu2", &followed), 0);
	assert_int_equal(stat(CPUS "/cpu2", &status), 0);
	assert_true(S_ISDIR(followed.st_mode));
	assert_int_equal(followed.st_ino, status.st_ino);
	assert_fails(open("/sys/bus/cpu/devices/cpu2", O_RDONLY | O_NOFOLLOW), ELOOP);
	descriptor = open("/sys/bus/cpu/devices/cpu2", O_RDONLY | O_DIRECTORY);
	assert_true(descriptor >= 0);
	assert_int_equal(faccessat(descriptor, "topology/core_id", R_OK, 0), 0);
	close(descriptor);
	assert_content("/sys/devices/system/node/node0/cpu2/topology/core_id", "1\n");
}

/* ---- Descriptors, processes, threads ---- */

static void low_descriptors_are_the_programs(void **state)
{
	const char *machine = getenv("ISST_EMULATE_STATE");
	char name[40], path[PATH_MAX];

	(void)state;
	assert_non_null(machine);
	/* A shell that does `exec 5< file` must not hit the emulator's. */
	for (int i = 0; i < 256; i++) {
		ssize_t length;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", i);
		length = readlink(name, path, sizeof(path) - 1);
		path[length < 0 ? 0 : length] = '\0';
		assert_null(strstr(path, machine));
	}
}

static void closing_everything_leaves_the_machine(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		int descriptor;

		closefrom(3);
		for (int i = 3; i < 1024; i++)
			close(i);
		descriptor = open(CPU3, O_WRONLY);
		_exit(descriptor >= 0 && write(descriptor, "0", 1) == 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_content(CPUS "/online", "0-2\n");
}

static void what_is_written_in_the_end_is_not_lost(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		FILE *stream = fopen(CPU3, "w");

		dup2(fileno(stream), STDOUT_FILENO);
		fputs("0\n", stdout);
		exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_content(CPUS "/online", "0-2\n");
}

static void *read_often(void *data)
{
	(void)data;
	for (unsigned int i = 0; i < 200; i++)
		assert_content(CPUS "/present", "0-3\n");
	return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_often, NULL), 0);
	for (unsigned int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(access(CPUS "/cpu1", F_OK) ? 1 : 0);
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void programs_without_an_environment_meet_the_machine(void **state)
{
	char *const words[] = { "sh", "-c", "test $(cat " CPUS "/present) = 0-3", NULL };
	char *const nothing[] = { "PATH=/usr/bin:/bin", NULL };
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		execve("/bin/sh", words, nothing);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- The processor ---- */

static void cpus_are_counted(void **state)
{
	(void)state;
	assert_int_equal(put(CPU3, "0"), 0);
	assert_int_equal(get_nprocs(), 3);
	assert_int_equal(sysconf(_SC_NPROCESSORS_ONLN), 3);
	assert_int_equal(sysconf(_SC_NPROCESSORS_CONF), 4);
}

static void cpus_that_may_be_used_are_the_machines(void **state)
{
	cpu_set_t cpus, wanted;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	assert_int_equal(CPU_COUNT(&cpus), 4);
	CPU_ZERO(&wanted);
	CPU_SET(2, &wanted);
	CPU_SET(200, &wanted);
	assert_int_equal(sched_setaffinity(0, sizeof(wanted), &wanted), 0);
	assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus), 0);
	assert_int_equal(CPU_COUNT(&cpus), 1);
	assert_true(CPU_ISSET(2, &cpus));
	assert_int_equal(system("test $(nproc) = 1"), 0);
	assert_int_equal(system("grep -q 'Cpus_allowed_list:\t2$' /proc/self/status"), 0);
	CPU_ZERO(&wanted);
	CPU_SET(200, &wanted);
	assert_fails(sched_setaffinity(0, sizeof(wanted), &wanted), EINVAL);
	memset(&wanted, 0xff, sizeof(wanted));
	assert_int_equal(sched_setaffinity(0, sizeof(wanted), &wanted), 0);
	assert_int_equal(put(CPU3, "0"), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	assert_int_equal(CPU_COUNT(&cpus), 3);
	assert_fails(sched_getaffinity(0, 3, &cpus), EINVAL);
}

/** Lines of /proc/stat that begin with a word and a digit. */
static unsigned int count_cpu_lines(const char *content, unsigned long long *user)
{
	unsigned int count = 0;

	*user = 0;
	for (const char *line = content; (line = strstr(line, "\ncpu")); line++) {
		unsigned long long value;

		assert_int_equal(sscanf(line, "\ncpu%*u %llu", &value), 1);
		*user += value;
		count++;
	}
	return count;
}

static void read_whole(int file, char *content, size_t size)
{
	ssize_t length = 0, more;

	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	while ((more = read(file, content + length, size - 1 - (size_t)length)) > 0)
		length += more;
	content[length] = '\0';
}

static void the_times_of_cpus_are_the_machines(void **state)
{
	static char content[1 << 16];
	unsigned long long user, sum;
	int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(file >= 0);
	read_whole(file, content, sizeof(content));
	assert_int_equal(count_cpu_lines(content, &sum), 4);
	assert_int_equal(sscanf(content, "cpu %llu", &user), 1);
	assert_true(user == sum);
	assert_non_null(strstr(content, "\nbtime "));
	assert_int_equal(put(CPU3, "0"), 0);
	read_whole(file, content, sizeof(content));
	assert_int_equal(count_cpu_lines(content, &sum), 3);
	assert_null(strstr(content, "\ncpu3 "));
	assert_int_equal(sscanf(content, "cpu %llu", &user), 1);
	assert_true(user >= sum);
	close(file);
}

#ifdef __x86_64__

/* Never inlined: what follows an undefined instruction is not replaced. */
static __attribute__((noinline)) void cpuid_tells_the_emulated_processor(void **state)
{
	unsigned int eax, ebx, ecx, edx;

	(void)state;
	__asm__ volatile("mov $1, %%eax\n\tcpuid" : "=&a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	assert_int_equal(eax, 0x606a6); /* family 6, model 0x6a, stepping 6 */
	__asm__ volatile("mov $0, %%eax\n\tcpuid" : "=&a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	assert_int_equal(ebx, signature_INTEL_ebx);
}

static __attribute__((noinline)) uint32_t power_management(uint32_t *ecx)
{
	unsigned int eax, ebx, edx;

	__asm__ volatile("mov $6, %%eax\n\tcpuid" : "=&a"(eax), "=b"(ebx), "=c"(*ecx), "=d"(edx));
	return eax;
}

/** What /proc/cpuinfo shows is what CPUID returns. */
static void cpuid_agrees_with_cpuinfo(void **state)
{
	static const struct {
		const char *flag;
		uint32_t eax, ecx;
	} rows[] = {
		{ " dtherm", 1 << 0, 0 },     { " ida", 1 << 1, 0 },
		{ " arat", 1 << 2, 0 },	      { " pln", 1 << 4, 0 },
		{ " pts", 1 << 6, 0 },	      { " hwp", 1 << 7, 0 },
		{ " hwp_notify", 1 << 8, 0 }, { " hwp_act_window", 1 << 9, 0 },
		{ " hwp_epp", 1 << 10, 0 },   { " hfi", 1 << 19, 0 },
		{ " aperfmperf", 0, 1 << 0 }, { " epb", 0, 1 << 3 },
	};
	uint32_t ecx, eax = power_management(&ecx);
	char *line = NULL, flag[40];
	size_t space = 0;
	FILE *cpuinfo = fopen("/proc/cpuinfo", "r");

	(void)state;
	assert_non_null(cpuinfo);
	do
		assert_true(getline(&line, &space, cpuinfo) > 0);
	while (strncmp(line, "flags", 5) != 0);
	line[strcspn(line, "\n")] = ' ';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(flag, sizeof(flag), "%s ", rows[i].flag);
		assert_int_equal((eax & rows[i].eax) || (ecx & rows[i].ecx),
				 strstr(line, flag) != NULL);
	}
	free(line);
	fclose(cpuinfo);
}

static __attribute__((noinline)) void no_hypervisor_is_seen(void **state)
{
	unsigned int eax, ebx, ecx, edx;

	(void)state;
	__asm__ volatile("mov $1, %%eax\n\tcpuid" : "=&a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	assert_int_equal(ecx >> 31, 0);
	__asm__ volatile("mov $0x40000000, %%eax\n\tcpuid"
			 : "=&a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	assert_int_equal(ebx | ecx | edx, 0);
}

static volatile sig_atomic_t undefined;

static void on_undefined(int number, siginfo_t *information, void *context)
{
	ucontext_t *where = context;

	(void)number;
	(void)information;
	undefined++;
	where->uc_mcontext.gregs[REG_RIP] += 2;
}

static void handlers_of_the_program_are_called(void **state)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO }, before;

	(void)state;
	action.sa_sigaction = on_undefined;
	assert_int_equal(sigaction(SIGILL, &action, &before), 0);
	__asm__ volatile("ud2");
	assert_int_equal(undefined, 1);
	cpuid_tells_the_emulated_processor(state);
	assert_int_equal(undefined, 1);
	assert_int_equal(sigaction(SIGILL, &before, NULL), 0);
}

/** How a child ends that does something. */
static int end_of(void (*act)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		alarm(10);
		signal(SIGILL, SIG_DFL); /* cmocka has a handler */
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void execute_nothing_known(void)
{
	__asm__ volatile("ud2");
}

static void send_the_signal(void)
{
	raise(SIGILL);
}

static void programs_die_as_they_would(void **state)
{
	(void)state;
	assert_int_equal(end_of(execute_nothing_known), SIGILL);
	assert_int_equal(end_of(send_the_signal), SIGILL);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_descriptors_are_the_programs),
		cmocka_unit_test(files_are_the_machines),
		cmocka_unit_test(other_files_are_those_of_the_system),
		cmocka_unit_test(what_tools_keep_is_kept_with_the_machine),
		cmocka_unit_test(missing_files_are_missing),
		cmocka_unit_test_teardown(writes_take_effect_at_once, reset_cpu),
		cmocka_unit_test_teardown(duplicates_and_children_write_too, reset_cpu),
		cmocka_unit_test_teardown(streams_tell_errors_when_they_are_flushed, reset_cpu),
		cmocka_unit_test_teardown(what_is_open_for_both_is_read_and_written, reset_cpu),
		cmocka_unit_test(directories_are_listed),
		cmocka_unit_test(the_current_directory_can_be_one_of_them),
		cmocka_unit_test(the_current_directory_can_be_left_upwards),
		cmocka_unit_test(groups_are_made_and_removed),
		cmocka_unit_test(groups_have_names_of_any_length),
		cmocka_unit_test(the_status_of_files_is_told),
		cmocka_unit_test(what_is_open_is_the_file_of_that_path),
		cmocka_unit_test(directories_are_the_kernels),
		cmocka_unit_test(the_kernel_is_the_machines),
		cmocka_unit_test_teardown(every_status_of_a_process_has_its_cpus, allow_all),
		cmocka_unit_test(each_file_has_a_number_of_its_own),
		cmocka_unit_test(files_end_where_the_kernel_says),
		cmocka_unit_test(files_stay_where_they_are),
		cmocka_unit_test(the_device_is_a_device),
		cmocka_unit_test(the_driver_answers),
		cmocka_unit_test_teardown(closing_everything_leaves_the_machine, reset_cpu),
		cmocka_unit_test_teardown(what_is_written_in_the_end_is_not_lost, reset_cpu),
		cmocka_unit_test(threads_do_not_disturb_each_other),
		cmocka_unit_test(programs_without_an_environment_meet_the_machine),
		cmocka_unit_test_teardown(cpus_are_counted, reset_cpu),
		cmocka_unit_test_teardown(the_times_of_cpus_are_the_machines, reset_cpu),
		cmocka_unit_test_teardown(cpus_that_may_be_used_are_the_machines, reset_cpu),
		cmocka_unit_test_teardown(registers_are_those_of_the_cpu, reset_cpu),
		cmocka_unit_test(links_lead_on),
#ifdef __x86_64__
		cmocka_unit_test(cpuid_tells_the_emulated_processor),
		cmocka_unit_test(cpuid_agrees_with_cpuinfo),
		cmocka_unit_test(no_hypervisor_is_seen),
		cmocka_unit_test(handlers_of_the_program_are_called),
		cmocka_unit_test(programs_die_as_they_would),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
