/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU of this machine is measured. */
#include "support/check.h"
#include "sysfs/linux_machine.h"

#include <errno.h>
#include <sched.h>

/* No processor is slower or faster than these. */
enum { LOWEST_KHZ = 100000, HIGHEST_KHZ = 10000000, BRIEF_MS = 30 };

TEST(a_cpu_has_a_frequency_and_the_thread_its_cpus_afterwards)
{
	cpu_set_t before, after;
	unsigned int cpu = 0;
	uint64_t khz = 0;
	int result;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &before))
		cpu++;
	result = busy_frequency_measure(NULL, cpu, BRIEF_MS, &khz);
	if (result == -EOPNOTSUPP)
		skip();
	assert_int_equal(result, 0);
	assert_in_range(khz, LOWEST_KHZ, HIGHEST_KHZ);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

TEST(a_cpu_that_is_not_there_is_refused)
{
	uint64_t khz;
	int result;

	result = busy_frequency_measure(NULL, 8191, BRIEF_MS, &khz);
	if (result == -EOPNOTSUPP)
		skip();
	assert_int_equal(result, -EINVAL);
	assert_int_equal(busy_frequency_measure(NULL, 1000000, BRIEF_MS, &khz), -EINVAL);
}
