/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of the kernel that are loaded, for messages that name what is missing. */
#ifndef ISST_SYSFS_MODULES_H
#define ISST_SYSFS_MODULES_H

#include "sysfs/kernel_files.h"

/** What helps where a module is loaded, and its driver has no device: nothing but this, since the
 * kernel does not try again. A message ends with it. */
#define MODULE_UNBOUND \
	"loaded, but not bound to its devices; unload it, and load it again while no process has " \
	"/dev/isst_interface open"

/** Whether a module is loaded, and done with its beginning; what cannot be found out is not. Leaves
 * the message as it is. */
bool module_is_loaded(struct kernel_files *files, const char *name);

#endif
