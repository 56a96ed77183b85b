/* SPDX-License-Identifier: BSD-3-Clause */
/* One datagram for each call. */
#include "notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/** Returns the size of the address or a negative errno. */
static int find_address(const char *name, struct sockaddr_un *address)
{
	size_t length = strlen(name);

	/* systemd also knows vsock:, for virtual machines as a whole. */
	if (name[0] != '/' && name[0] != '@')
		return -EAFNOSUPPORT;
	if (length < 2 || length > sizeof(address->sun_path))
		return -EINVAL;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, name, length);
	if (name[0] == '@')
		address->sun_path[0] = '\0';
	/* An abstract name has no end but its size. */
	return (int)(offsetof(struct sockaddr_un, sun_path) + length);
}

int notify_manager(const char *assignments)
{
	/* A caller with less privileges than this program must not choose where it sends to. */
	const char *name = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address;
	int size, descriptor, result = 1;

	if (!name || !*name)
		return 0;
	size = find_address(name, &address);
	if (size < 0)
		return size;
	descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (descriptor < 0)
		return -errno;
	if (sendto(descriptor, assignments, strlen(assignments), MSG_NOSIGNAL,
		   (const struct sockaddr *)&address, (socklen_t)size) < 0)
		result = -errno;
	close(descriptor);
	return result;
}

int notify_reloading(void)
{
	char assignments[64];
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return -errno;
	snprintf(assignments, sizeof(assignments), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		 (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	return notify_manager(assignments);
}

int notify_status(const char *line)
{
	char *assignment;
	int result;

	if (asprintf(&assignment, "STATUS=%s", line) < 0)
		return -ENOMEM;
	result = notify_manager(assignment);
	free(assignment);
	return result;
}

bool notify_is_journal(int descriptor)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char name[64];
	struct stat file;

	if (!stream || fstat(descriptor, &file) != 0)
		return false;
	snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino);
	return strcmp(stream, name) == 0;
}
