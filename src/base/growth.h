/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a struct of the library gains in the build that tests/library/shared.sh makes: programs that
 * were compiled before must not notice. No other build defines ISST_TEST_GROWN.
 */
#ifndef ISST_BASE_GROWTH_H
#define ISST_BASE_GROWTH_H

#ifdef ISST_TEST_GROWN
#define ISST_MAY_GROW unsigned int grown[3]
#define ISST_GROWN 1 /* elements that an array has more */
#else
#define ISST_MAY_GROW _Static_assert(1, "nothing")
#define ISST_GROWN 0
#endif

#endif
