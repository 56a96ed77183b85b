/* SPDX-License-Identifier: BSD-3-Clause */
/* The state directory: its place, its lock, its system log. */
#include "common/descriptor.h"
#include "common/hash.h"
#include "common/monotonic.h"
#include "emulator/model/text.h"
#include "emulator/state/state.h"
#include "isst.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Waiting for the lock: a process that keeps it is stopped or stuck ---- */

/* A stopped process may continue; another may sleep because of a fault rule. */
enum { STOPPED_MS = 3000, LONGEST_MS = 60000 };
/* Calls take microseconds, so the first looks come close on each other. */
enum { FIRST_PAUSE_US = 20, LONGEST_PAUSE_US = 5000 };

/** The name of a process, and the letter of its state: T where it is stopped, t by a debugger. */
static bool look_at(unsigned int process, char *name, size_t size, char *state)
{
	char path[40], line[128], *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", process);
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
	unsigned int process;
	bool stopped;

	if (waited_ms < STOPPED_MS)
		return false;
	process = descriptor_lock_holder(lock);
	if (process == 0 || !look_at(process, name, sizeof(name), &state))
		return waited_ms >= LONGEST_MS;
	stopped = state == 'T' || state == 't';
	if (!stopped && waited_ms < LONGEST_MS)
		return false;
	set_error(holder, 0, "process %u (%s), which %s", process, name,
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

/* ---- The system log, one line for each message ---- */

void directory_log(int directory, const char *line)
{
	int file = openat(directory, "log",
			  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			  0600);
	char *text;
	int length = file < 0 ? -1 : asprintf(&text, "%s\n", line);

	if (length >= 0) {
		/* Lest it look like two. */
		for (int i = 0; i < length - 1; i++)
			if (text[i] == '\n' || text[i] == '\r')
				text[i] = ' ';
		/* One write, so that lines do not mix. As with syslog(), failures are not reported.
		 */
		length = (int)write(file, text, (size_t)length);
		free(text);
	}
	(void)length;
	if (file >= 0)
		close(file);
}

/* ---- The directory ---- */

static const char directory_name[] = "isst-emulator";
/* What the lock file holds: by it, and not by any name, a directory is known as an emulator's. */
static const char marker[] = "isst emulator state\n";

/** Opens a directory that must be the caller's own, and writable by its owner alone: a user who can
 * write into it decides what this process reads and removes. */
static int open_own(const char *path, bool make, char **error)
{
	struct stat status;
	int directory;

	if (make && mkdir(path, 0700) && errno != EEXIST)
		return set_error(error, errno == EACCES || errno == EPERM ? -EPERM : -EIO,
				 "Cannot create the directory %s: %s", path, strerror(errno));
	directory = keep_off_streams(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (directory < 0) {
		if (errno == ENOENT && !make)
			return -ENOENT;
		if (errno == ELOOP || errno == ENOTDIR)
			return set_error(error, -EINVAL,
					 "%s is not a directory; the state directory must not be "
					 "a link",
					 path);
		return set_error(error, errno == EACCES ? -EPERM : -EIO, "Cannot open %s: %s", path,
				 strerror(errno));
	}
	if (fstat(directory, &status) || status.st_uid != geteuid()) {
		close(directory);
		return set_error(error, -EPERM,
				 "%s belongs to another user; the emulator uses only directories "
				 "of its caller",
				 path);
	}
	if (status.st_mode & (S_IWGRP | S_IWOTH)) {
		close(directory);
		return set_error(error, -EPERM,
				 "%s is writable by other users; remove this permission to use it "
				 "as state directory",
				 path);
	}
	return directory;
}

/** Below a directory that is there and the caller's own. Files of one name in different places are
 * different platforms, and so is one without its lock. */
static int default_path(const struct isst_emulator_target *target, const char *platform, bool make,
			char **path, char **error)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	const char *unlocked = target->unlock ? "-unlocked" : "";
	char *base, *real;
	struct stat status;
	int directory, length;

	if (runtime && *runtime == '/' && stat(runtime, &status) == 0 && S_ISDIR(status.st_mode) &&
	    status.st_uid == geteuid())
		length = asprintf(&base, "%s/%s", runtime, directory_name);
	else
		length = asprintf(&base, "/tmp/%s-%u", directory_name, (unsigned int)geteuid());
	if (length < 0)
		return -ENOMEM;
	directory = open_own(base, make, error);
	if (directory < 0) {
		free(base);
		return directory;
	}
	close(directory);
	if (strchr(target->platform, '/')) {
		real = realpath(target->platform, NULL);
		length = asprintf(path, "%s/%s-%08x%s", base, platform,
				  (uint32_t)hash_text(real ? real : target->platform), unlocked);
		free(real);
	} else {
		length = asprintf(path, "%s/%s%s", base, platform, unlocked);
	}
	free(base);
	if (length < 0)
		*path = NULL;
	return length < 0 ? -ENOMEM : 0;
}

/** Has an emulator been here? The marker is there before anything else is made. */
static bool is_marked(int directory)
{
	char content[sizeof(marker)];
	struct stat status;
	bool marked;
	int lock = openat(directory, "lock", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	if (lock < 0)
		return false;
	marked = fstat(lock, &status) == 0 && S_ISREG(status.st_mode) &&
		 read(lock, content, sizeof(content)) == sizeof(marker) - 1 &&
		 memcmp(content, marker, sizeof(marker) - 1) == 0;
	close(lock);
	return marked;
}

/** Other files in it, although no emulator has used it? */
static int check_foreign(int directory, const char *path, char **error)
{
	DIR *stream;
	struct dirent *entry;
	int copy, result = 0;

	if (is_marked(directory))
		return 0;
	copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	stream = copy < 0 ? NULL : fdopendir(copy);
	if (!stream) {
		if (copy >= 0)
			close(copy);
		return set_error(error, -EIO, "Cannot read %s: %s", path, strerror(errno));
	}
	while (!result && (entry = readdir(stream))) {
		const char *name = entry->d_name;
		struct stat status;

		/* Before the marker there may be rules, and a lock about to be written. */
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    strcmp(name, "faults") == 0 ||
		    (strcmp(name, "lock") == 0 &&
		     fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		     S_ISREG(status.st_mode) && status.st_size == 0))
			continue;
		/* A second first user may have come in between. */
		if (is_marked(directory))
			break;
		result = set_error(error, -EINVAL,
				   "%s contains files that do not belong to the emulator (%s); "
				   "use an empty directory",
				   path, entry->d_name);
	}
	closedir(stream);
	return result;
}

int directory_open(const struct isst_emulator_target *target, const char *platform, bool make,
		   char **path, char **error)
{
	const char *chosen = target->state_directory;
	int directory, result = 0;

	*path = NULL;
	if (!chosen)
		result = default_path(target, platform, make, path, error);
	if (result)
		return result;
	directory = open_own(chosen ? chosen : *path, make, error);
	if (directory < 0)
		return directory;
	/* The name is needed after a change of directory. */
	if (chosen)
		*path = realpath(chosen, NULL);
	result = *path ? check_foreign(directory, *path, error) : -errno;
	if (!result)
		return directory;
	close(directory);
	return result;
}

int directory_lock(int directory, const char *path, char **error)
{
	int lock = keep_off_streams(
		openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
	char *holder = NULL;
	struct stat status;
	int result;

	if (lock < 0)
		return set_error(error, -EIO, "Cannot open %s/lock: %s", path, strerror(errno));
	result = directory_wait_lock(lock, &holder);
	if (result) {
		set_error(error, -EIO, "Cannot lock %s/lock: %s%s", path,
			  holder ? "it is locked by " : strerror(-result), holder ? holder : "");
		free(holder);
		close(lock);
		return -EIO;
	}
	/* Makes the directory an emulator's, unless it is already. */
	result = fstat(lock, &status) ? -errno : 0;
	if (!result && status.st_size == 0) {
		ssize_t size = pwrite(lock, marker, sizeof(marker) - 1, 0);

		if (size != sizeof(marker) - 1)
			result = size < 0 ? -errno : -ENOSPC;
		/* Half a marker would be invalid. */
		if (result && ftruncate(lock, 0))
			result = -errno;
	}
	if (result) {
		set_error(error, -EIO, "Cannot write %s/lock: %s", path, strerror(-result));
		close(lock);
		return -EIO;
	}
	return lock;
}

int directory_remove(int directory, const char *name)
{
	struct dirent *entry;
	int below, result = 0;
	DIR *stream;

	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0)
		return -errno;
	stream = fdopendir(below);
	if (!stream) {
		result = -errno;
		close(below);
		return result;
	}
	while (!result && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = directory_remove(below, entry->d_name);
	closedir(stream);
	if (!result && unlinkat(directory, name, AT_REMOVEDIR))
		result = -errno;
	return result;
}
