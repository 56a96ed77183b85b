/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequencies in messages. */
#ifndef ISST_BASE_KHZ_TEXT_H
#define ISST_BASE_KHZ_TEXT_H

#include <stdint.h>

/** The size of every text, with its NUL. */
enum { KHZ_TEXT = sizeof("18446744073709551615 MHz") };

/** Writes a frequency into @text: `800 MHz`, or `800500 kHz` where it is no whole number of MHz.
 * Returns @text. */
const char *khz_text(uint64_t khz, char text[KHZ_TEXT]);

#endif
