/* SPDX-License-Identifier: BSD-3-Clause */
/* What has to be known of a machine to find out what a configuration means there, and no more. */
#ifndef ISST_STATE_FACTS_H
#define ISST_STATE_FACTS_H

#include "configuration/configuration.h"
#include "features/planning.h"
#include "topology/context.h"

/** How much a command depends on an answer of the firmware. */
enum need {
	NOT_NEEDED, /* it is not asked */
	OPTIONAL,   /* it is asked; where it cannot be read, the command does without it */
	REQUIRED,   /* where it cannot be read, that is the domain's failure */
};

/** What a command depends on. */
struct state_needs {
	enum need levels;     /* the summary of levels, and the @parts of the one it shall have */
	unsigned int parts;   /* ISST_LEVELS_...; SST-BF and SST-TF themselves are optional */
	enum need core_power; /* whether core-power is supported and on */
	bool clos_use;	      /* and whether CLOS are in use, where that has a switch of its own */
};

/** What a command reaches besides the domains that it is asked for. */
enum command_reach {
	REACH_ASKED,	     /* nothing */
	REACH_POWER_DOMAINS, /* other power domains of a package, where it has several */
	REACH_PACKAGES,	     /* all others of a package */
};

struct command_needs {
	enum command_reach reach;
	struct state_needs asked, neighbours;
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
	struct domain_snapshot *domains; /* in the order of the context */
	size_t count;
	bool whole; /* with what only a change depends on */
	/* What of them is needed at all. */
	bool levels, core_power, limits;
	bool turbo_freq;    /* is stated to be on */
	unsigned int parts; /* of the levels: ISST_LEVELS_... */
};

/** For each domain of facts; @domain: a pointer to its snapshot */
#define facts_for_each_domain(domain, facts) \
	for (struct domain_snapshot *domain = (facts)->domains, \
				    *domain##_end = domain ? domain + (facts)->count : NULL; \
	     domain < domain##_end; domain++)

/** Reads what a configuration depends on. @whole: for a change. @targets: what it is for. What
 * cannot be read has its own failure. Returns 0 or -ENOMEM. To be cleared with
 * facts_clear() in either case. */
int facts_read(struct facts *facts, const struct configuration *configuration,
	       struct isst_context *context, bool whole, const struct domain_set *targets);
void facts_clear(struct facts *facts);

/** Reads parts of the levels of domains that count, as far as they were not read. */
int facts_complete(struct facts *facts, unsigned int parts);

/** Reads the turbo ratio limits of the levels that were read. Returns 0 or a negative errno. */
int facts_read_limits(struct facts *facts);

/** Begins with the domains of a context, which are no targets. Returns 0 or -ENOMEM. */
int facts_begin(struct facts *facts, struct isst_context *context);

/** Reads what is needed of the domains that a command reaches. Where something that is required
 * cannot be read, that is the domain's failure. Returns 0 or -ENOMEM. */
int facts_read_reached(struct facts *facts, const struct configuration *configuration,
		       struct isst_change *change, const struct command_needs *needs);

/** Whether turbo ratio limits, for any number of active cores, are below the frequency of high
 * priority cores, as far as that was read. */
bool facts_hold_back(const struct domain_snapshot *facts, uint64_t limits);

/** Power domains share the register of turbo ratio limits of their package: its limits of the level
 * are those of its first one. */
const struct domain_snapshot *facts_of_limits(const struct facts *facts,
					      const struct domain_snapshot *domain);

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
