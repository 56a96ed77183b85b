/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the mailbox interface share: reading (mailbox.c) and setting
 * (mailbox_settings.c). */
#ifndef ISST_FIRMWARE_MAILBOX_H
#define ISST_FIRMWARE_MAILBOX_H

#include "firmware/batch.h"

int mailbox_plan_get(struct firmware_batch *batch, const struct setting_request *request);
int mailbox_plan_set(struct firmware_batch *batch, const struct setting_request *request);

#endif
