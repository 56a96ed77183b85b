/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that stand for CPUs: of places, and of what their cores are. */
#ifndef ISST_FEATURES_CPU_NAMES_H
#define ISST_FEATURES_CPU_NAMES_H

struct isst_context;
struct isst_cpuset;

enum cpu_name_kind {
	CPU_NAME_CLOS,		/* clos:N */
	CPU_NAME_HIGH_PRIORITY, /* high-priority */
	CPU_NAME_PACKAGE,	/* package:N */
	CPU_NAME_DOMAIN,	/* domain:P.D */
	CPU_NAME_NODE,		/* node:N */
	CPU_NAME_ISOLATED,	/* isolated */
};

struct cpu_name {
	enum cpu_name_kind kind;
	unsigned int number; /* of a CLOS, package or node; the package of a domain */
	unsigned int domain;
};

/** Understands a name. Returns 0 or -EINVAL. */
int cpu_name_parse(const char *text, struct cpu_name *name);

/**
 * Finds the CPUs that a name stands for, as far as they are online and belong to a known domain.
 *
 * @cpus: empty before; on error it stays so
 * Returns 0, or with a message -EOPNOTSUPP (the machine has no such place, or no such CPU), -EIO
 * and the like (it cannot be read), -EINTR or -ENOMEM.
 */
int cpu_name_find(struct isst_context *context, const struct cpu_name *name,
		  struct isst_cpuset *cpus);

#endif
