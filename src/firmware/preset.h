/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors whose SST-BF the BIOS has set up for good (Cascade Lake-N): which machines these are.
 * No driver is needed there; everything is read from cpufreq. Whether a processor may be one
 * follows from its identity: PLATFORM_MAY_BE_PRESET.
 */
#ifndef ISST_FIRMWARE_PRESET_H
#define ISST_FIRMWARE_PRESET_H

#include "firmware/firmware.h"

/** Looks whether the model name of such a processor shows that it is one: no driver is opened then.
 */
int preset_find_by_name(struct firmware *firmware, bool *preset);

/**
 * Looks whether the CPUs of such a processor have two base frequencies, where no mailbox answers.
 *
 * @connected: 0 where the driver was opened and offers the mailbox, else the error of that, whose
 * message is set
 * Returns 0; @connected where the driver might report more but may not be opened; or another
 * negative errno with a message, -EOPNOTSUPP for a processor that has nothing of Speed Select.
 */
int preset_find_by_frequencies(struct firmware *firmware, int connected, bool *preset);

/** What is left of Speed Select on such a machine: level 0, and SST-BF that is always on. */
extern const struct firmware_operations preset_operations;

#endif
