/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst: discovers and controls Intel Speed Select Technology of a Linux server.
 *
 * A program opens a context, discovers the machine, and asks what it wants to know of a set of
 * targets: power domains or CPUs. One call serves the whole set with the fewest driver calls.
 * docs/library.md is a guide with complete programs.
 *
 * Conventions:
 *  - Every type is opaque: what it holds is read by functions, so that it may grow.
 *  - A function that returns int returns 0 or a negative errno, each function says which, and
 *    isst_error() then names what went wrong, of which package, domain or CPU, and what may help.
 *    Any function may return -ENOMEM. Those that take a context return -EINVAL before discovery,
 *    unless they are said to work then.
 *  - A call on a set returns ISST_PARTIAL, which is positive, where it failed for some targets and
 *    not for others; the results say for which.
 *  - Units stand in names: _mhz, _w, _c, _ms. Frequencies are MHz on every platform.
 *  - Texts and objects that a function returns as const belong to what they were asked of, and are
 *    valid as long as that: those of a context until isst_close(), those of results until
 *    isst_results_free(). A context keeps each text once, so that a program which asks the same
 *    again and again does not grow. What a function returns without const is the caller's.
 *  - Free functions take NULL.
 *  - A context, and what was made of it, may be used by one thread at a time. Two contexts share
 *    nothing. After fork(2) a context is the parent's: a child opens its own.
 */
#ifndef ISST_H
#define ISST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the library exports; all that carries it is documented here. */
#define ISST_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ---- */

#define ISST_VERSION_MAJOR 0
#define ISST_VERSION_MINOR 1
#define ISST_VERSION_PATCH 0
#define ISST_VERSION "0.1.0"

/** A version as a number that compares as versions do. */
#define ISST_VERSION_NUMBER(major, minor, patch) \
	(((unsigned int)(major) << 16) | ((unsigned int)(minor) << 8) | (unsigned int)(patch))

/** Version of the kernel tree's tool whose interface the command keeps. */
#define ISST_COMPATIBLE_VERSION "1.26"

/** The version of the library that runs, which may be newer than this header. */
ISST_API const char *isst_version(void);
ISST_API unsigned int isst_version_number(void);

struct isst_context;
struct isst_machine;
struct isst_options;
struct isst_cpuset;
struct isst_domain;
struct isst_cpu;
struct isst_targets;
struct isst_request;
struct isst_results;
struct isst_result;
struct isst_change;
struct isst_change_options;
struct isst_change_step;
struct isst_journal;
struct isst_journal_item;

/* ---- Errors ---- */

/** Of calls on a set: at least one target failed, and at least one did not. */
#define ISST_PARTIAL 1

/*
 * The negative errnos that are not merely those of a system call that failed:
 *  -EOPNOTSUPP  this machine has no such driver, feature, level or CPU
 *  -EIO         the hardware or the system refused, or answered nonsense
 *  -EPERM       not permitted
 *  -EINVAL      wrong on any machine, or called in the wrong order
 *  -ESTALE      a domain or CPU that no longer exists since the machine was discovered anew
 *  -EBUSY       another process holds the lock
 *  -ENODATA     this machine has no such value
 *  -EINTR       interrupted
 *  -EFBIG       the limit of file sizes does not allow the journal
 *  and ISST_ERR_ROLLBACK. What the driver answered stands in the message, not in the number.
 */

/** A change failed, and rolling it back did too, or is still pending: the machine is half changed.
 */
#define ISST_ERR_ROLLBACK ENOTRECOVERABLE

/* ---- Numbers ---- */

/**
 * Parses an unsigned number strictly: digits of the base and nothing else (base 16 takes a leading
 * 0x or 0X).
 *
 * @base: 10, 16, or 0 for decimal and, with a leading 0x, hexadecimal
 * @max: the largest value that is accepted
 * Returns 0, -EINVAL (empty, a sign, anything that is not a digit, another base) or -ERANGE (above
 * @max).
 */
ISST_API int isst_parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value);

/* ---- Sets of CPUs ---- */

/*
 * Where a set is only looked at, NULL is taken for an empty one.
 */

/** An empty set of CPU numbers, or NULL without memory. */
ISST_API struct isst_cpuset *isst_cpuset_new(void);
ISST_API void isst_cpuset_free(struct isst_cpuset *set);

/** Adds the CPUs first..last. Returns 0, -EINVAL (last < first), -ERANGE (last is UINT_MAX) or
 * -ENOMEM; on error the set is unchanged. */
ISST_API int isst_cpuset_add(struct isst_cpuset *set, unsigned int first, unsigned int last);

/** Adds all CPUs of @other. Returns 0 or -ENOMEM; on error @set may hold some of them. */
ISST_API int isst_cpuset_add_set(struct isst_cpuset *set, const struct isst_cpuset *other);

/** No machine has as many CPUs: a list that names a higher one is damaged, or a slip. */
#define ISST_CPU_NUMBER_LIMIT 1048576

/**
 * Adds the CPUs that a list names: numbers and ranges joined by commas, `1,3-5,8..10`, as sysfs and
 * command lines write them. A list may be empty, and may end with one newline.
 *
 * @bad: where not NULL, set to the first character that cannot be understood (within @text)
 * Returns 0, -EINVAL (not a list, or a range that runs backwards), -ERANGE (a number of
 * ISST_CPU_NUMBER_LIMIT or above) or -ENOMEM; on error the set is as before.
 */
ISST_API int isst_cpuset_add_list(struct isst_cpuset *set, const char *text, const char **bad);

ISST_API bool isst_cpuset_has(const struct isst_cpuset *set, unsigned int cpu);

/** Number of CPUs in the set. */
ISST_API size_t isst_cpuset_count(const struct isst_cpuset *set);

/**
 * Finds the lowest CPU of the set that is @from or above.
 * Returns false when there is none; otherwise *@cpu is that CPU.
 */
ISST_API bool isst_cpuset_next(const struct isst_cpuset *set, unsigned int from, unsigned int *cpu);

/**
 * Walks a set in ascending order: isst_cpuset_for_each(cpu, set) statement. @cpu is a variable of
 * type unsigned int; @set is evaluated for each CPU.
 */
#define isst_cpuset_for_each(cpu, set) \
	for ((cpu) = 0; isst_cpuset_next((set), (cpu), &(cpu)); (cpu)++)

/** Every CPU of the set written out, `0,1,2,5`; "" if empty. To be freed; NULL without memory. */
ISST_API char *isst_cpuset_to_enumeration(const struct isst_cpuset *set);

/** The set with ranges, `0-2,5`, as the kernel writes lists. To be freed; NULL without memory. */
ISST_API char *isst_cpuset_to_list(const struct isst_cpuset *set);

/**
 * The set as the kernel writes masks: words of 8 hexadecimal digits, most significant first, joined
 * by commas.
 *
 * @bits: width of the mask in CPUs, rounded up to whole words; CPUs at or above it are left out
 * To be freed; NULL without memory.
 */
ISST_API char *isst_cpuset_to_mask(const struct isst_cpuset *set, unsigned int bits);

/* ---- Options of a context ---- */

/** Levels of the log, the gravest first; a level includes those before it. */
enum isst_log_level {
	ISST_LOG_NONE = 0,
	ISST_LOG_ERROR = 1,   /* a call failed: what isst_error() returns */
	ISST_LOG_WARNING = 2, /* a change warns, see isst_change_warning_at() */
	ISST_LOG_NOTICE = 3,  /* see isst_notice_at() */
	ISST_LOG_INFO = 4,    /* what a change is doing to a CPU */
	ISST_LOG_DEBUG = 5    /* driver requests and replies */
};

/** Called with one line, without newline, which is valid until it returns; it must not call the
 * library with the same context. */
typedef void (*isst_log_function)(void *data, int level, const char *message);

/** The defaults; NULL without memory. Options stay the caller's, and serve any number of contexts.
 */
ISST_API struct isst_options *isst_options_new(void);
ISST_API void isst_options_free(struct isst_options *options);

/** Tries for a mailbox command that the firmware is too busy for; 0: the default, 3. */
ISST_API void isst_options_set_tries(struct isst_options *options, unsigned int tries);

/** Pause before each mailbox command, which makes every mailbox request a single command. */
ISST_API void isst_options_set_pause_ms(struct isst_options *options, unsigned int pause_ms);

/** Where the log goes; without it, and with ISST_LOG_NONE, the library is silent. */
ISST_API void isst_options_set_log(struct isst_options *options, int level, isst_log_function log,
				   void *data);

/** Every value that a change writes, and every one that is rolled back, becomes a line of the
 * system log: syslog(3), priority notice, under the program's name. */
#define ISST_OPTION_SYSTEM_LOG 1U

/** Sets all flags: a sum of ISST_OPTION_... Returns 0 or -EINVAL (a flag that is not known). */
ISST_API int isst_options_set_flags(struct isst_options *options, unsigned int flags);

/* ---- Context ---- */

/**
 * Opens a context on the machine that the program runs on. Nothing of it is touched yet.
 *
 * @options: NULL for the defaults
 * Returns 0 or -ENOMEM, and then *context is NULL.
 */
ISST_API int isst_open(const struct isst_options *options, struct isst_context **context);

/**
 * The same on another machine, such as an emulated one (isst-emulator.h).
 *
 * @machine: the context's from then on: closed with it, and also where this function fails; NULL is
 * the machine that the program runs on
 * Returns 0, -EPROTO (a machine of another version of libisst-emulator, which is logged) or
 * -ENOMEM.
 */
ISST_API int isst_open_machine(struct isst_machine *machine, const struct isst_options *options,
			       struct isst_context **context);

/** Closes a machine that was not given to a context. */
ISST_API void isst_machine_free(struct isst_machine *machine);

/**
 * Closes a context and what it handed out: domains, CPUs, texts. Changes and journals are to be
 * freed before; targets, requests and results may be freed later, but no target of theirs be looked
 * at.
 */
ISST_API void isst_close(struct isst_context *context);

/** What went wrong in the last call that failed on this context; "" if none did. */
ISST_API const char *isst_error(const struct isst_context *context);

/** Changes what is logged. */
ISST_API void isst_set_log_level(struct isst_context *context, int level);

/**
 * Notices that came up in the last discovery and are no failures (a CPU whose punit number makes no
 * sense, a cache that cannot be written). NULL past the last one.
 */
ISST_API const char *isst_notice_at(const struct isst_context *context, size_t index);

/**
 * What discovery had to leave out, though it is online: packages whose power domains the driver
 * does not offer, CPUs of which it does not know the domain. A call for all domains or CPUs is then
 * not one for the whole machine, which a caller who means that has to treat as a failure. NULL past
 * the last one.
 */
ISST_API const char *isst_left_out_at(const struct isst_context *context, size_t index);

/**
 * Parts of the machine without a CPU that is online, as far as known: packages, and dies of them.
 * They are no domains, so that a call for all domains does not reach them; that is no failure, but
 * a caller who means the whole machine may want to say it. NULL past the last one.
 */
ISST_API const char *isst_offline_part_at(const struct isst_context *context, size_t index);

/**
 * Finds out what this machine is: driver, packages, dies, power domains, cores, CPUs. To be called
 * once, before most of what is below.
 *
 * Returns 0, -EOPNOTSUPP (no driver, no transport, an API version that is not known), -EPERM (may
 * not open the device), -EIO (a malformed file of the kernel), -EINVAL (discovered already), or
 * -ENOMEM. Under the lock (isst_lock() below) also what the rollback of an interrupted change ended
 * with: -EIO where an administrator has to decide, or CPUs have to come online, -ISST_ERR_ROLLBACK
 * or -EAGAIN where it is not complete, -EPERM or -EIO where the journal cannot be read or removed.
 * The journal is kept then, and the context stays undiscovered.
 */
ISST_API int isst_discover(struct isst_context *context);

/**
 * Finds out anew which packages, domains and CPUs there are and which of them are online; as
 * isst_change_run() does by itself where it took CPUs on- or offline. A domain, CPU or set of CPUs
 * that the context handed out before keeps its address and then holds what is true now: a domain's
 * index may be another one. What no longer exists has no CPUs, and a call that is given it
 * refuses it with -ESTALE. Results that were read before stay as they are.
 *
 * Returns as isst_discover(), on error with all as before; -EINVAL before isst_discover().
 */
ISST_API int isst_rediscover(struct isst_context *context);

/* ---- Platform ---- */

/** The CPU's identity; known as soon as the context is open. */
ISST_API unsigned int isst_platform_family(const struct isst_context *context);
ISST_API unsigned int isst_platform_model(const struct isst_context *context);
ISST_API unsigned int isst_platform_stepping(const struct isst_context *context);

/** The name of the emulated machine; NULL on a real one. */
ISST_API const char *isst_platform_emulated(const struct isst_context *context);

/** What the driver says of itself; 0 before discovery, and where there is no driver. */
ISST_API unsigned int isst_platform_api_version(const struct isst_context *context);
ISST_API unsigned int isst_platform_driver_version(const struct isst_context *context);

/** What a program may have to know of a platform. Numbers are never used again for something else.
 */
enum isst_fact {
	ISST_FACT_INTEL = 1,   /* an Intel processor */
	ISST_FACT_MAILBOX = 2, /* the driver offers the mailbox; after discovery */
	ISST_FACT_MMIO = 3,    /* the driver offers registers; after discovery */
	/** The BIOS has set up SST-BF for good, and nothing else of Speed Select is there (Cascade
	 * Lake-N): cpufreq shows which CPUs have which base frequency, and no driver is asked. On
	 * all but a few processors nothing is touched to find that out. */
	ISST_FACT_PRESET = 4,
	/** Packages consist of power domains that the firmware controls separately (API version 2
	 * and later), some of which have no CPUs; after discovery. */
	ISST_FACT_POWER_DOMAINS = 5,
	/** A CLOS has an energy preference and a weight. */
	ISST_FACT_CLOS_WEIGHT = 6,
	/** The energy preference of a CLOS has an effect; after discovery. */
	ISST_FACT_CLOS_EPP = 7,
	/** Core-power knows proportional priority, and not ordered priority alone. */
	ISST_FACT_PROPORTIONAL_PRIORITY = 8,
	/** TRL types are named by numbers (level-0, level-1, ...), and not by instruction sets;
	 * after discovery. */
	ISST_FACT_TRL_TYPES_ARE_LEVELS = 9
};

/** Whether something is so on this platform. Returns 1, 0, or -EINVAL (a fact that this version of
 * the library does not know). */
ISST_API int isst_platform_fact(struct isst_context *context, int fact);

/** How many TRL types may have a name on this machine, and the name of one: sse, avx2, avx512, or
 * level-0, level-1, ...; NULL if the machine has no such type. */
ISST_API unsigned int isst_trl_type_count(const struct isst_context *context);
ISST_API const char *isst_trl_type_name(const struct isst_context *context, unsigned int type);

/* ---- Domains ---- */

/*
 * A power domain is what the firmware controls as one. On mailbox platforms that is a package x
 * die; on TPMI platforms (API version 2 and later) one of several of a package, some of which
 * (those of I/O dies) have no CPUs.
 */

/**
 * Domains that have an online CPU and, on TPMI platforms, all others that the firmware controls;
 * ordered by package, die (those without one last), number. 0 before discovery.
 */
ISST_API size_t isst_domain_count(const struct isst_context *context);

/** The domain at a position of that order; NULL past the last one. */
ISST_API const struct isst_domain *isst_domain_at(const struct isst_context *context, size_t index);

/** Its name in messages: `package 0, die 0`, `package 0, power domain 1`. */
ISST_API const char *isst_domain_name(const struct isst_domain *domain);
ISST_API unsigned int isst_domain_index(const struct isst_domain *domain);

/** Physical package id, as the kernel numbers it: any number. */
ISST_API unsigned int isst_domain_package(const struct isst_domain *domain);

/** Die id, as the kernel numbers it. Returns 0, or -ENODATA where no CPU shows which die a domain
 * without CPUs is on; *die is then 0. */
ISST_API int isst_domain_die(const struct isst_domain *domain, unsigned int *die);

/** The firmware's number of the domain; 0 on mailbox platforms. */
ISST_API unsigned int isst_domain_number(const struct isst_domain *domain);

/** CPUs that belong to it, offline ones included as far as known; those of them that are online. */
ISST_API const struct isst_cpuset *isst_domain_present_cpus(const struct isst_domain *domain);
ISST_API const struct isst_cpuset *isst_domain_online_cpus(const struct isst_domain *domain);

/** False where CPUs of which nothing is known may belong to it: they are offline and were not seen
 * online, or the driver does not know them. */
ISST_API bool isst_domain_cpus_known(const struct isst_domain *domain);

/** The lowest-numbered CPU that is online, which carries requests. Returns 0, or -ENODATA where
 * none is. */
ISST_API int isst_domain_first_cpu(const struct isst_domain *domain, unsigned int *cpu);

/**
 * Whether a domain is known to have no CPU at all, on- or offline: one of an I/O die. Where CPUs
 * are not known (isst_domain_cpus_known()) it may be a compute die, and counts as one.
 */
ISST_API bool isst_domain_is_io(const struct isst_domain *domain);

/* ---- CPUs ---- */

/** The CPU of that number; NULL if the machine has none, or nothing is known of it (offline ever
 * since it was started). */
ISST_API const struct isst_cpu *isst_cpu_by_number(const struct isst_context *context,
						   unsigned int number);

ISST_API unsigned int isst_cpu_number(const struct isst_cpu *cpu);
ISST_API const struct isst_domain *isst_cpu_domain(const struct isst_cpu *cpu);
ISST_API bool isst_cpu_is_online(const struct isst_cpu *cpu);

/** The firmware's number of the core within the domain. Returns 0, or -ENODATA where the driver
 * reported none, or nonsense. */
ISST_API int isst_cpu_core(const struct isst_cpu *cpu, unsigned int *core);
ISST_API unsigned int isst_cpu_thread(const struct isst_cpu *cpu);

/** CPUs that are present; CPUs that are online. NULL before discovery. */
ISST_API const struct isst_cpuset *isst_present_cpus(const struct isst_context *context);
ISST_API const struct isst_cpuset *isst_online_cpus(const struct isst_context *context);

/** Width of CPU masks on this machine: the highest possible CPU number plus 1, rounded up to a
 * multiple of 32. */
ISST_API unsigned int isst_mask_bits(const struct isst_context *context);

/* ---- Targets ---- */

/*
 * What a call is for: a set of domains, or a set of CPUs. Results come in the order of the targets:
 * domains as they were added, CPUs by number. Something that is added twice is in the set once. A
 * call for domains takes the domains of a set of CPUs; a call for CPUs takes no domains (-EINVAL).
 */

/** An empty set, for calls on this context; NULL without memory. */
ISST_API struct isst_targets *isst_targets_new(struct isst_context *context);
ISST_API void isst_targets_free(struct isst_targets *targets);

/** Adds a domain. Returns 0, -EINVAL (none, one of another context, or @targets holds CPUs),
 * -ESTALE or -ENOMEM. */
ISST_API int isst_targets_add_domain(struct isst_targets *targets,
				     const struct isst_domain *domain);

/** Without those that have no CPU online, such as those of I/O dies. */
#define ISST_TARGETS_WITH_CPUS 1U

/** Adds all domains in their order. @flags: 0 or ISST_TARGETS_WITH_CPUS. Returns as above. */
ISST_API int isst_targets_add_all_domains(struct isst_targets *targets, unsigned int flags);

/** Adds CPUs. Returns 0, -EOPNOTSUPP (a CPU that isst_cpu_by_number() does not find, and then none
 * is added), -EINVAL (@targets holds domains) or -ENOMEM. */
ISST_API int isst_targets_add_cpus(struct isst_targets *targets, const struct isst_cpuset *cpus);

ISST_API size_t isst_targets_count(const struct isst_targets *targets);

/* ---- Values ---- */

/*
 * What results hold, and what requests ask for, by number. A number is never used again for
 * something else. isst_value_at() walks all that the running library knows, newer ones included.
 */
enum isst_value_id {
	/* Which one of several; of results and requests */
	ISST_VALUE_LEVEL = 1, /* a performance level */
	ISST_VALUE_CLOS = 2,  /* a class of service: 0 to 3 */

	/* The summary of performance levels (SST-PP) of a domain */
	ISST_VALUE_VERSION = 10,
	ISST_VALUE_HIGHEST_LEVEL = 11,
	ISST_VALUE_LEVEL_MASK = 12, /* bit n: level n exists; no data: nearly always all do */
	ISST_VALUE_CURRENT_LEVEL = 13,
	ISST_VALUE_LOCKED = 14,
	ISST_VALUE_ENABLED = 15, /* else only level 0 counts */

	/* A performance level: features, by enum isst_feature_state */
	ISST_VALUE_TURBO_FREQ_STATE = 20,
	ISST_VALUE_BASE_FREQ_STATE = 21,
	ISST_VALUE_CORE_POWER_STATE = 22,
	/* A performance level: properties */
	ISST_VALUE_CPUS = 30,  /* CPUs that may be online */
	ISST_VALUE_CORES = 31, /* the same as the firmware's core numbers: bit n is core n */
	ISST_VALUE_TDP_RATIO = 32,
	ISST_VALUE_BASE_MHZ = 33,
	ISST_VALUE_BASE_AVX2_MHZ = 34,
	ISST_VALUE_BASE_AVX512_MHZ = 35,
	ISST_VALUE_BASE_AMX_MHZ = 36,
	ISST_VALUE_FABRIC_BASE_MHZ = 37, /* a row for each fabric of the uncore */
	ISST_VALUE_FABRIC_MIN_MHZ = 38,
	ISST_VALUE_FABRIC_MAX_MHZ = 39,
	ISST_VALUE_MEMORY_MHZ = 40,
	ISST_VALUE_COOLING_TYPE = 41,
	ISST_VALUE_TDP_W = 42,
	ISST_VALUE_TJUNCTION_C = 43,
	ISST_VALUE_TURBO_LIMIT_CORES = 44, /* rows are TRL types, columns buckets: so many cores */
	ISST_VALUE_TURBO_LIMIT_MHZ = 45,   /* may reach this */

	/* SST-BF at a performance level that supports it */
	ISST_VALUE_BASE_FREQ_HIGH_CPUS = 60, /* CPUs of the high priority cores */
	ISST_VALUE_BASE_FREQ_HIGH_MHZ = 61,
	ISST_VALUE_BASE_FREQ_LOW_MHZ = 62,
	ISST_VALUE_BASE_FREQ_TJUNCTION_C = 63,
	ISST_VALUE_BASE_FREQ_TDP_W = 64,

	/* SST-TF at a performance level that supports it */
	ISST_VALUE_TURBO_FREQ_BUCKETS = 70,
	ISST_VALUE_TURBO_FREQ_HIGH_CORES = 71, /* columns are buckets */
	ISST_VALUE_TURBO_FREQ_HIGH_MHZ = 72,   /* rows are TRL types, columns buckets */
	ISST_VALUE_TURBO_FREQ_CLIP_MHZ = 73,   /* rows are TRL types: of low priority cores */

	/* Core-power (SST-CP) */
	ISST_VALUE_CORE_POWER_SUPPORTED = 80,
	ISST_VALUE_CORE_POWER_ENABLED = 81,
	ISST_VALUE_CLOS_ENABLED = 82, /* the use of classes of service */
	ISST_VALUE_PRIORITY = 83,     /* enum isst_priority; also of requests */

	/* The configuration of a CLOS; also of requests */
	ISST_VALUE_CLOS_EPP = 90,
	ISST_VALUE_CLOS_WEIGHT = 91,
	ISST_VALUE_CLOS_MIN_MHZ = 92,
	ISST_VALUE_CLOS_MAX_MHZ = 93, /* ISST_CLOS_NO_LIMIT_MHZ: no limit */
	ISST_VALUE_CLOS_DESIRED_MHZ = 94,

	/* The turbo ratio limits in force (MSR 0x1ad): eight ratios of 100 MHz, bucket 0 in the
	 * lowest byte; also of requests */
	ISST_VALUE_TURBO_RATIO_LIMITS = 100,

	/* Of requests alone: CPUs whose cores get high priority by SST-TF, their siblings included
	 */
	ISST_VALUE_HIGH_PRIORITY_CPUS = 110
};

enum isst_feature_state {
	ISST_FEATURE_UNKNOWN = 0, /* could not be read: such a value is -EIO */
	ISST_FEATURE_UNSUPPORTED = 1,
	ISST_FEATURE_DISABLED = 2,
	ISST_FEATURE_ENABLED = 3
};

enum isst_priority { ISST_PRIORITY_PROPORTIONAL = 0, ISST_PRIORITY_ORDERED = 1 };

/** No limit, as a CLOS's maximum. */
#define ISST_CLOS_NO_LIMIT_MHZ 25500

enum isst_type {
	ISST_TYPE_NUMBER = 1,
	ISST_TYPE_FLAG = 2,	     /* 0 or 1 */
	ISST_TYPE_FEATURE_STATE = 3, /* enum isst_feature_state */
	ISST_TYPE_PRIORITY = 4,	     /* enum isst_priority */
	ISST_TYPE_BITS = 5,	     /* 64 bits, by isst_result_value64() */
	ISST_TYPE_CPUS = 6	     /* by isst_result_cpus() */
};

/** The value of that place in the library's table; 0 past the last one. */
ISST_API int isst_value_at(size_t index);

/** The value of that name, such as `base_mhz`; 0 if there is none. */
ISST_API int isst_value_by_name(const char *name);

/** Its name; NULL if there is no such value. */
ISST_API const char *isst_value_name(int id);

/** Its unit: `MHz`, `W`, `C`, or "" without one; NULL if there is no such value. */
ISST_API const char *isst_value_unit(int id);

/** Its type, enum isst_type; 0 if there is no such value. */
ISST_API int isst_value_type(int id);

/* ---- Results ---- */

/*
 * A call on a set of targets returns one or more results for each of them. Results hold copies of
 * all they say: they stay as they are whatever becomes of machine and context, until they are
 * freed.
 */

ISST_API void isst_results_free(struct isst_results *results);
ISST_API size_t isst_results_count(const struct isst_results *results);

/** A result, in the order of the targets; NULL past the last one. */
ISST_API const struct isst_result *isst_results_at(const struct isst_results *results,
						   size_t index);

/** What a result is of: the position of its target among the call's (where a call for domains was
 * given CPUs, among their domains), its domain, its CPU (NULL: it is of a domain). Domain and CPU
 * are the context's. */
ISST_API size_t isst_result_target(const struct isst_result *result);
ISST_API const struct isst_domain *isst_result_domain(const struct isst_result *result);
ISST_API const struct isst_cpu *isst_result_cpu(const struct isst_result *result);

/** Parts of a result that are read by requests of their own, each with an error of its own. */
enum isst_part {
	ISST_PART_RESULT = 0,	    /* all but what is below */
	ISST_PART_PERF_PROFILE = 1, /* of levels: the summary of the domain's levels */
	ISST_PART_BASE_FREQ = 2,    /* of levels: SST-BF */
	ISST_PART_TURBO_FREQ = 3,   /* of levels: SST-TF */
	ISST_PART_CLOS = 4 /* of core-power: the use of CLOS; where core-power is not supported it
			       may fail without the result doing so */
};

/** Why a part could not be read or planned as a whole: 0, or a negative errno; -EINVAL for a part
 * that the library does not know. What could be read of it is there all the same. */
ISST_API int isst_result_error(const struct isst_result *result, int part);

/** What went wrong first, in words; NULL without an error. */
ISST_API const char *isst_result_message(const struct isst_result *result, int part);

/** How many things failed besides. */
ISST_API unsigned int isst_result_more_errors(const struct isst_result *result, int part);

/**
 * A value: number, flag or state.
 * Returns 0; -ENODATA: this machine has no such value; -EIO: it could not be read
 * (isst_result_error() of its part is set); -EINVAL: results of this call have no such value, or
 * one of another type.
 */
ISST_API int isst_result_value(const struct isst_result *result, int id, unsigned int *value);

/** The same for one with 64 bits; takes any number besides. */
ISST_API int isst_result_value64(const struct isst_result *result, int id, uint64_t *value);

/** How many rows and columns a value has: 1 and 1 unless it says otherwise. Either pointer may be
 * NULL. Returns 0 or -EINVAL. Newer versions of the library may have more of them. */
ISST_API int isst_result_extent(const struct isst_result *result, int id, unsigned int *rows,
				unsigned int *columns);

/** A value of several rows or columns. Returns as isst_result_value(); -ENODATA for rows and
 * columns that there are not. */
ISST_API int isst_result_value_at(const struct isst_result *result, int id, unsigned int row,
				  unsigned int column, unsigned int *value);

/** A set of CPUs, which is the results'. Returns as isst_result_value(), on error with NULL. */
ISST_API int isst_result_cpus(const struct isst_result *result, int id,
			      const struct isst_cpuset **cpus);

/* ---- Requests ---- */

/** What is asked for, as values by number; NULL without memory. */
ISST_API struct isst_request *isst_request_new(void);
ISST_API void isst_request_free(struct isst_request *request);

/** Sets a value that requests may have. Returns 0, -EINVAL (no such one, or one of another type) or
 * -ENOMEM. The CPUs are copied. */
ISST_API int isst_request_set(struct isst_request *request, int id, unsigned int value);
ISST_API int isst_request_set64(struct isst_request *request, int id, uint64_t value);
ISST_API int isst_request_set_cpus(struct isst_request *request, int id,
				   const struct isst_cpuset *cpus);

/* ---- Reading ---- */

/*
 * All of one shape: what for, which ones, how, and where the results go.
 *
 * @request: NULL where there is nothing to choose; a value that the call has no use for: -EINVAL
 * @flags: 0, or as the function says; others: -EINVAL
 * @results: set to the results, to be freed; NULL where the call failed as a whole
 * Returns 0; ISST_PARTIAL; or a negative errno: with results the first error of them, where every
 * target failed; without results that of the call: -EINVAL, -EINTR, -ENOMEM. An empty set of
 * targets has no results, and is no failure.
 */

/** The summary of levels of each domain (mailbox 0x7f/0x00; TPMI PERF_LEVELS): ISST_VALUE_VERSION
 * to ISST_VALUE_ENABLED. */
ISST_API int isst_read_perf_profiles(struct isst_context *context,
				     const struct isst_targets *targets,
				     const struct isst_request *request, unsigned int flags,
				     struct isst_results **results);

/* What to read of levels. Without any of them: only whether features are supported and on. */
#define ISST_LEVEL_PROPERTIES 1U /* CPUs, frequencies, power */
#define ISST_LEVEL_BASE_FREQ 2U	 /* SST-BF where supported */
#define ISST_LEVEL_TURBO_FREQ 4U /* SST-TF where supported */
#define ISST_LEVEL_ALL 7U
/* Which levels, where the request does not say: the current one of each domain, and not all. */
#define ISST_LEVEL_CURRENT 256U

/**
 * Performance levels: a result for each level of each domain, all of one domain together, with the
 * domain's summary in each.
 *
 * @request: ISST_VALUE_LEVEL for one level; a domain without it has a result with -EOPNOTSUPP
 * and a message that names those that exist. A domain whose summary cannot be read has one result,
 * with the error of ISST_PART_PERF_PROFILE and no level.
 */
ISST_API int isst_read_levels(struct isst_context *context, const struct isst_targets *targets,
			      const struct isst_request *request, unsigned int flags,
			      struct isst_results **results);

/** The state of core-power of each domain (mailbox 0x94/0x03 and 0xd0/0x02). */
ISST_API int isst_read_core_power(struct isst_context *context, const struct isst_targets *targets,
				  const struct isst_request *request, unsigned int flags,
				  struct isst_results **results);

/** Configurations of CLOS (MMIO 0x08 + 4 x clos; mailbox 0xd0/0x01 on model 0x55). @request:
 * ISST_VALUE_CLOS for one of them; otherwise each domain has four results. */
ISST_API int isst_read_clos(struct isst_context *context, const struct isst_targets *targets,
			    const struct isst_request *request, unsigned int flags,
			    struct isst_results **results);

/** Which CLOS the core of each CPU is in (MMIO 0x20 + 4 x core; mailbox 0xd0/0x00 on model 0x55).
 */
ISST_API int isst_read_clos_associations(struct isst_context *context,
					 const struct isst_targets *targets,
					 const struct isst_request *request, unsigned int flags,
					 struct isst_results **results);

/** The turbo ratio limits in force (MSR 0x1ad) of each domain. */
ISST_API int isst_read_turbo_ratio_limits(struct isst_context *context,
					  const struct isst_targets *targets,
					  const struct isst_request *request, unsigned int flags,
					  struct isst_results **results);

/* ---- Capturing the machine ---- */

/**
 * Writes what this machine reports into a directory, from which the emulator makes the same machine
 * again (docs/captured-machines.md): kernel files, MSRs, and by any firmware interface what it
 * answers to everything that only reads. To be called on a context that is not discovered. What
 * could not be read and is not needed is listed by notices.
 *
 * @directory: a new one, or an empty one; after an error it is as before
 * Returns 0, -EINVAL (the directory cannot be used), -EPERM, -EIO or -ENOMEM. A machine without
 * driver is captured too.
 */
ISST_API int isst_capture(struct isst_context *context, const char *directory);

/* ---- The lock ---- */

/**
 * Takes the lock that processes which change the machine share, so that no other one changes what
 * was discovered: to be called before isst_discover(), or followed by isst_rediscover(). Where an
 * earlier process was interrupted in the middle of a change, that discovery rolls it back, and says
 * so by a notice. Held until isst_unlock() or isst_close().
 *
 * @timeout_ms: how long to wait for another process
 * Returns 0, -EBUSY (the message names the holder), -EPERM, -EOPNOTSUPP (no driver), -EIO, -ENOMEM,
 * or -EINVAL (the lock is held already).
 */
ISST_API int isst_lock(struct isst_context *context, unsigned int timeout_ms);

/**
 * Releases the lock. What was planned or opened under it is refused with -EINVAL from then on:
 * changes that were not run yet, and the journal. Returns 0 or -EINVAL (the lock is not held).
 */
ISST_API int isst_unlock(struct isst_context *context);

/**
 * Checks that the caller may change the machine: CAP_SYS_ADMIN in the initial user namespace. Works
 * before discovery. Returns 0 or -EPERM with a message that names the capability.
 */
ISST_API int isst_check_privileges(struct isst_context *context);

/* ---- Changes ---- */

/*
 * A change is planned out of one or more requests, then made as a whole: each step is recorded,
 * written and verified; at the first failure, or when it is interrupted, all is rolled back.
 *
 *	isst_lock(context, 10000);
 *	isst_discover(context);
 *	isst_change_new(context, options, &change);
 *	isst_change_add_core_power(change, targets, NULL, ISST_ADD_ENABLE, NULL);
 *	isst_change_run(change);
 */

/** The defaults; NULL without memory. Options stay the caller's, and serve any number of changes.
 */
ISST_API struct isst_change_options *isst_change_options_new(void);
ISST_API void isst_change_options_free(struct isst_change_options *options);

/** Everything is checked and every step listed, nothing written; needs neither lock nor privileges.
 */
#define ISST_CHANGE_DRY_RUN 1U
/** Targets that lack what is asked for (-EOPNOTSUPP) are left out, unless none remains. Without it,
 * and without the next one, what stands against one target stands against the change. Domains
 * without CPUs (of I/O dies) are left out in any case, beside others. */
#define ISST_CHANGE_SKIP_UNSUPPORTED 2U
/** All targets against which something stands are left out, unless none remains. */
#define ISST_CHANGE_SKIP_FAILED 4U
/** CPUs are isolated in cgroup v2 partitions in place of taking them offline; CPU 0 only. */
#define ISST_CHANGE_PARTITIONS 8U
#define ISST_CHANGE_PARTITION_CPU0 16U
/** A level change leaves CPUs offline, with a warning, of which it is not known where they are:
 * they have not been seen online since the machine was started. Otherwise one for all domains
 * brings them online to see whether the level enables them. */
#define ISST_CHANGE_LEAVE_UNKNOWN_CPUS 32U

/** Sets all flags: a sum of the above. Returns 0 or -EINVAL (one that is not known). */
ISST_API int isst_change_options_set_flags(struct isst_change_options *options, unsigned int flags);

/** What the change is for, as the system log shall name it (`core-power enable`). Copied. Returns 0
 * or -ENOMEM. */
ISST_API int isst_change_options_set_command(struct isst_change_options *options,
					     const char *command);

/** @interrupted is asked between steps and between writes of kernel files: other than 0 ends the
 * change, which is then rolled back. */
ISST_API void isst_change_options_set_interrupted(struct isst_change_options *options,
						  int (*interrupted)(void *data), void *data);

/** @progress is called with what is being done to a CPU (`online cpu 3`). */
ISST_API void isst_change_options_set_progress(struct isst_change_options *options,
					       void (*progress)(void *data, const char *line),
					       void *data);

/**
 * Begins a change. The context must have been discovered, under the lock unless it is a dry run.
 *
 * @options: NULL for the defaults
 * Returns 0, -EINVAL or -ENOMEM.
 */
ISST_API int isst_change_new(struct isst_context *context,
			     const struct isst_change_options *options,
			     struct isst_change **change);
ISST_API void isst_change_free(struct isst_change *change);

/*
 * Each adds one request for a set of targets: checks what must hold on all of them and plans the
 * steps. It is planned from what the requests before it will leave of levels, features and
 * core-power.
 *
 * @request, @flags: what the function says
 * @results: where not NULL, set to a result for each target: its error says what stands against it.
 * Such a target is left out, if the change may be made without it (ISST_CHANGE_SKIP_...).
 * -EOPNOTSUPP: it does not support what is asked for; -EIO: its state forbids it or could not be
 * read. The message says which, and what helps. Returns 0, ISST_PARTIAL or a negative errno as
 * reading does; a domain of an I/O die counts only where there are no others. -EINVAL: values or
 * flags that are wrong anywhere.
 */

#define ISST_ADD_ENABLE 1U
#define ISST_ADD_DISABLE 2U
/** With what goes with it: CLOS, associations, core-power, cpufreq limits. */
#define ISST_ADD_AUTO 4U
/** CPUs that a level does not enable go offline, the others online. */
#define ISST_ADD_ONLINE 8U

/** SST-PP: another performance level. @request: ISST_VALUE_LEVEL. @flags: ISST_ADD_ONLINE. */
ISST_API int isst_change_add_level(struct isst_change *change, const struct isst_targets *targets,
				   const struct isst_request *request, unsigned int flags,
				   struct isst_results **results);

/** SST-BF on or off. @flags: ISST_ADD_ENABLE or ISST_ADD_DISABLE, with ISST_ADD_AUTO. */
ISST_API int isst_change_add_base_freq(struct isst_change *change,
				       const struct isst_targets *targets,
				       const struct isst_request *request, unsigned int flags,
				       struct isst_results **results);

/**
 * SST-TF on or off. @flags: ISST_ADD_ENABLE or ISST_ADD_DISABLE, with ISST_ADD_AUTO.
 *
 * @request: with ISST_ADD_AUTO ISST_VALUE_HIGH_PRIORITY_CPUS, else no core gets high priority
 * (-EOPNOTSUPP: a CPU that the machine does not have; -EINVAL: one of none of the targets);
 * ISST_VALUE_TURBO_RATIO_LIMITS to be written, else all ones on enable, and those of the level on
 * disable
 */
ISST_API int isst_change_add_turbo_freq(struct isst_change *change,
					const struct isst_targets *targets,
					const struct isst_request *request, unsigned int flags,
					struct isst_results **results);

/** SST-CP on or off. @request: ISST_VALUE_PRIORITY, else it stays. @flags: ISST_ADD_ENABLE or
 * ISST_ADD_DISABLE. */
ISST_API int isst_change_add_core_power(struct isst_change *change,
					const struct isst_targets *targets,
					const struct isst_request *request, unsigned int flags,
					struct isst_results **results);

/** Configures a CLOS. @request: ISST_VALUE_CLOS; ISST_VALUE_CLOS_EPP, _WEIGHT, _MIN_MHZ, _MAX_MHZ,
 * _DESIRED_MHZ, where not given 0, and no limit. */
ISST_API int isst_change_add_clos(struct isst_change *change, const struct isst_targets *targets,
				  const struct isst_request *request, unsigned int flags,
				  struct isst_results **results);

/** Puts the cores of CPUs into a CLOS. @request: ISST_VALUE_CLOS. */
ISST_API int isst_change_add_clos_association(struct isst_change *change,
					      const struct isst_targets *targets,
					      const struct isst_request *request,
					      unsigned int flags, struct isst_results **results);

/** Turbo ratio limits (MSR 0x1ad). @request: ISST_VALUE_TURBO_RATIO_LIMITS. */
ISST_API int isst_change_add_turbo_ratio_limits(struct isst_change *change,
						const struct isst_targets *targets,
						const struct isst_request *request,
						unsigned int flags, struct isst_results **results);

/** Turbo of CPUs by cpufreq: off limits each to its base frequency, on takes the limit away.
 * @flags: ISST_ADD_ENABLE or ISST_ADD_DISABLE. */
ISST_API int isst_change_add_turbo_mode(struct isst_change *change,
					const struct isst_targets *targets,
					const struct isst_request *request, unsigned int flags,
					struct isst_results **results);

/** All present CPUs online. @targets and @request are NULL, @flags 0; there are no results. */
ISST_API int isst_change_add_all_online(struct isst_change *change,
					const struct isst_targets *targets,
					const struct isst_request *request, unsigned int flags,
					struct isst_results **results);

/**
 * What isst_change_run() will refuse the change with, before anything is read or written: the first
 * failure of a target that may not be left out. 0 if there is none.
 */
ISST_API int isst_change_objection(const struct isst_change *change);

/**
 * Makes the change, or in a dry run lists what it would write. A change reaches all targets of all
 * its requests or none, unless its options say otherwise.
 *
 * Returns 0 (done, or nothing to do); ISST_PARTIAL: done, but for targets that were left out as its
 * options allow; -EINTR (interrupted) or another negative errno: failed, and nothing is left
 * changed; -ISST_ERR_ROLLBACK: failed, and isst_change_difference_at() lists what could not be
 * rolled back: the journal is kept, and no other change is made until isst_journal_apply(), or
 * isst_journal_discard(). -EINVAL for a change that was run before, or planned before another one
 * of this context was or before isst_unlock(): what it was planned from may be another by now.
 */
ISST_API int isst_change_run(struct isst_change *change);

/** The writes of a change in their order, those included that were not needed. NULL past the last
 * one, and, unless it was a dry run, without memory. */
ISST_API const struct isst_change_step *isst_change_step_at(struct isst_change *change,
							    size_t index);

/** What is written: `package 0, die 0: CLOS 2`; the old value (NULL: unknown), the new one; whether
 * it was written: not in a dry run, nor where the value was there already. */
ISST_API const char *isst_change_step_target(const struct isst_change_step *step);
ISST_API const char *isst_change_step_old_value(const struct isst_change_step *step);
ISST_API const char *isst_change_step_new_value(const struct isst_change_step *step);
ISST_API bool isst_change_step_written(const struct isst_change_step *step);

/** True after a run that found the machine as asked and wrote nothing. */
ISST_API bool isst_change_unchanged(const struct isst_change *change);

/**
 * Whether a change that was made did without a domain: one without CPUs, whose firmware claims a
 * feature and then refuses it. A warning says why.
 */
ISST_API bool isst_change_left_out(const struct isst_change *change,
				   const struct isst_domain *domain);

/** Warnings (a value that firmware or kernel clipped, limits that interfere), and what differs
 * after a rollback that failed; NULL past the last one. These texts, and those of the steps, are
 * the change's. */
ISST_API const char *isst_change_warning_at(const struct isst_change *change, size_t index);
ISST_API const char *isst_change_difference_at(const struct isst_change *change, size_t index);

/* ---- The journal of an interrupted change ---- */

/**
 * Discovery under the lock rolls back what an interrupted process left, unless something
 * was changed since: then it fails with -EIO, and names it. To look at the journal instead, and to
 * decide, isst_journal_keep() is called before isst_discover(); the context then makes no changes.
 */
ISST_API void isst_journal_keep(struct isst_context *context);

/**
 * Reads the journal and compares it with the machine. *@journal is NULL where no change was
 * interrupted. To be freed before the context is closed.
 * Returns 0, -EPERM, -EIO (it cannot be read, or is damaged; only isst_journal_discard() is left),
 * -EMFILE or -ENFILE (it cannot be read for want of descriptors, and is kept), -EINVAL (the machine
 * is not discovered), -EBUSY (another process holds the lock: the journal may be that of the change
 * it is making) or -ENOMEM.
 */
ISST_API int isst_journal_open(struct isst_context *context, struct isst_journal **journal);
ISST_API void isst_journal_free(struct isst_journal *journal);

/** What the change was for, see isst_change_options_set_command(); "" if unknown. */
ISST_API const char *isst_journal_command(const struct isst_journal *journal);

/** Seconds since the change was begun; -1 if unknown. */
ISST_API int64_t isst_journal_age(const struct isst_journal *journal);

/** Whether some item was changed since, or may have been, or cannot be reached while its CPUs are
 * offline: isst_discover() does not roll back then. */
ISST_API bool isst_journal_moved(const struct isst_journal *journal);

/** An item that the interrupted process wrote or disturbed, as isst_journal_open() found it; NULL
 * past the last one. */
ISST_API const struct isst_journal_item *isst_journal_item_at(struct isst_journal *journal,
							      size_t index);

/** `package 0, die 0: CLOS 2` */
ISST_API const char *isst_journal_item_target(const struct isst_journal_item *item);
/** Before the change. */
ISST_API const char *isst_journal_item_old_value(const struct isst_journal_item *item);
/** NULL where it was only disturbed. */
ISST_API const char *isst_journal_item_written_value(const struct isst_journal_item *item);
/** `unknown` where it cannot be read. */
ISST_API const char *isst_journal_item_present_value(const struct isst_journal_item *item);
/** Who gave it its present value, in words. */
ISST_API const char *isst_journal_item_finding(const struct isst_journal_item *item);

/** isst_journal_apply() gives it its old value; one that has it, and may change yet, too. */
#define ISST_JOURNAL_ITEM_RESTORED 1U
/** Another process changed it since: it stays. */
#define ISST_JOURNAL_ITEM_MOVED 2U
/** It cannot be reached while its CPUs are offline, or the driver does not offer its power domain,
 * or it could not be read: it has to wait. */
#define ISST_JOURNAL_ITEM_KEPT 4U

/** What becomes of it: a sum of the above. */
ISST_API unsigned int isst_journal_item_flags(const struct isst_journal_item *item);

/**
 * Gives all items that another process has not changed since their old values, and removes the
 * journal. Needs the lock. Returns 0; -ENOENT where the journal was applied or discarded since it
 * was opened. With any other negative errno the journal is kept: -EAGAIN: what can be reached was
 * rolled back, and the message says what brings the rest into reach;
 * -ISST_ERR_ROLLBACK: the message lists what differs; -EINVAL: the lock is not held; -EPERM or
 * -EIO: all was rolled back, and the file cannot be removed, or the journal cannot be written;
 * -ENOMEM.
 */
ISST_API int isst_journal_apply(struct isst_journal *journal);

/** Removes the journal and leaves the machine as it is. Returns 0, -EINVAL (the lock is not held),
 * -EPERM, -EIO, or -ENOMEM, -EMFILE or -ENFILE (it cannot be read for want of them: it is kept, as
 * it may be that of a change which is complete). */
ISST_API int isst_journal_discard(struct isst_context *context);

#ifdef __cplusplus
}
#endif

#endif
