/* SPDX-License-Identifier: BSD-3-Clause */
/* What a platform file describes (docs/internals/platform-file.md), every value with the line that
 * gave it, or what a captured machine consists of. */
#ifndef EMULATOR_PLATFORM_H
#define EMULATOR_PLATFORM_H

#include "base/machine.h"
#include "isst.h"

#include <stdint.h>

/* Limits of the interfaces that are emulated, not of the machine: ratio words of eight bytes, four
 * classes, core ids of 8 bits, core masks of 64. */
enum { BUCKETS = 8, TRL_TYPES = 6, CLOS_COUNT = 4, CORE_IDS = 256, MASK_CORES = 64, COMMANDS = 32 };

/* Limits of what is emulated: x86 kernels are built for 8192 CPUs at most, as the file kernel_max
 * shows; packages of dies or power domains, and levels of all of these, are no more than memory and
 * time allow. The largest servers have 8 packages of 288 CPUs, 5 power domains and 5 levels each.
 */
enum { MOST_CPUS = 8192, MOST_DOMAINS = 1024, MOST_LEVELS = 16384 };

/* Of TPMI: the mask of valid power domains has 16 bits, those of levels 8. */
enum { MOST_POWER_DOMAINS = 16, TPMI_LEVELS = 8 };

/* Values as read from the file. @line is 0 where the file has none and the default holds. */
struct number_value {
	unsigned int value, line;
};
struct list_value {
	unsigned int value[BUCKETS], count, line;
};
struct mask_value {
	uint64_t cores;
	unsigned int line;
};
struct set_value {
	struct isst_cpuset *set;
	unsigned int line;
};
struct text_value {
	char *text;
	unsigned int line;
};
struct commands_value {
	uint16_t command[COMMANDS]; /* command << 8 | sub-command */
	unsigned int count, line;
};

/** Registers written as they are: bits that have no name. */
struct raw_register {
	unsigned int offset; /* bytes, from the begin of the block that the section describes */
	bool whole;	     /* the register is @value; else these bits are set besides others */
	uint64_t value;
	unsigned int line;
};
enum { RAW_REGISTERS = 32 };
struct raw_value {
	struct raw_register registers[RAW_REGISTERS];
	unsigned int count;
};

enum { BASE_SSE, BASE_AVX2, BASE_AVX512, BASE_AMX, BASES };

/** A performance level of a domain. Frequencies in MHz. */
struct platform_level {
	unsigned int number;
	unsigned int line; /* of its first section */
	struct mask_value cores;
	struct number_value power_w, power_max_w, power_min_w, tdp_ratio, tjunction_c;
	struct number_value base[BASES];
	struct number_value uncore_max, uncore_base, uncore_min;
	struct number_value memory, memory_code;
	struct list_value limits[TRL_TYPES];
	struct mask_value bf_cores;
	struct number_value bf_high, bf_low, bf_tjunction_c, bf_tcontrol_c, bf_power_w;
	struct list_value tf_cores;
	struct list_value tf_limits[TRL_TYPES];
	struct number_value tf_clip[TRL_TYPES];
	/* TPMI only */
	struct number_value enabled, allowed;
	struct number_value power_eighths, bf_power_eighths; /* of a watt, besides the watts */
	struct number_value fused_cores, resolved_cores, cooling;
	struct number_value p0, p1, pn, pm;
	struct number_value uncore2_max, uncore2_base, uncore2_min; /* second fabric */
	struct list_value trl_cores;				    /* of each turbo bucket */
	struct list_value tf_modules;
	struct number_value bf_support, tf_support, bf_version, tf_version;
	struct raw_value raw; /* from the begin of the level's block */
};

struct platform_clos {
	struct number_value epp, weight, min, max, desired;
	struct set_value cores; /* TPMI: that are in this class at the start */
};

enum domain_type { DOMAIN_COMPUTE, DOMAIN_IO, DOMAIN_ABSENT };

/** What firmware controls as one: a package x die (mailbox), a package x power domain (TPMI). */
struct platform_domain {
	unsigned int package;	/* physical package id */
	unsigned int die_index; /* within the package; TPMI: 0 */
	unsigned int die;	/* die id as the kernel shows it; power domains may share one */
	struct set_value cores; /* firmware's core ids, of modules where they are modules */
	unsigned int socket;	/* packages counted from 0 on (platform_complete) */
	const struct platform_cpu *first_cpu; /* NULL: it has none (platform_complete) */
	/* TPMI only, and all that its driver and firmware look at: the registers as they are at
	 * reset. The levels and settings below are what a platform file makes them from; a captured
	 * machine has none. An absent instance reads all ones. */
	unsigned int power_domain; /* the driver's number within the package */
	uint64_t *registers;
	size_t register_count;
	size_t first_register;	  /* of this domain among those of all (platform_complete) */
	struct number_value type; /* enum domain_type */
	struct number_value interface_version, dynamic_switch, cp_version;
	struct number_value uncore_min, uncore_max; /* MHz; line 0: as the registers have it */
	struct raw_value raw;			    /* from the begin of the instance */
	uint64_t turbo_ratios;			    /* MSR 0x1ad of the package at reset */
	bool turbo_ratios_known;		    /* else it is what the level has */

	struct number_value perf_profile, version, locked, level;
	struct number_value core_power, core_power_enabled, clos_enabled, priority;
	struct number_value base_freq_enabled, turbo_freq_enabled;
	struct number_value second_half;
	struct list_value turbo_cores; /* MSR 0x1ae */
	/* TPMI: performance limit reasons that stand until they are cleared, of all cores or, where
	 * there is a line for them, of these */
	struct text_value limit_reasons;
	struct mask_value limited_cores;
	struct number_value limit_register; /* mailbox: MSR 0x64f until its log is cleared */
	struct number_value throttle_count; /* of each of its CPUs since boot */
	/* Of its package, of which the first domain counts: the long-term power limit; what it
	 * draws with all of its CPUs online, which are busy; and the most that they run at while
	 * the limit holds them back. */
	struct number_value power_limit_w, power_draw_w, power_limited_mhz;
	struct commands_value missing;
	struct mask_value clos_resets;	  /* bit i: CLOS i is reset when core-power goes on */
	struct mask_value undefined_clos; /* TPMI: cores whose association names CLOS 15 */
	struct number_value turbo_freq_uses_clos; /* classes hold with SST-TF alone */
	struct platform_clos clos[CLOS_COUNT];
	struct platform_level *levels; /* ascending by number */
	size_t level_count;
};

struct platform_cpu {
	unsigned int number;
	unsigned int domain; /* index */
	unsigned int core;   /* the firmware's id, of its module where cores are in modules */
	unsigned int
		core_id; /* the kernel's, unique within the die: CPUs that share it are a core */
	unsigned int thread; /* within @core */
	uint32_t punit;	     /* TPMI: MSR 0x54: thread [2:0], core [10:3], power domain [15:11] */
	unsigned int node;   /* NUMA */
	bool first_of_core;  /* among all CPUs of the kernel's core (platform_complete) */
	const struct platform_cpu *next_of_domain; /* by number (platform_complete) */
	/* As captured of a real machine, for as long as level, features and turbo are as they were
	 * then; 0: what follows from those */
	unsigned int base_khz, highest_khz;
};

enum mailbox_transport { MAILBOX_NONE, MAILBOX_PCI, MAILBOX_MSR };
enum cpu_numbering { NUMBERING_BLOCKS, NUMBERING_ADJACENT, NUMBERING_ALTERNATING };
enum die_ids { DIE_IDS_PER_PACKAGE, DIE_IDS_ACROSS, DIE_IDS_POWER_DOMAIN };
enum core_ids { CORE_IDS_SAME, CORE_IDS_DENSE, CORE_IDS_SPREAD };

/** The register that holds the current level when the driver refuses to set the current one. */
enum level_compare { LEVEL_COMPARE_STATUS, LEVEL_COMPARE_CONTROL };

/** What becomes of the cpufreq directory of a CPU that goes offline. */
enum offline_cpufreq { OFFLINE_CPUFREQ_BUSY, OFFLINE_CPUFREQ_READABLE, OFFLINE_CPUFREQ_GONE };

/** The files domain_id of the uncore: the power domain, or counted in each PCI device. */
enum uncore_ids { UNCORE_IDS_UNIQUE, UNCORE_IDS_REPEATED };

/** Content of smt/control. */
enum smt_control { SMT_ON, SMT_OFF, SMT_FORCE_OFF, SMT_NOT_SUPPORTED, SMT_NOT_IMPLEMENTED };
extern const char *const smt_controls[];

struct capture;

enum lockdown { LOCKDOWN_NONE, LOCKDOWN_INTEGRITY, LOCKDOWN_CONFIDENTIALITY };
enum cgroup_tree { CGROUP_NONE, CGROUP_NO_CPUSET, CGROUP_HYBRID, CGROUP_V2 };

/** A kernel release as a number that compares: 6.12 is 6012. */
#define KERNEL(major, minor) ((major)*1000 + (minor))

struct platform {
	char *name;
	char *text;
	uint64_t hash; /* of the text */

	struct text_value title;
	struct number_value synthetic;

	struct text_value vendor, model_name;
	struct number_value family, model, stepping;
	struct number_value min_mhz, max_mhz;

	struct number_value api_version, driver_version, max_commands, kernel;
	struct number_value mailbox; /* enum mailbox_transport */
	struct number_value mmio;    /* PCI device id, 0: none */
	struct number_value node;    /* is there a /dev/isst_interface */
	/* TPMI: sockets of which one of two PCI devices, or none, is bound to the driver */
	struct set_value partly_bound, unbound;
	struct number_value masked_errors; /* every failing TPMI request answers ENOTTY */
	struct number_value level_compare; /* enum level_compare */

	struct set_value packages, cores, cpu_numbers, offline, possible;
	struct number_value dies, threads, die_ids, core_ids, numbering, first_cpu;
	struct set_value power_domains; /* TPMI: of each package */
	struct number_value modules;	/* the firmware's cores are modules of @threads cores */

	struct number_value die_files, cpu0_hotplug, hwp;
	struct set_value refuse_offline;
	struct number_value smt; /* enum smt_control; line 0: by the threads of cores */
	struct text_value cpufreq, governor, pstate;
	struct number_value offline_cpufreq; /* enum offline_cpufreq */
	struct number_value no_turbo, bios_turbo, cpuinfo_follows_turbo, bios_limit_mhz;
	struct number_value powercap;
	struct number_value uncore, uncore_writable, uncore_follows_level;
	struct number_value uncore_ids; /* enum uncore_ids */
	struct number_value uncore_elc; /* there are elc_ files */

	struct number_value cgroup_tree; /* enum cgroup_tree */
	struct number_value cpuset_enabled, cgroup_isolated;
	struct set_value isolcpus, nohz_full;

	/* What runs on it: `NAME:NUMBER` of processes, names of units, the kind of a container */
	struct text_value processes, services, container, command_line;
	struct number_value lockdown; /* enum lockdown */

	struct platform_domain *domains; /* ascending by package, then die or power domain */
	size_t domain_count;
	size_t register_count;	   /* of all domains */
	struct platform_cpu *cpus; /* present ones, ascending by number */
	size_t cpu_count;
	unsigned int cpu_ids; /* one more than the highest possible CPU: the kernel's nr_cpu_ids */
	size_t level_count;   /* of all domains, as the file describes them */
	struct capture *capture; /* not owned; NULL: described by a platform file */
};

/** Reads a platform from @text, which @file names in messages. Returns 0, -EINVAL with *@error set
 * to `FILE:LINE: what`, or -ENOMEM. */
int platform_read(const char *name, const char *file, const char *text, struct platform **platform,
		  char **error);
void platform_free(struct platform *platform);

/** With every value at its default, without domains and CPUs; of what comes from elsewhere than
 * from text `hash` has to be set as well. Then platform_complete(). Returns NULL without memory. */
struct platform *platform_new(const char *name);

/** Completes what follows from the rest: possible CPUs (where @possible is not set), cpu_ids,
 * first_of_core, first_register, defaults that depend on the release and on the driver. Returns 0,
 * -ENOMEM, or -EINVAL with *@what set to what contradicts itself, such as a register block that is
 * too short for its offsets. */
int platform_complete(struct platform *platform, char **what);

/** How many dies a package may have, as the kernel works it out from the processor's enumeration:
 * a power of two; 1 where power domains of a package are not on dies of their own. */
unsigned int platform_dies(const struct platform *platform);

/** Whether the driver talks to TPMI registers: API version 2 and up. */
bool platform_is_tpmi(const struct platform *platform);

/** The state of the lock that a captured machine carries: cleared in every power domain. */
void platform_unlock(struct platform *platform);

/** The CPU of that number, or NULL; its index is the difference to @cpus. */
const struct platform_cpu *platform_cpu(const struct platform *platform, unsigned int number);

/** The level of that number, or NULL where the domain has none. */
const struct platform_level *platform_level(const struct platform_domain *domain,
					    unsigned int number);

/* ---- mailbox_levels.c: what mailbox firmware answers of a level (command 0x7f) ---- */

static inline uint32_t get_bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (uint32_t)(word >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

/** The answer to a sub-command. Returns 0 or -ENXIO. */
int mailbox_level_answer(const struct platform_domain *domain, uint32_t sub, uint32_t data,
			 uint32_t *answer);

/** Looks up the answer to a sub-command; false: there is none. */
typedef bool mailbox_answer_get(const void *source, uint32_t sub, uint32_t data, uint32_t *answer);

/** Fills in what the answers to such requests report of a level, whose features are known. */
void mailbox_level_describe(struct platform_level *level, mailbox_answer_get *get,
			    const void *source);

#endif
