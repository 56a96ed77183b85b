/* SPDX-License-Identifier: BSD-3-Clause */
/* What is behind the functions that are replaced, and what all of them need. It knows no machine.
 */
#include "preload/preload.h"

#include "emulator/front/launch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void preload_warn(const char *format, ...)
{
	static const char prefix[] = "isst emulate: ";
	char line[PATH_MAX + 200];
	size_t length = sizeof(prefix) - 1;
	va_list arguments;

	memcpy(line, prefix, length);
	va_start(arguments, format);
	vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
	va_end(arguments);
	length = strlen(line);
	line[length++] = '\n';
	/* Not by way of stderr: the program may have it in use, or closed. */
	syscall(SYS_write, STDERR_FILENO, line, length);
}

void preload_fatal(const char *why)
{
	preload_warn("%s", why);
	_exit(LAUNCH_FAILED);
}

void *preload_newer(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void *preload_next(const char *name)
{
	void *function = preload_newer(name);

	if (!function) {
		preload_warn("%s() is missing in this C library", name);
		abort();
	}
	return function;
}

int status_real(int directory, const char *path, struct stat *status, int flags)
{
	return (int)syscall(SYS_newfstatat, directory, path, status, flags);
}
