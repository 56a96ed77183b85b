/* SPDX-License-Identifier: BSD-3-Clause */
/* Firmware and the transports that the driver reaches it by: each carries out one command on the
 * state. Requests, faults and counting are the business of the front. */
#ifndef EMULATOR_FIRMWARE_H
#define EMULATOR_FIRMWARE_H

#include "driver/abi.h"
#include "emulator/state/state.h"

/* ---- mailbox.c, registers.c: each returns 0 or the driver's negative errno ---- */

/* @entry: of a batch */
int mailbox_run(struct server *server, void *entry);
int mmio_run(struct server *server, void *entry);
int msr_run(struct server *server, void *entry);
/** @driver: nothing is asked of others who have the register itself, and the driver keeps nothing
 * for the next time that the CPU comes online. */
int msr_access(struct server *server, struct abi_msr_cmd *access, bool driver);

/** A command and sub-command of the mailbox as one number. */
#define MAILBOX_COMMAND(command, sub_command) ((uint32_t)(command) << 8 | (sub_command))

/** Whether it asks firmware to set something. */
bool mailbox_sets(const struct abi_mbox_cmd *command);

/** A management controller changes the level of a domain, where that has such a level. */
void mailbox_change_level(struct server *server, size_t domain, unsigned int level);

/** A CPU comes online: writes what the driver has kept of MSRs written by it. */
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
/** Whether a domain of a captured machine has the level and the features that it had at first. */
bool captured_as_was(const struct server *server, size_t domain);

/** The CPU that a PCI transport finds its device by: one that was online since boot. Returns NULL
 * where there is none (then EINVAL). */
const struct platform_cpu *pci_cpu(const struct server *server, unsigned int number);

/** The limits of the current level, or those of the platform file. */
void uncore_set_limits(const struct server *server, size_t domain);

/* ---- power_on.c ---- */

/** struct server's first_state. */
void firmware_first_state(struct server *server);

/** The machine was suspended to memory, and is resumed. Returns 0 or -ENOMEM. */
int firmware_resume(struct server *server);

/* ---- tpmi.c: the driver's TPMI requests; fault rules are passed down as a value ---- */

enum { TPMI_FEATURE_BF = 1, TPMI_FEATURE_TF = 2 };
enum { TPMI_MOST_ASSOCIATIONS = 64 };			     /* of a CLOS_ASSOC */
enum { TPMI_HAS_CORE_POWER = 1, TPMI_HAS_PERF_PROFILE = 2 }; /* capabilities */

/** What firmware does with what is set. */
struct tpmi_conduct {
	enum { TPMI_ACTS, TPMI_REFUSES, TPMI_DEFERS } what;
	uint64_t value; /* error code; milliseconds */
};

/** Whether the driver knows a TPMI request of that code. */
bool tpmi_knows(const struct server *server, unsigned long code);
/** The index of the first power domain of a socket, or of the next one there is. */
size_t tpmi_find_socket(const struct server *server, unsigned int socket);
/** Whether there is such a power domain, absent ones included; *@index is that of the domain. */
bool tpmi_find_slot(const struct server *server, unsigned int socket, unsigned int power_domain,
		    size_t *index);
/* These return 0 or the driver's negative errno, which tpmi_masked() makes what callers get. */
int tpmi_run(struct server *server, unsigned long code, void *argument,
	     const struct tpmi_conduct *conduct);
/** What is wrong with a CLOS_ASSOC as a whole. */
int tpmi_associations_mistake(struct server *server, const struct abi_clos_assoc_cmds *batch);
/** One entry of it. */
int tpmi_associate(struct server *server, struct abi_clos_assoc *one, bool set,
		   const struct tpmi_conduct *conduct);
/** In 6.12 and 7.2 the cause of a failure gets lost on its way to the caller. */
int tpmi_masked(const struct server *server, int result);
/** Carries out what a request has left to be done later. */
void tpmi_run_deferred(struct server *server, unsigned long code, const void *entry);

/* ---- tpmi_firmware.c: what firmware makes of the control registers ---- */

/** Looks at the control registers and answers in those of the status. */
void firmware_perf_profile(struct server *server, size_t domain);
void firmware_core_power(struct server *server, size_t domain);
/** Writes half of a register, @offset bytes from the start of the instance, by another way than the
 * driver's: fields that hosts cannot set stay as they are. */
void firmware_write_register(struct server *server, size_t domain, size_t offset, uint32_t value);
/* Answer what is in the control register with this error, and leave the rest as it is. */
void firmware_refuse(struct server *server, size_t domain, bool features, unsigned int error);
/** By TPMI and by mailbox. By TPMI what the host has last requested stays in its register. */
void firmware_change_level(struct server *server, size_t domain, unsigned int level);

#endif
