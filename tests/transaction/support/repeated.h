/* SPDX-License-Identifier: BSD-3-Clause */
/* Every request, made a second and a third time, finds the machine in the requested state and
 * writes nothing. */
#ifndef TESTS_TRANSACTION_REPEATED_H
#define TESTS_TRANSACTION_REPEATED_H

#include "transaction/support/loops.h"

/** A test; its state is the name of a platform. */
void repeated_requests_write_nothing(void **state);

#endif
