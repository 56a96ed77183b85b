/* SPDX-License-Identifier: BSD-3-Clause */
/* What library and command judge alike. */
#ifndef ISST_COMMON_JUDGE_H
#define ISST_COMMON_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

/* CLOS 0 and 1 have high priority. */
enum { LAST_HIGH_CLOS = 1 };

/** Whether a class's maximum keeps high priority cores below the frequency of their bucket (0: none
 * or unknown). A maximum of 0 is handled elsewhere: it keeps them below all. */
static inline bool clos_max_is_below_bucket(unsigned int max_mhz, unsigned int bucket_mhz)
{
	return max_mhz > 0 && max_mhz < bucket_mhz;
}

/** Whether a power limit is below what its level is specified for: a part of a watt is neither. */
static inline bool power_limit_is_below_tdp(uint64_t limit_mw, unsigned int tdp_w)
{
	return limit_mw / 1000 < tdp_w;
}

#endif
