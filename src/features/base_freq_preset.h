/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-BF on and off where the BIOS has set it up for good. */
#ifndef ISST_FEATURES_BASE_FREQ_PRESET_H
#define ISST_FEATURES_BASE_FREQ_PRESET_H

#include "features/planning.h"

/** As change_plan_base_freq(), on a preset platform. */
int plan_preset_base_freq(struct isst_change *change, struct domain_request *requests, size_t count,
			  bool enable, bool automatic);

#endif
