/* SPDX-License-Identifier: BSD-3-Clause */
/* What the firmware reports of domains, in as few driver calls as that takes. */
#ifndef ISST_FEATURES_SNAPSHOT_H
#define ISST_FEATURES_SNAPSHOT_H

#include "features/features.h"
#include "topology/context.h"

/** What is read of a domain. */
enum snapshot_parts {
	SNAPSHOT_PROFILES = 1,		/* summaries of levels */
	SNAPSHOT_CORE_POWER = 2,	/* core-power, and whether CLOS are in use */
	SNAPSHOT_CORE_POWER_SWITCH = 4, /* only whether core-power is supported and on */
	SNAPSHOT_CLOS_IN_FORCE = 8,	/* core-power as core_power_read() has it */
	SNAPSHOT_LEVEL = 16,		/* one level */
};

/** Whether a command reaches a domain. */
enum domain_role {
	NOT_REACHED,
	NEIGHBOUR, /* of the same package as one that is asked for */
	ASKED_FOR,
};

/** A domain, as far as it was read; each part has its own failure. */
struct domain_snapshot {
	const struct isst_domain *domain; /* in */
	unsigned int parts;		  /* in: of enum snapshot_parts; 0: it is passed over */
	struct isst_perf_profile profile;
	struct isst_core_power core_power;
	struct isst_level level; /* @level.level is in */

	/* While a change is planned. */
	bool is_target;	   /* what is stated of it counts */
	uint32_t subjects; /* of these: 1 << enum subject */
	/* The turbo ratio limits of the level as their register holds them; 0: it has none. */
	uint64_t level_limits;
	struct isst_failure limits_failure;
	/* Where turbo-freq is on and shall be, and the machine was resumed since boot, which the
	 * limits may not have outlived: those in force. */
	bool has_present_limits;
	uint64_t present_limits;
	struct isst_failure present_failure;

	/* While a command is planned. */
	enum domain_role role;
	struct isst_failure failure; /* why it is left out; -ECANCELED: there is nothing to do */
	bool counts;		     /* what is planned next is for it */
	/* It takes part in what is the package's: it is active, or has no CPUs, is without the
	 * feature and has core-power, in a package of which one is active. */
	bool shares;
	bool restored;	      /* it had saved settings, or has nothing to restore */
	bool limits_settled;  /* the same of turbo ratio limits */
	unsigned int settled; /* features that the change enables, or restores, behind a level */
};

/** Reads the parts of domains but for their levels. Returns 0, -ENOMEM or -EINVAL. */
int snapshot_read(struct isst_context *context, struct domain_snapshot *snapshots, size_t count);

/** Reads SNAPSHOT_LEVEL of domains behind their profiles. @parts: ISST_LEVELS_... */
int snapshot_read_levels(struct isst_context *context, struct domain_snapshot *snapshots,
			 size_t count, unsigned int parts);

/** Reads profiles and the parts of levels (NULL: the current ones), and what else is set. */
int snapshot_read_at(struct isst_context *context, struct domain_snapshot *snapshots, size_t count,
		     const unsigned int *level, unsigned int parts);

/** Releases what @count of them hold; they themselves are the caller's. NULL is passed over. */
void snapshot_clear(struct domain_snapshot *snapshots, size_t count);

/* ---- Levels and their summaries ---- */

/**
 * Reads levels: what they specify, or only the @parts (a sum of ISST_LEVELS_...).
 *
 * @levels: in structs of @stride bytes, each with @domain, @level and @profile set, all else zero
 * or from an earlier call, whose sets are released; those without a domain are skipped
 * A level that the domain does not have: failure -EOPNOTSUPP, which names those that exist.
 * Returns 0 or -ENOMEM.
 */
int levels_read(struct isst_context *context, struct isst_level *levels, size_t count,
		size_t stride, unsigned int parts);

/** Whether a domain has a level according to its summary. */
bool perf_profile_has_level(const struct isst_perf_profile *profile, unsigned int level);

/** The turbo frequency of all cores of a level without SST-TF; 0: unknown. */
unsigned int level_all_cores_mhz(const struct isst_level *level);

/** How many buckets of SST-TF are faster than that, as far as known: the first ones. */
unsigned int level_gaining_buckets(const struct isst_level *level);

/** Which levels there are: `level 1`, `levels 0 to 4`, `levels 0, 1, 3`. */
const char *perf_profile_levels_text(struct messages *messages,
				     const struct isst_perf_profile *profile);

#endif
