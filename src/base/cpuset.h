/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal operations on sets of CPUs; others are in isst.h. A const set may be NULL: empty. */
#ifndef ISST_BASE_CPUSET_H
#define ISST_BASE_CPUSET_H

#include <stdbool.h>

struct isst_cpuset;

/** Exchanges the contents of two sets. */
void cpuset_swap(struct isst_cpuset *one, struct isst_cpuset *other);

void cpuset_clear(struct isst_cpuset *set);

/** Adds the CPUs of @from that are in @other, or are not. Returns 0 or -ENOMEM, also if @set is
 * NULL. */
int cpuset_add_common(struct isst_cpuset *set, const struct isst_cpuset *from,
		      const struct isst_cpuset *other);
int cpuset_add_except(struct isst_cpuset *set, const struct isst_cpuset *from,
		      const struct isst_cpuset *other);

bool cpuset_overlaps(const struct isst_cpuset *one, const struct isst_cpuset *other);
bool cpuset_contains(const struct isst_cpuset *set, const struct isst_cpuset *part);

/** The first run of consecutive CPUs that ends at @from or above; false: there is none. */
bool cpuset_next_run(const struct isst_cpuset *set, unsigned int from, unsigned int *first,
		     unsigned int *last);

#endif
