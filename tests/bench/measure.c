/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure OUTPUT [NAME=VALUE...] PROGRAM [ARGUMENT...]
 * Runs a program with these variables, all its output in a file, and prints: milliseconds from its
 * start to its end, milliseconds of processor time, its peak memory in KiB, its exit status (128
 * and the number of the signal that ended it). A small program itself, since a new process begins
 * with the peak memory of the one that started it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double milliseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void become(int output, char **words)
{
	for (; *words && strchr(*words, '='); words++)
		putenv(*words);
	if (!*words || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(127);
	execvp(*words, words);
	_exit(127);
}

int main(int count, char **words)
{
	int output = count > 2 ? open(words[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
			       : -1;
	double started = now();
	struct rusage usage;
	pid_t process;
	int status;

	if (output < 0) {
		fprintf(stderr, "usage: measure OUTPUT [NAME=VALUE...] PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	process = fork();
	if (process == 0)
		become(output, words + 2);
	if (process < 0 || wait4(process, &status, 0, &usage) != process) {
		perror("measure");
		return 1;
	}
	printf("%.3f %.3f %ld %d\n", now() - started,
	       milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime), usage.ru_maxrss,
	       WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}
