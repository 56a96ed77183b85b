/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings by TPMI (tpmi_settings.c), for the table of operations (tpmi.c). */
#ifndef ISST_FIRMWARE_TPMI_H
#define ISST_FIRMWARE_TPMI_H

#include "firmware/batch.h"

int tpmi_plan_get(struct firmware_batch *batch, const struct setting_request *request);
int tpmi_plan_set(struct firmware_batch *batch, const struct setting_request *request);

#endif
