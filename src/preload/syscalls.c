/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls by number, syscall(2): those that open files and start programs, for by what they
 * return all others reach the machine, or nothing. Instructions of the program's own remain.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

enum { WORDS = 6 };

/* glibc before 2.34 has no such function. */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
int execveat(int directory, const char *path, char *const words[], char *const environment[],
	     int flags);

/** What the words of a system call are, as a pointer. */
static void *pointer(long word)
{
	return (void *)word; /* NOLINT(performance-no-int-to-ptr) */
}

/** Programs that use it can do without, since older kernels have no such call. */
static bool opens_emulated(int directory, const char *path)
{
	char found[PATH_MAX];

	if (!path_begin(directory, &path, true, found))
		return false;
	preload_end(true);
	return true;
}

/** Returns false where it is none of those here. */
static bool call(long number, const long words[WORDS], long *result)
{
	switch (number) {
#ifdef SYS_open
	case SYS_open:
		*result = open(pointer(words[0]), (int)words[1], (mode_t)words[2]);
		return true;
	case SYS_creat:
		*result = creat(pointer(words[0]), (mode_t)words[1]);
		return true;
#endif
	case SYS_openat:
		*result = openat((int)words[0], pointer(words[1]), (int)words[2], (mode_t)words[3]);
		return true;
	case SYS_openat2:
		if (!opens_emulated((int)words[0], pointer(words[1])))
			return false;
		errno = ENOSYS;
		*result = -1;
		return true;
	case SYS_execve:
		*result = execve(pointer(words[0]), pointer(words[1]), pointer(words[2]));
		return true;
	case SYS_execveat:
		*result = execveat((int)words[0], pointer(words[1]), pointer(words[2]),
				   pointer(words[3]), (int)words[4]);
		return true;
	default:
		return false;
	}
}

INTERPOSED long syscall(long number, ...)
{
	long words[WORDS], result;
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < WORDS; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	if (preload_machine && !preload_inside() && call(number, words, &result))
		return result;
	return REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
