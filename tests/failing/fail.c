/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A preloaded library that makes one allocation, or one file descriptor, fail; or all from one on.
 * What else a program does is not known here. By the environment:
 *
 * ISST_FAIL: "memory" or "descriptors"
 * ISST_FAIL_AT: the one that fails, from 1 on; 0: none
 * ISST_FAIL_ON: those that follow fail as well
 * ISST_FAIL_COUNT: a file that gets their number when the program ends, and behind it how many
 * blocks of memory it has not freed then; where none was to fail, then a number for the place of
 * each
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

extern void *__libc_realloc(void *block, size_t size);

static unsigned long count, fail_at, blocks;
static uint32_t *places; /* of all */
static bool memory, descriptors, on;

__attribute__((constructor)) static void start(void)
{
	const char *what = getenv("ISST_FAIL"), *at = getenv("ISST_FAIL_AT");

	fail_at = at ? strtoul(at, NULL, 10) : 0;
	on = getenv("ISST_FAIL_ON") != NULL;
	memory = what && strcmp(what, "memory") == 0;
	descriptors = what && strcmp(what, "descriptors") == 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("ISST_FAIL_COUNT");
	char text[48];
	int file, length;

	memory = descriptors = false;
	if (!path)
		return;
	file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	length = snprintf(text, sizeof(text), "%lu %lu\n", count, blocks);
	if (write(file, text, (size_t)length) != length)
		abort();
	for (unsigned long i = 0; places && i < count; i++)
		if (dprintf(file, "%" PRIu32 "\n", places[i]) < 0)
			abort();
	close(file);
}

/* ---- Places ---- */

enum { CALLERS = 3, LARGEST_PROGRAM = 1 << 26 };

struct place {
	unsigned int callers;
	uint32_t number;
};

/** Takes up one that is of the program itself, by where it is in that: libraries are elsewhere, and
 * each time at other addresses. */
static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *data)
{
	uintptr_t offset = _Unwind_GetIP(context) - getauxval(AT_ENTRY) + LARGEST_PROGRAM;
	struct place *place = data;

	if (offset < 2UL * LARGEST_PROGRAM) {
		place->number = place->number * 16777619 + (uint32_t)offset;
		place->callers++;
	}
	return place->callers < CALLERS ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void note_place(void)
{
	struct place place = { 0, 0 };

	_Unwind_Backtrace(add_caller, &place);
	places = __libc_realloc(places, count * sizeof(*places));
	if (!places)
		abort();
	places[count - 1] = place.number;
}

static bool fails(bool counted, int error)
{
	if (!counted)
		return false;
	count++;
	if (!fail_at)
		note_place();
	if (!fail_at || (on ? count < fail_at : count != fail_at))
		return false;
	errno = error;
	return true;
}

/** The function that would have been called; looked up once. */
#define NEXT(name) \
	({ \
		static __typeof__(&(name)) function; \
		if (!function) \
			function = (__typeof__(&(name)))dlsym(RTLD_NEXT, #name); \
		function; \
	})

/* ---- Time ---- */

/** Code that waits for firmware counts the time that it slept: hundreds of runs must not take that
 * time.
 */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time;
	(void)left;
	return 0;
}

/* ---- Memory ---- */

/* The C library's own functions by the names under which it offers them to those that take their
 * place. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void __libc_free(void *block);

static void *counted(void *block)
{
	blocks += block != NULL;
	return block;
}

void *malloc(size_t size)
{
	return fails(memory, ENOMEM) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
	return fails(memory, ENOMEM) ? NULL : counted(__libc_calloc(number, size));
}

void free(void *block)
{
	blocks -= block != NULL;
	__libc_free(block);
}

void *realloc(void *block, size_t size)
{
	if (!block)
		return malloc(size);
	/* It frees the block then. */
	blocks -= size == 0;
	/* Less, or nothing, is always to be had. */
	return size && fails(memory, ENOMEM) ? NULL : __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t number, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(number, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, all);
}

/* ---- Descriptors ---- */

static int open_mode(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = open_mode(flags, arguments);
	va_end(arguments);
	return fails(descriptors, EMFILE) ? -1 : NEXT(open)(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = open_mode(flags, arguments);
	va_end(arguments);
	return fails(descriptors, EMFILE) ? -1 : NEXT(openat)(directory, path, flags, mode);
}

/* What programs call that were compiled with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);

int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

int __openat_2(int directory, const char *path, int flags)
{
	return openat(directory, path, flags);
}

FILE *fopen(const char *path, const char *mode)
{
	return fails(descriptors, EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

DIR *opendir(const char *path)
{
	return fails(descriptors, EMFILE) ? NULL : NEXT(opendir)(path);
}

int dup(int descriptor)
{
	return fails(descriptors, EMFILE) ? -1 : NEXT(dup)(descriptor);
}
