/* SPDX-License-Identifier: BSD-3-Clause */
/* Running other programs on an emulated machine: what the command that starts them and the preload
 * library in them agree on. */
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include "emulator/model/machines.h"

/* The machine, in the environment. */
#define LAUNCH_PLATFORM "ISST_EMULATE"
#define LAUNCH_STATE "ISST_EMULATE_STATE"
#define LAUNCH_UNLOCK "ISST_EMULATE_UNLOCK"
/* The effective user id that programs are to see. */
#define LAUNCH_USER "ISST_EMULATE_USER"
/* The CPUs that a program was restricted to, by its own or its parent's call. */
#define LAUNCH_AFFINITY "ISST_EMULATE_AFFINITY"
/* On which nodes its memory is to be, the same way: mode and list of nodes. */
#define LAUNCH_MEMORY "ISST_EMULATE_MEMORY"
#define LAUNCH_LIBRARY "libisst-emulator-preload.so"

/** Exit status of a program whose machine cannot be opened. */
enum { LAUNCH_FAILED = 1 };

/** Why a program would not see the emulated machine, or NULL: also where there is no such program,
 * which is reported when it is started. Scripts are judged by their interpreter. */
const char *launch_obstacle(const char *path);
/** Whether it is the dynamic linker, called as a program. */
bool launch_is_linker(const char *path);
/** The file that a program's name means, by PATH where it has no slash; @found has PATH_MAX bytes.
 * Returns false where there is none. */
bool launch_find(const char *name, char *found);

/** Refuses a program that would not see the emulated machine. Returns and sets *@error as
 * isst_emulator_run(). */
int launch_check(const char *name, char **error);
/** Becomes the program; returns only after an error, as isst_emulator_run(). */
int launch_start(const struct isst_emulator_target *target,
		 const struct isst_emulator_program *program, char **error);

#endif
