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

static void a_cpu_that_went_offline_has_no_registers(void **state)
{
	struct kernel_status status;
	struct emulated e;
	uint64_t value = 0;

	(void)state;
	start(&e, "tests/tiny");
	assert_int_equal(access_msr(&e, 3, false, 0xce, &value), 0);
	assert_int_equal(write_file(&e, CPUS "/cpu3/online", "0"), 0);
	/* Its device is gone; who has it open still gets an answer. */
	assert_int_equal(launch_look(e.machine, "/dev/cpu/3/msr", true, &status), -ENOENT);
	assert_int_equal(access_msr(&e, 3, false, 0xce, &value), -ENXIO);
	assert_int_equal(access_msr(&e, 3, true, 0x1ad, &value), -ENXIO);
	assert_int_equal(write_file(&e, CPUS "/cpu3/online", "1"), 0);
	assert_int_equal(access_msr(&e, 3, false, 0xce, &value), 0);
	finish(&e);
}

static void registers_that_are_not_there_fault(void **state)
{
	struct emulated e;
	uint64_t value = 1;

	(void)state;
	start(&e, "tests/tiny");
	assert_int_equal(access_msr(&e, 0, false, 0x12345, &value), -EIO);
	assert_int_equal(access_msr(&e, 0, true, 0xce, &value), -EIO);
	assert_int_equal(value, 1);
	finish(&e);
}

/** The number of a register has 32 bits; the position of a file more. */
static void the_low_half_of_a_position_counts(void **state)
{
	struct emulated e;
	uint64_t value = 0, same = 0;

	(void)state;
	start(&e, "tests/tiny");
	assert_int_equal(access_msr(&e, 0, false, 0xce, &value), 0);
	assert_int_equal(access_msr(&e, 0, false, UINT64_C(0x1000000ce), &same), 0);
	assert_int_equal(same, value);
	assert_int_equal(access_msr(&e, 0, false, 0x1ad, &value), 0);
	assert_int_equal(access_msr(&e, 0, false, UINT64_C(0x1000001ad), &same), 0);
	assert_int_equal(same, value);
	finish(&e);
}

/** As the library reads them. */
static void registers_are_files_of_the_machine(void **state)
{
	const struct isst_machine *machine;
	struct emulated e;
	uint64_t value = 0, other = 1;

	(void)state;
	start(&e, "tests/tiny");
	machine = e.machine;
	assert_int_equal(access_msr(&e, 3, false, 0xce, &value), 0);
	assert_int_equal(
		machine->files->read_register(machine->data, "/dev/cpu/3/msr", 0xce, &other), 0);
	assert_int_equal(other, value);
	assert_int_equal(
		machine->files->read_register(machine->data, "/dev/cpu/3/msr", 0x12345, &other),
		-EIO);
	finish(&e);
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

static void counters_go_on_with_the_frequency(void **state)
{
	struct emulated e;

	(void)state;
	start(&e, "tests/tiny");
	/* The turbo ratio limit of two cores. */
	assert_runs_at(&e, 1, 2800);
	assert_int_equal(write_file(&e, CPUS "/cpu1/cpufreq/scaling_max_freq", "1500000"), 0);
	assert_runs_at(&e, 1, 1500);
	assert_runs_at(&e, 0, 2800);
	finish(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_went_offline_has_no_registers),
		cmocka_unit_test(registers_that_are_not_there_fault),
		cmocka_unit_test(the_low_half_of_a_position_counts),
		cmocka_unit_test(registers_are_files_of_the_machine),
		cmocka_unit_test(counters_go_on_with_the_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
