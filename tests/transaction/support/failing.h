/* SPDX-License-Identifier: BSD-3-Clause */
/* One request, in which one operation after the other goes wrong. */
#ifndef TESTS_TRANSACTION_FAILING_H
#define TESTS_TRANSACTION_FAILING_H

#include "transaction/support/machines.h"

/**
 * Makes the request on the machine as after power-on, each time with another write, or read,
 * failing: a failing write leaves all as it was, a failing read that or all as asked. Returns how
 * many of them there are.
 */
unsigned int fail_each_write(const struct machine *machine, const struct request *request);
unsigned int fail_each_read(const struct machine *machine, const struct request *request);

#endif
