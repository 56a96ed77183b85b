/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor's name, as the kernel reports it. */
#ifndef ISST_SYSFS_MODEL_NAME_H
#define ISST_SYSFS_MODEL_NAME_H

#include "sysfs/kernel_files.h"

/** The first processor's model name in /proc/cpuinfo, to be freed; NULL where the kernel reports
 * none. Returns 0 or a negative errno. */
int model_name_read(struct kernel_files *files, char **name);

#endif
