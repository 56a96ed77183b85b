/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/handlers.h"
#include "../run/run.h"

/** Scripts that know the reference tool may rely on its change of all CPUs. */
bool turbo_mode_check(struct run *run)
{
	if (run->request->reference && run->cpus)
		report_message(run->report, ENTRY_NOTE,
			       "turbo-mode %s changes only the CPUs that --cpu names; the kernel "
			       "tree's tool ignores --cpu, and changes all",
			       run->request->command->name);
	return true;
}
