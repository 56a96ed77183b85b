/* SPDX-License-Identifier: BSD-3-Clause */
#include "program.h"

#include "privileges.h"
#include "signals.h"
#include "xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct program {
	pid_t process;
	/* A socket: a byte releases it, and it reports why it could not be run. */
	int link;
	bool released;
};

struct obstacle {
	int error; /* a negative errno */
	enum program_stage stage;
};

/* ---- In the forked process ---- */

/** Reads as much. Returns 0 or a negative errno; -EPIPE: there is no more. */
static int read_exactly(int descriptor, void *bytes, size_t size)
{
	while (size > 0) {
		ssize_t count = read(descriptor, bytes, size);

		if (count == 0)
			return -EPIPE;
		if (count < 0 && errno != EINTR)
			return -errno;
		if (count < 0)
			continue;
		bytes = (char *)bytes + count;
		size -= (size_t)count;
	}
	return 0;
}

static int restore_inheritance(const struct program_inheritance *inheritance)
{
	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		if (inheritance->closed[descriptor])
			close(descriptor);
	}
	if (inheritance->file_limit_killed && signal(SIGXFSZ, SIG_DFL) == SIG_ERR)
		return -errno;
	/* File capabilities do not pass execve(2). */
	if (privileges_borrowed() && (setresgid(getgid(), getgid(), getgid()) != 0 ||
				      setresuid(getuid(), getuid(), getuid()) != 0))
		return -errno;
	return 0;
}

/** Waits until the program is released, and executes it. A run that ends before never does. */
__attribute__((noreturn)) static void
wait_and_execute(char *const *words, const struct program_inheritance *inheritance, int link)
{
	char byte;
	struct obstacle obstacle = { read_exactly(link, &byte, sizeof(byte)), PROGRAM_PREPARATION };

	if (obstacle.error == -EPIPE)
		_exit(PROGRAM_RUN_FAILED);
	if (!obstacle.error)
		obstacle.error = restore_inheritance(inheritance);
	if (!obstacle.error) {
		execvp(words[0], words);
		obstacle = (struct obstacle){ -errno, PROGRAM_EXECUTION };
	}
	/* Without it the run takes the program for one that ended with this status. */
	(void)!write(link, &obstacle, sizeof(obstacle));
	_exit(PROGRAM_RUN_FAILED);
}

/* ---- Looking for it ---- */

int program_find(const char *name)
{
	/* A name with a slash is not looked for. */
	bool is_path = strchr(name, '/');
	const char *path = is_path ? "" : getenv("PATH");
	int result = -ENOENT;

	/* As execvp(3) has it where there is none. */
	if (!path)
		path = "/bin:/usr/bin";
	while (*name) {
		/* An empty one is the working directory. */
		size_t length = strcspn(path, ":");
		char *candidate = xasprintf("%.*s%s%s", (int)length, path, length > 0 ? "/" : "",
					    name);
		struct stat file;
		int error;

		/* By the real ids: those that the program runs with. */
		if (faccessat(AT_FDCWD, candidate, X_OK, 0) != 0 || stat(candidate, &file) != 0)
			error = -errno;
		else
			error = S_ISREG(file.st_mode) ? 0 : -EACCES;
		free(candidate);
		if (error == -EACCES)
			result = error;
		else if (error != -ENOENT && error != -ENOTDIR)
			return error;
		if (!path[length])
			return is_path ? error : result;
		path += length + 1;
	}
	return -ENOENT;
}

/* ---- In the run ---- */

int program_fork(char *const *words, const struct program_inheritance *inheritance,
		 struct program **program)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction children;
	int ends[2], error;
	pid_t process;

	*program = NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -errno;
	/* If SIGCHLD is ignored the kernel keeps no status, and the number may be reused. */
	process = sigaction(SIGCHLD, &usual, &children) == 0 ? fork() : -1;
	if (process == 0) {
		/* Its own end would keep it waiting for good. */
		close(ends[0]);
		/* It was valid before, and is again. */
		(void)sigaction(SIGCHLD, &children, NULL);
		wait_and_execute(words, inheritance, ends[1]);
	}
	error = process < 0 ? -errno : 0;
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	*program = xcalloc(1, sizeof(**program));
	**program = (struct program){ .process = process, .link = ends[0] };
	return 0;
}

static int set_affinity(const struct program *program, const struct isst_cpuset *cpus)
{
	unsigned int cpu, last = 0;
	cpu_set_t *set;
	size_t size;
	int error;

	isst_cpuset_for_each (cpu, cpus)
		last = cpu;
	size = CPU_ALLOC_SIZE(last + 1);
	set = xcheck(CPU_ALLOC(last + 1));
	CPU_ZERO_S(size, set);
	isst_cpuset_for_each (cpu, cpus)
		CPU_SET_S(cpu, size, set);
	error = sched_setaffinity(program->process, size, set) != 0 ? -errno : 0;
	CPU_FREE(set);
	/* A process that was killed meanwhile is one that ended. */
	return error == -ESRCH ? 0 : error;
}

/* Besides those that end a program. */
static const int waited_for[] = { SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD };

void program_signals(sigset_t *set)
{
	for (size_t i = 0; i < sizeof(waited_for) / sizeof(waited_for[0]); i++)
		sigaddset(set, waited_for[i]);
}

/** The keys and the size of the terminal reach all of the process group, which the program may have
 * left: timeout(1) and setsid(1) do. Other signals of the kernel are for this process alone: a
 * hangup for the leader of the session, timers of the caller. */
static void pass_on(const struct program *program, const siginfo_t *signal)
{
	int number = signal->si_signo;
	bool received = (number == SIGINT || number == SIGQUIT || number == SIGWINCH) &&
			signal->si_code == SI_KERNEL && getpgid(program->process) == getpgrp();

	if (signals_ignored(number))
		return;
	/* Also SIGTSTP: one before the release had no effect. */
	if (!received)
		kill(program->process, number);
	/* A program that is stopped would not end. */
	if (number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT)
		kill(program->process, SIGCONT);
	/* The shell is to see that all of the job has stopped. */
	if (number == SIGTSTP)
		signals_stop();
}

/** Waits for the end, and sets the status as waitpid(2). Returns 0 or a negative errno. */
static int wait_for_end(const struct program *program, int *status)
{
	sigset_t signals;

	sigemptyset(&signals);
	program_signals(&signals);
	signals_fatal(&signals);
	for (;;) {
		pid_t ended = waitpid(program->process, status, WNOHANG);
		siginfo_t signal;

		if (ended == program->process)
			return 0;
		if (ended < 0 && errno != EINTR)
			return -errno;
		if (sigwaitinfo(&signals, &signal) > 0 && signal.si_signo != SIGCHLD)
			pass_on(program, &signal);
	}
}

unsigned int program_status_of_error(int error)
{
	return error == -ENOENT ? PROGRAM_NOT_FOUND : PROGRAM_NOT_EXECUTABLE;
}

struct program_end program_run(struct program *program, const struct isst_cpuset *cpus)
{
	struct program_end end = { .status = PROGRAM_RUN_FAILED };
	struct obstacle obstacle;
	int status = 0;

	/* The terminal may have stopped it. */
	kill(program->process, SIGCONT);
	end.error = cpus ? set_affinity(program, cpus) : 0;
	end.stage = PROGRAM_AFFINITY;
	if (end.error)
		return end;
	program->released = true;
	(void)!write(program->link, "", 1);
	if (read_exactly(program->link, &obstacle, sizeof(obstacle)) == 0) {
		(void)wait_for_end(program, &status);
		end.error = obstacle.error;
		end.stage = obstacle.stage;
		if (obstacle.stage == PROGRAM_EXECUTION)
			end.status = program_status_of_error(obstacle.error);
		return end;
	}
	end.error = wait_for_end(program, &status);
	if (end.error) {
		end.stage = PROGRAM_END;
		return end;
	}
	end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end.status = (unsigned int)(end.signal ? 128 + end.signal : WEXITSTATUS(status));
	return end;
}

void program_free(struct program *program)
{
	close(program->link);
	/* The terminal may have stopped it: then it does not see that this is closed. */
	if (!program->released) {
		kill(program->process, SIGKILL);
		waitpid(program->process, NULL, 0);
	}
	free(program);
}
