/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUs run at, and what limits them; whether the CPUs of a machine changed. */
#include "check.h"

#include <time.h>

MACHINE_TEST(a_frequency_follows_the_limit_of_its_cpu)
{
	const struct isst_result *result;
	struct isst_results *results;

	fixture_discover(&fixture, of_tests("tiny"));
	apply_config(fixture.context, "cpu 2: scaling-max 2500\n");
	results = read_of(ISST_READ_FREQUENCIES, cpus_of_list(fixture.context, "1-2"), 0);
	assert_int_equal(isst_results_count(results), 2);
	result = isst_results_at(results, 0);
	assert_int_equal(isst_cpu_number(isst_result_cpu(result)), 1);
	/* The ratio of trl-sse for two busy cores. */
	check_value(result, ISST_VALUE_CURRENT_MHZ, 2800);
	check_value(isst_results_at(results, 1), ISST_VALUE_CURRENT_MHZ, 2500);
}

/** Only the files of the targets are read. */
MACHINE_TEST(frequencies_of_other_cpus_are_not_read)
{
	struct isst_results *results;
	struct isst_targets *cpus;
	unsigned int mhz;

	fixture_discover(&fixture, of_tests("tiny"));
	fixture_fault(&fixture, "read /sys/devices/system/cpu/cpu1/cpufreq/* EIO");
	cpus = cpus_of_list(fixture.context, "0,2");
	results = read_of(ISST_READ_FREQUENCIES, cpus, 0);
	cpus = cpus_of_list(fixture.context, "0-1");
	results = read_of(ISST_READ_FREQUENCIES, cpus, ISST_PARTIAL);
	assert_int_equal(isst_result_error(isst_results_at(results, 1), ISST_PART_RESULT), -EIO);
	assert_int_equal(
		isst_result_value(isst_results_at(results, 1), ISST_VALUE_CURRENT_MHZ, &mhz), -EIO);
}

MACHINE_TEST(without_cpufreq_there_are_no_frequencies)
{
	fixture_discover(&fixture, of_tests("no-cpufreq"));
	read_of(ISST_READ_FREQUENCIES, cpus_of_list(fixture.context, "0"), -EOPNOTSUPP);
	assert_string_equal(isst_error(fixture.context), "CPU 0: cpufreq has no frequency for it");
}

static void check_reasons(const struct isst_results *results, size_t index, uint64_t expected)
{
	uint64_t reasons;

	ok(isst_result_bits(isst_results_at(results, index), ISST_VALUE_LIMIT_REASONS, 0, 0,
			    &reasons));
	assert_int_equal(reasons, expected);
}

/** A file is of a power domain; a fine word counts as the coarse one that it begins with. */
MACHINE_TEST(reasons_are_those_of_each_cpu)
{
	const uint64_t thermal = 1U << ISST_LIMIT_THERMAL;
	const uint64_t power = 1U << ISST_LIMIT_POWER | 1U << ISST_LIMIT_FREQUENCY;
	struct isst_results *results;

	fixture_discover(&fixture, of_tests("tpmi-limited"));
	results = read_of(ISST_READ_LIMIT_REASONS, cpus_of_list(fixture.context, "1,2,7"), 0);
	check_reasons(results, 0, 0);
	check_reasons(results, 1, thermal);
	check_reasons(results, 2, power);
}

MACHINE_TEST(reasons_of_the_domain_are_those_of_all_its_cpus)
{
	struct isst_results *results;
	struct isst_targets *cpus;

	fixture_discover(&fixture, of_tests("tpmi-limited"));
	fixture_fault(&fixture, "read /sys/kernel/debug/tpmi-*/plr/domain0/status content "
				"\"cpus QOS ODD\\ncpu0 none\\ncpu1 none\\n\"");
	cpus = cpus_of_list(fixture.context, "1-2");
	results = read_of(ISST_READ_LIMIT_REASONS, cpus, 0);
	check_reasons(results, 0, 1U << ISST_LIMIT_QOS | 1U << ISST_LIMIT_OTHER);
	/* The file does not have that CPU. */
	check_reasons(results, 1, 0);
}

MACHINE_TEST(no_reasons_are_there_without_tpmi)
{
	fixture_discover(&fixture, of_tests("tiny"));
	read_of(ISST_READ_LIMIT_REASONS, cpus_of_list(fixture.context, "0"), -EOPNOTSUPP);
	assert_non_null(strstr(isst_error(fixture.context), "TPMI servers only"));
}

MACHINE_TEST(reasons_that_only_root_may_read_are_refused)
{
	fixture_discover(&fixture, of_tests("tpmi-limited"));
	fixture_fault(&fixture, "list /sys/kernel/debug EACCES");
	read_of(ISST_READ_LIMIT_REASONS, cpus_of_list(fixture.context, "0-1"), -EPERM);
}

static const struct isst_result *read_power(struct isst_context *context,
					    struct isst_results **results)
{
	struct isst_targets *targets = all_domains(context);

	ok(isst_read(context, ISST_READ_POWER, targets, NULL, 0, results));
	return isst_results_at(*results, 0);
}

MACHINE_TEST(power_is_known_from_the_second_reading_on)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	const struct isst_result *power;
	struct isst_results *results;
	unsigned int mw;

	fixture_discover(&fixture, of_tests("tpmi-limited"));
	power = read_power(fixture.context, &results);
	check_no_value(power, ISST_VALUE_POWER_MW, ENODATA);
	check_value(power, ISST_VALUE_POWER_LIMIT_MW, 120000);
	isst_results_free(results);
	nanosleep(&pause, NULL);
	/* Four fifths of the limit; on a busy machine the clock is read a little before or after.
	 */
	power = read_power(fixture.context, &results);
	ok(isst_result_value(power, ISST_VALUE_POWER_MW, &mw));
	assert_in_range(mw, 48000, 192000);
	isst_results_free(results);
	/* Another context has read nothing before. */
	isst_close(fixture.context);
	open_and_discover();
	power = read_power(fixture.context, &results);
	check_no_value(power, ISST_VALUE_POWER_MW, ENODATA);
	isst_results_free(results);
}

MACHINE_TEST(power_that_cannot_be_read_is_not_known)
{
	struct isst_targets *targets;
	struct isst_results *results;

	fixture_discover(&fixture, of_tests("tpmi-limited"));
	targets = all_domains(fixture.context);
	fixture_fault(&fixture, "read /sys/class/powercap/intel-rapl:1/energy_uj EACCES");
	results = read_of(ISST_READ_POWER, targets, ISST_PARTIAL);
	assert_int_equal(isst_result_error(isst_results_at(results, 0), ISST_PART_RESULT), 0);
	assert_int_equal(isst_result_error(isst_results_at(results, 2), ISST_PART_RESULT), -EPERM);
	fixture_fault(&fixture, "list /sys/class/powercap ENOENT");
	results = read_of(ISST_READ_POWER, targets, -EOPNOTSUPP);
}

MACHINE_TEST(reasons_have_the_words_of_the_kernel)
{
	assert_string_equal(isst_limit_reason_name(ISST_LIMIT_THERMAL), "THERMAL");
	assert_string_equal(isst_limit_reason_name(ISST_LIMIT_DFC), "DFC");
	assert_string_equal(isst_limit_reason_name(ISST_LIMIT_OTHER), "OTHER");
	assert_null(isst_limit_reason_name(ISST_LIMIT_OTHER + 1));
	assert_null(isst_limit_reason_name(-1));
}

MACHINE_TEST(isolated_cpus_are_undisturbed)
{
	struct isst_cpuset *cpus;
	char *list;

	fixture_discover(&fixture, of_tests("isolcpus"));
	ok(isst_undisturbed_cpus(fixture.context, &cpus));
	list = isst_cpuset_to_list(cpus);
	assert_string_equal(list, "3");
	free(list);
	isst_cpuset_free(cpus);
	fixture_fault(&fixture, "read /sys/devices/system/cpu/isolated EIO");
	assert_int_equal(isst_undisturbed_cpus(fixture.context, &cpus), -EIO);
	assert_null(cpus);
}

MACHINE_TEST(cpus_that_another_process_takes_offline_are_noticed)
{
	struct isst_context *other;

	fixture_discover(&fixture, of_tests("tpmi-limited"));
	assert_int_equal(isst_cpus_changed(fixture.context), 0);
	other = fixture_open(&fixture, NULL);
	refused(isst_cpus_changed(other));
	ok(isst_discover(other));
	apply_config(other, "level 1\ncpus by-level\n");
	isst_close(other);
	assert_int_equal(isst_cpus_changed(fixture.context), 1);
	ok(isst_discover(fixture.context));
	assert_int_equal(isst_cpus_changed(fixture.context), 0);
	fixture_fault(&fixture, "read /sys/devices/system/cpu/online EIO");
	assert_int_equal(isst_cpus_changed(fixture.context), -EIO);
}

static void remove_faults(void)
{
	char *path;

	assert_true(asprintf(&path, "%s/faults", fixture.directory) > 0);
	ok(remove(path));
	free(path);
}

/** Reads something of each domain. Returns what the call does. */
static int ask_firmware(struct isst_context *context)
{
	struct isst_targets *targets = all_domains(context);
	struct isst_results *results = NULL;
	int error = isst_read(context, ISST_READ_CORE_POWER, targets, NULL, 0, &results);

	isst_results_free(results);
	return error;
}

MACHINE_TEST(a_device_that_is_closed_is_opened_when_it_is_needed)
{
	fixture_discover(&fixture, of_tests("tiny"));
	ok(ask_firmware(fixture.context));
	ok(isst_close_device(fixture.context));
	ok(isst_close_device(fixture.context));
	fixture_fault(&fixture, "open ENOENT");
	assert_int_equal(ask_firmware(fixture.context), -ENODEV);
	assert_non_null(strstr(isst_error(fixture.context),
			       "the kernel's driver is no longer loaded (ENODEV)"));
	/* It is closed: the next call opens it, and without the fault that succeeds. */
	remove_faults();
	ok(ask_firmware(fixture.context));
}
