/* SPDX-License-Identifier: BSD-3-Clause */
/* Typed readers of the kernel's files. */
#include "sysfs/kernel_files.h"
#include "base/machine.h"
#include "base/messages.h"
#include "common/number.h"
#include "isst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kernel_files_path(struct kernel_files *files, const char *format, ...)
{
	char *former = files->path;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&files->path, format, arguments) < 0)
		files->path = NULL;
	va_end(arguments);
	free(former);
	return files->path;
}

/** Sets the message of an error other than -ENOENT. */
static int explain(struct kernel_files *files, int error, const char *path, const char *verb)
{
	switch (error) {
	case -ENOENT:
		return error;
	case -EACCES:
	case -EPERM:
		message_error(files->messages, error, "%s may not be %s: %s", path, verb,
			      strerror(-error));
		return -EPERM;
	default:
		message_error(files->messages, error, "%s cannot be %s: %s", path, verb,
			      strerror(-error));
		return error == -EMFILE || error == -ENFILE ? error : -EIO;
	}
}

/** The same for reads, where -ENOMEM may be the kernel's or our own. */
static int explain_read(struct kernel_files *files, int error, const char *path, const char *verb)
{
	int meaning = explain(files, error, path, verb);

	return error == -ENOMEM ? error : meaning;
}

int kernel_files_text(struct kernel_files *files, const char *path, char **text)
{
	struct isst_machine *machine = files->machine;
	size_t size;
	int error;

	if (!path)
		return -ENOMEM;
	error = machine->files->read(machine->data, path, text, &size);
	files->opened++;
	files->answer = error;
	if (error)
		return explain_read(files, error, path, "read");
	if (strlen(*text) != size) {
		free(*text);
		*text = NULL;
		message_error(files->messages, -EIO,
			      "%s: contains a NUL byte, so it is not a "
			      "text file",
			      path);
		return -EIO;
	}
	while (size > 0 && strchr(" \t\r\n", (*text)[size - 1]))
		(*text)[--size] = '\0';
	return 0;
}

int kernel_files_boot_id(struct kernel_files *files, const char **boot_id)
{
	char *text;
	int error = files->boot_id ? 0 : kernel_files_text(files, BOOT_ID_FILE, &text);

	if (!error && !files->boot_id) {
		if (*text)
			files->boot_id = text;
		else
			free(text);
	}
	*boot_id = error ? NULL : files->boot_id;
	return error || files->boot_id ? error : -ENOENT;
}

void kernel_files_forget(struct kernel_files *files)
{
	free(files->path);
	files->path = NULL;
	free(files->boot_id);
	files->boot_id = NULL;
	isst_cpuset_free(files->online);
	files->online = NULL;
	isst_cpuset_free(files->undisturbed);
	files->undisturbed = NULL;
}

int kernel_files_number(struct kernel_files *files, const char *path, uint64_t max,
			uint64_t *number)
{
	char *text;
	int error = kernel_files_text(files, path, &text);

	if (error)
		return error;
	if (number_parse(text, 10, max, number))
		error = message_error(files->messages, -EIO,
				      "%s: " CONTENT " is not a number from 0 to %llu", path,
				      CONTENT_OF(text), (unsigned long long)max);
	free(text);
	return error;
}

int kernel_files_cpulist(struct kernel_files *files, const char *path, struct isst_cpuset *set)
{
	char *text;
	int error = kernel_files_text(files, path, &text);

	if (error)
		return error;
	error = isst_cpuset_add_list(set, text, NULL);
	if (error == -ERANGE)
		error = message_error(files->messages, -EIO,
				      "%s: " CONTENT " contains a CPU number above the highest "
				      "possible one, %u",
				      path, CONTENT_OF(text), ISST_CPU_NUMBER_LIMIT - 1);
	else if (error == -EINVAL)
		error = message_error(files->messages, -EIO,
				      "%s: " CONTENT " is not a list of CPUs", path,
				      CONTENT_OF(text));
	free(text);
	return error;
}

int kernel_files_list(struct kernel_files *files, const char *path, char ***names, size_t *count)
{
	struct isst_machine *machine = files->machine;
	int error;

	if (!path)
		return -ENOMEM;
	error = machine->files->list(machine->data, path, names, count);
	files->answer = error;
	if (!error)
		return 0;
	/* A machine may leave freed pointers. */
	*names = NULL;
	*count = 0;
	return explain_read(files, error, path, "listed");
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

int kernel_files_each(struct kernel_files *files, const char *path, const char *begin,
		      int (*visit)(void *data, const char *name), void *data)
{
	char **names;
	size_t count;
	int error = kernel_files_list(files, path, &names, &count);

	if (error)
		return error;
	if (count > 1)
		qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++) {
		if (!error && strncmp(names[i], begin, strlen(begin)) == 0)
			error = visit(data, names[i]);
		free(names[i]);
	}
	free(names);
	return error;
}

int kernel_files_new_cpulist(struct kernel_files *files, const char *path, struct isst_cpuset **set)
{
	int error;

	*set = isst_cpuset_new();
	error = *set ? kernel_files_cpulist(files, path, *set) : -ENOMEM;
	if (error != -ENOENT)
		return error;
	return message_error(files->messages, -EIO,
			     "%s is missing, but the kernel should provide it", path);
}

int kernel_files_write(struct kernel_files *files, const char *path, const char *text)
{
	struct isst_machine *machine = files->machine;
	int error;

	if (!path)
		return -ENOMEM;
	error = machine->files->write(machine->data, path, text, strlen(text));
	files->opened++;
	files->answer = error;
	message_trace(files->messages, "write %s: '%s': %d", path, text, error);
	return error ? explain(files, error, path, "written") : 0;
}

int kernel_files_mkdir(struct kernel_files *files, const char *path)
{
	int error = path ? files->machine->files->mkdir(files->machine->data, path) : -ENOMEM;

	if (!path)
		return error;
	return !error || error == -EEXIST ? 0 : explain(files, error, path, "made");
}

int kernel_files_rmdir(struct kernel_files *files, const char *path)
{
	int error = path ? files->machine->files->rmdir(files->machine->data, path) : -ENOMEM;

	if (!path)
		return error;
	return !error || error == -ENOENT ? 0 : explain(files, error, path, "removed");
}

int kernel_files_write_number(struct kernel_files *files, const char *path, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return kernel_files_write(files, path, text);
}
