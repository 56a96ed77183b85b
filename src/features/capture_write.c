/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a capture is written: a new or empty directory, all or nothing, below one descriptor. No
 * link is followed: another user may put some there while root captures. */
#include "base/array.h"
#include "features/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files to keep ---- */

int capture_keep_text(struct capture *capture, struct memory_stream *text, const char *path,
		      int error)
{
	if (error)
		memory_stream_drop(text);
	else
		error = memory_stream_close(text);
	return error ? error : capture_keep(capture, path, text->text);
}

int capture_keep(struct capture *capture, const char *path, char *content)
{
	char *copy = strdup(path);

	if (!copy || ARRAY_GROW(capture->files, capture->file_count)) {
		free(copy);
		free(content);
		return -ENOMEM;
	}
	capture->files[capture->file_count].path = copy;
	capture->files[capture->file_count++].content = content;
	return 0;
}

/* ---- The directory ---- */

static int refuse_directory(const struct capture *capture, int error, const char *what)
{
	return message_error(&capture->context->messages, error,
			     "cannot write to %s: %s; it must be a new or empty directory",
			     capture->directory, what);
}

static int directory_error(const struct capture *capture, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
	case EROFS:
		return refuse_directory(capture, -EPERM, strerror(error));
	case ENOENT:
	case ENOTDIR:
	case EEXIST:
	case ELOOP:
	case ENAMETOOLONG:
		return refuse_directory(capture, -EINVAL, strerror(error));
	default:
		return refuse_directory(capture, -EIO, strerror(error));
	}
}

/** A link in the place of the directory is not followed. Returns a descriptor or -errno. */
static int open_directory(const struct capture *capture)
{
	char *path = strdup(capture->directory);
	size_t length = path ? strlen(path) : 0;
	int directory;

	if (!path)
		return -ENOMEM;
	/* With a slash behind it a link would be followed. */
	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		directory = -errno;
	free(path);
	return directory;
}

/** Captures do not mix. */
static int check_empty(const struct capture *capture, int directory)
{
	int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int error = 0;

	if (!stream) {
		error = directory_error(capture, errno);
		if (copy >= 0)
			close(copy);
		return error;
	}
	while (!error && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = refuse_directory(capture, -EINVAL, "it is not empty");
	closedir(stream);
	return error;
}

int capture_open_directory(struct capture *capture)
{
	int directory = open_directory(capture);

	capture->descriptor = -1;
	if (directory == -ENOENT)
		return 0; /* to be made once all has been read */
	if (directory == -ENOMEM)
		return directory;
	if (directory < 0)
		return directory_error(capture, -directory);
	capture->descriptor = directory;
	return check_empty(capture, directory);
}

void capture_close_directory(struct capture *capture)
{
	if (capture->descriptor >= 0)
		close(capture->descriptor);
	capture->descriptor = -1;
}

static int make_directory(struct capture *capture)
{
	struct stat status;
	int directory, error;

	if (mkdir(capture->directory, 0777))
		return directory_error(capture, errno);
	directory = open_directory(capture);
	if (directory < 0)
		return directory == -ENOMEM ? directory : directory_error(capture, -directory);
	/* What another user has put there since it was missing is not what was made here. */
	if (fstat(directory, &status))
		error = directory_error(capture, errno);
	else if (status.st_uid != geteuid())
		error = refuse_directory(capture, -EPERM,
					 "another user created it in the meantime");
	else
		error = check_empty(capture, directory);
	if (error)
		close(directory);
	else
		capture->descriptor = directory;
	return error;
}

/* ---- Files below it ---- */

/** Opens the directory that a path ends in, below @directory; *@name is the last part of the path.
 * With @make directories are made where they are missing. Returns a descriptor or -errno. */
static int open_parent(int directory, const char *path, bool make, const char **name)
{
	int at = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = at < 0 ? -errno : 0;
	const char *slash;

	for (; !error && (slash = strchr(path, '/')); path = slash + 1) {
		char *part = strndup(path, (size_t)(slash - path));
		int below = -1;

		if (!part)
			error = -ENOMEM;
		else if (make && mkdirat(at, part, 0777) && errno != EEXIST)
			error = -errno;
		if (!error)
			below = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (!error && below < 0)
			error = -errno;
		free(part);
		close(at);
		at = below;
	}
	*name = path;
	return error ? error : at;
}

static int write_all(int file, const char *content)
{
	size_t size = strlen(content), done = 0;

	while (done < size) {
		ssize_t length = write(file, content + done, size - done);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		done += (size_t)length;
	}
	return 0;
}

static int write_file(const struct capture *capture, const struct capture_file *file)
{
	const char *name;
	int parent = open_parent(capture->descriptor, file->path, true, &name), descriptor, error;

	if (parent >= 0) {
		descriptor = openat(parent, name,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		error = descriptor < 0 ? -errno : write_all(descriptor, file->content);
		if (descriptor >= 0 && close(descriptor) && !error)
			error = -errno;
		if (descriptor >= 0 && error)
			unlinkat(parent, name, 0);
		close(parent);
	} else {
		error = parent;
	}
	if (!error || error == -ENOMEM)
		return error;
	return message_error(&capture->context->messages, -EIO, "cannot write %s/%s: %s",
			     capture->directory, file->path, strerror(-error));
}

/* ---- Taking away what was written before something failed ---- */

/** Removes a file, or an empty directory; one that is not there is none of ours. */
static bool remove_below(int directory, const char *path, int flags)
{
	const char *name;
	int parent = open_parent(directory, path, false, &name);
	bool removed;

	if (parent < 0)
		return false;
	removed = unlinkat(parent, name, flags) == 0;
	close(parent);
	return removed;
}

static void remove_parents(int directory, const char *path)
{
	char *copy = strdup(path);

	for (char *slash = copy ? strrchr(copy, '/') : NULL; slash; slash = strrchr(copy, '/')) {
		*slash = '\0';
		if (!remove_below(directory, copy, AT_REMOVEDIR))
			break;
	}
	free(copy);
}

int capture_write(struct capture *capture)
{
	bool made = capture->descriptor < 0;
	int error = made ? make_directory(capture) : 0;
	size_t written = 0;

	if (error)
		return error;
	while (written < capture->file_count && !error) {
		error = write_file(capture, &capture->files[written]);
		if (!error)
			written++;
	}
	if (!error)
		return 0;
	for (size_t i = 0; i < written; i++)
		remove_below(capture->descriptor, capture->files[i].path, 0);
	/* With the directories of the file that could not be written. */
	for (size_t i = 0; i <= written && i < capture->file_count; i++)
		remove_parents(capture->descriptor, capture->files[i].path);
	if (made)
		rmdir(capture->directory);
	return error;
}
