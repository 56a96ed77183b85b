/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of stdio on emulated files. stdio writes by internal calls that cannot be
 * replaced, so what it wrote is handed on where programs learn of errors: at fflush() and
 * fclose().
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int flags_of(const char *mode)
{
	int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
	size_t options = strcspn(mode, ",");

	if (memchr(mode, '+', options))
		flags = (flags & ~O_ACCMODE) | O_RDWR;
	if (memchr(mode, 'e', options))
		flags |= O_CLOEXEC;
	if (memchr(mode, 'x', options))
		flags |= O_EXCL;
	return flags;
}

INTERPOSED FILE *fopen(const char *path, const char *mode)
{
	char found[PATH_MAX];
	int descriptor;
	FILE *stream;

	if (!file_open_emulated(AT_FDCWD, &path, flags_of(mode), found, &descriptor))
		return REAL(fopen)(path, mode);
	stream = descriptor < 0 ? NULL : fdopen(descriptor, mode);
	if (!stream && descriptor >= 0)
		close(descriptor);
	return stream;
}

INTERPOSED FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	char name[40], found[PATH_MAX];
	int descriptor;
	FILE *opened;

	fflush(stream);
	if (!path || !file_open_emulated(AT_FDCWD, &path, flags_of(mode), found, &descriptor))
		return REAL(freopen)(path, mode, stream);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
	opened = REAL(freopen)(descriptor < 0 ? "" : name, mode, stream);
	if (descriptor >= 0)
		close(descriptor);
	return opened;
}

/** Hands on what is in the file of a stream. Returns 0, or -1 and errno. */
static int deliver(FILE *stream)
{
	char emulated[PATH_MAX];
	int result = 0, descriptor = fileno(stream);

	if (descriptor < 0 || !preload_begin())
		return 0;
	if (path_of_descriptor(descriptor, emulated))
		result = file_deliver(descriptor, emulated);
	preload_end(false);
	/* Programs ask ferror(), which a failed write would have set. */
	if (result)
		stream->_flags |= _IO_ERR_SEEN;
	return result;
}

INTERPOSED int fflush(FILE *stream)
{
	int result = REAL(fflush)(stream);
	int error = errno;

	if (!stream)
		stream = stdout;
	if (deliver(stream))
		return EOF;
	errno = error;
	return result;
}

INTERPOSED int fclose(FILE *stream)
{
	int flushed = fflush(stream), error = errno;
	int closed = REAL(fclose)(stream);

	if (!flushed)
		return closed;
	errno = error;
	return EOF;
}

INTERPOSED FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));
INTERPOSED FILE *freopen64(const char *path, const char *mode, FILE *stream)
	__attribute__((alias("freopen")));
