/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of single CPUs (MSRs), by the kernel's module msr. What they mean is not known here. */
#ifndef ISST_SYSFS_CPU_REGISTERS_H
#define ISST_SYSFS_CPU_REGISTERS_H

#include "sysfs/kernel_files.h"

/**
 * Reads a register by a CPU, which is interrupted for it. Returns 0, -ENOENT (the module is not
 * loaded, or the CPU is offline: no message is set), -EOPNOTSUPP (the processor has no such
 * register), -EPERM, -EIO or -ENOMEM.
 */
int cpu_register_read(struct kernel_files *files, unsigned int cpu, uint32_t number,
		      uint64_t *value);

#endif
