/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration states as the steps of a change, in the order that the hardware takes. */
#ifndef ISST_STATE_APPLY_H
#define ISST_STATE_APPLY_H

#include "features/planning.h"
#include "state/wanted.h"

struct isst_change;

/** Adds the steps. Objections stay with the change. Returns 0, -ENOMEM or -EINTR. */
int wanted_plan(struct wanted *wanted, struct isst_change *change);

/* ---- What a request reaches beyond its own domain ---- */

/** The requests of a change, then their neighbours: the other domains of the same packages. */
struct package_scope {
	struct isst_change *change;
	struct domain_request *requests;
	struct current_state current; /* of all of them */
	size_t count, own;	      /* of all; of the change itself */
	size_t first;		      /* of the steps of the change, the first one */
	/* The requests as far as they take part in what is the package's: besides those that are
	 * active the domains without CPUs that lack the feature and have core-power, in packages of
	 * which one is active. */
	struct domain_request *sharing;
	bool *restored, *limits; /* of `disable`, as plan_restoring() leaves them */
	/* For plan_settings(); @high_priority: CPUs of a setting of such cores. */
	struct configuration settings;
	struct isst_cpuset *high_priority;
};

/** Which domains belong to a scope besides those of the requests. */
enum scope_width {
	SCOPE_REQUESTS,	     /* none */
	SCOPE_POWER_DOMAINS, /* other power domains of a package, where it has several */
	SCOPE_PACKAGES,	     /* all others of a package */
};

/** What has to be known, of the requests and of their neighbours. */
struct scope_needs {
	enum scope_width width;
	struct state_needs own, neighbours;
};

/** Finds the neighbours and reads the state of all, as current_state_read() does. Where core-power
 * is needed, neighbours that lack it are not active; what else fails of one becomes the failure of
 * the requests of its package. To be ended with package_scope_end(). Returns 0 or a negative errno
 * (and there is nothing to end). */
int package_scope_begin(struct isst_change *change, const struct domain_request *requests,
			size_t count, const struct scope_needs *needs, struct package_scope *scope);

/** To be called when the requests have been checked: neighbours without one that is left are not
 * active either. Returns 0 or -ENOMEM. */
int package_scope_settle(struct package_scope *scope);

void package_scope_clear(struct package_scope *scope);

/** Gives what stands against the requests back to them, releases the scope, which may be none, and
 * ends the request as plan_conclude() does. */
int package_scope_end(struct package_scope *scope, struct isst_change *change,
		      struct domain_request *requests, size_t count, int error);

/** How many of the scope's requests core-power is switched for: all where it is the package's. */
size_t package_scope_core_power_count(const struct package_scope *scope);

/** Switches core-power off as `disable --auto` of a feature (FEATURE_...) does where nothing is
 * restored from saved settings: unless the other feature needs it. Returns 0 or a negative errno.
 */
int package_scope_core_power_off(struct package_scope *scope, unsigned int feature);

/** Plans `disable` of a feature (FEATURE_...) where there is one: it goes off where a request is
 * active, and in the I/O dies of packages where it stays on in no power domain with CPUs. With
 * --auto what was saved is restored; else it stays, and is reported. Returns 0 or a negative errno.
 */
int package_scope_disable(struct package_scope *scope, unsigned int feature, bool automatic);

/* ---- Of commands ---- */

/** Core-power, and its priority. */
#define SUBJECTS_OF_SWITCHES \
	(1U << SUBJECT_CORE_POWER | 1U << SUBJECT_PRIORITY | 1U << SUBJECT_CLOS_ENABLE)
/** The same, and classes of service. */
#define SUBJECTS_OF_CORE_POWER \
	(SUBJECTS_OF_SWITCHES | 1U << SUBJECT_CLOS_MIN | 1U << SUBJECT_CLOS_MAX | \
	 1U << SUBJECT_CLOS_EPP | 1U << SUBJECT_CLOS_WEIGHT)
#define ALL_SUBJECTS UINT32_MAX

/** Adds a setting to those of a scope, for all of it. Returns 0 or -ENOMEM. */
int scope_add_setting(struct package_scope *scope, enum subject subject, unsigned int index,
		      enum wanted_kind wanted, uint64_t number);

/**
 * Adds the steps for the settings of a scope, where nothing stands against it any more; it has none
 * then.
 *
 * @requests: of the scope; where they are active the settings count
 * @shared: those that count in others than the active requests of the scope itself
 * Returns 0 or a negative errno with a message.
 */
int plan_settings(struct package_scope *scope, const struct domain_request *requests,
		  uint32_t shared);

/* ---- Parts of the change ---- */

/* They return 0, -ENOMEM or -EINTR; what stands against a setting becomes its problem. */

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
 * that, firmware decides. Rejects requests; returns 0 or -ENOMEM. */
int turbo_freq_check_turbo(struct isst_change *change, struct domain_request *requests,
			   size_t count);

/** Warns of limits outside the processor's frequencies that cannot be kept to: the firmware would
 * clip them. A maximum above them limits nothing. @no_limit: how no limit is asked for. */
void warn_of_clos_range(struct isst_change *change, const struct isst_domain *domain,
			const struct isst_clos *values, const char *no_limit);

/* ---- Requests of commands ---- */

/* Each plans one request for a set of domains: checks what must hold on all of them and adds the
 * steps. It is planned from what the requests before it will leave of levels, features and
 * core-power. Returns 0 (also when single domains failed), or -ENOMEM, -EINTR, -EINVAL (values that
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
 */
int change_plan_clos(struct isst_change *change, struct domain_request *requests, size_t count,
		     const struct isst_clos *values);

/** Puts the cores of CPUs into a CLOS. */
int change_plan_association(struct isst_change *change, struct domain_request *requests,
			    size_t count, unsigned int clos);

#endif
