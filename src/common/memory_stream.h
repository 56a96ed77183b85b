/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams into memory that report a lack of it: open_memstream(3) loses text and goes on. */
#ifndef ISST_COMMON_MEMORY_STREAM_H
#define ISST_COMMON_MEMORY_STREAM_H

#include <stddef.h>
#include <stdio.h>

struct memory_stream {
	FILE *stream;
	char *text;
	size_t size, space;
};

/** Returns 0 or -ENOMEM. */
int memory_stream_open(struct memory_stream *memory);

/** Ends the text, which is to be freed. Returns 0, or -ENOMEM without a text if any of it was lost.
 */
int memory_stream_close(struct memory_stream *memory);

/** The same; returns the text or NULL. */
static inline char *memory_stream_text(struct memory_stream *memory)
{
	return memory_stream_close(memory) ? NULL : memory->text;
}

/** Closes a stream, if it is open, and frees its text. */
void memory_stream_drop(struct memory_stream *memory);

#endif
