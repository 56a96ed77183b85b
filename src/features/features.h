/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and planning for any number of domains or CPUs; src/library makes that public. */
#ifndef ISST_FEATURES_FEATURES_H
#define ISST_FEATURES_FEATURES_H

#include "firmware/results.h"
#include "topology/context.h"

struct isst_change;
struct isst_context;
struct isst_cpuset;

/* ---- Reading ---- */

/** Of levels_read(): only whether features are supported and on. */
#define ISST_LEVEL_FEATURES 0U

/**
 * Reads the summary of levels of each domain (mailbox 0x7f/0x00; TPMI PERF_LEVELS).
 *
 * @profiles: @count of them, each with its @domain set; the rest is filled in
 * Returns 0 or -ENOMEM. Where a profile's failure is set its values mean nothing.
 */
int perf_profile_read(struct isst_context *context, struct isst_perf_profile *profiles,
		      size_t count);

/** Releases what a level holds; the level itself is the caller's. */
void level_clear(struct isst_level *level);

/** Reads the state of core-power (mailbox 0x94/0x03 and 0xd0/0x02). Returns as above. */
int core_power_read(struct isst_context *context, struct isst_core_power *states, size_t count);

/** Whether classes hold by core-power alone, which was read: it and the use of classes are on. */
void core_power_find_clos_in_force(const struct isst_context *context,
				   struct isst_core_power *state);

/** Reads classes of service (MMIO 0x08 + 4 x clos; mailbox 0xd0/0x01 on model 0x55). */
int clos_read(struct isst_context *context, struct isst_clos *clos_configs, size_t count);

/** Reads the CLOS of cores (MMIO 0x20 + 4 x core; mailbox 0xd0/0x00 on model 0x55). */
int clos_association_read(struct isst_context *context, struct isst_clos_association *associations,
			  size_t count);

/** Reads the turbo ratio limits in force (MSR 0x1ad) of each domain. */
int turbo_ratio_limits_read(struct isst_context *context, struct isst_turbo_ratio_limits *limits,
			    size_t count);

/** A frequency in kHz; 0: it is not known. */
static inline uint64_t value_khz(const struct isst_value *mhz)
{
	return mhz->state == ISST_KNOWN ? mhz->value * UINT64_C(1000) : 0;
}

/** Frequencies as turbo ratio limits, as their register holds them. */
static inline uint64_t ratios_word(const struct isst_value mhz[ISST_BUCKETS])
{
	uint64_t word = 0;

	for (unsigned int i = 0; i < ISST_BUCKETS; i++)
		word |= (uint64_t)(mhz[i].value / 100 & 0xff) << 8 * i;
	return word;
}

/** Of a limit: none but the processor's own (of the uncore: that of boot). */
#define LIMIT_NONE UINT64_C(0)
/** Of a lower limit that is asked for: the highest frequency that the processor is going to have;
 * of an upper one: the lowest. As values of items they are beyond every range, and the range that
 * is found when they are written makes that frequency of them. */
#define LIMIT_HIGHEST UINT64_C(2147483647)
#define LIMIT_LOWEST UINT64_C(1)
/** Of a limit that is asked for: it is left as it is. */
#define LIMIT_KEPT UINT64_MAX

/** The two limits of a frequency. */
struct frequency_limits {
	uint64_t min_khz, max_khz;
};

/** The limits that cpufreq has for a CPU (scaling_min_freq, scaling_max_freq). */
struct scaling_limits {
	const struct isst_cpu *cpu; /* in */
	/* -EOPNOTSUPP: the kernel shows none: without cpufreq, or of a CPU that is offline. */
	struct isst_failure failure;
	struct frequency_limits now;	   /* LIMIT_NONE where it is the processor's own */
	struct frequency_limits processor; /* those: cpuinfo_min_freq, cpuinfo_max_freq */
	/* Turbo is off: what a limit is from @processor.max_khz up is not shown. */
	bool hidden;
};

/** Reads limits of cpufreq. @limits: @count of them, each with @cpu set. Returns 0, or a
 * negative errno with a message where nothing could be read. */
int scaling_limits_read(struct isst_context *context, struct scaling_limits *limits, size_t count);

/** The limits of the uncore of a domain (min_freq_khz, max_freq_khz of the kernel's drivers). */
struct uncore_limits {
	const struct isst_domain *domain; /* in */
	unsigned int fabric;		  /* in: the fabric cluster; 0 on mailbox platforms */
	/* -EOPNOTSUPP: the kernel has none for it. */
	struct isst_failure failure;
	struct frequency_limits now;
	/* Of boot (initial_..._freq_khz), which LIMIT_NONE stands for; 0: not shown. */
	struct frequency_limits initial;
};

/** Reads limits of @count places, with @domain and @fabric set. Returns 0 or -ENOMEM. */
int uncore_limits_read(struct isst_context *context, struct uncore_limits *limits, size_t count);

/** The number of fabric clusters of a domain that the kernel has uncore limits for, the highest
 * plus one; 0: none. Returns 0, or a negative errno with a message. */
int uncore_fabric_count(struct isst_context *context, const struct isst_domain *domain,
			unsigned int *count);

/** Which CPUs of a domain are in use. */
enum cpus_wanted {
	CPUS_BY_LEVEL, /* those that the current level enables; the others are offline */
	CPUS_ISOLATED, /* the same; the others are isolated in the domain's cpuset partition */
	CPUS_ONLINE,   /* all */
	CPUS_OFFLINE,  /* all but those of a list, which are offline */
};

/** Which CPUs of a domain are offline, and which are isolated. To be cleared. */
struct cpus_state {
	const struct isst_domain *domain; /* in */
	/* In: the level that counts, with its properties, which CPUS_BY_LEVEL and CPUS_ISOLATED
	 * need; NULL: it is not asked for. */
	const struct isst_level *level;
	struct isst_failure failure; /* nothing is known */
	/* Why it is not known which CPUs the level enables; -ENODATA: that was not asked for. */
	struct isst_failure level_failure;
	struct isst_cpuset *offline; /* of those that are known to belong to it */
	/* Offline CPUs of which nothing is known, and which may belong to it. */
	struct isst_cpuset *unknown;
	struct isst_cpuset *isolated; /* in the domain's partition, while that is valid */
	bool has_partition;	      /* a partition of its CPUs is there, valid or not */
	/* Isolated in partitions of other programs, which no change touches. */
	struct isst_cpuset *foreign;
	struct isst_cpuset *disabled;	 /* by the level; with @level_failure: empty */
	struct isst_cpuset *without_smt; /* offline second threads, or maybe, while SMT is off */
	bool cpu0_stays;		 /* it cannot go offline: it is isolated instead */
};

/** Reads the state of CPUs of domains: @states, each with @domain set, perhaps @level, all else
 * zero. Returns 0 or -ENOMEM. The states are to be cleared in any case. */
int cpus_state_read(struct isst_context *context, struct cpus_state *states, size_t count);
void cpus_state_clear(struct cpus_state *state);

/**
 * Whether the CPUs of a domain are as plan_cpus() would leave them: CPU 0, and second threads while
 * SMT is off, as far as they can be.
 * @offline: of CPUS_OFFLINE
 */
bool cpus_state_is(const struct cpus_state *state, enum cpus_wanted wanted,
		   const struct isst_cpuset *offline);

/** Which CPUs cpus_state_add() adds. */
enum cpus_part {
	CPUS_DIFFERENT, /* of the domain, and not so */
	CPUS_UNKNOWN,	/* offline, maybe of any domain, and to be online */
	/* To be online, and not so because SMT is off: cpus_state_is() does not ask for them. */
	CPUS_WITHOUT_SMT,
};

/** Returns 0 or -ENOMEM. */
int cpus_state_add(const struct cpus_state *state, enum cpus_part part, enum cpus_wanted wanted,
		   const struct isst_cpuset *offline, struct isst_cpuset *cpus);

/* ---- Changes ---- */

/** A domain or CPU that a request is for, and what stands against it there. */
struct domain_request {
	const struct isst_domain *domain; /* in */
	const struct isst_cpu *cpu;	  /* in, of requests for CPUs */
	/* Out, of planning: the target is left out of the change, if that may be made without it
	 * (enum target_policy); -EOPNOTSUPP: it does not support the request; -EIO: its state
	 * forbids it or could not be read. The message has the cause and the remedy. */
	struct isst_failure failure;
};

struct turbo_freq_request {
	bool enable, automatic;
	/** With @automatic: CPUs whose cores get high priority; NULL: none. */
	const struct isst_cpuset *high_priority;
	/** To write: where false, all ones on enable, those of the level on disable. */
	bool limits_given;
	uint64_t limits;
};

enum isst_priority_request {
	ISST_KEEP_PRIORITY = -1,
	ISST_MAKE_PROPORTIONAL = ISST_PRIORITY_PROPORTIONAL,
	ISST_MAKE_ORDERED = ISST_PRIORITY_ORDERED,
};

/** Limits that cpufreq is to have for a CPU, or the uncore of a domain. */
struct limit_request {
	const struct isst_cpu *cpu;	  /* in, of cpufreq */
	const struct isst_domain *domain; /* in, of the uncore */
	unsigned int fabric;		  /* in, as of struct uncore_limits */
	struct frequency_limits wanted;	  /* in: kHz or LIMIT_KEPT; of cpufreq LIMIT_... */
	bool may_cross; /* in, of the uncore: the lower one may be above the upper one */
	/* In: where all limits of a package are asked for, its own may be moved for it. */
	bool with_package;
	struct isst_failure failure; /* -EOPNOTSUPP: the kernel has none, or a CPU stays offline */
	bool of_max;		     /* out: what the failure is about is the upper limit */
};

/* ---- What runs ---- */

struct cpu_running {
	const struct isst_cpu *cpu; /* in */
	/* -EOPNOTSUPP: the kernel shows none. */
	struct isst_failure failure;
	unsigned int mhz; /* of frequencies_read(): scaling_cur_freq */
	uint64_t reasons; /* of reasons_read(): a bit for each of limit_words[] */
};

/** Power of a domain's package, or of its die where the kernel has zones of dies. */
struct domain_power {
	const struct isst_domain *domain; /* in */
	/* -EOPNOTSUPP: the kernel has no zone with a limit for it; -ENODATA: it would interrupt a
	 * CPU that is isolated or nohz_full. */
	struct isst_failure failure;
	struct isst_value power_mw; /* absent: there was no reading before this one */
	struct isst_value limit_mw;
};

/** Read for @count CPUs, each with @cpu set. Return 0, or an error with a message. */
int frequencies_read(struct isst_context *context, struct cpu_running *cpus, size_t count);
int reasons_read(struct isst_context *context, struct cpu_running *cpus, size_t count);

/** Finds the zones of packages. Without TPMI the kernel reads a limit by the first CPU of the
 * package or die: packages of which that one is in @undisturbed are left out, and taken from
 * @packages.
 * *@why_not: what was left out, and why; NULL: nothing. Returns as powercap_find(). */
int power_find_zones(struct isst_context *context, const struct isst_cpuset *undisturbed,
		     struct isst_cpuset *packages, struct power_zones *zones, const char **why_not);

/** For domains, each with @domain set: what was drawn since the last call. */
int power_read(struct isst_context *context, struct domain_power *domains, size_t count);

/* ---- Names of CPUs ---- */

struct cpu_name;

/**
 * Finds the CPUs that a name stands for, as far as they are online and belong to a known domain.
 *
 * @cpus: empty before; on error it stays so
 * Returns 0, or with a message -EOPNOTSUPP (the machine has no such place), -EIO
 * and the like (it cannot be read) or -ENOMEM.
 */
int cpu_name_find(struct isst_context *context, const struct cpu_name *name,
		  struct isst_cpuset *cpus);

/** Returns -EOPNOTSUPP, with the message that a name stands for no CPU. */
int cpu_name_refuse_empty(struct isst_context *context, const struct cpu_name *name);

#endif
