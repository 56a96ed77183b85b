/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of files and directories, as far as they reveal changes. */
#include "emulator/state/entries.h"

#include <sys/stat.h>

/* Two ticks of the slowest kernel, which is also more than any file system rounds times to that
 * counts fractions of seconds. */
enum { SETTLING_MS = 20 };

bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/** Times of files are too coarse to distinguish two changes in a row: they advance in ticks. */
bool time_has_settled(const struct timespec *changed)
{
	struct timespec now;
	int64_t age_ms;

	/* The clock that files get their times from. */
	if (clock_gettime(CLOCK_REALTIME_COARSE, &now))
		return false;
	age_ms = (int64_t)(now.tv_sec - changed->tv_sec) * 1000 +
		 (now.tv_nsec - changed->tv_nsec) / 1000000;
	return age_ms > SETTLING_MS;
}

/** File systems that count whole seconds may show the same time for longer than that. */
static bool is_settled(const struct stat *status)
{
	return status->st_mtim.tv_nsec && status->st_ctim.tv_nsec &&
	       time_has_settled(&status->st_mtim) && time_has_settled(&status->st_ctim);
}

void entries_look(struct entries *entries, int directory)
{
	struct stat status;
	bool known = fstat(directory, &status) == 0;

	if (known && entries->settled && same_time(&entries->modified, &status.st_mtim) &&
	    same_time(&entries->changed, &status.st_ctim))
		return;
	entries->version++;
	entries->settled = known && is_settled(&status);
	if (!known)
		return;
	entries->modified = status.st_mtim;
	entries->changed = status.st_ctim;
}
