/* SPDX-License-Identifier: BSD-3-Clause */
/* A generator by shifts (xorshift64). */
#include "transaction/support/chance.h"

#include <stdint.h>
#include <stdlib.h>

static uint64_t chance = 1;

void chance_begin(unsigned long seed)
{
	chance = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

unsigned int any_of(size_t count)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (unsigned int)((chance >> 16) % count);
}

bool coin(void)
{
	return any_of(2);
}

unsigned long number_of(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}
