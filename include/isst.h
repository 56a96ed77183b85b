/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst: discovers and controls Intel Speed Select Technology on a Linux server.
 *
 * A program opens a context, discovers the machine, and calls functions for a set of targets: power
 * domains or CPUs. One call serves the whole set, with the fewest driver calls. docs/library.md is
 * a guide with complete programs.
 *
 * Conventions:
 *  - All types are opaque. Functions read and set what they contain, so that they can grow.
 *  - Names are isst_SUBJECT_PROPERTY(). The subject of isst_error(), isst_lock() and the like is
 *    the context. _count is a number of elements, _at the element at a position from 0 (NULL past
 *    the last one), _by_ the element with a key, _to_ a conversion. Constants begin with the
 *    subject or the function that takes them. _is_ and _has_ begin a property that is a bool.
 *    _text is a value for users, _number the same as a number. Positions that _at takes are
 *    size_t; what the hardware numbers (CPUs, TRL types), rows and columns are unsigned int.
 *  - A function that returns int returns 0 or a negative errno, unless documented otherwise.
 *    If the function was given a context, targets, a change or a journal, isst_error() of their
 *    context then returns a message that names the package, domain or CPU and, where known, a
 *    remedy. Getters of other objects, and requests, set no message. Each function lists its
 *    errors; any function may also return -ENOMEM, and one that accesses the machine -EIO, -EPERM,
 *    -ENODEV, -EMFILE or -ENFILE. One that takes a context returns -EINVAL before
 *    isst_discover(), unless documented otherwise.
 *  - A call for a set of targets returns ISST_PARTIAL, which is positive, if it failed for some of
 *    them. The results contain the error of each.
 *  - Pointers must not be NULL unless documented otherwise. Given NULL, a function does nothing and
 *    returns -EINVAL, NULL, 0 or false; isst_error(NULL) returns "". Free functions accept NULL.
 *  - Unknown flags are refused with -EINVAL. Contexts and changes have options, including flags:
 *    isst_open(), isst_discover(), isst_change_new(), isst_change_run() and the like take no flags.
 *  - Numbers that newer versions may add to are passed as int; an enum lists their values, which
 *    never get another meaning.
 *  - Names end with the unit of a value: _mhz, _w, _c, _ms, _s. All frequencies are
 *    MHz, except those of items (see isst_item_unit()).
 *  - The caller owns what a function returns without const: objects have a free function, texts are
 *    freed with free(3). A const return value belongs to the object that was queried: a context,
 *    with its domains and CPUs, until isst_close(); results until isst_results_free(); tables of
 *    the library until the program ends.
 *  - Messages of a context other than isst_error() are valid until it is closed: each different one
 *    is stored once. A program that runs for months and meets ever new ones, as they can contain
 *    values and process ids, may close its context and open another.
 *  - A context, and all objects that were made with it, may be used by one thread at a time; so
 *    may any other object. Results are objects of their own: another thread may read and free them
 *    while the context is in use, but for their domains and CPUs. Contexts share nothing. Functions
 *    that take no object may be called by any thread at any time.
 *  - After fork(2) a context and its lock belong to the parent. The child opens a context of its
 *    own; it may close that of the parent, which changes nothing for it. Until it does, executes
 *    another program or ends, it keeps the lock of a parent that dies.
 *  - Functions and constants are as old as 0.1.0, unless their comment ends with `Since` and a
 *    version.
 */
#ifndef ISST_H
#define ISST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Marks the functions that the library exports. */
#define ISST_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version of the library ---- */

#define ISST_VERSION_MAJOR 0
#define ISST_VERSION_MINOR 1
#define ISST_VERSION_PATCH 0
#define ISST_VERSION "0.1.0"

/** The version of the library at run time, which may be newer than this header. */
ISST_API const char *isst_version(void);

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
struct isst_message;

/* ---- Errors ---- */

/** Returned by calls for a set: some targets failed, others did not. */
#define ISST_PARTIAL 1

/*
 * What errnos mean in this library:
 *  -EOPNOTSUPP  not supported on this machine: driver, feature, level or CPU
 *  -ENODEV      a module of the driver is not loaded: mailbox or MMIO registers cannot be reached
 *  -EIO         the hardware or the system refused, or returned an implausible value
 *  -EROFS       locked by the BIOS: the level cannot be changed
 *  -EPERM       not permitted
 *  -EINVAL      an invalid argument on any machine, or a call in the wrong order
 *  -ESTALE      a domain or CPU that no longer exists since the last discovery
 *  -EBUSY       another process holds the lock
 *  -ENODATA     there is no such value
 *  -EOVERFLOW   the value does not fit the type
 *  -EINTR       interrupted
 *  -EFBIG       the limit of file sizes is too low for the journal; the program must ignore SIGXFSZ
 *               to get this error
 *  -EAGAIN      a rollback has to wait, for example for offline CPUs
 *  -ENOENT      there is no such state, journal or platform
 *  -EPROTO      the versions of libisst and libisst-emulator differ
 *  -ENOEXEC     a program cannot be run on an emulated machine
 *  -ERANGE      a number is too high
 *  -EMFILE      the process has too many open files
 *  -ENFILE      the system has too many open files
 *  -ENOSPC      the runtime directory has no space left, or the user no quota
 *  -ENOMEM      out of memory
 *  -ISST_ERR_ROLLBACK  a change failed, and its rollback is incomplete: it is partly made
 *  -ISST_ERR_JOURNAL  an interrupted change left a journal that needs a decision (isst-journal.h)
 *
 * Errors of driver and firmware are in the message, not in the number.
 */

/** The numbers of two of them. */
#define ISST_ERR_ROLLBACK ENOTRECOVERABLE
#define ISST_ERR_JOURNAL EUCLEAN

/* ---- Sets of CPUs ---- */

/*
 * A set of CPU numbers below UINT_MAX. Functions that only read a set take NULL as the empty set.
 */

/** Creates an empty set; NULL if out of memory. */
ISST_API struct isst_cpuset *isst_cpuset_new(void);
ISST_API void isst_cpuset_free(struct isst_cpuset *set);

/** Adds the CPUs @first to @last. Returns 0, -EINVAL (@last < @first) or -ERANGE (@last is
 * UINT_MAX); on error the set is unchanged. */
ISST_API int isst_cpuset_add(struct isst_cpuset *set, unsigned int first, unsigned int last);

/** Adds the CPUs of @other. Returns 0 or -ENOMEM; on error @set may contain some of them. */
ISST_API int isst_cpuset_add_set(struct isst_cpuset *set, const struct isst_cpuset *other);

/** Removes the CPUs @first to @last, those of @other, or all that are not in @other. Returns 0,
 * -ENOMEM, or as isst_cpuset_add(); on error the set is unchanged. */
ISST_API int isst_cpuset_remove(struct isst_cpuset *set, unsigned int first, unsigned int last);
ISST_API int isst_cpuset_remove_set(struct isst_cpuset *set, const struct isst_cpuset *other);
ISST_API int isst_cpuset_intersect(struct isst_cpuset *set, const struct isst_cpuset *other);

/** isst_cpuset_add_list() refuses this and higher numbers: no machine has so many CPUs. */
#define ISST_CPU_NUMBER_LIMIT 1048576

/**
 * Adds the CPUs of a list: numbers and ranges separated by commas, `1,3-5` or `1,3..5`. A list may
 * be empty, and may end with a newline, as files of the kernel do.
 *
 * @bad: set to the first invalid character within @text on -EINVAL and -ERANGE; may be NULL
 * Returns 0, -EINVAL (not a list, or a range that runs backwards) or -ERANGE (a number of
 * ISST_CPU_NUMBER_LIMIT or higher); on error the set is unchanged.
 */
ISST_API int isst_cpuset_add_list(struct isst_cpuset *set, const char *text, const char **bad);

/** Whether the set contains a CPU. */
ISST_API bool isst_cpuset_has(const struct isst_cpuset *set, unsigned int cpu);

/** Whether both sets contain the same CPUs. */
ISST_API bool isst_cpuset_is_equal(const struct isst_cpuset *set, const struct isst_cpuset *other);

/** The number of CPUs in the set. */
ISST_API size_t isst_cpuset_count(const struct isst_cpuset *set);

/** Finds the lowest CPU of the set that is @from or higher. Returns false if there is none;
 * *@cpu is then unchanged. */
ISST_API bool isst_cpuset_next(const struct isst_cpuset *set, unsigned int from, unsigned int *cpu);

/**
 * Walks a set in ascending order, for example to make a cpu_set_t of it:
 * isst_cpuset_for_each(cpu, set) CPU_SET(cpu, &affinity). @cpu is a variable of
 * type unsigned int; @set is evaluated for each CPU.
 */
#define isst_cpuset_for_each(cpu, set) \
	for ((cpu) = 0; isst_cpuset_next((set), (cpu), &(cpu)); (cpu)++)

/** The set as a list of the kernel, with ranges: `0-2,5`; "" if empty. The caller frees it; NULL if
 * out of memory. */
ISST_API char *isst_cpuset_to_list(const struct isst_cpuset *set);

/* ---- Options of a context ---- */

/** Levels of the log, the most severe first; a level includes those before it. */
enum isst_log_level {
	ISST_LOG_NONE = 0,
	ISST_LOG_ERROR = 1,   /* a call failed: the text of isst_error() */
	ISST_LOG_WARNING = 2, /* see isst_change_warning_at() */
	ISST_LOG_NOTICE = 3,  /* see isst_notice_at() */
	ISST_LOG_INFO = 4,    /* a change takes a CPU on- or offline */
	ISST_LOG_DEBUG = 5    /* driver requests and replies */
};

/**
 * Receives one line of the log, without newline, valid until the function returns. It must not call
 * the library with the same context.
 *
 * @level: enum isst_log_level
 */
typedef void (*isst_log_function)(void *data, int level, const char *message);

/** Creates options with the defaults; NULL if out of memory. One object can be used for any number
 * of contexts. */
ISST_API struct isst_options *isst_options_new(void);
ISST_API void isst_options_free(struct isst_options *options);

/** Numbers of isst_options_set(). */
enum isst_option {
	/** How often a mailbox command is sent while the firmware is busy; 0: the default, 3. */
	ISST_OPTION_TRIES = 1,
	/** A pause before each mailbox command, in milliseconds. Each mailbox request then contains
	 * one command. Default: 0. */
	ISST_OPTION_PAUSE_MS = 2,
	/** 1: each value that a change writes or rolls back is recorded in the system log:
	 * syslog(3), priority notice. Default: 0. */
	ISST_OPTION_SYSTEM_LOG = 3
};

/** Sets an option (enum isst_option). Returns 0 or -EINVAL (no option of this library, or a value
 * that it cannot have). */
ISST_API int isst_options_set(struct isst_options *options, int option, unsigned int value);

/** The function that receives the log, with @data, up to @level (enum isst_log_level). By default,
 * and with @log NULL, there is no log. */
ISST_API void isst_options_set_log(struct isst_options *options, int level, isst_log_function log,
				   void *data);

/**
 * A function that is called with @data while isst_lock() and isst_wait_for_driver() wait, at least
 * every 20 ms, while isst_change_run() makes a change, between steps and between writes to files of
 * the kernel, and while isst_explain() measures (ISST_EXPLAIN_MEASURE), before each CPU. Unless it
 * returns 0, the call is interrupted: a change is rolled back, and it returns -EINTR. A handler of
 * signals can set a variable that the function returns. It must not call the library with the same
 * context. NULL, the default: none.
 */
ISST_API void isst_options_set_interrupted(struct isst_options *options,
					   int (*interrupted)(void *data), void *data);

/* ---- Opening a context ---- */

/**
 * Opens a context on the machine that the program runs on, without accessing the hardware.
 *
 * @options: NULL for the defaults
 * @context: set to the context, or NULL on error
 * Returns 0 or -ENOMEM.
 */
ISST_API int isst_open(const struct isst_options *options, struct isst_context **context);

/**
 * Opens a context on another machine, such as an emulated one (isst-emulator.h).
 *
 * @machine: belongs to the context from now on, and is closed with it; on error it is closed at
 * once. NULL, as isst_emulator_open() leaves it after an error, is refused
 * Returns 0, -EINVAL (there is no machine), -EPROTO (libisst-emulator has another version; this is
 * logged) or -ENOMEM.
 */
ISST_API int isst_open_machine(struct isst_machine *machine, const struct isst_options *options,
			       struct isst_context **context);

/** Closes a machine that was not passed to isst_open_machine(). */
ISST_API void isst_machine_free(struct isst_machine *machine);

/**
 * Closes a context, frees its domains, CPUs and texts, and releases the lock. Changes, journals and
 * explanations must be freed before, and must neither be used nor freed afterwards; a change that
 * is held even so is rolled back, as by isst_change_abandon(), and if that fails, the error is
 * logged. Targets and results may be freed later; the domains and CPUs of results must not be used
 * then.
 */
ISST_API void isst_close(struct isst_context *context);

/* ---- Messages ---- */

/** What messages are about, mostly warnings of changes; later versions may add more.
 * docs/json-v2.md describes each. */
enum isst_message_code {
	ISST_MESSAGE_LEFT_OUT = 1,
	ISST_MESSAGE_CPUS_LEFT_OUT = 2,
	ISST_MESSAGE_NOTHING_TO_DISABLE = 3,
	ISST_MESSAGE_CLIPPED = 4,
	ISST_MESSAGE_RESULT_UNKNOWN = 5,
	ISST_MESSAGE_FEATURES_DISABLED = 6,
	ISST_MESSAGE_FEATURES_CHECKED_LATER = 7,
	ISST_MESSAGE_NEEDED_BY_FEATURE = 8,
	ISST_MESSAGE_TURBO_FREQ_WITHOUT_CORE_POWER = 9,
	ISST_MESSAGE_BUCKET_OVERFULL = 10,
	ISST_MESSAGE_HIGH_PRIORITY_LOST = 11,
	ISST_MESSAGE_NO_HIGH_PRIORITY_CPUS = 12,
	ISST_MESSAGE_CLOS_MAX_ZERO = 13,
	ISST_MESSAGE_CLOS_MIN_TOO_HIGH = 14,
	ISST_MESSAGE_CLOS_SETTINGS_KEPT = 15,
	ISST_MESSAGE_TURBO_RATIO_LIMITS_KEPT = 16,
	ISST_MESSAGE_TURBO_RATIO_LIMITS_LOW = 17,
	ISST_MESSAGE_FORMER_LIMITS_MAY_RETURN = 18,
	ISST_MESSAGE_SCALING_LIMIT = 19,
	ISST_MESSAGE_SCALING_LIMIT_REPLACED = 20,
	ISST_MESSAGE_CPUFREQ_INTERFERES = 21,
	ISST_MESSAGE_GOVERNOR = 22,
	ISST_MESSAGE_HWP_OFF = 23,
	ISST_MESSAGE_UNCORE_LIMITS_KEPT = 24,
	ISST_MESSAGE_CPUS_STAY_OFFLINE = 25,
	ISST_MESSAGE_CPU_ISOLATED = 26,
	ISST_MESSAGE_PARTITION_KEPT = 27,
	ISST_MESSAGE_PARTITIONS_UNAVAILABLE = 28,
	ISST_MESSAGE_CHANGED_SINCE = 29,
	ISST_MESSAGE_NO_SAVED_SETTINGS = 30,
	ISST_MESSAGE_SAVED_FOR_OTHER_LEVEL = 31,
	ISST_MESSAGE_SAVED_LIMITS_KEPT = 32,
	ISST_MESSAGE_SETTINGS_NOT_SAVED = 33,
	ISST_MESSAGE_SAVED_SETTINGS_LOST = 34,
	ISST_MESSAGE_SAVED_SETTINGS_REMAIN = 35,
	ISST_MESSAGE_IRREVERSIBLE = 36,
	ISST_MESSAGE_OUT_OF_REACH = 37,
	ISST_MESSAGE_BOOT_STATE = 38,
	ISST_MESSAGE_JOURNAL_KEPT = 39,
	ISST_MESSAGE_REDISCOVERY_FAILED = 40,
	ISST_MESSAGE_LOST_OVER_SUSPEND = 41,
	ISST_MESSAGE_WRITTEN_BACK = 42,
	ISST_MESSAGE_CPUSETS_LOSE_CPUS = 43,
	ISST_MESSAGE_TURBO_DISABLED = 44,
	ISST_MESSAGE_STATEMENT_SKIPPED = 45, /* see isst_config_skipped_at() */
	ISST_MESSAGE_PART_LEFT_OUT = 46,     /* see isst_left_out_at() */
	ISST_MESSAGE_PART_OFFLINE = 47	     /* see isst_offline_part_at() */
};

/** The number of a code (enum isst_message_code) at a position of the library's table; 0 past the
 * last one. */
ISST_API int isst_message_code_at(size_t index);

/** The name of a code: `clipped`; NULL if there is no such code. */
ISST_API const char *isst_message_code_name(int code);

/*
 * A message is a text for users, with what programs need of it. It belongs to the object that it
 * was obtained from, and lasts as long as that, unless documented otherwise; its domain lasts as
 * long as the context.
 */

/** The text of a message. */
ISST_API const char *isst_message_text(const struct isst_message *message);

/** What it is about (enum isst_message_code); 0: it has only its text. */
ISST_API int isst_message_code(const struct isst_message *message);

/** How severe it is: ISST_LOG_ERROR, ISST_LOG_WARNING or ISST_LOG_NOTICE. */
ISST_API int isst_message_level(const struct isst_message *message);

/** The error that it explains, a negative errno; 0 if none. */
ISST_API int isst_message_error(const struct isst_message *message);

/** The domain that it is about, which belongs to the context; NULL: none or several. */
ISST_API const struct isst_domain *isst_message_domain(const struct isst_message *message);

/** The package that it is about. Returns 0, or -ENODATA with *package 0 (none or several). */
ISST_API int isst_message_package(const struct isst_message *message, unsigned int *package);

/** The CPUs that it is about; NULL: none in particular. */
ISST_API const struct isst_cpuset *isst_message_cpus(const struct isst_message *message);

/* ---- Messages and notices of a context ---- */

/** The message of the last call on this context, or on an object that was made with it, that can
 * fail; "" if it succeeded. Valid until the next call that fails. */
ISST_API const char *isst_error(const struct isst_context *context);

/** The same with its error and its place; NULL if there is none. */
ISST_API const struct isst_message *isst_error_message(const struct isst_context *context);

/**
 * A notice of the last discovery, or of a call of isst_config_...() since, which is not an error,
 * such as an implausible CPU number reported by the driver, or a rollback. NULL past the last one.
 */
ISST_API const struct isst_message *isst_notice_at(const struct isst_context *context,
						   size_t index);

/**
 * An online part of the machine that discovery left out (ISST_MESSAGE_PART_LEFT_OUT): a package
 * whose power domains the driver does not provide, or CPUs whose domain or core is unknown. Calls
 * for all domains or cores do not cover it. NULL past the last one.
 */
ISST_API const struct isst_message *isst_left_out_at(const struct isst_context *context,
						     size_t index);

/**
 * A part of the machine without an online CPU (ISST_MESSAGE_PART_OFFLINE), as far as known: a
 * package, or a die. It has no domain, so that calls for all domains do not cover it. NULL past the
 * last one.
 */
ISST_API const struct isst_message *isst_offline_part_at(const struct isst_context *context,
							 size_t index);

/* ---- Discovery of the machine ---- */

/**
 * Discovers the machine: driver, packages, dies, power domains, cores and CPUs. Called before most
 * other functions. Under the lock (isst_lock()) it first rolls back the change of an interrupted
 * process, if there is one.
 *
 * Called again, it discovers the topology again: after CPUs went on- or offline, or after
 * isst_lock(); isst_change_run() does this itself after taking CPUs on- or offline. Domains, CPUs
 * and sets of the context keep their addresses and contain the new state; the index of a domain may
 * change. A domain that no longer exists has no CPUs, and is refused with -ESTALE, as is such a
 * CPU. Results do not change. If discovery itself fails, the previous state remains.
 *
 * Returns 0, -EOPNOTSUPP (no driver, no transport, unknown API version), -EPERM (the device cannot
 * be opened) or -EIO (a malformed file of the kernel). Errors of the rollback:
 * -ISST_ERR_JOURNAL (an administrator has to decide, or CPUs have to come online first), -EIO (the
 * journal cannot be read or removed), -EPERM, -EAGAIN or -ISST_ERR_ROLLBACK (it is incomplete); the
 * journal is then kept, and a context that was not discovered before remains so.
 */
ISST_API int isst_discover(struct isst_context *context);

/**
 * Waits until the driver has its transports: at boot modules are loaded one by one, and the device
 * may exist before them. Call it before isst_discover(), which keeps the device open: an open
 * device keeps modules from registering. Returns at once where no driver is needed
 * (ISST_FACT_PRESET).
 *
 * @flags: 0
 * Returns 0, -EOPNOTSUPP (there was no driver in that time, or one without all of its transports; a
 * discovery may find what there is), -EPERM, -EIO, -EINTR (interrupted, see
 * isst_options_set_interrupted()) or -EINVAL (already discovered, or the lock is held).
 */
ISST_API int isst_wait_for_driver(struct isst_context *context, unsigned int timeout_ms,
				  unsigned int flags);

/**
 * Whether other CPUs are online or present than at the last discovery: then isst_discover() finds
 * something new. Reads two files. For programs that watch a machine.
 *
 * Returns 1, 0, -EINVAL, -EPERM or -EIO.
 */
ISST_API int isst_cpus_changed(struct isst_context *context);

/**
 * Closes the driver's device until a call needs it, which opens it again. While a process has the
 * device open, modules of the driver can be neither unloaded nor bound to devices: a program that
 * keeps a context calls this before it waits, for a timer or a user. The device stays open where
 * the process could not open it again, because it dropped privileges. If the driver is unloaded
 * meanwhile, calls fail with -ENODEV, until it is loaded again.
 *
 * Returns 0 or -EINVAL. Since 0.1.
 */
ISST_API int isst_close_device(struct isst_context *context);

/* ---- Identity and properties of the platform ---- */

/** The name of an emulated machine, also before discovery; NULL on a real one. */
ISST_API const char *isst_platform_emulated_name(const struct isst_context *context);

/**
 * The name of the processor, such as `Intel(R) Xeon(R) 6980P`: the first `model name` of
 * /proc/cpuinfo, which is read at each call. Works before discovery. NULL if the kernel reports
 * none (errno is then 0), or it cannot be read (errno has why). It belongs to the context.
 */
ISST_API const char *isst_platform_name(struct isst_context *context);

/** Facts about a platform. */
enum isst_fact {
	ISST_FACT_INTEL = 1,   /* an Intel processor */
	ISST_FACT_MAILBOX = 2, /* the driver provides the mailbox; after discovery */
	ISST_FACT_MMIO = 3,    /* the driver provides registers; after discovery */
	/** The BIOS has configured SST-BF permanently, and no other feature is available (Cascade
	 * Lake-N). cpufreq shows the base frequencies; there is no driver. */
	ISST_FACT_PRESET = 4,
	/** Packages consist of power domains that the firmware controls separately (API version 2
	 * and later); some have no CPUs. After discovery. */
	ISST_FACT_POWER_DOMAINS = 5,
	/** A CLOS has an energy preference and a weight. */
	ISST_FACT_CLOS_WEIGHT = 6,
	/** The energy preference of a CLOS has an effect; after discovery. */
	ISST_FACT_CLOS_EPP = 7,
	/** Core-power supports proportional priority, not only ordered priority. */
	ISST_FACT_PROPORTIONAL_PRIORITY = 8,
	/** TRL types are numbered (level-0, level-1, ...) instead of named after instruction sets;
	 * after discovery. */
	ISST_FACT_TRL_TYPES_ARE_LEVELS = 9,
	/** The kernel or the BIOS has disabled turbo for all CPUs (intel_pstate/no_turbo). */
	ISST_FACT_TURBO_DISABLED = 10,
	/** A CLOS has a desired frequency; after discovery. */
	ISST_FACT_CLOS_DESIRED = 11,
	/** What the firmware counts as a core is a module of several cores (E-cores): buckets and
	 * high priority cores are numbers of modules; after discovery. */
	ISST_FACT_COUNTS_MODULES = 12,
	/** This context has rolled back what an interrupted run had left: isst_discover() under the
	 * lock. */
	ISST_FACT_RECOVERED = 13,
	/** The limit of intel_pstate for all CPUs, in percent of the highest frequency. */
	ISST_FACT_MAX_PERF_PCT = 14,
	/** The identity of the CPU; known before discovery. */
	ISST_FACT_FAMILY = 15,
	ISST_FACT_MODEL = 16,
	ISST_FACT_STEPPING = 17,
	/** Versions that the driver reports; 0 before discovery and without a driver. */
	ISST_FACT_API_VERSION = 18,
	ISST_FACT_DRIVER_VERSION = 19,
	/** The number of turbo ratio limit (TRL) types that can have a name; 0 before discovery. */
	ISST_FACT_TRL_TYPES = 20,
	/** The width of CPU masks: the highest possible CPU number plus 1, rounded up to a multiple
	 * of 32; 0 before discovery. */
	ISST_FACT_MASK_BITS = 21,
	/** The number of CLOS. */
	ISST_FACT_CLOS_COUNT = 22,
	/** The number of packages, also of those without an online CPU; -ENODATA: not known, as
	 * CPUs that were not seen online since boot may be further ones. */
	ISST_FACT_PACKAGES = 23,
	/** The number of packages with an online CPU; 0 before discovery. */
	ISST_FACT_ONLINE_PACKAGES = 24
};

/** Whether a fact (enum isst_fact) is true, or its number. Works before discovery; ISST_FACT_PRESET
 * may then read files of the kernel. ISST_FACT_TURBO_DISABLED and those of percentages read one at
 * each call. Returns 1 or 0, the number, or a negative error: -EINVAL: the library does not know
 * this fact; -ENODATA: the kernel has no such file; of facts that read one also the error of the
 * file. */
ISST_API int isst_platform_fact(struct isst_context *context, int fact);

/** The name of a TRL type, which is the row of turbo limits: sse, avx2, avx512, amx, or level-0,
 * level-1, ...; NULL if the machine has no such type. */
ISST_API const char *isst_trl_type_name(const struct isst_context *context, unsigned int type);

/* ---- Power domains ---- */

/*
 * A power domain is what the firmware controls as a unit: on mailbox platforms a die; on TPMI
 * platforms (API version 2 and later) a part of a package. Some power domains (of I/O dies) have no
 * CPUs.
 */

/** The number of domains: those with an online CPU and, on TPMI platforms, all others that the
 * firmware controls. 0 before discovery. */
ISST_API size_t isst_domain_count(const struct isst_context *context);

/** A domain by its position, ordered by package, die (unknown ones last) and number; NULL past the
 * last one. */
ISST_API const struct isst_domain *isst_domain_at(const struct isst_context *context, size_t index);

/** The domain of a package that isst_domain_number() numbers so, or that has this die on mailbox
 * platforms; NULL if there is none. */
ISST_API const struct isst_domain *isst_domain_by_number(const struct isst_context *context,
							 unsigned int package, unsigned int number);

/** The name in messages: `package 0, die 0`, `package 0, power domain 1`. */
ISST_API const char *isst_domain_name(const struct isst_domain *domain);

/** The position in the order of isst_domain_at(). */
ISST_API size_t isst_domain_index(const struct isst_domain *domain);

/** The physical package id of the kernel; ids need not be consecutive. */
ISST_API unsigned int isst_domain_package(const struct isst_domain *domain);

/** The die id of the kernel. Returns 0, or -ENODATA with *die 0: a domain without online CPUs whose
 * die is unknown. */
ISST_API int isst_domain_die(const struct isst_domain *domain, unsigned int *die);

/** The number of the domain in its package, as the firmware counts; 0 on mailbox platforms. */
ISST_API unsigned int isst_domain_number(const struct isst_domain *domain);

/** The CPUs of a domain, including known offline ones; and the online ones. */
ISST_API const struct isst_cpuset *isst_domain_present_cpus(const struct isst_domain *domain);
ISST_API const struct isst_cpuset *isst_domain_online_cpus(const struct isst_domain *domain);

/** Whether all CPUs of the domain are known. False if CPUs whose domain is unknown may belong to
 * it: they have not been online since boot, or the driver does not know them. */
ISST_API bool isst_domain_is_complete(const struct isst_domain *domain);

/** Whether the domain is known to have no CPUs, neither on- nor offline: an I/O die. False if
 * isst_domain_is_complete() is, and for a domain that no longer exists. */
ISST_API bool isst_domain_is_io(const struct isst_domain *domain);

/* ---- CPUs ---- */

/** A CPU by its number; NULL if it does not exist, or its location is unknown because it has not
 * been online since boot. */
ISST_API const struct isst_cpu *isst_cpu_by_number(const struct isst_context *context,
						   unsigned int number);

/** The number of a CPU, as the kernel counts, and its domain. */
ISST_API unsigned int isst_cpu_number(const struct isst_cpu *cpu);
ISST_API const struct isst_domain *isst_cpu_domain(const struct isst_cpu *cpu);

/** The number of its core in the domain, as the firmware counts. Returns 0, or -ENODATA with *core
 * 0 if the driver reported none or an implausible one. */
ISST_API int isst_cpu_core(const struct isst_cpu *cpu, unsigned int *core);

/**
 * Finds the CPUs of the module that a CPU is in: cores that share a level 2 cache, which the
 * firmware counts as one core. Reads two files of the kernel for this CPU
 * (topology/cluster_cpus_list, thread_siblings_list).
 *
 * @flags: 0
 * @cpus: set to the CPUs of the module that are online, which the caller frees; NULL on error
 * Returns 0, -ENODATA (its core is no part of a module, or the kernel does not report modules),
 * -EOPNOTSUPP (the CPU is offline), -ESTALE, -EINVAL, -EPERM or -EIO.
 */
ISST_API int isst_cpus_of_module(struct isst_context *context, const struct isst_cpu *cpu,
				 unsigned int flags, struct isst_cpuset **cpus);

/** All present CPUs, and all online ones; NULL before discovery. */
ISST_API const struct isst_cpuset *isst_present_cpus(const struct isst_context *context);
ISST_API const struct isst_cpuset *isst_online_cpus(const struct isst_context *context);

/* ---- CPUs by name ---- */

/**
 * Whether a text is the name of CPUs:
 *  clos:N         those whose core is in CLOS N, 0 to 3
 *  high-priority  those whose core has high priority in SST-TF: CLOS 0 or 1, while SST-TF and
 *                 core-power are on
 *  package:N      those of a package
 *  domain:P.D     those of power domain D of package P; on mailbox platforms of die D
 *  node:N         those of a NUMA node
 *  isolated       those that the kernel isolates: isolcpus, and isolated partitions of cgroup v2
 * Newer versions may know more. Requires no machine.
 */
ISST_API bool isst_cpus_is_name(const char *name);

/**
 * Finds the CPUs that have a name at present, as far as they are online.
 *
 * @flags: 0
 * @cpus: set to the CPUs, which the caller frees; NULL on error
 * Returns 0, also if no CPU has the name at present: *@cpus is then empty; -EINVAL (not a name),
 * -EOPNOTSUPP (the machine has no such package, domain, node, or classes), -EPERM or -EIO (it
 * cannot be read).
 */
ISST_API int isst_cpus_by_name(struct isst_context *context, const char *name, unsigned int flags,
			       struct isst_cpuset **cpus);

/* ---- Targets of calls ---- */

/*
 * Targets of a call: a set of domains, or a set of CPUs. Results have the order of the targets:
 * domains as they were added, CPUs by number. Adding a target twice has no effect. A call for
 * domains accepts CPUs, and is then for their domains; a call for CPUs does not accept domains
 * (-EINVAL).
 */

/** Creates an empty set for calls on this context; NULL if out of memory. */
ISST_API struct isst_targets *isst_targets_new(struct isst_context *context);
ISST_API void isst_targets_free(struct isst_targets *targets);

/** Adds a domain. Returns 0, -EINVAL (NULL, a domain of another context, or @targets contains CPUs)
 * or -ESTALE. */
ISST_API int isst_targets_add_domain(struct isst_targets *targets,
				     const struct isst_domain *domain);

/** Only domains with an online CPU. */
#define ISST_TARGETS_WITH_CPUS 1U

/** Adds all domains, in their order. @flags: 0 or ISST_TARGETS_WITH_CPUS. Returns 0 or -EINVAL
 * (@targets contains CPUs). */
ISST_API int isst_targets_add_all_domains(struct isst_targets *targets, unsigned int flags);

/** Adds CPUs. Returns 0, -EOPNOTSUPP (isst_cpu_by_number() does not find one of them; none is
 * added) or -EINVAL (@targets contains domains). */
ISST_API int isst_targets_add_cpus(struct isst_targets *targets, const struct isst_cpuset *cpus);

/* ---- Values of results and requests ---- */

/*
 * Results contain values, and requests select or set them, by number. isst_value_at() enumerates
 * all values that the library knows at run time, including those that are newer than this header.
 */
enum isst_value_id {
	/* What a result is about; also in requests */
	ISST_VALUE_LEVEL = 1, /* a performance level */
	ISST_VALUE_CLOS = 2,  /* a class of service: 0 to 3 */

	/* The summary of performance levels (SST-PP) of a domain: mailbox 0x7f/0x00 */
	ISST_VALUE_VERSION = 10,       /* of the summary, as the firmware counts */
	ISST_VALUE_HIGHEST_LEVEL = 11, /* number of the last level */
	ISST_VALUE_LEVEL_MASK =
		12, /* bit n: level n exists; -ENODATA: all up to the highest, as a rule */
	ISST_VALUE_CURRENT_LEVEL = 13, /* the level in use */
	ISST_VALUE_LOCKED = 14,	       /* 1: the BIOS does not permit another level */
	ISST_VALUE_ENABLED = 15,       /* 0: only level 0 can be used */

	/* A performance level: features (enum isst_feature_state). Mailbox 0x7f/0x01, 0x94/0x03 */
	ISST_VALUE_TURBO_FREQ_STATE = 20, /* SST-TF */
	ISST_VALUE_BASE_FREQ_STATE = 21,  /* SST-BF */
	ISST_VALUE_CORE_POWER_STATE = 22, /* SST-CP */

	/* A performance level: properties. Mailbox 0x7f/0x03 to 0x7f/0x0c */
	ISST_VALUE_CPUS = 30, /* CPUs that the level enables */
	/* The same as core numbers of the firmware: bit n of column c is core 64 * c + n */
	ISST_VALUE_CORES = 31,
	ISST_VALUE_TDP_RATIO = 32,     /* the ratio of 100 MHz that the TDP is for */
	ISST_VALUE_BASE_MHZ = 33,      /* the base frequency */
	ISST_VALUE_BASE_AVX2_MHZ = 34, /* the same with AVX2, AVX-512, AMX instructions */
	ISST_VALUE_BASE_AVX512_MHZ = 35,
	ISST_VALUE_BASE_AMX_MHZ = 36,
	ISST_VALUE_FABRIC_BASE_MHZ = 37, /* a row for each fabric of the uncore */
	ISST_VALUE_FABRIC_MIN_MHZ = 38,	 /* its range, also by fabric */
	ISST_VALUE_FABRIC_MAX_MHZ = 39,
	ISST_VALUE_MEMORY_MHZ = 40,   /* the maximum of the memory */
	ISST_VALUE_COOLING_TYPE = 41, /* a number of the firmware */
	ISST_VALUE_TDP_W = 42,	      /* thermal design power */
	ISST_VALUE_TJUNCTION_C = 43,  /* the temperature limit */
	ISST_VALUE_TURBO_LIMIT_CORES =
		44, /* rows are TRL types, columns buckets: up to so many cores */
	ISST_VALUE_TURBO_LIMIT_MHZ = 45, /* can reach this frequency */

	/* SST-BF at a performance level that supports it. Mailbox 0x7f/0x20 to 0x7f/0x23 */
	ISST_VALUE_BASE_FREQ_HIGH_CPUS = 60,   /* CPUs of the high priority cores */
	ISST_VALUE_BASE_FREQ_HIGH_MHZ = 61,    /* the base frequency of these */
	ISST_VALUE_BASE_FREQ_LOW_MHZ = 62,     /* and of all other cores */
	ISST_VALUE_BASE_FREQ_TJUNCTION_C = 63, /* the temperature limit with SST-BF on */
	ISST_VALUE_BASE_FREQ_TDP_W = 64,       /* the design power with SST-BF on */

	/* SST-TF at a performance level that supports it. Mailbox 0x7f/0x10 to 0x7f/0x12 */
	ISST_VALUE_TURBO_FREQ_BUCKETS = 70,    /* how many there are */
	ISST_VALUE_TURBO_FREQ_HIGH_CORES = 71, /* columns are buckets: up to so many cores */
	ISST_VALUE_TURBO_FREQ_HIGH_MHZ = 72,   /* rows are TRL types, columns buckets */
	ISST_VALUE_TURBO_FREQ_CLIP_MHZ = 73,   /* rows are TRL types: of low priority cores */

	/* Core-power (SST-CP). Mailbox 0x94/0x03 and 0xd0/0x02 */
	ISST_VALUE_CORE_POWER_SUPPORTED = 80, /* the machine has it */
	ISST_VALUE_CORE_POWER_ENABLED = 81,   /* it is on */
	ISST_VALUE_CLOS_ENABLED = 82,	      /* whether CLOS are in use */
	ISST_VALUE_PRIORITY = 83,	      /* enum isst_priority; also in requests */
	/* Whether limits and priorities of CLOS hold (enum isst_feature_state): with core-power
	 * and, where power domains are reached by TPMI, also with SST-TF at the current level. That
	 * was measured on Granite Rapids servers; elsewhere with SST-TF alone it is not known. */
	ISST_VALUE_CLOS_IN_FORCE = 84,

	/* The configuration of a CLOS; also in requests. MMIO 0x08 + 4 x CLOS */
	ISST_VALUE_CLOS_EPP = 90,    /* energy preference, 0 to 15 */
	ISST_VALUE_CLOS_WEIGHT = 91, /* of proportional priority, 0 to 15 */
	ISST_VALUE_CLOS_MIN_MHZ = 92,
	ISST_VALUE_CLOS_MAX_MHZ = 93,	  /* ISST_CLOS_NO_LIMIT_MHZ: no limit */
	ISST_VALUE_CLOS_DESIRED_MHZ = 94, /* the frequency that it asks for, where there is one */

	/* The turbo ratio limits in force (MSR 0x1ad): eight ratios of 100 MHz, bucket 0 in the
	 * lowest byte; also in requests */
	ISST_VALUE_TURBO_RATIO_LIMITS = 100,

	/* In requests only */
	/* CPUs whose cores get high priority in SST-TF, with their siblings */
	ISST_VALUE_HIGH_PRIORITY_CPUS = 110,
	/* How many cores isst_choose_high_priority_cpus() chooses: of all targets, of each package,
	 * or as many as a bucket of SST-TF holds in each package */
	ISST_VALUE_HIGH_PRIORITY_CORES = 111,
	ISST_VALUE_HIGH_PRIORITY_CORES_PER_PACKAGE = 112,
	ISST_VALUE_HIGH_PRIORITY_BUCKET = 113,
	/* Only cores with all their CPUs in the first set, and none in the second one */
	ISST_VALUE_WITHIN_CPUS = 114,
	ISST_VALUE_AVOID_CPUS = 115,

	/* Limits of the uncore, a row for each fabric: those that were set, and those of boot.
	 * -ENODATA: as at boot, or the kernel has no such fabric */
	ISST_VALUE_UNCORE_MIN_MHZ = 120,
	ISST_VALUE_UNCORE_MAX_MHZ = 121,
	ISST_VALUE_UNCORE_INITIAL_MIN_MHZ = 122,
	ISST_VALUE_UNCORE_INITIAL_MAX_MHZ = 123,

	/* Limits of cpufreq of a CPU: those that were set (-ENODATA: none but the processor's), and
	 * the lowest and highest frequency of the processor */
	ISST_VALUE_SCALING_MIN_MHZ = 130,
	ISST_VALUE_SCALING_MAX_MHZ = 131,
	ISST_VALUE_PROCESSOR_MIN_MHZ = 132,
	ISST_VALUE_PROCESSOR_MAX_MHZ = 133,

	/* What a CPU runs at, and what has limited it: bit n is enum isst_limit_reason n */
	ISST_VALUE_CURRENT_MHZ = 140,
	ISST_VALUE_LIMIT_REASONS = 141,

	/* What a package draws on average (-ENODATA: not measured), and its limit: the lower of the
	 * long-term and the short-term one */
	ISST_VALUE_POWER_MW = 142,
	ISST_VALUE_POWER_LIMIT_MW = 143
};

/** Performance limit reasons of the hardware: the coarse words of the kernel. */
enum isst_limit_reason {
	ISST_LIMIT_FREQUENCY = 0, /* the turbo frequency for so many active cores */
	ISST_LIMIT_CURRENT = 1,
	ISST_LIMIT_POWER = 2,
	ISST_LIMIT_THERMAL = 3,
	ISST_LIMIT_PLATFORM = 4,
	ISST_LIMIT_MCP = 5,
	ISST_LIMIT_RAS = 6,
	ISST_LIMIT_MISC = 7,
	ISST_LIMIT_QOS = 8, /* a CLOS */
	ISST_LIMIT_DFC = 9,
	ISST_LIMIT_OTHER = 10 /* a word that the library does not know */
};

enum isst_feature_state {
	ISST_FEATURE_UNKNOWN = 0, /* could not be read: such a value is -EIO */
	ISST_FEATURE_UNSUPPORTED = 1,
	ISST_FEATURE_DISABLED = 2,
	ISST_FEATURE_ENABLED = 3
};

enum isst_priority { ISST_PRIORITY_PROPORTIONAL = 0, ISST_PRIORITY_ORDERED = 1 };

/** ISST_VALUE_CLOS_MAX_MHZ without a limit. */
#define ISST_CLOS_NO_LIMIT_MHZ 25500

enum isst_type {
	ISST_TYPE_NUMBER = 1,
	ISST_TYPE_FLAG = 2,	     /* 0 or 1 */
	ISST_TYPE_FEATURE_STATE = 3, /* enum isst_feature_state */
	ISST_TYPE_PRIORITY = 4,	     /* enum isst_priority */
	ISST_TYPE_BITS = 5,	     /* 64 bits, see isst_result_bits() */
	ISST_TYPE_CPUS = 6	     /* a set of CPUs, see isst_result_cpus() */
};

/** The number of the value at a position of the library's table; 0 past the last one. */
ISST_API int isst_value_at(size_t index);

/** The name of a value; NULL if there is no such value. */
ISST_API const char *isst_value_name(int id);

/** The unit of a value: `MHz`, `W`, `C`, or "" for none; NULL if there is no such value. */
ISST_API const char *isst_value_unit(int id);

/** The type of a value, enum isst_type; 0 if there is no such value. */
ISST_API int isst_value_type(int id);

/** The word of a reason (enum isst_limit_reason), such as `POWER`; NULL if there is no such reason.
 */
ISST_API const char *isst_limit_reason_name(int reason);

/* ---- Results of calls ---- */

/*
 * A call for a set of targets returns one or more results for each. Results are copies: they do not
 * change with the machine, and remain valid after isst_close().
 */

/** Frees results, and counts them. */
ISST_API void isst_results_free(struct isst_results *results);
ISST_API size_t isst_results_count(const struct isst_results *results);

/** A result, in the order of the targets; NULL past the last one. */
ISST_API const struct isst_result *isst_results_at(const struct isst_results *results,
						   size_t index);

/** The result of a CPU, of a call for CPUs; NULL if there is none. */
ISST_API const struct isst_result *isst_results_by_cpu(const struct isst_results *results,
						       unsigned int cpu);

/** The position of the result's target; for a call for domains that was given CPUs, among their
 * domains. */
ISST_API size_t isst_result_target(const struct isst_result *result);

/** The domain and the CPU of a result, which belong to the context. The CPU is NULL if the result
 * is for a domain. */
ISST_API const struct isst_domain *isst_result_domain(const struct isst_result *result);
ISST_API const struct isst_cpu *isst_result_cpu(const struct isst_result *result);

/** Parts of a result that are read separately. Each has an error of its own. */
enum isst_part {
	ISST_PART_RESULT = 0,	    /* everything else */
	ISST_PART_PERF_PROFILE = 1, /* ISST_READ_LEVELS: the summary of levels */
	ISST_PART_BASE_FREQ = 2,    /* ISST_READ_LEVELS: SST-BF */
	ISST_PART_TURBO_FREQ = 3,   /* ISST_READ_LEVELS: SST-TF */
	/* ISST_READ_CORE_POWER: CLOS and priority; does not count as failure of the result */
	ISST_PART_CLOS = 4
};

/** The error of a part (enum isst_part): 0, or a negative errno; -EINVAL for a part that the
 * library does not know. Values of the part that were read are available all the same. */
ISST_API int isst_result_error(const struct isst_result *result, int part);

/** The message of the first error of a part; NULL if there is none. */
ISST_API const char *isst_result_message(const struct isst_result *result, int part);

/** The number of further errors of a part. */
ISST_API unsigned int isst_result_more_errors(const struct isst_result *result, int part);

/**
 * A value of type number, flag, feature state or priority.
 *
 * @value: set to the value, or 0 on error
 * Returns 0, -ENODATA (the machine has no such value), -EIO (it could not be read; see
 * isst_result_error()) or -EINVAL (the results of this call do not contain the value, or it has
 * another type).
 */
ISST_API int isst_result_value(const struct isst_result *result, int id, unsigned int *value);

/** The number of rows and columns of a value, 1 and 1 for a simple one; each pointer may be NULL.
 * Newer versions may have more. Returns 0, or -EINVAL with 0 and 0. */
ISST_API int isst_result_extent(const struct isst_result *result, int id, unsigned int *rows,
				unsigned int *columns);

/** The value in a row and column, from 0. Returns as isst_result_value(); -ENODATA also if there is
 * no such row or column. */
ISST_API int isst_result_value_at(const struct isst_result *result, int id, unsigned int row,
				  unsigned int column, unsigned int *value);

/** As isst_result_value_at(), also for values of type bits. Returns as that, and -EOVERFLOW (the
 * bits are more than 64). */
ISST_API int isst_result_bits(const struct isst_result *result, int id, unsigned int row,
			      unsigned int column, uint64_t *bits);

/** A set of CPUs, which belongs to the results. Returns as isst_result_value(); on error *cpus is
 * NULL. */
ISST_API int isst_result_cpus(const struct isst_result *result, int id,
			      const struct isst_cpuset **cpus);

/* ---- Requests of calls ---- */

/** Creates an empty request: values by number that a call selects or sets. NULL if out of memory.
 */
ISST_API struct isst_request *isst_request_new(void);
ISST_API void isst_request_free(struct isst_request *request);

/** Sets a value; CPUs are copied, and NULL is the empty set. Returns 0 or -EINVAL (not a value of
 * requests, or one of another type). */
ISST_API int isst_request_set(struct isst_request *request, int id, uint64_t value);
ISST_API int isst_request_set_cpus(struct isst_request *request, int id,
				   const struct isst_cpuset *cpus);

/* ---- Reading the machine ---- */

/** What isst_read() reads. Of each: the values of its results, and what is read for them. */
enum isst_reading {
	/** The summary of the levels of each domain (mailbox 0x7f/0x00; TPMI PERF_LEVELS):
	 * ISST_VALUE_VERSION to ISST_VALUE_ENABLED. */
	ISST_READ_PERF_PROFILES = 1,
	/**
	 * Performance levels: one result for each level of each domain, with the summary of the
	 * domain. Results of the same domain are adjacent. Request: ISST_VALUE_LEVEL for a single
	 * level; the result of a domain without this level is -EOPNOTSUPP, and the message lists
	 * the levels that exist. Flags: ISST_LEVELS_... A domain whose summary cannot be read has a
	 * single result, without level, with the error of ISST_PART_PERF_PROFILE.
	 */
	ISST_READ_LEVELS = 2,
	/** Core-power of each domain (mailbox 0x94/0x03 and 0xd0/0x02):
	 * ISST_VALUE_CORE_POWER_SUPPORTED to ISST_VALUE_PRIORITY. */
	ISST_READ_CORE_POWER = 3,
	/** CLOS configurations of each domain (MMIO 0x08 + 4 x CLOS; mailbox 0xd0/0x01 on model
	 * 0x55): one result for each CLOS. Request: ISST_VALUE_CLOS for a single one. */
	ISST_READ_CLOS = 4,
	/** The CLOS of each CPU's core (MMIO 0x20 + 4 x core; mailbox 0xd0/0x00 on model 0x55):
	 * ISST_VALUE_CLOS. */
	ISST_READ_CLOS_ASSOCIATIONS = 5,
	/** The turbo ratio limits in force of each domain (MSR 0x1ad):
	 * ISST_VALUE_TURBO_RATIO_LIMITS. */
	ISST_READ_TURBO_RATIO_LIMITS = 6,
	/** Limits of the uncore of each domain: ISST_VALUE_UNCORE_MIN_MHZ to _INITIAL_MAX_MHZ.
	 * Reads files of the kernel (intel_uncore_frequency: {min,max}_freq_khz,
	 * initial_{min,max}_freq_khz, and once which fabric clusters there are), no register.
	 * -EOPNOTSUPP: the kernel has none for the domain. */
	ISST_READ_UNCORE_LIMITS = 7,
	/** Limits of cpufreq of each CPU: ISST_VALUE_SCALING_MIN_MHZ to
	 * ISST_VALUE_PROCESSOR_MAX_MHZ. Reads four files of each (cpufreq/scaling_{min,max}_freq,
	 * cpuinfo_{min,max}_freq), and two more while turbo is off, but those of no other CPU; a
	 * program that must not touch isolated CPUs leaves them out. -EOPNOTSUPP: without cpufreq,
	 * or offline. */
	ISST_READ_SCALING_LIMITS = 8,
	/** The frequency that each CPU last ran at: ISST_VALUE_CURRENT_MHZ. Reads one file of each
	 * CPU (cpufreq/scaling_cur_freq), and no other. Older kernels interrupt the CPU for it:
	 * leave isolated and nohz_full CPUs out to keep them undisturbed, see
	 * isst_undisturbed_cpus(). An idle CPU may show the frequency that was requested last.
	 * -EOPNOTSUPP: without cpufreq, or offline. */
	ISST_READ_FREQUENCIES = 9,
	/** Why the hardware has limited the frequency of each CPU, since the reasons were last
	 * cleared: ISST_VALUE_LIMIT_REASONS. Reads one file of each power domain of the machine
	 * (debugfs, tpmi-.../plr/domainN/status: TPMI servers, Linux 6.11 and later), and disturbs
	 * no CPU. Reasons of the whole domain count for each CPU if the file has none of single
	 * CPUs. -EOPNOTSUPP: the kernel has none; -EPERM: only root may read them, and no process
	 * under kernel lockdown. */
	ISST_READ_LIMIT_REASONS = 10,
	/** The power that the package of each domain draws, or its die where the kernel counts by
	 * dies, and its limit: ISST_VALUE_POWER_MW and _POWER_LIMIT_MW. Reads files of the kernel
	 * (powercap: intel-rapl). The power is the average since the last call for the same
	 * context; the first call measures nothing, and only begins, as does one that comes so late
	 * that the kernel's counter of energy may have wrapped around twice (minutes), or after a
	 * suspend. -EOPNOTSUPP: the kernel has no zone with a limit for the domain; -EPERM: only
	 * root may read the counter; -ENODATA: the kernel would read it by the first CPU of package
	 * or die (mailbox platforms), which is isolated or nohz_full. */
	ISST_READ_POWER = 11
};

/* What ISST_READ_LEVELS reads besides the states of SST-TF and SST-BF. */
#define ISST_LEVELS_PROPERTIES 1U /* CPUs, frequencies, power */
#define ISST_LEVELS_BASE_FREQ 2U  /* SST-BF, if supported */
#define ISST_LEVELS_TURBO_FREQ 4U /* SST-TF, if supported */
#define ISST_LEVELS_ALL 7U	  /* all of these */
/* Without ISST_VALUE_LEVEL in the request: the current level of each domain instead of all. */
#define ISST_LEVELS_CURRENT 256U

/**
 * Reads for a set of targets. What is read of each CPU needs targets that are CPUs.
 *
 * @what: enum isst_reading
 * @request: the values that it lists, or NULL for none; with any other value -EINVAL
 * @flags: those that it lists, or 0
 * @results: set to the results, which the caller frees; NULL if the call failed as a whole
 * Returns 0, ISST_PARTIAL, or a negative errno: with results that of the first, if no target
 * succeeded; without results -EINVAL or -ENOMEM. For an empty set of targets it returns 0 and no
 * result.
 */
ISST_API int isst_read(struct isst_context *context, int what, const struct isst_targets *targets,
		       const struct isst_request *request, unsigned int flags,
		       struct isst_results **results);

/**
 * The CPUs that the administrator keeps free of everything but their own work: isolated ones
 * (isolcpus, or in partitions of cgroup v2), and those of nohz_full.
 *
 * @cpus: set to the CPUs, which the caller frees; NULL on error
 * Returns 0, -EPERM or -EIO.
 */
ISST_API int isst_undisturbed_cpus(struct isst_context *context, struct isst_cpuset **cpus);

/* ---- The lock of processes that change the machine ---- */

/** Does not take the lock, and does not wait: only returns -EBUSY if another process holds it. */
#define ISST_LOCK_CHECK 1U

/**
 * Takes the lock of processes that change the machine. Called before isst_discover(), or followed
 * by isst_discover(), as another process may have changed the machine before. That discovery
 * rolls back the change of an interrupted process, and adds a notice about it. The lock is held
 * until isst_unlock() or isst_close(). Works before discovery.
 *
 * @timeout_ms: how long to wait for another process; 0: not at all. A signal does not end the wait,
 * but see isst_options_set_interrupted().
 * @flags: 0 or ISST_LOCK_CHECK
 * Returns 0, -EBUSY (the message names the holder), -EINTR (interrupted), -EPERM, -EIO or -EINVAL
 * (the lock is held already).
 */
ISST_API int isst_lock(struct isst_context *context, unsigned int timeout_ms, unsigned int flags);

/**
 * Takes a purpose that one process at a time has on a machine, beside the lock and without waiting:
 * the file of that name in the runtime directory contains the number of the process, until the
 * context is closed.
 *
 * @purpose: a name of a file such as `watch-follow.pid`: NAME.pid, without a slash
 * Returns 0, -EINVAL, -EBUSY (another process has it: the message names it), -EPERM, -EIO or
 * -ENOMEM.
 */
ISST_API int isst_claim(struct isst_context *context, const char *purpose);

/**
 * Releases the lock. Changes that were planned and journals that were opened under it are refused
 * with -EINVAL from now on. Returns 0 or -EINVAL (the lock is not held, or a change is: see
 * ISST_CHANGE_HOLD).
 */
ISST_API int isst_unlock(struct isst_context *context);

/** Checks whether the process may change the machine: CAP_SYS_ADMIN in the initial user namespace.
 * Works before discovery. Returns 0, -EPERM or -EIO (the capabilities cannot be read). */
ISST_API int isst_check_privileges(struct isst_context *context);

/* ---- Options of a change ---- */

/** Creates options with the defaults; NULL if out of memory. One object can be used for any number
 * of changes. */
ISST_API struct isst_change_options *isst_change_options_new(void);
ISST_API void isst_change_options_free(struct isst_change_options *options);

/** Checks and plans everything, and writes nothing. Requires neither lock nor privileges. */
#define ISST_CHANGE_DRY_RUN 1U
/** Leaves out targets that do not support a request (-EOPNOTSUPP), unless no target remains. By
 * default any failed target prevents the change. Domains without CPUs (I/O dies) are always left
 * out if they fail and there are others. */
#define ISST_CHANGE_SKIP_UNSUPPORTED 2U
/** Leaves out all targets that fail, unless no target remains. */
#define ISST_CHANGE_SKIP_FAILED 4U
/** Isolates CPUs in cgroup v2 partitions instead of taking them offline: all, or only CPU 0. Where
 * the system has no cgroup v2 with cpusets, a change that would isolate CPUs is refused
 * (-EOPNOTSUPP), unless ISST_CHANGE_PARTITIONS_IF_SUPPORTED is set, too. */
#define ISST_CHANGE_PARTITIONS 8U
#define ISST_CHANGE_PARTITION_CPU0 16U
/** Leaves offline, with a warning, CPUs whose location is unknown because they have not been online
 * since boot. By default a level change for all domains with ISST_ADD_ONLINE brings them
 * online to find out whether the level enables them. */
#define ISST_CHANGE_LEAVE_UNKNOWN_CPUS 32U
/** The change is made and verified, and then held: it can still be rolled back, until
 * isst_change_release(). See there. */
#define ISST_CHANGE_HOLD 64U
/** Refuses the change with -EIO, before anything is written, if a rollback could not restore all of
 * it: an item that it may affect cannot be read, or the present value of a cpufreq limit is not
 * visible because turbo is disabled. The affinities of tasks and interrupts to CPUs that go offline
 * are no items: nothing restores them. */
#define ISST_CHANGE_REVERSIBLE 128U
/** With ISST_CHANGE_PARTITIONS: where there can be none, CPUs are taken offline after all, with a
 * warning. */
#define ISST_CHANGE_PARTITIONS_IF_SUPPORTED 256U

/** Sets all flags: ISST_CHANGE_... combined. Returns 0 or -EINVAL (an unknown flag). */
ISST_API int isst_change_options_set_flags(struct isst_change_options *options, unsigned int flags);

/** The name of the change in the system log and the journal (`core-power enable`); copied. NULL,
 * the default: none. Returns 0 or -ENOMEM. */
ISST_API int isst_change_options_set_command(struct isst_change_options *options,
					     const char *command);

/**
 * A function that is called with @data before a CPU is taken online (@online 1) or offline (0): the
 * @done-th of @count CPUs. NULL: none. For a CPU that is so already, @done is that of the one
 * before. It must not call the library with the same context.
 */
ISST_API void isst_change_options_set_progress(struct isst_change_options *options,
					       void (*progress)(void *data, unsigned int cpu,
								int online, unsigned int done,
								unsigned int count),
					       void *data);

/* ---- Changes of the machine ---- */

/*
 * A change consists of one or more requests, and is made as a whole: each write is recorded in the
 * journal, made and verified. If one fails, or the change is interrupted, all are rolled back.
 *
 *	isst_lock(context, 10000, 0);
 *	isst_discover(context);
 *	isst_change_new(context, options, &change);
 *	isst_change_add(change, ISST_SET_CORE_POWER, targets, NULL, ISST_ADD_ENABLE, NULL);
 *	isst_change_run(change);
 */

/**
 * Creates a change. The context must be discovered; unless it is a dry run, under the lock.
 *
 * @options: copied; NULL for the defaults
 * @change: set to the change, or NULL on error
 * Returns 0 or -EINVAL (no lock, not discovered under it, or isst_journal_keep() was called).
 */
ISST_API int isst_change_new(struct isst_context *context,
			     const struct isst_change_options *options,
			     struct isst_change **change);
/** A change that is held is rolled back first, as by isst_change_abandon(): if that fails, the
 * error is logged (isst_options_set_log()) and is that of isst_error(). */
ISST_API void isst_change_free(struct isst_change *change);

/* ---- Requests of a change ---- */

/** What isst_change_add() changes. Of each: the values of its request, and its flags. */
enum isst_setting {
	/** SST-PP: selects a performance level. Request: ISST_VALUE_LEVEL (required). Flags:
	 * ISST_ADD_ONLINE. */
	ISST_SET_LEVEL = 1,
	/** SST-BF: turns it on or off. Flags: ISST_ADD_ENABLE or ISST_ADD_DISABLE; ISST_ADD_AUTO.
	 */
	ISST_SET_BASE_FREQ = 2,
	/**
	 * SST-TF: turns it on or off. Flags: ISST_ADD_ENABLE or ISST_ADD_DISABLE; ISST_ADD_AUTO.
	 * Request: ISST_VALUE_HIGH_PRIORITY_CPUS with ISST_ADD_AUTO, by default none (-EOPNOTSUPP:
	 * a CPU that the machine does not have; -EINVAL: a CPU of no target, or other flags).
	 * ISST_VALUE_TURBO_RATIO_LIMITS, by default all bits 1 on enable, and the limits of the
	 * level on disable.
	 */
	ISST_SET_TURBO_FREQ = 3,
	/** SST-CP (core-power): turns it on or off. Request: ISST_VALUE_PRIORITY, by default
	 * unchanged (-EOPNOTSUPP: proportional, see ISST_FACT_PROPORTIONAL_PRIORITY). Flags:
	 * ISST_ADD_ENABLE or ISST_ADD_DISABLE. */
	ISST_SET_CORE_POWER = 4,
	/** Configures a CLOS. Request: ISST_VALUE_CLOS (required); at least one of
	 * ISST_VALUE_CLOS_EPP, _WEIGHT, _MIN_MHZ, _MAX_MHZ and _DESIRED_MHZ: the others stay as
	 * they are. ISST_CLOS_NO_LIMIT_MHZ is no maximum. The firmware counts in 100 MHz: other
	 * frequencies are refused with -EINVAL, and a minimum above a maximum that stays with -EIO.
	 * A preference, weight or desired frequency other than 0 that the machine does not have is
	 * -EOPNOTSUPP, see ISST_FACT_CLOS_EPP, _WEIGHT and _DESIRED. */
	ISST_SET_CLOS = 5,
	/** Associates the cores of CPUs with a CLOS. Targets: CPUs. Request: ISST_VALUE_CLOS
	 * (required). */
	ISST_SET_CLOS_ASSOCIATIONS = 6,
	/** The turbo ratio limits (MSR 0x1ad). Request: ISST_VALUE_TURBO_RATIO_LIMITS (required).
	 */
	ISST_SET_TURBO_RATIO_LIMITS = 7,
	/** Turns turbo of CPUs on or off by their cpufreq limits: off limits a CPU to its base
	 * frequency, on removes the limit. Targets: CPUs. Flags: ISST_ADD_ENABLE or
	 * ISST_ADD_DISABLE. The base frequency is that at the time of this call: after a change of
	 * the level or of SST-BF in the same change it would be another one, so these are changed
	 * before. */
	ISST_SET_TURBO_MODE = 8,
	/** Brings all present CPUs online. Targets and request are NULL, flags 0; *results is set
	 * to NULL. */
	ISST_SET_ALL_ONLINE = 9
};

/** Flags of isst_change_add(). One of the first two is required where they are listed. */
#define ISST_ADD_ENABLE 1U
#define ISST_ADD_DISABLE 2U
/** Also configures what the feature needs: CLOS, associations, core-power, cpufreq limits. */
#define ISST_ADD_AUTO 4U
/** Takes CPUs that the level does not enable offline, and brings the others online. */
#define ISST_ADD_ONLINE 8U

/**
 * Adds a request for a set of targets: checks whether all support it, and plans the writes. It
 * takes into account what the requests added before it will do to levels, features and core-power.
 * Domains of I/O dies only count if there are no others. Whether failed targets prevent the change,
 * its options decide.
 *
 * @what: enum isst_setting
 * @request: the values that it lists, or NULL for none; with any other value -EINVAL
 * @flags: those that it lists, or 0
 * @results: set to one result for each target, which the caller frees, or to NULL if the call
 * failed as a whole; may be NULL. A result has no values. Its error is why the target fails:
 * -EOPNOTSUPP (it does not support the request), -EIO (its state does not permit the change, or
 * could not be read) or -ESTALE.
 * Returns 0, ISST_PARTIAL, or a negative errno: with results that of the first, if no target
 * succeeded; without results -EINVAL (values or flags are wrong on any machine, or the change was
 * run already) or -ENOMEM.
 */
ISST_API int isst_change_add(struct isst_change *change, int what,
			     const struct isst_targets *targets, const struct isst_request *request,
			     unsigned int flags, struct isst_results **results);

/* ---- Making a change ---- */

/** Whether isst_change_run() will refuse the change: a target failed that may not be left out, or a
 * request was refused. Returns 0, or its error (-EOPNOTSUPP, -EIO, -EINVAL; -ESTALE if the target
 * no longer exists since the last discovery), see isst_error(). */
ISST_API int isst_change_check(const struct isst_change *change);

/**
 * Makes the change; in a dry run only determines the writes. Can be called once per change.
 *
 * Returns 0 (the change was made, or nothing had to be written) or ISST_PARTIAL (the same, without
 * targets that the options permit leaving out). -ISST_ERR_ROLLBACK: the change failed, and so did
 * the rollback; isst_change_difference_at() lists what differs. The journal is kept, and no other
 * change can be made until isst_journal_apply() or isst_journal_discard(). Any other negative
 * errno: the change failed, and nothing is left changed. -EINTR: it was interrupted. -EINVAL: it
 * was run before, or was planned before another change of the context or before isst_unlock(), so
 * that the values it is based on may have changed.
 */
ISST_API int isst_change_run(struct isst_change *change);

/** Whether a change that was run found everything in the requested state, and wrote nothing; of a
 * dry run, whether it would write nothing. False for a change that was not run, or failed. */
ISST_API bool isst_change_is_unchanged(const struct isst_change *change);

/** Whether a change that was made left out a domain without CPUs, because its firmware refused a
 * write although it reports the feature as supported. A warning contains the error. */
ISST_API bool isst_change_has_left_out(const struct isst_change *change,
				       const struct isst_domain *domain);

/** A warning, such as a value that firmware or kernel clipped, or limits that interfere. It belongs
 * to the change. NULL past the last one. */
ISST_API const struct isst_message *isst_change_warning_at(const struct isst_change *change,
							   size_t index);

/** A difference that remains after an incomplete rollback. It belongs to the change. NULL past the
 * last one. */
ISST_API const struct isst_message *isst_change_difference_at(const struct isst_change *change,
							      size_t index);

#ifdef __cplusplus
}
#endif

#endif
