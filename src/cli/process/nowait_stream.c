/* SPDX-License-Identifier: BSD-3-Clause */
#include "nowait_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum method {
	METHOD_WRITE, /* it is a file, or was opened again with O_NONBLOCK */
	METHOD_SEND,  /* a socket */
	METHOD_POLL,  /* only when poll(2) reports it as ready, and little at a time */
};

struct nowait_stream {
	FILE *file, *to;
	struct nowait_stream *first;
	int descriptor;
	bool own; /* the descriptor is closed in the end */
	bool closing;
	enum method method;
	char *kept; /* what was not taken */
	size_t size, capacity;
	char buffer[BUFSIZ];
};

/* ---- Without waiting ---- */

int nowait_open_again(int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL);
	char path[64];

	/* No more rights than the caller gave. */
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void choose_method(struct nowait_stream *stream)
{
	struct stat status;
	int again = -1;

	stream->method = METHOD_POLL;
	if (fstat(stream->descriptor, &status) != 0)
		return;
	if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))
		stream->method = METHOD_WRITE;
	else if (S_ISSOCK(status.st_mode))
		stream->method = METHOD_SEND;
	else if (S_ISFIFO(status.st_mode) || isatty(stream->descriptor))
		again = nowait_open_again(stream->descriptor);
	if (again < 0)
		return;
	stream->descriptor = again;
	stream->own = true;
	stream->method = METHOD_WRITE;
}

static ssize_t send_piece(const struct nowait_stream *stream, const char *text, size_t size)
{
	struct pollfd ready = { .fd = stream->descriptor, .events = POLLOUT };

	if (stream->method == METHOD_SEND)
		return send(stream->descriptor, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (stream->method == METHOD_WRITE)
		return write(stream->descriptor, text, size);
	/* It cannot be opened again, as it is another user's. A ready pipe takes PIPE_BUF bytes; a
	 * terminal at least a line feed, which it may double. */
	if (poll(&ready, 1, 0) != 1) {
		errno = EAGAIN;
		return -1;
	}
	if (isatty(stream->descriptor))
		size = 1;
	return write(stream->descriptor, text, size < PIPE_BUF ? size : PIPE_BUF);
}

/** Returns how much was taken. What is in the way is for the other stream to report. */
static size_t send_text(const struct nowait_stream *stream, const char *text, size_t size)
{
	size_t sent = 0;
	ssize_t count;

	do {
		count = send_piece(stream, text + sent, size - sent);
		if (count > 0)
			sent += (size_t)count;
	} while (sent < size && (count > 0 || (count < 0 && errno == EINTR)));
	return sent;
}

static void send_kept(struct nowait_stream *stream)
{
	size_t sent;

	if (stream->first)
		send_kept(stream->first);
	if (stream->size == 0)
		return;
	sent = send_text(stream, stream->kept, stream->size);
	memmove(stream->kept, stream->kept + sent, stream->size - sent);
	stream->size -= sent;
}

/* ---- The stream ---- */

static bool keep(struct nowait_stream *stream, const char *text, size_t size)
{
	size_t capacity = stream->capacity;

	while (capacity < stream->size + size)
		capacity = capacity ? 2 * capacity : BUFSIZ;
	if (capacity > stream->capacity) {
		char *grown = realloc(stream->kept, capacity);

		if (!grown)
			return false;
		stream->kept = grown;
		stream->capacity = capacity;
	}
	memcpy(stream->kept + stream->size, text, size);
	stream->size += size;
	return true;
}

/** Called by the stream for each line, or for a whole buffer. */
static ssize_t take_text(void *cookie, const char *text, size_t size)
{
	struct nowait_stream *stream = cookie;
	size_t sent = 0;

	if (stream->closing)
		return (ssize_t)fwrite(text, 1, size, stream->to);
	send_kept(stream);
	if (stream->size == 0)
		sent = send_text(stream, text, size);
	/* 0 is how such a function fails. */
	if (sent < size && !keep(stream, text + sent, size - sent))
		return 0;
	return (ssize_t)size;
}

int nowait_stream_open(FILE *to, struct nowait_stream *first, struct nowait_stream **out)
{
	static const cookie_io_functions_t functions = { .write = take_text };
	struct nowait_stream *stream = calloc(1, sizeof(*stream));

	*out = NULL;
	if (!stream)
		return -ENOMEM;
	stream->to = to;
	stream->first = first;
	stream->descriptor = fileno(to);
	stream->file = fopencookie(stream, "w", functions);
	/* As stdio buffers the other stream. */
	if (!stream->file || setvbuf(stream->file, stream->buffer,
				     to == stderr || isatty(fileno(to)) ? _IOLBF : _IOFBF,
				     sizeof(stream->buffer)) != 0) {
		nowait_stream_close(stream);
		return -ENOMEM;
	}
	choose_method(stream);
	*out = stream;
	return 0;
}

FILE *nowait_stream_file(const struct nowait_stream *stream)
{
	return stream->file;
}

void nowait_stream_send(struct nowait_stream *stream)
{
	fflush(stream->file);
	send_kept(stream);
}

void nowait_stream_close(struct nowait_stream *stream)
{
	if (!stream)
		return;
	if (stream->size > 0)
		(void)fwrite(stream->kept, 1, stream->size, stream->to);
	stream->closing = true;
	if (stream->file)
		fclose(stream->file);
	if (stream->own)
		close(stream->descriptor);
	free(stream->kept);
	free(stream);
}
