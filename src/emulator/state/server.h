/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulated server as its parts share it: platform, state directory, state. Each function is
 * made in the file that its group is named after.
 */
#ifndef EMULATOR_SERVER_H
#define EMULATOR_SERVER_H

#include "emulator/model/platform.h"
#include "emulator/model/tpmi_layout.h"
#include "emulator/machines.h"

#include <sys/types.h>

/**
 * What firmware holds for a domain. Layout of the state file: a change needs a new STATE_FORMAT.
 * Where firmware is reached by TPMI level, features and classes are in its registers alone, and
 * the MSRs of a package, with the limits set for all of it, are those of its first domain.
 */
struct domain_state {
	uint32_t level;
	uint32_t features; /* as in 0x7f/0x01: [16] turbo-freq, [17] base-freq enabled */
	uint32_t core_power_enabled;
	uint32_t qos_config; /* 0xd0/0x02 and MMIO 0x04: [1] CLOS enable, [2] priority type */
	uint32_t clos[CLOS_COUNT];
	uint32_t association[CORE_IDS];
	uint64_t turbo_ratio_limits;   /* MSR 0x1ad */
	uint64_t turbo_ratio_limits_2; /* MSR 0x1af */
	uint32_t uncore_min_khz, uncore_max_khz;
	uint32_t package_min_khz, package_max_khz; /* last set for the package; 0: nothing */
	/* TPMI: in the registers of all domains, for who reads the file without the platform */
	uint32_t first_register, register_count;
};

enum { KEPT_MSRS = 2 };

struct cpu_state {
	uint8_t online;
	uint8_t seen;	   /* has been online since boot, so the driver knows its numbers */
	uint8_t kept_msrs; /* which of kept_msr[] the driver has kept */
	uint8_t reserved;
	uint32_t requested_min_khz,
		requested_max_khz; /* the user's limits, not what came of them */
	uint32_t reserved_too;
	uint64_t kept_msr[KEPT_MSRS]; /* what was last written to MSR 0x1ad and 0x1af by this CPU */
};

enum { STATE_FORMAT = 8 };

/**
 * The start of the state file; struct domain_state of each domain, the TPMI registers of all
 * domains, and struct cpu_state of each CPU follow.
 */
struct state {
	char magic[16];
	uint32_t format;
	uint32_t domain_count, cpu_count, register_count;
	/* 1 + index of what has changed while its files have not; 0: nothing */
	uint32_t unfinished_cpu, unfinished_domain;
	uint32_t unfinished_level; /* 1 + the level that unfinished_domain is about to have */
	uint32_t unfinished_turbo, unfinished_groups;
	uint32_t no_turbo;
	uint32_t smt; /* enum smt_control */
	/* Accepted sets that have not taken effect, and when the first of them does (deferred.c) */
	uint32_t deferred_count;
	int64_t deferred_due_ms;
	uint64_t platform_hash;
	struct isst_emulator_statistics statistics;
};

/** A set that takes effect later, as the file deferred keeps it. */
struct deferred {
	int64_t due_ms; /* time of day: another process has to know it too */
	uint64_t request;
	unsigned char entry[24]; /* the largest entry of a batch */
	uint64_t check;		 /* of all before: what is carried out is what was accepted */
};

struct fault;
struct faults {
	struct fault *rules;
	size_t count;
	bool malformed;
	/* of the file that they were read from */
	bool present;
	uint64_t hash, inode, size;
	struct timespec modified, changed;
	bool settled; /* so old when it was read that the times tell of every later change */
	int counts;   /* the file that counts matches; -1: none */
};

struct server {
	struct isst_machine machine;
	struct platform *platform;
	char *path; /* of the state directory */
	char *run_path;
	char *lock_path; /* of what stands for the device node */
	int directory;	 /* the state directory */
	int root;	 /* the emulated root directory */
	int lock;	 /* held for one call at a time */
	pid_t process;	 /* that opened @lock: after a fork the child needs one of its own */
	int state_descriptor;
	struct state *state;
	size_t state_size;
	struct faults faults;
	bool trial;	  /* a command only shows whether it would be accepted */
	bool replaying;	  /* a deferred command is carried out: it was let in before */
	int *descriptors; /* of the device */
	size_t descriptor_count;
};

/* directory.c: the state directory and what the emulator may do with it */

/** Where the state of @platform is, and opens that directory. Returns a descriptor or -errno. */
int directory_open(const struct isst_emulator_target *target, const char *platform, bool make,
		   char **path, char **error);
/** Opens and locks the lock file of a state directory; the lock ends with the descriptor. */
int directory_lock(int directory, const char *path, char **error);
/** Removes @name below @directory with everything in it. A missing one is no error. */
int directory_remove(int directory, const char *name);

/** Locks what directory_lock() has opened. Returns 0; -ETIMEDOUT where another process keeps it
 * locked for long, with *@holder as a text that names that process; or another negative errno. */
int directory_wait_lock(int lock, char **holder);

/* state.c: what driver and firmware remember */

/** Opens the state, making state and files where they are missing. The lock must be held. */
int state_open(struct server *server, char **error);
void state_close(struct server *server);
struct domain_state *state_domain(const struct server *server, size_t index);
struct cpu_state *state_cpu(const struct server *server, size_t index);
/** The TPMI registers of a domain. */
struct tpmi_registers state_registers(const struct server *server, size_t index);
/** Where the MSRs of a domain are: with TPMI they are the package's. */
struct domain_state *state_msrs(const struct server *server, size_t index);
/**
 * state_check.c: what of a state, which is mapped and of the right size, cannot be of this
 * platform; as a text, or NULL where nothing is wrong.
 */
const char *state_mistake(const struct server *server);
/** Begins and ends a driver call or a file operation. Returns 0, -EIO, or -ETIMEDOUT where another
 * process keeps the machine locked for long. */
int state_lock(struct server *server);
void state_unlock(struct server *server);
void state_count(unsigned long long *counter, unsigned long long number);

/* tree.c, cpu_files.c: the kernel's files on disk */

/** Makes root and hidden, the files of offline CPUs, below @directory. */
int tree_make(struct server *server, int directory);
int tree_make_cpus(struct server *server, int directory);
int tree_write(int directory, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int tree_write_set(int directory, const char *path, const struct isst_cpuset *set);
/** Makes the directories above a file; @path is as before afterwards. */
int tree_make_parents(int directory, char *path);
/** Writes all that tells which CPUs are online. */
int tree_write_online(struct server *server, int directory);
/** What smt/control says, and smt/active, which follows the CPUs that are online. */
int tree_write_smt(struct server *server, int directory);
/** Moves the files of a CPU to where they belong now that it went online or offline. */
int tree_move_cpu(struct server *server, const struct platform_cpu *cpu);
/** Whether smt/control lets a CPU be online. */
bool smt_allows(const struct server *server, const struct platform_cpu *cpu);
bool cpu_online(const struct server *server, const struct platform_cpu *cpu);
/** The files that follow level and features of a domain. */
int tree_write_domain(struct server *server, size_t domain);
/** Its cpufreq files alone. */
int tree_write_frequencies(struct server *server, size_t domain);
/** scaling_min_freq and scaling_max_freq of a CPU. */
int tree_write_limits(struct server *server, const struct platform_cpu *cpu);
/** Brings scaling_cur_freq up to date where that is about to be read. */
int tree_refresh_current(const struct server *server, const char *path);
/** scaling_governor of a CPU; nothing else depends on it. */
int tree_write_governor(struct server *server, const struct platform_cpu *cpu,
			const char *governor);
/** no_turbo and all that follows it. */
int tree_write_turbo(struct server *server);

/* node_files.c: NUMA nodes */

int nodes_make(const struct server *server, int directory);
/** What leads from nodes to CPUs and back, once both are there. */
int nodes_make_links(const struct server *server, int directory);
/** Writes what tells which of their CPUs are online. */
int nodes_write(const struct server *server, int directory);

/* debugfs.c: TPMI registers as debugfs shows them */

int debugfs_make(const struct server *server, int directory);
/** Brings a file that is about to be read up to date. */
int debugfs_refresh(const struct server *server, const char *path);

/* level_facts.c: what the current level of a domain says */

/** Frequencies in MHz, 0 where the level says nothing. */
struct level_facts {
	unsigned int base_mhz, highest_mhz;
	bool base_freq; /* SST-BF is on */
	unsigned int high_mhz, low_mhz;
	uint64_t high_cores;
	unsigned int uncore_min_mhz, uncore_base_mhz, uncore_max_mhz;
	uint64_t turbo_ratios; /* as MSR 0x1ad holds them */
};
struct level_facts level_facts(const struct server *server, size_t domain);

/* frequencies.c: what cpufreq shows of a CPU, in kHz */

enum { NO_LIMIT_KHZ = INT32_MAX };

unsigned int base_khz(const struct server *server, const struct platform_cpu *cpu);
unsigned int lowest_khz(const struct server *server, const struct platform_cpu *cpu);
unsigned int highest_khz(const struct server *server, const struct platform_cpu *cpu);
unsigned int scaling_min_khz(const struct server *server, const struct platform_cpu *cpu);
unsigned int scaling_max_khz(const struct server *server, const struct platform_cpu *cpu);
/** What a CPU that is busy runs at: up to its limits, and the maximum of its CLOS. */
unsigned int busy_khz(const struct server *server, const struct platform_cpu *cpu);

/* uncore.c: intel_uncore_frequency */

void uncore_init(const struct server *server, size_t domain);
/** The level changes the limits, where the platform is of that kind. */
void uncore_follow_level(const struct server *server, size_t domain);
int uncore_make(const struct server *server, int directory);
/** Writes the files that can change: of a domain, or with TPMI of all domains of its package. */
int uncore_write(const struct server *server, size_t domain);
/** The domain of a directory name; *@package: it is the package's, which @domain is the first of.
 * Returns false where there is none. */
bool uncore_find(const struct server *server, const char *name, size_t *domain, bool *package);

/* cgroup.c: /sys/fs/cgroup, its groups and partitions */

int groups_make(const struct server *server, int directory);
/** Works out anew what the kernel grants to each group; CPUs or groups have changed. */
int groups_update(struct server *server);
/* Each as the kernel answers: 0 or a negative errno. */
int groups_mkdir(struct server *server, const char *path);
int groups_rmdir(struct server *server, const char *path);
int groups_write_control(struct server *server, const char *path, const char *text);
int groups_write_cpus(struct server *server, const char *path, const char *text);
int groups_write_partition(struct server *server, const char *path, const char *text);

/* writes.c: what a write to a file does */

/** Returns 0 or a negative errno. */
int write_react(struct server *server, const char *path, const char *content, size_t size);
/** An error of reading a file that is there: 0 or a negative errno. */
int read_refusal(const struct server *server, const char *path);

/* files.c, driver.c: the two seams */
extern const struct files_operations emulated_files;
extern const struct device_operations emulated_device;
void device_close_all(struct server *server);

/* deferred.c: sets that firmware has accepted and carries out later */

/** Keeps an entry of a batch, or a request, for later. Returns 0 or -EIO. */
int deferred_add(struct server *server, unsigned long request, const void *entry, size_t size,
		 uint64_t delay_ms);
/** Whether the file holds as many as the state says. Returns 0 or -EIO. */
int deferred_check(const struct server *server);
/** Carries out what has become due. The lock must be held. */
int deferred_run_due(struct server *server);

/* privilege.c: the caller's capabilities over this machine */

/** Whether the calling process has a capability: 1, 0 or a negative errno. The lock must be held.
 */
int caller_capable(struct server *server, int capability);
/** The same for CAP_SYS_ADMIN, as the driver asks. */
bool caller_may_administer(struct server *server);
/** isst_machine.capable */
int machine_capable(void *data, int capability);

/* system_log.c */

/** isst_machine.log */
void machine_log(void *data, const char *line);

#endif
