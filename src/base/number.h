/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequencies in messages. */
#ifndef ISST_BASE_NUMBER_H
#define ISST_BASE_NUMBER_H

#include <stdint.h>

enum { KHZ_TEXT = sizeof("18446744073709551615 MHz") };

/** Writes a frequency into @text and returns it: `800 MHz`, or `800500 kHz` if not in whole MHz. */
const char *khz_text(uint64_t khz, char text[KHZ_TEXT]);

#endif
