/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by one element at a time, and sorted ones. */
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

size_t array_lower_bound(const void *key, const void *array, size_t count, size_t size,
			 int (*compare)(const void *key, const void *element))
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(key, (const char *)array + middle * size) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
