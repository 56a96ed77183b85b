/* SPDX-License-Identifier: BSD-3-Clause */
#include "service.h"

#include "signals.h"
#include "xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noreturn)) static void await_child(pid_t child, int ready)
{
	ssize_t count;
	int status;
	char byte;

	do
		count = read(ready, &byte, 1);
	while (count < 0 && errno == EINTR);
	if (count == 1)
		_exit(EXIT_SUCCESS);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status))
		signals_end_process(WTERMSIG(status));
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

int daemon_start(struct daemon *daemon)
{
	int ends[2];
	pid_t child;

	daemon->ready = -1;
	/* What is buffered must not be written twice. */
	if (fflush(NULL) != 0 || pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	child = fork();
	if (child < 0) {
		int error = -errno;

		close(ends[0]);
		close(ends[1]);
		return error;
	}
	if (child > 0) {
		close(ends[1]);
		await_child(child, ends[0]);
	}
	close(ends[0]);
	daemon->ready = ends[1];
	return 0;
}

int daemon_ready(struct daemon *daemon, const char *directory)
{
	int nothing, error = 0;

	if (daemon->ready < 0)
		return 0;
	/* Until here the terminal could end both. */
	if (setsid() < 0 || (directory && chdir(directory) != 0) || fflush(NULL) != 0)
		error = -errno;
	/* The parent is the one whom the streams belong to: they are left before it ends. */
	nothing = error ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
	if (!error && nothing < 0)
		error = -errno;
	for (int stream = 0; stream <= 2 && !error; stream++)
		error = dup2(nothing, stream) < 0 ? -errno : 0;
	if (nothing > 2)
		close(nothing);
	if (!error && write(daemon->ready, "", 1) != 1)
		error = -errno;
	close(daemon->ready);
	daemon->ready = -1;
	return error;
}

/* ---- Notifications ---- */

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

int notify_manager(const char *format, ...)
{
	/* A caller with less privileges than this program must not choose where it sends to. */
	const char *name = secure_getenv("NOTIFY_SOCKET");
	struct sockaddr_un address;
	int size, descriptor, result;
	va_list arguments;
	char *text;

	if (!name || !*name)
		return 0;
	size = find_address(name, &address);
	if (size < 0)
		return size;
	va_start(arguments, format);
	text = xvasprintf(format, arguments);
	va_end(arguments);
	descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	result = descriptor >= 0 && sendto(descriptor, text, strlen(text), MSG_NOSIGNAL,
					   (const struct sockaddr *)&address, (socklen_t)size) >= 0
			 ? 1
			 : -errno;
	if (descriptor >= 0)
		close(descriptor);
	free(text);
	return result;
}

int notify_reloading(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return -errno;
	return notify_manager("RELOADING=1\nMONOTONIC_USEC=%" PRId64,
			      (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
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
