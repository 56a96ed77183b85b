/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel events by netlink: the thermal family (linux/thermal.h), and uevents. They only show when
 * to look: thermal events carry no level, are merged and delayed, and the first is the present
 * table. */
#ifndef ISST_SYSFS_KERNEL_EVENTS_H
#define ISST_SYSFS_KERNEL_EVENTS_H

#include "base/machine.h"

/** Opens a socket of the running kernel. Returns a descriptor or a negative errno. */
int kernel_events_open(enum machine_events events);

/** Takes what has arrived, without waiting. Malformed, oversized and lost datagrams are events.
 * Returns a combination of ISST_EVENT_... */
int kernel_events_take(int descriptor, enum machine_events events);

/* For tests: */

/** Finds the number of the thermal event group in the kernel's answer. Returns 0, -ENOENT,
 * -EBADMSG, or the kernel's error. */
int thermal_find_group(const void *message, size_t size, uint32_t *group);
int thermal_judge(const void *datagram, size_t size);
int uevent_judge(const void *datagram, size_t size);

#endif
