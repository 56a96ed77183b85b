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
	SPAN_POWER_DOMAINS, /* other power domains of a package, where it has several */
	SPAN_PACKAGES,	    /* all others of a package */
};

/**
 * Finds the neighbours and reads the facts of all, as facts_read() does. Neighbours that lack
 * core-power are not wanted; what else fails of one becomes the failure of the requests of its
 * package. To be ended with span_end(). Returns 0 or a negative errno (and there is nothing to
 * end).
 */
int span_begin(struct isst_change *change, const struct isst_request *requests, size_t count,
	       enum span_width width, unsigned int level, unsigned int parts, struct span *span);

/** To be called when the requests have been checked: neighbours without one that is left are not
 * wanted either. */
void span_settle(struct span *span);

/** Gives what stands against the requests back to them, and releases the span. */
void span_end(struct span *span, struct isst_request *requests);

/** The facts of the requests themselves. */
struct facts span_own_facts(const struct span *span);

/** How many of the span's requests core-power is switched for: all where it is the package's. */
size_t span_core_power_count(const struct span *span);

/** A neighbour in a package in which a feature (FEATURE_...) is on; NULL if there is none. */
const struct isst_domain *span_user(const struct span *span, unsigned int package,
				    unsigned int feature);

/** Leaves out the neighbours in packages where the feature stays on in one of them. */
void span_leave_users(struct span *span, unsigned int feature);

#endif
