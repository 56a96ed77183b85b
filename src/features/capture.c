/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures a machine: reads its kernel files, driver and firmware, by any firmware interface, and
 * writes the answers into a directory for the emulator. Everything is read before anything is
 * written (capture_write.c). Nothing of the machine changes.
 */
#include "features/capture.h"
#include "base/messages.h"
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>

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

static int write_capture(struct isst_context *context, const char *directory, unsigned int flags)
{
	struct capture capture = { .context = context, .directory = directory };
	int error;

	if (!directory || flags)
		return message_error(&context->messages, -EINVAL, "%s",
				     directory ? "a capture has no flags"
					       : "no directory was given");
	if (context->topology)
		return message_error(&context->messages, -EINVAL,
				     "the machine has already been discovered; capture it before "
				     "the discovery");
	error = capture_open_directory(&capture);
	if (!error)
		error = read_machine(&capture);
	driver_close(&context->driver);
	if (!error)
		error = capture_write(&capture);
	for (size_t i = 0; i < capture.file_count; i++) {
		free(capture.files[i].path);
		free(capture.files[i].content);
	}
	free(capture.files);
	isst_cpuset_free(capture.online);
	isst_cpuset_free(capture.present);
	free(capture.cpus);
	free(capture.domain_of);
	free(capture.domains);
	free(capture.maps);
	free(capture.map_errors);
	capture_close_directory(&capture);
	return error;
}

int isst_capture(struct isst_context *context, const char *directory, unsigned int flags)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, write_capture(context, directory, flags));
}
