/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the features do for any number of domains or CPUs at once: reading what the firmware
 * reports, and planning requests as parts of a change. src/library gives it the shape that programs
 * see.
 */
#ifndef ISST_FEATURES_FEATURES_H
#define ISST_FEATURES_FEATURES_H

#include "firmware/results.h"

struct isst_change;

/* ---- Reading ---- */

/** Of level_read_parts(): only whether features are supported and on. */
#define ISST_LEVEL_FEATURES 0U

/**
 * Reads the summary of levels of each domain (mailbox 0x7f/0x00; TPMI PERF_LEVELS).
 *
 * @profiles: @count of them, each with its @domain set; the rest is filled in
 * Returns 0 or -ENOMEM, -EINTR. Where a profile's failure is set its values mean nothing.
 */
int perf_profile_read(struct isst_context *context, struct isst_perf_profile *profiles,
		      size_t count);

/**
 * Reads levels: everything that they specify, SST-BF and SST-TF included.
 *
 * @levels: @count of them, each with @domain and @level set, all else zero or from an earlier call,
 * whose sets are released; the rest is filled in
 * A level that the domain does not have: failure -EOPNOTSUPP, which names those that exist.
 * Returns 0 or -ENOMEM, -EINTR.
 */
int level_read(struct isst_context *context, struct isst_level *levels, size_t count);

/** As level_read(), for some parts only: @parts is a sum of ISST_READ_LEVELS_... */
int level_read_parts(struct isst_context *context, struct isst_level *levels, size_t count,
		     unsigned int parts);

/** Releases what a level holds; the level itself is the caller's. */
void level_clear(struct isst_level *level);

/** Reads the state of core-power of each domain (mailbox 0x94/0x03 and 0xd0/0x02). Returns as
 * above. */
int core_power_read(struct isst_context *context, struct isst_core_power *states, size_t count);

/** Reads configurations of classes of service (MMIO 0x08 + 4 x clos; mailbox 0xd0/0x01 on model
 * 0x55). */
int clos_read(struct isst_context *context, struct isst_clos *clos_configs, size_t count);

/** Reads which class of service each CPU's core is in (MMIO 0x20 + 4 x core; mailbox 0xd0/0x00 on
 * model 0x55). */
int clos_association_read(struct isst_context *context, struct isst_clos_association *associations,
			  size_t count);

/** Reads the turbo ratio limits in force (MSR 0x1ad) of each domain. */
int turbo_ratio_limits_read(struct isst_context *context, struct isst_turbo_ratio_limits *limits,
			    size_t count);

/* ---- Changes ---- */

/** A domain that a request is for, and what stands against it there. */
struct domain_request {
	const struct isst_domain *domain; /* in */
	/*
	 * Out, of planning: the domain is left out of the change, if that may be made without it
	 * (enum target_policy); -EOPNOTSUPP: it does not support the request; -EIO: its state
	 * forbids it or could not be read. The message has the cause and the remedy.
	 */
	struct isst_failure failure;
};

/*
 * Each plans one request for a set of domains: checks what must hold on all of them and adds the
 * steps. It is planned from what the requests before it will leave of levels, features and
 * core-power. Returns 0 (also when single domains failed), or -ENOMEM, -EINTR, -EINVAL (values that
 * are wrong anywhere).
 */

/** SST-PP: makes @level the current one. @online: CPUs that the level does not enable go offline,
 * the others online. */
int change_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		      unsigned int level, bool online);

/** SST-BF on or off. @automatic: with CLOS, associations, core-power and cpufreq limits to go with
 * it. */
int change_plan_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic);

struct turbo_freq_request {
	bool enable, automatic;
	/** With @automatic: CPUs whose cores get high priority, their siblings included; NULL:
	 * none. */
	const struct isst_cpuset *high_priority;
	/** Turbo ratio limits to write: where false, all ones on enable, those of the level on
	 * disable. */
	bool limits_given;
	uint64_t limits;
};

/** SST-TF on or off. */
int change_plan_turbo_freq(struct isst_change *change, struct domain_request *requests,
			   size_t count, const struct turbo_freq_request *request);

enum isst_priority_request {
	ISST_KEEP_PRIORITY = -1,
	ISST_MAKE_PROPORTIONAL = ISST_PRIORITY_PROPORTIONAL,
	ISST_MAKE_ORDERED = ISST_PRIORITY_ORDERED,
};

/** SST-CP on or off. */
int change_plan_core_power(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable, enum isst_priority_request priority);

/** Configures CLOS @values->clos with the values of @values (domain and failure are not looked at).
 */
int change_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values);

/** Puts the cores of CPUs into a CLOS. @associations: @cpu and @clos are in, @failure is out.
 * -EINVAL where one core is asked to be in two. */
int change_plan_association(struct isst_change *change, struct isst_clos_association *associations,
			    size_t count);

/** Turbo ratio limits (MSR 0x1ad). */
int change_plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
				   size_t count, uint64_t limits);

/** A CPU that a request is for, and what stands against it there. */
struct cpu_request {
	const struct isst_cpu *cpu; /* in */
	struct isst_failure failure;
};

/** Turbo by cpufreq: off limits each CPU to its base frequency, on takes the limit away. */
int change_plan_turbo_mode(struct isst_change *change, struct cpu_request *requests, size_t count,
			   bool enable);

/**
 * Leaves a target out of a request for which it was not planned at all, as it no longer exists,
 * where the change may be made without it. @others: the request has other targets.
 */
void change_plan_without(struct isst_change *change, const struct isst_failure *failure,
			 bool others);

/**
 * All present CPUs online. After change_run() the machine is discovered anew, see
 * isst_rediscover().
 */
int change_plan_all_online(struct isst_change *change);

#endif
