/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What posix_spawn(3) does to files in the child: by calls of the C library that cannot be
 * replaced. So emulated files are opened here, when the actions are listed, and duplicated in the
 * child.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

enum role {
	OPENED,
	DIRECTORY, /* which the child is in from here on; none where it cannot be known */
	CLOSING,   /* all descriptors, also those here: it is none itself */
};

/* What lists of actions have, the last one first. */
struct kept {
	const posix_spawn_file_actions_t *actions;
	enum role role;
	int descriptor;
	struct kept *next;
};
static struct kept *all;

/** Returns 0 or an error number. The descriptor is closed with the list, or here. */
static int keep(const posix_spawn_file_actions_t *actions, enum role role, int descriptor)
{
	struct kept *kept = malloc(sizeof(*kept));

	if (!kept || !preload_begin()) {
		free(kept);
		if (descriptor >= 0)
			REAL(close)(descriptor);
		return ENOMEM;
	}
	*kept = (struct kept){ actions, role, descriptor, all };
	all = kept;
	preload_end(true);
	return 0;
}

static const struct kept *find(const posix_spawn_file_actions_t *actions, enum role role)
{
	const struct kept *kept = NULL;

	if (all && preload_begin()) {
		for (kept = all; kept && (kept->actions != actions || kept->role != role);)
			kept = kept->next;
		preload_end(true);
	}
	return kept;
}

/** The directory that the child is in by the actions so far. */
static int directory_of(const posix_spawn_file_actions_t *actions)
{
	const struct kept *kept = find(actions, DIRECTORY);

	return kept ? kept->descriptor : AT_FDCWD;
}

/** To a number that other actions do not mean. */
static int move_high(int descriptor)
{
	enum { HIGH = 100 };
	int moved = descriptor < 0 ? -1 : REAL(fcntl)(descriptor, F_DUPFD_CLOEXEC, HIGH);

	if (descriptor >= 0)
		REAL(close)(descriptor);
	return moved;
}

/** Has what is open here in the child, too. */
static int hand_on(posix_spawn_file_actions_t *actions, int opened, int descriptor, int flags)
{
	char path[60];
	int kept = move_high(opened), error = kept < 0 ? errno : keep(actions, OPENED, kept);

	if (error)
		return error;
	if (!find(actions, CLOSING))
		return REAL(posix_spawn_file_actions_adddup2)(actions, kept, descriptor);
	/* It is closed in the child by then, and open in this process still. */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), kept);
	return REAL(posix_spawn_file_actions_addopen)(
		actions, descriptor, path, flags & (O_ACCMODE | O_DIRECTORY | O_PATH | O_CLOEXEC),
		0);
}

INTERPOSED int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int descriptor,
						const char *path, int flags, mode_t mode)
{
	int directory = directory_of(actions), opened;
	char found[PATH_MAX];

	if (!file_open_emulated(directory, &path, flags | O_CLOEXEC, found, &opened))
		return REAL(posix_spawn_file_actions_addopen)(actions, descriptor, path, flags,
							      mode);
	return opened < 0 ? errno : hand_on(actions, opened, descriptor, flags);
}

/* glibc before 2.29 has no such functions, POSIX before 2024 none of these names. */
/* NOLINTBEGIN(readability-redundant-declaration) */
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *actions, int descriptor);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
/* NOLINTEND(readability-redundant-declaration) */

INTERPOSED int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
						    const char *path)
{
	char found[PATH_MAX], backing[PATH_MAX];
	int directory = directory_of(actions), error = 0;
	int opened = openat(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (path_begin(directory, &path, true, found)) {
		if (names_make(found, true, backing))
			error = errno;
		preload_end(true);
		path = backing;
	}
	if (!error)
		error = REAL(posix_spawn_file_actions_addchdir_np)(actions, path);
	if (!error)
		return keep(actions, DIRECTORY, move_high(opened));
	if (opened >= 0)
		REAL(close)(opened);
	return error;
}

INTERPOSED int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *actions,
						     int descriptor)
{
	int error = REAL(posix_spawn_file_actions_addfchdir_np)(actions, descriptor);

	return error ? error : keep(actions, DIRECTORY, move_high(dup(descriptor)));
}

INTERPOSED int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions,
							int first)
{
	int error = REAL(posix_spawn_file_actions_addclosefrom_np)(actions, first);

	return error ? error : keep(actions, CLOSING, -1);
}

INTERPOSED int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
	if (all && preload_begin()) {
		for (struct kept **link = &all, *kept; (kept = *link);) {
			if (kept->actions != actions) {
				link = &kept->next;
				continue;
			}
			*link = kept->next;
			if (kept->descriptor >= 0)
				REAL(close)(kept->descriptor);
			free(kept);
		}
		preload_end(true);
	}
	return REAL(posix_spawn_file_actions_destroy)(actions);
}
