/* SPDX-License-Identifier: BSD-3-Clause */
/* Forks, and lets the parent end. */
#include "daemon.h"

#include "isst.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/* ---- The pid file ---- */

static int open_pid_file(const char *directory, const char *name)
{
	int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), descriptor, error;

	if (at < 0)
		return -errno;
	descriptor = openat(at, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	error = errno;
	close(at);
	return descriptor < 0 ? -error : descriptor;
}

/** The process that a file names; 0: it names none. */
static pid_t read_holder(int descriptor)
{
	char text[16];
	ssize_t size = pread(descriptor, text, sizeof(text) - 1, 0);
	uint64_t number;

	text[size < 0 ? 0 : size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return isst_parse_number(text, 10, INT_MAX, &number) ? 0 : (pid_t)number;
}

/** Locks the file, unless that was removed meanwhile, and so is none. Returns 1, 0 or a negative
 * errno. */
static int lock_pid_file(int descriptor, pid_t *holder)
{
	struct stat file;

	if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		*holder = read_holder(descriptor);
		return error;
	}
	return fstat(descriptor, &file) != 0 ? -errno : file.st_nlink > 0;
}

int pid_file_create(const char *directory, const char *name, pid_t *holder)
{
	int descriptor, locked;

	*holder = 0;
	if (mkdir(directory, 0755) != 0 && errno != EEXIST)
		return -errno;
	do {
		descriptor = open_pid_file(directory, name);
		if (descriptor < 0)
			return descriptor;
		locked = lock_pid_file(descriptor, holder);
		if (locked > 0 && (ftruncate(descriptor, 0) != 0 ||
				   dprintf(descriptor, "%d\n", (int)getpid()) < 0))
			locked = -errno;
		if (locked <= 0)
			close(descriptor);
	} while (locked == 0);
	return locked < 0 ? locked : descriptor;
}

void pid_file_remove(const char *directory, const char *name, int descriptor)
{
	int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (at >= 0) {
		(void)unlinkat(at, name, 0);
		close(at);
	}
	close(descriptor);
}
