/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorded machine at work. The first two do nothing on others. */
#ifndef EMULATOR_FIRMWARE_RECORDED_H
#define EMULATOR_FIRMWARE_RECORDED_H

#include "emulator/state/state.h"

/** What the first state has of the recording. */
void recorded_init_domain(const struct server *server, size_t index);
void recorded_init_cpu(const struct server *server, size_t index);

/** Whether a domain has the level and the features that it had at first. */
bool recorded_as_was(const struct server *server, size_t domain);

/**
 * The answer to a mailbox command that reads. @response: what firmware of these levels and settings
 * would answer; the bits of it that changes move stay. Returns 0 or the negative errno.
 */
int recorded_mailbox(const struct server *server, size_t domain, uint32_t command,
		     uint32_t parameter, uint32_t data, uint32_t *response);
/** Whether a register answers. Returns 0 or the negative errno. */
int recorded_mmio(const struct server *server, size_t domain, uint32_t offset);
/** An MSR that is read, unless the state has a newer value. Returns 0 or the negative errno. */
int recorded_msr(const struct server *server, const struct platform_cpu *cpu, uint32_t address,
		 uint64_t *value);

#endif
