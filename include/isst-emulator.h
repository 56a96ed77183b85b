/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulator: a server with Speed Select in software, in process, for trying and testing programs
 * without one. A library of its own, libisst-emulator, beside libisst: a target names the machine,
 * isst_emulator_open() opens it, isst_open_machine() takes it.
 *
 * Conventions are those of isst.h. Functions that can fail return 0 or a negative errno, and then
 * set *error to a message that the caller frees (NULL without memory): -EINVAL a platform file or
 * capture that cannot be understood, -ENOENT no such platform, -EPERM a state directory of another
 * user, -EOPNOTSUPP a build without the emulator, -EIO anything else.
 */
#ifndef ISST_EMULATOR_H
#define ISST_EMULATOR_H

#include "isst.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isst_emulator_target;
struct isst_emulator_statistics;

/** False in a build without the emulator, in which all that is below fails or is empty. */
ISST_API bool isst_emulator_is_available(void);

/** A built-in platform by its place among them: its name (NULL past the last one) and title, and
 * whether it was composed or invented in part, and is not one real machine. */
ISST_API const char *isst_emulator_platform_name(size_t index);
ISST_API const char *isst_emulator_platform_title(size_t index);
ISST_API bool isst_emulator_platform_is_synthetic(size_t index);

/**
 * Which machine.
 *
 * @platform: name of a built-in platform, or the path of a platform file or of the directory of a
 * captured machine (a path holds a slash). Copied.
 * NULL without memory.
 */
ISST_API struct isst_emulator_target *isst_emulator_target_new(const char *platform);
ISST_API void isst_emulator_target_free(struct isst_emulator_target *target);

/** Where the machine's state lives: a directory, which is made where it is missing. Copied. NULL,
 * and the default: a private one per user and platform. Returns 0 or -ENOMEM. */
ISST_API int isst_emulator_target_set_state(struct isst_emulator_target *target,
					    const char *directory);

/** Without the lock that keeps real firmware from changing levels. */
#define ISST_EMULATOR_TARGET_UNLOCK 1U

/** Sets all flags. Returns 0 or -EINVAL. */
ISST_API int isst_emulator_target_set_flags(struct isst_emulator_target *target,
					    unsigned int flags);

/** Opens the machine, for isst_open_machine(), or to be freed by isst_machine_free(). */
ISST_API int isst_emulator_open(const struct isst_emulator_target *target,
				struct isst_machine **machine, char **error);

/** The platform's text, or a description of a captured machine; to be freed. */
ISST_API int isst_emulator_show(const struct isst_emulator_target *target, char **text,
				char **error);

/** Puts the machine back into its first state, statistics and fault rules included. */
ISST_API int isst_emulator_reset(const struct isst_emulator_target *target, char **error);

/** What happened since the state was made or its statistics were cleared: exact, over all
 * processes. */
enum isst_emulator_counter {
	ISST_EMULATOR_COUNTER_DEVICE_OPENS = 1,
	ISST_EMULATOR_COUNTER_DRIVER_CALLS = 2, /* ioctls */
	ISST_EMULATOR_COUNTER_COMMANDS = 3, /* entries of batches, and every other ioctl as one */
	ISST_EMULATOR_COUNTER_WRITES = 4,   /* commands that set something */
	ISST_EMULATOR_COUNTER_FILES_OPENED = 5 /* files read or written, directories listed */
};

/** Clears them behind reading. */
#define ISST_EMULATOR_STATISTICS_CLEAR 1U

/** Reads the statistics; to be freed. @flags: 0 or ISST_EMULATOR_STATISTICS_CLEAR. */
ISST_API int isst_emulator_read_statistics(const struct isst_emulator_target *target,
					   unsigned int flags,
					   struct isst_emulator_statistics **statistics,
					   char **error);
ISST_API void isst_emulator_statistics_free(struct isst_emulator_statistics *statistics);

/** 0 for a counter that is not known. */
ISST_API uint64_t isst_emulator_statistics_count(const struct isst_emulator_statistics *statistics,
						 int counter);

/** The program sees the effective user id @user. */
#define ISST_EMULATOR_RUN_AS_USER 1U

/**
 * Becomes a dynamically linked program that meets the emulated machine in place of the real one, as
 * all programs do that it starts in turn. Returns only after an error: also -ENOEXEC no program, or
 * one that would not see the emulated machine. The environment is then as before; the sets of
 * capabilities that programs inherit stay empty. On processors whose CPUID cannot be emulated for
 * all programs a line on standard error says so.
 *
 * @words: the program's words, ended by NULL; the first is searched for in PATH
 * @flags: 0 or ISST_EMULATOR_RUN_AS_USER
 */
ISST_API int isst_emulator_run(const struct isst_emulator_target *target, char *const *words,
			       unsigned int flags, unsigned int user, char **error);

#ifdef __cplusplus
}
#endif

#endif
