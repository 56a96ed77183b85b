/* SPDX-License-Identifier: BSD-3-Clause */
/* Cpufreq limits, and the online file of a CPU. */
#include "sysfs/cpufreq.h"
#include "support/fake_bench.h"
#include "sysfs/system.h"

#define CPU3 "/sys/devices/system/cpu/cpu3/"

static void start(struct fake_machine *fake, struct bench *bench)
{
	bench_begin(fake, bench);
	fake_file(&fake->files, CPU3 "online", "1");
	fake_file(&fake->files, CPU3 "cpufreq/cpuinfo_min_freq", "800000");
	fake_file(&fake->files, CPU3 "cpufreq/cpuinfo_max_freq", "3500000");
	fake_file(&fake->files, CPU3 "cpufreq/scaling_min_freq", "1200000");
	fake_file(&fake->files, CPU3 "cpufreq/scaling_max_freq", "2600000");
}

BENCH_TESTS(start, bench_end)

BENCH_TEST(limits_are_read_and_a_limit_at_the_processors_own_is_none)
{
	uint64_t khz;

	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MIN, &khz), 0);
	assert_int_equal(khz, 1200000);
	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MAX, &khz), 0);
	assert_int_equal(khz, 2600000);
	fake_file(&fake->files, CPU3 "cpufreq/scaling_min_freq", "800000");
	fake_file(&fake->files, CPU3 "cpufreq/scaling_max_freq", "3500000");
	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MIN, &khz), 0);
	assert_int_equal(khz, 0);
	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MAX, &khz), 0);
	assert_int_equal(khz, 2147483647);
}

BENCH_TEST(D28_limits_are_written_as_numbers_and_nothing_else)
{
	assert_int_equal(cpufreq_write_limit(&own.files, 3, CPUFREQ_MIN, 3200000), 0);
	assert_int_equal(cpufreq_write_limit(&own.files, 3, CPUFREQ_MAX, CPUFREQ_NO_LIMIT), 0);
	assert_int_equal(hotplug_write(&own.files, 3, false), 0);
	assert_int_equal(hotplug_write(&own.files, 3, true), 0);
	assert_string_equal(fake->files.written, "'3200000' > " CPU3 "cpufreq/scaling_min_freq\n"
						 "'2147483647' > " CPU3 "cpufreq/scaling_max_freq\n"
						 "'0' > " CPU3 "online\n"
						 "'1' > " CPU3 "online\n");
}

BENCH_TEST(D8_a_write_that_the_kernel_refuses_names_file_and_cause)
{
	fake_file_refuses(&fake->files, CPU3 "online", -EBUSY);
	assert_int_equal(hotplug_write(&own.files, 3, false), -EIO);
	check_holds(own.messages.error, CPU3 "online");
	check_holds(own.messages.error, strerror(EBUSY));
	fake_file_refuses(&fake->files, CPU3 "online", -EACCES);
	assert_int_equal(hotplug_write(&own.files, 3, false), -EPERM);
}

BENCH_TEST(D41_a_cpu_that_cannot_be_unplugged_is_the_callers_to_judge)
{
	assert_int_equal(hotplug_write(&own.files, 0, false), -ENOENT);
	assert_null(own.messages.error);
}

BENCH_TEST(D43_without_intel_pstate_turbo_is_unknown_and_not_off)
{
	static const char *const PATH = "/sys/devices/system/cpu/intel_pstate/no_turbo";
	enum turbo_state turbo = TURBO_OFF;

	assert_int_equal(cpufreq_turbo_state(&own.files, &turbo), 0);
	assert_int_equal(turbo, TURBO_UNKNOWN);
	/* intel_pstate is loaded, and off. */
	fake_file_error(&fake->files, PATH, -EAGAIN);
	turbo = TURBO_OFF;
	assert_int_equal(cpufreq_turbo_state(&own.files, &turbo), 0);
	assert_int_equal(turbo, TURBO_UNKNOWN);
	fake_file(&fake->files, PATH, "0");
	assert_int_equal(cpufreq_turbo_state(&own.files, &turbo), 0);
	assert_int_equal(turbo, TURBO_ON);
	fake_file(&fake->files, PATH, "1");
	assert_int_equal(cpufreq_turbo_state(&own.files, &turbo), 0);
	assert_int_equal(turbo, TURBO_OFF);
	fake_file(&fake->files, PATH, "2");
	assert_int_equal(cpufreq_turbo_state(&own.files, &turbo), -EIO);
	assert_int_equal(turbo, TURBO_UNKNOWN);
}

/** Kernels since 5.19 keep the directory; of a CPU that is online EBUSY is an error as any other.
 */
FAKE_TEST(a_busy_cpufreq_is_absent_while_the_cpu_is_offline)
{
	static const char *const ONLINE[] = { "0", "1", NULL };

	for (size_t i = 0; i < COUNT(ONLINE); i++) {
		int expected = i == 0 ? -ENOENT : -EIO;
		struct bench bench;
		uint64_t khz;

		start(fake, &bench);
		if (ONLINE[i])
			fake_file(&fake->files, CPU3 "online", "%s", ONLINE[i]);
		else
			fake_file_error(&fake->files, CPU3 "online", -ENOENT);
		fake_file_error(&fake->files, CPU3 "cpufreq/base_frequency", -EBUSY);
		fake_file_error(&fake->files, CPU3 "cpufreq/scaling_max_freq", -EBUSY);
		assert_int_equal(cpufreq_read(&bench.files, 3, "base_frequency", &khz), expected);
		assert_int_equal(cpufreq_read_limit(&bench.files, 3, CPUFREQ_MAX, &khz), expected);
		assert_int_equal(cpufreq_write_limit(&bench.files, 3, CPUFREQ_MAX, 900000),
				 expected);
		bench_end(&bench);
	}
}

/** Kernels before 5.19 show the limits of an offline CPU as before, and call writing them invalid.
 */
BENCH_TEST(a_cpufreq_that_shows_offline_cpus_is_absent_while_they_are)
{
	struct isst_cpuset *online = check_set("0-2");
	uint64_t khz;

	assert_int_equal(hotplug_set_online(&own.files, online), 0);
	/* It came online since. */
	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MAX, &khz), 0);
	assert_int_equal(hotplug_write(&own.files, 3, false), 0);
	fake_file(&fake->files, CPU3 "online", "0");
	fake_file_refuses(&fake->files, CPU3 "cpufreq/scaling_max_freq", -EINVAL);
	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MAX, &khz), -ENOENT);
	assert_int_equal(cpufreq_write_limit(&own.files, 3, CPUFREQ_MAX, 900000), -ENOENT);
	fake_file(&fake->files, CPU3 "online", "1");
	assert_int_equal(hotplug_write(&own.files, 3, true), 0);
	assert_int_equal(cpufreq_read_limit(&own.files, 3, CPUFREQ_MAX, &khz), 0);
	/* It is online: the kernel means the number. */
	assert_int_equal(cpufreq_write_limit(&own.files, 3, CPUFREQ_MAX, 900000), -EIO);
	check_holds(own.messages.error, "Invalid argument");
	isst_cpuset_free(online);
}

/** Of CPUs that are known to be online no other file is read. */
BENCH_TEST(whether_a_cpu_is_online_costs_no_file_of_it)
{
	struct isst_cpuset *online = check_set("0-3");
	uint64_t khz;

	assert_int_equal(hotplug_set_online(&own.files, online), 0);
	assert_int_equal(cpufreq_read(&own.files, 3, "scaling_max_freq", &khz), 0);
	assert_int_equal(own.files.opened, 1);
	isst_cpuset_free(online);
}
