/* SPDX-License-Identifier: BSD-3-Clause */
/* Forks, and lets the parent end. */
#include "daemon.h"

#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
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

static int leave_streams(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), error = 0;

	if (nothing < 0)
		return -errno;
	for (int stream = 0; stream <= 2 && !error; stream++)
		error = dup2(nothing, stream) < 0 ? -errno : 0;
	if (nothing > 2)
		close(nothing);
	return error;
}

int daemon_ready(struct daemon *daemon, const char *directory)
{
	int error = 0;

	if (daemon->ready < 0)
		return 0;
	/* Until here the terminal could end both. */
	if (setsid() < 0 || (directory && chdir(directory) != 0) || fflush(NULL) != 0)
		error = -errno;
	/* The parent is the one whom these belong to: they are left before it ends. */
	if (!error)
		error = leave_streams();
	if (!error && write(daemon->ready, "", 1) != 1)
		error = -errno;
	close(daemon->ready);
	daemon->ready = -1;
	return error;
}
