/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program whose threads are made with the CPUs that they shall run on, as OpenMP does; to be
 * run on the machine of tests/platforms/tiny.platform. The CPUs are those of
 * the machine, of which the real one need not have as many.
 */
#include "program.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

static pthread_attr_t attributes;

static int prepare(void **state)
{
	(void)state;
	return pthread_attr_init(&attributes);
}

static int clean_up(void **state)
{
	(void)state;
	return pthread_attr_destroy(&attributes);
}

/** The CPUs of a mask, from the lowest: bit by bit. */
static unsigned int bits_of(const cpu_set_t *cpus)
{
	unsigned int bits = 0;

	for (unsigned int cpu = 0; cpu < 32; cpu++)
		bits |= CPU_ISSET(cpu, cpus) ? 1U << cpu : 0;
	return bits;
}

static cpu_set_t only(unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return cpus;
}

static void *count_cpus(void *data)
{
	cpu_set_t *found = data;

	assert_int_equal(sched_getaffinity(0, sizeof(*found), found), 0);
	return data;
}

static int run(const pthread_attr_t *with, cpu_set_t *found)
{
	pthread_t thread;
	int error = pthread_create(&thread, with, count_cpus, found);

	if (!error)
		assert_int_equal(pthread_join(thread, NULL), 0);
	return error;
}

/** Each of the machine's four CPUs, which its thread alone has. */
static void threads_are_made_for_cpus_of_the_machine(void **state)
{
	(void)state;
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		cpu_set_t cpus = only(cpu), found;

		assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus), 0);
		assert_int_equal(run(&attributes, &found), 0);
		assert_int_equal(bits_of(&found), 1U << cpu);
	}
}

/** CPU 4 is none of the machine's, whatever the real one has. */
static void cpus_of_no_machine_are_refused(void **state)
{
	cpu_set_t cpus = only(4), found;

	(void)state;
	assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus), 0);
	assert_int_equal(run(&attributes, &found), EINVAL);
	CPU_SET(3, &cpus);
	assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus), 0);
	assert_int_equal(run(&attributes, &found), 0);
}

/** Where nothing was set all bits are. */
static void attributes_have_what_was_set(void **state)
{
	cpu_set_t cpus = only(2), found;
	unsigned long word = 0;

	(void)state;
	assert_int_equal(pthread_attr_getaffinity_np(&attributes, sizeof(found), &found), 0);
	assert_int_equal(CPU_COUNT(&found), CPU_SETSIZE);
	assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus), 0);
	assert_int_equal(pthread_attr_getaffinity_np(&attributes, sizeof(found), &found), 0);
	assert_int_equal(bits_of(&found), 1U << 2);
	assert_int_equal(CPU_COUNT(&found), 1);
	assert_int_equal(pthread_attr_getaffinity_np(&attributes, sizeof(word), (void *)&word), 0);
	assert_int_equal(word, 1U << 2);
	/* What does not fit is an error. */
	cpus = only(100);
	assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus), 0);
	assert_int_equal(pthread_attr_getaffinity_np(&attributes, sizeof(word), (void *)&word),
			 EINVAL);
	assert_int_equal(pthread_attr_setaffinity_np(&attributes, 0, &cpus), 0);
	assert_int_equal(pthread_attr_getaffinity_np(&attributes, sizeof(found), &found), 0);
	assert_int_equal(CPU_COUNT(&found), CPU_SETSIZE);
}

/** Also at the same address: what was set is forgotten with them. */
static void new_attributes_have_nothing_set(void **state)
{
	cpu_set_t cpus = only(4), found;

	(void)state;
	assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus), 0);
	assert_int_equal(pthread_attr_destroy(&attributes), 0);
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(run(&attributes, &found), 0);
}

/** Threads made like one that runs. */
static void attributes_of_threads_have_their_cpus(void **state)
{
	cpu_set_t found;

	(void)state;
	assert_int_equal(pthread_attr_destroy(&attributes), 0);
	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	assert_int_equal(pthread_attr_getaffinity_np(&attributes, sizeof(found), &found), 0);
	assert_int_equal(bits_of(&found), 0xf);
	assert_int_equal(CPU_COUNT(&found), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_are_made_for_cpus_of_the_machine, prepare,
						clean_up),
		cmocka_unit_test_setup_teardown(cpus_of_no_machine_are_refused, prepare, clean_up),
		cmocka_unit_test_setup_teardown(attributes_have_what_was_set, prepare, clean_up),
		cmocka_unit_test_setup_teardown(new_attributes_have_nothing_set, prepare, clean_up),
		cmocka_unit_test_setup_teardown(attributes_of_threads_have_their_cpus, prepare,
						clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
