/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a machine is not as a configuration states it. Writes nothing. */
#ifndef ISST_STATE_COMPARE_H
#define ISST_STATE_COMPARE_H

#include "isst-config.h"
#include "state/wanted.h"

struct isst_config_difference {
	char *target;			  /* `package 0, die 0: CLOS 2 max`, `CPUs 0-3: CLOS` */
	size_t subject;			  /* where that begins in it; 0: it has none */
	const struct isst_domain *domain; /* NULL: several, or those of @cpus are not known */
	struct isst_cpuset *cpus;	  /* that differ; NULL: it is not of CPUs */
	char *wanted; /* as it was stated, once words for frequencies are numbers */
	char *present;
	struct origin origin;
	char *origin_text;	   /* the library's */
	struct isst_cpuset *lines; /* of the same source, which state the same; NULL: that one */
};

struct differences {
	struct isst_config_difference *items;
	size_t count;
};

/** Reads what is wanted, and lists what differs: cores and CPUs that differ alike together. Returns
 * 0, -EOPNOTSUPP or -EIO (problems were added to the configuration: the machine is without
 * something, or it cannot be read) or -ENOMEM. To be cleared with differences_clear() in either
 * case. */
int wanted_compare(struct wanted *wanted, struct differences *differences);
void differences_clear(struct differences *differences);

/** Adds a difference, whose texts (NULL: there was no memory for them) are the list's from then on,
 * and are freed on error. Returns 0 or -ENOMEM. */
int differences_add(struct differences *differences, struct isst_config_difference *difference);

/** Frees the texts of a difference that is in no list. */
void difference_clear(struct isst_config_difference *difference);

/* ---- CPUs in use ---- */

/** Adds what differs of domains for which CPUs are stated. CPUs that the kernel keeps offline while
 * SMT is off are as stated; a notice names them. Returns as wanted_compare(). */
int cpus_compare(struct wanted *wanted, struct differences *differences);

/** What a setting of CPUs asks for. */
enum cpus_wanted cpus_wanted_of(const struct setting *setting);

/** CPUs that shall not all be offline by a setting, and are: of packages and dies that are offline
 * as a whole, and so no domain. To be freed. Returns 0 or -ENOMEM. */
int cpus_find_unreachable(const struct isst_context *context, const struct setting *setting,
			  struct isst_cpuset **cpus);

/** Plan CPUs that come online, or that go: cpus_plan.c. Return 0 or -ENOMEM. */
int cpus_plan_all_online(struct wanted *wanted);
int cpus_plan_all_offline(struct wanted *wanted);

/** The setting of CPUs that counts wherever no other one does; NULL: none, or just for targets. */
const struct setting *cpus_find_everywhere(const struct wanted *wanted);

/** Whether a package is offline as a whole, and CPUs of it shall not be: a change cannot be planned
 * there, but what is stated for it is no mistake. */
bool cpus_want_package(const struct wanted *wanted, unsigned int package);

/** CPUs that come online by the steps planned so far, and were offline ever since, belong to cores
 * and domains that are not known yet: what is stated of CPUs cannot be planned for them. Adds that
 * as problems. Returns 0 or -ENOMEM. */
int cpus_check_unknown(struct wanted *wanted);

/** Adds settings with the present state of the targets of @wanted, unless it is as @except (which
 * may be NULL) states it. What no setting describes is unmanaged, with a notice. Returns 0, -EIO
 * with a problem, or -ENOMEM. */
int cpus_add_state(struct wanted *wanted, struct configuration *configuration, struct origin origin,
		   const struct configuration *except);

#endif
