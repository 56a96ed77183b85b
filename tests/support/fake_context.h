/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts on a fake machine. In a header, since the tests of some layers are linked without the
 * library's upper ones.
 */
#ifndef TESTS_SUPPORT_FAKE_CONTEXT_H
#define TESTS_SUPPORT_FAKE_CONTEXT_H

#include "support/check.h"
#include "support/fake_machine.h"

/** Opens a context on the machine; it is the test's to close. */
static inline struct isst_context *fake_context(struct fake_machine *fake)
{
	struct isst_options options = { .machine = &fake->machine };
	struct isst_context *context;

	assert_int_equal(isst_open(&options, &context), 0);
	return context;
}

/** As above, and discovered without error. */
static inline struct isst_context *fake_discovered(struct fake_machine *fake)
{
	struct isst_context *context = fake_context(fake);

	if (isst_discover(context))
		fail_msg("discovery failed: %s", isst_error(context));
	return context;
}

#endif
