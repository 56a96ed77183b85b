/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream that never waits for its reader: what is not taken is sent later. */
#ifndef ISST_CLI_NOWAIT_STREAM_H
#define ISST_CLI_NOWAIT_STREAM_H

#include <stdio.h>

struct nowait_stream;

/** Opens a stream to the descriptor of @to, which must not be used meanwhile. @first: a stream
 * that is sent before (NULL: none). */
struct nowait_stream *nowait_stream_open(FILE *to, struct nowait_stream *first);

/** What is printed to. It is the stream's. */
FILE *nowait_stream_file(const struct nowait_stream *stream);

/** Sends as much as is taken now of what is kept or buffered. */
void nowait_stream_send(struct nowait_stream *stream);

/** Writes the rest to the other stream, which may wait. */
void nowait_stream_close(struct nowait_stream *stream);

/** Opens a pipe or terminal again, for writing without waiting: other processes share the old
 * description. Returns a descriptor, or -1. */
int nowait_open_again(int descriptor);

#endif
