/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs ask about files without opening them. */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Misc devices; the number is one of those given out as they come. That of MSRs is registered. */
enum { MISC_MAJOR = 10, DEVICE_MINOR = 123, MSR_MAJOR = 202 };

enum { PAGE = 4096, PROC_BLOCK = 1024 };

/* Device numbers without a device, of what the system need not have mounted. */
enum { CGROUP_MINOR = 1 << 19, DEBUGFS_MINOR };

static bool starts_with(const char *path, const char *directory)
{
	return strncmp(path, directory, strlen(directory)) == 0;
}

int status_file_system(const char *emulated)
{
	if (starts_with(emulated, "/sys/fs/cgroup"))
		return CGROUP2_SUPER_MAGIC;
	if (starts_with(emulated, "/sys/kernel/debug"))
		return DEBUGFS_MAGIC;
	if (starts_with(emulated, "/dev"))
		return TMPFS_MAGIC;
	return starts_with(emulated, "/sys") ? SYSFS_MAGIC : PROC_SUPER_MAGIC;
}

static dev_t device_of_system(const char *path)
{
	struct stat status;

	return status_real(AT_FDCWD, path, &status, 0) ? path_root_status()->st_dev : status.st_dev;
}

/** Tools stay within a file system by its device number, so what the system has mounted above is
 * the same one. */
static dev_t device_of(int kind)
{
	static dev_t sysfs, proc, dev;

	if (!sysfs) {
		sysfs = device_of_system("/sys");
		proc = device_of_system("/proc");
		dev = device_of_system("/dev");
	}
	switch (kind) {
	case CGROUP2_SUPER_MAGIC:
		return makedev(0, CGROUP_MINOR);
	case DEBUGFS_MAGIC:
		return makedev(0, DEBUGFS_MINOR);
	case TMPFS_MAGIC:
		return dev;
	default:
		return kind == SYSFS_MAGIC ? sysfs : proc;
	}
}

/** A file of sysfs has the size of a page, one with a long list or mask of several. */
static off_t whole_pages(off_t size)
{
	return size > PAGE ? (size + PAGE - 1) / PAGE * PAGE : PAGE;
}

/**
 * The status that the kernel reports for one of its files, whatever represents it. Programs that
 * copy compare the status of a path with that of what they have opened.
 */
static void describe(const char *emulated, struct stat *status)
{
	int kind = status_file_system(emulated);

	status->st_dev = device_of(kind);
	status->st_ino = path_number(emulated);
	if (!S_ISDIR(status->st_mode))
		status->st_nlink = 1;
	status->st_blocks = 0;
	status->st_size = kind == SYSFS_MAGIC && S_ISREG(status->st_mode)
				  ? whole_pages(status->st_size)
				  : 0;
	status->st_blksize = kind == PROC_SUPER_MAGIC ? PROC_BLOCK : PAGE;
	if (path_is_device(emulated)) {
		status->st_mode = S_IFCHR | 0600;
		status->st_rdev = makedev(MISC_MAJOR, DEVICE_MINOR);
	} else if (path_is_msr(emulated)) {
		const char *cpu = emulated + strlen("/dev/cpu/");

		status->st_mode = S_IFCHR | 0600;
		status->st_rdev = makedev(MSR_MAJOR, (unsigned int)strtoul(cpu, NULL, 10));
	}
}

static int get_device(struct stat *status)
{
	char backing[PATH_MAX];

	if (!path_backing(ABI_DEVICE_PATH, backing)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (status_real(AT_FDCWD, backing, status, 0))
		return -1;
	describe(ABI_DEVICE_PATH, status);
	return 0;
}

/** Owner and times are those of the directory of names. */
static void fill(const char *emulated, const struct kernel_status *file, struct stat *status)
{
	static const mode_t types[] = {
		[KERNEL_FILE] = S_IFREG,
		[KERNEL_DIRECTORY] = S_IFDIR,
		[KERNEL_LINK] = S_IFLNK,
		[KERNEL_DEVICE] = S_IFCHR,
	};

	*status = *path_root_status();
	status->st_mode = types[file->type] | file->mode;
	status->st_nlink = (nlink_t)(2 + file->links); /* of a directory */
	status->st_size = (off_t)file->size;
	describe(emulated, status);
}

int status_get(const char *emulated, struct stat *status)
{
	struct kernel_status file;
	int result;

	if (path_is_device(emulated))
		return get_device(status);
	if (path_begins_with_device(emulated))
		return get_device(status) ? -1 : fail(ENOTDIR);
	result = launch_look(preload_machine, emulated, false, &file);
	if (result) {
		errno = -result;
		return -1;
	}
	free(file.target);
	fill(emulated, &file, status);
	return 0;
}

/** Returns true where the file is an emulated one; then *@result is what stat() returns. Otherwise
 * *@path is what to hand on; @found: PATH_MAX bytes for it. */
static bool get_emulated(int directory, const char **path, int flags, struct stat *status,
			 char *found, int *result)
{
	struct stat gotten;
	int error = errno;

	if (!path_begin(directory, path, (flags & AT_SYMLINK_NOFOLLOW) == 0, found))
		return false;
	*result = status_get(found, &gotten);
	preload_end(true);
	if (!*result)
		identity_show_owner(&gotten.st_uid, &gotten.st_gid);
	if (!*result)
		*result = user_write(status, &gotten, sizeof(gotten));
	if (!*result)
		errno = error;
	return true;
}

/** Whether it can be that of an emulated file: of a memory file, or of what stands for one. */
static bool may_be_emulated(const struct stat *status)
{
	return preload_machine &&
	       (S_ISREG(status->st_mode) || status->st_dev == path_root_status()->st_dev);
}

bool status_is_mixed(const char *path)
{
	return process_status_is(path) || cpu_times_is(path);
}

/** Also of a file of the system that has lines of the machine, whose status is the system's. */
static int get_by_name(const char *emulated, struct stat *status)
{
	return status_is_mixed(emulated) ? status_real(AT_FDCWD, emulated, status, 0)
					 : status_get(emulated, status);
}

/** Changes the status of a descriptor that is an emulated file; returns whether it is. */
static bool describe_opened(int descriptor, struct stat *status)
{
	char emulated[PATH_MAX];
	int error = errno;
	bool found;

	if (!may_be_emulated(status) || !preload_begin())
		return false;
	found = path_of_descriptor(descriptor, emulated) || path_of_opened(descriptor, emulated);
	/* One that is open may be gone: then nothing but the memory file is left. */
	if (found && get_by_name(emulated, status))
		describe(emulated, status);
	preload_end(found);
	if (found)
		identity_show_owner(&status->st_uid, &status->st_gid);
	errno = error;
	return found;
}

/**
 * The owner of the machine is root there, whose is /run as well as the directory below it that is
 * kept with the machine: who else could write to that directory is decided by its owner.
 */
static void describe_run(struct stat *status)
{
	const struct stat *owned;

	if (!preload_machine || preload_inside() || !S_ISDIR(status->st_mode) ||
	    !path_is_run(status))
		return;
	owned = path_root_status();
	status->st_uid = owned->st_uid;
	status->st_gid = owned->st_gid;
}

static int get_of_system(int directory, const char *path, struct stat *status, int flags)
{
	int result = status_real(directory, path, status, flags);

	if (!result) {
		describe_run(status);
		identity_show_owner(&status->st_uid, &status->st_gid);
	}
	return result;
}

INTERPOSED int fstat(int descriptor, struct stat *status)
{
	int result = get_of_system(descriptor, "", status, AT_EMPTY_PATH);

	if (!result)
		describe_opened(descriptor, status);
	return result;
}

/** Of an emulated file that is open, by a function that takes a path as well. */
static bool get_opened(int descriptor, const char *path, int flags, struct stat *status)
{
	return flags & AT_EMPTY_PATH && (!path || !*path) &&
	       status_real(descriptor, "", status, AT_EMPTY_PATH) == 0 &&
	       describe_opened(descriptor, status);
}

INTERPOSED int fstatat(int directory, const char *path, struct stat *status, int flags)
{
	char found[PATH_MAX];
	int result;

	if (get_opened(directory, path, flags, status))
		return 0;
	if (get_emulated(directory, &path, flags, status, found, &result))
		return result;
	return get_of_system(directory, path, status, flags);
}

INTERPOSED int stat(const char *path, struct stat *status)
{
	return fstatat(AT_FDCWD, path, status, 0);
}

INTERPOSED int lstat(const char *path, struct stat *status)
{
	return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

/* What programs call that were linked with a C library before 2.33. */
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int descriptor, struct stat *status);
int __fxstatat(int version, int directory, const char *path, struct stat *status, int flags);

INTERPOSED int __xstat(int version, const char *path, struct stat *status)
{
	(void)version;
	return stat(path, status);
}

INTERPOSED int __lxstat(int version, const char *path, struct stat *status)
{
	(void)version;
	return lstat(path, status);
}

INTERPOSED int __fxstat(int version, int descriptor, struct stat *status)
{
	(void)version;
	return fstat(descriptor, status);
}

INTERPOSED int __fxstatat(int version, int directory, const char *path, struct stat *status,
			  int flags)
{
	(void)version;
	return fstatat(directory, path, status, flags);
}

static struct statx_timestamp extend_time(struct timespec time)
{
	return (struct statx_timestamp){ .tv_sec = time.tv_sec, .tv_nsec = (uint32_t)time.tv_nsec };
}

static void extend(const struct stat *status, struct statx *extended)
{
	*extended = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = (uint32_t)status->st_blksize,
		.stx_nlink = (uint32_t)status->st_nlink,
		.stx_uid = status->st_uid,
		.stx_gid = status->st_gid,
		.stx_mode = (uint16_t)status->st_mode,
		.stx_ino = status->st_ino,
		.stx_size = (uint64_t)status->st_size,
		.stx_blocks = (uint64_t)status->st_blocks,
		.stx_atime = extend_time(status->st_atim),
		.stx_mtime = extend_time(status->st_mtim),
		.stx_ctime = extend_time(status->st_ctim),
		.stx_rdev_major = major(status->st_rdev),
		.stx_rdev_minor = minor(status->st_rdev),
		.stx_dev_major = major(status->st_dev),
		.stx_dev_minor = minor(status->st_dev),
	};
}

static int extend_system(int directory, const char *path, int flags, unsigned int mask,
			 struct statx *extended)
{
	int result = REAL(statx)(directory, path, flags, mask, extended);
	struct stat status = { 0 };

	if (result)
		return result;
	status.st_mode = extended->stx_mode;
	status.st_ino = extended->stx_ino;
	status.st_dev = makedev(extended->stx_dev_major, extended->stx_dev_minor);
	status.st_uid = extended->stx_uid;
	status.st_gid = extended->stx_gid;
	describe_run(&status);
	identity_show_owner(&status.st_uid, &status.st_gid);
	extended->stx_uid = status.st_uid;
	extended->stx_gid = status.st_gid;
	return 0;
}

INTERPOSED int statx(int directory, const char *path, int flags, unsigned int mask,
		     struct statx *extended)
{
	struct stat status;
	struct statx copy;
	char found[PATH_MAX];
	int result = 0;

	if (!get_opened(directory, path, flags, &status) &&
	    !get_emulated(directory, &path, flags, &status, found, &result))
		return extend_system(directory, path, flags, mask, extended);
	if (result)
		return result;
	extend(&status, &copy);
	return user_write(extended, &copy, sizeof(copy));
}

/* ---- File systems ---- */

/** Nothing that the machine has takes space. */
static void describe_file_system(const char *emulated, struct statfs *status)
{
	status->f_type = (__typeof__(status->f_type))status_file_system(emulated);
	if (status->f_type == TMPFS_MAGIC)
		return;
	status->f_blocks = status->f_bfree = status->f_bavail = 0;
	status->f_files = status->f_ffree = 0;
}

/** Of a path that path_begin() found; ends that. */
static int get_file_system(const char *emulated, struct statfs *status)
{
	char backing[PATH_MAX];
	struct stat exists;
	int result = -1;

	if (status_get(emulated, &exists) == 0 && path_backing("", backing))
		result = REAL(statfs)(backing, status);
	if (!result)
		describe_file_system(emulated, status);
	preload_end(true);
	return result;
}

INTERPOSED int statfs(const char *path, struct statfs *status)
{
	char found[PATH_MAX];

	return path_begin(AT_FDCWD, &path, true, found) ? get_file_system(found, status)
							: REAL(statfs)(path, status);
}

INTERPOSED int fstatfs(int descriptor, struct statfs *status)
{
	int result = REAL(fstatfs)(descriptor, status), error = errno;
	char emulated[PATH_MAX];

	if (result || !preload_begin())
		return result;
	if (path_of_descriptor(descriptor, emulated) || path_of_opened(descriptor, emulated))
		describe_file_system(emulated, status);
	preload_end(false);
	errno = error;
	return 0;
}

INTERPOSED int statvfs(const char *path, struct statvfs *status)
{
	char found[PATH_MAX], backing[PATH_MAX];
	struct statfs of_machine;
	int result = -1;

	if (!path_begin(AT_FDCWD, &path, true, found))
		return REAL(statvfs)(path, status);
	if (path_backing("", backing))
		result = REAL(statvfs)(backing, status);
	if (get_file_system(found, &of_machine))
		return -1;
	status->f_blocks = of_machine.f_blocks;
	status->f_bfree = of_machine.f_bfree;
	status->f_bavail = of_machine.f_bavail;
	status->f_files = of_machine.f_files;
	status->f_ffree = of_machine.f_ffree;
	status->f_favail = of_machine.f_ffree;
	return result;
}

INTERPOSED int statfs64(const char *path, struct statfs64 *status)
{
	return statfs(path, (struct statfs *)status);
}

INTERPOSED int fstatfs64(int descriptor, struct statfs64 *status)
{
	return fstatfs(descriptor, (struct statfs *)status);
}

/* ---- Access ---- */

bool status_permits(const struct stat *status, int wanted)
{
	mode_t allowed = status->st_mode >> 6 & 7;

	if (identity_is_root())
		allowed = S_ISDIR(status->st_mode) ? 7 : 6;
	return (wanted & ~(int)allowed) == 0;
}

static int look_for_access(const char *emulated, int wanted)
{
	struct stat status;

	if (status_get(emulated, &status))
		return -1;
	if (status_permits(&status, wanted))
		return 0;
	errno = EACCES;
	return -1;
}

INTERPOSED int faccessat(int directory, const char *path, int mode, int flags)
{
	char found[PATH_MAX];
	int result;

	if (!path_begin(directory, &path, (flags & AT_SYMLINK_NOFOLLOW) == 0, found))
		return REAL(faccessat)(directory, path, mode, flags);
	result = look_for_access(found, mode);
	preload_end(true);
	return result;
}

INTERPOSED int access(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, 0);
}

INTERPOSED int euidaccess(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

INTERPOSED int eaccess(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

/* ---- Extended attributes, of which they have none ---- */

/** Returns true where the file is an emulated one; errno is set. */
static bool no_attribute(const char **path, bool follow, char *found)
{
	struct stat status;
	int result;

	if (!get_emulated(AT_FDCWD, path, follow ? 0 : AT_SYMLINK_NOFOLLOW, &status, found,
			  &result))
		return false;
	if (!result)
		errno = EOPNOTSUPP;
	return true;
}

INTERPOSED ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	char found[PATH_MAX];

	return no_attribute(&path, true, found) ? -1 : REAL(getxattr)(path, name, value, size);
}

INTERPOSED ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	char found[PATH_MAX];

	return no_attribute(&path, false, found) ? -1 : REAL(lgetxattr)(path, name, value, size);
}

INTERPOSED ssize_t listxattr(const char *path, char *names, size_t size)
{
	char found[PATH_MAX];

	return no_attribute(&path, true, found) ? -1 : REAL(listxattr)(path, names, size);
}

INTERPOSED ssize_t llistxattr(const char *path, char *names, size_t size)
{
	char found[PATH_MAX];

	return no_attribute(&path, false, found) ? -1 : REAL(llistxattr)(path, names, size);
}

INTERPOSED int setxattr(const char *path, const char *name, const void *value, size_t size,
			int flags)
{
	char found[PATH_MAX];

	return no_attribute(&path, true, found) ? -1
						: REAL(setxattr)(path, name, value, size, flags);
}

INTERPOSED int lsetxattr(const char *path, const char *name, const void *value, size_t size,
			 int flags)
{
	char found[PATH_MAX];

	return no_attribute(&path, false, found) ? -1
						 : REAL(lsetxattr)(path, name, value, size, flags);
}

INTERPOSED int removexattr(const char *path, const char *name)
{
	char found[PATH_MAX];

	return no_attribute(&path, true, found) ? -1 : REAL(removexattr)(path, name);
}

INTERPOSED int lremovexattr(const char *path, const char *name)
{
	char found[PATH_MAX];

	return no_attribute(&path, false, found) ? -1 : REAL(lremovexattr)(path, name);
}

/* On this architecture the two are the same. */
INTERPOSED int statvfs64(const char *path, struct statvfs64 *status)
{
	return statvfs(path, (struct statvfs *)status);
}

INTERPOSED int stat64(const char *path, struct stat64 *status)
{
	return stat(path, (struct stat *)status);
}

INTERPOSED int lstat64(const char *path, struct stat64 *status)
{
	return lstat(path, (struct stat *)status);
}

INTERPOSED int fstat64(int descriptor, struct stat64 *status)
{
	return fstat(descriptor, (struct stat *)status);
}

INTERPOSED int fstatat64(int directory, const char *path, struct stat64 *status, int flags)
{
	return fstatat(directory, path, (struct stat *)status, flags);
}

int __xstat64(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat *status);
int __fxstat64(int version, int descriptor, struct stat *status);
int __fxstatat64(int version, int directory, const char *path, struct stat *status, int flags);

INTERPOSED int __xstat64(int version, const char *path, struct stat *status)
	__attribute__((alias("__xstat")));
INTERPOSED int __lxstat64(int version, const char *path, struct stat *status)
	__attribute__((alias("__lxstat")));
INTERPOSED int __fxstat64(int version, int descriptor, struct stat *status)
	__attribute__((alias("__fxstat")));
INTERPOSED int __fxstatat64(int version, int directory, const char *path, struct stat *status,
			    int flags) __attribute__((alias("__fxstatat")));
