/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that the program runs on. */
#ifndef ISST_SYSFS_LINUX_MACHINE_H
#define ISST_SYSFS_LINUX_MACHINE_H

#include <stdint.h>

struct isst_machine;

/** The real machine, whose CPU is identified by CPUID. Released by its own function. */
struct isst_machine *linux_machine(void);

/**
 * busy_frequency.c: measure of struct isst_machine. Keeps a CPU busy, by this thread alone, with
 * instructions of known length. No register is read, and no privilege needed. Returns 0, -EINVAL
 * (this thread may not run there), -EOPNOTSUPP or another negative errno.
 */
int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz);

#endif
