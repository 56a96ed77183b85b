/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include "../process/confirmation.h"
#include "../process/privileges.h"
#include "../process/program.h"
#include "../render/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Programs wait 10 seconds for a command: the holder of the lock is reported before. */
enum { LOCK_TIMEOUT_MS = 9000, QUIET_MS = 300 };

static int take_lock(struct run *run)
{
	unsigned int timeout_ms = LOCK_TIMEOUT_MS;
	int error;

	if (request_has(run->request, OPTION_LOCK_TIMEOUT))
		timeout_ms = request_number(run->request, OPTION_LOCK_TIMEOUT) * 1000;
	if (timeout_ms <= QUIET_MS)
		return isst_lock(run->context, timeout_ms, 0);
	error = isst_lock(run->context, QUIET_MS, 0);
	if (error != -EBUSY)
		return error;
	/* A document has no place for what is over when it is printed. */
	if (run->progress)
		run_progress(run, "waiting for up to %u s: %s", timeout_ms / 1000,
			     isst_error(run->context));
	return isst_lock(run->context, timeout_ms - QUIET_MS, 0);
}

/** What a run waits for itself while it holds a change is not to end it. */
static int block_signals(struct run *run)
{
	sigset_t others;
	int error = signals_block(&run->signals);

	if (error || !(run->request->command->flags & COMMAND_HOLDS))
		return error;
	sigemptyset(&others);
	if (run->program)
		program_signals(&others);
	else
		confirmation_signals(&others);
	return signals_block_others(&run->signals, &others);
}

bool reserve_process(struct run *run)
{
	struct rlimit limit;
	int error;

	/* A change without descriptors left could not be rolled back. Not vital: a run reports
	 * that limit. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	error = isst_check_privileges(run->context);
	if (error) {
		/* Scripts look for the first two words. */
		run_error(run, status_of_error(error), "Insufficient privileges: %s",
			  isst_error(run->context));
		return false;
	}
	error = block_signals(run);
	if (error) {
		run_error(run, STATUS_FAILED, "cannot block signals: %s", strerror(-error));
		return false;
	}
	return true;
}

bool reserve_machine(struct run *run)
{
	return reserve_process(run) && run_driver_call(run, take_lock(run)) == 0;
}

void reserve_drop_privileges(struct run *run, struct output *output)
{
	bool saves = run->request->command->flags & COMMAND_HAS_TARGET && run->request->operand;
	enum privileges_use use = PRIVILEGES_READ;
	int error;

	if (run_changes(run) || request_has(run->request, OPTION_FOLLOW) ||
	    request_has(run->request, OPTION_APPLY))
		use = PRIVILEGES_CHANGE;
	else if (run->request->command->flags & COMMAND_REGISTERS)
		use = PRIVILEGES_REGISTERS;
	/* To a file in a directory of another user root writes by its capabilities. */
	if (output->path && renderers[output->format].file)
		saves = true;
	error = saves && !privileges_borrowed() ? privileges_gain_none() : privileges_drop(use);
	if (error && request_has(run->request, OPTION_DEBUG))
		fprintf(output_trace(output), "cannot drop capabilities: %s\n", strerror(-error));
	/* Where there are no filters the run is as good without. */
	(void)privileges_deny_calls();
}
