/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_CLI_CORES_H
#define ISST_CLI_CORES_H

#include "run.h"

/** Of a core whose class could not be read, and of one that has none. */
enum { CLOS_UNKNOWN = -1, CLOS_NONE = -2 };

struct core {
	const struct isst_domain *domain;
	bool number_known;
	unsigned int number; /* the firmware's */
	bool in_module;	     /* other cores have the same number */
	struct isst_cpuset *cpus, *online;
	unsigned int first;  /* of its CPUs, or of those of its module */
	unsigned int lowest; /* of its CPUs */
	bool is_first;	     /* of those with its number */
	int clos;
};

struct cores {
	struct core *all; /* by domain, module, CPU */
	size_t count;
	size_t *first;		      /* of each domain, by its index */
	bool complete;		      /* the core of each CPU that is online is known */
	struct isst_cpuset *unplaced; /* CPUs that are offline, and of no domain that is known */
};

#define for_each_core(core, cores, domain) \
	for (const struct core *core = (cores)->all + (cores)->first[isst_domain_index(domain)]; \
	     core < (cores)->all + (cores)->first[isst_domain_index(domain) + 1]; core++)

/** Finds the cores, without classes; to be cleared. */
void cores_find(struct run *run, struct cores *cores);
void cores_clear(struct cores *cores);

/** Reads the class of each number of online cores, but for those that have none (CLOS_NONE). */
void cores_read_clos(struct run *run, struct cores *cores);

#endif
