/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the heap. */
#include "transaction/support/heap.h"
#include "support/check.h"

#include <malloc.h>

size_t heap_in_use(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks;
#else
	skip();
	return 0;
#endif
}
