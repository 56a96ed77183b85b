/* SPDX-License-Identifier: BSD-3-Clause */
/* What only the library does with a set of CPUs; the rest is in isst.h. */
#ifndef ISST_BASE_CPUSET_H
#define ISST_BASE_CPUSET_H

#include <stdbool.h>

struct isst_cpuset;

/** Exchanges what two sets hold; it cannot fail. */
void cpuset_swap(struct isst_cpuset *one, struct isst_cpuset *other);

/** Takes all CPUs out of a set. */
void cpuset_clear(struct isst_cpuset *set);

/** Takes a CPU out of a set, in which it need not be. Returns 0 or -ENOMEM (the set is as before).
 */
int cpuset_remove(struct isst_cpuset *set, unsigned int cpu);

/** Adds the CPUs of @from that are in @other, or are not. NULL is an empty set. Returns 0 or
 * -ENOMEM, also where there is no @set. */
int cpuset_add_common(struct isst_cpuset *set, const struct isst_cpuset *from,
		      const struct isst_cpuset *other);
int cpuset_add_except(struct isst_cpuset *set, const struct isst_cpuset *from,
		      const struct isst_cpuset *other);

/** Whether two sets hold the same CPUs; whether they have any in common. NULL is an empty set. */
bool cpuset_is_equal(const struct isst_cpuset *one, const struct isst_cpuset *other);
bool cpuset_overlaps(const struct isst_cpuset *one, const struct isst_cpuset *other);

/** Whether a set holds all CPUs of another one. NULL is an empty set. */
bool cpuset_contains(const struct isst_cpuset *set, const struct isst_cpuset *part);

/** The first run of successive CPUs that ends at @from or above. Returns whether there is one. */
bool cpuset_next_run(const struct isst_cpuset *set, unsigned int from, unsigned int *first,
		     unsigned int *last);

#endif
