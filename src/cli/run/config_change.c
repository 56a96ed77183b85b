/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "change.h"
#include "levels.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Reports ---- */

int config_call(struct run *run, const struct isst_config *config, int error)
{
	const char *problem = config ? isst_config_problem_at(config, 0) : NULL;

	if (error >= 0)
		return error;
	if (!problem && run->context)
		return run_call(run, error);
	if (!problem)
		run_error(run, status_of_error(error), "%s", strerror(-error));
	else {
		size_t count = 0;

		for (; (problem = isst_config_problem_at(config, count)) != NULL; count++)
			if (count < CONFIG_LISTED)
				run_failure(run,
					    (struct failure){ .error = error, .message = problem });
		if (count > CONFIG_LISTED)
			run_error(run, status_of_error(error), "and %zu more problem%s",
				  count - CONFIG_LISTED, count - CONFIG_LISTED > 1 ? "s" : "");
	}
	return error;
}

unsigned int config_report_differences(struct report_node *top, enum key_id key,
				       const struct isst_config *config)
{
	const struct isst_config_difference *difference;
	unsigned int count = 0;

	while ((difference = isst_config_difference_at(config, count)) != NULL) {
		struct report_node *node = report_branch(top, key, count++);
		const char *origin = isst_config_difference_origin(difference);

		report_text(node, KEY_CONFIG_TARGET, isst_config_difference_target(difference));
		report_text(node, KEY_CONFIG_WANTED, isst_config_difference_wanted(difference));
		report_text(node, KEY_CONFIG_PRESENT, isst_config_difference_present(difference));
		/* Defaults are stated nowhere. */
		if (origin && *origin)
			report_text(node, KEY_CONFIG_ORIGIN, origin);
	}
	return count;
}

bool config_report_comparison(struct run *run, struct report_node *top)
{
	bool equal = !isst_config_difference_at(run->config, 0);

	/* What discovery left out was not compared, which its messages are errors of. */
	if (equal && isst_left_out_at(run->context, 0))
		report_word(top, KEY_CONFIG_CHECK, "incomplete");
	else
		report_state(top, KEY_CONFIG_CHECK, equal);
	config_report_differences(top, KEY_CONFIG_DIFFERENCE, run->config);
	return equal;
}

/* ---- One change ---- */

/** Being for another machine is a result as well, which programs look for. */
static void report_skipped_result(struct run *run)
{
	static const struct {
		const char *command;
		enum key_id key;
	} RESULTS[] = {
		{ "check", KEY_CONFIG_CHECK },
		{ "apply", KEY_CONFIG_APPLY },
		{ "try", KEY_CONFIG_TRY },
	};
	const struct command *command = run->request->command;
	struct report_node *unit;

	/* A plan has no result. */
	if (!(command->flags & COMMAND_CONFIG) || request_has(run->request, OPTION_DRY_RUN))
		return;
	unit = report_unit(run->report, NULL, 0);

	for (size_t i = 0; i < sizeof(RESULTS) / sizeof(RESULTS[0]); i++)
		if (strcmp(RESULTS[i].command, command->name) == 0)
			report_word(report_branch(unit, KEY_CONFIGURATION, 0), RESULTS[i].key,
				    "skipped");
}

bool config_matches(struct run *run)
{
	int result = isst_config_match(run->config, run->context, 0);
	const char *problem;

	run_report_notices(run);
	if (result != ISST_CONFIG_SKIPPED)
		return config_call(run, run->config, result) == 0;
	problem = isst_config_problem_at(run->config, 0);
	report_message(run->report, ENTRY_NOTE, "skipped: %s",
		       problem ? problem : "the configuration is for another machine");
	report_code(run->report, "skipped");
	report_skipped_result(run);
	return false;
}

/** Nothing was stated by who returns to a former state. */
void config_report_skipped(struct run *run, const struct isst_config *config)
{
	const char *skipped;
	size_t count = 0;

	if (config != run->config)
		return;
	for (; (skipped = isst_config_skipped_at(config, count)) != NULL; count++) {
		if (count >= CONFIG_LISTED)
			continue;
		report_message(run->report, ENTRY_NOTE, "%s; skipped", skipped);
		report_code(run->report, "statement-skipped");
	}
	if (count <= CONFIG_LISTED)
		return;
	report_message(run->report, ENTRY_NOTE, "and %zu more; skipped", count - CONFIG_LISTED);
	report_code(run->report, "statement-skipped");
}

/** CPUs stay as they are where a level is stated and they are not. */
static bool moves_level(const struct isst_change *change)
{
	const struct isst_change_step *step;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++)
		if (isst_change_step_is_written(step) &&
		    isst_item_kind(isst_change_step_item(step)) == ISST_ITEM_LEVEL)
			return true;
	return false;
}

int config_change(struct run *run, struct isst_config *config, unsigned int flags,
		  struct isst_change **change)
{
	int error = change_begin(run, flags, change);

	if (!error)
		error = config_call(run, config, isst_change_add_config(*change, config, 0));
	run_report_notices(run);
	if (!error)
		error = run_call(run, isst_change_check(*change));
	if (error) {
		isst_change_free(*change);
		*change = NULL;
		return error;
	}
	config_report_skipped(run, config);
	error = change_make(run, *change);
	if (!error && moves_level(*change))
		levels_note_cpus(run, 0, "'cpus by-level', stated with the level, changes that");
	return error;
}

/* A file or firmware that is busy for a moment must not leave a change in place. */
enum { ATTEMPTS = 4, PAUSE_MS = 100 };

/** The change is no longer held afterwards. Returns as isst_change_roll_back() does. */
static int attempt_roll_back(struct isst_change *change)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	int error = isst_change_roll_back(change);

	/* It was not even begun: what it has to know could not be read. */
	for (int i = 1; i < ATTEMPTS && error && error != -ISST_ERR_ROLLBACK; i++) {
		nanosleep(&pause, NULL);
		error = i < ATTEMPTS - 1 ? isst_change_roll_back(change)
					 : isst_change_abandon(change);
	}
	return error;
}

int config_roll_back(struct run *run, struct isst_change *change)
{
	size_t reported = 0;
	int error;

	/* Those of the change are reported already. */
	while (isst_change_warning_at(change, reported))
		reported++;
	error = attempt_roll_back(change);
	change_report_warnings(run, change, reported);
	if (error == -ISST_ERR_ROLLBACK)
		change_report_failure(run, change, error);
	else if (error) {
		struct isst_journal *journal = NULL;
		char *cause = strdup(isst_error(run->context));
		bool kept = isst_journal_open(run->context, 0, &journal) == 0 && journal;

		isst_journal_free(journal);
		run_error(run, STATUS_ROLLBACK_INCOMPLETE,
			  "the rollback could not be begun: %s; the change is still in place%s",
			  cause ? cause : "out of memory",
			  kept ? ", and the next run that changes the machine rolls it back" : "");
		free(cause);
	}
	isst_change_free(change);
	return error;
}

void config_record(struct run *run, const struct isst_config *config, int error)
{
	if (request_has(run->request, OPTION_DRY_RUN) ||
	    isst_config_record_apply(config, run->context, error, 0) == 0 || error)
		return;
	report_message(run->report, ENTRY_NOTE, "the time of this run is not recorded: %s",
		       isst_error(run->context));
	report_code(run->report, "not-recorded");
}

void config_report_high_priority(struct report *report, const struct isst_config *config)
{
	const struct isst_cpuset *cpus = isst_config_high_priority_cpus(config);

	if (cpus)
		report_cpu_ranges(report_unit(report, NULL, 0), KEY_HIGH_PRIORITY_CPUS, 0, cpus);
}
