/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is preloaded: prints, at the end of a program, how many system calls it made (those that only
 * looked for CPU numbers, and how many numbers; and its allocations), or how much time it took.
 * Loading and linking do not count: a system call that fails marks the beginning in a trace.
 *
 * A program that waits by a timer goes on at once, in a time that jumps, and gets SIGTERM when it
 * has waited ISST_BENCH_WAITS times.
 *
 * It also takes the emulator's variables out of the environment, so that a command that could
 * emulate itself sees the machine like any other program.
 *
 * ISST_BENCH_CALLS, ISST_BENCH_TIME: the files to write the numbers, or milliseconds, to.
 */
#include "watch.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MARK = -1000 };

static const char *time_file, *calls_file;
static double started;
static unsigned long waits; /* that are left; 0: it waits as it asks for */
static int64_t ahead_ns;    /* of the real time */
static unsigned long number_calls, numbers, allocations;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/** A launched program is root of another user namespace than the driver asks for. */
__attribute__((visibility("default"))) int stat(const char *path, struct stat *status)
{
	enum { INITIAL_USER_NAMESPACE = 4026531837 };
	static int (*next)(const char *path, struct stat *status);
	int result;

	if (!next)
		next = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
	result = next(path, status);
	if (result == 0 && strcmp(path, "/proc/self/ns/user") == 0)
		status->st_ino = INITIAL_USER_NAMESPACE;
	return result;
}

/** The driver looks CPU numbers up in a table: no firmware is asked. */
__attribute__((visibility("default"))) int ioctl(int descriptor, unsigned long request, ...)
{
	enum { GET_PHY_ID = 0xc008fe01 }; /* _IOWR(0xfe, 1, pointer) */
	static int (*next)(int descriptor, unsigned long request, void *argument);
	uint32_t count;
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (request == GET_PHY_ID && argument) {
		memcpy(&count, argument, sizeof(count));
		number_calls++;
		numbers += count;
	}
	if (!next)
		next = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	return next(descriptor, request, argument);
}

/* ---- Waiting ---- */

enum { NS_PER_S = 1000000000 };

/** Of what tells how long ago something was, a suspend included. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*next)(clockid_t clock, struct timespec * time);
	int64_t ns;
	int error;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	error = next(clock, time);
	if (!error && (clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC)) {
		ns = time->tv_sec * NS_PER_S + time->tv_nsec + ahead_ns;
		*time = (struct timespec){ ns / NS_PER_S, ns % NS_PER_S };
	}
	return error;
}

/** A timer that is waited for is due at once. */
__attribute__((visibility("default"))) int
timerfd_settime(int descriptor, int flags, const struct itimerspec *at, struct itimerspec *old)
{
	static int (*next)(int descriptor, int flags, const struct itimerspec *at,
			   struct itimerspec *old);
	const struct itimerspec soon = { .it_value = { .tv_nsec = 1 } };
	struct timespec time;

	if (!next)
		next = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(
			RTLD_NEXT, "timerfd_settime");
	if (!waits)
		return next(descriptor, flags, at, old);
	clock_gettime(CLOCK_BOOTTIME, &time);
	ahead_ns += (at->it_value.tv_sec - time.tv_sec) * NS_PER_S + at->it_value.tv_nsec -
		    time.tv_nsec;
	if (--waits == 0)
		raise(SIGTERM);
	return next(descriptor, 0, &soon, old);
}

/* glibc's own, so that none is looked for while it is needed. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	allocations++;
	return __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
	allocations++;
	return __libc_realloc(memory, size);
}

static void write_calls(void)
{
	const char *path = calls_file;
	unsigned long allocated = allocations;
	FILE *file;

	calls_file = NULL; /* to open it is not the program's */
	file = fopen(path, "w");
	if (!file)
		return;
	fprintf(file, "%lu %lu %lu %lu\n", dispatch_calls, number_calls, numbers, allocated);
	fclose(file);
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
	if (take("ISST_BENCH_WAITS"))
		waits = strtoul(take("ISST_BENCH_WAITS"), NULL, 10);
	calls_file = take("ISST_BENCH_CALLS");
	syscall(SYS_close, MARK);
	if (calls_file && dispatch_start(write_calls))
		calls_file = NULL;
	allocations = 0;
	started = now();
}

__attribute__((destructor)) static void end(void)
{
	double own = now() - started;
	FILE *file = time_file ? fopen(time_file, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%.3f\n", own);
	fclose(file);
}
