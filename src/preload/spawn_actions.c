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

/* Descriptors that belong to lists of actions. */
struct kept {
	const posix_spawn_file_actions_t *actions;
	int descriptor;
	struct kept *next;
};
static struct kept *all;

static int keep(const posix_spawn_file_actions_t *actions, int descriptor)
{
	struct kept *kept = malloc(sizeof(*kept));

	if (!kept)
		return ENOMEM;
	if (!preload_begin()) {
		free(kept);
		return ENOMEM;
	}
	*kept = (struct kept){ actions, descriptor, all };
	all = kept;
	preload_end(true);
	return 0;
}

static int add_duplicate(posix_spawn_file_actions_t *actions, int opened, int descriptor)
{
	enum { HIGH = 100 }; /* which other actions do not mean */
	int kept = REAL(fcntl)(opened, F_DUPFD_CLOEXEC, HIGH), error;

	if (kept < 0)
		return errno;
	error = keep(actions, kept);
	if (error) {
		REAL(close)(kept);
		return error;
	}
	return REAL(posix_spawn_file_actions_adddup2)(actions, kept, descriptor);
}

INTERPOSED int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int descriptor,
						const char *path, int flags, mode_t mode)
{
	char found[PATH_MAX];
	int opened, error;

	if (!file_open_emulated(AT_FDCWD, &path, flags | O_CLOEXEC, found, &opened))
		return REAL(posix_spawn_file_actions_addopen)(actions, descriptor, path, flags,
							      mode);
	if (opened < 0)
		return errno;
	error = add_duplicate(actions, opened, descriptor);
	REAL(close)(opened);
	return error;
}

/* glibc before 2.29 has no such function, POSIX before 2024 none of the other name. */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

INTERPOSED int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
						    const char *path)
{
	char found[PATH_MAX], backing[PATH_MAX];
	int error = 0;

	if (!path_begin(AT_FDCWD, &path, true, found))
		return REAL(posix_spawn_file_actions_addchdir_np)(actions, path);
	if (names_make(found, true, backing))
		error = errno;
	preload_end(true);
	return error ? error : REAL(posix_spawn_file_actions_addchdir_np)(actions, backing);
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
			REAL(close)(kept->descriptor);
			free(kept);
		}
		preload_end(true);
	}
	return REAL(posix_spawn_file_actions_destroy)(actions);
}
