/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs of a machine that a list of the command line names. */
#ifndef ISST_CLI_NAMED_CPUS_H
#define ISST_CLI_NAMED_CPUS_H

#include "run.h"

/** Finds the CPUs of a list, names included. @cpus: set to them, to be freed; NULL on error.
 * Returns false after an error, which names the name. */
bool named_cpus_find(struct run *run, const struct cpu_list *list, struct isst_cpuset **cpus);

#endif
