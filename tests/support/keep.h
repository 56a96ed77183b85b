/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A directory kept in memory, so that a machine can be put back, and compared, without making or
 * reading its thousands of files again: files that look untouched are left alone. Knows nothing of
 * machines.
 */
#ifndef TESTS_SUPPORT_KEEP_H
#define TESTS_SUPPORT_KEEP_H

#include <stdbool.h>
#include <stdio.h>

struct kept;

/**
 * Reads a directory with all that is below it. @like: the same directory at another time, or NULL;
 * what has not changed since is shared with it, so that it has to live longer. To be freed.
 */
struct kept *kept_take(const char *directory, const struct kept *like);
/** The same, only to be printed. */
struct kept *kept_look(const char *directory, const struct kept *like);
/** One of its directories as lines of text, as it is when it is called @path. */
void kept_print(const struct kept *kept, const char *name, const char *path, FILE *stream);
/** A file or directory that is another now, below the directory: its content before and now, NULL
 * where there was, or is, none. */
struct kept_difference {
	const char *path;
	const char *before, *now;
	size_t before_size, now_size;
};

/** Tells every difference between two times of a directory. */
void kept_compare(const struct kept *before, const struct kept *now,
		  void (*tell)(void *data, const struct kept_difference *difference), void *data);

/** Makes the directory what it was, wherever it is not. */
void kept_restore(struct kept *kept);
/** Whether one of its directories holds what it held. */
bool kept_equal(struct kept *kept, const char *name);
void kept_free(struct kept *kept);

#endif
