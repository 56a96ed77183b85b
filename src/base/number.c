/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequencies in messages. */
#include "base/number.h"
#include "base/result.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

const char *khz_text(uint64_t khz, char text[KHZ_TEXT])
{
	bool whole = khz % KHZ_PER_MHZ == 0;

	snprintf(text, KHZ_TEXT, "%" PRIu64 " %s", whole ? khz / KHZ_PER_MHZ : khz,
		 whole ? "MHz" : "kHz");
	return text;
}
