/* SPDX-License-Identifier: BSD-3-Clause */
/* `with`: a program that runs while the machine is as configured. Must not know output formats. */
#include "../process/program.h"
#include "../run/handlers.h"
#include "config_change.h"

#include <string.h>

/** The CPUs that the program is to run on; NULL: all that the caller may. */
static const struct isst_cpuset *find_cpus(struct run *run)
{
	const struct isst_cpuset *cpus = isst_config_high_priority_cpus(run->config);

	if (!cpus || request_has(run->request, OPTION_NO_AFFINITY))
		return NULL;
	/* Their numbers are not those of the CPUs that the program runs on. */
	if (isst_platform_emulated_name(run->context)) {
		report_message(run->report, ENTRY_NOTE,
			       "the machine is emulated: the affinity of %s is left as it is",
			       run->request->program[0]);
		return NULL;
	}
	return cpus;
}

static void run_program(struct run *run)
{
	static const char *const obstacles[] = {
		[PROGRAM_PREPARATION] = "cannot start",
		[PROGRAM_AFFINITY] = "cannot set the affinity of",
		[PROGRAM_EXECUTION] = "cannot run",
		[PROGRAM_END] = "cannot see the end of",
	};
	struct program_end end = program_run(run->program, find_cpus(run));

	run->program_status = (int)end.status;
	run->program_signal = end.signal;
	if (end.error)
		report_message(run->report, ENTRY_ERROR, "%s %s: %s", obstacles[end.stage],
			       *run->request->program[0] ? run->request->program[0] : "''",
			       strerror(-end.error));
}

void with_program(struct run *run)
{
	struct isst_change *change = NULL;
	bool meant = config_matches(run);

	if (!meant && run->status != STATUS_DONE)
		return;
	if (!meant || config_change(run, run->config, ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE,
				    &change) == 0) {
		run_program(run);
		run->changed = false;
		if (change)
			config_roll_back(run, change);
		change = NULL;
	}
	isst_change_free(change);
}
