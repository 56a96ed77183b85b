/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and the device: opened, asked, closed. Who reads gets a memory file with the content, who
 * writes an empty one; contents.c reads and writes them.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What was opened for writing here, to be looked at when the program ends. */
static unsigned long long written;
enum { WATCHED = 64 };

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* ---- The emulator's own descriptors ---- */

/* They are put where programs do not look: shells hand out low numbers themselves. */
enum { OWN_DESCRIPTORS = 64, OWN_BASE = 1024 - OWN_DESCRIPTORS, OWN_END = 1024 };
static bool own[OWN_END];

/** The lowest number for them, below the limit that the program has now: it may lower it. */
static int start_of_own(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= OWN_END)
		return OWN_BASE;
	return limit.rlim_cur > 2 * OWN_DESCRIPTORS ? (int)limit.rlim_cur - OWN_DESCRIPTORS
						    : (int)limit.rlim_cur / 2;
}

static bool is_own(int descriptor)
{
	return descriptor >= 0 && descriptor < OWN_END && own[descriptor];
}

static int make_own(int descriptor)
{
	int moved = descriptor < 0 ? -1 : REAL(fcntl)(descriptor, F_DUPFD_CLOEXEC, start_of_own());

	if (descriptor < 0)
		return descriptor;
	/* A low one could be closed, or become another file, by the program. */
	REAL(close)(descriptor);
	if (moved < 0)
		return fail(EMFILE);
	if (moved < OWN_END)
		own[moved] = true;
	return moved;
}

static void forget_own(int descriptor)
{
	if (is_own(descriptor))
		own[descriptor] = false;
}

/* ---- Opening ---- */

static int memory_file(const char *emulated, int flags)
{
	char name[MEMORY_FILE_NAME];

	if (path_name_memory_file(emulated, name))
		return -1;
	return memfd_create(name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
}

/**
 * A memory file as the program opens it, instead of the one that was made: under the same number,
 * which is the lowest that was free.
 */
static int open_in_place(int file, int flags)
{
	static const int kept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_CLOEXEC;
	char name[40];
	int opened, result = -1, error;

	if (file < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	opened = (int)syscall(SYS_openat, AT_FDCWD, name, flags & kept);
	if (opened >= 0)
		result = REAL(dup3)(opened, file, flags & O_CLOEXEC);
	error = errno;
	REAL(close)(opened < 0 ? file : opened);
	errno = error;
	return result;
}

/** A memory file that nothing is written to. */
static int open_msr(const char *emulated, int flags)
{
	return open_in_place(memory_file(emulated, O_CLOEXEC), flags);
}

/**
 * The file of the state that stands for it: its locks (flock(2)) are those of the device, for all
 * descriptors, children and programs outside. In another root directory, where that is not found, a
 * memory file.
 */
static int open_device(const char *emulated, int flags)
{
	char backing[PATH_MAX];
	int file;

	if (device_open())
		return -1;
	if (!path_backing(emulated, backing))
		return fail(ENAMETOOLONG);
	path_find_device();
	file = (int)syscall(SYS_openat, AT_FDCWD, backing,
			    (flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_NOFOLLOW);
	return file < 0 && errno == ENOENT ? memory_file(emulated, flags) : file;
}

/** Its content, in a file that cannot be written to. */
static int open_to_read(const char *emulated, int flags)
{
	int file = memory_file(emulated, O_CLOEXEC), error;

	if (file < 0 || file_generate(file, emulated) == 0)
		return open_in_place(file, flags);
	error = errno;
	REAL(close)(file);
	return fail(error);
}

static int open_to_write(const char *emulated, int flags)
{
	int descriptor = open_in_place(memory_file(emulated, O_CLOEXEC), flags);

	if (descriptor >= 0 && descriptor < WATCHED)
		written |= 1ULL << descriptor;
	return descriptor;
}

/** A directory, or what is not to be read or written, by the name that stands for it. */
static int open_name(const char *emulated, int flags)
{
	char backing[PATH_MAX];

	if (path_is_device(emulated)) {
		if (!path_backing(emulated, backing))
			return fail(ENAMETOOLONG);
	} else if (names_make(emulated, true, backing)) {
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, backing, flags & ~(O_CREAT | O_TRUNC));
}

/** Whether not even root may open for writing what has no write permission: files directly below
 * /proc, and those of debugfs, have ordinary permissions. */
static bool is_strict(const char *emulated)
{
	switch (status_file_system(emulated)) {
	case DEBUGFS_MAGIC:
		return false;
	case PROC_SUPER_MAGIC:
		return strncmp(emulated, "/proc/sys/", strlen("/proc/sys/")) == 0;
	default:
		return true;
	}
}

static bool is_permitted(const char *emulated, const struct stat *status, int flags)
{
	static const int wanted[] = {
		[O_RDONLY] = R_OK, [O_WRONLY] = W_OK, [O_RDWR] = R_OK | W_OK
	};
	int access = flags & O_ACCMODE;

	if (access > O_RDWR)
		return true;
	return status_permits(status, wanted[access]) &&
	       (access == O_RDONLY || (status->st_mode & 0222) != 0 || !is_strict(emulated));
}

/** Opens what is there. */
static int open_found(const char *emulated, int flags, const struct stat *status)
{
	mode_t mode = status->st_mode;

	if ((flags & O_TMPFILE) == O_TMPFILE && !(flags & O_PATH))
		return fail(S_ISDIR(mode) ? EOPNOTSUPP : ENOTDIR);
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return fail(EEXIST);
	if (S_ISDIR(mode) && !(flags & O_PATH) &&
	    ((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT))
		return fail(EISDIR);
	if (!S_ISDIR(mode) && flags & O_DIRECTORY)
		return fail(ENOTDIR);
	if (S_ISDIR(mode) && flags & O_DIRECT && !(flags & O_PATH))
		return fail(EINVAL);
	if (S_ISDIR(mode) || flags & O_PATH)
		return open_name(emulated, flags);
	if (S_ISLNK(mode))
		return fail(ELOOP);
	if (!is_permitted(emulated, status, flags))
		return fail(EACCES);
	/* None of these file systems can. */
	if (flags & O_DIRECT)
		return fail(EINVAL);
	if (path_is_device(emulated))
		return open_device(emulated, flags);
	if (path_is_msr(emulated))
		return open_msr(emulated, flags);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return open_to_read(emulated, flags);
	return open_to_write(emulated, flags);
}

/** Returns a descriptor, or -1 and errno. */
static int open_emulated(const char *emulated, int flags)
{
	struct stat status;

	if (status_is_mixed(emulated))
		return open_to_read(emulated, flags);
	if (status_get(emulated, &status))
		return errno == ENOENT && flags & O_CREAT ? fail(EACCES) : -1;
	return open_found(emulated, flags, &status);
}

static bool leads_to_emulated(int directory, const char **path, int flags, char *found)
{
	bool exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);

	return path_find(directory, path, !(flags & O_NOFOLLOW) && !exclusive, found) ||
	       ((flags & O_ACCMODE) == O_RDONLY && status_is_mixed(found));
}

bool file_is_emulated(int directory, const char **path, int flags, char *found)
{
	bool answered;

	*found = '\0';
	if (!preload_begin())
		return false;
	answered = leads_to_emulated(directory, path, flags, found);
	preload_end(answered);
	return answered;
}

bool file_open_emulated(int directory, const char **path, int flags, char *found, int *descriptor)
{
	int error = errno;
	bool answered;

	*found = '\0';
	if (!preload_begin()) {
		path_move_around(directory, path, found);
		return false;
	}
	answered = leads_to_emulated(directory, path, flags, found);
	if (answered)
		*descriptor = open_emulated(found, flags);
	/* Some programs look at errno alone. */
	if (!answered || *descriptor >= 0)
		errno = error;
	preload_end(answered);
	return answered;
}

static int open_any(int directory, const char *path, int flags, mode_t mode)
{
	char found[PATH_MAX];
	int descriptor;

	if (file_open_emulated(directory, &path, flags, found, &descriptor))
		return descriptor;
	descriptor = REAL(openat)(directory, path, flags, mode);
	return preload_inside() ? make_own(descriptor) : descriptor;
}

static bool has_mode(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN_MODE(mode) \
	do { \
		va_list arguments; \
		va_start(arguments, flags); \
		if (has_mode(flags)) \
			(mode) = va_arg(arguments, mode_t); \
		va_end(arguments); \
	} while (0)

INTERPOSED int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	OPEN_MODE(mode);
	return open_any(AT_FDCWD, path, flags, mode);
}

INTERPOSED int openat(int directory, const char *path, int flags, ...)
{
	mode_t mode = 0;

	OPEN_MODE(mode);
	return open_any(directory, path, flags, mode);
}

INTERPOSED int creat(const char *path, mode_t mode)
{
	return open_any(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

/* What programs that were compiled with _FORTIFY_SOURCE call. */
int __open_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);

INTERPOSED int __open_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

INTERPOSED int __openat_2(int directory, const char *path, int flags)
{
	return open_any(directory, path, flags, 0);
}

/* ---- Closing ---- */

void file_deliver_last(int descriptor)
{
	char emulated[PATH_MAX];

	if (path_of_descriptor(descriptor, emulated) && file_deliver(descriptor, emulated))
		preload_warn("cannot write to %s: %s", emulated, strerror(errno));
}

void file_deliver_all(void)
{
	if (!preload_begin())
		return;
	written |= 1ULL << STDOUT_FILENO;
	for (int i = 0; i < WATCHED; i++)
		if (written >> i & 1)
			file_deliver_last(i);
	preload_end(false);
}

INTERPOSED int close(int descriptor)
{
	if (preload_inside()) {
		forget_own(descriptor);
	} else if (is_own(descriptor)) {
		/* A program may close all of its descriptors at once. */
		return fail(EBADF);
	} else if (preload_begin()) {
		char emulated[PATH_MAX];
		int result = 0;

		if (path_of_descriptor(descriptor, emulated))
			result = file_deliver(descriptor, emulated);
		preload_end(false);
		if (result) {
			int error = errno;

			REAL(close)(descriptor);
			return fail(error);
		}
	}
	return REAL(close)(descriptor);
}

static void before_dup(int from, int to)
{
	if (from != to && preload_begin()) {
		file_deliver_last(to);
		preload_end(false);
	}
}

/** The emulator writes the machine's state to what its descriptors name: none may become another
 * file. To the program they are not there, and no number that it could have. */
static bool refuse_own(int to)
{
	return !preload_inside() && is_own(to);
}

INTERPOSED int dup2(int from, int to)
{
	if (refuse_own(to))
		return fail(EBADF);
	before_dup(from, to);
	return REAL(dup2)(from, to);
}

INTERPOSED int dup3(int from, int to, int flags)
{
	if (refuse_own(to))
		return fail(EBADF);
	before_dup(from, to);
	return REAL(dup3)(from, to, flags);
}

/** glibc before 2.34 has no such function. */
static int real_close_range(unsigned int first, unsigned int last, int flags)
{
	/* What is called by number comes here, too. */
	return (int)REAL(syscall)(SYS_close_range, first, last, flags);
}

/** Closes what is between and not the emulator's. */
static int close_around_own(unsigned int first, unsigned int last, int flags)
{
	int result = 0;

	for (unsigned int number = 0; number < OWN_END && !result; number++) {
		if (!own[number] || number < first || number > last)
			continue;
		if (number > first)
			result = real_close_range(first, number - 1, flags);
		first = number + 1;
	}
	return result || first > last ? result : real_close_range(first, last, flags);
}

INTERPOSED int close_range(unsigned int first, unsigned int last, int flags)
{
	return close_around_own(first, last, flags);
}

INTERPOSED void closefrom(int first)
{
	close_around_own(first < 0 ? 0 : (unsigned int)first, UINT_MAX, 0);
}

/* On this architecture the two are the same. */
INTERPOSED int open64(const char *path, int flags, ...) __attribute__((alias("open")));
INTERPOSED int openat64(int directory, const char *path, int flags, ...)
	__attribute__((alias("openat")));
INTERPOSED int creat64(const char *path, mode_t mode) __attribute__((alias("creat")));
INTERPOSED int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));
INTERPOSED int __openat64_2(int directory, const char *path, int flags)
	__attribute__((alias("__openat_2")));
