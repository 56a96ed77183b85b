/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs: a valid list is unchanged after it was printed and parsed again. */
#include "common/numbered.h"
#include "fuzz/support/fuzz.h"
#include "isst.h"

#include <stdlib.h>
#include <string.h>

static void check_again(const struct isst_cpuset *set)
{
	char *ranges = isst_cpuset_to_list(set), *again;
	struct isst_cpuset *other = isst_cpuset_new();

	if (!ranges || !other || isst_cpuset_add_list(other, ranges, NULL))
		abort();
	again = isst_cpuset_to_list(other);
	if (!again || strcmp(again, ranges) != 0 ||
	    isst_cpuset_count(other) != isst_cpuset_count(set))
		abort();
	free(again);
	free(ranges);
	isst_cpuset_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct isst_cpuset *set = isst_cpuset_new();
	const char *bad = NULL;
	unsigned int cpu;

	if (!set)
		abort();
	if (isst_cpuset_add_list(set, text, &bad) == 0) {
		check_again(set);
		if (!isst_cpuset_next(set, 1 << 16, &cpu)) {
			free(numbers_enumeration(set));
			free(numbers_mask(set, 1 << 16));
		}
	} else if (bad && (bad < text || bad > text + size)) {
		abort(); /* it is to point into the text */
	}
	isst_cpuset_free(set);
	free(text);
	return 0;
}
