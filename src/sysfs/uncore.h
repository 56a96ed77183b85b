/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequency limits of the uncore: a directory for each die; by TPMI for each fabric cluster of a
 * power domain, in any order, and for each package, whose limits bound theirs. */
#ifndef ISST_SYSFS_UNCORE_H
#define ISST_SYSFS_UNCORE_H

#include "sysfs/cpufreq.h"

/** The owner of limits. */
struct uncore_place {
	unsigned int package, die;
	bool of_domain; /* of a fabric cluster of a power domain; else of the die */
	unsigned int domain, cluster;
};

/** Turns the place of a power domain into that of its package. */
void uncore_package_place(struct uncore_place *place);

/** A limit in kHz. -ENOENT: the kernel has no such directory. */
int uncore_read_limit(struct kernel_files *files, const struct uncore_place *place,
		      enum cpufreq_limit limit, uint64_t *khz);

/** The limit when the kernel's driver was loaded. As above. */
int uncore_read_initial(struct kernel_files *files, const struct uncore_place *place,
			enum cpufreq_limit limit, uint64_t *khz);

/** The highest cluster number of a power domain plus one, 1 for a die, 0 without a directory.
 * @place->cluster is ignored. */
int uncore_count_clusters(struct kernel_files *files, const struct uncore_place *place,
			  unsigned int *count);

/** How many clusters a package has. Returns 0 or a negative errno. */
int uncore_count_of_package(struct kernel_files *files, unsigned int package, size_t *count);

/** Writes a limit, or the nearest one that the package's limits allow, which takes a few more
 * writes; read it back. */
int uncore_write_limit(struct kernel_files *files, const struct uncore_place *place,
		       enum cpufreq_limit limit, uint64_t khz);

/** Whether the kernel would refuse the present limit: firmware set an invalid one, or one beyond
 * the package's (found by writing it, which changes nothing). -ENOENT: the package has no
 * directory. */
int uncore_check_present(struct kernel_files *files, const struct uncore_place *place,
			 enum cpufreq_limit limit, bool *refused);

/** Whether numbers do not identify the place's directory: several clusters of the package have the
 * same ones (kernels whose domain_id counts from 0 in each device; then none of them is found), or
 * a cluster's do not show its power domain. */
bool uncore_is_ambiguous(struct kernel_files *files, const struct uncore_place *place);

/** The directory of a place; to be freed. -ENOENT: there is none. */
int uncore_directory(struct kernel_files *files, const struct uncore_place *place, char **path);

void uncore_forget(struct kernel_files *files);

#endif
