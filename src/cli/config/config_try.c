/* SPDX-License-Identifier: BSD-3-Clause */
/* `config try`: a change that is rolled back unless it is confirmed. Must not know output formats.
 */
#include "../process/confirmation.h"
#include "../run/change_run.h"
#include "../run/handlers.h"
#include "config_change.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 };

__attribute__((format(printf, 2, 3))) static void report_at_once(struct run *run,
								 const char *format, ...)
{
	va_list arguments;
	char *line;
	int length;

	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	run_progress(run, length < 0 ? "out of memory" : line);
	if (length >= 0)
		free(line);
}

static void report_group(void *data, const struct step_group *group)
{
	report_at_once(data, "Changed %s: %s -> %s", group->target, group->texts.text[STEP_OLD],
		       group->texts.text[STEP_NEW]);
}

/** What was changed, while there is time to look at it. */
static void report_steps(struct run *run, const struct isst_change *change)
{
	struct step_folds *folds = step_folds_new();
	const struct isst_change_step *step;
	int error = folds ? 0 : -ENOMEM;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL && !error; i++) {
		if (isst_change_step_is_written(step))
			error = change_fold_step(folds, step);
	}
	if (error || step_folds_visit(folds, run->context, report_group, run) != 0)
		run_progress(run, "out of memory");
	step_folds_free(folds);
}

static void report_how_to_confirm(struct run *run, unsigned int seconds)
{
	bool terminal = isatty(STDIN_FILENO);

	report_at_once(run,
		       "To keep this within %u s: %skill -USR1 %d; otherwise it is rolled back",
		       seconds, terminal ? "press Enter, or " : "", (int)getpid());
}

static void report_kept(struct run *run, struct report_node *top)
{
	report_word(top, KEY_CONFIG_TRY, "kept");
	config_report_high_priority(run->report, run->config);
	config_record(run, run->config, 0);
}

/** Keeps the change, or rolls it back; frees it. */
static void decide(struct run *run, struct isst_change *change, struct report_node *top)
{
	unsigned int seconds = request_has(run->request, OPTION_TIMEOUT)
				       ? request_number(run->request, OPTION_TIMEOUT)
				       : TIMEOUT_S;
	struct confirmation confirmation;
	const char *refusal;

	confirmation = confirmation_begin(seconds, run->nowait);
	report_steps(run, change);
	report_how_to_confirm(run, seconds);
	refusal = confirmation_wait(&confirmation);
	if (!refusal) {
		run->changed = run_call(run, isst_change_release(change)) == 0;
		if (run->changed)
			report_kept(run, top);
		isst_change_free(change);
		return;
	}
	run->changed = false;
	if (config_roll_back(run, change) != 0)
		return;
	run_error(run, STATUS_FAILED, "%s: all changes were rolled back", refusal);
	report_word(top, KEY_CONFIG_TRY, "rolled back");
}

/** @change: freed */
static void try_change(struct run *run, struct isst_change *change)
{
	struct report_node *top = report_branch(report_unit(run->report, NULL, 0),
						KEY_CONFIGURATION, 0);

	change_note_offline_parts(run);
	if (!isst_change_is_unchanged(change)) {
		decide(run, change, top);
		return;
	}
	change_note_unchanged(run, change);
	if (run_call(run, isst_change_release(change)) == 0)
		report_kept(run, top);
	isst_change_free(change);
}

void config_try(struct run *run)
{
	struct isst_change *change;

	if (!config_matches(run))
		return;
	if (config_change(run, run->config, ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE, &change) ==
	    0)
		try_change(run, change);
	else
		isst_change_free(change);
}
