/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a directory still has the entries that it had: most calls find the state directory as the
 * one before has left it, and need not look up its files by name again.
 */
#ifndef EMULATOR_STATE_ENTRIES_H
#define EMULATOR_STATE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct entries {
	/** The same as in an earlier look: no entry has come, gone, or become another file since.
	 * From 1 on. */
	uint64_t version;
	struct timespec modified, changed;
	bool settled; /* so old when it was looked at that every later change has another time */
};

/** To be called before the entries are looked at. What they contain may change at any time. */
void entries_look(struct entries *entries, int directory);

/** Whether @changed, a time of a file, is so long ago that every later change has another one. */
bool time_has_settled(const struct timespec *changed);
bool same_time(const struct timespec *a, const struct timespec *b);

#endif
