/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the changes of a run and reports them. A change is one for all units: it is made everywhere
 * or nowhere. Must not know features.
 */
#include "change.h"

#include "change_run.h"
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A change that is being made, and what it is for: the run's domains, or its units. */
struct attempt {
	struct run *run;
	const struct change_command *command;
	struct isst_change *change;
	struct isst_results *results; /* of planning: what stands against each subject */
	/* Of the domain that was looked at last, which many units have in common. */
	const struct isst_domain *domain;
	bool left_out;
};

/** Makes the request of a command; *@request is NULL where it asks for nothing. */
static int make_request(const struct attempt *attempt, struct isst_request **request)
{
	*request = NULL;
	if (!attempt->command->fill)
		return 0;
	*request = isst_request_new();
	return *request ? attempt->command->fill(attempt->run, *request) : -ENOMEM;
}

/** Where there are results, each has the objection to it. Returns 0, or a negative errno after
 * reporting it. */
static int add_request(struct attempt *attempt, const struct isst_targets *targets,
		       const struct isst_request *request)
{
	const struct change_command *command = attempt->command;
	int error = command->add(attempt->change, targets, request, command->flags,
				 &attempt->results);

	return attempt->results ? 0 : run_call(attempt->run, error);
}

/** Plans the command. Returns 0, or a negative errno after reporting it. */
static int plan(struct attempt *attempt)
{
	const struct change_command *command = attempt->command;
	struct run *run = attempt->run;
	struct isst_targets *targets = command->for_cpus ? cpu_targets(run) : domain_targets(run);
	struct isst_request *request;
	int error;

	if (!targets)
		return -ENOMEM;
	error = make_request(attempt, &request);
	if (error)
		run_error(run, STATUS_FAILED, "out of memory");
	else
		error = add_request(attempt, targets, request);
	isst_request_free(request);
	isst_targets_free(targets);
	return error;
}

/** Whether the change is made for a unit: it was neither left out by planning nor done without. */
static bool is_part(struct attempt *attempt, const struct unit *unit)
{
	size_t subject = attempt->command->for_cpus ? (size_t)(unit - attempt->run->targets.units)
						    : unit->slot;
	const struct isst_result *result = isst_results_at(attempt->results, subject);

	if (attempt->domain != unit->domain) {
		attempt->domain = unit->domain;
		attempt->left_out = isst_change_has_left_out(attempt->change, unit->domain);
	}
	/* Without memory there was no planning that could have left it out. */
	return !(result && isst_result_error(result, ISST_PART_RESULT)) && !attempt->left_out;
}

/** Whether a subject before failed for the same reason: CPUs do for that of their domain. */
static bool is_reported(const struct isst_results *results, size_t i, const struct failure *failure)
{
	for (size_t j = 0; j < i && failure->error; j++) {
		struct failure other = failure_of(isst_results_at(results, j), ISST_PART_RESULT);

		if (other.error == failure->error && other.more == failure->more &&
		    strcmp(other.message, failure->message) == 0)
			return true;
	}
	return false;
}

static void report_failure_of(struct run *run, const struct failure *failure, bool stopped)
{
	if (stopped)
		run_failure(run, failure);
	else if (failure->error)
		run_note(run, failure);
}

/** Reports what planning found. CPUs that were not named are not reported one by one. */
static void report_failures(const struct attempt *attempt, int stopped)
{
	bool one_by_one = !attempt->command->for_cpus || attempt->run->targets.named;
	const struct isst_result *result;
	struct failure all = { 0 };

	for (size_t i = 0; (result = isst_results_at(attempt->results, i)) != NULL; i++) {
		struct failure failure = failure_of(result, ISST_PART_RESULT);

		/* That I/O does not support a feature of cores is no news. */
		if (!stopped && failure.error == -EOPNOTSUPP &&
		    isst_domain_is_io(isst_result_domain(result)))
			continue;
		if (one_by_one) {
			if (!is_reported(attempt->results, i, &failure))
				report_failure_of(attempt->run, &failure, stopped);
		} else if (all.error && failure.error) {
			all.more++;
		} else if (failure.error == (stopped ? stopped : -EOPNOTSUPP)) {
			all = failure;
		}
	}
	report_failure_of(attempt->run, &all, stopped);
}

static void report_result(struct run *run, const struct unit *unit, enum key_id feature,
			  enum key_id result, int error)
{
	struct report_node *node;
	char *failed;

	node = report_branch(unit_report(unit, run->context, run->report), feature, 0);
	if (!error) {
		report_word(node, result, "success");
		return;
	}
	if (asprintf(&failed, "failed(error %d)", error) < 0)
		failed = NULL;
	report_word(node, result, failed ? failed : "failed");
	free(failed);
}

/** Reports units, those that were left out excepted. */
static void report_results(struct attempt *attempt, int error)
{
	const struct change_command *command = attempt->command;
	struct run *run = attempt->run;

	for (size_t i = 0; i < run->targets.unit_count; i++) {
		const struct unit *unit = &run->targets.units[i];

		/* A change that failed is one of the units that it would have been made for. */
		if ((error && !isst_domain_is_io(unit->domain)) || is_part(attempt, unit))
			report_result(run, unit, command->feature, command->result, error);
	}
	/* Without CPUs there is nothing that could have a class of service. */
	for (size_t i = 0; i < run->targets.unit_count && command->extra_result && !error; i++) {
		const struct unit *unit = &run->targets.units[i];

		if (unit->first && !isst_domain_is_io(unit->domain) && is_part(attempt, unit))
			report_result(run, unit, command->extra_result, command->result, 0);
	}
}

/** Plans and makes. Returns 0, or a negative errno after reporting it. */
static int make_attempt(struct attempt *attempt)
{
	struct run *run = attempt->run;
	int error = plan(attempt);

	if (error)
		return error;
	error = isst_change_check(attempt->change);
	report_failures(attempt, error);
	if (error) {
		change_report_warnings(run, attempt->change, 0);
		return error;
	}
	if (attempt->command->announce && run_changes(run))
		attempt->command->announce(run);
	return change_make(run, attempt->change);
}

void change_machine(struct run *run, const struct change_command *command)
{
	struct attempt attempt = { .run = run, .command = command };
	int error;

	if (change_begin(run, 0, &attempt.change) != 0)
		return;
	error = make_attempt(&attempt);
	if (!error)
		change_note_offline_parts(run);
	if (!request_has(run->request, OPTION_DRY_RUN)) {
		if (!error && isst_change_is_unchanged(attempt.change))
			change_note_unchanged(run, attempt.change);
		else if (!error)
			change_note_late_signal(run);
		report_results(&attempt, error);
	}
	isst_results_free(attempt.results);
	isst_change_free(attempt.change);
}

/** The command is planned for the machine as it is: in a dry run no CPU has come online. */
static void note_unforeseen(struct run *run, const struct isst_change *change)
{
	const struct isst_change_step *step;
	unsigned int count = 0;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++)
		count += isst_change_step_is_written(step) &&
			 isst_item_kind(isst_change_step_item(step)) == ISST_ITEM_CPU_ONLINE;
	if (!request_has(run->request, OPTION_DRY_RUN) || count == 0)
		return;
	run->comes_online = true;
	report_message(
		run->report, ENTRY_NOTE,
		"%u CPU%s would come online first (--all-cpus-online): further changes of the "
		"command on %s, and on packages, dies and power domains that are completely "
		"offline, are not listed",
		count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

bool change_all_online(struct run *run)
{
	struct isst_change *change;
	int error;

	if (change_begin(run, 0, &change) != 0)
		return false;
	if (run_changes(run))
		run_progress(run, "Forcing all CPUs online");
	error = run_call(run, isst_change_add_all_online(change, NULL, NULL, 0, NULL));
	if (!error)
		error = change_make(run, change);
	if (!error)
		note_unforeseen(run, change);
	isst_change_free(change);
	return error == 0;
}
