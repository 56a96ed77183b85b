/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst: discovers and controls Intel Speed Select Technology of a Linux server.
 *
 * This is the library's whole public interface. A program opens a context, discovers the machine,
 * and asks for what it wants to know of a set of power domains or CPUs; one call serves the whole
 * set.
 *
 * Conventions:
 *  - A function returns 0 or a negative errno. isst_error() then says in words what went wrong, of
 * which package, domain or CPU, and what may help. Which errno means what: enum isst_meaning below.
 *  - A call on a set returns 0 also when single members of it failed: every member's result carries
 * its own struct isst_failure.
 *  - Units stand in the names: _mhz, _w, _c. Frequencies are MHz on every platform.
 *  - Pointers that a context hands out stay valid until isst_close() unless said otherwise. That
 * goes for the texts of errors, failures and notices, too; a context keeps each text once, so that
 * a program which asks the same again and again does not grow, whatever fails.
 *  - A context may be used by one thread at a time. Two contexts share nothing.
 */
#ifndef ISST_H
#define ISST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
/* In C++ a function that is named like a struct hides the constructor, which none of these has. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

#pragma GCC visibility push(default)

#define ISST_VERSION "0.1.0"

/** Version of the kernel tree's tool whose interface this project keeps. */
#define ISST_COMPATIBLE_VERSION "1.26"

struct isst_context;
struct isst_machine;
struct isst_cpuset;

/* ---- Numbers and CPU sets ---- */

/**
 * Parses an unsigned number strictly: digits of the base and nothing else (base 16 takes a leading
 * 0x or 0X).
 *
 * @base: 10, 16, or 0 for decimal and, with a leading 0x, hexadecimal
 * @max: the largest value that is accepted
 * Returns 0, -EINVAL (empty, a sign, anything that is not a digit) or -ERANGE (above @max).
 */
int isst_parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value);

/*
 * Sets. Where one is only looked at, NULL is taken for an empty one.
 */

/** An empty set of CPU numbers, or NULL without memory. */
struct isst_cpuset *isst_cpuset_new(void);
void isst_cpuset_free(struct isst_cpuset *set);

/** Adds the CPUs first..last. Returns 0, -EINVAL (last < first) or -ENOMEM; on error the set is as
 * before. */
int isst_cpuset_add(struct isst_cpuset *set, unsigned int first, unsigned int last);

/** Adds all CPUs of @other. Returns 0 or -ENOMEM; on error @set may hold some of them. */
int isst_cpuset_add_set(struct isst_cpuset *set, const struct isst_cpuset *other);

/** No machine has as many CPUs: a list that names a higher one is damaged, or a slip. */
#define ISST_MOST_CPUS 1048576

/**
 * Adds the CPUs that a list names: numbers and ranges joined by commas, `1,3-5,8..10`, as sysfs and
 * command lines write them; a sysfs list may be empty.
 *
 * @bad: where not NULL, set to the first character that cannot be understood (within @text)
 * Returns 0, -EINVAL (not a list, or a range that runs backwards), -ERANGE (a number of
 * ISST_MOST_CPUS or above) or -ENOMEM; on error the set is as before.
 */
int isst_cpuset_add_list(struct isst_cpuset *set, const char *text, const char **bad);

bool isst_cpuset_has(const struct isst_cpuset *set, unsigned int cpu);

/** Number of CPUs in the set. */
size_t isst_cpuset_count(const struct isst_cpuset *set);

/**
 * Finds the lowest CPU of the set that is @from or above.
 * Returns false when there is none; otherwise *@cpu is that CPU.
 */
bool isst_cpuset_next(const struct isst_cpuset *set, unsigned int from, unsigned int *cpu);

/** Walks a set in ascending order: isst_cpuset_for_each(cpu, set) statement. */
#define isst_cpuset_for_each(cpu, set) \
	for (bool isst_more_ = isst_cpuset_next(set, 0, &(cpu)); isst_more_; \
	     isst_more_ = (cpu) < UINT32_MAX && isst_cpuset_next(set, (cpu) + 1, &(cpu)))

/** Every CPU of the set written out, `0,1,2,5`; "" if empty. To be freed; NULL without memory. */
char *isst_cpuset_list(const struct isst_cpuset *set);

/** The set with ranges, `0-2,5`, as the kernel writes lists. To be freed; NULL without memory. */
char *isst_cpuset_ranges(const struct isst_cpuset *set);

/**
 * The set as the kernel writes masks: words of 8 hexadecimal digits, most significant first, joined
 * by commas.
 *
 * @bits: width of the mask in CPUs, rounded up to whole words; CPUs at or above it are left out
 * To be freed; NULL without memory.
 */
char *isst_cpuset_mask(const struct isst_cpuset *set, unsigned int bits);

/* ---- Errors ---- */

/**
 * What the negative errno of a library function means. Any other one: the system call of that name
 * failed. (What the driver itself answered stands in the message, not in the number.)
 */
enum isst_meaning {
	ISST_REFUSED = 5,   /* EIO: the hardware or the system refused, or answered nonsense */
	ISST_NOT_HERE = 95, /* EOPNOTSUPP: this machine has no such driver, feature, level or CPU */
	ISST_NOT_PERMITTED = 1, /* EPERM */
	ISST_BAD_REQUEST = 22,	/* EINVAL: wrong on any machine */
	ISST_GONE = 116,	/* ESTALE: a domain or CPU that is not there any more */
	ISST_NO_MEMORY = 12,	/* ENOMEM */
	ISST_TOO_LARGE = 27,	/* EFBIG: the limit of file sizes does not allow the journal */
	ISST_INTERRUPTED = 4,	/* EINTR */
};

/**
 * Why a result could not be obtained. A result with @error 0 is complete; otherwise what could be
 * read is still there and @message tells of the first thing that failed, @more how many failed
 * besides.
 */
struct isst_failure {
	int error; /* 0 or a negative errno, see enum isst_meaning */
	const char *message;
	unsigned int more;
};

/** A number that the hardware may lack or fail to tell. */
enum isst_state {
	ISST_ABSENT,	 /* this machine has no such value */
	ISST_KNOWN,	 /* @value holds it */
	ISST_UNREADABLE, /* it could not be read; the result's isst_failure says why */
};

struct isst_value {
	enum isst_state state;
	unsigned int value;
};

/* ---- Context ---- */

struct isst_options {
	/** Where everything happens: NULL for the machine that the program runs on. Owned by the
	 * context from then on. */
	struct isst_machine *machine;
	/** Tries for a mailbox command that the firmware is too busy for; 0: 3. */
	unsigned int tries;
	/** Pause before each mailbox command, in milliseconds; makes every mailbox request a single
	 * command. */
	unsigned int pause_ms;
	/** Where not NULL, called with one line (without newline) for each thing that is worth a
	 * trace. */
	void (*debug)(void *data, const char *line);
	void *debug_data;
	/** Every value that a change writes, and every one that is rolled back, is a line of the
	 * system log: syslog(3), priority notice, under the program's name. Else nothing is sent
	 * there. */
	bool system_log;
};

/**
 * Opens a context. Nothing of the machine is touched yet.
 *
 * @options: NULL for the defaults
 * Returns 0 or -ENOMEM (then *context is NULL and the machine of @options is closed).
 */
int isst_open(const struct isst_options *options, struct isst_context **context);
void isst_close(struct isst_context *context);

/** What went wrong in the last call that failed on this context; "" if none did. */
const char *isst_error(const struct isst_context *context);

/**
 * Notices that came up in discovery and are no failures (a CPU whose punit number makes no sense, a
 * cache that cannot be written). NULL past the last one.
 */
const char *isst_notice(const struct isst_context *context, size_t index);

/**
 * What discovery had to leave out, though it is online: packages whose power domains the driver
 * does not offer, CPUs of which it does not know the domain. A call for all domains or CPUs is then
 * not one for the whole machine, which a caller who means that has to treat as a failure. NULL past
 * the last one.
 */
const char *isst_left_out(const struct isst_context *context, size_t index);

/**
 * Parts of the machine without a CPU that is online, as far as known: packages, and dies of them.
 * They are no domains, so that a call for all domains does not reach them; that is no failure, but
 * a caller who means the whole machine may want to say it. NULL past the last one.
 */
const char *isst_offline_part(const struct isst_context *context, size_t index);

/** The CPU, and what the driver says of itself. */
struct isst_platform {
	bool intel;
	unsigned int family, model, stepping;
	const char *emulated; /* name of the emulated machine, NULL on a real one */
	unsigned int api_version, driver_version;
	bool mailbox, mmio;
	/** The BIOS has set up SST-BF for good, and nothing else of Speed Select is there (Cascade
	 * Lake-N): cpufreq tells which CPUs have which base frequency, and no driver is asked. */
	bool preset;
};

/**
 * Finds out what this machine is: driver, packages, dies, power domains, cores, CPUs. To be called
 * once, before anything below.
 *
 * Returns 0, -EOPNOTSUPP (no driver, no transport, an API version that is not known), -EPERM (may
 * not open the device), -EIO (a malformed file of the kernel), -EINVAL (discovered already), or
 * -ENOMEM. Under the lock (isst_lock() below) also what the rollback of an interrupted change ended
 * with: -EIO where somebody has to decide, or CPUs have to come online, -ENOTRECOVERABLE or -EAGAIN
 * where it is not complete, -EPERM or -EIO where the journal cannot be read or removed. The journal
 * is kept then, and the context stays undiscovered.
 */
int isst_discover(struct isst_context *context);

/**
 * Finds out anew which packages, domains and CPUs there are and which of them are online; as
 * isst_change_run() does by itself where it took CPUs on- or offline. A domain, CPU or set that was
 * handed out before keeps its address and then holds what is true now: a domain's @index may be
 * another one. What is not there any more has no CPUs, and a call that is given it refuses it with
 * -ESTALE. isst_notice() lists the notices of this discovery.
 *
 * Returns as isst_discover(), on error with all as before; -EINVAL before isst_discover().
 */
int isst_rediscover(struct isst_context *context);

/** The platform; before isst_discover() only the CPU identity and @emulated are filled in. */
const struct isst_platform *isst_platform(const struct isst_context *context);

/**
 * Whether this is a preset platform (@preset above). May be asked before isst_discover(), of which
 * nothing else is done then; on all but a few processors nothing is touched.
 */
bool isst_is_preset(struct isst_context *context);

/* ---- Topology ---- */

/**
 * A power domain: what firmware controls as one. On mailbox platforms a package x die; on TPMI
 * platforms (API version 2 and later) one of several of a package, some of which (those of I/O
 * dies) have no CPUs.
 */
struct isst_domain {
	const char *name;     /* for messages: `package 0, die 0`, `package 0, power domain 1` */
	unsigned int index;   /* position in the context's order: package, die, number */
	unsigned int package; /* physical package id as the kernel numbers it, any number */
	unsigned int die;     /* die id as the kernel numbers it */
	bool die_known;	      /* false: no CPU tells which die a domain without CPUs is on */
	unsigned int number;  /* the firmware's number of the domain; 0 on mailbox platforms */
	const struct isst_cpuset *present; /* CPUs that belong to it, those that are offline
					      included as far as known */
	const struct isst_cpuset *online;
	bool cpus_known;  /* false: CPUs of which nothing is known may belong to it, since they are
			     offline and were not seen online, or the driver does not know them */
	bool has_cpu;	  /* one of its CPUs is online */
	unsigned int cpu; /* with @has_cpu: the lowest-numbered online CPU, which carries requests
			     and stands for the domain in output */
};

struct isst_cpu {
	unsigned int number; /* as the kernel numbers it */
	const struct isst_domain *domain;
	bool online;
	bool core_known;   /* false: the driver did not tell, or told nonsense */
	unsigned int core; /* the firmware's number of the core within the domain */
	unsigned int thread;
};

/**
 * Domains that have an online CPU and, on TPMI platforms, all others that firmware controls;
 * ordered by package, die (those without one last), number.
 */
size_t isst_domain_count(const struct isst_context *context);
const struct isst_domain *isst_domain(const struct isst_context *context, size_t index);

/**
 * Whether a domain is known to have no CPU at all, on- or offline: one of an I/O die. Where CPUs
 * are not known (@cpus_known) it may be a compute die, and counts as one.
 */
bool isst_domain_is_io(const struct isst_domain *domain);

/** The CPU of that number, or NULL if the machine has none, or nothing is known of it (offline ever
 * since). */
const struct isst_cpu *isst_cpu(const struct isst_context *context, unsigned int number);

/** CPUs that are present; CPUs that are online. NULL before isst_discover(). */
const struct isst_cpuset *isst_present_cpus(const struct isst_context *context);
const struct isst_cpuset *isst_online_cpus(const struct isst_context *context);

/** Width of CPU masks on this machine: the highest possible CPU number plus 1, rounded up to a
 * multiple of 32. */
unsigned int isst_mask_bits(const struct isst_context *context);

/* ---- Performance profiles (SST-PP) ---- */

struct isst_perf_profile {
	const struct isst_domain *domain; /* in */
	struct isst_failure failure;
	unsigned int version;
	unsigned int highest_level;
	unsigned int level_mask; /* bit n: level n exists; 0: not told, nearly always all do */
	unsigned int current_level;
	bool locked;
	bool enabled;
};

/**
 * Reads the summary of levels of each domain (mailbox 0x7f/0x00; TPMI PERF_LEVELS).
 *
 * @profiles: @count of them, each with its @domain set; the rest is filled in
 * Returns 0 or -ENOMEM, -EINTR. Where a profile's failure is set its values mean nothing.
 */
int isst_perf_profile_read(struct isst_context *context, struct isst_perf_profile *profiles,
			   size_t count);

enum { ISST_TRL_TYPES = 6, ISST_BUCKETS = 8 };

enum isst_feature_state {
	ISST_FEATURE_UNKNOWN, /* could not be read */
	ISST_FEATURE_UNSUPPORTED,
	ISST_FEATURE_DISABLED,
	ISST_FEATURE_ENABLED,
};

/** SST-BF at one level of one domain. */
struct isst_base_freq {
	struct isst_failure failure;
	struct isst_cpuset *high_priority; /* CPUs of the high priority cores; NULL if unreadable */
	struct isst_value high_mhz, low_mhz;
	struct isst_value tjunction_c;
	struct isst_value power_w;
};

/** SST-TF at one level of one domain. */
struct isst_turbo_freq {
	struct isst_failure failure;
	/** Number of valid buckets. */
	unsigned int buckets;
	unsigned int high_priority_cores[ISST_BUCKETS];
	/** By TRL type and bucket: what the high priority cores reach; absent where there is none.
	 */
	struct isst_value mhz[ISST_TRL_TYPES][ISST_BUCKETS];
	/** By TRL type: what low priority cores are clipped to. */
	struct isst_value clip_mhz[ISST_TRL_TYPES];
};

/** Turbo limits of one TRL type: up to @core_count active cores reach @mhz. */
struct isst_turbo_limit {
	bool present; /* the first bucket has a ratio */
	struct isst_value core_count[ISST_BUCKETS];
	struct isst_value mhz[ISST_BUCKETS];
};

/** Frequencies of a level's uncore fabric. */
struct isst_fabric {
	struct isst_value base_mhz, min_mhz, max_mhz;
};

/** Everything that a performance level of a domain specifies. To be emptied with
 * isst_level_clear(). */
struct isst_level {
	const struct isst_domain *domain;	 /* in */
	unsigned int level;			 /* in */
	const struct isst_perf_profile *profile; /* in: the domain's, where it was read; or NULL */
	struct isst_failure failure;
	/* On or off: by mailbox as the firmware tells it of this level, by TPMI at the current one.
	 */
	enum isst_feature_state turbo_freq, base_freq;
	enum isst_feature_state core_power;
	struct isst_cpuset *cpus; /* CPUs that may be online; NULL if unreadable or not told */
	uint64_t cores; /* the same as the firmware's core numbers, where @cpus is not NULL */
	struct isst_value tdp_ratio;
	struct isst_value base_mhz, base_avx2_mhz, base_avx512_mhz, base_amx_mhz;
	struct isst_fabric fabric[2];
	struct isst_value memory_mhz;
	struct isst_value cooling_type;
	struct isst_value power_w, tjunction_c;
	struct isst_turbo_limit limit[ISST_TRL_TYPES];
	struct isst_base_freq base_freq_info;	/* where base_freq is supported */
	struct isst_turbo_freq turbo_freq_info; /* where turbo_freq is supported */
};

/**
 * Reads levels: everything that they specify, SST-BF and SST-TF included.
 *
 * @levels: @count of them, each with @domain and @level set, all else zero or from an earlier call,
 * whose sets are released; the rest is filled in
 * A level that the domain lacks: failure -EOPNOTSUPP, which names those that exist.
 * Returns 0 or -ENOMEM, -EINTR.
 */
int isst_level_read(struct isst_context *context, struct isst_level *levels, size_t count);

/** What isst_level_read() should leave out, to save commands. */
enum isst_level_parts {
	ISST_LEVEL_FEATURES = 0,   /* only whether features are supported and on */
	ISST_LEVEL_PROPERTIES = 1, /* cores, frequencies, power */
	ISST_LEVEL_BASE_FREQ = 2,  /* SST-BF where supported */
	ISST_LEVEL_TURBO_FREQ = 4, /* SST-TF where supported */
	ISST_LEVEL_ALL = 7,
};

/** As isst_level_read(), for some parts only: @parts is a sum of enum isst_level_parts. */
int isst_level_read_parts(struct isst_context *context, struct isst_level *levels, size_t count,
			  unsigned int parts);

/** Releases what a level holds; the level itself is the caller's. */
void isst_level_clear(struct isst_level *level);

/**
 * Name of a TRL type on this machine: sse, avx2, avx512, or level-0, level-1, ... on Emerald Rapids
 * and TPMI parts; NULL if the machine has no such type.
 */
const char *isst_trl_type_name(const struct isst_context *context, unsigned int type);

/* ---- Core power (SST-CP) ---- */

enum isst_priority { ISST_PROPORTIONAL = 0, ISST_ORDERED = 1 };

struct isst_core_power {
	const struct isst_domain *domain; /* in */
	struct isst_failure failure;
	bool supported;
	bool enabled;			  /* the feature */
	struct isst_failure clos_failure; /* of what follows, where core-power is not supported */
	bool clos_enabled;		  /* the use of classes of service */
	enum isst_priority priority;
};

/** Reads the state of core-power of each domain (mailbox 0x94/0x03 and 0xd0/0x02). Returns as
 * above. */
int isst_core_power_read(struct isst_context *context, struct isst_core_power *states,
			 size_t count);

enum { ISST_CLOS_COUNT = 4 };

/** No limit, as a CLOS's maximum. */
#define ISST_NO_LIMIT_MHZ 25500

struct isst_clos {
	const struct isst_domain *domain; /* in */
	unsigned int clos;		  /* in: 0..3 */
	struct isst_failure failure;
	unsigned int epp, weight;
	unsigned int min_mhz, max_mhz, desired_mhz;
};

/** Reads configurations of classes of service (MMIO 0x08 + 4 x clos; mailbox 0xd0/0x01 on model
 * 0x55). */
int isst_clos_read(struct isst_context *context, struct isst_clos *closes, size_t count);

struct isst_clos_association {
	const struct isst_cpu *cpu; /* in */
	struct isst_failure failure;
	unsigned int clos;
};

/** Reads which class of service each CPU's core is in (MMIO 0x20 + 4 x core; mailbox 0xd0/0x00 on
 * model 0x55). */
int isst_clos_association_read(struct isst_context *context,
			       struct isst_clos_association *associations, size_t count);

/* ---- Turbo ratio limits ---- */

struct isst_turbo_ratio_limits {
	const struct isst_domain *domain; /* in */
	struct isst_failure failure;
	uint64_t value; /* MSR 0x1ad: eight ratios (100 MHz), bucket 0 in the lowest byte */
};

/** Reads the turbo ratio limits in force (MSR 0x1ad) of each domain. */
int isst_turbo_ratio_limits_read(struct isst_context *context,
				 struct isst_turbo_ratio_limits *limits, size_t count);

/* ---- Capturing the machine ---- */

/**
 * Writes what this machine tells into a directory, from which the emulator makes the same machine
 * again (docs/recorded-machines.md): kernel files, MSRs, and by any firmware interface what it
 * answers to everything that only reads. To be called on a context that is not discovered. What
 * could not be read and is not needed is told by notices.
 *
 * @directory: a new one, or an empty one; after an error it is as before
 * Returns 0, -EINVAL (the directory cannot be used), -EPERM, -EIO or -ENOMEM. A machine without
 * driver is captured too.
 */
int isst_capture(struct isst_context *context, const char *directory);

/* ---- Changing the machine ---- */

/*
 * A change is planned out of one or more requests, then made as a whole: each step is recorded,
 *written and verified; at the first failure, or when it is interrupted, all is undone in reverse
 *order.
 *
 *	isst_lock(context, 10000);
 *	isst_discover(context);
 *	isst_change_new(context, &options, &change);
 *	isst_plan_core_power(change, domains, count, ...);
 *	isst_change_run(change);
 */

enum {
	ISST_BUSY = 16,	       /* EBUSY, of isst_lock(): another run holds the lock */
	ISST_NOT_UNDONE = 131, /* ENOTRECOVERABLE: failed, and the rollback is not complete. Of
				  isst_change_run(), isst_journal_apply(), and isst_discover() under
				  the lock */
};

/**
 * Takes the lock that runs which change the machine share; to be called before isst_discover(), so
 * that nobody changes what was discovered. Held until isst_close(). Where an earlier run died in
 * the middle of a change, isst_discover() then takes its changes back, and tells of it as a notice.
 *
 * @timeout_ms: how long to wait for another run
 * Returns 0, -EBUSY (the message names the holder), -EPERM, -EOPNOTSUPP (no driver), -EIO, -ENOMEM,
 * or -EINVAL (the lock is held, or the machine is discovered, already).
 */
int isst_lock(struct isst_context *context, unsigned int timeout_ms);

/**
 * Checks that the caller may change the machine: CAP_SYS_ADMIN in the initial user namespace.
 * Returns 0 or -EPERM with a message that names the capability.
 */
int isst_check_privileges(struct isst_context *context);

/* ---- The journal of an interrupted change ---- */

/**
 * isst_discover() under the lock rolls back by itself what an interrupted run left, unless
 * something was changed since: then it fails with -EIO, and names it. To look at the journal
 * instead, and to decide, isst_journal_keep() is called before isst_discover(); the context then
 * makes no changes.
 */
struct isst_journal;

/** An item that the interrupted run wrote or disturbed. */
struct isst_journal_item {
	const char *target;	   /* `package 0, die 0: CLOS 2` */
	const char *old_value;	   /* before the change */
	const char *written_value; /* NULL where it was only disturbed */
	const char *present_value; /* `unknown` where it cannot be read */
	const char *finding;	   /* in words, who gave it its present value */
	/* isst_journal_apply() gives it its old value; one that has it, and may change yet, too. */
	bool restored;
	bool moved; /* another process changed it since: it stays */
	/* It cannot be reached while its CPUs are offline, or the driver does not offer its power
	 * domain, or it could not be read: it has to wait. */
	bool kept;
};

void isst_journal_keep(struct isst_context *context);

/**
 * Reads the journal and compares it with the machine. *@journal is NULL where no change was
 * interrupted. To be freed before the context is closed.
 * Returns 0, -EPERM, -EIO (it cannot be read, or is damaged; only isst_journal_discard() is left),
 * -EMFILE or -ENFILE (it cannot be read for want of descriptors, and is kept), -EINVAL (the machine
 * is not discovered), -EBUSY (another run holds the lock: the journal may be that of the change it
 * is making) or -ENOMEM.
 */
int isst_journal_open(struct isst_context *context, struct isst_journal **journal);
void isst_journal_free(struct isst_journal *journal);

/** What the change was for, as struct isst_change_options says; "" if unknown. */
const char *isst_journal_command(const struct isst_journal *journal);

/** Seconds since the change was begun; -1 if unknown. */
int64_t isst_journal_age(const struct isst_journal *journal);

/** Whether some item was changed since, or may have been, or cannot be reached while its CPUs are
 * offline: isst_discover() does not roll back then. */
bool isst_journal_moved(const struct isst_journal *journal);

/** An item, as isst_journal_open() found it; NULL past the last one. */
const struct isst_journal_item *isst_journal_item(struct isst_journal *journal, size_t index);

/**
 * Gives all items that another process has not changed since their old values, and removes the
 * journal. Needs the lock. Returns 0; -ENOENT where the journal was applied or discarded since it
 * was opened. With any other negative errno the journal is kept: -EAGAIN: what can be reached was
 * rolled back, and the message says what brings the rest into reach;
 * -ENOTRECOVERABLE: the message lists what differs; -EINVAL: the lock is not held; -EPERM or -EIO:
 * all was rolled back, and the file cannot be removed, or the journal cannot be written; -ENOMEM.
 */
int isst_journal_apply(struct isst_journal *journal);

/** Removes the journal and leaves the machine as it is. Returns 0, -EINVAL (the lock is not held),
 * -EPERM, -EIO, or -ENOMEM, -EMFILE or -ENFILE (it cannot be read for want of them: it is kept, as
 * it may be that of a change which is complete). */
int isst_journal_discard(struct isst_context *context);

struct isst_change;

/** Which targets of its requests a change may leave out. */
enum target_policy {
	/** None: what stands against one of them stands against the change. */
	ISST_ALL_TARGETS,
	/** Those that lack what is asked for (-EOPNOTSUPP), unless none remains. */
	ISST_SKIP_UNSUPPORTED,
	/** All against which something stands, unless none remains. */
	ISST_SKIP_FAILED,
};

struct isst_change_options {
	/** Everything is checked and every step listed, nothing written; needs neither lock nor
	 * privileges. */
	bool dry_run;
	/** Domains without CPUs (of I/O dies) are left out in any case, beside others. */
	enum target_policy targets;
	/** What the change is for, as the system log shall name it (`core-power enable`), or NULL.
	 * Copied. */
	const char *command;
	/** Use a cgroup partition in place of CPU hotplug; for CPU 0 only. */
	bool partitions, partition_for_cpu0;
	/** A level change leaves CPUs offline, with a warning, of which it is not known where they
	 * are: they have not been seen online since the machine was started. Otherwise one for all
	 * domains brings them online to see whether the level enables them. */
	bool leave_unknown_cpus;
	/** Where not NULL, asked between steps and between writes of kernel files: true ends the
	 * change, which is then undone. */
	bool (*interrupted)(void *data);
	/** Where not NULL, told what is being done to a CPU (`online cpu 3`). */
	void (*progress)(void *data, const char *line);
	void *data;
};

/**
 * Begins a change; the context must be discovered, and locked unless it is a dry run.
 *
 * @options: NULL for the defaults
 * Returns 0, -EINVAL or -ENOMEM.
 */
int isst_change_new(struct isst_context *context, const struct isst_change_options *options,
		    struct isst_change **change);
void isst_change_free(struct isst_change *change);

/** A domain that a request is for, and what stands against it there. */
struct domain_request {
	const struct isst_domain *domain; /* in */
	/*
	 * Out, of planning: the domain is left out of the change, if that may be made without it
	 * (enum target_policy); -EOPNOTSUPP: it lacks what is asked for; -EIO: its state forbids it
	 * or could not be read. The message says which, and what helps.
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
int isst_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		    unsigned int level, bool online);

/** SST-BF on or off. @automatic: with CLOS, associations, core-power and cpufreq limits to go with
 * it. */
int isst_plan_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
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
int isst_plan_turbo_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			 const struct turbo_freq_request *request);

enum isst_priority_request {
	ISST_KEEP_PRIORITY = -1,
	ISST_MAKE_PROPORTIONAL = ISST_PROPORTIONAL,
	ISST_MAKE_ORDERED = ISST_ORDERED,
};

/** SST-CP on or off. */
int isst_plan_core_power(struct isst_change *change, struct domain_request *requests, size_t count,
			 bool enable, enum isst_priority_request priority);

/** Configures CLOS @values->clos with the values of @values (domain and failure are not looked at).
 */
int isst_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		   const struct isst_clos *values);

/** Puts the cores of CPUs into a CLOS. @associations: @cpu and @clos are in, @failure is out.
 * -EINVAL where one core is asked to be in two. */
int isst_plan_association(struct isst_change *change, struct isst_clos_association *associations,
			  size_t count);

/** Turbo ratio limits (MSR 0x1ad). */
int isst_plan_turbo_ratio_limits(struct isst_change *change, struct domain_request *requests,
				 size_t count, uint64_t limits);

/** A CPU that a request is for, and what stands against it there. */
struct cpu_request {
	const struct isst_cpu *cpu; /* in */
	struct isst_failure failure;
};

/** Turbo by cpufreq: off limits each CPU to its base frequency, on takes the limit away. */
int isst_plan_turbo_mode(struct isst_change *change, struct cpu_request *requests, size_t count,
			 bool enable);

/**
 * All present CPUs online. After isst_change_run() the machine is discovered anew, see
 * isst_rediscover().
 */
int isst_plan_all_online(struct isst_change *change);

/**
 * What isst_change_run() will refuse the change with, before anything is read or written: the first
 * failure of a target that may not be left out. 0 if there is none.
 */
int isst_change_objection(const struct isst_change *change);

/**
 * Makes the change, or with @dry_run lists what it would write. A change reaches all targets of all
 * its requests or none, unless @targets of its options says otherwise.
 *
 * Returns 0 (done, or nothing to do); -EINTR (interrupted) or another negative errno: failed, and
 * nothing is left changed; -ENOTRECOVERABLE: failed, and isst_change_difference() lists what could
 * not be rolled back: the journal is kept, and no other change is made until
 * isst_journal_apply(), or isst_journal_discard(). -EINVAL for a change that was run before, or
 * planned before another one of this context was: what it was planned from may be another by now.
 */
int isst_change_run(struct isst_change *change);

/** One write of a change. */
struct isst_change_step {
	const char *target; /* what is written: `package 0, die 0: CLOS 2` */
	/* The old value is "unknown" where the machine does not show it. */
	const char *old_value, *new_value;
	bool written; /* false in a dry run, or where the value was there already */
};

/** The writes of a change in their order, those included that were not needed. NULL past the last
 * one, and, unless it was a dry run, without memory. */
const struct isst_change_step *isst_change_step(struct isst_change *change, size_t index);

/** True after a run that found the machine as asked and wrote nothing. */
bool isst_change_unchanged(const struct isst_change *change);

/**
 * Whether a change that was made did without a domain: one without CPUs, whose firmware claims a
 * feature and then refuses it. A warning tells why.
 */
bool isst_change_left_out(const struct isst_change *change, const struct isst_domain *domain);

/** Warnings (a value that firmware or kernel clipped, limits that interfere), and what differs
 * after an undo that failed; NULL past the last one. These texts, and those of the steps, are the
 * change's. */
const char *isst_change_warning(const struct isst_change *change, size_t index);
const char *isst_change_difference(const struct isst_change *change, size_t index);

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
