/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of CPUs, such as `node:1`. */
#ifndef ISST_BASE_CPU_NAME_H
#define ISST_BASE_CPU_NAME_H

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

#endif
