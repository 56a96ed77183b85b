/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams into memory that remember where there was too little of it: those of open_memstream(3)
 * leave out what did not fit and go on.
 */
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

/** Ends the text with a NUL; it is to be freed. Returns 0, or -ENOMEM and no text where any of it
 * is missing. */
int memory_stream_close(struct memory_stream *memory);

/** The same; returns the text, or NULL where any of it is missing. */
char *memory_stream_text(struct memory_stream *memory);

/** Ends a stream, if it is open, and frees its text. */
void memory_stream_drop(struct memory_stream *memory);

#endif
