/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device: requests to the driver. Their structures are copied, as the driver copies them, since
 * the program may have none at the address that it gives.
 */
#include "preload/preload.h"

#include "emulator/front/launch_files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/** The machine's own descriptor of the device, once a process. */
static int device_descriptor(bool again)
{
	static int descriptor = -1;
	int fresh;

	if (descriptor >= 0 && !again)
		return descriptor;
	fresh = preload_machine->device->open(preload_machine->data);
	if (fresh < 0)
		return fail(fresh);
	if (descriptor >= 0)
		preload_machine->device->close(preload_machine->data, descriptor);
	descriptor = fresh;
	return descriptor;
}

int device_open(void)
{
	return device_descriptor(true) < 0 ? -1 : 0;
}

/* ---- Requests ---- */

struct request {
	unsigned int code;
	struct request_layout layout;
	char *argument;	     /* of the program */
	char *copy, *before; /* of all that can be read */
	size_t count;	     /* entries that the program wants */
	size_t readable;     /* entries that it has */
};

/** Returns what the driver returns, a negative errno as well. */
static int send_request(unsigned int code, void *argument)
{
	int descriptor = device_descriptor(false);

	return descriptor < 0 ? -errno
			      : preload_machine->device->ioctl(preload_machine->data, descriptor,
							       code, argument);
}

static size_t place_of(const struct request *request, size_t entry)
{
	return request->layout.head + entry * request->layout.entry;
}

/** Little-endian, as all that has the driver. */
static void set_count(const struct request *request, size_t count)
{
	memcpy(request->copy, &count, request->layout.count_bytes);
}

/** Copies as much as can be read. Returns false where that is nothing. */
static bool copy_in(struct request *request)
{
	size_t entry = request->layout.entry;

	if (user_read(request->argument, request->copy, request->layout.head))
		return false;
	if (entry)
		memcpy(&request->count, request->copy, request->layout.count_bytes);
	/* Then the driver refuses it as a whole. */
	if (request->count > request->layout.most)
		request->count = 0;
	while (request->readable < request->count) {
		size_t place = place_of(request, request->readable);

		if (user_read(request->argument + place, request->copy + place, entry))
			break;
		request->readable++;
	}
	if (request->readable < request->count)
		set_count(request, request->readable);
	return request->readable > 0 || request->count == 0;
}

/** One part, if the driver has changed it. */
static bool copy_back(const struct request *request, size_t place, size_t size)
{
	return memcmp(request->copy + place, request->before + place, size) == 0 ||
	       user_write(request->argument + place, request->copy + place, size) == 0;
}

/** Returns what the call returns. @result: what the driver has returned. */
static int copy_out(const struct request *request, int result)
{
	const struct request_layout *layout = &request->layout;

	if (!layout->entry && !copy_back(request, 0, layout->head))
		return layout->fault;
	for (size_t i = 0; i < request->readable; i++)
		if (!copy_back(request, place_of(request, i), layout->entry))
			return i > 0 && !layout->all_or_error ? (int)i : layout->fault;
	return layout->all_or_error && !result && request->readable < request->count ? layout->fault
										     : result;
}

static int run_copied(struct request *request)
{
	size_t size = place_of(request, request->layout.most);
	int result;

	if (!copy_in(request))
		return send_request(request->code, NULL);
	memcpy(request->before, request->copy, size);
	result = send_request(request->code, request->copy);
	return copy_out(request, result);
}

/** Returns what ioctl(2) returns. */
static int run(unsigned int code, void *argument)
{
	struct request request = { .code = code, .argument = argument };
	int result = -ENOMEM;

	if (!launch_layout(preload_machine, code, &request.layout)) {
		result = send_request(code, argument);
	} else {
		size_t size = place_of(&request, request.layout.most);

		request.copy = calloc(2, size);
		request.before = request.copy ? request.copy + size : NULL;
		if (request.copy)
			result = run_copied(&request);
		free(request.copy);
	}
	return result < 0 ? fail(result) : result;
}

INTERPOSED int ioctl(int descriptor, unsigned long given, ...)
{
	/* As the kernel, which looks at 32 bits: programs that keep it in an int hand on its sign.
	 */
	unsigned int request = (unsigned int)given;
	char emulated[PATH_MAX];
	int result = -1;
	void *argument;
	va_list arguments;

	va_start(arguments, given);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (_IOC_TYPE(request) == ABI_MAGIC && preload_begin()) {
		bool answered = path_of_descriptor(descriptor, emulated) &&
				path_is_device(emulated);

		if (answered)
			result = run(request, argument);
		preload_end(answered);
		if (answered)
			return result;
	}
	return REAL(ioctl)(descriptor, given, argument);
}
