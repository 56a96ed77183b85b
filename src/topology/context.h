/* SPDX-License-Identifier: BSD-3-Clause */
/* What a context holds; for the layers above, which all work on one. */
#ifndef ISST_TOPOLOGY_CONTEXT_H
#define ISST_TOPOLOGY_CONTEXT_H

#include "base/messages.h"
#include "base/runtime_file.h"
#include "driver/driver.h"
#include "firmware/firmware.h"
#include "sysfs/kernel_files.h"
#include "sysfs/powercap.h"
#include "topology/topology.h"

#include <unistd.h>

struct isst_options {
	ISST_MAY_GROW;
	/** Where everything happens: NULL for the machine that the program runs on. Owned by the
	 * context from then on. */
	struct isst_machine *machine;
	/** Tries for a mailbox command that the firmware is too busy for; 0: 3. */
	unsigned int tries;
	/** Pause before each mailbox command, in milliseconds; makes every mailbox request a single
	 * command. */
	unsigned int pause_ms;
	/** Where the log goes, unless NULL, and how much of it. */
	isst_log_function log;
	void *log_data;
	int log_level;
	/** Every value that a change writes, and every one that is rolled back, is a line of the
	 * system log: syslog(3), priority notice, under the program's name. Else nothing is sent
	 * there. */
	bool system_log;
	/** Where not NULL, asked while the lock or the driver is waited for, by a change between
	 * steps and between writes of kernel files, and before each CPU that is measured: not 0
	 * ends the call, and a change is rolled back. */
	int (*interrupted)(void *data);
	void *interrupted_data;
};

/** What firmware sets together with a level; 0: nothing, or it is not known. */
struct level_effects {
	uint64_t turbo_ratio_limits; /* as the register holds them */
	uint64_t uncore_max_khz[ISST_FABRICS], uncore_min_khz[ISST_FABRICS];
};

struct isst_context {
	struct isst_machine *machine;
	struct messages messages;
	bool system_log;		/* values that are written are lines of the system log */
	int (*interrupted)(void *data); /* as in the options */
	void *interrupted_data;
	struct isst_platform platform;
	struct driver driver;
	struct kernel_files files;
	struct firmware firmware;
	struct power_zones power;	  /* as power_read() read them last */
	struct topology *topology;	  /* NULL until discovered */
	struct runtime_directory runtime; /* the machine's; held while the lock is */
	/* Descriptors that hold the lock, and that of the device; -1: none. */
	int lock, device_lock;
	struct claim *claims; /* see isst_claim(); NULL: none */
	pid_t lock_process;   /* that took it: a child that was forked has copies, but no lock */
	/* Asks the firmware what a level of a domain brings with it; the layer of features provides
	 * how. Returns 0, also where that cannot be read, or a negative errno. */
	int (*level_effects)(struct isst_context *context, const struct isst_domain *domain,
			     unsigned int level, struct level_effects *effects);
	/* Describes the state that the machine is in, as a text to be freed, which is kept before
	 * the first write since boot (boot_state.h); a layer above provides how. @kept: the text
	 * that is kept already, to which CPUs are added that were seen since; *@text is NULL where
	 * there are none. NULL: none is kept. Returns 0 or a negative errno. */
	int (*boot_state)(struct isst_context *context, const char *kept, char **text,
			  size_t *size);
	bool boot_state_kept;	/* or tried to */
	size_t boot_state_cpus; /* that were seen then */
	/* The change that this context holds, or NULL: it was made, and may yet be rolled back. */
	struct isst_change *held;
	/* Locked after it was discovered: to be discovered anew before anything is changed. */
	bool stale;
	unsigned long long unlocks; /* what was begun under an earlier lock is refused */
	unsigned long long runs;    /* changes that were made, or tried */
	bool keep_journal; /* of an interrupted run: it is read, and not rolled back automatically
			    */
	bool recovered;	   /* what an interrupted run had left was rolled back */
};

/** Whether packages consist of power domains, which share what is the package's. */
static inline bool context_has_power_domains(const struct isst_context *context)
{
	return context->firmware.operations && context->firmware.operations->valid_domains;
}

/** Refuses a whole call on a context, which may be NULL. Returns -EINVAL with a message. */
int context_refuse(struct isst_context *context, const char *why);

/** Discovers the topology (again, after CPUs went on- or offline). Returns 0 or a negative errno.
 */
int context_discover_topology(struct isst_context *context);

/**
 * Whether this is a preset platform (@preset above). May be asked before isst_discover(), of which
 * nothing else is done then; on all but a few processors nothing is touched.
 */
bool context_is_preset(struct isst_context *context);

const struct isst_domain *context_domain(const struct isst_context *context, size_t index);

/** The CPU of that number, or NULL if the machine has none, or nothing is known of it (offline ever
 * since). */
const struct isst_cpu *context_cpu(const struct isst_context *context, unsigned int number);

/** Whether this process holds the lock. */
static inline bool context_has_lock(const struct isst_context *context)
{
	return context->lock >= 0 && context->lock_process == getpid();
}

/** Whether the caller wants the call to end early. */
static inline bool context_is_interrupted(const struct isst_context *context)
{
	return context->interrupted && context->interrupted(context->interrupted_data);
}

/** Why a call before isst_discover() cannot work; 0 when all is well. */
int context_check_discovered(struct isst_context *context);

/**
 * Whether a caller's domain or CPU is one of the machine as it was found last. Returns 0, or with a
 * message -EINVAL (none, or one of another context) or -ESTALE (it no longer exists).
 */
int context_check_domain(struct isst_context *context, const struct isst_domain *domain);
int context_check_cpu(struct isst_context *context, const struct isst_cpu *cpu);

/** The same where it is the failure of one result. Returns false with the failure set. */
bool context_accepts_domain(struct isst_context *context, const struct isst_domain *domain,
			    struct isst_failure *failure);
bool context_accepts_cpu(struct isst_context *context, const struct isst_cpu *cpu,
			 struct isst_failure *failure);

/** Why the CLOS of a CPU's core can be neither read nor written: the core is unknown, or
 * the firmware cannot name it. NULL where it can. */
const char *context_core_objection(struct isst_context *context, const struct isst_cpu *cpu);

/** What settings call a domain within its package: its number or, where a package has no power
 * domains, its die. As names of CPUs have it (@domain:P.D). */
static inline unsigned int domain_number(const struct isst_context *context,
					 const struct isst_domain *domain)
{
	return context_has_power_domains(context) ? domain->number : domain->die;
}

#endif
