/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: requests to the driver, whose structures are copied from and to the memory of the
 * program as the driver copies them, since there may be none at the address; and its lock. */
#include "emulator/launch/launch.h"

#include "emulator/front/launch_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- The program's memory ---- */

bool caller_read(pid_t caller, uint64_t address, void *to, size_t size)
{
	const struct iovec here = { to, size }, there = { pointer_of(address), size };

	return process_vm_readv(caller, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool caller_write(pid_t caller, uint64_t address, const void *from, size_t size)
{
	/* It is only read. */
	const struct iovec here = { (void *)from, size }, there = { pointer_of(address), size };

	return process_vm_writev(caller, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool device_is(const struct launch *launch, pid_t caller, int descriptor)
{
	struct stat own, other;
	char path[50];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", caller, descriptor);
	return launch->device >= 0 && fstat(launch->device, &own) == 0 && stat(path, &other) == 0 &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* ---- Requests ---- */

struct request {
	pid_t caller;
	unsigned int code;
	struct request_layout layout;
	uint64_t argument;   /* of the program */
	char *copy, *before; /* of all that can be read */
	size_t count;	     /* entries that the program wants */
	size_t readable;     /* entries that it has */
};

/** Returns what the driver returns. */
static int send_request(const struct launch *launch, unsigned int code, void *argument)
{
	static int descriptor = -1;
	const struct isst_machine *machine = launch->machine;

	if (descriptor < 0)
		descriptor = machine->device->open(machine->data);
	return descriptor < 0 ? descriptor
			      : machine->device->ioctl(machine->data, descriptor, code, argument);
}

static size_t place_of(const struct request *request, size_t entry)
{
	return request->layout.head + entry * request->layout.entry;
}

/** Copies as much as can be read. Returns false where that is nothing. */
static bool copy_in(struct request *request)
{
	const struct request_layout *layout = &request->layout;

	if (!caller_read(request->caller, request->argument, request->copy, layout->head))
		return false;
	/* Little-endian, as all that has the driver. */
	if (layout->entry)
		memcpy(&request->count, request->copy, layout->count_bytes);
	/* Then the driver refuses it as a whole. */
	if (request->count > layout->most)
		request->count = 0;
	/* All at once where they can be read, which is almost always. */
	if (request->count &&
	    caller_read(request->caller, request->argument + layout->head,
			request->copy + layout->head, request->count * layout->entry))
		request->readable = request->count;
	while (request->readable < request->count) {
		size_t place = place_of(request, request->readable);

		if (!caller_read(request->caller, request->argument + place, request->copy + place,
				 layout->entry))
			break;
		request->readable++;
	}
	if (request->readable < request->count)
		memcpy(request->copy, &request->readable, layout->count_bytes);
	return request->readable > 0 || request->count == 0;
}

/** One part, if the driver has changed it. */
static bool copy_back(const struct request *request, size_t place, size_t size)
{
	return memcmp(request->copy + place, request->before + place, size) == 0 ||
	       caller_write(request->caller, request->argument + place, request->copy + place,
			    size);
}

/** Returns what the call returns. @result: what the driver has returned. */
static int copy_out(const struct request *request, int result)
{
	const struct request_layout *layout = &request->layout;
	const size_t entries = request->readable * layout->entry;

	if (!layout->entry && !copy_back(request, 0, layout->head))
		return layout->fault;
	if (!entries || !caller_write(request->caller, request->argument + layout->head,
				      request->copy + layout->head, entries))
		for (size_t i = 0; i < request->readable; i++)
			if (!copy_back(request, place_of(request, i), layout->entry))
				return i > 0 && !layout->all_or_error ? (int)i : layout->fault;
	return layout->all_or_error && !result && request->readable < request->count ? layout->fault
										     : result;
}

int device_request(struct launch *launch, pid_t caller, unsigned int code, uint64_t argument)
{
	struct request request = { .caller = caller, .code = code, .argument = argument };
	int result = -ENOMEM;
	size_t size;

	launch_caller(caller);
	if (!launch_layout(launch->machine, code, &request.layout))
		return send_request(launch, code, pointer_of(argument));
	size = place_of(&request, request.layout.most);
	request.copy = calloc(2, size);
	request.before = request.copy ? request.copy + size : NULL;
	if (request.copy && !copy_in(&request)) {
		result = send_request(launch, code, NULL);
	} else if (request.copy) {
		memcpy(request.before, request.copy, size);
		result = copy_out(&request, send_request(launch, code, request.copy));
	}
	free(request.copy);
	return result;
}

/* ---- The lock ---- */

/* Of programs outside, while one of ours holds or waits for that of the node; -1: not held. */
static int outer = -1;

int device_lock(struct launch *launch, int operation)
{
	char *path;

	if ((operation & ~LOCK_NB) == LOCK_UN)
		return 0;
	if (outer < 0) {
		if (asprintf(&path, "%s/device", launch->state) < 0)
			return -ENOMEM;
		outer = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		free(path);
		/* The state was removed: no process outside has this lock any more. */
		if (outer < 0)
			return 0;
	}
	if (flock(outer, (operation & ~LOCK_NB) | LOCK_NB) == 0)
		return 0;
	return -errno;
}

bool device_check_lock(struct launch *launch)
{
	/* Twice: a call that the kernel was to carry on with may not have come to it yet. */
	static unsigned int free_checks;

	if (outer < 0)
		return false;
	if (flock(launch->device, LOCK_EX | LOCK_NB)) {
		free_checks = 0;
		return true;
	}
	flock(launch->device, LOCK_UN);
	if (++free_checks < 2)
		return true;
	free_checks = 0;
	close(outer);
	outer = -1;
	return false;
}
