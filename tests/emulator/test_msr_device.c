/* SPDX-License-Identifier: BSD-3-Clause */
/* /dev/cpu/N/msr as a program has it open: see msr(4). */
#include "emulator/emulated.h"
#include "emulator/front/files.h"

static int access_msr(struct emulated *e, unsigned int cpu, bool write, uint64_t position,
		      uint64_t *value)
{
	char path[40];

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	return files_access(e->machine->data, path, write, position, value);
}

TEST_MACHINE(a_cpu_that_went_offline_has_no_registers, "tests/tiny")
{
	struct kernel_status status;
	uint64_t value = 0;

	assert_int_equal(access_msr(e, 3, false, 0xce, &value), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	/* Its device is gone; who has it open still gets an answer. */
	assert_int_equal(files_look(e->machine->data, "/dev/cpu/3/msr", true, &status), -ENOENT);
	assert_int_equal(access_msr(e, 3, false, 0xce, &value), -ENXIO);
	assert_int_equal(access_msr(e, 3, true, 0x1ad, &value), -ENXIO);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "1"), 0);
	assert_int_equal(access_msr(e, 3, false, 0xce, &value), 0);
}

TEST_MACHINE(registers_that_are_not_there_fault, "tests/tiny")
{
	uint64_t value = 1;

	assert_int_equal(access_msr(e, 0, false, 0x12345, &value), -EIO);
	assert_int_equal(access_msr(e, 0, true, 0xce, &value), -EIO);
	assert_int_equal(value, 1);
}

#define BIAS CPUS "/cpu1/power/energy_perf_bias"
#define UNCORE_LIMIT(which) CPUS "/intel_uncore_frequency/package_00_die_00/" which "_freq_khz"

TEST_MACHINE(energy_bias_is_of_one_cpu, "tests/tiny")
{
	uint64_t value = 0;

	assert_int_equal(access_msr(e, 1, false, 0x1b0, &value), 0);
	assert_int_equal(value, 6);
	set_file(e, BIAS, "balance-power\n", "8\n");
	assert_int_equal(access_msr(e, 1, false, 0x1b0, &value), 0);
	assert_int_equal(value, 8);
	value = 15;
	assert_int_equal(access_msr(e, 1, true, 0x1b0, &value), 0);
	assert_file(e, BIAS, "15\n");
	assert_file(e, CPUS "/cpu2/power/energy_perf_bias", "6\n");
	value = 16;
	assert_int_equal(access_msr(e, 1, true, 0x1b0, &value), -EIO);
	assert_int_equal(write_file(e, BIAS, "16"), -EINVAL);
	assert_int_equal(write_file(e, BIAS, "powersave"), -EINVAL);
	assert_file(e, BIAS, "15\n");
}

/** The bits of uncore limits: 6:0 the highest ratio, 14:8 the lowest. */
TEST_MACHINE(uncore_limits_are_set_by_register, NULL)
{
	uint64_t value = 0x0a12;

	start(e, "tests/tiny");
	assert_int_equal(access_msr(e, 1, true, 0x620, &value), 0);
	assert_file(e, UNCORE_LIMIT("max"), "1800000\n");
	assert_file(e, UNCORE_LIMIT("min"), "1000000\n");
	value = 0x8a12;
	assert_int_equal(access_msr(e, 1, true, 0x620, &value), -EIO);
	assert_file(e, UNCORE_LIMIT("min"), "1000000\n");
	finish(e);
	start(e, "tests/uncore-locked");
	value = 0x0a12;
	assert_int_equal(access_msr(e, 1, true, 0x620, &value), -EIO);
	finish(e);
	start(e, "tests/tpmi-tiny");
	assert_int_equal(access_msr(e, 1, true, 0x620, &value), -EIO);
}

/** turbostat reads both before anything else. */
TEST_MACHINE(time_stamps_and_package_states, "tests/tiny")
{
	uint64_t first = 0, then = 0, states = 0;

	assert_int_equal(access_msr(e, 1, false, 0x10, &first), 0);
	usleep(20000);
	assert_int_equal(access_msr(e, 1, false, 0x10, &then), 0);
	/* Of 2000 MHz; the machine that the test runs on may have been busy. */
	assert_in_range(then - first, 40000000, UINT64_C(4000000000));
	assert_int_equal(access_msr(e, 1, false, 0xe2, &states), 0);
	assert_int_equal(states & 0x7, 2);
	assert_int_equal(access_msr(e, 1, true, 0xe2, &states), -EIO);
}

/** As the register of a 8360Y with SST-BF reads on CPU 0: 3500, 2100, 800 and 800 MHz. */
TEST_MACHINE(hwp_capabilities_are_those_of_the_core, "icelake-2s36c")
{
	uint64_t value = 0;

	assert_int_equal(access_msr(e, 0, false, 0x771, &value), 0);
	assert_int_equal(value, 0x08081523);
}

/** The number of a register has 32 bits; the position of a file more. */
TEST_MACHINE(the_low_half_of_a_position_counts, "tests/tiny")
{
	uint64_t value = 0, same = 0;

	assert_int_equal(access_msr(e, 0, false, 0xce, &value), 0);
	assert_int_equal(access_msr(e, 0, false, UINT64_C(0x1000000ce), &same), 0);
	assert_int_equal(same, value);
	assert_int_equal(access_msr(e, 0, false, 0x1ad, &value), 0);
	assert_int_equal(access_msr(e, 0, false, UINT64_C(0x1000001ad), &same), 0);
	assert_int_equal(same, value);
}

/** As the library reads them. */
TEST_MACHINE(registers_are_files_of_the_machine, "tests/tiny")
{
	const struct isst_machine *machine;
	uint64_t value = 0, other = 1;

	machine = e->machine;
	assert_int_equal(access_msr(e, 3, false, 0xce, &value), 0);
	assert_int_equal(
		machine->files->read_register(machine->data, "/dev/cpu/3/msr", 0xce, &other), 0);
	assert_int_equal(other, value);
	assert_int_equal(
		machine->files->read_register(machine->data, "/dev/cpu/3/msr", 0x12345, &other),
		-EIO);
}

/** Of a CPU, in this order: MPERF, APERF, MPERF. */
struct counters {
	uint64_t before, actual, after;
};

static struct counters read_counters(struct emulated *e, unsigned int cpu)
{
	struct counters counters;

	assert_int_equal(access_msr(e, cpu, false, 0xe7, &counters.before), 0);
	assert_int_equal(access_msr(e, cpu, false, 0xe8, &counters.actual), 0);
	assert_int_equal(access_msr(e, cpu, false, 0xe7, &counters.after), 0);
	return counters;
}

/** Between two looks APERF goes on by MPERF x frequency / base frequency (2000 MHz). */
static void assert_runs_at(struct emulated *e, unsigned int cpu, unsigned int mhz)
{
	struct counters first = read_counters(e, cpu), last;

	usleep(20000);
	last = read_counters(e, cpu);
	assert_true(last.before > first.after);
	assert_in_range((last.actual - first.actual) / mhz, (last.before - first.after) / 2000 - 1,
			(last.after - first.before) / 2000 + 1);
}

TEST_MACHINE(counters_go_on_with_the_frequency, "tests/tiny")
{
	/* The turbo ratio limit of two cores. */
	assert_runs_at(e, 1, 2800);
	assert_int_equal(write_file(e, CPUS "/cpu1/cpufreq/scaling_max_freq", "1500000"), 0);
	assert_runs_at(e, 1, 1500);
	assert_runs_at(e, 0, 2800);
}
