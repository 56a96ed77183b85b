/* SPDX-License-Identifier: BSD-3-Clause */
/* What has to be known of a machine to find out what a configuration means there, and no more. */
#ifndef ISST_STATE_FACTS_H
#define ISST_STATE_FACTS_H

#include "configuration/configuration.h"
#include "features/planning.h"
#include "topology/context.h"

/** What is known of a domain. */
struct domain_facts {
	const struct isst_domain *domain;
	bool is_target;	   /* what is stated of it counts */
	uint32_t subjects; /* of these: 1 << enum subject */
	struct isst_perf_profile profile;
	unsigned int level;	     /* that it is going to have */
	struct isst_level specified; /* what that specifies, as far as it is needed */
	struct isst_core_power core_power;
	/* The turbo ratio limits of that level as their register holds them; 0: it has none. */
	uint64_t level_limits;
	struct isst_failure limits_failure;
	/* Where turbo-freq is on and shall be, and the machine was resumed since boot, which the
	 * limits may not have outlived: those in force. */
	bool has_present_limits;
	uint64_t present_limits;
	struct isst_failure present_failure;
};

/** What of a machine counts: by default all of it. The domains are those of a context. */
struct domain_set {
	bool limited; /* these domains alone */
	const struct isst_domain *const *domains;
	size_t count;
	bool undisturbed; /* what could only be read by interrupting isolated CPUs is left out */
};

struct facts {
	struct isst_context *context;
	struct domain_facts *domains; /* in the order of the context */
	size_t count;
	bool whole; /* with what only a change depends on */
	/* What of them is needed at all. */
	bool levels, core_power, limits;
	bool turbo_freq;    /* is stated to be on */
	unsigned int parts; /* of the levels: ISST_READ_LEVELS_... */
};

/** Reads what a configuration depends on. @whole: for a change. @targets: what it is for. What
 * cannot be read has its own failure. Returns 0, -ENOMEM or -EINTR. To be cleared with
 * facts_clear() in either case. */
int facts_read(struct facts *facts, const struct configuration *configuration,
	       struct isst_context *context, bool whole, const struct domain_set *targets);
void facts_clear(struct facts *facts);

/** Reads the turbo ratio limits of the levels that were read. Returns 0 or a negative errno. */
int facts_read_limits(struct facts *facts);

/** Begins with the domains of a context, which are no targets. Returns 0 or -ENOMEM. */
int facts_begin(struct facts *facts, struct isst_context *context);
/** Makes a target of a domain that was read. The sets of its level stay those of @snapshot. */
void facts_take(struct facts *facts, const struct domain_snapshot *snapshot, uint32_t subjects);

/** Whether turbo ratio limits, for any number of active cores, are below the frequency of high
 * priority cores, as far as that was read. */
bool facts_hold_back(const struct domain_facts *facts, uint64_t limits);

/** Power domains share the register of turbo ratio limits of their package: its limits of the level
 * are those of its first one. */
const struct domain_facts *facts_of_limits(const struct facts *facts,
					   const struct domain_facts *domain);

/** The setting that counts for a domain, also one that it is unmanaged; NULL: it is not mentioned.
 */
const struct setting *domain_setting(const struct isst_context *context,
				     const struct configuration *configuration,
				     enum subject subject, const struct isst_domain *domain,
				     unsigned int index);

/** Adds a setting for one domain. Returns 0 or -ENOMEM. */
int settings_add(struct configuration *settings, const struct isst_context *context,
		 const struct isst_domain *domain, struct setting setting);

/** Whether a domain without CPUs is named by a setting, rather than one of all. */
bool setting_names_domain(const struct setting *setting);

#endif
