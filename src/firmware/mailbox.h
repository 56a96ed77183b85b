/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the mailbox interface share: reading (mailbox.c) and setting
 * (mailbox_settings.c). */
#ifndef ISST_FIRMWARE_MAILBOX_H
#define ISST_FIRMWARE_MAILBOX_H

#include "firmware/batch.h"

/** Which way CLOS goes is the model's: by mailbox before Ice Lake, by MMIO since. */
bool mailbox_carries_clos(const struct firmware_batch *batch);

int mailbox_plan_get(struct firmware_batch *batch, const struct setting_request *request);
int mailbox_plan_set(struct firmware_batch *batch, const struct setting_request *request);

#endif
