/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls by number, syscall(2): those that open files and start programs, whose descriptors
 * lead to the machine by number, too; those that close, which must not close the emulator's own
 * descriptors; statx(2), which Node.js makes; those that libnuma and taskset make, on CPUs and
 * nodes; and what would change the system's kernel (kernel_changes.c). Other calls that are given a
 * path reach the system's files, as do instructions of the program's own.
 */
#include "preload/kernel_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { WORDS = 6 };

/* glibc before 2.34 has no such function. */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
int execveat(int directory, const char *path, char *const words[], char *const environment[],
	     int flags);

/* Nor one before 2.34 this one. */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
int close_range(unsigned int first, unsigned int last, int flags);

/** What the words of a system call are, as a pointer. */
static void *pointer(long word)
{
	return (void *)word; /* NOLINT(performance-no-int-to-ptr) */
}

/** Programs that use it can do without, since older kernels have no such call. */
static bool opens_emulated(int directory, const char *path, const struct open_how *how)
{
	char found[PATH_MAX];

	/* The directory is its root, where a path begins that has a slash first. */
	if (path && how && how->resolve & RESOLVE_IN_ROOT)
		path += strspn(path, "/");
	if (!path_begin(directory, &path, true, found))
		return false;
	preload_end(true);
	return true;
}

/** Calls that functions of libc make, with the result of these. */
static bool call_descriptors(long number, const long words[WORDS], long *result)
{
	switch (number) {
	case SYS_close:
		/* The marks of machine.c are no descriptors. */
		if ((int)words[0] < 0)
			return false;
		*result = close((int)words[0]);
		return true;
#ifdef SYS_dup2
	case SYS_dup2:
		*result = dup2((int)words[0], (int)words[1]);
		return true;
#endif
	case SYS_dup3:
		*result = dup3((int)words[0], (int)words[1], (int)words[2]);
		return true;
	case SYS_close_range:
		*result = close_range((unsigned int)words[0], (unsigned int)words[1],
				      (int)words[2]);
		return true;
	default:
		return false;
	}
}

/** Those of CPUs and nodes. */
static bool call_placement(long number, const long words[WORDS], long *result)
{
	switch (number) {
	case SYS_sched_getaffinity:
		*result = sched_getaffinity((pid_t)words[0], (size_t)words[1], pointer(words[2]));
		if (*result == 0)
			*result = (long)affinity_bytes();
		return true;
	case SYS_sched_setaffinity:
		*result = sched_setaffinity((pid_t)words[0], (size_t)words[1], pointer(words[2]));
		return true;
	case SYS_get_mempolicy:
		return memory_policy_get(pointer(words[0]), pointer(words[1]),
					 (unsigned long)words[2], pointer(words[3]),
					 (unsigned long)words[4], result);
	case SYS_set_mempolicy:
		return memory_policy_set((int)words[0], pointer(words[1]), (unsigned long)words[2],
					 result);
	case SYS_mbind:
		return memory_policy_bind(pointer(words[0]), (int)words[2], pointer(words[3]),
					  (unsigned long)words[4], (unsigned long)words[5], result);
	default:
		return false;
	}
}

/** Those that kernel_changes.c refuses. */
static bool call_changes(long number, const long words[WORDS], long *result)
{
	switch (number) {
	case SYS_mount:
		*result = mount(pointer(words[0]), pointer(words[1]), pointer(words[2]),
				(unsigned long)words[3], pointer(words[4]));
		return true;
	case SYS_umount2:
		*result = umount2(pointer(words[0]), (int)words[1]);
		return true;
	case SYS_move_mount:
		*result = move_mount((int)words[0], pointer(words[1]), (int)words[2],
				     pointer(words[3]), (unsigned int)words[4]);
		return true;
	case SYS_mount_setattr:
		*result = mount_setattr((int)words[0], pointer(words[1]), (unsigned int)words[2],
					pointer(words[3]), (size_t)words[4]);
		return true;
	case SYS_init_module:
		*result = init_module(pointer(words[0]), (unsigned long)words[1],
				      pointer(words[2]));
		return true;
	case SYS_finit_module:
		*result = finit_module((int)words[0], pointer(words[1]), (int)words[2]);
		return true;
	case SYS_delete_module:
		*result = delete_module(pointer(words[0]), (unsigned int)words[1]);
		return true;
	default:
		return false;
	}
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
		if (!opens_emulated((int)words[0], pointer(words[1]), pointer(words[2])))
			return false;
		errno = ENOSYS;
		*result = -1;
		return true;
	case SYS_statx:
		*result = statx((int)words[0], pointer(words[1]), (int)words[2],
				(unsigned int)words[3], pointer(words[4]));
		return true;
	case SYS_chroot:
		*result = chroot(pointer(words[0]));
		return true;
	case SYS_execve:
		*result = execve(pointer(words[0]), pointer(words[1]), pointer(words[2]));
		return true;
	case SYS_execveat:
		*result = execveat((int)words[0], pointer(words[1]), pointer(words[2]),
				   pointer(words[3]), (int)words[4]);
		return true;
	default:
		return call_descriptors(number, words, result) ||
		       call_placement(number, words, result) || call_changes(number, words, result);
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
