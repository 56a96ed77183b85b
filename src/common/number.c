/* SPDX-License-Identifier: BSD-3-Clause */
/* Digits, and nothing else. */
#include "number.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int number_parse(const char *text, unsigned int base, uint64_t max, uint64_t *value)
{
	uint64_t result = 0;
	bool too_large = false;

	if (base != 10 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	} else if (base == 0) {
		base = 10;
	}
	if (*text == '\0')
		return -EINVAL;
	for (; *text; text++) {
		static const char DIGITS[] = "00112233445566778899aAbBcCdDeEfF";
		const char *found = strchr(DIGITS, *text);
		unsigned int digit = found ? (unsigned int)(found - DIGITS) / 2 : base;

		if (digit >= base)
			return -EINVAL;
		if (result > (UINT64_MAX - digit) / base)
			too_large = true;
		result = result * base + digit;
	}
	if (too_large || result > max)
		return -ERANGE;
	*value = result;
	return 0;
}
