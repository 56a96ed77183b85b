/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks as numbers; the monotonic one is not changed by setting the system's time. */
#ifndef ISST_COMMON_MONOTONIC_H
#define ISST_COMMON_MONOTONIC_H

#include <stdint.h>
#include <time.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline int64_t clock_ms(clockid_t clock)
{
	return clock_ns(clock) / NS_PER_MS;
}

static inline int64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline int64_t monotonic_us(void)
{
	return monotonic_ns() / NS_PER_US;
}

static inline int64_t monotonic_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

#endif
