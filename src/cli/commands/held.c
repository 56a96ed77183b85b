/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that hold a change: `config try` until it is confirmed, `with` while a program runs. */
#include "../../common/memory_stream.h"
#include "../process/confirmation.h"
#include "../process/program.h"
#include "../run/change.h"
#include "../run/config.h"
#include "../run/handlers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 };

static void report_group(void *data, const struct step_group *group)
{
	run_progress(data, "Changed %s: %s -> %s", group->target, group->texts.text[STEP_OLD],
		     group->texts.text[STEP_NEW]);
}

static void report_steps(struct run *run, const struct isst_change *change)
{
	struct step_folds folds = { NULL, 0 };
	const struct isst_change_step *step;
	int error = 0;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL && !error; i++) {
		if (isst_change_step_is_written(step))
			error = change_fold_step(run->context, &folds, step);
	}
	if (error || step_folds_visit(&folds, run->context, report_group, run) != 0)
		run_progress(run, "out of memory");
	step_folds_clear(&folds);
}

static void report_kept(struct run *run, struct report_node *top)
{
	report_word(top, KEY_CONFIG_TRY, "kept");
	config_report_high_priority(run->report, run->config);
	config_record(run, run->config, 0);
}

static void decide(struct run *run, struct isst_change *change, struct report_node *top)
{
	unsigned int seconds = request_has(run->request, OPTION_TIMEOUT)
				       ? request_number(run->request, OPTION_TIMEOUT)
				       : TIMEOUT_S;
	struct confirmation confirmation;
	const char *refusal;

	confirmation = confirmation_begin(seconds, run->nowait);
	report_steps(run, change);
	run_progress(run, "To keep this within %u s: %skill -USR1 %d; otherwise it is rolled back",
		     seconds, isatty(STDIN_FILENO) ? "press Enter, or " : "", (int)getpid());
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

void config_try(struct run *run)
{
	struct isst_change *change;
	struct report_node *top;

	if (!config_matches(run))
		return;
	if (config_change(run, run->config, ISST_CHANGE_HOLD | ISST_CHANGE_REVERSIBLE, &change) !=
	    0) {
		isst_change_free(change);
		return;
	}
	top = report_branch(report_unit(run->report, NULL, 0), KEY_CONFIGURATION, 0);
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

/* ---- with ---- */

/** Which CPUs were chosen, by power domains, before the program prints anything. */
static void name_high_priority(struct run *run, const struct isst_cpuset *cpus)
{
	struct memory_stream memory;
	const char *divider = "";
	char *text;

	if (memory_stream_open(&memory))
		return;
	for (size_t i = 0; i < isst_domain_count(run->context); i++) {
		const struct isst_domain *domain = isst_domain_at(run->context, i);
		struct isst_cpuset *own = isst_cpuset_new();
		unsigned int cpu;
		char *list;

		isst_cpuset_for_each (cpu, isst_domain_online_cpus(domain))
			if (own && isst_cpuset_has(cpus, cpu) && isst_cpuset_add(own, cpu, cpu))
				break;
		list = own ? isst_cpuset_to_list(own) : NULL;
		if (list && *list)
			fprintf(memory.stream, "%s%s: %s", divider, isst_domain_name(domain), list);
		if (list && *list)
			divider = "; ";
		free(list);
		isst_cpuset_free(own);
	}
	text = memory_stream_text(&memory);
	if (text)
		run_progress(run, "high-priority-cpus: %s", text);
	free(text);
}

/** The CPUs that the program is to run on; NULL: all that the caller may. */
static const struct isst_cpuset *find_cpus(struct run *run)
{
	const struct isst_cpuset *cpus = isst_config_high_priority_cpus(run->config);

	if (cpus)
		name_high_priority(run, cpus);
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
