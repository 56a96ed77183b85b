/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packages, dies, power domains, cores and CPUs of a machine: found out as a whole, and changed by
 * nothing but another discovery. Knows the kernel's lists and the firmware's numbers; nothing of
 * features.
 */
#ifndef ISST_TOPOLOGY_TOPOLOGY_H
#define ISST_TOPOLOGY_TOPOLOGY_H

#include "base/place.h"

struct driver;
struct firmware_operations;
struct kernel_files;
struct messages;
struct runtime_directory;

/** Where a CPU is that may go offline, and lose its topology files. */
struct cached_cpu {
	unsigned int number, package, die, domain, core, thread;
};

struct topology_domain {
	struct isst_domain public; /* first: a pointer to it is a pointer to this */
	struct isst_cpuset *present, *online;
	bool split;		      /* one of several of its package, identified by its number */
	struct topology_domain *heir; /* while one topology inherits from another */
	/* Cores of number 32 and above may exist; and do exist for certain. */
	bool may_have_high_cores, has_high_cores;
	/* Why the cores of some CPU are not known; NULL if all are. Then no list of CPUs can be
	 * made from cores. */
	const char *unknown_core;
	/* Why CPUs that may belong to it are not known at all; NULL if all are. */
	const char *unknown_cpus;
};

struct topology_cpu {
	struct isst_cpu public;
	struct topology_domain *domain;
	unsigned int punit_domain; /* the firmware's number, where the core is known */
	const char *unknown_core;  /* why it is not known, or NULL */
};

enum { TOPOLOGY_DOMAINS = 32 }; /* of a package, that the driver can offer */

/** A power domain that the kernel or its CPUs report, and the driver does not provide. */
struct unserved_domain {
	unsigned int package, number;
	bool whole; /* none of the package is offered, whatever the number */
};

struct topology {
	struct isst_cpuset *present, *online;
	unsigned int mask_bits;
	struct topology_domain **domains; /* by package, die, number */
	size_t domain_count;
	struct topology_cpu **cpus; /* by number */
	size_t cpu_count;
	const char **left_out; /* see isst_left_out_at() */
	size_t left_out_count;
	const char **offline_parts; /* see isst_offline_part_at() */
	size_t offline_part_count;
	/* CPUs that are offline together with their whole package or die, as remembered. */
	struct cached_cpu *unreachable;
	size_t unreachable_count;
	struct unserved_domain *unserved;
	size_t unserved_count;
	/* Handed out before, and not found any more: kept, since pointers to them may be about. */
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

/** Discovers the topology. Returns 0, -EIO or -EPERM with a message, or -ENOMEM. To be freed with
 * topology_free(). */
int topology_discover(const struct topology_sources *sources, struct topology **topology);

void topology_free(struct topology *topology);

/**
 * Makes a new topology take the place of an older one: what is the same domain, CPU or set of both
 * keeps its address, with what is true now; what no longer exists is kept aside. Frees @old.
 * Returns 0, or -ENOMEM with nothing changed.
 */
int topology_inherit(struct topology *topology, struct topology *old);

/** Whether a domain or CPU is one of this topology; or was one of an earlier one, and is lost. */
bool topology_has_domain(const struct topology *topology, const struct isst_domain *domain);
bool topology_has_lost_domain(const struct topology *topology, const struct isst_domain *domain);
bool topology_has_cpu(const struct topology *topology, const struct isst_cpu *cpu);
bool topology_has_lost_cpu(const struct topology *topology, const struct isst_cpu *cpu);

/**
 * The domain of those numbers, or NULL. Where a package is split into power domains their numbers
 * identify it: the die is ignored.
 */
struct topology_domain *topology_find_domain(const struct topology *topology, unsigned int package,
					     unsigned int die, unsigned int number);

/** How messages name a domain: by its number where its package is @split into power domains, else
 * by its die. Lives as long as @messages. */
const char *topology_domain_name(struct messages *messages, bool split,
				 const struct isst_domain *domain);

/** What the topology keeps of a domain that it handed out. */
static inline const struct topology_domain *topology_domain(const struct isst_domain *domain)
{
	return (const struct topology_domain *)domain;
}

/** The CPU of that number, or NULL. */
const struct topology_cpu *topology_cpu(const struct topology *topology, unsigned int number);

/** Whether a CPU is known to be of a package or die that is offline as a whole. */
bool topology_is_unreachable(const struct topology *topology, unsigned int number);

/** Whether the driver does not offer a power domain that the machine may have. */
bool topology_is_unserved(const struct topology *topology, unsigned int package,
			  unsigned int number);

/**
 * CPUs of a domain's cores, given as a mask (bit i: core i); offline ones included as far as known.
 * To be freed; NULL without memory.
 */
struct isst_cpuset *topology_cpus_of_cores(const struct topology *topology,
					   const struct isst_domain *domain, uint64_t cores);

#endif
