/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform that a user names: a built-in one, a platform file's, or a captured machine's. */
#ifndef EMULATOR_CAPTURE_LOAD_H
#define EMULATOR_CAPTURE_LOAD_H

#include "emulator/model/machines.h"
#include "emulator/model/platform.h"

/** Reads a platform, and clears its lock where the target asks for it. Returns and sets *@error as
 * isst_emulator.open does; to be given to platform_unload(). */
int platform_load(const struct isst_emulator_target *target, struct platform **platform,
		  char **error);
/** Frees it with what was captured of it; NULL is none. */
void platform_unload(struct platform *platform);
/** isst_emulator.show */
int platform_show(const struct isst_emulator_target *target, char **text, char **error);

#endif
