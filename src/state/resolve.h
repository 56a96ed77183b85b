/* SPDX-License-Identifier: BSD-3-Clause */
/* Wanted items while they are found, as the files for groups of subjects share them. */
#ifndef ISST_STATE_RESOLVE_H
#define ISST_STATE_RESOLVE_H

#include "state/wanted.h"

struct resolution {
	struct wanted *wanted;
	struct isst_context *context;
	struct configuration *configuration;
	enum wanted_use use;
	uint32_t stated; /* subjects that settings are of: 1 << enum subject */
	/* For each domain of the facts, the setting of high priority cores that counts there. */
	const struct setting **cores;
	struct configuration boot; /* the state after boot, where limits of the uncore need it */
	bool has_read_boot;
};

/** What a subject shall be at a place, and the setting that states it. */
struct wish {
	enum wanted_kind wanted;
	uint64_t number;
	const struct setting *setting;
};

/** What counts for a domain, stated or implied by another setting. Returns false where nothing is
 * stated, or that it is unmanaged. */
bool resolve_wish(const struct resolution *resolution, enum subject subject,
		  const struct isst_domain *domain, unsigned int index, struct wish *wish);

/** The setting of high priority cores that counts for a domain; NULL: none, it is unmanaged, or it
 * is optional and passed over, so that it implies nothing either. */
const struct setting *resolve_cores(const struct resolution *resolution,
				    const struct isst_domain *domain);

/** What counts for a CPU, of what is stated. */
bool resolve_cpu_wish(const struct resolution *resolution, enum subject subject,
		      const struct isst_cpu *cpu, struct wish *wish);

/*
 * The functions below return 0 or -ENOMEM.
 */

/** The frequency of a wish in kHz, where that is a number or a word for one: of the level that a
 * domain is going to have, and of its processor. Returns -ENODATA where it is not known, which was
 * noted. */
int resolve_frequency(struct resolution *resolution, const struct domain_facts *domain,
		      const struct wish *wish, uint64_t *khz);

/* resolve_features.c: high priority cores, levels, turbo-freq and base-freq, core-power */
int resolve_level(struct resolution *resolution, const struct domain_facts *domain);
int resolve_feature(struct resolution *resolution, enum subject subject,
		    const struct domain_facts *domain);
int resolve_core_power(struct resolution *resolution, enum subject subject,
		       const struct domain_facts *domain);

/** Chooses high priority cores, before anything else is found. */
int resolve_high_priority(struct resolution *resolution);

/* resolve_limits.c: turbo ratio limits, limits of cpufreq and uncore */
int resolve_turbo_ratio_limits(struct resolution *resolution, const struct domain_facts *domain);
int resolve_scaling_limits(struct resolution *resolution, enum subject subject,
			   const struct domain_facts *domain);
int resolve_uncore_limits(struct resolution *resolution, enum subject subject,
			  const struct domain_facts *domain);

#endif
