/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of discovery, which build up a topology one after the other; for this layer only. */
#ifndef ISST_TOPOLOGY_STEPS_H
#define ISST_TOPOLOGY_STEPS_H

#include "topology/topology.h"

enum { TOPOLOGY_CORES = 64 }; /* that the firmware's core masks can name */

/** Asks the driver for the firmware's number of each online CPU. */
int topology_read_cores(const struct topology_sources *sources, struct topology *topology);

/** Takes the kernel's number of each online CPU's core in place of the firmware's. */
int topology_take_kernel_cores(const struct topology_sources *sources, struct topology *topology);

/**
 * Where a package consists of power domains: regroups the CPUs by the firmware's numbers,
 * and adds the domains that have no CPUs. CPUs of a domain that the driver does not offer are left
 * out, with a notice.
 */
int topology_split_packages(const struct topology_sources *sources, struct topology *topology);

/** Trusts no location that is reported for two CPUs, and no core that no mask can name. */
int topology_check_places(const struct topology_sources *sources, struct topology *topology);

/** The order of struct topology_cpu ** whose cores are known, by domain, core and thread. */
int topology_compare_places(const void *left, const void *right);

/** A new domain of a package and die, the last one. NULL without memory. */
struct topology_domain *topology_add_domain(struct topology *topology, unsigned int package,
					    unsigned int die);

void topology_free_domain(struct topology_domain *domain);

/** Puts the domains into their order and gives them index, name, and the CPU that stands for them.
 */
void topology_order_domains(const struct topology_sources *sources, struct topology *topology);

/** Adds the CPUs that are offline as far as they are remembered, and remembers what is known now.
 */
int topology_recall_offline(const struct topology_sources *sources, struct topology *topology);

/**
 * Describes the packages and dies that are offline as a whole, and the CPUs of @unseen, of which it
 * is not known whether they are such a part. Returns 0 or -ENOMEM.
 */
int topology_describe_offline(const struct topology_sources *sources, struct topology *topology,
			      const struct isst_cpuset *unseen);

/** Notes that a part of the machine is left out. Returns 0 or -ENOMEM. */
int topology_leave_out(struct topology *topology, const char *what);

/** The same of a CPU whose core is not known; else nothing is done. */
int topology_leave_out_core(const struct topology_sources *sources, struct topology *topology,
			    const struct topology_cpu *cpu);

/** The CPU of that number, or NULL. */
struct topology_cpu *topology_find_cpu(const struct topology *topology, unsigned int number);

/** Puts the table of CPUs into the order in which it is searched. */
void topology_sort_cpus(struct topology *topology);

/** Makes a CPU one of a domain. Returns 0 or -ENOMEM. */
int topology_add_to_domain(struct topology_domain *domain, struct topology_cpu *cpu);

#endif
