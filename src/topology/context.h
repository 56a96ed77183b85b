/* SPDX-License-Identifier: BSD-3-Clause */
/* What a context holds; for the layers above. */
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
	struct isst_machine *machine; /* owned from then on; NULL: the one the program runs on */
	unsigned int tries;	      /* of a mailbox command while firmware is busy; 0: 3 */
	unsigned int pause_ms;	      /* before each mailbox command, which is then sent alone */
	isst_log_function log;	      /* or NULL */
	void *log_data;
	int log_level;
	bool system_log; /* log written and rolled back values: syslog(3), priority notice */
	/** Called while waiting for lock or driver, between steps and writes of a change, and
	 * before each measurement: not 0 ends the call, and rolls a change back. May be NULL. */
	int (*interrupted)(void *data);
	void *interrupted_data;
};

/** What firmware sets together with a level; 0: nothing, or unknown. */
struct level_effects {
	uint64_t turbo_ratio_limits; /* as the register holds them */
	uint64_t uncore_max_khz[ISST_FABRICS], uncore_min_khz[ISST_FABRICS];
};

struct isst_context {
	struct isst_machine *machine;
	struct messages messages;
	bool system_log; /* this and the next two: as in the options */
	int (*interrupted)(void *data);
	void *interrupted_data;
	struct isst_platform platform;
	struct driver driver;
	struct kernel_files files;
	struct firmware firmware;
	struct power_zones power;	  /* as power_read() read them last */
	struct topology *topology;	  /* NULL until discovered */
	struct runtime_directory runtime; /* the machine's; held while the lock is */
	int lock;			  /* the descriptor that holds it; -1: none */
	struct claim *claims;		  /* see isst_claim(); NULL: none */
	pid_t lock_process;		  /* that took it: a forked child has copies, but no lock */
	/* Provided by features: reads what a level of a domain sets. Returns 0, also where that
	 * cannot be read, or a negative errno. */
	int (*level_effects)(struct isst_context *context, const struct isst_domain *domain,
			     unsigned int level, struct level_effects *effects);
	/* Provided by a layer above: describes the machine's state, to be kept before the first
	 * write since boot (transaction/run.h). @kept: the text so far, or NULL, to which CPUs seen
	 * since are added; *@text is NULL if there are none. Returns 0 or a negative errno. */
	int (*boot_state)(struct isst_context *context, const char *kept, char **text);
	bool boot_state_kept;	    /* or tried to */
	size_t boot_state_cpus;	    /* that were seen then */
	struct isst_change *held;   /* that was made, and may still be rolled back; or NULL */
	bool stale;		    /* locked after discovery: rediscover before a change */
	unsigned long long unlocks; /* what was begun under an earlier lock is refused */
	unsigned long long runs;    /* changes that were made, or tried */
	bool keep_journal;	    /* do not roll back an interrupted run automatically */
	bool recovered;		    /* an interrupted run was rolled back */
};

/** Whether packages consist of power domains. */
static inline bool context_has_power_domains(const struct isst_context *context)
{
	return context->firmware.operations && context->firmware.operations->valid_domains;
}

/** Refuses a call on a context, which may be NULL. Returns -EINVAL with a message. */
int context_refuse(struct isst_context *context, const char *why);

/** Discovers the topology, or rediscovers it. Returns 0, -EIO or -EPERM with a message, or -ENOMEM.
 */
int context_discover_topology(struct isst_context *context);

/** Whether this is a preset platform, also before isst_discover(). Most processors need no access.
 */
bool context_is_preset(struct isst_context *context);

const struct isst_domain *context_domain(const struct isst_context *context, size_t index);

/** The CPU with that number, or NULL if it is absent or was never seen online. */
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

/** Returns 0, or -EINVAL with a message before isst_discover(). */
int context_check_discovered(struct isst_context *context);

/** Whether the last discovery found a caller's domain or CPU. Returns 0, or with a message -EINVAL
 * (none, or one of another context) or -ESTALE (it no longer exists). */
int context_check_domain(struct isst_context *context, const struct isst_domain *domain);
int context_check_cpu(struct isst_context *context, const struct isst_cpu *cpu);

/** The same for one result. Returns false with the failure set. */
bool context_accepts_domain(struct isst_context *context, const struct isst_domain *domain,
			    struct isst_failure *failure);
bool context_accepts_cpu(struct isst_context *context, const struct isst_cpu *cpu,
			 struct isst_failure *failure);

/** Why the CLOS of a CPU's core cannot be accessed: the core is unknown, or no firmware core. NULL
 * if it can. */
static inline const char *context_core_objection(struct isst_context *context,
						 const struct isst_cpu *cpu)
{
	return cpu->core_known ? NULL
			       : topology_find_cpu(context->topology, cpu->number)->unknown_core;
}

/** The D of @domain:P.D: the number of a power domain, else its die. */
static inline unsigned int domain_number(const struct isst_context *context,
					 const struct isst_domain *domain)
{
	return context_has_power_domains(context) ? domain->number : domain->die;
}

/* ---- Batches of reads ---- */

/** Plans what one result needs; returns 0 or a negative errno that ends the whole call. */
typedef int (*plan_result)(struct isst_context *context, struct firmware_batch *batch,
			   void *result);

/** Reads @count results of @size bytes in one batch. Returns 0 or a negative errno. */
int context_read(struct isst_context *context, void *results, size_t count, size_t size,
		 plan_result plan);

/** A batch for reads, which leave CPUs alone that are isolated or nohz_full; but not under the
 * lock: for a change some CPUs go offline, and who holds it reads by the CPU that writes. NULL
 * without memory. */
struct firmware_batch *context_batch_new(struct isst_context *context);

#endif
