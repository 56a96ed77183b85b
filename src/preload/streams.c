/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of stdio on emulated files. stdio writes by internal calls that cannot be
 * replaced, so what it wrote is handed on where programs learn of errors: at fflush() and
 * fclose().
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** The C library refuses others. */
static bool is_mode(const char *mode)
{
	return *mode == 'r' || *mode == 'w' || *mode == 'a';
}

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

/* Streams that read and write: whatever one of them has read in advance would be written back to
 * the machine with the rest of a memory file. They have no descriptor for fileno(3). */

static int descriptor_of(const void *cookie)
{
	return (int)(intptr_t)cookie;
}

static ssize_t read_cookie(void *cookie, char *buffer, size_t size)
{
	return read(descriptor_of(cookie), buffer, size);
}

static ssize_t write_cookie(void *cookie, const char *content, size_t size)
{
	return write(descriptor_of(cookie), content, size);
}

static int seek_cookie(void *cookie, off64_t *offset, int whence)
{
	off_t result = lseek(descriptor_of(cookie), *offset, whence);

	if (result >= 0)
		*offset = result;
	return result < 0 ? -1 : 0;
}

static int close_cookie(void *cookie)
{
	return close(descriptor_of(cookie));
}

static FILE *open_stream(int descriptor, const char *mode)
{
	static const cookie_io_functions_t functions = { read_cookie, write_cookie, seek_cookie,
							 close_cookie };
	void *cookie = (void *)(intptr_t)descriptor; /* NOLINT(performance-no-int-to-ptr) */

	if ((flags_of(mode) & O_ACCMODE) != O_RDWR)
		return fdopen(descriptor, mode);
	return fopencookie(cookie, mode, functions);
}

/* ---- Opening ---- */

/* Streams that the program has opened here: they may hold what is to be written. */
struct opened {
	FILE *stream;
	struct opened *next;
};
static struct opened *all;

/** Without memory what was not flushed is lost at the end. */
static FILE *remember(FILE *stream)
{
	struct opened *opened = stream ? malloc(sizeof(*opened)) : NULL;

	if (!opened || !preload_begin()) {
		free(opened);
		return stream;
	}
	*opened = (struct opened){ stream, all };
	all = opened;
	preload_end(false);
	return stream;
}

/** Before it is closed, or opened anew. */
static void forget(const FILE *stream)
{
	if (!all || !preload_begin())
		return;
	for (struct opened **link = &all, *opened; (opened = *link);) {
		if (opened->stream == stream) {
			*link = opened->next;
			free(opened);
		} else {
			link = &opened->next;
		}
	}
	preload_end(false);
}

INTERPOSED FILE *fopen(const char *path, const char *mode)
{
	char found[PATH_MAX];
	int descriptor;
	FILE *stream;

	if (!is_mode(mode) ||
	    !file_open_emulated(AT_FDCWD, &path, flags_of(mode), found, &descriptor))
		return REAL(fopen)(path, mode);
	stream = descriptor < 0 ? NULL : open_stream(descriptor, mode);
	if (!stream && descriptor >= 0)
		close(descriptor);
	return remember(stream);
}

INTERPOSED FILE *fdopen(int descriptor, const char *mode)
{
	FILE *stream = REAL(fdopen)(descriptor, mode);

	return path_may_be_emulated(descriptor) ? remember(stream) : stream;
}

INTERPOSED FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	char name[40], found[PATH_MAX];
	int descriptor, error;
	FILE *opened;

	fflush(stream);
	forget(stream);
	if (!path || !is_mode(mode) ||
	    !file_open_emulated(AT_FDCWD, &path, flags_of(mode), found, &descriptor))
		return REAL(freopen)(path, mode, stream);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", descriptor);
	error = errno;
	opened = REAL(freopen)(descriptor < 0 ? "" : name, mode, stream);
	if (descriptor >= 0)
		close(descriptor);
	else
		errno = error;
	return remember(opened);
}

/* ---- Writing ---- */

/** Hands on what is in the file of a stream. Returns 0, or -1 and errno. */
static int deliver(FILE *stream)
{
	char emulated[PATH_MAX];
	int result = 0, descriptor = fileno_unlocked(stream);

	if (descriptor >= 0 && path_of_descriptor(descriptor, emulated))
		result = file_deliver(descriptor, emulated);
	/* Programs ask ferror(), which a failed write would have set. */
	if (result)
		stream->_flags |= _IO_ERR_SEEN;
	return result;
}

/** The same of all streams. */
static int deliver_all(void)
{
	int result = deliver(stdout), error = errno;

	for (struct opened *opened = all; opened; opened = opened->next) {
		if (deliver(opened->stream) == 0)
			continue;
		result = -1;
		error = errno;
	}
	errno = error;
	return result;
}

INTERPOSED int fflush(FILE *stream)
{
	int result = REAL(fflush)(stream);
	int error = errno, delivered;

	if (!preload_begin())
		return result;
	delivered = stream ? deliver(stream) : deliver_all();
	preload_end(false);
	if (delivered)
		return EOF;
	errno = error;
	return result;
}

/** What is still in a stream when the program ends. The C library writes that only after this
 * library has ended. */
static void write_last(FILE *stream)
{
	/* Not while another thread is at work on it, which may be for ever. */
	if (ftrylockfile(stream))
		return;
	fflush_unlocked(stream);
	funlockfile(stream);
	if (fileno_unlocked(stream) >= 0)
		file_deliver_last(fileno_unlocked(stream));
}

__attribute__((destructor)) static void end(void)
{
	if (!preload_begin())
		return;
	write_last(stdout);
	for (struct opened *opened = all; opened; opened = opened->next)
		write_last(opened->stream);
	preload_end(false);
	file_deliver_all();
}

INTERPOSED int fclose(FILE *stream)
{
	int flushed = fflush(stream), error = errno, closed;

	forget(stream);
	closed = REAL(fclose)(stream);
	if (!flushed)
		return closed;
	errno = error;
	return EOF;
}

/* ---- Seeking ---- */

/** Before a stream goes back to the beginning of a file: what it has read of it is read again. */
static void begin_again(FILE *stream)
{
	/* Further than a buffer reaches: the C library seeks within what it has in its buffer. */
	static const off_t far = 1 << 30;
	int descriptor = fileno(stream), error = errno;

	if (descriptor >= 0 && file_begin_again(descriptor))
		REAL(fseeko)(stream, far, SEEK_SET);
	errno = error;
}

INTERPOSED int fseeko(FILE *stream, off_t offset, int whence)
{
	if (offset == 0 && whence == SEEK_SET)
		begin_again(stream);
	return REAL(fseeko)(stream, offset, whence);
}

INTERPOSED int fseek(FILE *stream, long offset, int whence)
{
	return fseeko(stream, offset, whence);
}

INTERPOSED void rewind(FILE *stream)
{
	begin_again(stream);
	REAL(rewind)(stream);
}

INTERPOSED int fsetpos(FILE *stream, const fpos_t *position)
{
	if (position->__pos == 0)
		begin_again(stream);
	return REAL(fsetpos)(stream, position);
}

INTERPOSED int fsetpos64(FILE *stream, const fpos64_t *position) __attribute__((alias("fsetpos")));
INTERPOSED int fseeko64(FILE *stream, off64_t offset, int whence) __attribute__((alias("fseeko")));
INTERPOSED FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));
INTERPOSED FILE *freopen64(const char *path, const char *mode, FILE *stream)
	__attribute__((alias("freopen")));
