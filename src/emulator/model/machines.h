/* SPDX-License-Identifier: BSD-3-Clause */
/* What is behind the opaque types of isst-emulator.h. */
#ifndef EMULATOR_MODEL_MACHINES_H
#define EMULATOR_MODEL_MACHINES_H

#include "isst-emulator.h"

/** Which machine, and where it lives. */
struct isst_emulator_target {
	/** Name of a built-in platform, or the path of a platform file or of the directory of a
	 * captured machine (a path holds a slash). */
	const char *platform;
	/** Directory of its state, made if missing; NULL: one per user and platform. */
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

/** What happened since the state was made or this was cleared, over all processes. */
struct isst_emulator_statistics {
	unsigned long long device_opens;
	unsigned long long driver_calls; /* ioctls */
	unsigned long long commands;	 /* entries of batches, and every other ioctl as one */
	unsigned long long writes;	 /* commands that set something */
	unsigned long long files_opened; /* files read or written, directories listed */
};

/* ---- The built-in platforms, which embed-platforms.sh turns into C ---- */

/** In step with each other, the first ended by a NULL name. */
extern const struct isst_emulator_platform builtin_platforms[];
extern const char *const builtin_texts[];

#endif
