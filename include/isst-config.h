/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst: configurations of a machine.
 *
 * A configuration states what a machine shall be, as isst-config(5) describes it. The conventions
 * are those of isst.h; what is declared here may still change until version 1.0 of the library.
 */
#ifndef ISST_CONFIG_H
#define ISST_CONFIG_H

#include "isst.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isst_config;
struct isst_config_difference;
struct isst_apply_record;

/* ---- Choosing high priority cores ---- */

/** Also chooses more cores than the last bucket of SST-TF holds: their turbo frequencies may be
 * lower than those of a bucket. */
#define ISST_CHOOSE_ALLOW_LOWER_TURBO 1U

/**
 * Chooses CPUs to get high priority, see ISST_SET_TURBO_FREQ: whole cores, with all their
 * CPUs that are online. They are spread evenly over the packages and over the power domains of a
 * package; in a power domain those with the highest frequency (cpuinfo_max_freq) come first, then
 * those with the lowest core numbers. Domains whose level has no SST-TF, and packages of which no
 * core can be chosen, take no part. Cores that the level disables are not chosen. The buckets of
 * SST-TF hold cores of a package; where its power domains have different ones, the smaller number
 * applies. Nothing is changed.
 *
 * @targets: the domains whose cores can be chosen
 * @request: one of ISST_VALUE_HIGH_PRIORITY_CORES, _CORES_PER_PACKAGE and _BUCKET (required);
 * ISST_VALUE_WITHIN_CPUS and ISST_VALUE_AVOID_CPUS, by default all and none; ISST_VALUE_LEVEL, by
 * default the current level of each domain
 * @flags: 0 or ISST_CHOOSE_ALLOW_LOWER_TURBO
 * @cpus: set to the CPUs, which the caller frees; NULL on error
 * Returns 0, -EOPNOTSUPP (no SST-TF, no such level, bucket or CPU), -EINVAL (also: fewer cores than
 * asked for, or more than the last bucket holds; the message contains how many), -ESTALE, -EIO (a
 * domain cannot be read) or -EPERM.
 */
ISST_API int isst_choose_high_priority_cpus(struct isst_context *context,
					    const struct isst_targets *targets,
					    const struct isst_request *request, unsigned int flags,
					    struct isst_cpuset **cpus);

/* ---- Configurations ---- */

/*
 * A configuration states the desired state of a machine: the statements of isst-config(5). It can
 * be compared with a machine, applied to it as one change, and read from it. Settings that it does
 * not mention are neither compared nor changed.
 */

/** Creates an empty configuration, which needs no machine; NULL if out of memory. */
ISST_API struct isst_config *isst_config_new(void);
ISST_API void isst_config_free(struct isst_config *config);

/** The text is that of a file: it begins with the line `# isst configuration 1`, and messages name
 * lines. */
#define ISST_CONFIG_ADD_FILE 1U

/**
 * Adds the statements of a text, separated by newlines. They win over those of texts that were
 * added before; of texts without ISST_CONFIG_ADD_FILE only where they are as precise.
 *
 * @name: the name of the text in messages; copied
 * @flags: 0 or ISST_CONFIG_ADD_FILE
 * Returns 0, or -EINVAL: isst_config_problem_at() names everything that is wrong with the text,
 * and nothing of it was added.
 */
ISST_API int isst_config_add_text(struct isst_config *config, const char *name, const char *text,
				  size_t size, unsigned int flags);

/** A problem that the last call with this configuration found, with the name of the text and the
 * line: `FILE:3: ...`; none if the call was refused without looking. It belongs to the
 * configuration until the next call. NULL past the last one. */
ISST_API const struct isst_message *isst_config_problem_at(const struct isst_config *config,
							   size_t index);

/** An optional statement (`?`) that the last isst_config_check() or isst_change_add_config()
 * skipped, with the reason: `FILE:3: ...`. Its error is -ENODEV (the driver of the kernel is not
 * there; it may be loaded later) or -EOPNOTSUPP (the machine does not have such a thing). It
 * belongs to the configuration until the next call. NULL past the last one. */
ISST_API const struct isst_message *isst_config_skipped_at(const struct isst_config *config,
							   size_t index);

/**
 * The configuration as the text of a file.
 *
 * @flags: 0
 * @text: set to the text, which the caller frees; NULL on error
 * Returns 0, or -ENODATA (it consists of several texts: later ones override earlier ones, so a
 * single text need not state the same). Results of isst_config_read(), isst_config_defaults() and
 * isst_config_boot() are one text.
 */
ISST_API int isst_config_to_text(const struct isst_config *config, unsigned int flags, char **text);

/* ---- Configurations of a machine ---- */

/** Everything, not only what differs from the state after boot. */
#define ISST_CONFIG_READ_ALL 1U
/** Without registers that only isolated CPUs could be asked for, which would be interrupted. */
#define ISST_CONFIG_READ_UNDISTURBED 2U

/**
 * Reads the state of the machine as a configuration, with the condition that it is for this machine
 * only. By default it contains what differs from the state after boot, as far as that was kept
 * (isst_config_boot()), else from the defaults (isst_config_defaults()). CPUs that no statement
 * describes, such as offline ones beside a partition, are unmanaged in it; a notice names their
 * domain (isst_notice_at()).
 *
 * @targets: NULL: the whole machine; else these domains. Common values may be stated for all
 * domains: compare it with these domains only, see isst_config_set_targets()
 * @config: set to the configuration, which the caller frees; NULL on error
 * Returns 0, -EINVAL or -EIO (something could not be read, or the core of no CPU is known).
 */
ISST_API int isst_config_read(struct isst_context *context, const struct isst_targets *targets,
			      unsigned int flags, struct isst_config **config);

/** Parts of isst_config_defaults(). */
#define ISST_CONFIG_CLOS 1U	    /* CLOS: min 0, no max, weight 0 */
#define ISST_CONFIG_ASSOCIATIONS 2U /* all cores in CLOS 0 */
#define ISST_CONFIG_FEATURES 4U	    /* turbo-freq, base-freq and core-power off */
#define ISST_CONFIG_LIMITS 8U /* turbo ratio limits of the level; no scaling or uncore limits */
#define ISST_CONFIG_LEVEL 16U /* the level after boot, as far as it was kept */
#define ISST_CONFIG_CPUS 32U  /* all CPUs online, none isolated */

/** Makes the configuration of the defaults. @flags: ISST_CONFIG_CLOS to ISST_CONFIG_CPUS combined;
 * 0: all. @config as for isst_config_read(). Without ISST_CONFIG_LEVEL, and where the state after
 * boot is not known (isst_notice_at() reports it), levels stay unchanged. Returns 0 or -EPERM. */
ISST_API int isst_config_defaults(struct isst_context *context, unsigned int flags,
				  struct isst_config **config);

/** The state that the first change since boot found; of CPUs that were not seen until then, what
 * the first change after they came online found. @flags: 0. @config as for isst_config_read().
 * Returns 0, -ENOENT (no change was made since boot), -EPERM or -EIO (it cannot be read, or is
 * damaged). A notice (isst_notice_at()) names each thing that could not be read when it was kept.
 */
ISST_API int isst_config_boot(struct isst_context *context, unsigned int flags,
			      struct isst_config **config);

/* ---- Comparing a machine with a configuration ---- */

/** Returned by isst_config_match(): the machine is another, and the configuration states `else
 * skip`. No other function returns this number for something else. */
#define ISST_CONFIG_SKIPPED 2

/** Whether the configuration is for this machine. @flags: 0. Returns 0, ISST_CONFIG_SKIPPED, or
 * -EOPNOTSUPP (it is not; isst_config_problem_at() contains why). A notice (isst_notice_at()) names
 * CPUs of a saved state whose cores are not known on this machine: it may be another one. Before
 * isst_discover() only family and model of the processor are compared. */
ISST_API int isst_config_match(struct isst_config *config, struct isst_context *context,
			       unsigned int flags);

/** List a difference common to several domains for each of them. */
#define ISST_CONFIG_CHECK_SEPARATELY 1U
/** Registers that only isolated CPUs could be asked for (isst_undisturbed_cpus()), which would be
 * interrupted, are not compared. */
#define ISST_CONFIG_CHECK_UNDISTURBED 2U

/**
 * From now on what the configuration states counts for some domains alone: what it states of others
 * or of CPUs of none is neither compared nor changed.
 *
 * @targets: have to be there until other ones are set, and belong to the context of each call; of
 * CPUs their domains are meant. NULL: all, as in a new configuration
 */
ISST_API void isst_config_set_targets(struct isst_config *config,
				      const struct isst_targets *targets);

/**
 * Compares a machine with a configuration. isst_config_difference_at() then returns what differs.
 * Parts that discovery left out (isst_left_out_at()) are not compared. CPUs that the kernel keeps
 * offline while SMT is off are no difference; a notice (isst_notice_at()) names them.
 *
 * @flags: ISST_CONFIG_CHECK_SEPARATELY and _UNDISTURBED combined
 * Returns 0, ISST_CONFIG_SKIPPED (nothing was compared, see isst_config_match()), or a negative
 * errno with isst_config_problem_at(): -EOPNOTSUPP (it is for another machine, or the machine does
 * not have what it mentions), -ENODEV (the kernel has no driver for it), -EIO (something could not
 * be read) or -EINVAL (it contradicts itself on this machine).
 */
ISST_API int isst_config_check(struct isst_config *config, struct isst_context *context,
			       unsigned int flags);

/** Something that differs, as isst_config_check() found it; NULL past the last one. It belongs to
 * the configuration until the next call. */
ISST_API const struct isst_config_difference *
isst_config_difference_at(const struct isst_config *config, size_t index);

/** What differs (`package 0, die 0: CLOS 2 max`, `CPUs 0-3: CLOS`), the value that was stated, the
 * present one, and where it was stated (`FILE:3`, or `FILE:3-5,8` if several lines state the same),
 * as texts. */
ISST_API const char *isst_config_difference_target(const struct isst_config_difference *difference);
ISST_API const char *isst_config_difference_wanted(const struct isst_config_difference *difference);
ISST_API const char *
isst_config_difference_present(const struct isst_config_difference *difference);
ISST_API const char *isst_config_difference_origin(const struct isst_config_difference *difference);

/** The same apart: the domain that differs (NULL: several, or CPUs of none), the CPUs that do
 * (NULL: it is no difference of CPUs), and what differs: the end of its text (`CLOS 2 max`,
 * `CPUs`). The domain belongs to the context, the rest to the configuration. */
ISST_API const struct isst_domain *
isst_config_difference_domain(const struct isst_config_difference *difference);
ISST_API const struct isst_cpuset *
isst_config_difference_cpus(const struct isst_config_difference *difference);
ISST_API const char *
isst_config_difference_subject(const struct isst_config_difference *difference);

/** The CPUs that isst_config_check() or isst_change_add_config() chose for `high-priority`; NULL if
 * none were asked for. They belong to the configuration until the next call. */
ISST_API const struct isst_cpuset *isst_config_high_priority_cpus(const struct isst_config *config);

/* ---- Applying a configuration ---- */

/**
 * Adds all statements of a configuration, in the order that the hardware requires. The plan starts
 * from the present state: other requests can be added after it, but not before. If the kernel or
 * the firmware changes a stated value, isst_change_run() fails with -EIO.
 *
 * @flags: 0
 * Returns as isst_config_check(), also if the state of the machine forbids what is stated (-EIO),
 * and -EINVAL if the change has requests already.
 */
ISST_API int isst_change_add_config(struct isst_change *change, struct isst_config *config,
				    unsigned int flags);

/**
 * Stores in the runtime directory that a configuration was applied just now, or that this failed:
 * a program that applies one calls this after isst_change_run(). The record lasts until the next
 * one, or until the machine is started again. It identifies the configuration by the SHA-256 of
 * its texts.
 *
 * @config: NULL: the machine was reset, which ends the record, and what `enable --auto` of features
 * saved
 * @error: what isst_change_run() returned; the run succeeded if it is not negative
 * @flags: 0
 * Returns 0, -ENOMEM, -EINVAL (also of a configuration without texts, or one that
 * isst_config_read(), isst_config_defaults() or isst_config_boot() made), -EPERM, or -EIO (it
 * cannot be written).
 */
ISST_API int isst_config_record_apply(const struct isst_config *config,
				      struct isst_context *context, int error, unsigned int flags);

/**
 * Reads what isst_config_record_apply() recorded last, of this program or another.
 *
 * @flags: 0
 * @record: set to the record, to be freed; NULL on error
 * Returns 0, -ENOENT (there is none since boot), -ENOMEM, -EINVAL, -EPERM, or -EIO (the record
 * cannot be read, or is damaged).
 */
ISST_API int isst_read_apply_record(struct isst_context *context, unsigned int flags,
				    struct isst_apply_record **record);
ISST_API void isst_apply_record_free(struct isst_apply_record *record);

/** When it ended, in seconds since 1970 (UTC); -1 for NULL. */
ISST_API int64_t isst_apply_record_time_s(const struct isst_apply_record *record);
/** Whether the machine was then as configured. */
ISST_API bool isst_apply_record_succeeded(const struct isst_apply_record *record);
/** The name of the first text that was added as a file; NULL if none was. It belongs to the record.
 */
ISST_API const char *isst_apply_record_source(const struct isst_apply_record *record);
/** The SHA-256 of all texts in their order, of those that are no files with a line end: of one file
 * it is what sha256sum(1) prints. It belongs to the record. */
ISST_API const char *isst_apply_record_sha256(const struct isst_apply_record *record);

#ifdef __cplusplus
}
#endif

#endif
