/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What posix_spawn(3) does to files in the child: by calls of the C library that cannot be
 * replaced. So emulated files are opened here, anew for each child, and duplicated in the child: by
 * numbers that are reserved when the actions are listed.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum role {
	OPENED,	   /* a file that is opened for each child; until then its number is reserved */
	DIRECTORY, /* which the child is in from here on; none where it cannot be known */
	CLOSING,   /* all descriptors, also those here: it is none itself */
};

/* What lists of actions have, the last one first. */
struct kept {
	const posix_spawn_file_actions_t *actions;
	enum role role;
	int descriptor;
	char *path; /* of a file: the emulated one */
	int flags;
	struct kept *next;
};
static struct kept *all;

/* Children get what is open under the reserved numbers at that time. */
static pthread_mutex_t spawning = PTHREAD_MUTEX_INITIALIZER;

/** Returns 0 or an error number. What @kept owns is freed with the list, or here. */
static int keep(struct kept kept)
{
	struct kept *copy = malloc(sizeof(*copy));

	if (!copy || !preload_begin()) {
		free(copy);
		free(kept.path);
		if (kept.descriptor >= 0)
			REAL(close)(kept.descriptor);
		return ENOMEM;
	}
	*copy = kept;
	copy->next = all;
	all = copy;
	preload_end(true);
	return 0;
}

/** The next one of a list, behind one of it or the last of all. Other threads may change others. */
static const struct kept *find_behind(const posix_spawn_file_actions_t *actions, enum role role,
				      const struct kept *behind)
{
	const struct kept *kept = NULL;

	if (all && preload_begin()) {
		for (kept = behind ? behind->next : all;
		     kept && (kept->actions != actions || kept->role != role);)
			kept = kept->next;
		preload_end(true);
	}
	return kept;
}

static const struct kept *find(const posix_spawn_file_actions_t *actions, enum role role)
{
	return find_behind(actions, role, NULL);
}

int spawn_actions_directory(const posix_spawn_file_actions_t *actions)
{
	const struct kept *kept = actions ? find(actions, DIRECTORY) : NULL;

	return kept ? kept->descriptor : AT_FDCWD;
}

/** To a number that other actions do not mean: as high as the limit of the program lets it be. */
static int move_high(int descriptor)
{
	enum { HIGH = 128, LOW = 4 };
	int moved = -1;

	if (descriptor < 0)
		return -1;
	errno = EINVAL;
	for (int number = HIGH; moved < 0 && errno == EINVAL && number >= LOW; number /= 2)
		moved = REAL(fcntl)(descriptor, F_DUPFD_CLOEXEC, number);
	REAL(close)(descriptor);
	return moved;
}

/** What is under a number before a child is made, and after: nothing that could be held for it. */
static int open_nothing(void)
{
	return (int)syscall(SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC);
}

/** Makes a descriptor become another one. Returns 0 or an error number. */
static int move_to(int descriptor, int number)
{
	int result = descriptor < 0 ? -1 : REAL(dup3)(descriptor, number, O_CLOEXEC);
	int error = result < 0 ? errno : 0;

	if (descriptor >= 0)
		REAL(close)(descriptor);
	return error;
}

/** Has what is open here in the child, too. @path: of an emulated file, to be freed. */
static int hand_on(posix_spawn_file_actions_t *actions, char *path, int descriptor, int flags)
{
	int number = path ? move_high(open_nothing()) : -1;
	char name[60];
	int error;

	if (number < 0) {
		error = path ? errno : ENOMEM;
		free(path);
		return error;
	}
	error = keep((struct kept){ actions, OPENED, number, path, flags | O_CLOEXEC, NULL });
	if (error)
		return error;
	if (!find(actions, CLOSING))
		return REAL(posix_spawn_file_actions_adddup2)(actions, number, descriptor);
	/* It is closed in the child by then, and open in this process still. */
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", getpid(), number);
	return REAL(posix_spawn_file_actions_addopen)(
		actions, descriptor, name, flags & (O_ACCMODE | O_DIRECTORY | O_PATH | O_CLOEXEC),
		0);
}

INTERPOSED int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int descriptor,
						const char *path, int flags, mode_t mode)
{
	char found[PATH_MAX];

	if (!file_is_emulated(spawn_actions_directory(actions), &path, flags, found))
		return REAL(posix_spawn_file_actions_addopen)(actions, descriptor, path, flags,
							      mode);
	return hand_on(actions, strdup(found), descriptor, flags);
}

/* ---- When a child is made ---- */

/** Opens a file under its number. Returns 0 or an error number. */
static int open_kept(const struct kept *kept)
{
	const char *path = kept->path;
	char found[PATH_MAX];
	int opened = -1;

	errno = ENOENT;
	if (!file_open_emulated(AT_FDCWD, &path, kept->flags, found, &opened) || opened < 0)
		return errno;
	return move_to(opened, kept->descriptor);
}

int spawn_actions_begin(const posix_spawn_file_actions_t *actions)
{
	const struct kept *kept = actions ? find(actions, OPENED) : NULL;
	int result = 0;

	if (kept)
		pthread_mutex_lock(&spawning);
	for (; kept; kept = find_behind(actions, OPENED, kept)) {
		int error = open_kept(kept);

		/* That of the first action that fails, which comes last here. */
		result = error ? error : result;
	}
	return result;
}

void spawn_actions_end(const posix_spawn_file_actions_t *actions)
{
	const struct kept *first = actions ? find(actions, OPENED) : NULL;

	for (const struct kept *kept = first; kept; kept = find_behind(actions, OPENED, kept))
		move_to(open_nothing(), kept->descriptor);
	if (first)
		pthread_mutex_unlock(&spawning);
}

/* ---- Where a child is, and what it closes ---- */

/* glibc has the first two since 2.29 and the third since 2.34; POSIX before 2024 has none of these
 * names. A program that looks for them finds ours with older ones, too. */
/* NOLINTBEGIN(readability-redundant-declaration) */
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *actions, int descriptor);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
/* NOLINTEND(readability-redundant-declaration) */

/** What the C library's function of this name returns; ENOSYS where it has none. */
#define ADD(name, actions, argument) \
	({ \
		__typeof__(&name) add = (__typeof__(&name))preload_newer(#name); \
		add ? add(actions, argument) : ENOSYS; \
	})

static int keep_directory(const posix_spawn_file_actions_t *actions, int opened)
{
	return keep((struct kept){ actions, DIRECTORY, move_high(opened), NULL, 0, NULL });
}

INTERPOSED int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
						    const char *path)
{
	char found[PATH_MAX], backing[PATH_MAX];
	int directory = spawn_actions_directory(actions), error = 0;
	int opened = openat(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (path_begin(directory, &path, true, found)) {
		if (names_make(found, true, backing))
			error = errno;
		preload_end(true);
		path = backing;
	}
	if (!error)
		error = ADD(posix_spawn_file_actions_addchdir_np, actions, path);
	if (!error)
		return keep_directory(actions, opened);
	if (opened >= 0)
		REAL(close)(opened);
	return error;
}

INTERPOSED int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *actions,
						     int descriptor)
{
	int error = ADD(posix_spawn_file_actions_addfchdir_np, actions, descriptor);

	return error ? error : keep_directory(actions, dup(descriptor));
}

INTERPOSED int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions,
							int first)
{
	int error = ADD(posix_spawn_file_actions_addclosefrom_np, actions, first);

	return error ? error : keep((struct kept){ actions, CLOSING, -1, NULL, 0, NULL });
}

static void forget(const posix_spawn_file_actions_t *actions)
{
	if (!all || !preload_begin())
		return;
	for (struct kept **link = &all, *kept; (kept = *link);) {
		if (kept->actions != actions) {
			link = &kept->next;
			continue;
		}
		*link = kept->next;
		if (kept->descriptor >= 0)
			REAL(close)(kept->descriptor);
		free(kept->path);
		free(kept);
	}
	preload_end(true);
}

/** A program that never destroys its actions has others at the same address later. */
INTERPOSED int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions)
{
	forget(actions);
	return REAL(posix_spawn_file_actions_init)(actions);
}

INTERPOSED int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
	forget(actions);
	return REAL(posix_spawn_file_actions_destroy)(actions);
}
