/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by one element at a time, and sorted ones. */
#ifndef ISST_BASE_ARRAY_H
#define ISST_BASE_ARRAY_H

#include <stddef.h>

/** Makes space for one more element after @count. The space follows from the count, and doubles:
 * add all elements this way, from a NULL array on. Returns 0, or -ENOMEM with the array unchanged.
 */
#define ARRAY_GROW(array, count) array_grow(&(array), (count), sizeof(*(array)))

/** @array: the address of the pointer to the first element. */
int array_grow(void *array, size_t count, size_t size);

/** Index of the first element of a sorted array not below a key. Compares like bsearch(). */
size_t array_lower_bound(const void *key, const void *array, size_t count, size_t size,
			 int (*compare)(const void *key, const void *element));

#endif
