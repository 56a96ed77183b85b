/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text files of the runtime directory, which is made when the first one is written. Nothing in it
 * is believed unless it is root's or the caller's, and no other user may write it: what is found
 * there is written to the machine.
 */
#ifndef ISST_BASE_RUNTIME_FILE_H
#define ISST_BASE_RUNTIME_FILE_H

#include <stdbool.h>

/*
 * Besides those of the system calls, these errors are returned:
 *
 * -EPERM: the file, or the directory, belongs to another user, or other users may write it; or the
 * directory is missing, and the one above it is not the caller's, who therefore may not make it.
 *
 * -EBADF: there is something else than a regular file.
 *
 * -ELOOP: the file, or the directory, is a symbolic link.
 *
 * -EOVERFLOW: the file is larger than any that this program writes.
 *
 * -EFBIG is that of write(2): the limit of file sizes. The signal that comes with it does not reach
 * the program.
 */

/** What an error of the functions below means, as the end of a message about the file. */
const char *runtime_file_strerror(int error);

/** The directory. Unless it is held it is opened, and looked at, for each file anew. */
struct runtime_directory {
	const char *path;
	bool held;
	int descriptor; /* where it is held */
	bool unlimited; /* where it is held: files may grow as they like */
};

/**
 * Opens the directory, making it where it is missing, and keeps it open: for a run that has the
 * lock, whose file is in there. Returns 0 or a negative errno.
 */
int runtime_directory_hold(struct runtime_directory *directory);
void runtime_directory_release(struct runtime_directory *directory);

/**
 * Whether there is no such file: one system call, where reading takes several. False where that
 * is unknown; reading then reports why.
 */
bool runtime_file_is_missing(const struct runtime_directory *directory, const char *name);

/**
 * Reads the whole file; *@text is to be freed. Returns 0, -ENOENT (there is none), -EBADMSG (it
 * holds a NUL byte; *@text is what comes before the first one, and is to be freed, too) or another
 * negative errno.
 */
int runtime_file_read(const struct runtime_directory *directory, const char *name, char **text);

/**
 * Removes what runs that were killed in runtime_file_replace() have left: for a run that has the
 * lock, and holds the directory. Of files that @locked marks as written under the lock alone that
 * is all, of others what is older than a minute and of no process that there is. The latter goes,
 * too, when the file is replaced without the lock.
 */
void runtime_directory_clean(const struct runtime_directory *directory,
			     bool (*locked)(const char *name));

/** Whether a file could not be read for a reason that the next run need not find: want of memory or
 * descriptors. */
bool runtime_file_is_shortage(int error);

/** Puts @text into the place of the file as a whole. Returns 0 or a negative errno. */
int runtime_file_replace(const struct runtime_directory *directory, const char *name,
			 const char *text);

/**
 * Puts @text into the file that is there, over what it holds: no space for another file is needed.
 * Returns 0; -ENOSPC, and the file is as it was; or another negative errno, where it may hold
 * anything.
 */
int runtime_file_overwrite(const struct runtime_directory *directory, const char *name,
			   const char *text);

/** Creates the file to append to it; only its owner may open it. Returns a descriptor, -EEXIST or
 * another negative errno. */
int runtime_file_create(const struct runtime_directory *directory, const char *name);

/** Opens the file to append to it, creating it where it is missing; only its owner may open it.
 * Returns a descriptor or a negative errno. */
int runtime_file_append(const struct runtime_directory *directory, const char *name);

/**
 * Adds @text to the end of a file that was opened to append to it, as a whole or not at all.
 * Returns 0 or a negative errno.
 */
int runtime_file_write(const struct runtime_directory *directory, int descriptor, const char *text);

/** Gives a file the name of another one, which it replaces. Returns 0 or a negative errno. */
int runtime_file_rename(const struct runtime_directory *directory, const char *from,
			const char *to);

/** Removes the file; a missing one is no error. Returns 0 or a negative errno. */
int runtime_file_remove(const struct runtime_directory *directory, const char *name);

/**
 * Empties the file, then removes it. Returns 0 also where it could only be emptied: nothing is to
 * come of it any more.
 */
int runtime_file_discard(const struct runtime_directory *directory, const char *name);

#endif
