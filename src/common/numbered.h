/* SPDX-License-Identifier: BSD-3-Clause */
/* How numbers of one kind of thing are named: `CPU 5`, `packages 0-1`. */
#ifndef ISST_COMMON_NUMBERED_H
#define ISST_COMMON_NUMBERED_H

#include "isst.h"

/** The word, in the plural where there are several numbers, and their list. To be freed; NULL
 * without memory. */
char *name_numbers(const char *word, const struct isst_cpuset *numbers);

#endif
