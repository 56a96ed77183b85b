/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the kernel expedites the grace periods of RCU. A CPU that goes offline or comes online
 * waits for several of them, one after the other: they are most of the time that it takes. To
 * expedite them interrupts all CPUs.
 */
#ifndef ISST_SYSFS_RCU_H
#define ISST_SYSFS_RCU_H

#include "sysfs/kernel_files.h"

/** Errors as in kernel_files.h. */
int rcu_read_expedited(struct kernel_files *files, bool *expedited);
int rcu_write_expedited(struct kernel_files *files, bool expedited);

/**
 * Whether they may be expedited, and are not yet: not where the administrator wants them not to be
 * (rcu_normal), nor where CPUs are isolated or nohz_full, nor where one of these cannot be read.
 * Returns 0 or -ENOMEM.
 */
int rcu_may_expedite(struct kernel_files *files, bool *may);

#endif
