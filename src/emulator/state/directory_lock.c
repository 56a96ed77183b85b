/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for the lock of a state directory: a process holds it for one call, so one that keeps it
 * is stopped or stuck, and is named instead of being waited for without end. Nothing of what the
 * lock is for.
 */
#include "common/monotonic.h"
#include "emulator/model/text.h"
#include "emulator/state/directory.h"
#include "isst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* A stopped process may go on, but it is not known when; another one may sleep as a fault rule has
 * it.
 */
enum { STOPPED_MS = 3000, LONGEST_MS = 60000 };
/* Calls take microseconds, so the first looks come close on each other. */
enum { FIRST_PAUSE_US = 20, LONGEST_PAUSE_US = 5000 };

/** `1: FLOCK  ADVISORY  WRITE 4711 00:05:1234 0 EOF`: the process, or 0. */
static int holder_in_line(const char *line)
{
	static const char KIND[] = "FLOCK  ADVISORY  WRITE ";
	const char *word = strstr(line, KIND);
	char digits[12] = "";
	uint64_t process;

	if (!word)
		return 0;
	word += sizeof(KIND) - 1;
	memcpy(digits, word, strnlen(word, sizeof(digits) - 1));
	digits[strspn(digits, "0123456789")] = '\0';
	return isst_parse_number(digits, 10, INT32_MAX, &process) ? 0 : (int)process;
}

/** The process that /proc/locks names as holder of the file's lock, 0 where it names none. */
static int find_holder(int lock)
{
	FILE *locks = fopen("/proc/locks", "re");
	struct stat status;
	char *line = NULL, *wanted;
	size_t space = 0;
	int found = 0;

	if (!locks)
		return 0;
	if (fstat(lock, &status) ||
	    asprintf(&wanted, " %02x:%02x:%llu ", major(status.st_dev), minor(status.st_dev),
		     (unsigned long long)status.st_ino) < 0)
		wanted = NULL;
	while (wanted && !found && getline(&line, &space, locks) > 0)
		if (strstr(line, wanted))
			found = holder_in_line(line);
	free(wanted);
	free(line);
	fclose(locks);
	return found;
}

/** Its name, and the letter of its state: T where it is stopped, t by a debugger. */
static bool look_at(int process, char *name, size_t size, char *state)
{
	char path[40], line[128], *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	/* PID (NAME) STATE: the name may hold parentheses itself. */
	end = strrchr(line, ')');
	if (!end || !strchr(line, '(') || end[1] == '\0' || end[2] == '\0')
		return false;
	*end = '\0';
	snprintf(name, size, "%s", strchr(line, '(') + 1);
	*state = end[2];
	return true;
}

/** Whether it has been waited long enough; then *@holder names the process. */
static bool give_up(int lock, int64_t waited_ms, char **holder)
{
	char name[64], state = '?';
	int process;
	bool stopped;

	if (waited_ms < STOPPED_MS)
		return false;
	process = find_holder(lock);
	if (process == 0 || !look_at(process, name, sizeof(name), &state))
		return waited_ms >= LONGEST_MS;
	stopped = state == 'T' || state == 't';
	if (!stopped && waited_ms < LONGEST_MS)
		return false;
	set_error(holder, 0, "process %d (%s), which %s", process, name,
		  stopped ? "is stopped inside a call" : "did not finish its call within a minute");
	return true;
}

int directory_wait_lock(int lock, char **holder)
{
	const int64_t start = monotonic_ms();
	struct timespec pause = { .tv_nsec = FIRST_PAUSE_US * 1000 };
	int64_t looked = start;

	while (flock(lock, LOCK_EX | LOCK_NB)) {
		int64_t now = monotonic_ms();

		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (now - looked >= 500 || now - start >= LONGEST_MS) {
			looked = now;
			if (give_up(lock, now - start, holder))
				return -ETIMEDOUT;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LONGEST_PAUSE_US * 1000)
			pause.tv_nsec *= 2;
	}
	return 0;
}
