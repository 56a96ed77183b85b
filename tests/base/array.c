/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by one element at a time. */
#include "base/array.h"
#include "support/check.h"

TEST(elements_stay_while_an_array_grows)
{
	unsigned int *numbers = NULL;
	size_t count = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		assert_int_equal(ARRAY_GROW(numbers, count), 0);
		numbers[count++] = i;
	}
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	free(numbers);
}

/* valgrind and the sanitizers look at the writes. */
TEST(an_array_may_shrink_in_between)
{
	static const size_t COUNTS[] = { 40, 16, 33, 0, 9, 8, 17, 7, 65 };
	uint64_t *numbers = NULL;
	size_t count = 0;

	for (size_t i = 0; i < COUNT(COUNTS); i++) {
		if (COUNTS[i] < count)
			count = COUNTS[i];
		while (count < COUNTS[i]) {
			assert_int_equal(ARRAY_GROW(numbers, count), 0);
			numbers[count] = count;
			count++;
		}
		for (size_t j = 0; j < count; j++)
			assert_int_equal(numbers[j], j);
	}
	free(numbers);
}

/* A sanitizer ends a program that asks for as much. */
TEST(an_array_that_cannot_grow_stays)
{
	char *text = NULL;
	void *before;

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(ARRAY_GROW(text, 0), 0);
	before = text;
	assert_int_equal(array_grow(&text, 8, SIZE_MAX / 2), -ENOMEM);
	assert_ptr_equal(text, before);
	free(text);
}

static int by_number(const void *key, const void *element)
{
	return *(const int *)key - *(const int *)element;
}

TEST(a_lower_bound_is_the_first_that_is_not_before)
{
	static const int NUMBERS[] = { 2, 4, 4, 4, 7 };
	static const size_t BOUNDS[] = { 0, 0, 0, 1, 1, 4, 4, 4, 5 };

	for (int key = 0; key < 9; key++)
		assert_int_equal(array_lower_bound(&key, NUMBERS, 5, sizeof(int), by_number),
				 BOUNDS[key]);
	assert_int_equal(array_lower_bound(&(int){ 1 }, NULL, 0, sizeof(int), by_number), 0);
}
