/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures a machine: reads what it tells, on any way to the firmware, and writes it as a recorded
 * machine for the emulator. All is read before anything is written. Nothing of the machine changes.
 */
#include "features/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What is to be written ---- */

int capture_text_open(struct capture_text *text)
{
	*text = (struct capture_text){ 0 };
	text->stream = open_memstream(&text->content, &text->size);
	return text->stream ? 0 : -ENOMEM;
}

void capture_text_drop(struct capture_text *text)
{
	if (text->stream)
		fclose(text->stream);
	free(text->content);
	*text = (struct capture_text){ 0 };
}

int capture_text_keep(struct capture *capture, struct capture_text *text, const char *path)
{
	bool failed = ferror(text->stream);
	char *content;

	failed |= fclose(text->stream) != 0;
	text->stream = NULL;
	content = text->content;
	text->content = NULL;
	if (!failed)
		return capture_keep(capture, path, content);
	free(content);
	return -ENOMEM;
}

int capture_keep(struct capture *capture, const char *path, char *content)
{
	struct capture_file *files = reallocarray(capture->files, capture->file_count + 1,
						  sizeof(*files));
	char *copy = strdup(path);

	if (files)
		capture->files = files;
	if (!files || !copy) {
		free(copy);
		free(content);
		return -ENOMEM;
	}
	files[capture->file_count].path = copy;
	files[capture->file_count++].content = content;
	return 0;
}

/* ---- Where it is written ---- */

static int refuse_directory(const struct capture *capture, int error, const char *what)
{
	return message_error(&capture->context->messages, error,
			     "cannot write to %s: %s; it has to be a new or an empty directory",
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

/** One that is there already must be empty: recordings do not mix. */
static int check_directory(const struct capture *capture)
{
	DIR *stream = opendir(capture->directory);
	struct dirent *entry;
	int error = 0;

	if (!stream)
		return errno == ENOENT ? 0 : directory_error(capture, errno);
	while (!error && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			error = refuse_directory(capture, -EINVAL, "it is not empty");
	closedir(stream);
	return error;
}

/** Opens the directory, made here where it is missing: *@made. Returns a descriptor or -errno. */
static int open_directory(const struct capture *capture, bool *made)
{
	int directory;

	*made = mkdir(capture->directory, 0777) == 0;
	if (!*made && errno != EEXIST)
		return directory_error(capture, errno);
	directory = open(capture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return directory < 0 ? directory_error(capture, errno) : directory;
}

/** Makes the directories above a file; with @remove takes away those that are empty. */
static int walk_parents(int directory, const char *path, bool remove)
{
	char *copy = strdup(path);
	int error = copy ? 0 : -ENOMEM;

	for (char *slash = copy ? strchr(copy, '/') : NULL; slash && !remove && !error;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdirat(directory, copy, 0777) && errno != EEXIST)
			error = -errno;
		*slash = '/';
	}
	for (char *slash = copy && remove ? strrchr(copy, '/') : NULL; slash;
	     slash = strrchr(copy, '/')) {
		*slash = '\0';
		if (unlinkat(directory, copy, AT_REMOVEDIR))
			break;
	}
	free(copy);
	return error;
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

static int write_file(const struct capture *capture, int directory, const struct capture_file *file)
{
	int error = walk_parents(directory, file->path, false), descriptor = -1;

	if (!error) {
		descriptor = openat(directory, file->path,
				    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		error = descriptor < 0 ? -errno : write_all(descriptor, file->content);
	}
	if (descriptor >= 0 && close(descriptor) && !error)
		error = -errno;
	if (!error || error == -ENOMEM)
		return error;
	return message_error(&capture->context->messages, -EIO, "%s/%s cannot be written: %s",
			     capture->directory, file->path, strerror(-error));
}

/** What was written before something failed is taken away again. */
static void remove_files(const struct capture *capture, int directory, size_t count)
{
	for (size_t i = 0; i < count; i++)
		unlinkat(directory, capture->files[i].path, 0);
	for (size_t i = 0; i < count; i++)
		walk_parents(directory, capture->files[i].path, true);
}

static int write_files(const struct capture *capture)
{
	bool made;
	int directory = open_directory(capture, &made), error = 0;

	if (directory < 0)
		return directory;
	for (size_t i = 0; i < capture->file_count && !error; i++) {
		error = write_file(capture, directory, &capture->files[i]);
		if (error)
			remove_files(capture, directory, i + 1);
	}
	close(directory);
	if (error && made)
		rmdir(capture->directory);
	return error;
}

/* ---- The whole ---- */

static int read_machine(struct capture *capture)
{
	static int (*const parts[])(struct capture *) = {
		capture_cpus,	   capture_driver,  capture_kernel_files,
		capture_registers, capture_answers, capture_msrs,
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !error; i++)
		error = parts[i](capture);
	return error;
}

static void clear(struct capture *capture)
{
	for (size_t i = 0; i < capture->file_count; i++) {
		free(capture->files[i].path);
		free(capture->files[i].content);
	}
	free(capture->files);
	isst_cpuset_free(capture->online);
	isst_cpuset_free(capture->present);
	free(capture->cpus);
	free(capture->domain_of);
	free(capture->domains);
	free(capture->maps);
	free(capture->map_errors);
}

int isst_capture(struct isst_context *context, const char *directory)
{
	struct capture capture = { .context = context, .directory = directory };
	int error;

	if (context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine is discovered already; a capture comes first");
	error = check_directory(&capture);
	if (!error)
		error = read_machine(&capture);
	driver_close(&context->driver);
	if (!error)
		error = write_files(&capture);
	clear(&capture);
	return error;
}
