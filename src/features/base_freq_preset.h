/* SPDX-License-Identifier: BSD-3-Clause */
/* SST-BF on and off where the BIOS has set it up for good. */
#ifndef ISST_FEATURES_BASE_FREQ_PRESET_H
#define ISST_FEATURES_BASE_FREQ_PRESET_H

#include "features/planning.h"

/** As isst_plan_base_freq(), on a preset platform. */
int plan_preset_base_freq(struct isst_change *change, struct isst_request *requests, size_t count,
			  bool enable, bool automatic);

/** Whether every online CPU of a domain is held at its own base frequency. Returns 0 or 1, or a
 * negative errno with a message. */
int preset_base_freq_is_on(struct isst_context *context, const struct isst_domain *domain);

#endif
