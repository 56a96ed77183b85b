/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a struct of the library gains in the build that tests/library/growth.sh makes: programs that
 * were compiled before must not notice. No other build defines ISST_TEST_GROWN.
 */
#ifndef ISST_BASE_GROWTH_H
#define ISST_BASE_GROWTH_H

#ifdef ISST_TEST_GROWN
#define ISST_MAY_GROW unsigned int grown[3]
#else
#define ISST_MAY_GROW _Static_assert(1, "nothing")
#endif

#endif
