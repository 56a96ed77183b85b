/* SPDX-License-Identifier: BSD-3-Clause */
/* The device of a real machine. */
#ifndef ISST_DRIVER_LINUX_DEVICE_H
#define ISST_DRIVER_LINUX_DEVICE_H

#include "base/machine.h"

/** /dev/isst_interface by system calls; needs no data. */
extern const struct device_operations linux_device;

#endif
