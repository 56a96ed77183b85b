/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of codes: what each finding means, and what fixes it. */
#include "explain/findings.h"

#define ROW(code_, name_, severity_, ...) \
	{ \
		.code = ISST_FINDING_##code_, .name = (name_), \
		.severity = ISST_SEVERITY_##severity_, ##__VA_ARGS__ \
	}

const struct finding_code finding_codes[] = {
	ROW(CLOS_MAX_ZERO, "clos-max-zero", CRITICAL,
	    .meaning =
		    "cores of the class are kept at the lowest frequency of the processor, and no "
		    "other counter shows it",
	    .kind = REMEDY_STATEMENT),
	ROW(LIMITED_THERMAL, "limited-thermal", CRITICAL,
	    .remedy = "check cooling, fans and the temperature of the air"),
	ROW(LIMITED_PLATFORM, "limited-platform", CRITICAL,
	    .remedy = "check power supplies, voltage regulators and the management controller"),
	ROW(CLOS_MAX_BELOW_BASE, "clos-max-below-base", WARNING,
	    .meaning = "cores of the class do not even reach the base frequency",
	    .kind = REMEDY_STATEMENT),
	ROW(CLOS_MAX_BELOW_TURBO_FREQ, "clos-max-below-turbo-freq", WARNING,
	    .meaning =
		    "high priority cores of the class do not reach what SST-TF has for them, and "
		    "the others are clipped all the same",
	    .kind = REMEDY_STATEMENT),
	ROW(CLOS_MAX_OF_ALL, "clos-max-of-all", WARNING,
	    .meaning = "no core of the package reaches the turbo frequencies of the level",
	    .kind = REMEDY_STATEMENT),
	ROW(STATE_LOST_ON_RESUME, "state-lost-on-resume", WARNING, .kind = REMEDY_STATEMENT),
	ROW(TURBO_DISABLED, "turbo-disabled", WARNING,
	    .meaning = "no CPU runs above its base frequency; if 0 cannot be written, the BIOS has "
		       "disabled turbo",
	    .remedy = "echo 0 > /sys/devices/system/cpu/intel_pstate/no_turbo"),
	ROW(SCALING_LIMIT, "scaling-limit", WARNING, .kind = REMEDY_STATEMENT),
	ROW(POWER_LIMIT, "power-limit", WARNING,
	    .meaning = "the package draws no more than its limit, and slows its cores down for "
		       "that before they use the thermal design power of the level"),
	ROW(PERF_PCT_LIMIT, "perf-pct-limit", WARNING),
	ROW(GOVERNOR, "governor", WARNING,
	    .meaning = "the governor keeps the CPUs at their lowest frequency",
	    .remedy = "echo performance | tee "
		      "/sys/devices/system/cpu/cpu{braces}/cpufreq/scaling_governor"),
	ROW(NO_CPUFREQ, "no-cpufreq", WARNING,
	    .meaning = "the kernel does not control the frequency of these CPUs",
	    .remedy =
		    "boot without intel_pstate=disable, and enable P-states (SpeedStep, HWP) in the "
		    "BIOS"),
	ROW(HWP_OFF, "hwp-off", WARNING,
	    .meaning = "hardware-controlled P-states (HWP) are not in use: turbo frequencies of "
		       "favoured cores, and changes of the base frequency, do not reach the kernel",
	    .remedy = "enable HWP (Speed Shift) in the BIOS, and boot without intel_pstate=no_hwp"),
	ROW(BASE_FREQ_PRIORITIES, "base-freq-priorities", WARNING,
	    .meaning = "when power is short, the cores that SST-BF is to make faster yield first",
	    .kind = REMEDY_STATEMENT, .remedy = "cpu {cpus}: association 0"),
	ROW(TURBO_FREQ_WITHOUT_HIGH_PRIORITY, "turbo-freq-without-high-priority", WARNING,
	    .meaning = "all cores have low priority: SST-TF clips each of them, in favour of none",
	    .kind = REMEDY_PACKAGE_STATEMENT),
	ROW(TURBO_FREQ_WITHOUT_PRIORITIES, "turbo-freq-without-priorities", WARNING,
	    .meaning = "all cores have high priority, more than any bucket of SST-TF holds",
	    .kind = REMEDY_PACKAGE_STATEMENT),
	ROW(BUCKET_OVERFULL, "bucket-overfull", WARNING,
	    .meaning =
		    "turbo frequencies can be lower than those of any bucket, and it is not known "
		    "of which cores",
	    .kind = REMEDY_PACKAGE_STATEMENT),
	ROW(CORE_POWER_OFF_WITH_ASSOCIATIONS, "core-power-off-with-associations", WARNING,
	    .meaning = "it is not known whether classes of service count while core-power reads "
		       "disabled; if they are wanted, state 'core-power on'",
	    .kind = REMEDY_STATEMENT, .remedy = "association 0"),
	ROW(TURBO_RATIO_LIMITS_LOW, "turbo-ratio-limits-low", WARNING, .kind = REMEDY_STATEMENT),
	ROW(LEVEL_LOCKED, "level-locked", WARNING,
	    .meaning = "the level is slower than the lowest one, and locked: it cannot be changed",
	    .remedy = "select another level, or unlock it, in the BIOS or by the management "
		      "controller"),
	ROW(LEVEL_SLOWER, "level-slower", WARNING,
	    .meaning = "the current level specifies lower frequencies than the lowest level",
	    .kind = REMEDY_STATEMENT),
	ROW(LEVEL_BASE_FREQUENCY, "level-base-frequency", WARNING,
	    .meaning =
		    "the kernel works with another base frequency than the firmware: limits and "
		    "turbo-mode disable are at the wrong frequency; a CPU that goes offline loses "
		    "the processes that are bound to it",
	    .remedy =
		    "for f in /sys/devices/system/cpu/cpu{braces}/online; do echo 0 > $f; echo 1 > "
		    "$f; done"),
	ROW(CPU_NOT_OF_LEVEL, "cpu-not-of-level", WARNING,
	    .meaning = "the level does not provide for these CPUs: its frequencies hold only while "
		       "they are offline or idle",
	    .kind = REMEDY_STATEMENT, .remedy = "cpus by-level"),
	ROW(CPU_OFFLINE, "cpu-offline", WARNING,
	    .meaning =
		    "nothing runs on these CPUs, and where they are or whether the level enables "
		    "them is not known before they are online",
	    .remedy = "isst config apply --set 'cpus online'"),
	ROW(CPU_OFFLINE_OF_LEVEL, "cpu-offline-of-level", WARNING,
	    .meaning = "these CPUs could be online at the current level", .kind = REMEDY_STATEMENT,
	    .remedy = "cpus by-level"),
	ROW(CPU_ISOLATED_OF_LEVEL, "cpu-isolated-of-level", WARNING,
	    .meaning = "an earlier level did not enable these CPUs: the system makes no use of "
		       "them, though it could",
	    .kind = REMEDY_STATEMENT, .remedy = "cpus isolated"),
	ROW(UNCORE_LIMIT, "uncore-limit", WARNING,
	    .meaning = "the uncore, with mesh and last level cache, is slower than it can be",
	    .kind = REMEDY_STATEMENT),
	ROW(THERMAL_THROTTLED, "thermal-throttled", WARNING,
	    .meaning = "cores were slowed down because of heat, at some time since boot",
	    .remedy = "check cooling, fans and the temperature of the air"),
	ROW(LIMITED_RAS, "limited-ras", WARNING, .remedy = "check the log for hardware errors"),
	ROW(MEASURED_BELOW_BASE, "measured-below-base", WARNING,
	    .meaning =
		    "the CPUs do not reach what the level guarantees: for a reason found above, or "
		    "for one that nothing shows",
	    .remedy = "check power, cooling and the firmware's settings; measure again"),
	ROW(TURBO_FREQ_WITHOUT_CORE_POWER, "turbo-freq-without-core-power", NOTE,
	    .meaning = "it is not known whether limits and priorities of classes of service count "
		       "without core-power",
	    .kind = REMEDY_STATEMENT, .remedy = "core-power on ordered"),
	ROW(PRIORITY_WITHOUT_TURBO_FREQ, "priority-without-turbo-freq", NOTE,
	    .meaning =
		    "cores have high priority, but not the turbo frequencies that SST-TF has for "
		    "them",
	    .kind = REMEDY_PACKAGE_STATEMENT),
	ROW(EPP, "epp", NOTE, .meaning = "the hardware is to save energy rather than to be fast",
	    .remedy = "echo balance_performance | tee "
		      "/sys/devices/system/cpu/cpu{braces}/cpufreq/energy_performance_preference"),
	ROW(BUCKET_NOT_FIRST, "bucket-not-first", NOTE, .kind = REMEDY_PACKAGE_STATEMENT),
	ROW(MEASURED_BELOW_TURBO_FREQ, "measured-below-turbo-freq", NOTE,
	    .meaning = "SST-TF allows more, as far as power, current and heat do: another reason "
		       "limits the CPUs",
	    .remedy = "look at limits of power and of cpufreq, and measure while other cores are "
		      "idle"),
	ROW(LOW_PRIORITY, "low-priority", NOTE,
	    .meaning =
		    "cores of low priority are slower in favour of the turbo frequencies of SST-TF; its "
		    "buckets hold few cores of high priority",
	    .kind = REMEDY_STATEMENT, .remedy = "cpu {cpus}: association 0"),
	ROW(CLOS_MAX, "clos-max", NOTE,
	    .meaning = "cores of the class do not reach the highest turbo frequency",
	    .kind = REMEDY_STATEMENT),
	ROW(LOW_BASE_FREQUENCY, "low-base-frequency", NOTE,
	    .meaning =
		    "cores of low priority are slower in favour of the higher base frequency of others, "
		    "which these lose with the remedy",
	    .kind = REMEDY_STATEMENT),
	ROW(OTHER_LEVEL_REQUESTED, "other-level-requested", NOTE,
	    .meaning = "another agent has set the present level, or the firmware did not take the "
		       "one that was requested; other programs that write SST-BF or SST-TF, and a "
		       "resume, request that one again"),
	ROW(SMT_OFF, "smt-off", NOTE,
	    .meaning = "the second threads of cores are offline, which may be a protection "
		       "against side channels"),
	ROW(LIMITED_POWER, "limited-power", NOTE,
	    .remedy = "compare power limits (powercap, BIOS) with what the workload needs"),
	ROW(PACKAGE_AT_POWER_LIMIT, "package-at-power-limit", NOTE,
	    .meaning =
		    "the package draws what its power limit allows, which holds its cores at the "
		    "frequencies that this is enough for",
	    .remedy = "compare power limits (powercap, BIOS) with what the workload needs"),
	ROW(LIMITED_CURRENT, "limited-current", NOTE, .remedy = "check current limits in the BIOS"),
	ROW(LIMITED_MCP, "limited-mcp", NOTE),
	ROW(LIMITED_DFC, "limited-dfc", NOTE),
	ROW(LIMITED_QOS, "limited-qos", NOTE,
	    .remedy = "isst core-power get-config --clos N prints the limits of class N"),
	ROW(LIMITED_MISC, "limited-misc", NOTE),
	ROW(LIMITED_FREQUENCY, "limited-frequency", NOTE),
	ROW(LIMITED_OTHERWISE, "limited-otherwise", NOTE),
	ROW(MANAGER_AT_WORK, "manager-at-work", NOTE),
	ROW(ADVISORY, "advisory", ADVISORY),
	{ .name = NULL },
};

const struct finding_code *finding_code(int code)
{
	const struct finding_code *row = finding_codes;

	while (row->code && row->code != code)
		row++;
	return row;
}
