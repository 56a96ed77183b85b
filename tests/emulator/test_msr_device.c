/* SPDX-License-Identifier: BSD-3-Clause */
/* /dev/cpu/N/msr as a program has it open: see msr(4). */
#include "emulator/emulated.h"
#include "emulator/front/launch_files.h"

static int access_msr(struct emulated *e, unsigned int cpu, bool write, uint64_t position,
		      uint64_t *value)
{
	char path[40];

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	return launch_access(e->machine, path, write, position, value);
}

TEST_MACHINE(a_cpu_that_went_offline_has_no_registers, "tests/tiny")
{
	struct kernel_status status;
	uint64_t value = 0;

	assert_int_equal(access_msr(e, 3, false, 0xce, &value), 0);
	assert_int_equal(write_file(e, CPUS "/cpu3/online", "0"), 0);
	/* Its device is gone; who has it open still gets an answer. */
	assert_int_equal(launch_look(e->machine, "/dev/cpu/3/msr", true, &status), -ENOENT);
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
