/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a CPU while it is busy. */
#include "common/monotonic.h"
#include "sysfs/linux_machine.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#if defined(__x86_64__)

/* A multiplication of 32 bits takes three cycles on all cores that these servers have. Each needs
 * the result of the one before, so that neither other units nor a second thread shorten it. */
enum { CYCLES_EACH = 3, EACH_ROUND = 8, ROUNDS = 10000 };

static void multiply(void)
{
	uint32_t rounds = ROUNDS, value = 1;

	__asm__ volatile("1:\n\t"
			 "imull %1, %1\n\timull %1, %1\n\timull %1, %1\n\timull %1, %1\n\t"
			 "imull %1, %1\n\timull %1, %1\n\timull %1, %1\n\timull %1, %1\n\t"
			 "decl %0\n\t"
			 "jnz 1b"
			 : "+r"(rounds), "+r"(value)
			 :
			 : "cc");
}

/** The highest of many short measurements: interrupts, and the time until the frequency has risen,
 * only make them lower. */
static uint64_t spin(unsigned int milliseconds)
{
	const int64_t end = monotonic_ns() + (int64_t)milliseconds * NS_PER_MS;
	const uint64_t cycles = (uint64_t)CYCLES_EACH * EACH_ROUND * ROUNDS;
	int64_t before = monotonic_ns();
	uint64_t highest = 0;

	while (before < end) {
		uint64_t khz;
		int64_t after;

		multiply();
		after = monotonic_ns();
		khz = after > before ? cycles * NS_PER_MS / (uint64_t)(after - before) : 0;
		if (khz > highest)
			highest = khz;
		before = after;
	}
	return highest;
}

/** More than any kernel has. */
enum { MOST_CPUS = 8192 };

int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz)
{
	const size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *before = CPU_ALLOC(MOST_CPUS), *one = CPU_ALLOC(MOST_CPUS);
	int error = before && one ? 0 : -ENOMEM;

	(void)data;
	if (!error && cpu >= MOST_CPUS)
		error = -EINVAL;
	if (!error && sched_getaffinity(0, size, before))
		error = -errno;
	if (!error) {
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		error = sched_setaffinity(0, size, one) ? -errno : 0;
	}
	if (!error) {
		*khz = spin(milliseconds);
		/* CPUs that went away meanwhile are not worth an error. */
		(void)sched_setaffinity(0, size, before);
	}
	CPU_FREE(before);
	CPU_FREE(one);
	return error;
}

#else

int busy_frequency_measure(void *data, unsigned int cpu, unsigned int milliseconds, uint64_t *khz)
{
	(void)data;
	(void)cpu;
	(void)milliseconds;
	*khz = 0;
	return -EOPNOTSUPP;
}

#endif
