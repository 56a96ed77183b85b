/* SPDX-License-Identifier: BSD-3-Clause */
/* What SST-TF makes of classes of service: the same for library and command. */
#ifndef ISST_COMMON_PRIORITIES_H
#define ISST_COMMON_PRIORITIES_H

#include <stdbool.h>

/* CLOS 0 and 1 have high priority. */
enum { LAST_HIGH_CLOS = 1 };

/** Whether a class's maximum keeps high priority cores below the frequency of their bucket (0: none
 * or unknown). A maximum of 0 is handled elsewhere: it keeps them below all. */
static inline bool clos_max_is_below_bucket(unsigned int max_mhz, unsigned int bucket_mhz)
{
	return max_mhz > 0 && max_mhz < bucket_mhz;
}

#endif
