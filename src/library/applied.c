/* SPDX-License-Identifier: BSD-3-Clause */
/* The last run that applied a configuration, as programs see it. */
#include "state/applied.h"
#include "library/targets.h"

#include <errno.h>
#include <stdlib.h>

struct isst_config_run {
	ISST_MAY_GROW;
	struct applied applied;
};

int isst_config_run_read(struct isst_context *context, unsigned int flags,
			 struct isst_config_run **run)
{
	struct isst_config_run *read;
	int error;

	if (!context || !run || flags)
		return context_refuse(context, "isst_config_run_read() has no flags, or there is "
					       "nowhere to put the run (NULL)");
	*run = NULL;
	read = calloc(1, sizeof(*read));
	error = read ? applied_read(context, &read->applied) : -ENOMEM;
	if (!error) {
		*run = read;
		return 0;
	}
	isst_config_run_free(read);
	if (error == -ENOMEM)
		return call_no_memory(context);
	if (error == -ENOENT)
		return message_error(&context->messages, error,
				     "no configuration was applied since boot");
	return error;
}

void isst_config_run_free(struct isst_config_run *run)
{
	if (!run)
		return;
	applied_clear(&run->applied);
	free(run);
}

int64_t isst_config_run_time_s(const struct isst_config_run *run)
{
	return run ? run->applied.time_s : -1;
}

bool isst_config_run_succeeded(const struct isst_config_run *run)
{
	return run && run->applied.succeeded;
}

const char *isst_config_run_source(const struct isst_config_run *run)
{
	return run ? run->applied.source : NULL;
}

const char *isst_config_run_sha256(const struct isst_config_run *run)
{
	return run ? run->applied.digest : NULL;
}
