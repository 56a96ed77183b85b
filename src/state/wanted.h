/* SPDX-License-Identifier: BSD-3-Clause */
/* What the settings of a configuration mean on a machine: its items, and what their bits become. */
#ifndef ISST_STATE_WANTED_H
#define ISST_STATE_WANTED_H

#include "common/numbered.h"
#include "state/facts.h"
#include "transaction/item_index.h"

#include <stdio.h>

/** An item, and what becomes of it. One item may stand in several, for other bits. */
struct wanted_item {
	struct item item;
	uint64_t mask, bits;
	enum subject subject;
	const struct setting *setting; /* that it is wanted for */
	const struct isst_domain *domain;
	/* It follows from the setting, but is no part of what was stated: not compared. */
	bool implied;
	bool optional; /* the change goes on where the item cannot be read or written */
};

/** Why an optional statement is skipped. */
struct skip {
	struct origin origin;
	int error;
	struct folds reasons;
};

struct wanted {
	struct isst_context *context;
	struct configuration *configuration;
	struct domain_set targets; /* what it is for */
	struct facts facts;
	struct wanted_item *items; /* by subject and index, then in the order of the domains */
	size_t count;
	struct item_index index;	   /* of these */
	struct isst_cpuset *high_priority; /* CPUs that were chosen; NULL: none were asked for */
	/* Why domains and what is optional is passed over; the texts are the context's. */
	const char **left_out, **unsupported;
	size_t left_out_count, unsupported_count;
	struct skip *skips; /* one for each statement */
	size_t skip_count;
	/* For each setting of the configuration, at the first one of its line. */
	struct {
		bool has_problem;
		size_t skip; /* its number among the skips, from 1 on; 0: none */
	} * marks;
	bool of_clos;	 /* of a request that configures a CLOS */
	bool is_command; /* of a request: what stands against it was looked for, and warned of */
	const struct setting *cpus_everywhere; /* by cpus_find_everywhere() */
	bool separate; /* what differs alike in several domains is listed for each of them */
	int error;     /* of the problems that were added: the first one's; 0: none were */

	/* While the items are found. */
	uint32_t stated; /* subjects that settings are of: 1 << enum subject */
	/* For each domain of the facts, the setting of high priority cores that counts there; NULL:
	 * none, it is unmanaged, or it is optional and passed over: it implies nothing then. */
	const struct setting **cores;
	struct configuration boot; /* the state after boot, where limits of the uncore need it */
	bool has_read_boot;

	struct isst_change *change; /* while it is planned */
};

/** Works out what a configuration means on the machine of a context, both of which are set, as may
 * be targets; @to_change: with all that has to be known before anything is written, else with as
 * few questions to firmware and kernel as possible. Returns 0, -EOPNOTSUPP, -EIO or -EINVAL
 * (@configuration->problems names all that the machine does not have, that could not be read, or
 * that contradicts itself there; the first one's error), or -ENOMEM. To be cleared with
 * wanted_clear() in either case. */
int wanted_find(struct wanted *wanted, bool to_change);

/** The same with the facts that are there. */
int wanted_resolve(struct wanted *wanted);

void wanted_clear(struct wanted *wanted);

/** As folds_join(), on the machine of a context. */
int join_places(const struct isst_context *context, struct folds *folds);

/** Adds an item. Returns 0 or -ENOMEM. */
int wanted_add(struct wanted *wanted, const struct wanted_item *item);

/** An item that is wanted for a subject, of index @from or above; NULL: none. */
struct wanted_item *wanted_find_item(const struct wanted *wanted, const struct item *item,
				     enum subject subject, size_t from);

/** What is known of a domain of the context. */
static inline const struct domain_snapshot *wanted_facts(const struct wanted *wanted,
							 const struct isst_domain *domain)
{
	return &wanted->facts.domains[domain->index];
}

/** Whether an item is to be at an end of the range of the processor (LIMIT_HIGHEST, LIMIT_LOWEST),
 * which level and features move. */
static inline bool wanted_is_end_of_range(const struct wanted_item *item)
{
	return (item->item.kind == ITEM_SCALING_MIN && item->bits == LIMIT_HIGHEST) ||
	       (item->item.kind == ITEM_SCALING_MAX && item->bits == LIMIT_LOWEST);
}

/** The frequency of a level that WANTED_BASE or WANTED_TURBO stands for. */
struct isst_value wanted_of_level(const struct isst_level *level, enum wanted_kind wanted);

/** Adds the CPU of a limit, or all threads of a core. Returns 0 or -ENOMEM. */
int wanted_item_cpus(const struct isst_context *context, const struct wanted_item *item,
		     struct isst_cpuset *cpus);

/** Whether the domain of an item gets another level. */
bool wanted_changes_level(const struct wanted *wanted, const struct wanted_item *item);

/** The setting of CPUs that counts for a domain, NULL where there is none; I/O dies have no CPUs.
 */
const struct setting *wanted_cpus(const struct wanted *wanted, const struct isst_domain *domain);

/** Whether a CPU that is offline comes online by it. */
bool wanted_online(const struct wanted *wanted, const struct domain_snapshot *domain,
		   unsigned int cpu);

/** Whether an item enables turbo-freq where it is disabled, and not by a saved state. */
bool wanted_enables_turbo_freq(const struct wanted *wanted, const struct wanted_item *item);

/** Whether a domain, or one of a package, ends with turbo-freq on, once that was found. */
bool wanted_domain_turbo_freq_on(const struct wanted *wanted, const struct domain_snapshot *domain);
bool wanted_turbo_freq_on(const struct wanted *wanted, unsigned int package);

/** Adds the problem that a domain (NULL: the machine) is without what a setting asks for
 * (-EOPNOTSUPP; -ENODEV: for want of a driver), or that it cannot be found out (another error):
 * once for each setting. Where the machine is without, and the setting is optional, that is a skip.
 * Nothing for a domain without CPUs that the setting does not name. -EINVAL: it cannot hold beside
 * others on this machine. Returns 0 or -ENOMEM. */
__attribute__((format(printf, 5, 6))) int wanted_reject(struct wanted *wanted,
							const struct setting *setting,
							const struct isst_domain *domain, int error,
							const char *format, ...);

/** Adds the problem that what a setting depends on has failed, with its own message. As above. */
int wanted_fails(struct wanted *wanted, const struct setting *setting,
		 const struct isst_domain *domain, const struct isst_failure *failure);

/** Notes once why something optional is left as it is: a change reports that. Returns 0 or -ENOMEM.
 */
int wanted_note_unsupported(struct wanted *wanted, const char *why);

/* ---- Values as settings ---- */

/** Puts into a setting what the value of an item, whose bits are those of @item, means. */
void wanted_value_to_setting(const struct wanted_item *item, uint64_t value,
			     struct setting *setting);

/* ---- How items are found ---- */

/** What a subject shall be at a place, and the setting that states it. */
struct wish {
	enum wanted_kind wanted;
	uint64_t number;
	const struct setting *setting;
};

/** What counts for a domain, stated or implied by another setting. Returns false where nothing is
 * stated, or that it is unmanaged. */
bool resolve_wish(const struct wanted *wanted, enum subject subject,
		  const struct isst_domain *domain, unsigned int index, struct wish *wish);

/** What counts for a CPU, of what is stated. */
bool resolve_cpu_wish(const struct wanted *wanted, enum subject subject, const struct isst_cpu *cpu,
		      struct wish *wish);

/* They return 0 or -ENOMEM. */

/** The frequency of a wish in kHz, where that is a number or a word for one: of the level that a
 * domain is going to have, and of its processor. Returns -ENODATA where it is not known, which was
 * noted. */
int resolve_frequency(struct wanted *wanted, const struct domain_snapshot *domain,
		      const struct wish *wish, uint64_t *khz);

/* resolve_features.c: high priority cores, levels, turbo-freq and base-freq, core-power */
int resolve_level(struct wanted *wanted, const struct domain_snapshot *domain);
int resolve_feature(struct wanted *wanted, enum subject subject,
		    const struct domain_snapshot *domain);
int resolve_core_power(struct wanted *wanted, enum subject subject,
		       const struct domain_snapshot *domain);

/** Chooses high priority cores, before anything else is found. */
int resolve_high_priority(struct wanted *wanted);

/* resolve_limits.c: turbo ratio limits, limits of cpufreq and uncore */
int resolve_turbo_ratio_limits(struct wanted *wanted, const struct domain_snapshot *domain);
int resolve_scaling_limits(struct wanted *wanted, enum subject subject,
			   const struct domain_snapshot *domain);
int resolve_uncore_limits(struct wanted *wanted, enum subject subject,
			  const struct domain_snapshot *domain);

#endif
