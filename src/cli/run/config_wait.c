/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "../../common/monotonic.h"
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_EVERY_MS = 500, OPTIONAL_SECONDS = 5 };

struct missing {
	char *what;    /* NULL: nothing is missing */
	bool optional; /* the configuration can be applied without it */
};

/** An optional statement that has no driver yet; NULL: there is none. */
static const char *find_skipped(const struct isst_config *config)
{
	const char *skipped;

	for (size_t i = 0; (skipped = isst_config_skipped_at(config, i)) != NULL; i++)
		if (isst_config_skipped_error_at(config, i) == -ENODEV)
			return skipped;
	return NULL;
}

/** What more of the machine may appear; NULL: nothing. A machine that is another one stays so. */
static const char *missing_of(struct isst_context *context, struct isst_config *config,
			      bool *optional)
{
	int error = isst_discover(context);

	*optional = false;
	if (!error && isst_config_match(config, context, 0) != 0)
		return NULL;
	if (!error && isst_left_out_at(context, 0))
		return isst_left_out_at(context, 0);
	if (!error)
		error = isst_config_check(config, context, 0);
	if (error)
		return error == -EOPNOTSUPP || error == -ENODEV ? isst_error(context) : NULL;
	*optional = true;
	return find_skipped(config);
}

/** Returns what is missing; its text is to be freed. */
static struct missing find_missing(const struct run *run)
{
	struct missing missing = { NULL, false };
	struct isst_context *context;
	const char *what;
	char *problem;

	(void)machine_open(run->request, run_options(run->request), &context, &problem);
	free(problem);
	what = context ? missing_of(context, run->config, &missing.optional) : NULL;
	missing.what = what ? strdup(what) : NULL;
	isst_close(context);
	return missing;
}

static bool await_driver(struct run *run, unsigned int seconds)
{
	int error = isst_wait_for_driver(run->context, 0, 0);

	if (error == -EOPNOTSUPP && isst_platform_fact(run->context, ISST_FACT_INTEL) > 0) {
		run_progress(run, "Waiting up to %u s: %s", seconds, isst_error(run->context));
		error = isst_wait_for_driver(run->context, seconds * 1000, 0);
	}
	return error == 0;
}

/** Waits for what is missing, a few seconds if it is optional: many machines never have it. */
static void await_missing(struct run *run, int64_t deadline_ms)
{
	const struct timespec pause = { .tv_nsec = LOOK_EVERY_MS * 1000000L };
	bool reported = false, limited = false;
	struct missing missing;

	while ((missing = find_missing(run)).what) {
		int64_t now_ms = monotonic_ms(), optional_ms = now_ms + OPTIONAL_SECONDS * 1000;

		if (missing.optional && !limited && optional_ms < deadline_ms)
			deadline_ms = optional_ms;
		limited |= missing.optional;
		if (now_ms >= deadline_ms)
			break;
		if (!reported)
			run_progress(run, "Waiting up to %u s: %s",
				     (unsigned int)((deadline_ms - now_ms + 999) / 1000),
				     missing.what);
		reported = true;
		free(missing.what);
		nanosleep(&pause, NULL);
	}
	free(missing.what);
}

bool config_wait(struct run *run)
{
	const struct request *request = run->request;
	const unsigned int seconds = request_number(request, OPTION_WAIT);
	const int64_t deadline_ms = monotonic_ms() + (int64_t)seconds * 1000;
	int match;

	/* Without a change to make, there is yet a program to run. */
	if (!(request->command->flags & COMMAND_CONFIG) || command_wraps_program(request->command))
		return true;
	/* What else a configuration is for shows once the machine is discovered. */
	match = isst_config_match(run->config, run->context, 0);
	/* With a driver, discovery finds all that is different. */
	if (match == ISST_CONFIG_SKIPPED ||
	    (match == -EOPNOTSUPP && isst_wait_for_driver(run->context, 0, 0) == -EOPNOTSUPP))
		return config_matches(run);
	/* Who may not change it need not wait. */
	if (match == 0 && request_has(request, OPTION_WAIT) &&
	    (!run_changes(run) || isst_check_privileges(run->context) == 0) &&
	    await_driver(run, seconds))
		await_missing(run, deadline_ms);
	return true;
}
