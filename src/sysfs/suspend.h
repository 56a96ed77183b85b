/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the machine was suspended meanwhile. */
#ifndef ISST_SYSFS_SUSPEND_H
#define ISST_SYSFS_SUSPEND_H

#include "sysfs/kernel_files.h"

/** How often the kernel resumed since boot. */
#define RESUMES_FILE "/sys/power/suspend_stats/success"

/** A point in the time of a machine. */
struct suspend_mark {
	uint64_t resumes;     /* 0 on kernels that do not count them */
	int64_t suspended_ms; /* since boot; 0 on an emulated machine */
};

/** Takes the present point in time. What cannot be read is 0. */
struct suspend_mark suspend_mark_now(struct kernel_files *files);

/** Whether the machine was suspended, or hibernated, between two points. */
bool suspend_marks_differ(const struct suspend_mark *before, const struct suspend_mark *now);

#endif
