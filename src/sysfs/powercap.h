/* SPDX-License-Identifier: BSD-3-Clause */
/* Power that packages draw, and their limits: intel_rapl of powercap. */
#ifndef ISST_SYSFS_POWERCAP_H
#define ISST_SYSFS_POWERCAP_H

#include "sysfs/kernel_files.h"

/** The zone of a package, or of one of its dies. */
struct power_zone {
	char *directory;
	unsigned int package, die;
	bool of_die;		     /* else it is the whole package, whatever @die is */
	uint64_t range_uj, limit_uw; /* of the counter; the lowest limit */
	unsigned int constraint;     /* that limit's number */
	bool short_term;	     /* it is not the long-term one */
	uint64_t energy_uj, time_ns; /* since powercap_begin() */
	int64_t at_ns;		     /* time of the last reading */
	uint64_t counter_uj;
};

struct power_zones {
	struct power_zone *zones;
	size_t count;
};

/** Finds zones with a limit, of these packages (NULL: all). To be cleared in any case.
 * Returns 0, -ENOENT (no powercap; no message), or as kernel_files_text(). */
int powercap_find(struct kernel_files *files, const struct isst_cpuset *packages,
		  struct power_zones *zones);
void powercap_clear(struct power_zones *zones);

/** The zone of a die of a package, or NULL. */
struct power_zone *powercap_zone(const struct power_zones *zones, unsigned int package,
				 unsigned int die);

/** Begins to measure; adds the energy since. Read again within minutes: the counter wraps. Errors
 * as kernel_files_number(); only root may read it. */
int powercap_begin(struct kernel_files *files, struct power_zone *zone);
int powercap_add(struct kernel_files *files, struct power_zone *zone);

/** Adds the energy since the reading of the same zone in @before; begins anew if that is missing,
 * too old, or the counter was reset. */
int powercap_continue(struct kernel_files *files, struct power_zone *zone,
		      const struct power_zones *before);

/** Average power in mW; 0: not measured. */
uint64_t powercap_mw(const struct power_zone *zone);

#endif
