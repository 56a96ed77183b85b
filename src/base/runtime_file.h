/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of the runtime directory, which is made for the first one. They are written to the
 * machine: only files of root or the caller are trusted, which no other user may write. */
#ifndef ISST_BASE_RUNTIME_FILE_H
#define ISST_BASE_RUNTIME_FILE_H

#include <errno.h>
#include <stdbool.h>

/*
 * The functions return 0 or a negative errno, besides those of system calls:
 * -EPERM: file or directory belong to another user, or others may write them; or the directory is
 * missing, and the one above is not the caller's;
 * -EBADF: no regular file; -ELOOP: file or directory is a symbolic link; -EOVERFLOW: larger than
 * any file of this program; -EFBIG: the limit of file sizes, without its signal.
 */

/** Explains such an error, at the end of a message about the file. */
const char *runtime_file_strerror(int error);

/** What public functions return for it: -EIO but for what the caller can do something about. */
int runtime_file_result(int error);

/** The directory; unless held it is opened and checked for each file. */
struct runtime_directory {
	const char *path;
	bool held;
	int descriptor; /* this and the next: while held */
	bool unlimited; /* there is no limit of file sizes */
};

/** Opens the directory, making it if missing, and keeps it open: for a run that has the lock. */
int runtime_directory_hold(struct runtime_directory *directory);
void runtime_directory_release(struct runtime_directory *directory);

/** Whether there is certainly no such file, by one system call. */
bool runtime_file_is_missing(const struct runtime_directory *directory, const char *name);

/** Reads the whole file; to be freed, also with -EBADMSG: the text ends at a NUL byte. */
int file_read_text(int descriptor, char **text);
int runtime_file_read(const struct runtime_directory *directory, const char *name, char **text);

/** Whether an error is a shortage of memory or descriptors, which the next run need not have. */
static inline bool runtime_file_is_shortage(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/** Replaces the file atomically. */
int runtime_file_replace(const struct runtime_directory *directory, const char *name,
			 const char *text);

/** Opens a file to append to, a new one (@is_new, or -EEXIST), or one that may be missing; new ones
 * only their owner may open. Returns a descriptor. */
int runtime_file_append(const struct runtime_directory *directory, const char *name, bool is_new);

/** Appends @text as a whole or not at all. */
int runtime_file_write(const struct runtime_directory *directory, int descriptor, const char *text);

/** Renames a file, replacing another. */
int runtime_file_rename(const struct runtime_directory *directory, const char *from,
			const char *to);

/** Removes the file, if it exists. */
int runtime_file_remove(const struct runtime_directory *directory, const char *name);

/** Empties the file, then removes it. Emptying suffices: it must not have an effect any more. */
int runtime_file_discard(const struct runtime_directory *directory, const char *name);

#endif
