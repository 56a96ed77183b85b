/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst-emulator: a server with Speed Select, emulated within the process, for testing programs
 * without the hardware. A target selects the machine, isst_emulator_open() opens it, and
 * isst_open_machine() of libisst makes a context on it. Both libraries must have the same version.
 *
 * The conventions of isst.h apply. Functions with an argument @error set *error to a message if
 * they fail, which the caller frees (NULL if out of memory), and to NULL otherwise; @error may be
 * NULL. They return 0 or -EINVAL (an invalid argument, platform file or capture), -ENOENT (no such
 * platform), -EPERM (the state directory belongs to another user), -EOPNOTSUPP (built without the
 * emulator), -ENOMEM or -EIO (any other failure).
 */
#ifndef ISST_EMULATOR_H
#define ISST_EMULATOR_H

#include "isst.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isst_emulator_target;
struct isst_emulator_statistics;

/* ---- Emulated platforms ---- */

/** False if built without the emulator; all functions below then fail, or return nothing. */
ISST_API bool isst_emulator_is_available(void);

/** Why the emulator is not available, for users; NULL if it is. */
ISST_API const char *isst_emulator_unavailable_text(void);

/** The name of the built-in platform at a position, and its title; NULL past the last one. */
ISST_API const char *isst_emulator_platform_name(size_t index);
ISST_API const char *isst_emulator_platform_title(size_t index);

/** Whether a built-in platform is composed or invented in part, and not a single real machine. */
ISST_API bool isst_emulator_platform_is_synthetic(size_t index);

/* ---- Targets of the emulator ---- */

/**
 * Creates a target.
 *
 * @platform: the name of a built-in platform, or the path of a platform file or of a directory with
 * a captured machine; a path contains a slash. Copied.
 * Returns NULL if out of memory.
 */
ISST_API struct isst_emulator_target *isst_emulator_target_new(const char *platform);
ISST_API void isst_emulator_target_free(struct isst_emulator_target *target);

/** The directory with the state of the machine, which is created if necessary; copied. NULL, the
 * default: a private one for each user and platform. Returns 0 or -ENOMEM. */
ISST_API int isst_emulator_target_set_state(struct isst_emulator_target *target,
					    const char *directory);

/** Without the lock by which the firmware of real machines refuses other levels. */
#define ISST_EMULATOR_TARGET_UNLOCK 1U

/** Sets all flags: ISST_EMULATOR_TARGET_... combined. Returns 0 or -EINVAL (an unknown flag). */
ISST_API int isst_emulator_target_set_flags(struct isst_emulator_target *target,
					    unsigned int flags);

/* ---- Emulated machines ---- */

/** Opens the machine, to be passed to isst_open_machine(), or freed by isst_machine_free().
 * *machine is NULL on error. */
ISST_API int isst_emulator_open(const struct isst_emulator_target *target,
				struct isst_machine **machine, char **error);

/** The text of a platform file, or a description of a captured machine, which the caller frees.
 * *text is NULL on error. */
ISST_API int isst_emulator_show(const struct isst_emulator_target *target, char **text,
				char **error);

/** Resets the machine to its initial state, and removes statistics and fault rules. */
ISST_API int isst_emulator_reset(const struct isst_emulator_target *target, char **error);

/* ---- Statistics of an emulated machine ---- */

/** Counters of what all processes did since the state was created or the counters were cleared. */
enum isst_emulator_counter {
	ISST_EMULATOR_COUNTER_DEVICE_OPENS = 1,
	ISST_EMULATOR_COUNTER_DRIVER_CALLS = 2, /* ioctls */
	ISST_EMULATOR_COUNTER_COMMANDS = 3,	/* entries of batches; any other ioctl is one */
	ISST_EMULATOR_COUNTER_WRITES = 4,	/* commands that write */
	ISST_EMULATOR_COUNTER_FILES_OPENED = 5	/* files read or written, directories listed */
};

/** Clears the counters after reading them. */
#define ISST_EMULATOR_STATISTICS_CLEAR 1U

/** Reads the counters. @flags: 0 or ISST_EMULATOR_STATISTICS_CLEAR. *statistics is NULL on error.
 */
ISST_API int isst_emulator_read_statistics(const struct isst_emulator_target *target,
					   unsigned int flags,
					   struct isst_emulator_statistics **statistics,
					   char **error);
ISST_API void isst_emulator_statistics_free(struct isst_emulator_statistics *statistics);

/** A counter (enum isst_emulator_counter); 0 if the library does not know it. */
ISST_API uint64_t isst_emulator_statistics_count(const struct isst_emulator_statistics *statistics,
						 int counter);

/* ---- Running programs on an emulated machine ---- */

/** The program sees @user as its user id, real and effective. */
#define ISST_EMULATOR_RUN_AS_USER 1U

/** All files but those of the emulated machine are read-only. The working directory, the directory
 * that TMPDIR names, and paths of the caller's choice stay writable. */
#define ISST_EMULATOR_RUN_READ_ONLY 2U

/**
 * Replaces this process by a program that runs on the emulated machine, as do the programs that it
 * starts. Programs that are linked statically see the CPUID of the real processor. Returns only on
 * error, also -ENOEXEC (the program cannot be run) and -EOPNOTSUPP (the system forbids what it
 * takes: /dev/fuse, namespaces or mounts). The environment is then unchanged, but this process may
 * be in namespaces of its own, and should end. Not thread-safe: it changes the environment before
 * it replaces the process.
 *
 * @words: the program, which is searched for in PATH, and its arguments, terminated by NULL
 * @flags: ISST_EMULATOR_RUN_... combined, or 0
 * @user: with ISST_EMULATOR_RUN_AS_USER a user id, else ignored
 * @writable: with ISST_EMULATOR_RUN_READ_ONLY further paths that stay writable, terminated by NULL,
 * or NULL; else ignored
 */
ISST_API int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
			       unsigned int flags, unsigned int user, const char *const *writable,
			       char **error);

#ifdef __cplusplus
}
#endif

#endif
