/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the command, which ends without it. The next run rolls back a change that was not
 * complete, as after a kill. */
#ifndef ISST_CLI_XALLOC_H
#define ISST_CLI_XALLOC_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

/** The exit status without memory, unless xalloc_exit_with() sets another one. */
enum { XALLOC_EXIT_STATUS = 1 };

void xalloc_exit_with(int status);

/** Reports a negative errno, -ENOMEM but for a mistake of the program, and ends the program. */
__attribute__((noreturn)) void xalloc_fail(int error);

/** Returns what was made; NULL stands for a lack of memory. */
static inline void *xcheck(void *made)
{
	if (!made)
		xalloc_fail(-ENOMEM);
	return made;
}

/** Takes the result of a call that fails only without memory. */
static inline void xcall(int error)
{
	if (error)
		xalloc_fail(error);
}

void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *block, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xvasprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
