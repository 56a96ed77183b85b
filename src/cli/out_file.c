/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the file of --out with the rights of the caller. */
#include "out_file.h"

#include "process/privileges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One of the two ways to open the file of --out. */
typedef int (*file_opener)(struct output *output, const char *path);

/** The file is the caller's choice: it is opened with the caller's rights. Returns 0 or a negative
 * errno. */
static int open_as_caller(struct output *output, const char *path, file_opener opener)
{
	struct privileges_aside aside;
	int error = privileges_as_caller(&aside), again;

	if (!error)
		error = opener(output, path);
	again = privileges_again(&aside);
	return error ? error : again;
}

static int open_file(const struct request *request, struct output *output, file_opener opener)
{
	const char *path = request_text(request, OPTION_OUT);

	return path ? open_as_caller(output, path, opener) : 0;
}

enum exit_status out_file_refuse(const struct request *request, struct output *output, int error)
{
	enum exit_status status;
	char *problem;

	if (!error)
		return STATUS_DONE;
	if (asprintf(&problem, "invalid value '%s' for option --out: cannot create it: %s",
		     request_text(request, OPTION_OUT), strerror(-error)) < 0)
		problem = NULL;
	status = output_usage_error(output, problem);
	if (status == STATUS_USAGE && (error == -EACCES || error == -EPERM))
		status = STATUS_NOT_PERMITTED;
	free(problem);
	return status;
}

enum exit_status out_file_wait_for_reader(const struct request *request, struct output *output)
{
	return out_file_refuse(request, output, open_file(request, output, output_wait_for_reader));
}

int out_file_create(const struct request *request, struct output *output)
{
	return open_file(request, output, output_open);
}

enum exit_status out_file_open(const struct request *request, struct output *output)
{
	enum exit_status status = out_file_wait_for_reader(request, output);

	return status == STATUS_DONE
		       ? out_file_refuse(request, output, out_file_create(request, output))
		       : status;
}
