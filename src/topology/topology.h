/* SPDX-License-Identifier: BSD-3-Clause */
/* Packages, dies, power domains, cores and CPUs: discovered as a whole, changed only by another
 * discovery. Knows nothing of features. */
#ifndef ISST_TOPOLOGY_TOPOLOGY_H
#define ISST_TOPOLOGY_TOPOLOGY_H

#include "base/place.h"

struct driver;
struct firmware_operations;
struct kernel_files;
struct messages;
struct runtime_directory;

/** The location of a CPU, remembered for when it is offline and has no topology files. */
struct cached_cpu {
	unsigned int number, package, die, domain, core, thread;
};

struct topology_domain {
	struct isst_domain public; /* first: a pointer to it is a pointer to this */
	struct isst_cpuset *present, *online;
	bool split;		      /* one of several of its package, identified by its number */
	struct topology_domain *heir; /* while one topology inherits from another */
	bool may_have_high_cores, has_high_cores; /* cores from 32 on may exist; do exist */
	const char *unknown_core; /* why the core of a CPU is unknown, so that cores do not give
				     CPUs; or NULL */
	const char *unknown_cpus; /* why CPUs that may belong to it are unknown, or NULL */
};

struct topology_cpu {
	struct isst_cpu public;
	struct topology_domain *domain;
	unsigned int punit_domain; /* the firmware's number, if the core is known */
	const char *unknown_core;  /* why it is unknown, or NULL */
	int unreported;		   /* the driver's error, or 1: its answer is no number */
};

enum { TOPOLOGY_DOMAINS = 32 }; /* of a package, that the driver can provide */

/** A power domain that the kernel or its CPUs report, but the driver does not provide. */
struct unserved_domain {
	unsigned int package, number;
	bool whole; /* none of the package is provided */
};

struct topology {
	struct isst_cpuset *present, *online;
	unsigned int mask_bits;
	struct topology_domain **domains; /* by package, die, number */
	size_t domain_count;
	struct topology_cpu **cpus; /* by number */
	size_t cpu_count;
	struct message_list left_out, offline_parts; /* see isst_left_out_at() and the like */
	bool may_have_packages;			     /* of CPUs that were not seen */
	struct cached_cpu *unreachable;		     /* whose whole package or die is offline */
	size_t unreachable_count;
	struct unserved_domain *unserved;
	size_t unserved_count;
	/* No longer found, but kept: callers may have pointers to them. */
	struct topology_domain **lost_domains;
	size_t lost_domain_count;
	struct topology_cpu **lost_cpus;
	size_t lost_cpu_count;
};

/** What discovery needs. */
struct topology_sources {
	struct kernel_files *files;
	struct driver *driver;
	const struct firmware_operations *operations;
	struct messages *messages;
	const struct runtime_directory *runtime;
};

void topology_free(struct topology *topology);

/** Lets a new topology replace an old one, which is freed: domains, CPUs and sets that are still
 * there keep their addresses; others are kept aside. Returns 0, or -ENOMEM with nothing changed. */
int topology_inherit(struct topology *topology, struct topology *old);

/** The domain with these numbers, or NULL. The die of a power domain is ignored. */
struct topology_domain *topology_find_domain(const struct topology *topology, unsigned int package,
					     unsigned int die, unsigned int number);

/** The name of a domain in messages: by its number if its package is @split, else by its die. */
const char *topology_domain_name(struct messages *messages, bool split,
				 const struct isst_domain *domain);

static inline const struct topology_domain *topology_domain(const struct isst_domain *domain)
{
	return (const struct topology_domain *)domain;
}

/** The CPU with that number, or NULL. */
struct topology_cpu *topology_find_cpu(const struct topology *topology, unsigned int number);

/** Whether the whole package or die of a CPU is known to be offline. */
bool topology_is_unreachable(const struct topology *topology, unsigned int number);

/** Whether the driver does not provide a power domain that the machine may have. */
bool topology_is_unserved(const struct topology *topology, unsigned int package,
			  unsigned int number);

/** CPUs of a domain's cores (bit i: core i), with known offline ones; NULL without memory. */
struct isst_cpuset *topology_cpus_of_cores(const struct topology *topology,
					   const struct isst_domain *domain, uint64_t cores);

#endif
