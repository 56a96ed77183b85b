/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text: frequencies in messages, and the strict parser in bases that only kernel files
 * take. */
#ifndef ISST_BASE_NUMBER_H
#define ISST_BASE_NUMBER_H

#include <stdint.h>

enum { KHZ_TEXT = sizeof("18446744073709551615 MHz") };

/** Writes a frequency into @text and returns it: `800 MHz`, or `800500 kHz` if not in whole MHz. */
const char *khz_text(uint64_t khz, char text[KHZ_TEXT]);

/** isst_parse_number() in any base from 2 to 16, or 0. */
int number_parse(const char *text, unsigned int base, uint64_t max, uint64_t *value);

#endif
