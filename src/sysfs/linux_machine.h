/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that the program runs on. */
#ifndef ISST_SYSFS_LINUX_MACHINE_H
#define ISST_SYSFS_LINUX_MACHINE_H

struct isst_machine;

/** The real machine, whose CPU is identified by CPUID. Released by its own function. */
struct isst_machine *linux_machine(void);

#endif
