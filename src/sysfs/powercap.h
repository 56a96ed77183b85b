/* SPDX-License-Identifier: BSD-3-Clause */
/* Power that packages draw, and their limits, as the kernel's intel_rapl shows them (powercap). */
#ifndef ISST_SYSFS_POWERCAP_H
#define ISST_SYSFS_POWERCAP_H

#include "sysfs/kernel_files.h"

/** A zone of powercap that is a package, or one of its dies. */
struct power_zone {
	char *directory;
	unsigned int package, die;
	bool of_die;		     /* else it is the whole package, whatever @die is */
	uint64_t range_uj, limit_uw; /* of the counter; the long-term limit */
	/* What was drawn since powercap_begin(), and in which time. */
	uint64_t energy_uj, time_ns;
	/* When it was last read, and as what. */
	int64_t at_ns;
	uint64_t counter_uj;
};

struct power_zones {
	struct power_zone *zones;
	size_t count;
};

/** Finds the zones that have a long-term limit. Returns 0, -ENOENT (the kernel has no powercap; no
 * message), or as kernel_files_text(). To be cleared in any case. */
int powercap_find(struct kernel_files *files, struct power_zones *zones);
void powercap_clear(struct power_zones *zones);

/** The zone of a die of a package, or NULL. */
struct power_zone *powercap_zone(const struct power_zones *zones, unsigned int package,
				 unsigned int die);

/** Begins to measure, and adds what was drawn since. The counter wraps around: it has to be read
 * again within minutes. Errors as kernel_files_number(); only root may read it. */
int powercap_begin(struct kernel_files *files, struct power_zone *zone);
int powercap_add(struct kernel_files *files, struct power_zone *zone);

/** Adds what was drawn since the reading of the same zone among others that were found before; if
 * it is not there, could not be read, was read too long ago, or the counter began anew, begins. */
int powercap_continue(struct kernel_files *files, struct power_zone *zone,
		      const struct power_zones *before);

/** The average power, in mW; 0: it was not measured. */
uint64_t powercap_mw(const struct power_zone *zone);

#endif
