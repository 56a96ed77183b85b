/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "../process/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STANDARD_INPUT "standard input"

/* A state of the largest machine takes less: what is larger is another file. */
enum { LARGEST = 4 << 20, CHUNK = 64 << 10 };

struct text {
	char *bytes;
	size_t size;
};

static int read_all(int descriptor, struct text *text)
{
	for (;;) {
		char *bytes = realloc(text->bytes, text->size + CHUNK);
		ssize_t count;

		if (!bytes)
			return -ENOMEM;
		text->bytes = bytes;
		do
			count = read(descriptor, bytes + text->size, CHUNK);
		while (count < 0 && errno == EINTR);
		if (count <= 0)
			return count < 0 ? -errno : 0;
		text->size += (size_t)count;
		if (text->size > LARGEST)
			return -EFBIG;
	}
}

/** The file is the caller's choice: it is opened with the caller's rights. */
static int read_as_caller(const char *path, struct text *text)
{
	int error = privileges_as_caller(), descriptor;

	if (!error) {
		descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		error = descriptor < 0 ? -errno : read_all(descriptor, text);
		if (descriptor >= 0)
			close(descriptor);
	}
	return privileges_again(error);
}

static bool is_standard_input(const char *file)
{
	return strcmp(file, "-") == 0;
}

static void report_unreadable(struct run *run, const char *file, int error)
{
	bool permission = error == -EACCES || error == -EPERM;
	/* Statements are several words, which few files have in their names. */
	bool statement = error == -ENOENT && strchr(file, ' ');
	/* Its second word is taken for a file. */
	bool unquoted = error == -ENOENT && !statement && request_has(run->request, OPTION_SET);

	if (is_standard_input(file) && error == -EBADF) {
		run_error(run, STATUS_USAGE,
			  "cannot read the configuration: standard input is closed");
		return;
	}
	if (is_standard_input(file))
		file = "from " STANDARD_INPUT;
	run_error(
		run, permission ? STATUS_NOT_PERMITTED : STATUS_USAGE,
		"cannot read the configuration %s: %s%s%s%s%s", *file ? file : "''",
		strerror(-error), statement ? "; did you mean --set '" : "", statement ? file : "",
		statement ? "'?" : "",
		unquoted ? "; quote the statement of --set as one argument, such as 'turbo-freq on'"
			 : "");
}

static bool add_file(struct run *run, const char *file)
{
	const char *name = is_standard_input(file) ? STANDARD_INPUT : file;
	struct text text = { 0 };
	int error = is_standard_input(file) ? read_all(STDIN_FILENO, &text)
					    : read_as_caller(file, &text);

	if (error)
		report_unreadable(run, file, error);
	else
		error = config_call(run, run->config,
				    isst_config_add_text(run->config, name, text.bytes, text.size,
							 ISST_CONFIG_ADD_FILE));
	free(text.bytes);
	return error == 0;
}

static bool add_statement(struct run *run, const char *statement)
{
	char *name;
	int error;

	if (asprintf(&name, "--set '%s'", statement) < 0) {
		run_no_memory(run);
		return false;
	}
	error = config_call(
		run, run->config,
		isst_config_add_text(run->config, name, statement, strlen(statement), 0));
	free(name);
	return error == 0;
}

bool config_source_read(struct run *run)
{
	const struct request *request = run->request;
	const char *file = request_config_file(request);
	bool right = true;

	if (!(request->command->flags & COMMAND_CONFIG) && !file)
		return true;
	run->config = isst_config_new();
	if (!run->config) {
		run_no_memory(run);
		return false;
	}
	if (file)
		right = add_file(run, file);
	for (size_t i = 0; i < request->options.text_count; i++)
		right = add_statement(run, request->options.texts[i]) && right;
	return right;
}
