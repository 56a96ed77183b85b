/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by one element at a time, and sorted ones. */
#ifndef ISST_BASE_ARRAY_H
#define ISST_BASE_ARRAY_H

#include <stddef.h>

/**
 * Makes space for one more element behind the @count that an array has. Its space follows from the
 * count, and doubles: elements may be removed again, but all of them have to be added this way,
 * from a NULL array on. Returns 0, or -ENOMEM with the array as it was.
 */
#define ARRAY_GROW(array, count) array_grow(&(array), (count), sizeof(*(array)))

/** As ARRAY_GROW(); @array: the address of the pointer to the first element. */
int array_grow(void *array, size_t count, size_t size);

/** The number of elements of a sorted array that come before a key: the index of the first one that
 * does not. The comparison is that of bsearch(). */
size_t array_lower_bound(const void *key, const void *array, size_t count, size_t size,
			 int (*compare)(const void *key, const void *element));

#endif
