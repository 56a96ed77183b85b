/* SPDX-License-Identifier: BSD-3-Clause */
/* High priority cores that the command chooses, instead of the user: --high-priority. */
#ifndef ISST_CLI_CORE_CHOICE_H
#define ISST_CLI_CORE_CHOICE_H

#include "run.h"

/** Chooses the CPUs that the options ask for, among the run's domains. Returns false after an
 * error.
 */
bool core_choice_make(struct run *run);

/** How many cores of a package were chosen. */
unsigned int core_choice_count(const struct run *run, unsigned int package);

/** Leaves out the run's domains in packages without a chosen core, which is reported. Returns false
 * after an error. */
bool core_choice_keep_packages(struct run *run);

/** Reports the CPUs as a list with ranges, such as taskset and cpusets take. */
void core_choice_report(struct run *run);

#endif
