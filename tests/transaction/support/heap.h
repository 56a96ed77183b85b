/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the heap. */
#ifndef TESTS_TRANSACTION_HEAP_H
#define TESTS_TRANSACTION_HEAP_H

#include <stddef.h>

/** Bytes in use; the test is skipped if the C library does not report it. */
size_t heap_in_use(void);

#endif
