/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of the kernel, by netlink: those of its thermal family (linux/thermal.h), and uevents.
 * They are reasons to look, and no more: an event of the thermal family carries no level, the
 * kernel merges and delays them, and the first one is the present table. Nothing of its content is
 * used.
 */
#ifndef ISST_SYSFS_KERNEL_EVENTS_H
#define ISST_SYSFS_KERNEL_EVENTS_H

#include "base/machine.h"

/** Opens a socket of the running kernel. Returns a descriptor or a negative errno. */
int kernel_events_open(enum machine_events events);

/** Takes everything that has arrived, without waiting. Datagrams that are malformed or too large,
 * or were lost, are events. Returns ISST_EVENT_... combined. */
int kernel_events_take(int descriptor, enum machine_events events);

/* The parts that know messages, for tests. */

/** Finds the number of the thermal family's group of events in the kernel's description. Returns 0,
 * -ENOENT or -EBADMSG, or the error that the kernel answered. */
int thermal_find_group(const void *message, size_t size, uint32_t *group);
int thermal_judge(const void *datagram, size_t size);

/** Whether a uevent is about a CPU or a module. */
int uevent_judge(const void *datagram, size_t size);

#endif
