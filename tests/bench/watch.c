/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is preloaded before the emulator's preload library: prints, at the end of a program, how many
 * system calls it made, or how much time it took, as if there were no emulator. By the marks of the
 * preload library (src/preload/machine.c) it knows where the emulator is at work; it keeps them
 * from the kernel. Neither loading and linking nor the opening of the emulated machine count.
 *
 * It also takes the emulator's variables out of the environment, so that a command that could
 * emulate itself sees the machine like any other program.
 *
 * ISST_BENCH_CALLS, ISST_BENCH_TIME: the files to write the number of calls, or milliseconds, to.
 */
#include "watch.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MARK_BEGIN = -1000, MARK_PASSED = -1001, MARK_ANSWERED = -1002 };
enum { WORDS = 6 };

static const char *time_file, *calls_file;
static double started, entered, inside;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void mark(int which)
{
	if (which == MARK_BEGIN)
		entered = now();
	else
		inside += now() - entered;
	if (!calls_file)
		return;
	dispatch_pause(which == MARK_BEGIN);
	if (which == MARK_ANSWERED) {
		dispatch_calls++;
		dispatch_after_answer = true;
	}
}

/** libc's: the preload library makes its marks by it. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static long (*next)(long number, ...);
	long words[WORDS];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < WORDS; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_close && (int)words[0] <= MARK_BEGIN && (time_file || calls_file)) {
		mark((int)words[0]);
		return -1;
	}
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static void write_figure(const char *path, double number, const char *format)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return;
	fprintf(file, format, number);
	fclose(file);
}

static void write_calls(void)
{
	const char *path = calls_file;

	calls_file = NULL; /* to open it is not the program's */
	write_figure(path, (double)dispatch_calls, "%.0f\n");
}

static const char *take(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

__attribute__((constructor)) static void begin(void)
{
	unsetenv("ISST_EMULATE");
	unsetenv("ISST_EMULATE_STATE");
	unsetenv("ISST_EMULATE_UNLOCK");
	time_file = take("ISST_BENCH_TIME");
	calls_file = take("ISST_BENCH_CALLS");
	if (calls_file && dispatch_start(write_calls))
		calls_file = NULL;
	inside = 0;
	started = now();
}

__attribute__((destructor)) static void end(void)
{
	double own = now() - started - inside;

	if (time_file)
		write_figure(time_file, own, "%.3f\n");
}
