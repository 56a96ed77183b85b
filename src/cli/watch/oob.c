/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts know these lines. */
#include "oob.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/** As the reference tool decides it. */
static bool is_daemon(const struct request *request)
{
	return !request_has(request, OPTION_DEBUG) && !request_has(request, OPTION_NO_DAEMON) &&
	       !request_has(request, OPTION_POLL_INTERVAL);
}

bool oob_begin(struct oob *oob, struct run *run, const struct output *output)
{
	int error;

	*oob = (struct oob){ .daemon = { .ready = -1 } };
	if (!request_has(run->request, OPTION_OOB))
		return true;
	/* `online cpu N`: written with the report that follows. */
	run->progress = output_result(output);
	/* The files of such a machine may be named as seen from the working directory. */
	oob->emulated = isst_platform_emulated_name(run->context);
	if (request_has(run->request, OPTION_DEBUG))
		fputs("OOB mode is enabled in debug mode\n", stderr);
	if (!is_daemon(run->request))
		return true;
	fputs("OOB mode is enabled and will run as daemon\n", stderr);
	error = daemon_start(&oob->daemon);
	if (error)
		run_error(run, STATUS_FAILED, "cannot start a daemon: %s", strerror(-error));
	return error == 0;
}

bool oob_ready(struct oob *oob, struct run *run, const struct output *output)
{
	FILE *stream = output_result(output);
	int error;

	if (!request_has(run->request, OPTION_OOB))
		return true;
	/* Scripts change the level as soon as they see it. */
	if (oob->events && (fputs("hfi is initialized\n", stream) < 0 || fflush(stream) != 0)) {
		run_error(run, STATUS_FAILED, "cannot write the result: %s", strerror(errno));
		return false;
	}
	error = daemon_ready(&oob->daemon, oob->emulated ? NULL : "/");
	if (error)
		run_error(run, STATUS_FAILED, "cannot go on as a daemon: %s", strerror(-error));
	return error == 0;
}
