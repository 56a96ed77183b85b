/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's files show of a machine: its name, modules, limits of cpufreq and the uncore.
 */
#include "check.h"

static void check_none(const struct isst_result *result, int id, unsigned int row)
{
	unsigned int value;

	assert_int_equal(isst_result_value_at(result, id, row, 0, &value), -ENODATA);
}

static void check_at(const struct isst_result *result, int id, unsigned int row,
		     unsigned int expected)
{
	unsigned int value;

	ok(isst_result_value_at(result, id, row, 0, &value));
	assert_int_equal(value, expected);
}

MACHINE_TEST(the_processor_has_a_name)
{
	fixture_begin(&fixture, "graniterapids-2s128c");
	fixture.context = fixture_open(&fixture, NULL);
	assert_string_equal(isst_platform_name(fixture.context), "Intel(R) Xeon(R) 6980P");
	fixture_fault(&fixture, "read /proc/cpuinfo ENOENT");
	assert_null(isst_platform_name(fixture.context));
	assert_null(isst_platform_name(NULL));
}

MACHINE_TEST(a_module_is_what_the_kernel_calls_a_cluster)
{
	struct isst_cpuset *cpus;
	char *list;

	fixture_discover(&fixture, "sierraforest-2s112c");
	ok(isst_cpus_of_module(fixture.context, isst_cpu_by_number(fixture.context, 113), 0,
			       &cpus));
	list = isst_cpuset_to_list(cpus);
	assert_string_equal(list, "112-115");
	free(list);
	isst_cpuset_free(cpus);
	refused(isst_cpus_of_module(fixture.context, isst_cpu_by_number(fixture.context, 113), 1,
				    &cpus));
}

/** The cluster of a core without others has its threads only. */
MACHINE_TEST(threads_of_a_core_are_no_module)
{
	struct isst_cpuset *cpus;

	fixture_discover(&fixture, "graniterapids-2s128c");
	assert_int_equal(isst_cpus_of_module(fixture.context,
					     isst_cpu_by_number(fixture.context, 3), 0, &cpus),
			 -ENODATA);
	assert_null(cpus);
	assert_string_equal(isst_error(fixture.context),
			    "the kernel reports no module of several cores for CPU 3");
}

MACHINE_TEST(limits_of_cpufreq_that_were_set_are_told_from_the_processors)
{
	const struct isst_result *result;
	struct isst_results *results;

	fixture_discover(&fixture, of_tests("tiny"));
	apply_config(fixture.context, "cpu 2: scaling-max 2500\n");
	results = read_of(ISST_READ_SCALING_LIMITS, cpus_of_list(fixture.context, "1-2"), 0);
	assert_int_equal(isst_results_count(results), 2);
	result = isst_results_at(results, 0);
	assert_int_equal(isst_cpu_number(isst_result_cpu(result)), 1);
	check_none(result, ISST_VALUE_SCALING_MAX_MHZ, 0);
	check_none(result, ISST_VALUE_SCALING_MIN_MHZ, 0);
	/* The first ratio of trl-sse. */
	check_value(result, ISST_VALUE_PROCESSOR_MAX_MHZ, 3000);
	result = isst_results_at(results, 1);
	check_value(result, ISST_VALUE_SCALING_MAX_MHZ, 2500);
	check_none(result, ISST_VALUE_SCALING_MIN_MHZ, 0);
}

MACHINE_TEST(without_cpufreq_there_are_no_limits)
{
	struct isst_results *results;

	fixture_discover(&fixture, of_tests("no-cpufreq"));
	results = read_of(ISST_READ_SCALING_LIMITS, cpus_of_list(fixture.context, "0"),
			  -EOPNOTSUPP);
	assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT),
			 -EOPNOTSUPP);
}

MACHINE_TEST(limits_of_the_uncore_differ_from_those_of_boot)
{
	const struct isst_result *result;
	struct isst_results *results;

	fixture_discover(&fixture, "graniterapids-2s128c");
	apply_config(fixture.context, "package 0 domain 1: uncore-max 1800\n");
	results = read_of(ISST_READ_UNCORE_LIMITS, all_domains(fixture.context), 0);
	assert_int_equal(isst_results_count(results), 10);
	result = isst_results_at(results, 1);
	check_at(result, ISST_VALUE_UNCORE_MAX_MHZ, 0, 1800);
	check_none(result, ISST_VALUE_UNCORE_MIN_MHZ, 0);
	check_at(result, ISST_VALUE_UNCORE_INITIAL_MIN_MHZ, 0, 800);
	check_at(result, ISST_VALUE_UNCORE_INITIAL_MAX_MHZ, 0, 2200);
	check_none(result, ISST_VALUE_UNCORE_INITIAL_MAX_MHZ, 1);
	/* An I/O die. */
	result = isst_results_at(results, 3);
	check_none(result, ISST_VALUE_UNCORE_MAX_MHZ, 0);
	check_at(result, ISST_VALUE_UNCORE_INITIAL_MAX_MHZ, 0, 2500);
}

MACHINE_TEST(a_limit_that_cannot_be_read_is_no_limit_of_boot)
{
	struct isst_results *results;
	unsigned int value;

	fixture_discover(&fixture, "guide");
	fixture_fault(
		&fixture,
		"read /sys/devices/system/cpu/intel_uncore_frequency/package_01_die_00/max_freq_khz EIO");
	results = read_of(ISST_READ_UNCORE_LIMITS, all_domains(fixture.context), ISST_PARTIAL);
	assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT), 0);
	assert_int_equal(isst_result_error(isst_results_at(results, 1), ISST_PART_RESULT), -EIO);
	assert_int_equal(isst_result_value_at(isst_results_at(results, 1),
					      ISST_VALUE_UNCORE_MAX_MHZ, 0, 0, &value),
			 -EIO);
}
