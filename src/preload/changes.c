/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a path is given for that is to be made, removed, renamed or changed. Of the kernel's files
 * only some directories can be made and removed; all else is refused there, and none of it reaches
 * the names that stand for them.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

/** Ends what path_begin() began. @result: 0 or a negative errno. */
static int finish(int result)
{
	if (result)
		errno = -result;
	preload_end(true);
	return result ? -1 : 0;
}

/** What is there stays as it is. */
static int refuse(const char *emulated)
{
	struct stat status;

	return status_get(emulated, &status) ? -errno : -EPERM;
}

/** What is not there is not made. */
static int refuse_new(const char *emulated)
{
	struct stat status;

	return status_get(emulated, &status) ? -EPERM : -EEXIST;
}

/* Most functions: @answer is one of the above, or another of @found. */
#define ANSWER_EMULATED(directory, path, follow, answer) \
	char found[PATH_MAX]; \
	do { \
		if (path_begin((directory), &(path), (follow), found)) \
			return finish(answer); \
	} while (0)

/* ---- Directories ---- */

static int make_directory(const char *emulated)
{
	return preload_machine->files->mkdir(preload_machine->data, emulated);
}

static int remove_directory(const char *emulated)
{
	return preload_machine->files->rmdir(preload_machine->data, emulated);
}

INTERPOSED int mkdirat(int directory, const char *path, mode_t mode)
{
	ANSWER_EMULATED(directory, path, false, make_directory(found));
	return REAL(mkdirat)(directory, path, mode);
}

INTERPOSED int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

INTERPOSED int rmdir(const char *path)
{
	ANSWER_EMULATED(AT_FDCWD, path, false, remove_directory(found));
	return REAL(rmdir)(path);
}

/* ---- Removing ---- */

INTERPOSED int unlinkat(int directory, const char *path, int flags)
{
	ANSWER_EMULATED(directory, path, false,
			flags & AT_REMOVEDIR ? remove_directory(found) : refuse(found));
	return REAL(unlinkat)(directory, path, flags);
}

INTERPOSED int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

static int remove_emulated(const char *emulated)
{
	struct stat status;

	if (status_get(emulated, &status))
		return -errno;
	return S_ISDIR(status.st_mode) ? remove_directory(emulated) : -EPERM;
}

INTERPOSED int remove(const char *path)
{
	ANSWER_EMULATED(AT_FDCWD, path, false, remove_emulated(found));
	return REAL(remove)(path);
}

/* ---- With two paths ---- */

/** Nothing is renamed in these file systems, and nothing leaves one or comes into one. */
static int refuse_pair(const char *from, const char *to)
{
	if (*from && *to && status_file_system(from) == status_file_system(to))
		return refuse(from);
	return -EXDEV;
}

struct end {
	int directory;
	const char *path;
	char found[PATH_MAX];
	bool emulated;
};

/** Returns true where one of the two is emulated; errno is set. */
static bool no_pair(struct end *from, struct end *to, bool follow)
{
	bool answered;

	if (!preload_begin()) {
		path_move_around(from->directory, &from->path, from->found);
		path_move_around(to->directory, &to->path, to->found);
		return false;
	}
	from->emulated = path_find(from->directory, &from->path, follow, from->found);
	to->emulated = path_find(to->directory, &to->path, false, to->found);
	answered = from->emulated || to->emulated;
	if (answered)
		errno = -refuse_pair(from->emulated ? from->found : "",
				     to->emulated ? to->found : "");
	preload_end(answered);
	return answered;
}

INTERPOSED int renameat2(int from_directory, const char *from, int to_directory, const char *to,
			 unsigned int flags)
{
	struct end old = { .directory = from_directory, .path = from };
	struct end new = { .directory = to_directory, .path = to };

	if (no_pair(&old, &new, false))
		return -1;
	return (int)syscall(SYS_renameat2, from_directory, old.path, to_directory, new.path, flags);
}

INTERPOSED int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
	return renameat2(from_directory, from, to_directory, to, 0);
}

INTERPOSED int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

INTERPOSED int linkat(int from_directory, const char *from, int to_directory, const char *to,
		      int flags)
{
	struct end old = { .directory = from_directory, .path = from };
	struct end new = { .directory = to_directory, .path = to };

	if (no_pair(&old, &new, flags & AT_SYMLINK_FOLLOW))
		return -1;
	return REAL(linkat)(from_directory, old.path, to_directory, new.path, flags);
}

INTERPOSED int link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* ---- New names ---- */

INTERPOSED int symlinkat(const char *target, int directory, const char *path)
{
	ANSWER_EMULATED(directory, path, false, refuse_new(found));
	return REAL(symlinkat)(target, directory, path);
}

INTERPOSED int symlink(const char *target, const char *path)
{
	return symlinkat(target, AT_FDCWD, path);
}

INTERPOSED int mknodat(int directory, const char *path, mode_t mode, dev_t device)
{
	ANSWER_EMULATED(directory, path, false, refuse_new(found));
	return (int)syscall(SYS_mknodat, directory, path, mode, device);
}

INTERPOSED int mknod(const char *path, mode_t mode, dev_t device)
{
	return mknodat(AT_FDCWD, path, mode, device);
}

/* What programs call that were linked with a C library before 2.33. */
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);
int __xmknodat(int version, int directory, const char *path, mode_t mode, dev_t *device);

INTERPOSED int __xmknod(int version, const char *path, mode_t mode, dev_t *device)
{
	(void)version;
	return mknodat(AT_FDCWD, path, mode, *device);
}

INTERPOSED int __xmknodat(int version, int directory, const char *path, mode_t mode, dev_t *device)
{
	(void)version;
	return mknodat(directory, path, mode, *device);
}

INTERPOSED int mkfifoat(int directory, const char *path, mode_t mode)
{
	return mknodat(directory, path, S_IFIFO | mode, 0);
}

INTERPOSED int mkfifo(const char *path, mode_t mode)
{
	return mkfifoat(AT_FDCWD, path, mode);
}

/** The path that @template is to be made at, in @found; NULL and errno: nowhere. */
static char *temporary_path(char *template, char *found)
{
	const char *path = template;

	if (path_begin(AT_FDCWD, &path, false, found)) {
		finish(-EACCES);
		return NULL;
	}
	return path == found ? found : template;
}

/** Hands back the characters that were chosen, which end @suffix bytes before the end. */
static void choose(char *template, const char *made, int suffix)
{
	enum { CHOSEN = 6 };
	size_t behind = (size_t)suffix + CHOSEN, length = strlen(template);

	if (made != template && length >= behind)
		memcpy(template + length - behind, made + strlen(made) - behind, CHOSEN);
}

INTERPOSED int mkostemps(char *template, int suffix, int flags)
{
	char found[PATH_MAX], *path = temporary_path(template, found);
	int file = path ? REAL(mkostemps)(path, suffix, flags) : -1;

	if (file >= 0)
		choose(template, path, suffix);
	return file;
}

INTERPOSED int mkstemps(char *template, int suffix)
{
	return mkostemps(template, suffix, 0);
}

INTERPOSED int mkostemp(char *template, int flags)
{
	return mkostemps(template, 0, flags);
}

INTERPOSED int mkstemp(char *template)
{
	return mkostemps(template, 0, 0);
}

INTERPOSED char *mkdtemp(char *template)
{
	char found[PATH_MAX], *path = temporary_path(template, found);

	if (!path || !REAL(mkdtemp)(path))
		return NULL;
	choose(template, path, 0);
	return template;
}

/* ---- Size, owner, permissions, times: accepted, and not kept ---- */

/** What a function is given instead of a path. Returns true where it is emulated; then it is to be
 * ended. */
static bool begin_opened(int descriptor, char *emulated)
{
	if (!preload_begin())
		return false;
	if (path_of_descriptor(descriptor, emulated) || path_of_opened(descriptor, emulated))
		return true;
	preload_end(false);
	return false;
}

#define ANSWER_OPENED(descriptor, answer) \
	do { \
		char opened[PATH_MAX]; \
		if (begin_opened((descriptor), opened)) \
			return finish(answer(opened)); \
	} while (0)

/** The size of the kernel's files does not change, and devices have none. */
static int accept_size(const char *emulated, off_t size, bool opened)
{
	struct stat status;

	if (size < 0)
		return -EINVAL;
	if (status_get(emulated, &status))
		return opened ? 0 : -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	return opened || status_permits(&status, W_OK) ? 0 : -EACCES;
}

INTERPOSED int truncate(const char *path, off_t size)
{
	ANSWER_EMULATED(AT_FDCWD, path, true, accept_size(found, size, false));
	return REAL(truncate)(path, size);
}

INTERPOSED int ftruncate(int descriptor, off_t size)
{
	char emulated[PATH_MAX];
	int flags;

	if (preload_inside())
		return (int)unlimited_call(SYS_ftruncate, descriptor, size, 0, 0);
	if (!begin_opened(descriptor, emulated))
		return REAL(ftruncate)(descriptor, size);
	flags = fcntl(descriptor, F_GETFL);
	if (flags & O_PATH)
		return finish(-EBADF);
	return finish((flags & O_ACCMODE) == O_RDONLY ? -EINVAL
						      : accept_size(emulated, size, true));
}

/** Owner and permissions, which the owner of the machine may change as root. */
static int accept_owned(const char *emulated)
{
	struct stat status;
	if (status_get(emulated, &status))
		return -errno;
	return identity_is_root() || REAL(geteuid)() == status.st_uid ? 0 : -EPERM;
}

/** Of what is open, which may have been removed meanwhile. */
static int accept_opened(const char *emulated)
{
	int result = accept_owned(emulated);

	return result == -ENOENT ? 0 : result;
}

/** Of an argument that the C library declares to be never NULL, and programs pass as such. */
static bool is_empty(const char *path)
{
	return path && !*path;
}

INTERPOSED int fchmodat(int directory, const char *path, mode_t mode, int flags)
{
	if (flags & AT_EMPTY_PATH && is_empty(path))
		ANSWER_OPENED(directory, accept_opened);
	ANSWER_EMULATED(directory, path, (flags & AT_SYMLINK_NOFOLLOW) == 0, accept_owned(found));
	return REAL(fchmodat)(directory, path, mode, flags);
}

INTERPOSED int chmod(const char *path, mode_t mode)
{
	return fchmodat(AT_FDCWD, path, mode, 0);
}

INTERPOSED int lchmod(const char *path, mode_t mode)
{
	return fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW);
}

INTERPOSED int fchownat(int directory, const char *path, uid_t owner, gid_t group, int flags)
{
	if (flags & AT_EMPTY_PATH && is_empty(path))
		ANSWER_OPENED(directory, accept_opened);
	ANSWER_EMULATED(directory, path, (flags & AT_SYMLINK_NOFOLLOW) == 0, accept_owned(found));
	identity_real_owner(&owner, &group);
	return REAL(fchownat)(directory, path, owner, group, flags);
}

INTERPOSED int chown(const char *path, uid_t owner, gid_t group)
{
	return fchownat(AT_FDCWD, path, owner, group, 0);
}

INTERPOSED int lchown(const char *path, uid_t owner, gid_t group)
{
	return fchownat(AT_FDCWD, path, owner, group, AT_SYMLINK_NOFOLLOW);
}

INTERPOSED int fchmod(int descriptor, mode_t mode)
{
	ANSWER_OPENED(descriptor, accept_opened);
	return REAL(fchmod)(descriptor, mode);
}

INTERPOSED int fchown(int descriptor, uid_t owner, gid_t group)
{
	ANSWER_OPENED(descriptor, accept_opened);
	identity_real_owner(&owner, &group);
	return REAL(fchown)(descriptor, owner, group);
}

static int accept_times(const char *emulated)
{
	struct stat status;

	return status_get(emulated, &status) ? -errno : 0;
}

INTERPOSED int utimensat(int directory, const char *path, const struct timespec times[2], int flags)
{
	ANSWER_EMULATED(directory, path, (flags & AT_SYMLINK_NOFOLLOW) == 0, accept_times(found));
	return REAL(utimensat)(directory, path, times, flags);
}

INTERPOSED int utimes(const char *path, const struct timeval times[2])
{
	ANSWER_EMULATED(AT_FDCWD, path, true, accept_times(found));
	return REAL(utimes)(path, times);
}

INTERPOSED int lutimes(const char *path, const struct timeval times[2])
{
	ANSWER_EMULATED(AT_FDCWD, path, false, accept_times(found));
	return REAL(lutimes)(path, times);
}

INTERPOSED int futimesat(int directory, const char *path, const struct timeval times[2])
{
	ANSWER_EMULATED(directory, path, true, accept_times(found));
	return REAL(futimesat)(directory, path, times);
}

INTERPOSED int utime(const char *path, const struct utimbuf *times)
{
	ANSWER_EMULATED(AT_FDCWD, path, true, accept_times(found));
	return REAL(utime)(path, times);
}

/* On this architecture the two are the same. */
INTERPOSED int truncate64(const char *path, off64_t size) __attribute__((alias("truncate")));
INTERPOSED int ftruncate64(int descriptor, off64_t size) __attribute__((alias("ftruncate")));
INTERPOSED int mkstemp64(char *template) __attribute__((alias("mkstemp")));
INTERPOSED int mkostemp64(char *template, int flags) __attribute__((alias("mkostemp")));
INTERPOSED int mkstemps64(char *template, int suffix) __attribute__((alias("mkstemps")));
INTERPOSED int mkostemps64(char *template, int suffix, int flags)
	__attribute__((alias("mkostemps")));
