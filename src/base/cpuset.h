/* SPDX-License-Identifier: BSD-3-Clause */
/* What only the library does with a set of CPUs; the rest is in isst.h. */
#ifndef ISST_BASE_CPUSET_H
#define ISST_BASE_CPUSET_H

struct isst_cpuset;

/** Exchanges what two sets hold; it cannot fail. */
void cpuset_swap(struct isst_cpuset *one, struct isst_cpuset *other);

/** Takes all CPUs out of a set. */
void cpuset_clear(struct isst_cpuset *set);

#endif
