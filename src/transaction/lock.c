/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock that runs which change the machine share, and what a caller needs to be such a run. */
#include "transaction/lock.h"
#include "base/machine.h"
#include "base/runtime_file.h"
#include "common/descriptor.h"
#include "common/monotonic.h"
#include "firmware/platform.h"
#include "isst.h"
#include "topology/context.h"
#include "transaction/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "lock"

enum {
	LOOK_EVERY_MS = 20,
	LOOK_BRIEFLY_MS = 100, /* readers of the journal look whether the device is locked */
};

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

/* ---- Who holds the device ---- */

/** A lock of a file as the kernel lists it. */
struct listed_lock {
	unsigned int process;
	bool exclusive;
};

/** Finds a lock of an open file in the kernel's list, `1: FLOCK  ADVISORY  WRITE 4711 00:05:1234 0
 * EOF`: an exclusive one, or else any. */
static bool find_lock(int descriptor, struct listed_lock *lock)
{
	static const char FLOCK[] = "FLOCK  ADVISORY  ";
	FILE *locks = fopen("/proc/locks", "re");
	char *line = NULL, wanted[64];
	struct stat file = { 0 };
	size_t space = 0;
	bool found = false, exists = fstat(descriptor, &file) == 0;

	if (!locks)
		return false;
	snprintf(wanted, sizeof(wanted), " %02x:%02x:%llu ", major(file.st_dev), minor(file.st_dev),
		 (unsigned long long)file.st_ino);
	while (exists && getline(&line, &space, locks) > 0) {
		char *type = strstr(line, wanted) ? strstr(line, FLOCK) : NULL, *number;
		bool exclusive;
		uint64_t process;

		/* Those that wait have an arrow. */
		if (!type || strstr(line, "->"))
			continue;
		type += sizeof(FLOCK) - 1;
		exclusive = strncmp(type, "WRITE ", 6) == 0;
		/* `READ` is shorter than `WRITE`, and not filled up with blanks. */
		number = type + strcspn(type, " ");
		number += strspn(number, " ");
		number[strspn(number, "0123456789")] = '\0';
		if ((found && !exclusive) || isst_parse_number(number, 10, UINT32_MAX, &process))
			continue;
		*lock = (struct listed_lock){ (unsigned int)process, exclusive };
		found = true;
	}
	free(line);
	fclose(locks);
	return found;
}

/** Whether a process was started by root, or by the caller, and not only runs with root's rights: a
 * set-uid program inherits what its caller had open and locked. */
static bool is_of_root(unsigned int process)
{
	static const char UID[] = "Uid:\t";
	char path[40], *line = NULL;
	uint64_t real = UINT64_MAX;
	size_t space = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/status", process);
	status = fopen(path, "re");
	if (!status)
		return false;
	while (real == UINT64_MAX && getline(&line, &space, status) > 0)
		if (strncmp(line, UID, sizeof(UID) - 1) == 0) {
			line[strcspn(line + sizeof(UID) - 1, "\t") + sizeof(UID) - 1] = '\0';
			if (isst_parse_number(line + sizeof(UID) - 1, 10, UINT32_MAX, &real))
				break;
		}
	free(line);
	fclose(status);
	return real == 0 || real == getuid();
}

/** Whether a process may have this file open: the one that took a lock may have handed it on, and
 * its number be another's by now. What a process with more capabilities has open cannot be seen. */
static bool may_have_open(unsigned int process, int descriptor)
{
	struct stat file, other;
	struct dirent *entry;
	bool may = false;
	char path[40];
	DIR *all;

	if (fstat(descriptor, &file))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/fd", process);
	all = opendir(path);
	if (!all)
		return errno == EACCES || errno == EPERM;
	while (!may && (entry = readdir(all)))
		/* The directory of a root process can be read, but not what is in it. */
		may = fstatat(dirfd(all), entry->d_name, &other, 0)
			      ? errno == EACCES || errno == EPERM
			      : other.st_dev == file.st_dev && other.st_ino == file.st_ino;
	closedir(all);
	return may;
}

/**
 * Whether what holds the device may be a run that changes the machine. Those of earlier versions
 * lock the device alone; but so may everybody who can merely read it. One that is not listed at all
 * is in another container: nothing is known of it.
 */
static bool may_be_change(int descriptor)
{
	struct listed_lock lock;

	return !find_lock(descriptor, &lock) || (lock.exclusive && is_of_root(lock.process) &&
						 may_have_open(lock.process, descriptor));
}

/** Opens what is locked, only to look at it. */
static int open_to_look(const struct isst_context *context, bool device)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" FILE_NAME, context->machine->runtime_directory);
	return open(device ? context->machine->lock_path : path,
		    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/** Whether another process holds a lock that a change would wait for. */
static bool is_locked(const struct isst_context *context, bool device)
{
	int descriptor = open_to_look(context, device);
	bool locked;

	if (descriptor < 0)
		return false;
	locked = flock(descriptor, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK &&
		 (!device || may_be_change(descriptor));
	close(descriptor);
	return locked;
}

bool lock_is_held(const struct isst_context *context)
{
	return is_locked(context, false) || is_locked(context, true);
}

unsigned int lock_holder(const struct isst_context *context)
{
	int descriptor = open_to_look(context, false);
	struct listed_lock lock;
	bool found;

	if (descriptor < 0)
		return 0;
	found = find_lock(descriptor, &lock);
	close(descriptor);
	return found ? lock.process : 0;
}

/* ---- Waiting ---- */

static int busy(struct isst_context *context, const char *path, int descriptor)
{
	const char *command = NULL;
	struct listed_lock lock;
	bool found = find_lock(descriptor, &lock);

	if (found)
		command = journal_held_by(context, lock.process);
	if (command)
		return message_error(&context->messages, -EBUSY,
				     "process %u holds a change (%s), and the lock of %s until it "
				     "releases it or rolls it back",
				     lock.process, command, path);
	if (found)
		return message_error(
			&context->messages, -EBUSY,
			"another run, process %u, is changing the machine and holds the lock of "
			"%s",
			lock.process, path);
	return message_error(&context->messages, -EBUSY,
			     "another run is changing the machine and holds the lock of %s", path);
}

/** Locks a file. Returns 0, -EBUSY without a message, or another negative errno with one. */
static int wait_for(struct isst_context *context, const char *path, int descriptor,
		    int64_t deadline_ms)
{
	while (flock(descriptor, LOCK_EX | LOCK_NB)) {
		int64_t left_ms;
		struct timespec pause = { 0 };

		if (errno != EWOULDBLOCK && errno != EINTR)
			return message_error(&context->messages, -EIO, "cannot lock %s: %s", path,
					     strerror(errno));
		if (context_is_interrupted(context))
			return message_error(&context->messages, -EINTR,
					     "interrupted while waiting for the lock of %s", path);
		left_ms = deadline_ms - monotonic_ms();
		if (left_ms <= 0)
			return -EBUSY;
		pause.tv_nsec = (left_ms < LOOK_EVERY_MS ? left_ms : LOOK_EVERY_MS) * 1000000L;
		/* A signal may end it early, that does no harm: the clock is read again. */
		nanosleep(&pause, NULL);
	}
	return 0;
}

/** Locks the device, too, for runs that know no other lock; a holder that cannot be one is ignored.
 */
static int lock_device(struct isst_context *context, int descriptor, int64_t deadline_ms)
{
	const char *path = context->machine->lock_path;
	int64_t brief_ms = monotonic_ms() + LOOK_BRIEFLY_MS;
	struct listed_lock lock;
	int error = wait_for(context, path, descriptor,
			     brief_ms < deadline_ms ? brief_ms : deadline_ms);

	if (error == -EBUSY && may_be_change(descriptor))
		error = wait_for(context, path, descriptor, deadline_ms);
	if (error != -EBUSY)
		return error;
	if (may_be_change(descriptor))
		return busy(context, path, descriptor);
	if (find_lock(descriptor, &lock))
		message_notice(&context->messages,
			       "process %u holds a lock of %s, but is not a run that changes the "
			       "machine: ignoring the lock",
			       lock.process, path);
	return 0;
}

/* ---- The lock ---- */

/** Returns a descriptor, -ENOENT on a machine without, or another negative errno with a message. */
static int open_device(struct isst_context *context)
{
	int descriptor = keep_off_streams(
		open(context->machine->lock_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));

	if (descriptor >= 0)
		return descriptor;
	if (errno == ENOENT && platform_has(&context->platform, PLATFORM_MAY_BE_PRESET))
		return -ENOENT;
	return driver_open_error(&context->driver, -errno);
}

/** Takes the lock, and that of the device where there is one. While the former is waited for, the
 * device is closed: it would keep modules of the driver from registering. */
static int take(struct isst_context *context, int *device, unsigned int timeout_ms)
{
	const char *path = message_make(&context->messages, "%s/" FILE_NAME,
					context->machine->runtime_directory);
	int64_t deadline_ms = monotonic_ms() + timeout_ms;
	int error = runtime_directory_hold(&context->runtime);
	int descriptor = error ? error : runtime_file_append(&context->runtime, FILE_NAME);

	if (descriptor == -EACCES || descriptor == -EPERM || descriptor == -EROFS)
		return message_error(&context->messages, -EPERM,
				     "not permitted: %s, the lock of runs that change the machine, "
				     "cannot be opened: %s",
				     path, runtime_file_strerror(descriptor));
	if (descriptor < 0)
		return message_error(&context->messages, -EIO, "cannot open %s: %s", path,
				     runtime_file_strerror(descriptor));
	error = wait_for(context, path, descriptor, 0);
	if (error == -EBUSY) {
		if (*device >= 0)
			close(*device);
		*device = -1;
		error = wait_for(context, path, descriptor, deadline_ms);
		if (error == -EBUSY)
			error = busy(context, path, descriptor);
		if (!error)
			*device = open_device(context);
		if (!error && *device < 0 && *device != -ENOENT)
			error = *device;
	}
	if (!error && *device >= 0)
		error = lock_device(context, *device, deadline_ms);
	if (error)
		close(descriptor);
	else
		context->lock = descriptor;
	return error;
}

static int lock(struct isst_context *context, unsigned int timeout_ms, unsigned int flags)
{
	int device, error;
	bool file;

	if (flags == ISST_LOCK_CHECK) {
		file = is_locked(context, false);
		if (!file && !is_locked(context, true))
			return 0;
		device = open_to_look(context, !file);
		error = busy(context,
			     file ? message_make(&context->messages, "%s/" FILE_NAME,
						 context->machine->runtime_directory)
				  : context->machine->lock_path,
			     device);
		if (device >= 0)
			close(device);
		return error;
	}
	if (flags)
		return message_error(&context->messages, -EINVAL,
				     "the lock does not know the flags %#x", flags);
	if (context->lock >= 0)
		return message_error(&context->messages, -EINVAL, "the lock is held already");
	device = open_device(context);
	if (device < 0 && device != -ENOENT)
		return device;
	error = take(context, &device, timeout_ms);
	if (!error) {
		context->device_lock = device;
		context->lock_process = getpid();
		context->stale = context->topology != NULL;
		return 0;
	}
	if (device >= 0)
		close(device);
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

/**
 * The lock is of what was opened, of which a child that was forked has a copy: closing would not
 * release the parent's lock while there is a child, and a child that unlocks would release it.
 */
static void release(int descriptor, bool own)
{
	if (descriptor < 0)
		return;
	if (own)
		flock(descriptor, LOCK_UN);
	close(descriptor);
}

void lock_release(struct isst_context *context)
{
	const bool own = context_has_lock(context);

	release(context->lock, own);
	runtime_directory_release(&context->runtime);
	release(context->device_lock, own);
	context->lock = context->device_lock = -1;
}

void lock_rest(struct isst_context *context)
{
	if (!platform_misses_transport(&context->platform))
		return;
	driver_suspend(&context->driver);
	release(context->device_lock, context_has_lock(context));
	context->device_lock = -1;
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
	struct listed_lock lock;
	struct stat file;

	for (;;) {
		int descriptor = runtime_file_append(&context->runtime, purpose), error;
		bool found;

		if (descriptor < 0)
			return message_error(&context->messages,
					     descriptor == -EACCES || descriptor == -EROFS ? -EPERM
											   : -EIO,
					     "cannot create %s/%s: %s", context->runtime.path,
					     purpose, runtime_file_strerror(descriptor));
		error = flock(descriptor, LOCK_EX | LOCK_NB) ? errno : 0;
		if (!error && fstat(descriptor, &file) == 0 && file.st_nlink > 0)
			return descriptor;
		found = error && find_lock(descriptor, &lock);
		close(descriptor);
		if (error && error != EWOULDBLOCK)
			return message_error(&context->messages, -EIO,
					     "cannot lock a file in %s: %s", context->runtime.path,
					     strerror(error));
		if (found)
			return message_error(&context->messages, -EBUSY,
					     "process %u does this already", lock.process);
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
