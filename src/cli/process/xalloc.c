/* SPDX-License-Identifier: BSD-3-Clause */
#include "xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int exit_status = XALLOC_EXIT_STATUS;

void xalloc_exit_with(int status)
{
	exit_status = status;
}

void xalloc_fail(int error)
{
	if (error == -ENOMEM)
		fputs("Error: cannot allocate memory\n", stderr);
	else
		fprintf(stderr, "Error: unexpected: %s\n", strerror(-error));
	exit(exit_status);
}

void *xcalloc(size_t count, size_t size)
{
	return xcheck(calloc(count, size));
}

void *xreallocarray(void *block, size_t count, size_t size)
{
	return xcheck(reallocarray(block, count, size));
}

char *xstrdup(const char *text)
{
	return xcheck(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
	return xcheck(strndup(text, length));
}

char *xvasprintf(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		xalloc_fail(-ENOMEM);
	return text;
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = xvasprintf(format, arguments);
	va_end(arguments);
	return text;
}
