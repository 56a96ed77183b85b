/* SPDX-License-Identifier: BSD-3-Clause */
/* A captured machine at work. The first three do nothing on others. */
#ifndef EMULATOR_FIRMWARE_CAPTURED_H
#define EMULATOR_FIRMWARE_CAPTURED_H

#include "emulator/state/state.h"

/** What firmware has at power-on, and the first state, of the capture. */
void captured_init_msrs(const struct server *server, size_t index);
void captured_init_domain(const struct server *server, size_t index);
void captured_init_cpu(const struct server *server, size_t index);

/** Whether a domain has the level and the features that it had at first. */
bool captured_as_was(const struct server *server, size_t domain);

/**
 * The answer to a mailbox command that reads. @response: what firmware of these levels and settings
 * would answer; the bits of it that changes move stay. Returns 0 or the negative errno.
 */
int captured_mailbox(const struct server *server, size_t domain, uint32_t command,
		     uint32_t parameter, uint32_t data, uint32_t *response);
/** Whether a register answers. Returns 0 or the negative errno. */
int captured_mmio(const struct server *server, size_t domain, uint32_t offset);
/** An MSR that is read, unless the state has a newer value. Returns 0 or the negative errno. */
int captured_msr(const struct server *server, const struct platform_cpu *cpu, uint32_t address,
		 uint64_t *value);

#endif
