/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frequency limits of the uncore. The kernel has a directory for each die, named after it; on TPMI
 * platforms one for each fabric cluster of a power domain, numbered as they were found, and besides
 * one for each package: theirs cannot leave what was last written to that.
 */
#ifndef ISST_SYSFS_UNCORE_H
#define ISST_SYSFS_UNCORE_H

#include "sysfs/cpufreq.h"

/** What the limits are of. */
struct uncore_place {
	unsigned int package, die;
	bool of_domain; /* of a fabric cluster of a power domain; else of the die */
	unsigned int domain, cluster;
};

/** Makes the place of a power domain that of its package, which holds all of them. */
void uncore_package_place(struct uncore_place *place);

/** A limit in kHz. -ENOENT where the kernel has no such directory. */
int uncore_read_limit(struct kernel_files *files, const struct uncore_place *place,
		      enum cpufreq_limit limit, uint64_t *khz);

/** A limit as the kernel found it at boot, or when its driver was loaded. As above. */
int uncore_read_initial(struct kernel_files *files, const struct uncore_place *place,
			enum cpufreq_limit limit, uint64_t *khz);

/** The highest number of a cluster of the place's power domain plus one, 1 for a die; 0 where the
 * kernel has no such directory. @place->cluster means nothing. */
int uncore_count_clusters(struct kernel_files *files, const struct uncore_place *place,
			  unsigned int *count);

/** How many clusters a package has. Returns 0 or a negative errno. */
int uncore_count_of_package(struct kernel_files *files, unsigned int package, size_t *count);

/** Writes a limit. One that the limits of the package forbid becomes the nearest that they allow,
 * as is seen by reading it back; that takes a few more writes, as they cannot be read. */
int uncore_write_limit(struct kernel_files *files, const struct uncore_place *place,
		       enum cpufreq_limit limit, uint64_t khz);

/** Whether the kernel would not take the present limit again: firmware set one that is no frequency
 * to it, or of a power domain one beyond that of its package. The latter is found by writing it,
 * which changes nothing. -ENOENT where the package has no limit: the kernel has no
 * directory for it. */
int uncore_check_present(struct kernel_files *files, const struct uncore_place *place,
			 enum cpufreq_limit limit, bool *refused);

/**
 * Whether the place may be one of the kernel's directories, but its numbers do not show which: the
 * same ones are given to several clusters of the package, as by kernels whose domain_id counts from
 * 0 in each of a package's devices, or those of a cluster do not identify its power domain. It is
 * not to be found then; in the first case no cluster of the package is.
 */
bool uncore_is_ambiguous(struct kernel_files *files, const struct uncore_place *place);

/** The directory of a place; *@path is to be freed. -ENOENT where there is none. */
int uncore_directory(struct kernel_files *files, const struct uncore_place *place, char **path);

/** Releases what was found out about clusters. */
void uncore_forget(struct kernel_files *files);

#endif
