/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by one element at a time. */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SPACE = 8 }; /* a power of two */

int array_grow(void *array, size_t count, size_t size)
{
	size_t space = count < FIRST_SPACE ? FIRST_SPACE : count * 2;
	void *elements, *larger;

	/* There is space up to the next power of two. */
	if (count > 0 && (count < FIRST_SPACE || (count & (count - 1)) != 0))
		return 0;
	memcpy(&elements, array, sizeof(elements));
	larger = reallocarray(elements, space, size);
	if (!larger)
		return -ENOMEM;
	memcpy(array, &larger, sizeof(larger));
	/* The caller has the memory now. */
	/* cppcheck-suppress memleak */
	return 0;
}
