/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock that runs which change the machine share, and what a caller needs to be such a run. */
#include "transaction/lock.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "common/descriptor.h"
#include "common/monotonic.h"
#include "isst.h"
#include "topology/context.h"
#include "transaction/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "lock"

enum { LOOK_EVERY_MS = 20 };

int isst_check_privileges(struct isst_context *context)
{
	struct isst_machine *machine;
	const char *before;
	int answer, error = 0;

	if (!context)
		return -EINVAL;
	machine = context->machine;
	before = message_begin(&context->messages);
	answer = machine->capable ? machine->capable(machine->data, CAP_SYS_ADMIN) : 1;
	if (answer < 0)
		error = message_error(&context->messages, -EIO, "cannot read the capabilities: %s",
				      strerror(-answer));
	else if (answer == 0)
		error = message_error(
			&context->messages, -EPERM,
			"not permitted: changing the machine needs CAP_SYS_ADMIN in the initial "
			"user namespace, which the driver asks for");
	return message_end(&context->messages, before, error);
}

/* ---- Who holds it ---- */

/** Opens the lock only to look at it. */
static int open_to_look(const struct isst_context *context)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" FILE_NAME, context->machine->runtime_directory);
	return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

bool lock_is_held(const struct isst_context *context)
{
	int descriptor = open_to_look(context);
	bool held;

	if (descriptor < 0)
		return false;
	held = flock(descriptor, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(descriptor);
	return held;
}

unsigned int lock_holder(const struct isst_context *context)
{
	int descriptor = open_to_look(context);
	unsigned int holder = descriptor >= 0 ? descriptor_lock_holder(descriptor) : 0;

	if (descriptor >= 0)
		close(descriptor);
	return holder;
}

/* ---- Waiting ---- */

static const char *lock_path(struct isst_context *context)
{
	return message_make(&context->messages, "%s/" FILE_NAME,
			    context->machine->runtime_directory);
}

static int busy(struct isst_context *context, unsigned int holder)
{
	const char *path = lock_path(context);
	const char *command = holder ? journal_held_by(context, holder) : NULL;

	if (command)
		return message_error(&context->messages, -EBUSY,
				     "process %u holds a change (%s), and the lock of %s until it "
				     "releases it or rolls it back",
				     holder, command, path);
	if (holder)
		return message_error(
			&context->messages, -EBUSY,
			"another run, process %u, is changing the machine and holds the lock of "
			"%s",
			holder, path);
	return message_error(&context->messages, -EBUSY,
			     "another run is changing the machine and holds the lock of %s", path);
}

int lock_check_free(struct isst_context *context)
{
	return lock_is_held(context) ? busy(context, lock_holder(context)) : 0;
}

static int wait_for(struct isst_context *context, int descriptor, unsigned int timeout_ms)
{
	int64_t deadline_ms = monotonic_ms() + timeout_ms;

	while (flock(descriptor, LOCK_EX | LOCK_NB)) {
		int64_t left_ms;
		struct timespec pause = { 0 };

		if (errno != EWOULDBLOCK && errno != EINTR)
			return message_error(&context->messages, -EIO, "cannot lock %s: %s",
					     lock_path(context), strerror(errno));
		if (context_is_interrupted(context))
			return message_error(&context->messages, -EINTR,
					     "interrupted while waiting for the lock of %s",
					     lock_path(context));
		left_ms = deadline_ms - monotonic_ms();
		if (left_ms <= 0)
			return busy(context, descriptor_lock_holder(descriptor));
		pause.tv_nsec = (left_ms < LOOK_EVERY_MS ? left_ms : LOOK_EVERY_MS) * 1000000L;
		/* A signal may end it early, that does no harm: the clock is read again. */
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* ---- The lock ---- */

static int take(struct isst_context *context, unsigned int timeout_ms)
{
	int error = runtime_directory_hold(&context->runtime);
	int descriptor = error ? error : runtime_file_append(&context->runtime, FILE_NAME, false);

	if (descriptor == -EACCES || descriptor == -EPERM || descriptor == -EROFS)
		return message_error(&context->messages, -EPERM,
				     "not permitted: %s, the lock of runs that change the machine, "
				     "cannot be opened: %s",
				     lock_path(context), runtime_file_strerror(descriptor));
	if (descriptor < 0)
		return message_error(&context->messages, runtime_file_result(descriptor),
				     "cannot open %s: %s", lock_path(context),
				     runtime_file_strerror(descriptor));
	error = wait_for(context, descriptor, timeout_ms);
	if (error) {
		close(descriptor);
		return error;
	}
	context->lock = descriptor;
	context->lock_process = getpid();
	context->stale = context->topology != NULL;
	return 0;
}

static int lock(struct isst_context *context, unsigned int timeout_ms, unsigned int flags)
{
	int error;

	if (flags == ISST_LOCK_CHECK)
		return lock_check_free(context);
	if (flags)
		return message_error(&context->messages, -EINVAL,
				     "the lock does not know the flags %#x", flags);
	if (context->lock >= 0)
		return message_error(&context->messages, -EINVAL, "the lock is held already");
	error = take(context, timeout_ms);
	if (error)
		runtime_directory_release(&context->runtime);
	return error;
}

int isst_lock(struct isst_context *context, unsigned int timeout_ms, unsigned int flags)
{
	const char *before;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	return message_end(&context->messages, before, lock(context, timeout_ms, flags));
}

void lock_release(struct isst_context *context)
{
	/* A child that was forked has a copy of the descriptor: closing would not release the lock
	 * while there is a child, and a child that unlocks would release its parent's. */
	if (context_has_lock(context))
		flock(context->lock, LOCK_UN);
	if (context->lock >= 0)
		close(context->lock);
	context->lock = -1;
	runtime_directory_release(&context->runtime);
}

int lock_check_not_held(struct isst_context *context)
{
	if (!context->held)
		return 0;
	return message_error(&context->messages, -EINVAL,
			     "a change is held: release it or roll it back first");
}

int isst_unlock(struct isst_context *context)
{
	const char *before;
	int error;

	if (!context)
		return -EINVAL;
	before = message_begin(&context->messages);
	if (!context_has_lock(context))
		error = message_error(&context->messages, -EINVAL, "the lock is not held");
	else
		/* Another process would take its journal for that of one that died. */
		error = lock_check_not_held(context);
	if (!error) {
		lock_release(context);
		context->stale = false;
		context->unlocks++;
	}
	return message_end(&context->messages, before, error);
}

int lock_check(struct isst_context *context, unsigned long long unlocks)
{
	if (!context_has_lock(context))
		return message_error(&context->messages, -EINVAL,
				     "a change requires the lock, taken before the discovery");
	if (context->stale)
		return message_error(&context->messages, -EINVAL,
				     "the lock was taken after the machine was discovered: it has "
				     "to be discovered anew before it is changed");
	if (context->unlocks != unlocks)
		return message_error(&context->messages, -EINVAL,
				     "the lock was released since: what was there then may be "
				     "another by now");
	return lock_check_not_held(context);
}

/* ---- Purposes ---- */

#define PURPOSE_END ".pid"

struct claim {
	struct claim *next;
	int descriptor;
	char file[];
};

/** Opens and locks the file, unless it was removed meanwhile. Returns a descriptor, or an error. */
static int open_claim(struct isst_context *context, const char *purpose)
{
	struct stat file;

	for (;;) {
		int descriptor = runtime_file_append(&context->runtime, purpose, false), error;
		unsigned int holder;

		if (descriptor < 0)
			return message_error(&context->messages, runtime_file_result(descriptor),
					     "cannot create %s/%s: %s", context->runtime.path,
					     purpose, runtime_file_strerror(descriptor));
		error = flock(descriptor, LOCK_EX | LOCK_NB) ? errno : 0;
		if (!error && fstat(descriptor, &file) == 0 && file.st_nlink > 0)
			return descriptor;
		holder = error ? descriptor_lock_holder(descriptor) : 0;
		close(descriptor);
		if (error && error != EWOULDBLOCK)
			return message_error(&context->messages, -EIO,
					     "cannot lock a file in %s: %s", context->runtime.path,
					     strerror(error));
		if (holder)
			return message_error(&context->messages, -EBUSY,
					     "process %u does this already", holder);
		if (error)
			return message_error(&context->messages, -EBUSY,
					     "another process does this already");
	}
}

int isst_claim(struct isst_context *context, const char *purpose)
{
	size_t length = purpose ? strlen(purpose) : 0, end = strlen(PURPOSE_END);
	struct claim *claim;
	const char *before;
	int error = 0;

	/* No other file of the runtime directory, nor one of another directory. */
	if (!context || length <= end || strchr(purpose, '/') ||
	    strcmp(purpose + length - end, PURPOSE_END) != 0)
		return context_refuse(context, "a purpose is the name of a file, NAME" PURPOSE_END);
	before = message_begin(&context->messages);
	claim = malloc(sizeof(*claim) + length + 1);
	if (!claim)
		return message_end(&context->messages, before, -ENOMEM);
	memcpy(claim->file, purpose, length + 1);
	claim->descriptor = open_claim(context, purpose);
	if (claim->descriptor < 0)
		error = claim->descriptor;
	else if (ftruncate(claim->descriptor, 0) != 0 ||
		 dprintf(claim->descriptor, "%d\n", (int)getpid()) < 0)
		error = message_error(&context->messages, -EIO, "cannot write %s/%s: %s",
				      context->runtime.path, purpose, strerror(errno));
	if (!error) {
		claim->next = context->claims;
		context->claims = claim;
	} else {
		if (claim->descriptor >= 0)
			close(claim->descriptor);
		free(claim);
	}
	return message_end(&context->messages, before, error);
}

void lock_release_claims(struct isst_context *context)
{
	struct claim *next;

	for (struct claim *claim = context->claims; claim; claim = next) {
		next = claim->next;
		(void)runtime_file_remove(&context->runtime, claim->file);
		close(claim->descriptor);
		free(claim);
	}
	context->claims = NULL;
}
