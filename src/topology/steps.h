/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of discovery; for this layer only. They return 0 or a negative errno. */
#ifndef ISST_TOPOLOGY_STEPS_H
#define ISST_TOPOLOGY_STEPS_H

#include "topology/topology.h"

enum { TOPOLOGY_CORES = 64 }; /* that the firmware's core masks can name */

/** Reads the firmware's number of each online CPU. */
int topology_read_cores(const struct topology_sources *sources, struct topology *topology);

/** Uses the kernel's numbers of cores in place of the firmware's. */
int topology_take_kernel_cores(const struct topology_sources *sources, struct topology *topology);

/** Regroups CPUs into power domains by the firmware's numbers, and adds domains without CPUs. CPUs
 * of domains that the driver does not provide are left out. */
int topology_split_packages(const struct topology_sources *sources, struct topology *topology);

/** Rejects locations reported for two CPUs, and cores that no mask can name, and notes which CPUs
 * are left out for an unknown core. */
int topology_check_places(const struct topology_sources *sources, struct topology *topology);

/** Orders struct topology_cpu ** with known cores by domain, core and thread. */
int topology_compare_places(const void *left, const void *right);

/** Adds a domain of a package and die; NULL without memory. */
struct topology_domain *topology_add_domain(struct topology *topology, unsigned int package,
					    unsigned int die);

void topology_free_domain(struct topology_domain *domain);

/** Sorts the domains, and sets their index, name and CPU. */
void topology_order_domains(const struct topology_sources *sources, struct topology *topology);

/** Adds remembered offline CPUs, and remembers what is known now. */
int topology_recall_offline(const struct topology_sources *sources, struct topology *topology);

/** Describes packages and dies that are entirely offline, and CPUs of unknown location (@unseen).
 */
int topology_describe_offline(const struct topology_sources *sources, struct topology *topology,
			      const struct isst_cpuset *unseen);

/** Adds a part of the machine to one of the lists of those that calls for all do not cover. */
__attribute__((format(printf, 5, 6))) int
topology_note(const struct topology_sources *sources, struct message_list *list,
	      enum isst_message_code code, struct message_place place, const char *format, ...);

/** Sorts the table of CPUs, by number. */
void topology_sort_cpus(struct topology *topology);

/** Moves a CPU to a domain. */
int topology_add_to_domain(struct topology_domain *domain, struct topology_cpu *cpu);

#endif
