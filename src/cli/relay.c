/* SPDX-License-Identifier: BSD-3-Clause */
/* A pipe that is never waited for, and the process behind it. */
#include "relay.h"

#include "privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct relay {
	pid_t process;
	int pipe;
	FILE *stream;
	char *waiting; /* what the pipe did not take */
	size_t size;
};

/** Writes all of it. Returns false after an error. */
static bool write_all(int descriptor, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t count = write(descriptor, text, size);

		if (count < 0 && errno != EINTR)
			return false;
		if (count > 0) {
			text += count;
			size -= (size_t)count;
		}
	}
	return true;
}

/* ---- In the forked process ---- */

/** No signal ends or stops it: what the terminal sends is meant for the run, and one in the
 * background may write to the terminal while SIGTTOU is blocked. It ends with its pipe. */
__attribute__((noreturn)) static void pass_on(int from, int to)
{
	char text[4096];
	sigset_t all;
	ssize_t size;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	(void)privileges_drop(PRIVILEGES_READ);
	/* A reader of another stream is to see its end when the run ends. */
	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		if (descriptor != to)
			close(descriptor);
	}
	while ((size = read(from, text, sizeof(text))) != 0) {
		/* What cannot be written is read all the same. */
		if (size > 0)
			(void)write_all(to, text, (size_t)size);
		else if (errno != EINTR)
			break;
	}
	_exit(0);
}

/* ---- In the run ---- */

/** As much of what is waiting as the pipe takes now. */
static void send_waiting(struct relay *relay)
{
	ssize_t count = 0;
	size_t sent = 0;

	while (sent < relay->size && (count >= 0 || errno == EINTR)) {
		count = write(relay->pipe, relay->waiting + sent, relay->size - sent);
		if (count > 0)
			sent += (size_t)count;
	}
	if (sent == 0)
		return;
	memmove(relay->waiting, relay->waiting + sent, relay->size - sent);
	relay->size -= sent;
}

/** Called by the stream for each line. */
static ssize_t take_line(void *cookie, const char *text, size_t size)
{
	struct relay *relay = cookie;
	char *grown = realloc(relay->waiting, relay->size + size);

	/* 0 is how such a function fails. */
	if (!grown)
		return 0;
	relay->waiting = grown;
	memcpy(relay->waiting + relay->size, text, size);
	relay->size += size;
	send_waiting(relay);
	return (ssize_t)size;
}

/** Returns 0 or a negative errno. */
static int start(struct relay *relay, int descriptor)
{
	int ends[2], error = 0;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	relay->process = fork();
	if (relay->process == 0) {
		/* Its own end would keep it waiting for good. */
		close(ends[1]);
		pass_on(ends[0], descriptor);
	}
	close(ends[0]);
	if (relay->process < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
		error = -errno;
	relay->pipe = ends[1];
	return error;
}

int relay_open(int descriptor, struct relay **out)
{
	static const cookie_io_functions_t functions = { .write = take_line };
	struct relay *relay = calloc(1, sizeof(*relay));
	int error = -ENOMEM;

	*out = NULL;
	if (!relay)
		return error;
	relay->pipe = -1;
	relay->process = -1;
	relay->stream = fopencookie(relay, "w", functions);
	if (relay->stream && setvbuf(relay->stream, NULL, _IOLBF, BUFSIZ) == 0)
		error = start(relay, descriptor);
	if (error)
		relay_close(relay);
	else
		*out = relay;
	return error;
}

FILE *relay_stream(const struct relay *relay)
{
	return relay->stream;
}

void relay_close(struct relay *relay)
{
	if (!relay)
		return;
	if (relay->stream)
		fclose(relay->stream);
	if (relay->pipe >= 0) {
		if (fcntl(relay->pipe, F_SETFL, 0) == 0)
			(void)write_all(relay->pipe, relay->waiting, relay->size);
		close(relay->pipe);
	}
	while (relay->process > 0 && waitpid(relay->process, NULL, 0) < 0 && errno == EINTR)
		continue;
	free(relay->waiting);
	free(relay);
}
