/* SPDX-License-Identifier: BSD-3-Clause */
#include "nowait_stream.h"

#include "../../common/memory_stream.h"
#include "xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct nowait_stream {
	FILE *file, *to;
	struct nowait_stream *first;
	int descriptor;
	bool own;   /* the descriptor is closed in the end */
	bool waits; /* it is no file, and could not be opened again with O_NONBLOCK */
	bool closing;
	struct memory_stream kept; /* what was not taken */
	size_t sent;		   /* of that */
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

static ssize_t send_piece(const struct nowait_stream *stream, const char *text, size_t size)
{
	struct pollfd ready = { .fd = stream->descriptor, .events = POLLOUT };

	if (!stream->waits)
		return write(stream->descriptor, text, size);
	/* A socket, or another user's. A ready pipe takes PIPE_BUF bytes, a socket more; a terminal
	 * at least a line feed, which it may double. */
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
	struct memory_stream *kept = &stream->kept;

	if (stream->first)
		send_kept(stream->first);
	if (kept->size == 0)
		return;
	stream->sent += send_text(stream, kept->text + stream->sent, kept->size - stream->sent);
	if (stream->sent == kept->size)
		stream->sent = kept->size = 0;
}

/* ---- The stream ---- */

/** Called by the stream for each line, or for a whole buffer. */
static ssize_t take_text(void *cookie, const char *text, size_t size)
{
	struct nowait_stream *stream = cookie;
	size_t sent = 0;

	if (stream->closing)
		return (ssize_t)fwrite(text, 1, size, stream->to);
	send_kept(stream);
	if (stream->kept.size == 0)
		sent = send_text(stream, text, size);
	fwrite(text + sent, 1, size - sent, stream->kept.stream);
	/* 0 is how such a function fails. */
	return fflush(stream->kept.stream) != 0 ? 0 : (ssize_t)size;
}

struct nowait_stream *nowait_stream_open(FILE *to, struct nowait_stream *first)
{
	static const cookie_io_functions_t functions = { .write = take_text };
	struct nowait_stream *stream = xcalloc(1, sizeof(*stream));
	struct stat status = { 0 };
	int again = -1;

	stream->to = to;
	stream->first = first;
	(void)fstat(fileno(to), &status);
	/* A file that is opened again has another position. */
	if (S_ISFIFO(status.st_mode) || isatty(fileno(to)))
		again = nowait_open_again(fileno(to));
	stream->own = again >= 0;
	stream->descriptor = stream->own ? again : fileno(to);
	stream->waits = !stream->own && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode);
	xcall(memory_stream_open(&stream->kept));
	stream->file = xcheck(fopencookie(stream, "w", functions));
	/* As stdio buffers the other stream. */
	(void)setvbuf(stream->file, stream->buffer,
		      to == stderr || isatty(fileno(to)) ? _IOLBF : _IOFBF, sizeof(stream->buffer));
	return stream;
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
	if (stream->kept.size > 0)
		(void)fwrite(stream->kept.text + stream->sent, 1, stream->kept.size - stream->sent,
			     stream->to);
	stream->closing = true;
	fclose(stream->file);
	if (stream->own)
		close(stream->descriptor);
	memory_stream_drop(&stream->kept);
	free(stream);
}
