/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs on the machine besides the kernel, the kernel's lockdown, and MSR 0x64f with counters
 * of throttling. */
#include "emulator/emulated.h"
#include "emulator/front/files.h"
#include "support/check.h"

#include <errno.h>
#include <stdlib.h>

#define SERVER \
	"[cpu]\nmodel = 0x6a\n[topology]\npackages = 0-1\ncores = 0-3\n[level 0]\ncores = 0-3\n" \
	"base = 2000\ntrl-sse = 3000\n[domain]\nturbo-cores = 4\n"

TEST_MACHINE(processes_are_those_of_the_platform, NULL)
{
	start_written(e, SERVER "[system]\nprocesses = tuned:812  power-profiles-daemon:4\n");
	assert_file(e, "/proc/812/comm", "tuned\n");
	/* The kernel keeps 15 characters. */
	assert_file(e, "/proc/4/comm", "power-profiles-\n");
	assert_int_equal(read_result(e, "/proc/1/comm"), -ENOENT);
	finish(e);
	/* Without any there are none of the real machine either. */
	start_written(e, SERVER);
	assert_int_equal(read_result(e, "/proc/1/comm"), -ENOENT);
	assert_int_equal(read_result(e, "/run/systemd/container"), -ENOENT);
	assert_file(e, "/proc/cmdline", "ro\n");
	assert_file(e, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
}

TEST_MACHINE(units_container_and_command_line, NULL)
{
	start_written(e, SERVER "[system]\nservices = sshd cpupower\ncontainer = docker\n"
				"command-line = ro nosmt\n");
	assert_int_equal(count_names(e, "/run/systemd/units", "invocation:"), 2);
	assert_file(e, "/run/systemd/units/invocation:cpupower.service", "\n");
	assert_file(e, "/run/systemd/container", "docker\n");
	assert_file(e, "/proc/cmdline", "ro nosmt\n");
}

TEST_MACHINE(lockdown_hides_files_of_debugfs_that_can_be_written, NULL)
{
	static const char STATUS[] = "/sys/kernel/debug/tpmi-0000:00:03.1/plr/domain0/status";

	start_written(e,
		      "[cpu]\nmodel = 0xad\n[driver]\napi-version = 3\n[topology]\npackages = 0\n"
		      "cores = 0-3\n[level 0]\ncores = 0-3\nbase = 2000\n"
		      "[system]\nlockdown = integrity\n");
	assert_file(e, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_int_equal(read_result(e, STATUS), -EPERM);
	assert_int_equal(write_file(e, STATUS, "0"), -EPERM);
	assert_int_equal(
		write_file(e, "/sys/kernel/debug/tpmi-0000:00:03.1/tpmi-id-05/mem_write", "0,0,0"),
		-EPERM);
	assert_int_equal(read_result(e, "/sys/kernel/debug/tpmi-0000:00:03.1/tpmi-id-05/mem_dump"),
			 0);
}

static uint64_t reasons(struct emulated *e, bool write, uint64_t value, int expected)
{
	assert_int_equal(files_access(e->machine->data, "/dev/cpu/4/msr", write, 0x64f, &value),
			 expected);
	return value;
}

TEST_MACHINE(logged_reasons_are_cleared_by_zeros, NULL)
{
	start_written(e, SERVER "limit-register = 0x00030002\nthrottle-count = 7\n");
	assert_int_equal(reasons(e, false, 0, 0), 0x00030002);
	assert_cpu_file(e, 4, "thermal_throttle/core_throttle_count", "7\n");
	assert_cpu_file(e, 4, "thermal_throttle/package_throttle_count", "7\n");
	reasons(e, true, 0x00010000, 0);
	assert_int_equal(reasons(e, false, 0, 0), 0x00030002);
	reasons(e, true, 0, 0);
	assert_int_equal(reasons(e, false, 0, 0), 0x2);
	finish(e);
	start(e, "tests/tpmi-tiny");
	reasons(e, false, 0, -EIO);
}

#define ZONE(number) "/sys/class/powercap/intel-rapl:" #number

static unsigned long long read_energy(struct emulated *e)
{
	char *content = file_text(e, ZONE(0) "/energy_uj");
	unsigned long long uj = strtoull(content, NULL, 10);
	free(content);
	return uj;
}

/** Packages draw what their CPUs that are online do, up to the limit. */
TEST_MACHINE(power_of_packages, NULL)
{
	unsigned long long before;

	start_written(e, SERVER "power-limit = 500\npower-draw = 600\n"
				"power-limit-frequency = 1900\n");
	assert_file(e, ZONE(0) "/name", "package-0\n");
	assert_file(e, ZONE(0) "/constraint_0_name", "long_term\n");
	assert_file(e, ZONE(0) "/constraint_0_power_limit_uw", "500000000\n");
	assert_file(e, ZONE(0) "/constraint_1_power_limit_uw", "600000000\n");
	assert_file(e, ZONE(1) "/name", "package-1\n");
	assert_int_equal(read_result(e, ZONE(2) "/name"), -ENOENT);
	before = read_energy(e);
	assert_true(read_energy(e) >= before);
	assert_file(e, CPUS "/cpu0/cpufreq/scaling_cur_freq", "1900000\n");
	assert_int_equal(write_file(e, ZONE(0) "/constraint_0_power_limit_uw", "0"), -EINVAL);
	/* In eighths of a watt. */
	set_file(e, ZONE(0) "/constraint_0_power_limit_uw", "700030000", "700000000\n");
	/* The lower limit holds. */
	assert_file(e, CPUS "/cpu0/cpufreq/scaling_cur_freq", "1900000\n");
	set_file(e, ZONE(0) "/constraint_1_power_limit_uw", "800000000", "800000000\n");
	assert_file(e, CPUS "/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
}

TEST_MACHINE(a_kernel_without_powercap, NULL)
{
	start_written(e, SERVER "power-limit = 500\n[files]\npowercap = no\n");
	assert_int_equal(read_result(e, ZONE(0) "/name"), -ENOENT);
}
