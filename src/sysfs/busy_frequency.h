/* SPDX-License-Identifier: BSD-3-Clause */
/* The frequency of a CPU while it is busy. */
#ifndef ISST_SYSFS_BUSY_FREQUENCY_H
#define ISST_SYSFS_BUSY_FREQUENCY_H

#include <stdint.h>

/**
 * struct isst_machine's measure, of the machine that the program runs on: keeps a CPU busy, by this
 * thread alone, with instructions of known length. No register is read, and no privilege needed.
 * Returns 0, -EINVAL (this thread may not run there), -EOPNOTSUPP or another negative errno.
 */
int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz);

#endif
