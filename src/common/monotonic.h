/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that setting the system's time does not change. */
#ifndef ISST_COMMON_MONOTONIC_H
#define ISST_COMMON_MONOTONIC_H

#include <stdint.h>
#include <time.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static inline int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline int64_t monotonic_us(void)
{
	return monotonic_ns() / NS_PER_US;
}

static inline int64_t monotonic_ms(void)
{
	return monotonic_ns() / NS_PER_MS;
}

#endif
