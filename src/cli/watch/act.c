/* SPDX-License-Identifier: BSD-3-Clause */
/* A change, planned first to see whether a watcher may make it. */
#include "act.h"

#include "../config/config_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** Takes a lock that is free; for one that is not, there is the next look. */
static int begin(struct run *run)
{
	int error = run->context ? run_call(run, isst_lock(run->context, 0, 0)) : -ENOMEM;

	return error ? error : run_call(run, isst_discover(run->context));
}

static bool writes(const struct isst_change *change, int kind)
{
	const struct isst_change_step *step;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++)
		if (isst_item_kind(isst_change_step_item(step)) == kind)
			return true;
	return false;
}

static const char *find_warning(const struct isst_change *change, int code)
{
	for (size_t i = 0; isst_change_warning_at(change, i); i++)
		if (isst_change_warning_code_at(change, i) == code)
			return isst_change_warning_at(change, i);
	return NULL;
}

/** Why a change must not be made without a person who asks for it; NULL: it may be. */
static const char *find_objection(const struct actor *actor, const struct run *run,
				  const struct isst_change *change)
{
	if (actor->foreign_level && isst_platform_fact(run->context, ISST_FACT_POWER_DOMAINS) > 0 &&
	    writes(change, ISST_ITEM_FEATURES) && !writes(change, ISST_ITEM_LEVEL))
		return "a write of SST-BF or SST-TF would request the level once more that was "
		       "requested last, and another agent has set the present one";
	return find_warning(change, ISST_WARNING_CPUSETS_LOSE_CPUS);
}

/** Plans the change. Returns 1 (something has to be written), 0 or a negative errno. */
static int plan(const struct actor *actor, struct run *run, struct isst_config *config)
{
	struct isst_change *change;
	int error = config_change(run, config, ISST_CHANGE_DRY_RUN, &change);
	bool unchanged = !error && isst_change_is_unchanged(change);
	const char *objection = error || unchanged ? NULL : find_objection(actor, run, change);

	if (objection) {
		report_empty(run->report);
		run_error(run, STATUS_FAILED, "%s", objection);
		error = -ECANCELED;
	}
	isst_change_free(change);
	return error ? error : !unchanged;
}

static int make(struct run *run, struct isst_config *config)
{
	struct isst_change *change;
	int error;

	/* The same warnings once more. */
	report_empty(run->report);
	error = config_change(run, config, 0, &change);
	isst_change_free(change);
	return error ? error : 1;
}

static char *first_error(struct report *report)
{
	const struct report_entry *entry = report_first(report);

	while (entry && entry->kind != ENTRY_ERROR)
		entry = entry->next;
	return strdup(entry && entry->message ? entry->message : "out of memory");
}

int act(const struct actor *actor, struct isst_context *context, struct isst_config *config,
	char **cause)
{
	struct run run = {
		.request = actor->run->request,
		.signals = actor->run->signals,
		.progress = actor->run->progress,
		.context = context,
		.report = report_new(),
		.program_status = -1,
	};
	int done = run.report ? begin(&run) : -ENOMEM;

	if (!done)
		done = plan(actor, &run, config);
	if (done > 0)
		done = make(&run, config);
	*cause = done >= 0 ? NULL : run.report ? first_error(run.report) : strdup("out of memory");
	isst_close(run.context);
	report_free(run.report);
	return done;
}
