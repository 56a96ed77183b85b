/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream for a reader that may not read: a terminal that is stopped, a pipe whose reader sleeps.
 * Writing never waits: what is not taken at once is kept, and sent with later lines. */
#ifndef ISST_CLI_NOWAIT_STREAM_H
#define ISST_CLI_NOWAIT_STREAM_H

#include <stdio.h>

struct nowait_stream;

/**
 * Opens a stream that writes to the descriptor of another one.
 *
 * @to: the other one, which nothing else is written to until this is closed
 * @first: a stream whose lines are sent before those of this one; NULL: none
 * @stream: set to the stream, NULL after an error
 * Returns 0 or a negative errno.
 */
int nowait_stream_open(FILE *to, struct nowait_stream *first, struct nowait_stream **stream);

/** What is printed to. It is the stream's. */
FILE *nowait_stream_file(const struct nowait_stream *stream);

/** Sends as much as is taken now of what is kept or buffered. */
void nowait_stream_send(struct nowait_stream *stream);

/** Prints what was kept to the other stream, which may wait for its reader. NULL: there is nothing
 * to do. */
void nowait_stream_close(struct nowait_stream *stream);

/** Opens what a descriptor of a pipe or terminal stands for once more, for writing without waiting:
 * other processes share the description that this one inherited, and whether they wait is not for
 * this one to change. Returns a descriptor, or -1. */
int nowait_open_again(int descriptor);

#endif
