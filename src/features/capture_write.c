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

static int refuse_directory(const struct capture *capture, int error)
{
	int result = -EIO;

	if (error == -ENOMEM)
		return error;
	if (error == -EACCES || error == -EPERM || error == -EROFS)
		result = -EPERM;
	else if (error == -ENOENT || error == -ENOTDIR || error == -EEXIST || error == -ELOOP ||
		 error == -ENAMETOOLONG || error == -ENOTEMPTY)
		result = -EINVAL;
	return message_error(&capture->context->messages, result,
			     "cannot write to %s: %s; it must be a new or empty directory",
			     capture->directory, strerror(-error));
}

/** A link in the place of the directory is not followed. Returns a descriptor or -errno. */
static int open_empty(const char *name)
{
	char *path = strdup(name);
	size_t length = path ? strlen(path) : 0;
	int directory, copy, error = 0;
	DIR *stream = NULL;

	if (!path)
		return -ENOMEM;
	/* With a slash behind it a link would be followed. */
	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (directory < 0)
		return -errno;
	copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	stream = copy < 0 ? NULL : fdopendir(copy);
	if (!stream)
		error = -errno;
	if (!stream && copy >= 0)
		close(copy);
	/* Captures do not mix. */
	for (struct dirent *entry; stream && (entry = readdir(stream));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = -ENOTEMPTY;
	if (stream)
		closedir(stream);
	if (error)
		close(directory);
	return error ? error : directory;
}

int capture_open_directory(struct capture *capture)
{
	capture->descriptor = open_empty(capture->directory);
	/* One that is missing is made once all has been read. */
	return capture->descriptor >= 0 || capture->descriptor == -ENOENT
		       ? 0
		       : refuse_directory(capture, capture->descriptor);
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

/** Removes a file, with the directories that it leaves empty. @flags is AT_REMOVEDIR where the file
 * is none of ours. */
static void remove_file(int directory, const char *path, int flags)
{
	char *copy = strdup(path), *end = copy;

	for (bool is_file = true; end; is_file = false, flags = AT_REMOVEDIR) {
		const char *name;
		int parent = open_parent(directory, copy, false, &name);
		bool removed = parent >= 0 && unlinkat(parent, name, flags) == 0;

		if (parent >= 0)
			close(parent);
		end = removed || is_file ? strrchr(copy, '/') : NULL;
		if (end)
			*end = '\0';
	}
	free(copy);
}

int capture_write(struct capture *capture)
{
	bool made = capture->descriptor < 0;
	size_t written = 0;
	int error = 0;

	if (made) {
		capture->descriptor = mkdir(capture->directory, 0777)
					      ? -errno
					      : open_empty(capture->directory);
		if (capture->descriptor < 0)
			return refuse_directory(capture, capture->descriptor);
	}
	while (written < capture->file_count && !error) {
		error = write_file(capture, &capture->files[written]);
		if (!error)
			written++;
	}
	for (size_t i = 0; error && i <= written; i++)
		remove_file(capture->descriptor, capture->files[i].path,
			    i < written ? 0 : AT_REMOVEDIR);
	if (error && made)
		rmdir(capture->directory);
	return error;
}
