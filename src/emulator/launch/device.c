/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: requests to the driver, whose structures are copied from and to the memory of the
 * program as the driver copies them, since there may be none at the address; and its lock. */
#include "emulator/launch/launch.h"

#include "driver/abi.h"
#include "emulator/model/task.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- What is read of a program ---- */

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

int caller_duplicate(pid_t caller, int descriptor)
{
	char process[TASK_FIELD];
	int pidfd = -1, file;

	if (read_task_field(caller, "Tgid:", process) == 0)
		pidfd = (int)syscall(SYS_pidfd_open, (pid_t)strtol(process, NULL, 10), 0);
	file = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, descriptor, 0);
	if (pidfd >= 0)
		close(pidfd);
	return file;
}

/** By its path: the node is one that the system has for another device. */
bool device_is(pid_t caller, int descriptor)
{
	char path[50], link[sizeof(ABI_DEVICE_PATH)];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", caller, descriptor);
	return readlink(path, link, sizeof(link)) == (ssize_t)sizeof(ABI_DEVICE_PATH) - 1 &&
	       memcmp(link, ABI_DEVICE_PATH, sizeof(ABI_DEVICE_PATH) - 1) == 0;
}

/* ---- Requests ---- */

struct request {
	pid_t caller;
	struct request_layout layout;
	uint64_t argument;   /* of the program */
	char *copy, *before; /* of all that can be read */
	size_t count;	     /* entries that the program wants */
	size_t readable;     /* entries that it has */
};

static int opened = -1; /* the machine's device, once for all programs */

int device_open(const struct launch *launch)
{
	int descriptor = emulated_device.open(launch->emulated);

	if (descriptor < 0)
		return descriptor;
	if (opened >= 0)
		emulated_device.close(launch->emulated, opened);
	opened = descriptor;
	return 0;
}

/** Returns what the driver returns. */
static int send_request(const struct launch *launch, unsigned int code, void *argument)
{
	int result = opened < 0 ? device_open(launch) : 0;

	return result ? result : emulated_device.ioctl(launch->emulated, opened, code, argument);
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
	while (request->readable < request->count &&
	       caller_read(request->caller,
			   request->argument + place_of(request, request->readable),
			   request->copy + place_of(request, request->readable), layout->entry))
		request->readable++;
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

	if (!layout->entry && !copy_back(request, 0, layout->head))
		return layout->fault;
	for (size_t i = 0; i < request->readable; i++)
		if (!copy_back(request, place_of(request, i), layout->entry))
			return i > 0 && !layout->all_or_error ? (int)i : layout->fault;
	return layout->all_or_error && !result && request->readable < request->count ? layout->fault
										     : result;
}

/** The machine's kernel crashes at a request: its caller ends, as by an oops. */
static void crash(const char *text)
{
	int errors = caller_duplicate(faults_caller(), STDERR_FILENO);

	if (errors >= 0) {
		(void)!write(errors, text, strlen(text));
		close(errors);
	}
	kill(faults_caller(), SIGABRT);
}

int device_request(const struct launch *launch, pid_t caller, unsigned int code, uint64_t argument)
{
	struct request request = { .caller = caller, .argument = argument };
	int result = -ENOMEM;
	size_t size;

	faults_set_caller(caller);
	launch->emulated->server.crash = crash;
	if (!driver_layout(&launch->emulated->server, code, &request.layout))
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

/* ---- The lock: of what was opened, until all descriptors of that are closed ---- */

struct holder {
	int file;  /* a duplicate of what was opened */
	int outer; /* the file that programs outside lock, which excludes all others */
	/* Where a descriptor of it was seen last */
	pid_t process;
	int descriptor;
};

static struct holder *holders;
static size_t holder_count;

/** Whether a descriptor of a process is one of ours. */
static bool is_same(pid_t process, int descriptor, int own)
{
	enum { FILES = 0 };

	return syscall(SYS_kcmp, process, getpid(), FILES, descriptor, own) == 0;
}

/** Whether a process has it open, other than this one. Children inherit descriptors. */
static bool is_open(struct holder *holder)
{
	bool found = is_same(holder->process, holder->descriptor, holder->file);
	glob_t all = { 0 };

	if (!found)
		glob("/proc/[1-9]*/fd/*", GLOB_NOSORT, NULL, &all);
	for (size_t i = 0; i < all.gl_pathc && !found; i++) {
		holder->process = (pid_t)strtol(all.gl_pathv[i] + strlen("/proc/"), NULL, 10);
		holder->descriptor = (int)strtol(strrchr(all.gl_pathv[i], '/') + 1, NULL, 10);
		found = holder->process != getpid() &&
			is_same(holder->process, holder->descriptor, holder->file);
	}
	globfree(&all);
	return found;
}

static void remove_holder(struct holder *holder)
{
	close(holder->file);
	close(holder->outer);
	*holder = holders[--holder_count];
}

static struct holder *add_holder(const struct launch *launch, pid_t caller, int descriptor)
{
	struct holder *more = reallocarray(holders, holder_count + 1, sizeof(*more));
	char path[PATH_MAX];

	if (!more)
		return NULL;
	holders = more;
	snprintf(path, sizeof(path), "%s/device", launch->state);
	more[holder_count] = (struct holder){ .file = caller_duplicate(caller, descriptor),
					      .outer = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW),
					      .process = caller,
					      .descriptor = descriptor };
	return &more[holder_count++];
}

int device_lock(const struct launch *launch, pid_t caller, int descriptor, int operation)
{
	const bool release = (operation & ~LOCK_NB) == LOCK_UN;
	struct holder *own = NULL;
	bool held;
	int result;

	device_check_lock();
	for (size_t i = 0; i < holder_count; i++)
		if (is_same(caller, descriptor, holders[i].file))
			own = &holders[i];
	held = own;
	if (!own && !release)
		own = add_holder(launch, caller, descriptor);
	if (!own)
		return release ? 0 : -ENOMEM;
	/* Where the state was removed no process outside has it any more. */
	result = own->outer < 0 || flock(own->outer, operation | LOCK_NB) == 0 ? 0 : -errno;
	if (release || (result && !held))
		remove_holder(own);
	return result;
}

bool device_check_lock(void)
{
	for (size_t i = holder_count; i-- > 0;)
		if (!is_open(&holders[i]))
			remove_holder(&holders[i]);
	return holder_count > 0;
}
