/* SPDX-License-Identifier: BSD-3-Clause */
/* TPMI registers in a capture, as debugfs prints them. What they mean is not known here. */
#include "base/capture_format.h"
#include "base/machine.h"
#include "features/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char debug_directory[] = "/" CAPTURE_DEBUGFS;

static int missing_registers(struct capture *capture, const char *what)
{
	return message_error(&capture->context->messages, -EIO,
			     "%s: %s: the registers are read from debugfs, which must be mounted "
			     "there and which only root may read",
			     debug_directory, what);
}

/** Keeps a file of debugfs. Returns -ENOENT where there is none. */
static int capture_debug_file(struct capture *capture, const char *device, const char *name)
{
	char *path, *text, *whole = NULL;
	int error;

	if (asprintf(&path, "%s/%s/%s", debug_directory, device, name) < 0)
		return -ENOMEM;
	error = kernel_files_text(&capture->context->files, path, &text);
	/* Reading takes the line end of the last line off. */
	if (!error) {
		error = asprintf(&whole, "%s\n", text) < 0 ? -ENOMEM : 0;
		free(text);
	}
	if (!error)
		error = capture_keep(capture, path + 1, whole);
	free(path);
	return error;
}

static int capture_device(struct capture *capture, const char *device)
{
	int error = capture_debug_file(capture, device, CAPTURE_REGISTERS);

	if (error == -ENOENT)
		return missing_registers(capture, "a TPMI device has no " CAPTURE_REGISTERS);
	if (error)
		return error;
	error = capture_debug_file(capture, device, CAPTURE_FEATURES);
	return error == -ENOENT ? 0 : error;
}

int capture_registers(struct capture *capture)
{
	struct isst_machine *machine = capture->context->machine;
	char **names;
	size_t count = 0, found = 0;
	int error;

	if (!capture_is_tpmi(capture))
		return 0;
	error = machine->files->list(machine->data, debug_directory, &names, &count);
	if (error)
		return error == -ENOMEM ? error : missing_registers(capture, strerror(-error));
	for (size_t i = 0; i < count; i++) {
		if (!error && strncmp(names[i], CAPTURE_DEVICE, strlen(CAPTURE_DEVICE)) == 0) {
			error = capture_device(capture, names[i]);
			found++;
		}
		free(names[i]);
	}
	free(names);
	if (!error && found == 0)
		error = missing_registers(capture, "it contains no directory of a TPMI device");
	return error;
}
