/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in platforms, which embed-platforms.sh turns into C; nothing of their content. */
#ifndef EMULATOR_BUILTIN_H
#define EMULATOR_BUILTIN_H

#include "emulator/model/machines.h"

/** In step with each other, the first ended by a NULL name. */
extern const struct isst_emulator_platform builtin_platforms[];
extern const char *const builtin_texts[];

#endif
