/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libisst: why CPUs run as they do.
 *
 * Findings about a machine, events of the kernel that are a reason to look again, and captures of a
 * machine for the emulator. The conventions are those of isst.h; what is declared here may still
 * change until version 1.0 of the library.
 */
#ifndef ISST_EXPLAIN_H
#define ISST_EXPLAIN_H

#include "isst.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isst_events;
struct isst_explanation;
struct isst_finding;

/* ---- Events of the kernel ---- */

/** Capabilities of CPUs may have changed, as with each level. */
#define ISST_EVENT_CHANGE 1
/** CPUs went on- or offline, or a module of the kernel came or went. */
#define ISST_EVENT_DEVICES 2

/**
 * Begins to listen to the kernel: to events of its thermal family (generic netlink), where the
 * processor has the hardware feedback interface, and to uevents of CPUs and modules. An event is a
 * reason to look, and no more. From Linux 6.12 on, the first listener of a system switches the
 * hardware feedback interface on.
 *
 * @flags: 0
 * @events: set to what the caller closes, before or after the context; NULL on error
 * Returns ISST_EVENT_CHANGE (changes of the level have events), 0 (they have none), -EIO or
 * -ENOMEM.
 */
ISST_API int isst_events_open(struct isst_context *context, unsigned int flags,
			      struct isst_events **events);
ISST_API void isst_events_close(struct isst_events *events);

/** A descriptor that is readable, by poll(2), when something has arrived; -1 for NULL. */
ISST_API int isst_events_descriptor(const struct isst_events *events);

/** Takes what has arrived, and does not wait. Returns ISST_EVENT_... combined; 0: nothing has. */
ISST_API int isst_events_take(struct isst_events *events);

/* ---- Capturing the machine ---- */

/**
 * Captures the machine into a directory, from which the emulator can reproduce it
 * (docs/internals/captured-machines.md): files of the kernel, MSRs, and the responses of driver and
 * firmware to all requests that only read. Called instead of isst_discover(). A machine without
 * driver can be captured, too. Notices list what could not be read.
 *
 * @directory: a new or an empty directory; on error it is as before
 * @flags: 0
 * Returns 0, -EINVAL (the directory cannot be used, or the machine is discovered already), -EPERM
 * or -EIO.
 */
ISST_API int isst_capture(struct isst_context *context, const char *directory, unsigned int flags);

/* ---- Why CPUs run as they do ---- */

/** How much a finding costs. */
enum isst_severity {
	ISST_SEVERITY_CRITICAL = 1, /* CPUs are held far below what they can do */
	ISST_SEVERITY_WARNING = 2,  /* frequencies are lost */
	/** A choice, or a normal limit, that costs something, or another program that sets
	 * frequencies: context, not a fault. */
	ISST_SEVERITY_NOTE = 3,
	/** A known defect of such kernels, which may or may not be in this one. Not a fault of the
	 * machine: a program that counts findings leaves it out. */
	ISST_SEVERITY_ADVISORY = 4
};

/** Kinds of findings, the most important first. docs/explain.md describes each. */
enum isst_finding_kind {
	ISST_FINDING_CLOS_MAX_ZERO = 1,
	ISST_FINDING_LIMITED_THERMAL = 2,
	ISST_FINDING_LIMITED_PLATFORM = 3,
	ISST_FINDING_CLOS_MAX_BELOW_BASE = 4,
	ISST_FINDING_TURBO_DISABLED = 5,
	ISST_FINDING_SCALING_LIMIT = 6,
	ISST_FINDING_NO_CPUFREQ = 7,
	ISST_FINDING_HWP_OFF = 8,
	ISST_FINDING_PRIORITY_WITHOUT_TURBO_FREQ = 9,
	ISST_FINDING_TURBO_FREQ_WITHOUT_CORE_POWER = 10,
	ISST_FINDING_TURBO_FREQ_WITHOUT_PRIORITIES = 11,
	ISST_FINDING_BUCKET_OVERFULL = 12,
	ISST_FINDING_CORE_POWER_OFF_WITH_ASSOCIATIONS = 13,
	ISST_FINDING_TURBO_RATIO_LIMITS_LOW = 14,
	ISST_FINDING_LEVEL_LOCKED = 15,
	ISST_FINDING_LEVEL_SLOWER = 16,
	ISST_FINDING_LEVEL_BASE_FREQUENCY = 17,
	ISST_FINDING_CPU_NOT_OF_LEVEL = 18,
	ISST_FINDING_CPU_OFFLINE_OF_LEVEL = 19,
	ISST_FINDING_UNCORE_LIMIT = 20,
	ISST_FINDING_GOVERNOR = 21,
	ISST_FINDING_EPP = 22,
	ISST_FINDING_SMT_OFF = 23,
	ISST_FINDING_LIMITED_POWER = 24,
	ISST_FINDING_LIMITED_CURRENT = 25,
	ISST_FINDING_LIMITED_RAS = 26,
	ISST_FINDING_LIMITED_MCP = 27,
	ISST_FINDING_LIMITED_DFC = 28,
	ISST_FINDING_LIMITED_QOS = 29,
	ISST_FINDING_LIMITED_MISC = 30,
	ISST_FINDING_LIMITED_FREQUENCY = 31,
	ISST_FINDING_LIMITED_OTHERWISE = 32,
	ISST_FINDING_BUCKET_NOT_FIRST = 33,
	ISST_FINDING_STATE_LOST_ON_RESUME = 34,
	ISST_FINDING_PERF_PCT_LIMIT = 35,
	ISST_FINDING_THERMAL_THROTTLED = 36,
	ISST_FINDING_MANAGER_AT_WORK = 37,
	ISST_FINDING_MEASURED_BELOW_BASE = 38,
	ISST_FINDING_MEASURED_BELOW_TURBO_FREQ = 39,
	ISST_FINDING_LOW_PRIORITY = 40,
	ISST_FINDING_CLOS_MAX = 41,
	ISST_FINDING_LOW_BASE_FREQUENCY = 42,
	ISST_FINDING_TURBO_FREQ_WITHOUT_HIGH_PRIORITY = 43,
	ISST_FINDING_CPU_ISOLATED_OF_LEVEL = 44,
	ISST_FINDING_CLOS_MAX_BELOW_TURBO_FREQ = 45,
	ISST_FINDING_CLOS_MAX_OF_ALL = 46,
	ISST_FINDING_OTHER_LEVEL_REQUESTED = 47,
	ISST_FINDING_PACKAGE_AT_POWER_LIMIT = 48, /* only with ISST_EXPLAIN_MEASURE */
	ISST_FINDING_BASE_FREQ_PRIORITIES = 49,
	ISST_FINDING_POWER_LIMIT = 50,
	ISST_FINDING_CPU_OFFLINE = 51,
	ISST_FINDING_ADVISORY = 100 /* ISST_SEVERITY_ADVISORY; isst_finding_name() has which */
};

/**
 * Keeps each of the CPUs busy for 0.3 seconds, one after the other, by the calling thread, and
 * compares what it reaches with the base frequency. Of domains the CPUs that are isolated or
 * nohz_full are left out; named ones never are. On emulated machines no time passes.
 */
#define ISST_EXPLAIN_MEASURE 1U
/**
 * Only what the hardware limits the CPUs for (ISST_FINDING_LIMITED_...): performance limit reasons
 * are read, and neither levels, cpufreq files nor names of processes.
 */
#define ISST_EXPLAIN_LIMITS 2U

/** The name of a code: `clos-max-zero`; NULL if there is no such code. */
ISST_API const char *isst_finding_code_name(int code);

/**
 * Finds out why CPUs run as they do. Reads the levels, features and classes of the domains and of
 * their packages, and files of the kernel (cpufreq of the CPUs, uncore limits, SMT, release, limits
 * of intel_pstate, names of processes; on TPMI servers the performance limit reasons in debugfs, on
 * others MSR 0x64f by one CPU of each domain). After a resume also what was recorded since boot in
 * the runtime directory, and the file of the configuration that was applied last. On all but
 * preset platforms the turbo ratio limits (MSR 0x1ad), by one CPU of each domain; of CPUs that are
 * isolated or nohz_full no file of cpufreq and no MSR is read. Changes nothing.
 *
 * @targets: the domains or CPUs that findings are about
 * @request: NULL
 * @flags: 0, ISST_EXPLAIN_MEASURE or ISST_EXPLAIN_LIMITS
 * @explanation: set to the findings, to be freed before the context is closed; NULL on error
 * Returns 0, ISST_PARTIAL (something could not be read, see isst_explanation_unread_at()), -EINVAL,
 * -EINTR, -ESTALE (a target no longer exists since the last discovery), or -EPERM or -EIO (the
 * lists of isolated CPUs cannot be read).
 */
ISST_API int isst_explain(struct isst_context *context, const struct isst_targets *targets,
			  const struct isst_request *request, unsigned int flags,
			  struct isst_explanation **explanation);
ISST_API void isst_explanation_free(struct isst_explanation *explanation);

/** A finding, the most important first; NULL past the last one. It belongs to the explanation. */
ISST_API const struct isst_finding *
isst_explanation_finding_at(const struct isst_explanation *explanation, size_t index);

/** Something that could not be read, so that findings may be missing; NULL past the last one. */
ISST_API const struct isst_message *
isst_explanation_unread_at(const struct isst_explanation *explanation, size_t index);

/** Something that was not looked at, such as files that only root may read; NULL past the last one.
 */
ISST_API const struct isst_message *
isst_explanation_note_at(const struct isst_explanation *explanation, size_t index);

/** The frequency of a CPU in MHz while it was busy; 0: it was not measured. */
ISST_API unsigned int isst_explanation_measured_mhz(const struct isst_explanation *explanation,
						    unsigned int cpu);

/** The code (enum isst_finding_kind), its name or that of the advisory, and the severity (enum
 * isst_severity). */
ISST_API int isst_finding_code(const struct isst_finding *finding);
ISST_API const char *isst_finding_name(const struct isst_finding *finding);
ISST_API int isst_finding_severity(const struct isst_finding *finding);

/** The place of the finding: `machine`, or domains, such as `package 0, power domains 0-1`. */
ISST_API const char *isst_finding_place(const struct isst_finding *finding);

/** The CPUs concerned; empty if it is about no CPU in particular. */
ISST_API const struct isst_cpuset *isst_finding_cpus(const struct isst_finding *finding);

/** The numbers of the packages concerned; empty if it is about the machine as a whole. */
ISST_API const struct isst_cpuset *isst_finding_packages(const struct isst_finding *finding);

/** The values that were read, and from where; their meaning for the CPUs; and the command that
 * fixes it, or advice where no command can, or "". */
ISST_API const char *isst_finding_evidence(const struct isst_finding *finding);
ISST_API const char *isst_finding_meaning(const struct isst_finding *finding);
ISST_API const char *isst_finding_remedy(const struct isst_finding *finding);

#ifdef __cplusplus
}
#endif

#endif
