/* SPDX-License-Identifier: BSD-3-Clause */
/* Where CPUs are: package, power domain and core. One that was never online may be anywhere. */
#ifndef ISST_STATE_CPU_PLACES_H
#define ISST_STATE_CPU_PLACES_H

#include "isst.h"

/** A checksum of where CPUs are. Returns whether that is known of all of them. */
bool cpu_places_checksum(const struct isst_context *context, const struct isst_cpuset *cpus,
			 uint64_t *checksum);

/** CPUs of which it is known where they are. To be freed; NULL without memory. */
struct isst_cpuset *cpu_places_known(const struct isst_context *context);

/** CPUs of a set that are present, and of which it is not known. To be freed; NULL without memory.
 */
struct isst_cpuset *cpu_places_unknown(const struct isst_context *context,
				       const struct isst_cpuset *cpus);

#endif
