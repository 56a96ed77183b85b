/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that the program runs on. */
#ifndef ISST_SYSFS_LINUX_MACHINE_H
#define ISST_SYSFS_LINUX_MACHINE_H

#include <stdint.h>

struct isst_machine;

/** The real machine; released by its own function. NULL without memory. */
struct isst_machine *linux_machine(void);

/** Its measure(): keeps a CPU busy in this thread with instructions of known length. Returns 0,
 * -EINVAL (this thread may not run there), -EOPNOTSUPP or another negative errno. */
int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz);

#endif
