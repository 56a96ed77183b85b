/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a request reaches beyond its own domain. Core-power and CLOS are switched and configured for
 * a package as a whole, also where the hardware keeps them for each power domain.
 */
#ifndef ISST_FEATURES_SPAN_H
#define ISST_FEATURES_SPAN_H

#include "features/planning.h"

/** The requests of a change, then their neighbours: the other domains of the same packages. */
struct span {
	struct isst_change *change;
	struct isst_request *requests;
	struct facts facts; /* of all of them */
	size_t count, own;  /* of all; of the change itself */
};

/** Which domains belong to a span besides those of the requests. */
enum span_width {
	SPAN_REQUESTS,	    /* none */
	SPAN_POWER_DOMAINS, /* other power domains of a package, where it has several */
	SPAN_PACKAGES,	    /* all others of a package */
};

/** What has to be known, of the requests and of their neighbours. */
struct span_needs {
	enum span_width width;
	struct fact_needs own, neighbours;
};

/**
 * Finds the neighbours and reads the facts of all, as facts_read() does. Where core-power is
 * needed, neighbours that lack it are not wanted; what else fails of one becomes the failure of the
 * requests of its package. To be ended with span_end(). Returns 0 or a negative errno (and there is
 * nothing to end).
 */
int span_begin(struct isst_change *change, const struct isst_request *requests, size_t count,
	       const struct span_needs *needs, struct span *span);

/** To be called when the requests have been checked: neighbours without one that is left are not
 * wanted either. */
void span_settle(struct span *span);

/** Leaves a request out which has nothing to do: that is no failure. */
void span_leave_out(struct span *span, size_t i);

/**
 * The requests as far as they take part in what is the package's: besides those that are wanted the
 * domains without CPUs that lack the feature and have core-power, in packages of which one is
 * wanted. To be freed; NULL without memory.
 */
struct isst_request *span_sharing(const struct span *span);

/** Gives what stands against the requests back to them, and releases the span. */
void span_end(struct span *span, struct isst_request *requests);

/** The facts of the requests themselves. */
struct facts span_own_facts(const struct span *span);

/** How many of the span's requests core-power is switched for: all where it is the package's. */
size_t span_core_power_count(const struct span *span);

/**
 * Switches core-power off as `disable --auto` of a feature (FEATURE_...) does where nothing is
 * restored from saved settings: unless the other feature needs it. @sharing: as of span_sharing();
 * @restored: as plan_restoring() left it. Returns 0 or -ENOMEM.
 */
int span_core_power_off(struct span *span, const struct isst_request *sharing, unsigned int feature,
			const bool *restored);

/** Names the levels, other than the current one, of which settings of a feature are saved:
 * `disable --auto` restores them only there. Returns 0, or as record_exists() does. */
int span_name_other_levels(struct span *span, unsigned int feature);

/** Leaves out the neighbours in packages where the feature stays on in one of them. */
void span_leave_users(struct span *span, unsigned int feature);

#endif
