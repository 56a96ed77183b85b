/* SPDX-License-Identifier: BSD-3-Clause */
/* The one strict parser of numbers; knows nothing of what they are for. */
#include "base/number.h"
#include "isst.h"

#include <errno.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

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
		int digit = digit_value(*text);

		if (digit < 0 || (unsigned int)digit >= base)
			return -EINVAL;
		if (result > (UINT64_MAX - (unsigned int)digit) / base)
			too_large = true;
		result = result * base + (unsigned int)digit;
	}
	if (too_large || result > max)
		return -ERANGE;
	*value = result;
	return 0;
}

int isst_parse_number(const char *text, unsigned int base, uint64_t max, uint64_t *value)
{
	if (!text || !value || (base != 10 && base != 16 && base != 0))
		return -EINVAL;
	return number_parse(text, base, max, value);
}
