/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver's front (driver.c) asks of the transports behind it; one entry at a time. */
#ifndef EMULATOR_DRIVER_H
#define EMULATOR_DRIVER_H

#include "driver/abi.h"
#include "emulator/front/faults.h"
#include "emulator/state/server.h"

#include <limits.h>

/* Each returns 0 or the driver's negative errno for this entry. */
int mailbox_run(struct server *server, struct abi_mbox_cmd *command);
int mmio_run(struct server *server, struct abi_io_reg *access);
int msr_run(struct server *server, struct abi_msr_cmd *access);

/** Whether it asks firmware to set something. */
bool mailbox_sets(const struct abi_mbox_cmd *command);

/** Carries out an entry of a batch that was accepted before. */
void driver_run_deferred(struct server *server, unsigned long request, void *entry);

/**
 * The CPU that a PCI transport finds its device by: one that was online since boot. Returns NULL
 * where there is none (then EINVAL).
 */
const struct platform_cpu *pci_cpu(const struct server *server, unsigned int number);

/* tpmi.c */

/** Whether the driver knows a TPMI request of that code, and runs it. */
bool tpmi_knows(const struct server *server, unsigned long request);
/** Returns 0, the driver's negative errno, or what a fault rule says. */
int tpmi_request(struct server *server, unsigned long request, void *argument);
/** Carries out what a request has left to be done later. */
void tpmi_run_deferred(struct server *server, unsigned long request, const void *entry);

/* tpmi_firmware.c: what firmware makes of the control registers */

enum { TPMI_FEATURE_BF = 1, TPMI_FEATURE_TF = 2 };
enum { TPMI_HAS_CORE_POWER = 1, TPMI_HAS_PERF_PROFILE = 2 }; /* capabilities */

/** Looks at the control registers and answers in those of the status. */
int firmware_perf_profile(struct server *server, size_t domain);
void firmware_core_power(struct server *server, size_t domain);
/* Answer what is in the control register with this error, and leave the rest as it is. */
void firmware_refuse_level(struct server *server, size_t domain, unsigned int error);
void firmware_refuse_features(struct server *server, size_t domain, unsigned int error);

#define SAME_LEVEL UINT_MAX

/**
 * Before features (SAME_LEVEL) or level of a domain change: should the process be killed in the
 * midst, the next one completes what it had begun.
 */
void domain_changing(struct server *server, size_t domain, unsigned int level);
/** Afterwards: writes the files that follow them. */
int domain_changed(struct server *server, size_t domain);
/** Completes a change of level that a killed process had begun. */
void domain_complete(struct server *server, size_t domain, unsigned int level);

/* All that a level brings, as each transport has it. */
void mailbox_enter_level(struct server *server, size_t domain, unsigned int level);
void firmware_complete_level(struct server *server, size_t domain, unsigned int level);

/** Writes again what the driver has kept of MSRs that were written by a CPU, as that CPU comes
 * online. */
void msr_cpu_online(struct server *server, const struct platform_cpu *cpu);

/** The level's turbo ratio limits as MSR 0x1ad holds them. */
uint64_t level_turbo_ratios(const struct platform_level *level);

#endif
