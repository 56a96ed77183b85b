/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a request reaches beyond its own domain. Core-power and CLOS are switched and configured for
 * a package as a whole, also where the hardware keeps them for each power domain.
 */
#ifndef ISST_STATE_PACKAGE_SCOPE_H
#define ISST_STATE_PACKAGE_SCOPE_H

#include "features/planning.h"

/** The requests of a change, then their neighbours: the other domains of the same packages. */
struct package_scope {
	struct isst_change *change;
	struct domain_request *requests;
	struct current_state current; /* of all of them */
	size_t count, own;	      /* of all; of the change itself */
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

/**
 * Finds the neighbours and reads the state of all, as current_state_read() does. Where core-power
 * is needed, neighbours that lack it are not active; what else fails of one becomes the failure of
 * the requests of its package. To be ended with package_scope_end(). Returns 0 or a negative errno
 * (and there is nothing to end).
 */
int package_scope_begin(struct isst_change *change, const struct domain_request *requests,
			size_t count, const struct scope_needs *needs, struct package_scope *scope);

/** To be called when the requests have been checked: neighbours without one that is left are not
 * active either. */
void package_scope_drop_idle_siblings(struct package_scope *scope);

/** Leaves a request out which has nothing to do: that is no failure. */
void package_scope_drop(struct package_scope *scope, size_t i);

/**
 * The requests as far as they take part in what is the package's: besides those that are active the
 * domains without CPUs that lack the feature and have core-power, in packages of which one is
 * active. To be freed; NULL without memory.
 */
struct domain_request *package_scope_sharing(const struct package_scope *scope);

/** Gives what stands against the requests back to them, and releases the scope. */
void package_scope_end(struct package_scope *scope, struct domain_request *requests);

/** The state of the domains of the requests themselves. */
struct current_state package_scope_own_state(const struct package_scope *scope);

/** How many of the scope's requests core-power is switched for: all where it is the package's. */
size_t package_scope_core_power_count(const struct package_scope *scope);

/**
 * Switches core-power off as `disable --auto` of a feature (FEATURE_...) does where nothing is
 * restored from saved settings: unless the other feature needs it. @sharing: as of
 * package_scope_sharing();
 * @restored: as plan_restoring() left it. Returns 0 or a negative errno.
 */
int package_scope_core_power_off(struct package_scope *scope, const struct domain_request *sharing,
				 unsigned int feature, const bool *restored);

/** Names the levels, other than the current one, of which settings of a feature are saved:
 * `disable --auto` restores them only there. Returns 0, or as settings_exist() does. */
int package_scope_name_other_levels(struct package_scope *scope, unsigned int feature);

/** Leaves out the neighbours in packages where the feature stays on, or may, in a power domain with
 * CPUs. */
void package_scope_drop_active_siblings(struct package_scope *scope, unsigned int feature);

/** What `disable` of a feature (FEATURE_...) finds to do for request @i: nothing where there is no
 * such feature. */
void package_scope_check_off(struct package_scope *scope, size_t i, unsigned int feature);

/**
 * Switches a feature (FEATURE_...) off: besides where a request is active in the I/O dies of
 * packages where it stays on in no power domain with CPUs. Returns 0 or a negative errno.
 */
int package_scope_switch_off(struct package_scope *scope, unsigned int feature);

/** Warns that `disable` without --auto leaves what was saved for a feature as it is. */
void package_scope_warn_of_saved(struct package_scope *scope, unsigned int feature);

#endif
