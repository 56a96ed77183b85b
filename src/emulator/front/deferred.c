/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets that firmware has accepted and has not carried out yet: kept in a file of the state
 * directory, carried out by whoever uses the machine next. Why they are deferred is not known here.
 */
#include "emulator/front/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int open_file(const struct server *server, int flags)
{
	int file = openat(server->directory, "deferred", O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags,
			  0600);

	return file < 0 ? -EIO : file;
}

/** FNV-1a of all that stands before it: a process may have been killed while it wrote, and what is
 * carried out is not checked again. */
static uint64_t checksum(const struct deferred *deferred)
{
	const unsigned char *byte = (const unsigned char *)deferred;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < offsetof(struct deferred, check); i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

int deferred_add(struct server *server, unsigned long request, const void *entry, size_t size,
		 uint64_t delay_ms)
{
	struct state *state = server->state;
	struct deferred deferred = { .due_ms = now_ms() + (int64_t)delay_ms, .request = request };
	off_t at = (off_t)(state->deferred_count * sizeof(deferred));
	int file;
	ssize_t written;

	if (size > sizeof(deferred.entry))
		return -EIO;
	memcpy(deferred.entry, entry, size);
	deferred.check = checksum(&deferred);
	file = open_file(server, O_CREAT);
	if (file < 0)
		return file;
	written = pwrite(file, &deferred, sizeof(deferred), at);
	close(file);
	if (written != sizeof(deferred))
		return -EIO;
	if (state->deferred_count == 0 || deferred.due_ms < state->deferred_due_ms)
		state->deferred_due_ms = deferred.due_ms;
	state->deferred_count++;
	return 0;
}

/** The one that is due first; of several the one that was accepted first. */
static size_t first_due(const struct deferred *all, size_t count)
{
	size_t first = 0;

	for (size_t i = 1; i < count; i++)
		if (all[i].due_ms < all[first].due_ms)
			first = i;
	return first;
}

static int store(struct server *server, int file, const struct deferred *all, size_t count)
{
	size_t size = count * sizeof(*all);

	if (size && pwrite(file, all, size, 0) != (ssize_t)size)
		return -EIO;
	server->state->deferred_count = (uint32_t)count;
	if (count)
		server->state->deferred_due_ms = all[first_due(all, count)].due_ms;
	return 0;
}

int deferred_check(const struct server *server)
{
	struct stat status;

	if (server->state->deferred_count == 0)
		return 0;
	if (fstatat(server->directory, "deferred", &status, AT_SYMLINK_NOFOLLOW) ||
	    (uint64_t)status.st_size < server->state->deferred_count * sizeof(struct deferred))
		return -EIO;
	return 0;
}

static bool intact(const struct deferred *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].check != checksum(&all[i]))
			return false;
	return true;
}

static int run_due(struct server *server, int file)
{
	size_t count = server->state->deferred_count;
	struct deferred *all = deferred_check(server) ? NULL : calloc(count, sizeof(*all));
	ssize_t size = (ssize_t)(count * sizeof(*all));
	int64_t now = now_ms();
	int result = -EIO;

	if (all && pread(file, all, (size_t)size, 0) == size && intact(all, count)) {
		for (size_t i; count && all[i = first_due(all, count)].due_ms <= now;) {
			driver_run_deferred(server, (unsigned long)all[i].request, all[i].entry);
			memmove(&all[i], &all[i + 1], (--count - i) * sizeof(*all));
		}
		result = store(server, file, all, count);
	}
	free(all);
	return result;
}

int deferred_run_due(struct server *server)
{
	int file, result;

	if (server->state->deferred_count == 0 || now_ms() < server->state->deferred_due_ms)
		return 0;
	file = open_file(server, 0);
	if (file < 0)
		return file;
	result = run_due(server, file);
	close(file);
	return result;
}
