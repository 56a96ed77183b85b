/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits for what a configuration needs: at boot the modules of driver and uncore limits are loaded
 * while services start. Every look has a context of its own, so that the run begins afresh.
 */
#include "config_wait.h"

#include "../common/monotonic.h"
#include "config_change.h"
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_EVERY_MS = 500 };

static struct isst_context *open_another(const struct run *run)
{
	struct isst_options *options = run_options(run->request);
	struct isst_context *context = NULL;
	struct isst_machine *machine;
	char *problem = NULL;

	if (options && machine_open(run->request, &machine, &problem) == STATUS_DONE)
		(void)isst_open_machine(machine, options, &context);
	free(problem);
	isst_options_free(options);
	return context;
}

/** What more of the machine may appear; NULL: nothing. A machine that is another one stays so. */
static const char *missing_of(struct isst_context *context, struct isst_config *config)
{
	int error = isst_discover(context);

	if (!error && isst_config_match(config, context, 0) != 0)
		return NULL;
	if (!error && isst_left_out_at(context, 0))
		return isst_left_out_at(context, 0);
	if (!error)
		error = isst_config_check(config, context, 0);
	return error == -EOPNOTSUPP ? isst_error(context) : NULL;
}

/** To be freed; NULL: nothing is missing. */
static char *find_missing(const struct run *run)
{
	struct isst_context *context = open_another(run);
	const char *missing = context ? missing_of(context, run->config) : NULL;
	char *copy = missing ? strdup(missing) : NULL;

	isst_close(context);
	return copy;
}

static void report_waiting(struct run *run, unsigned int seconds, const char *for_what)
{
	char *line;

	if (asprintf(&line, "Waiting up to %u s: %s", seconds, for_what) < 0)
		return;
	run_progress(run, line);
	free(line);
}

/** Waits for the driver, which has to be complete before it is asked more. Returns false if that
 * took all the time, or cannot help. */
static bool await_driver(struct run *run, unsigned int seconds)
{
	int error = isst_wait_for_driver(run->context, 0, 0);

	if (error == -EOPNOTSUPP && isst_platform_fact(run->context, ISST_FACT_INTEL) > 0) {
		report_waiting(run, seconds, isst_error(run->context));
		error = isst_wait_for_driver(run->context, seconds * 1000, 0);
	}
	return error == 0;
}

static void await_machine(struct run *run, unsigned int seconds)
{
	const struct timespec pause = { .tv_nsec = LOOK_EVERY_MS * 1000000L };
	int64_t deadline_ms = monotonic_ms() + (int64_t)seconds * 1000;
	bool reported = false;
	char *missing;

	if (!await_driver(run, seconds))
		return;
	while ((missing = find_missing(run)) != NULL && monotonic_ms() < deadline_ms) {
		if (!reported)
			report_waiting(run, seconds, missing);
		reported = true;
		free(missing);
		nanosleep(&pause, NULL);
	}
	free(missing);
}

/** Whether a configuration for another machine can be refused at once: with a driver, discovery
 * finds all that is different. */
static bool is_refused(struct run *run, int match)
{
	return match == -EOPNOTSUPP && isst_wait_for_driver(run->context, 0, 0) == -EOPNOTSUPP;
}

bool config_wait(struct run *run)
{
	const struct request *request = run->request;
	int match;

	/* Without a change to make, there is yet a program to run. */
	if (!(request->command->flags & COMMAND_CONFIG) || command_wraps_program(request->command))
		return true;
	/* What else a configuration is for shows once the machine is discovered. */
	match = isst_config_match(run->config, run->context, 0);
	if (match == ISST_CONFIG_SKIPPED || is_refused(run, match))
		return config_is_meant(run);
	/* Who may not change it need not wait. */
	if (match == 0 && request_has(request, OPTION_WAIT) &&
	    (!run_changes(run) || isst_check_privileges(run->context) == 0))
		await_machine(run, request_number(request, OPTION_WAIT));
	return true;
}
