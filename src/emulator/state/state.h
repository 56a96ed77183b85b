/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a machine is besides its platform, in one file that its processes share. Under the lock
 * a process works on a copy; state_store() stores all of it or nothing, even where the process is
 * killed. */
#ifndef EMULATOR_STATE_STATE_H
#define EMULATOR_STATE_STATE_H

#include "emulator/model/machines.h"
#include "emulator/model/platform.h"
#include "emulator/model/tpmi_layout.h"

#include <sys/types.h>
#include <time.h>

/** Efficiency latency control: two thresholds in parts of 127, a switch, and a ratio. */
enum latency_control { ELC_LOW, ELC_HIGH, ELC_HIGH_ENABLE, ELC_FLOOR, LATENCY_CONTROLS };

/** What firmware holds for a domain. Where firmware is reached by TPMI level, features and classes
 * are in its registers alone, and the MSRs of a package, with the limits set for all of it, are
 * those of its first domain. */
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
	uint32_t initial_min_khz, initial_max_khz; /* of the uncore, as the machine was made */
	uint32_t package_min_khz, package_max_khz; /* last set for the package; 0: nothing */
	/* TPMI: in the registers of all domains, for who reads the file without the platform */
	uint32_t first_register, register_count;
	uint32_t reasons_cleared; /* performance limit reasons; none have come since */
	/* Of its package, set by powercap, in eighths of a watt; 0: nothing */
	uint16_t long_term, short_term;
	uint8_t latency_control[LATENCY_CONTROLS]; /* of the uncore, as its register has them */
};

enum { NO_LIMIT_KHZ = INT32_MAX };

struct cpu_state {
	uint8_t online;
	uint8_t seen;	       /* has been online since boot, so the driver knows its numbers */
	uint8_t idle_disabled; /* a bit for each idle state */
	uint8_t governor; /* 0: that of the platform; else 1 + its place among all (cpufreq_views.c)
			   */
	uint32_t requested_min_khz,
		requested_max_khz; /* the user's limits, not what came of them */
	uint16_t preference;	   /* 0: as at boot; else see cpufreq_views.c */
	uint8_t cooling;	   /* state of the cooling device of its package */
	uint8_t energy_bias;	   /* MSR 0x1b0 */
};

/** Energy performance bias: from performance to power saving, and as the kernel sets it. */
enum { MOST_ENERGY_BIAS = 15, NORMAL_ENERGY_BIAS = 6 };

/** What the driver has kept of a set, of which it knows the newest of each kind and CPU. */
struct kept_set {
	uint32_t cpu;	  /* that carried it */
	uint32_t command; /* MAILBOX_COMMAND(), or the MSR */
	uint32_t parameter;
	uint32_t mailbox; /* or an MSR */
	uint64_t data;
};

/** A set that was accepted and takes effect later. */
struct deferred {
	int64_t due_ms; /* time of day: another process has to know it too */
	uint64_t request;
	unsigned char entry[24]; /* the largest entry of a batch */
};

enum partition { PARTITION_MEMBER, PARTITION_ROOT, PARTITION_ISOLATED, PARTITIONS };

/** Why a group is no valid partition. */
enum partition_flaw {
	FLAW_NONE,
	FLAW_EMPTY,
	FLAW_NOT_EXCLUSIVE,
	FLAW_OFFLINE,
	FLAW_HOUSEKEEPING,
	FLAW_NOTHING_LEFT,
	FLAWS
};

struct cpu_bits {
	uint64_t word[MOST_CPUS / 64];
};

/** A control group: /sys/fs/cgroup/NAME, with v1 /sys/fs/cgroup/cpuset/NAME. */
struct group {
	char name[256];
	uint8_t wanted; /* enum partition */
	uint8_t flaw;
	uint8_t judged; /* while groups_update() runs */
	uint8_t reserved[5];
	struct cpu_bits cpus; /* cpuset.cpus */
};

/** The state. struct domain_state of each domain follow, the TPMI registers of all domains, struct
 * cpu_state of each CPU, the sets that the driver has kept in the order it got to know them, what
 * is deferred in the order it was accepted, and the control groups by name. Its layout is that of
 * the file: a change needs a new STATE_FORMAT. */
struct state {
	uint32_t domain_count, cpu_count, register_count;
	uint32_t kept_count, deferred_count, group_count;
	uint32_t no_turbo;
	uint32_t smt;	      /* enum smt_control */
	uint32_t controllers; /* of cgroups: a bit for each that groups get */
	/* Of the first CPU's level as the machine was made, for what intel_pstate works out once */
	uint32_t first_base_mhz, first_highest_mhz;
	/* Of intel_pstate, for all CPUs; 0: as at boot */
	uint8_t min_perf_pct, max_perf_pct, dynamic_boost_off;
	uint8_t resumes; /* since boot; no more than fit */
	uint8_t boot_id[16];
	int32_t rcu_expedited, rcu_normal; /* whatever was written */
};

enum { STATE_FORMAT = 20, STATE_SLOTS = 2, STATE_HEAD_BYTES = 4096 };

/** The begin of the file, which all processes have mapped as a whole. Two slots of @capacity bytes
 * follow, the first one STATE_HEAD_BYTES after the begin: one holds the state, the other the one
 * before, or what a killed process did not complete. */
struct state_head {
	char magic[16];
	uint32_t format;
	uint32_t reserved;
	uint64_t platform_hash;
	uint64_t capacity;
	uint64_t generation; /* how often it was stored; modulo STATE_SLOTS: the slot that holds it
			      */
	uint64_t sizes[STATE_SLOTS];
	struct isst_emulator_statistics statistics;
};

/** A server, as all of the emulator's layers from here on share it. */
struct server {
	struct platform *platform;
	const struct isst_emulator_target *target; /* in state_open(): how the caller chose it */
	char *path;				   /* of the state directory */
	int directory;				   /* the state directory */
	int lock;				   /* held for one call at a time */
	pid_t process; /* that opened @lock: after a fork the child needs one of its own */
	int state_descriptor;
	ino_t state_inode;
	struct state_head *head;
	size_t mapped;	     /* bytes from there on */
	struct state *state; /* this process's copy */
	size_t size;
	uint64_t generation; /* of the copy */
	bool replaying;	     /* a deferred command is carried out: it was let in before */
	bool level_changed;  /* kernel_send_events() has not sent the event yet */
	/* Set by the layers above, before state_open(). */
	void (*first_state)(struct server *server); /* fills in that of a machine just made */
	/* Whether the calling process has CAP_SYS_ADMIN over this machine */
	bool (*may_administer)(struct server *server);
	/* The kernel crashes at a request: ends the process that made it, with a message */
	void (*crash)(const char *text);
};

/* ---- state.c ---- */

/** Opens the state, making it where it is missing. The lock must be held. */
int state_open(struct server *server, char **error);
void state_close(struct server *server);

/** Begins and ends a driver call or a file operation. Returns 0, -EIO, or -ETIMEDOUT where another
 * process keeps the machine locked for long. */
int state_lock(struct server *server);
void state_unlock(struct server *server);
/** Stores the copy. Returns 0, or a negative errno where nothing of it was stored, and the
 * copy is again what the file holds. */
int state_store(struct server *server);
/** Gives up what has changed since the last state_store(). */
void state_discard(struct server *server);
/** Counts something in the statistics. */
void state_count(unsigned long long *counter, unsigned long long number);

struct domain_state *state_domain(const struct server *server, size_t index);
struct cpu_state *state_cpu(const struct server *server, const struct platform_cpu *cpu);
/** The TPMI registers of a domain. */
struct tpmi_registers state_registers(const struct server *server, size_t index);
/** Where the MSRs of a domain are: with TPMI they are the package's. */
struct domain_state *state_msrs(const struct server *server, size_t index);
bool cpu_online(const struct server *server, const struct platform_cpu *cpu);
/** Whether smt/control lets a CPU be online. */
bool smt_allows(const struct server *server, const struct platform_cpu *cpu);

struct kept_set *state_kept(const struct server *server);
struct group *state_groups(const struct server *server);
/** Adds a set that the driver keeps, or the newest of its kind and CPU takes the place of the one
 * before. Returns 0 or -ENOMEM. */
int state_keep(struct server *server, const struct kept_set *set);
/** Makes space for @size bytes at @offset of the state, NULL without memory; and takes them out. */
void *state_insert(struct server *server, size_t offset, size_t size);
void state_cut(struct server *server, void *at, size_t size);

/** Keeps an entry of a batch, or a request, for later. Returns 0, -EIO or -ENOMEM. */
int deferred_add(struct server *server, unsigned long request, const void *entry, size_t size,
		 uint64_t delay_ms);
/** Takes out the one that is due first; of several the one accepted first. */
bool deferred_take_due(struct server *server, struct deferred *due);

/* ---- directory.c: the directory that a machine lives in, its lock, and its system log ---- */

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

/** Appends a line to the machine's system log. */
void directory_log(int directory, const char *line);

#endif
