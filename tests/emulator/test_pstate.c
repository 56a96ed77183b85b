/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory intel_pstate, and the lists of CPUs that are isolated: what scripts that tune a
 * machine look for, on servers of any interface. */
#include "emulator/emulated.h"
#include "support/check.h"

#define PSTATE CPUS "/intel_pstate"

/** The values of real servers. */
TEST_MACHINE(mailbox_servers_have_the_files_too, "guide")
{
	assert_file(e, PSTATE "/max_perf_pct", "100\n");
	assert_file(e, PSTATE "/min_perf_pct", "25\n");
	assert_file(e, PSTATE "/num_pstates", "25\n");
	assert_file(e, PSTATE "/hwp_dynamic_boost", "1\n");
	assert_int_equal(read_result(e, PSTATE "/turbo_pct"), 0);
}

#define SERVER \
	"[cpu]\nmodel = 0x6a\n[topology]\npackages = 0\ncores = 0-3\n[level 0]\ncores = 0-3\n" \
	"base = 2000\ntrl-sse = 3000\n[domain]\nturbo-cores = 4\n[files]\n"

TEST_MACHINE(dynamic_boost_needs_hwp_and_the_active_mode, NULL)
{
	static const char *const without[] = { SERVER "hwp = no\n",
					       SERVER "intel-pstate = passive\n" };

	for (size_t i = 0; i < COUNT(without); i++) {
		start_written(e, without[i]);
		assert_int_equal(read_result(e, PSTATE "/hwp_dynamic_boost"), -ENOENT);
		assert_int_equal(write_file(e, PSTATE "/hwp_dynamic_boost", "1"), -ENOENT);
		assert_file(e, PSTATE "/max_perf_pct", "100\n");
		finish(e);
	}
}

/** Each limits the other; what is not within is moved there, and the rest of a write ignored. */
TEST_MACHINE(limits_in_percent, "graniterapids-2s64c")
{
	assert_file(e, PSTATE "/min_perf_pct", "20\n");
	assert_int_equal(write_file(e, PSTATE "/max_perf_pct", "80\n"), 0);
	set_file(e, PSTATE "/min_perf_pct", "100", "80\n");
	set_file(e, PSTATE "/max_perf_pct", "50", "80\n");
	set_file(e, PSTATE "/min_perf_pct", " 1x", "20\n");
	set_file(e, PSTATE "/max_perf_pct", "4294967295", "100\n");
	assert_int_equal(write_file(e, PSTATE "/max_perf_pct", "x"), -EINVAL);
	set_file(e, PSTATE "/hwp_dynamic_boost", "0\n", "0\n");
	assert_int_equal(write_file(e, PSTATE "/hwp_dynamic_boost", "0x"), -EINVAL);
	close_machine(e);
	open_machine(e);
	assert_file(e, PSTATE "/hwp_dynamic_boost", "0\n");
}

TEST_MACHINE(the_mode_stays, "tests/tiny")
{
	assert_int_equal(write_file(e, PSTATE "/status", "active\n"), 0);
	assert_int_equal(write_file(e, PSTATE "/status", "off"), -EBUSY);
	assert_int_equal(write_file(e, PSTATE "/status", "activ"), -EINVAL);
	assert_file(e, PSTATE "/status", "active\n");
}

TEST_MACHINE(isolated_cpus, NULL)
{
	start(e, "tests/isolcpus");
	assert_file(e, CPUS "/isolated", "3\n");
	assert_file(e, CPUS "/nohz_full", "3\n");
	finish(e);
	start_written(e, "[driver]\nkernel = 7.3\n[topology]\npackages = 0\ncores = 0-3\n"
			 "[cgroup]\nisolcpus = 1\nnohz-full = 2-3\n"
			 "[level 0]\ncores = 0-3\nbase = 2000\n");
	assert_file(e, CPUS "/isolated", "1\n");
	assert_file(e, CPUS "/nohz_full", "2-3\n");
	assert_file(e, CPUS "/housekeeping", "0-1\n");
	finish(e);
	start_written(e, "[driver]\nkernel = 7.3\n[topology]\npackages = 0\ncores = 0-3\n"
			 "[level 0]\ncores = 0-3\nbase = 2000\n");
	assert_file(e, CPUS "/nohz_full", "\n");
	assert_file(e, CPUS "/housekeeping", "\n");
	finish(e);
	start(e, "guide");
	assert_int_equal(write_file(e, CPUS "/housekeeping", "0"), -ENOENT);
	assert_file(e, CPUS "/isolated", "\n");
	assert_file(e, CPUS "/nohz_full",
		    "                                                  (null)\n");
}

TEST_MACHINE(the_kernel_of_the_machine, "guide")
{
	assert_file(e, "/proc/sys/kernel/osrelease", "6.12.0\n");
	assert_file(e, "/proc/version",
		    "Linux version 6.12.0 (isst@emulator) (gcc) #1 SMP PREEMPT_DYNAMIC\n");
}

#define POLICY(cpu) CPUS "/cpu" #cpu "/cpufreq"
#define COOLING "/sys/class/thermal/cooling_device"

/** Of the requests of all owners the kernel takes the tightest; only the user's is written. */
TEST_MACHINE(limits_show_the_tightest_request, NULL)
{
	start_written(e, SERVER);
	assert_file(e, COOLING "0/type", "Processor\n");
	assert_file(e, COOLING "0/max_state", "3\n");
	assert_int_equal(write_file(e, POLICY(1) "/scaling_max_freq", "2500000"), 0);
	assert_int_equal(write_file(e, COOLING "0/cur_state", "1"), 0);
	/* The package's, of which one fifth is taken away. */
	assert_file(e, CPUS "/cpu3/firmware_node/thermal_cooling/cur_state", "1\n");
	assert_file(e, POLICY(0) "/scaling_max_freq", "2400000\n");
	assert_file(e, POLICY(1) "/scaling_max_freq", "2400000\n");
	assert_file(e, POLICY(0) "/cpuinfo_max_freq", "3000000\n");
	set_file(e, POLICY(1) "/scaling_max_freq", "2200000", "2200000\n");
	set_file(e, POLICY(0) "/scaling_max_freq", "2900000", "2400000\n");
	assert_int_equal(write_file(e, COOLING "2/cur_state", "4"), -EINVAL);
	assert_int_equal(write_file(e, COOLING "2/cur_state", "0"), 0);
	assert_file(e, POLICY(0) "/scaling_max_freq", "2900000\n");
	/* An active driver obeys its percentages itself. */
	assert_int_equal(write_file(e, PSTATE "/max_perf_pct", "50"), 0);
	assert_file(e, POLICY(0) "/scaling_max_freq", "2900000\n");
}

TEST_MACHINE(an_active_driver_obeys_its_percentage, NULL)
{
	start_written(e, SERVER);
	assert_file(e, POLICY(0) "/scaling_cur_freq", "3000000\n");
	/* Rounded up to whole P-states: 50 % are 15 of 30, 71 % are 21.3. */
	assert_int_equal(write_file(e, PSTATE "/max_perf_pct", "50"), 0);
	assert_file(e, POLICY(0) "/scaling_cur_freq", "1500000\n");
	assert_int_equal(write_file(e, PSTATE "/max_perf_pct", "71"), 0);
	assert_file(e, POLICY(0) "/scaling_cur_freq", "2200000\n");
	/* The lower limit of a policy comes before it, the percentage for all policies does not. */
	assert_int_equal(write_file(e, PSTATE "/min_perf_pct", "71"), 0);
	assert_file(e, POLICY(0) "/scaling_cur_freq", "2200000\n");
	assert_int_equal(write_file(e, POLICY(1) "/scaling_min_freq", "2500000"), 0);
	assert_file(e, POLICY(0) "/scaling_cur_freq", "2200000\n");
	assert_file(e, POLICY(1) "/scaling_cur_freq", "2500000\n");
}

TEST_MACHINE(a_passive_driver_requests_its_percentages, NULL)
{
	start_written(e, SERVER "intel-pstate = passive\n");
	assert_file(e, POLICY(0) "/scaling_max_freq", "3000000\n");
	assert_file(e, POLICY(0) "/scaling_min_freq", "800000\n");
	assert_int_equal(write_file(e, PSTATE "/max_perf_pct", "71"), 0);
	assert_int_equal(write_file(e, PSTATE "/min_perf_pct", "50"), 0);
	assert_file(e, POLICY(0) "/scaling_max_freq", "2130000\n");
	assert_file(e, POLICY(0) "/scaling_min_freq", "1500000\n");
	set_file(e, POLICY(0) "/scaling_max_freq", "1000000", "1000000\n");
	assert_file(e, POLICY(0) "/scaling_min_freq", "1000000\n");
}

TEST_MACHINE(the_bios_limits_acpi_cpufreq, NULL)
{
	start_written(e, SERVER "cpufreq = acpi-cpufreq\nbios-limit = 2100\n");
	assert_file(e, POLICY(0) "/bios_limit", "2100000\n");
	assert_file(e, POLICY(0) "/scaling_max_freq", "2100000\n");
	finish(e);
	start_written(e, SERVER "bios-limit = 2100\n");
	assert_int_equal(read_result(e, POLICY(0) "/bios_limit"), -ENOENT);
	assert_file(e, POLICY(0) "/scaling_max_freq", "3000000\n");
}
