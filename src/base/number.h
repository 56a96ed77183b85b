/* SPDX-License-Identifier: BSD-3-Clause */
/* The strict parser of numbers, in bases that only files of the kernel take. */
#ifndef ISST_BASE_NUMBER_H
#define ISST_BASE_NUMBER_H

#include <stdint.h>

/** isst_parse_number() in any base from 2 to 16, or 0. */
int number_parse(const char *text, unsigned int base, uint64_t max, uint64_t *value);

#endif
