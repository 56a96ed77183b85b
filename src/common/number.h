/* SPDX-License-Identifier: BSD-3-Clause */
/* The one strict parser of numbers. */
#ifndef ISST_COMMON_NUMBER_H
#define ISST_COMMON_NUMBER_H

#include <stdint.h>

/**
 * Parses an unsigned number that consists of digits only; in base 16 with an optional 0x or 0X.
 *
 * @base: 2 to 16, or 0: hexadecimal with a leading 0x, else decimal
 * Returns 0, -EINVAL (empty, a sign, any other character) or -ERANGE (above @max); on error *@value
 * is unchanged.
 */
int number_parse(const char *text, unsigned int base, uint64_t max, uint64_t *value);

#endif
