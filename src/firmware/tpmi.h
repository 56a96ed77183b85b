/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings by TPMI (tpmi_settings.c), for the table of operations (tpmi.c). */
#ifndef ISST_FIRMWARE_TPMI_H
#define ISST_FIRMWARE_TPMI_H

#include "firmware/batch.h"

int tpmi_plan_get(struct firmware_batch *batch, const struct setting_request *request);
int tpmi_plan_set(struct firmware_batch *batch, const struct setting_request *request);

/** As many words as debugfs shows of an instance of SST at most. */
enum { TPMI_DUMP_WORDS = 2 * (0xff + 5) };

/** The level that was requested last, and the present one, by the registers of an instance, which
 * stand in the first @count words. Returns false where they are not there. */
bool tpmi_dump_levels(const uint32_t *words, size_t count, unsigned int *requested,
		      unsigned int *present);

#endif
