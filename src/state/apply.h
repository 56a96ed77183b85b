/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration states as the steps of a change, in the order that the hardware takes. */
#ifndef ISST_STATE_APPLY_H
#define ISST_STATE_APPLY_H

#include "features/planning.h"
#include "state/wanted.h"

struct isst_change;

/** Adds the steps. Objections stay with the change. Returns 0 or -ENOMEM. */
int wanted_plan(struct wanted *wanted, struct isst_change *change);

/* ---- Commands ---- */

/** Settings for domains, and for others of their packages as far as these share what is set. */
struct planned_command {
	struct isst_change *change;
	struct configuration settings; /* that are planned next */
	struct facts facts;
	struct isst_cpuset *high_priority; /* CPUs of a setting of such cores */
	bool of_clos;			   /* limits of classes are looked at once more */
	struct item_lines saved;	   /* of `disable`: the saved settings */
	size_t first;			   /* of the steps of the change, the first one */
};

/** Core-power, and its priority. */
#define SUBJECTS_OF_SWITCHES \
	(1U << SUBJECT_CORE_POWER | 1U << SUBJECT_PRIORITY | 1U << SUBJECT_CLOS_ENABLE)
/** The same, and classes of service. */
#define SUBJECTS_OF_CORE_POWER \
	(SUBJECTS_OF_SWITCHES | 1U << SUBJECT_CLOS_MIN | 1U << SUBJECT_CLOS_MAX | \
	 1U << SUBJECT_CLOS_EPP | 1U << SUBJECT_CLOS_WEIGHT)
#define ALL_SUBJECTS UINT32_MAX

/** Finds the neighbours of domains and reads the state of all, at the levels of the settings. Where
 * core-power is needed, neighbours that lack it are not active; what else fails of one becomes the
 * failure of the others of its package. To be ended in either case. Returns 0 or a negative errno.
 */
int command_begin(struct planned_command *command, const struct domain_request *requests,
		  size_t count, const struct command_needs *needs);

/** To be called when the domains have been checked: neighbours without one that is left are not
 * active either. */
void command_settle(struct planned_command *command);

/** Adds a setting for all domains that count. Returns 0 or -ENOMEM. */
int command_add(struct planned_command *command, enum subject subject, unsigned int index,
		enum wanted_kind wanted, uint64_t number);

/** Adds the steps for the settings, where nothing stands against them any more; there are none
 * then. @shared: subjects that count where others are selected than active domains that were asked
 * for. Returns 0 or a negative errno with a message. */
int command_plan(struct planned_command *command, uint32_t shared);

/** Saves what the steps of `enable --auto` of a feature (FEATURE_...) replace, for the levels of
 * their domains. Returns 0 or a negative errno. */
int command_save(struct planned_command *command, unsigned int feature);

/** Plans `disable` of a feature (FEATURE_...) where there is one: it goes off where it was asked
 * for, and in the I/O dies of packages where it stays on in no power domain with CPUs. With --auto
 * what was saved is restored; else it stays, and is reported. Returns 0 or a negative errno. */
int command_disable(struct planned_command *command, unsigned int feature, bool automatic);

/** Switches core-power off as `disable --auto` of a feature (FEATURE_...) does where nothing is
 * restored from saved settings: unless the other feature needs it. Returns 0 or a negative errno.
 */
int command_core_power_off(struct planned_command *command, unsigned int feature);

void command_clear(struct planned_command *command);

/** Gives what stands against the domains to the requests, clears the command, and ends the request
 * as plan_conclude() does. */
int command_end(struct planned_command *command, struct domain_request *requests, size_t count,
		int error);

/* ---- Restoring saved settings (restoring.c) ---- */

/** Adds steps that restore the saved settings of a feature (FEATURE_...) where domains share, as
 * far as it still has the value that was written; warns of what is left alone. Sets @restored and,
 * of turbo-freq, @limits_settled. Returns 0 or a negative errno. */
int plan_restoring(struct planned_command *command, unsigned int feature);

/** What the limits of a CPU become where the BIOS has set up SST-BF, and limits of cpufreq hold
 * CPUs at their base frequencies. */
struct preset_limits {
	uint64_t max_khz, min_khz;
	bool hidden; /* the upper one takes effect only once turbo is on again */
};

/** Both limits at the base frequency; one at the end of the processor's range is none. @limits:
 * whether the upper one is hidden is set. Returns 0, or a negative errno with *@missing the file
 * that could not be read. */
int preset_find_limits(struct kernel_files *files, unsigned int cpu, const char **missing,
		       struct preset_limits *limits);

/* ---- Parts of the change ---- */

/* They return 0 or -ENOMEM; what stands against a setting becomes its problem. */

/* apply_checks.c */

/** Objects where turbo is disabled and turbo-freq gets enabled; warns where it has no effect. */
int wanted_check_turbo(struct wanted *wanted);
/** Warns of turbo ratio limits that stay where turbo-freq gets disabled. */
void wanted_warn_of_turbo_ratio_limits(const struct wanted *wanted);

/** Warns of what holds high priority cores back: turbo ratio limits of which turbo-freq stays on or
 * is enabled beside, and limits of cpufreq. Once these are planned. */
int wanted_warn_of_held_cores(struct wanted *wanted);

/** Warns, as `turbo-freq enable --auto` does, of cores without a bucket, and of turbo-freq that no
 * core profits from, where the configuration states both. */
void wanted_warn_of_priorities(const struct wanted *wanted);

/** Warns of classes that `enable --auto` of a feature has set, and that are wanted otherwise. What
 * cannot be read of it fails. */
int wanted_warn_of_replaced(const struct wanted *wanted);

/** Limits of CLOS: a minimum must not be above a maximum that stays, nor the other way round; warns
 * of those that cannot be kept to. */
int wanted_check_clos(struct wanted *wanted);

/** Turbo frequencies are available only while turbo is enabled; where the kernel does not report
 * that, firmware decides. Rejects the domains that are meant; returns 0 or -ENOMEM. */
int turbo_freq_check_turbo(struct isst_change *change, struct domain_snapshot *domains,
			   bool (*is_meant)(const struct domain_snapshot *domain));

/* ---- Requests of commands ---- */

/* Each plans one request for a set of domains: checks what must hold on all of them and adds the
 * steps. It is planned from what the requests before it will leave of levels, features and
 * core-power. Returns 0 (also when single domains failed), or -ENOMEM, -EINVAL (values that
 * are wrong anywhere). */

/** SST-PP: makes @level current. @online: CPUs go off- and online as it enables them. */
int change_plan_level(struct isst_change *change, struct domain_request *requests, size_t count,
		      unsigned int level, bool online);

/** SST-BF on or off. @automatic: with CLOS, associations, core-power and cpufreq limits. */
int change_plan_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic);

/** SST-TF on or off. */
int change_plan_turbo_freq(struct isst_change *change, struct domain_request *requests,
			   size_t count, const struct turbo_freq_request *request);

/** SST-CP on or off. */
int change_plan_core_power(struct isst_change *change, struct domain_request *requests,
			   size_t count, bool enable, enum isst_priority_request priority);

/** Configures CLOS @values->clos with the values of @values (domain and failure are not looked at).
 * @subjects: which of them, a bit for each subject; others stay, and are to be the default */
int change_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values, uint32_t subjects);

/** Puts the cores of CPUs into a CLOS. */
int change_plan_association(struct isst_change *change, struct domain_request *requests,
			    size_t count, unsigned int clos);

#endif
