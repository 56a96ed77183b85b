/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that an interrupted change brought about without noting them. */
#ifndef ISST_TRANSACTION_LEVEL_SIDE_EFFECTS_H
#define ISST_TRANSACTION_LEVEL_SIDE_EFFECTS_H

#include "transaction/tracked.h"

/**
 * Whether the present value of an item that a level change disturbs is what the level change, or a
 * rollback that was cut off, makes of it.
 */
bool explained_by_level(struct isst_journal *journal, const struct tracked *tracked);

/** The same of classes, which some firmware resets when core-power is enabled. */
bool explained_by_core_power(const struct isst_journal *journal, const struct tracked *tracked);

/** The same of uncore limits, which a write of the limit of their package has set. */
bool explained_by_package(const struct isst_journal *journal, const struct tracked *tracked);

/** The same as explained_by_level() of what partitions that were being made, or removed, leave in
 * between: they are several files, and need the cpuset controller. */
bool explained_by_partition(const struct isst_journal *journal, const struct tracked *tracked);

/** The same of groups of cgroup v1 cpusets, which lose CPUs that go offline. */
bool explained_by_hotplug(const struct isst_journal *journal, const struct tracked *tracked);

#endif
