/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_TARGETS_H
#define ISST_CLI_TARGETS_H

#include "../report/report.h"

/** The name of a domain in output, from before the change: it depends on online CPUs. */
struct unit_place {
	unsigned int package, die, number;
	bool die_known, has_cpu;
};

struct unit {
	const struct isst_domain *domain;
	struct unit_place place;
	unsigned int cpu; /* stands for the unit in output */
	bool is_cpu;	  /* it is that CPU */
	size_t slot;	  /* index of its domain in the targets' domains */
	bool first;	  /* the first unit of its domain: messages about the domain come here */
};

/** What the units are where no CPUs are named. */
enum unit_kind {
	UNIT_DOMAIN,	      /* power domains */
	UNIT_DOMAIN_WITH_CPU, /* power domains, but for those without CPUs */
	UNIT_CPU,	      /* CPUs that are online */
	UNIT_PRESENT,	      /* power domains; CPUs that are named may be offline */
};

struct targets {
	struct unit *units;
	size_t unit_count;
	const struct isst_domain **domains; /* of the units, each once */
	size_t domain_count;
	bool named; /* by --cpu */
};

#define for_each_unit(unit, targets) \
	for (const struct unit *unit = (targets)->units; \
	     unit < (targets)->units + (targets)->unit_count; unit++)

/** Finds the units: @cpus, or without (NULL) those of @kind. Returns 0, or -EOPNOTSUPP after
 * reporting CPUs that cannot be targets. */
int targets_find(struct targets *targets, const struct isst_context *context, enum unit_kind kind,
		 const struct isst_cpuset *cpus, struct report *report);
void targets_keep_packages(struct targets *targets, const struct isst_cpuset *packages);
void targets_clear(struct targets *targets);

/** Whether a CPU of a domain, online or not, is one of @cpus. */
bool domain_has_cpu_of(const struct isst_domain *domain, const struct isst_cpuset *cpus);

/** The steps of a domain: package, die, power domain. Returns their number. */
size_t domain_path(const struct isst_domain *domain, struct isst_context *context,
		   struct report_step path[REPORT_PATH_STEPS]);

/** Adds package, die and power domain, in json-v2 alone. @domain: NULL: none */
void report_domain_place(struct report_node *node, const struct isst_domain *domain,
			 struct isst_context *context);

/** Adds a unit to a report, at its package, die, power domain and CPU. */
struct report_node *unit_report(const struct unit *unit, struct isst_context *context,
				struct report *report);

#endif
