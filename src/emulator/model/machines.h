/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the emulator does as a whole, as a table of functions. front/public.c gives it the shape
 * that programs see, of isst-emulator.h; the preload library and tests use it as it is.
 */
#ifndef EMULATOR_MODEL_MACHINES_H
#define EMULATOR_MODEL_MACHINES_H

#include "isst-emulator.h"

/** Which machine, and where it lives. */
struct isst_emulator_target {
	/** Name of a built-in platform, or the path of a platform file or of the directory of a
	 * captured machine (a path holds a slash). */
	const char *platform;
	/** Directory of its state; NULL: a private one per user and platform. Made where it is
	 * missing. */
	const char *state_directory;
	/** Without the lock that keeps real firmware from changing levels. */
	bool unlock;
};

/** A built-in platform. */
struct isst_emulator_platform {
	const char *name;
	const char *title;
	bool synthetic; /* composed or invented in part, not the values of one real machine */
};

/** A program to be run on an emulated machine. */
struct isst_emulator_program {
	/** Its words, ended by NULL; the first is searched for in PATH. */
	char *const *words;
	/** Whether it is to see another effective user id than it has, and which. */
	bool as_user;
	unsigned int user;
};

/** What happened at the seams since the state was made or its statistics were cleared: exact, over
 * all processes. */
struct isst_emulator_statistics {
	unsigned long long device_opens;
	unsigned long long driver_calls; /* ioctls */
	unsigned long long commands;	 /* entries of batches, and every other ioctl as one */
	unsigned long long writes;	 /* commands that set something */
	unsigned long long files_opened; /* files read or written, directories listed */
};

/**
 * The emulator's operations. Those that can fail return 0 or a negative errno and then set *error
 * to a message that the caller frees (NULL without memory): -EINVAL a platform file or capture
 * that cannot be understood, -ENOENT no such platform, -EPERM a state directory of another user,
 * -EIO anything else.
 */
struct isst_emulator {
	/** The built-in platforms, ended by a NULL name. */
	const struct isst_emulator_platform *platforms;
	/** Opens the machine. */
	int (*open)(const struct isst_emulator_target *target, struct isst_machine **machine,
		    char **error);
	/** The platform's text, or a description of a captured machine; to be freed by the caller.
	 */
	int (*show)(const struct isst_emulator_target *target, char **text, char **error);
	/** Puts the machine back into its first state, statistics and fault rules included. */
	int (*reset)(const struct isst_emulator_target *target, char **error);
	int (*statistics)(const struct isst_emulator_target *target, bool clear,
			  struct isst_emulator_statistics *statistics, char **error);
	/**
	 * Becomes a dynamically linked program that meets the emulated machine in place of the real
	 * one, as all programs do that it starts in turn. Returns only after an error: also
	 * -ENOEXEC no program, or one that would not see the emulated machine.
	 */
	int (*run)(const struct isst_emulator_target *target,
		   const struct isst_emulator_program *program, char **error);
};

const struct isst_emulator *isst_emulator(void);

/* ---- The built-in platforms, which embed-platforms.sh turns into C ---- */

/** In step with each other, the first ended by a NULL name. */
extern const struct isst_emulator_platform builtin_platforms[];
extern const char *const builtin_texts[];

#endif
