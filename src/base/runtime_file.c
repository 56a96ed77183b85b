/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory. */
#include "base/runtime_file.h"
#include "common/descriptor.h"
#include "isst.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	/* A journal has a line of about 60 bytes for each item; thousands of CPUs make megabytes.
	 */
	LARGEST = 64 << 20,
	NEW_NAMES = 100, /* that are tried for a new file before it takes the old one's place */
	OLD_S = 60,	 /* a new file takes its place in far less */
};

const char *runtime_file_strerror(int error)
{
	switch (-error) {
	case EPERM:
		return "it or its directory belongs to another user or is writable by other "
		       "users, or the directory is missing and only root may create it";
	case EBADF:
		return "it is not a regular file";
	case ELOOP:
		return "it or its directory is a symbolic link";
	case EFBIG:
		return "the file size limit (ulimit -f) does not permit it";
	case EBADMSG:
		return "it contains a NUL byte, so it is not a text file";
	case EOVERFLOW:
		return "it is larger than any file that this program writes";
	default:
		return strerror(-error);
	}
}

/* ---- The directory ---- */

/** Whether only its owner, who is root or the caller, can have written it. */
static bool is_ours(const struct stat *status)
{
	return (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/**
 * Checks a directory that was opened. It belongs to root, or to the caller where also the directory
 * above does: below /run that is root alone, below the state directory of an emulated machine the
 * user who runs it.
 */
static int check_directory(int descriptor)
{
	struct stat status, above;

	if (fstat(descriptor, &status))
		return -errno;
	if (!is_ours(&status))
		return -EPERM;
	if (status.st_uid == 0)
		return 0;
	if (fstatat(descriptor, "..", &above, 0))
		return -errno;
	return above.st_uid == status.st_uid ? 0 : -EPERM;
}

/** For a link the kernel reports that it is not a directory. */
static int explain_open(const char *directory, int error)
{
	struct stat status;

	return error == -ENOTDIR && !lstat(directory, &status) && S_ISLNK(status.st_mode) ? -ELOOP
											  : error;
}

/** Opens the directory. Returns a descriptor or a negative errno. */
static int open_directory(const char *directory)
{
	int descriptor = keep_off_streams(
		    open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
	    error;

	if (descriptor < 0)
		return explain_open(directory, -errno);
	error = check_directory(descriptor);
	if (!error)
		return descriptor;
	close(descriptor);
	return error;
}

/** The owner of a directory creates others in it; capabilities alone are not enough. */
static int may_make(const char *directory)
{
	const char *slash = strrchr(directory, '/');
	char *above = slash ? strndup(directory, (size_t)(slash - directory) + 1) : strdup(".");
	struct stat status;
	int error = 0;

	if (!above)
		return -ENOMEM;
	if (stat(above, &status))
		error = -errno;
	else if (geteuid() != 0 && status.st_uid != geteuid())
		error = -EPERM;
	free(above);
	return error;
}

/** Opens the directory, making it where it is missing. Returns a descriptor or a negative errno. */
static int make_directory(const char *directory)
{
	int descriptor = open_directory(directory), error;

	if (descriptor != -ENOENT)
		return descriptor;
	error = may_make(directory);
	if (error)
		return error;
	if (mkdir(directory, 0755) && errno != EEXIST)
		return -errno;
	return open_directory(directory);
}

/** Mostly there is no limit of file sizes, and no signal to hold back. */
static bool is_limited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur != RLIM_INFINITY;
}

int runtime_directory_hold(struct runtime_directory *directory)
{
	int descriptor = directory->held ? directory->descriptor : make_directory(directory->path);

	if (descriptor < 0)
		return descriptor;
	directory->unlimited = !is_limited();
	directory->descriptor = descriptor;
	directory->held = true;
	return 0;
}

void runtime_directory_release(struct runtime_directory *directory)
{
	if (directory->held)
		close(directory->descriptor);
	directory->held = false;
}

/** The directory as the parent of a file that is there; to be left. Returns a descriptor or a
 * negative errno. */
static int enter(const struct runtime_directory *directory)
{
	return directory->held ? directory->descriptor : open_directory(directory->path);
}

/** The same for a file that may have to be made. */
static int enter_or_make(const struct runtime_directory *directory)
{
	return directory->held ? directory->descriptor : make_directory(directory->path);
}

static void leave(const struct runtime_directory *directory, int descriptor)
{
	if (!directory->held)
		close(descriptor);
}

/* ---- Its files ---- */

/** Opens a file of the directory and checks it; nothing that is found can make this wait. */
static int open_file(int directory, const char *name, int flags)
{
	int descriptor = keep_off_streams(openat(
		directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
	struct stat status;
	int error = 0;

	if (descriptor < 0)
		/* A FIFO without a reader, a socket, a device without a driver; a directory. */
		return errno == ENXIO || errno == ENODEV || errno == EISDIR ? -EBADF : -errno;
	if (fstat(descriptor, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -EBADF;
	else if (!is_ours(&status))
		error = -EPERM;
	else if (status.st_size > LARGEST)
		error = -EOVERFLOW;
	if (!error)
		return descriptor;
	close(descriptor);
	return error;
}

/**
 * Reads up to the end of the file, which is regular: what is shorter than was asked for is the end.
 * The files are text; a file system that lost a block leaves NULs.
 */
static int read_text(int descriptor, char **text)
{
	size_t size = 0, space = 0, asked;
	ssize_t got;

	do {
		if (space - size < 2) {
			char *larger = realloc(*text, space ? space * 2 : 4096);

			if (!larger)
				return -ENOMEM;
			*text = larger;
			space = space ? space * 2 : 4096;
		}
		asked = space - size - 1;
		got = read(descriptor, *text + size, asked);
		if (got < 0 && errno != EINTR)
			return -errno;
		size += got > 0 ? (size_t)got : 0;
		if (size > LARGEST)
			return -EOVERFLOW;
	} while (got < 0 || (size_t)got == asked);
	(*text)[size] = '\0';
	return strlen(*text) == size ? 0 : -EBADMSG;
}

bool runtime_file_is_missing(const struct runtime_directory *directory, const char *name)
{
	struct stat status;
	char *path;
	bool missing;

	if (directory->held)
		return fstatat(directory->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 &&
		       errno == ENOENT;
	if (asprintf(&path, "%s/%s", directory->path, name) < 0)
		return false;
	missing = lstat(path, &status) != 0 && errno == ENOENT;
	free(path);
	return missing;
}

int runtime_file_read(const struct runtime_directory *directory, const char *name, char **text)
{
	int parent = enter(directory), descriptor, error;

	*text = NULL;
	if (parent < 0)
		return parent;
	descriptor = open_file(parent, name, O_RDONLY);
	leave(directory, parent);
	if (descriptor < 0)
		return descriptor;
	error = read_text(descriptor, text);
	close(descriptor);
	if (error && error != -EBADMSG) {
		free(*text);
		*text = NULL;
	}
	return error;
}

/** A write beyond the limit of file sizes ends a program by SIGXFSZ, unless that is held back. */
struct held_signal {
	sigset_t before;
	bool held;
	bool pending; /* it was the program's already */
};

static void hold_signal(struct held_signal *signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	/* On Linux this is the mask of the calling thread, whom the signal is sent to. */
	signal->held = sigprocmask(SIG_BLOCK, &set, &signal->before) == 0;
	signal->pending = sigpending(&set) == 0 && sigismember(&set, SIGXFSZ) == 1;
}

static void release_signal(const struct held_signal *signal)
{
	static const struct timespec AT_ONCE = { 0, 0 };
	sigset_t set;
	int taken;

	if (!signal->held)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	while (!signal->pending) {
		taken = sigtimedwait(&set, NULL, &AT_ONCE);
		if (taken > 0 || errno != EINTR)
			break;
	}
	sigprocmask(SIG_SETMASK, &signal->before, NULL);
}

/** Writes up to the first error; *@written: so many bytes. */
static int write_all(int descriptor, const char *text, size_t *written)
{
	size_t size = strlen(text);

	*written = 0;
	while (*written < size) {
		ssize_t some = write(descriptor, text + *written, size - *written);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? -errno : -ENOSPC;
		*written += (size_t)some;
	}
	return 0;
}

/** Removes the last bytes of a file. */
static int cut_off(int descriptor, size_t bytes)
{
	struct stat status;

	if (fstat(descriptor, &status) || ftruncate(descriptor, status.st_size - (off_t)bytes))
		return -EIO;
	return 0;
}

/** @limited: files may not grow as they like */
static int write_text(int descriptor, const char *text, bool limited)
{
	struct held_signal signal;
	size_t written;
	int error;

	if (limited)
		hold_signal(&signal);
	error = write_all(descriptor, text, &written);
	/* Half a line would spoil those that follow. */
	if (error && written > 0 && cut_off(descriptor, written))
		error = -EIO;
	if (limited)
		release_signal(&signal);
	return error;
}

int runtime_file_write(const struct runtime_directory *directory, int descriptor, const char *text)
{
	bool unlimited = directory->held && directory->unlimited;

	return *text ? write_text(descriptor, text, !unlimited && is_limited()) : 0;
}

/** Fills a new file. */
static int write_new(int directory, const char *name, const char *text)
{
	int descriptor = keep_off_streams(openat(
		directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	int error;

	if (descriptor < 0)
		return -errno;
	error = write_text(descriptor, text, is_limited());
	/* Readers that change nothing read it, too. */
	if (!error && fchmod(descriptor, 0644))
		error = -errno;
	if (close(descriptor) && !error)
		error = -errno;
	if (error)
		unlinkat(directory, name, 0);
	return error;
}

/* ---- Putting a file into the place of another ---- */

/** The name of a file that is to replace one: to be freed, NULL without memory. */
static char *new_name_of(const char *name, pid_t process, unsigned int number)
{
	char *new_name;

	return asprintf(&new_name, "%s.%ld.%u", name, (long)process, number) < 0 ? NULL : new_name;
}

/** Cuts `.NUMBER` off a name. */
static bool cut_number(char *name, uint64_t max, uint64_t *number)
{
	char *dot = strrchr(name, '.');

	if (!dot || (dot[1] == '0' && dot[2]) || isst_parse_number(dot + 1, 10, max, number))
		return false;
	*dot = '\0';
	return true;
}

/** Cuts a name that new_name_of() makes down to that of the file. */
static bool cut_new_name(char *new_name, pid_t *process)
{
	uint64_t number, value;

	if (!cut_number(new_name, NEW_NAMES - 1, &number) ||
	    !cut_number(new_name, INT_MAX, &value) || value == 0)
		return false;
	*process = (pid_t)value;
	return true;
}

/** Whether no process can still be writing a file: the process is gone, and since it may have
 * been one of another container, the file is old. */
static bool is_abandoned(const struct stat *status, pid_t process)
{
	return kill(process, 0) != 0 && errno == ESRCH && time(NULL) - status->st_mtime > OLD_S;
}

/** Whose leftovers to remove: those of one file (NULL: of all) that are abandoned, and all of what
 * is written under the lock alone. */
struct leftovers {
	const char *name;
	bool (*locked)(const char *name);
};

static bool is_leftover(int directory, const char *new_name, const struct leftovers *leftovers)
{
	char *name = strdup(new_name);
	struct stat status;
	pid_t process;
	bool leftover = name && cut_new_name(name, &process) &&
			!fstatat(directory, new_name, &status, AT_SYMLINK_NOFOLLOW) &&
			S_ISREG(status.st_mode) && is_ours(&status);

	if (leftover && !(leftovers->locked && leftovers->locked(name)))
		leftover = (!leftovers->name || strcmp(name, leftovers->name) == 0) &&
			   is_abandoned(&status, process);
	free(name);
	return leftover;
}

/** Of runs that were killed between making a file and renaming it. */
static void remove_leftovers(int directory, const struct leftovers *leftovers)
{
	int descriptor = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = descriptor < 0 ? NULL : fdopendir(descriptor);
	const struct dirent *entry;

	if (!entries) {
		if (descriptor >= 0)
			close(descriptor);
		return;
	}
	while ((entry = readdir(entries)))
		if (is_leftover(directory, entry->d_name, leftovers))
			unlinkat(directory, entry->d_name, 0);
	closedir(entries);
}

void runtime_directory_clean(const struct runtime_directory *directory,
			     bool (*locked)(const char *name))
{
	if (directory->held)
		remove_leftovers(directory->descriptor, &(struct leftovers){ .locked = locked });
}

/** Fills a new file beside the old one, and puts it into its place. */
static int replace(int directory, const char *name, const char *text)
{
	int error = -EEXIST;

	/* One of that name was left by a run that died. */
	for (unsigned int i = 0; i < NEW_NAMES && error == -EEXIST; i++) {
		char *new_name = new_name_of(name, getpid(), i);

		if (!new_name)
			return -ENOMEM;
		error = write_new(directory, new_name, text);
		if (!error && renameat(directory, new_name, directory, name)) {
			error = -errno;
			unlinkat(directory, new_name, 0);
		}
		free(new_name);
	}
	return error;
}

bool runtime_file_is_shortage(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

int runtime_file_replace(const struct runtime_directory *directory, const char *name,
			 const char *text)
{
	int parent = enter_or_make(directory), error;

	if (parent < 0)
		return parent;
	/* Runs that have the lock look when one of them was killed. */
	if (!directory->held)
		remove_leftovers(parent, &(struct leftovers){ .name = name });
	error = replace(parent, name, text);
	leave(directory, parent);
	return error;
}

/** Space of the file is released only behind the text. */
static int overwrite(int descriptor, const char *text)
{
	struct held_signal signal;
	size_t written;
	int error;

	/* Without space for it the old content stays; not every file system reports that. */
	if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)strlen(text)) &&
	    errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	hold_signal(&signal);
	error = write_all(descriptor, text, &written);
	release_signal(&signal);
	if (!error && ftruncate(descriptor, (off_t)written))
		error = -errno;
	return error;
}

int runtime_file_overwrite(const struct runtime_directory *directory, const char *name,
			   const char *text)
{
	int parent = enter(directory), descriptor, error;

	if (parent < 0)
		return parent;
	descriptor = open_file(parent, name, O_WRONLY);
	leave(directory, parent);
	if (descriptor < 0)
		return descriptor;
	error = overwrite(descriptor, text);
	if (close(descriptor) && !error)
		error = -errno;
	return error;
}

int runtime_file_create(const struct runtime_directory *directory, const char *name)
{
	int parent = enter_or_make(directory), descriptor;

	if (parent < 0)
		return parent;
	/* What is new needs no look at whose it is. */
	descriptor = keep_off_streams(
		openat(parent, name,
		       O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (descriptor < 0)
		descriptor = -errno;
	leave(directory, parent);
	return descriptor;
}

int runtime_file_append(const struct runtime_directory *directory, const char *name)
{
	int parent = enter_or_make(directory), descriptor;

	if (parent < 0)
		return parent;
	descriptor = open_file(parent, name, O_WRONLY | O_APPEND | O_CREAT);
	leave(directory, parent);
	return descriptor;
}

/** Removes a file; a missing one is no error. */
static int remove_file(int directory, const char *name)
{
	return unlinkat(directory, name, 0) && errno != ENOENT ? -errno : 0;
}

int runtime_file_rename(const struct runtime_directory *directory, const char *from, const char *to)
{
	int parent = enter(directory), error;

	if (parent < 0)
		return parent;
	error = renameat(parent, from, parent, to) ? -errno : 0;
	leave(directory, parent);
	return error;
}

int runtime_file_remove(const struct runtime_directory *directory, const char *name)
{
	int parent = enter(directory), error;

	if (parent < 0)
		return parent == -ENOENT ? 0 : parent;
	error = remove_file(parent, name);
	leave(directory, parent);
	return error;
}

/** Returns 0, -ENOENT, or why its text is still there. */
static int empty_file(int directory, const char *name)
{
	int descriptor = open_file(directory, name, O_WRONLY), error = 0;

	if (descriptor < 0)
		return descriptor;
	if (ftruncate(descriptor, 0))
		error = -errno;
	close(descriptor);
	return error;
}

int runtime_file_discard(const struct runtime_directory *directory, const char *name)
{
	int parent = enter(directory), error;

	if (parent < 0)
		return parent == -ENOENT ? 0 : parent;
	error = empty_file(parent, name);
	if (error == -ENOENT || remove_file(parent, name) == 0)
		error = 0;
	leave(directory, parent);
	return error;
}
