/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked for in a survey: each function adds its findings. None reads anything. */
#ifndef ISST_EXPLAIN_CHECKS_H
#define ISST_EXPLAIN_CHECKS_H

#include "explain/findings.h"

void check_clos(struct findings *findings);	  /* limits of classes, and of core-power off */
void check_turbo_freq(struct findings *findings); /* SST-TF with core-power and priorities */
void check_levels(struct findings *findings);	  /* levels, their CPUs, base frequency, uncore */
void check_cpufreq(struct findings *findings);	  /* what the kernel's files show */
void check_resume(struct findings *findings);	  /* what was lost over suspend */
void check_registers(struct findings *findings);  /* what hardware without TPMI reports */
void check_managers(struct findings *findings);	  /* other programs */
void check_measured(struct findings *findings);	  /* CPUs that were kept busy, and packages */
void check_choices(struct findings *findings);	  /* what CPUs have been configured to */
void check_reasons(struct findings *findings);	  /* what the hardware reports */
void check_advisories(struct findings *findings); /* what is known of such kernels */

/** Whether a kernel is known to be without the defect of an advisory. */
bool kernel_is_fixed(const struct survey *survey, const char *advisory);

/** Notes that a CPU was measured at less than that; a little less is the same. */
void measured_note(struct findings *findings, int code, const struct survey_domain *domain,
		   const struct survey_cpu *cpu, unsigned int mhz, const char *of_what);

/** What the firmware guarantees a CPU of a domain; 0: unknown. */
unsigned int level_base_mhz(const struct survey_domain *domain, unsigned int cpu);

#endif
