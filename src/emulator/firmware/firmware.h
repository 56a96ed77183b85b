/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Firmware and the transports that the driver reaches it by: each carries out one command on the
 * state. Which requests there are, faults and counting are the driver's business; files that show
 * what was changed work it out from the state.
 */
#ifndef EMULATOR_FIRMWARE_H
#define EMULATOR_FIRMWARE_H

#include "driver/abi.h"
#include "emulator/state/state.h"

/* ---- mailbox.c, registers.c: each returns 0 or the driver's negative errno ---- */

/* @entry: of a batch */
int mailbox_run(struct server *server, void *entry);
int mmio_run(struct server *server, void *entry);
int msr_run(struct server *server, void *entry);
/** The same for who has the register itself: nothing is asked of the caller, and the driver keeps
 * nothing for the next time that the CPU comes online. */
int msr_access(struct server *server, struct abi_msr_cmd *access);

/** A command and sub-command of the mailbox, as struct kept_set has them. */
#define MAILBOX_COMMAND(command, sub_command) ((uint32_t)(command) << 16 | (sub_command))

/** Whether it asks firmware to set something. */
bool mailbox_sets(const struct abi_mbox_cmd *command);

/** A management controller changes the level of a domain, where that has such a level. */
void mailbox_change_level(struct server *server, size_t domain, unsigned int level);

/** Writes again what the driver has kept of MSRs that were written by a CPU, as that CPU comes
 * online. */
void msr_cpu_online(struct server *server, const struct platform_cpu *cpu);

/** Writes one of these again. */
void msr_write_kept(struct server *server, const struct kept_set *set);

/* ---- level_facts.c: values of a domain's current level ---- */

/** Frequencies in MHz, 0 if the level does not define them. */
struct level_facts {
	unsigned int base_mhz, highest_mhz; /* highest: of all buckets, those of SST-TF included */
	unsigned int floor_mhz; /* TPMI: what a class can hold cores at, below the lowest one */
	bool base_freq;		/* SST-BF is on */
	unsigned int high_mhz, low_mhz;
	uint64_t high_cores;
	unsigned int uncore_min_mhz, uncore_base_mhz, uncore_max_mhz;
	uint64_t turbo_ratios; /* as MSR 0x1ad holds them */
	bool turbo_freq;       /* SST-TF is on */
	/* Of instructions without vectors: low priority cores, and high priority ones by bucket */
	unsigned int clip_mhz, buckets;
	unsigned int bucket_cores[BUCKETS], bucket_mhz[BUCKETS];
};
struct level_facts level_facts(const struct server *server, size_t domain);

/** The CPU that a PCI transport finds its device by: one that was online since boot. Returns NULL
 * where there is none (then EINVAL). */
const struct platform_cpu *pci_cpu(const struct server *server, unsigned int number);

/** The limits of the current level, or those of the platform file. */
void uncore_set_limits(const struct server *server, size_t domain);
/** The same after a change of the level, where the platform is of that kind. */
void uncore_follow_level(const struct server *server, size_t domain);
/** The level's base frequency, as far as the limits let it. */
unsigned int uncore_current_khz(const struct server *server, size_t domain);

/* ---- power_on.c ---- */

/** struct server's first_state. */
void firmware_first_state(struct server *server);

/** The machine was suspended to memory, and is resumed. Returns 0 or -ENOMEM. */
int firmware_resume(struct server *server);

/* ---- tpmi_firmware.c ---- */

/** The same with either firmware. By TPMI what the host has last requested stays in its register.
 */
void firmware_change_level(struct server *server, size_t domain, unsigned int level);

/* ---- captured.c: a captured machine at work; the first three do nothing on others ---- */

/** What firmware has at power-on, and the first state, of the capture. */
void captured_init_firmware(const struct server *server, size_t index);
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
