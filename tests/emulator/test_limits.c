/* SPDX-License-Identifier: BSD-3-Clause */
/* Frequency limits, turbo and uncore: what the kernel makes of writes.
 */
#include "emulator/emulated.h"

#include <limits.h>

#define CPU1 CPUS "/cpu1/cpufreq"
#define UNCORE CPUS "/intel_uncore_frequency/package_00_die_00"

TEST_MACHINE(limits_are_parsed_strictly, "tests/tiny")
{
	static const char *const refused[] = {
		"", "2000000 x", "2000000\n\n", " 2000000", "-1", "0x", "09", "2147483648", "1.5",
	};

	for (size_t i = 0; i < COUNT(refused); i++)
		if (write_file(e, CPU1 "/scaling_max_freq", refused[i]) != -EINVAL)
			fail_msg("accepted: '%s'", refused[i]);
	assert_file(e, CPU1 "/scaling_max_freq", "3000000\n");
	set_file(e, CPU1 "/scaling_max_freq", "0x1e8480\n", "2000000\n");
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "+010000000"), 0); /* octal */
	assert_file(e, CPU1 "/scaling_max_freq", "2097152\n");
}

TEST_MACHINE(limits_are_clamped, "tests/tiny")
{
	set_file(e, CPU1 "/scaling_max_freq", "9000000", "3000000\n");
	set_file(e, CPU1 "/scaling_max_freq", "1", "800000\n");
	assert_file(e, CPU1 "/scaling_min_freq", "800000\n");
	set_file(e, CPU1 "/scaling_max_freq", "2147483647", "3000000\n");
	/* A minimum above the maximum gives way, and is remembered. */
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "1500000"), 0);
	set_file(e, CPU1 "/scaling_min_freq", "2500000", "1500000\n");
	assert_file(e, CPU1 "/scaling_max_freq", "1500000\n");
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "2800000"), 0);
	assert_file(e, CPU1 "/scaling_min_freq", "2500000\n");
	/* Only this CPU's. */
	assert_file(e, CPUS "/cpu0/cpufreq/scaling_min_freq", "800000\n");
}

TEST_MACHINE(no_limit_follows_the_level_and_requests_are_remembered, "tests/tiny")
{
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "3000000"), 0);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	assert_file(e, CPUS "/cpu0/cpufreq/scaling_max_freq", "3100000\n");
	assert_file(e, CPU1 "/scaling_max_freq", "3000000\n");
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "3100000"), 0);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 0), 1);
	assert_file(e, CPU1 "/scaling_max_freq", "3000000\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	assert_file(e, CPU1 "/scaling_max_freq", "3100000\n");
}

TEST_MACHINE(limits_survive_hotplug_and_processes, "tests/tiny")
{
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "1900000"), 0);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "1800000"), -EBUSY);
	close_machine(e);
	open_machine(e);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "1"), 0);
	assert_file(e, CPU1 "/scaling_max_freq", "1900000\n");
}

TEST_MACHINE(base_frequency_follows_base_freq, "tests/tiny")
{
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 1 << 17), 1);
	assert_file(e, CPU1 "/base_frequency", "2300000\n");
	assert_file(e, CPUS "/cpu2/cpufreq/base_frequency", "1800000\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 0), 1);
	assert_file(e, CPU1 "/base_frequency", "2000000\n");
}

TEST_MACHINE(turbo_moves_cpuinfo_max, NULL)
{
	start(e, "tests/tiny");
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "x"), -EINVAL);
	set_file(e, CPUS "/intel_pstate/no_turbo", "1\n", "1\n");
	assert_file(e, CPU1 "/cpuinfo_max_freq", "2000000\n");
	assert_file(e, CPU1 "/scaling_max_freq", "2000000\n");
	assert_int_equal(mailbox_result(e, 0x7f, 0x02, 0, 1 << 17), 1);
	assert_file(e, CPU1 "/cpuinfo_max_freq", "2300000\n");
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "0"), 0);
	assert_file(e, CPU1 "/cpuinfo_max_freq", "3000000\n");
	assert_file(e, CPU1 "/scaling_max_freq", "3000000\n");
	finish(e);
	start(e, "tests/uncore-follows"); /* a kernel that leaves cpuinfo_max alone */
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "1"), 0);
	assert_file(e, CPU1 "/cpuinfo_max_freq", "3200000\n");
}

TEST_MACHINE(other_drivers, NULL)
{
	start(e, "tests/acpi-cpufreq");
	assert_int_equal(read_result(e, CPU1 "/base_frequency"), -ENOENT);
	assert_int_equal(read_result(e, CPUS "/intel_pstate/no_turbo"), -ENOENT);
	assert_file(e, CPU1 "/scaling_driver", "acpi-cpufreq\n");
	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "1000000"), 0);
	finish(e);
	start(e, "tests/hwp-off");
	assert_int_equal(read_result(e, CPU1 "/base_frequency"), -ENOENT);
	assert_file(e, CPUS "/intel_pstate/no_turbo", "0\n");
	finish(e);
	start(e, "tests/bios-no-turbo");
	assert_file(e, CPUS "/intel_pstate/no_turbo", "1\n");
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "0"), -EPERM);
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "1"), 0);
	finish(e);
	start(e, "tests/pstate-off");
	assert_int_equal(read_result(e, CPUS "/intel_pstate/no_turbo"), -EAGAIN);
	assert_int_equal(write_file(e, CPUS "/intel_pstate/no_turbo", "1"), -EAGAIN);
	assert_file(e, CPUS "/intel_pstate/status", "off\n");
	finish(e);
	start(e, "tests/no-cpufreq"); /* nothing to follow */
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
}

TEST_MACHINE(uncore_limits, NULL)
{
	static const char *const refused[] = { "99999", "12800000", "", "1000000x", "0x200000" };

	start(e, "tests/tiny");
	for (size_t i = 0; i < COUNT(refused); i++)
		if (write_file(e, UNCORE "/max_freq_khz", refused[i]) != -EINVAL)
			fail_msg("accepted: '%s'", refused[i]);
	set_file(e, UNCORE "/max_freq_khz", "12799999", "12700000\n");
	set_file(e, UNCORE "/max_freq_khz", "1250000", "1200000\n");
	assert_file(e, UNCORE "/current_freq_khz", "1200000\n");
	assert_int_equal(write_file(e, UNCORE "/min_freq_khz", "2000000"), 0); /* above max */
	assert_file(e, UNCORE "/min_freq_khz", "2000000\n");
	assert_file(e, UNCORE "/initial_max_freq_khz", "2200000\n");
	assert_file(e, UNCORE "/initial_min_freq_khz", "800000\n");
	assert_int_equal(write_file(e, UNCORE "/initial_max_freq_khz", "2000000"), -EACCES);
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	assert_file(e, UNCORE "/max_freq_khz", "1200000\n");
	finish(e);
	start(e, "tests/uncore-locked");
	assert_int_equal(write_file(e, UNCORE "/max_freq_khz", "1200000"), -EPERM);
	assert_int_equal(write_file(e, UNCORE "/max_freq_khz", "1"), -EINVAL);
	finish(e);
	start(e, "tests/uncore-follows");
	assert_int_equal(mailbox_result(e, 0x7f, 0x08, 0, 1), 1);
	assert_file(e, UNCORE "/max_freq_khz", "1800000\n");
	assert_file(e, UNCORE "/min_freq_khz", "1000000\n");
	assert_file(e, UNCORE "/initial_max_freq_khz", "2200000\n");
}

TEST_MACHINE(governors_are_chosen_for_each_cpu, NULL)
{
	start(e, "tests/tiny");
	assert_file(e, CPU1 "/scaling_governor", "powersave\n");
	set_file(e, CPU1 "/scaling_governor", "performance\n", "performance\n");
	assert_file(e, CPUS "/cpu0/cpufreq/scaling_governor", "powersave\n");
	/* intel_pstate has two of its own, and no other. */
	assert_int_equal(write_file(e, CPU1 "/scaling_governor", "schedutil"), -EINVAL);
	assert_int_equal(write_file(e, CPU1 "/scaling_governor", "performances"), -EINVAL);
	assert_int_equal(write_file(e, CPU1 "/scaling_governor", ""), -EINVAL);
	assert_file(e, CPU1 "/scaling_governor", "performance\n");
	/* In letters of either case. */
	set_file(e, CPU1 "/scaling_governor", "PowerSave", "powersave\n");
	set_file(e, CPU1 "/scaling_governor", "Performance\n", "performance\n");
	/* An offline CPU does not forget it. */
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "0"), 0);
	assert_true(write_file(e, CPU1 "/scaling_governor", "powersave") < 0);
	assert_int_equal(write_file(e, CPUS "/cpu1/online", "1"), 0);
	assert_file(e, CPU1 "/scaling_governor", "performance\n");
	set_file(e, CPU1 "/scaling_governor", "powersave", "powersave\n");
	finish(e);
	start(e, "tests/acpi-cpufreq");
	set_file(e, CPU1 "/scaling_governor", "schedutil", "schedutil\n");
}

/** Asserts that the line of cpuinfo has a CPU's frequency, in MHz. */
static void assert_frequency(struct emulated *e, unsigned int cpu, const char *line)
{
	char path[128], expected[128];
	unsigned long khz;
	char *content;

	snprintf(path, sizeof(path), CPUS "/cpu%u/cpufreq/scaling_cur_freq", cpu);
	content = file_text(e, path);
	khz = strtoul(content, NULL, 10);
	free(content);
	snprintf(expected, sizeof(expected), "cpu MHz\t\t: %lu.%03lu\n", khz / 1000, khz % 1000);
	assert_string_equal(line, expected);
}

TEST_MACHINE(cpuinfo_shows_frequencies, "tests/tiny")
{
	unsigned int cpu = UINT_MAX, shown = 0;
	char line[4096], *content;
	FILE *stream;

	assert_int_equal(write_file(e, CPU1 "/scaling_max_freq", "1234567"), 0);
	content = file_text(e, "/proc/cpuinfo");
	stream = fmemopen(content, strlen(content), "r");
	assert_non_null(stream);
	while (fgets(line, sizeof(line), stream)) {
		if (strncmp(line, "processor\t: ", strlen("processor\t: ")) == 0)
			cpu = (unsigned int)strtoul(line + strlen("processor\t: "), NULL, 10);
		if (strncmp(line, "cpu MHz", strlen("cpu MHz")) == 0) {
			assert_frequency(e, cpu, line);
			shown++;
		}
	}
	assert_int_equal(shown, 4);
	fclose(stream);
	free(content);
}

/** The first word counts, as intel_pstate reads it; numbers are decimal. */
TEST_MACHINE(preferences_are_read_as_words, "tests/tiny")
{
#define PREFERENCE CPU1 "/energy_performance_preference"
	static const char *const refused[] = { "0x80", "", " ", "pow", "powers", "Power", "1 2" };

	set_file(e, PREFERENCE, " power", "power\n");
	set_file(e, PREFERENCE, "performance\n\n", "performance\n");
	for (size_t i = 0; i < COUNT(refused); i++)
		if (write_file(e, PREFERENCE, refused[i]) != -EINVAL)
			fail_msg("accepted: '%s'", refused[i]);
	assert_file(e, PREFERENCE, "performance\n");
	set_file(e, PREFERENCE, "128", "128\n");
}
