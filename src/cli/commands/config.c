/* SPDX-License-Identifier: BSD-3-Clause */
#include "../run/config.h"
#include "../../common/memory_stream.h"
#include "../process/confirmation.h"
#include "../process/program.h"
#include "../process/save_file.h"
#include "../process/xalloc.h"
#include "../run/change.h"
#include "../run/handlers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct report_node *config_node(struct run *run)
{
	return report_section(run->report, KEY_CONFIGURATION);
}

/* ---- Changes that are held: try, with ---- */

enum { TIMEOUT_S = 120 };

static void report_changed(struct run *run, const char *target, const char *old_text,
			   const char *new_text)
{
	run_progress(run, "Changed %s: %s -> %s", target, old_text, new_text);
}

static void report_steps(struct run *run, const struct isst_change *change)
{
	struct folds folds = { .all = NULL };
	const struct isst_change_step *step;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++)
		if (isst_change_step_is_written(step))
			change_fold_step(run->context, &folds, step);
	change_report_steps(run, &folds, report_changed);
}

static void report_kept(struct run *run, struct report_node *top)
{
	report_word(top, KEY_CONFIG_TRY, "kept");
	config_report_high_priority(run, run->config);
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
	top = config_node(run);
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

	xcall(memory_stream_open(&memory));
	for (size_t i = 0; i < isst_domain_count(run->context); i++) {
		const struct isst_domain *domain = isst_domain_at(run->context, i);
		struct isst_cpuset *own = xcheck(isst_cpuset_new());
		unsigned int cpu;
		char *list;

		isst_cpuset_for_each (cpu, isst_domain_online_cpus(domain))
			if (isst_cpuset_has(cpus, cpu))
				xcall(isst_cpuset_add(own, cpu, cpu));
		list = xcheck(isst_cpuset_to_list(own));
		if (*list) {
			fprintf(memory.stream, "%s%s: %s", divider, isst_domain_name(domain), list);
			divider = "; ";
		}
		free(list);
		isst_cpuset_free(own);
	}
	text = xcheck(memory_stream_text(&memory));
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
	struct program_end end;

	if (request_has(run->request, OPTION_EMULATE))
		report_message(run->report, ENTRY_NOTE,
			       "the files that %s reads are those of the real machine; those of "
			       "the emulated one: isst --emulate %s emulate -- isst with ...",
			       run->request->program[0],
			       request_text(run->request, OPTION_EMULATE));
	end = program_run(run->program, find_cpus(run));
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

/* ---- save ---- */

static void save_text(struct run *run, const char *path, const char *text)
{
	int error = save_file(path, text, strlen(text));
	bool denied = error == -EACCES || error == -EPERM;

	/* What else an error means is for what the machine does not support, and for the lock. */
	if (error)
		run_error(run, denied ? STATUS_NOT_PERMITTED : STATUS_FAILED, "cannot write %s: %s",
			  *path ? path : "''",
			  error == -ESTALE ? "another process replaced it meanwhile"
					   : strerror(-error));
	else
		report_word(config_node(run), KEY_CONFIG_SAVE, "success");
	if (!error && !request_has(run->request, OPTION_ALL))
		report_message(run->report, ENTRY_NOTE,
			       "values as they were at boot are not in %s, and do not come back "
			       "by it: config save --all saves these, too",
			       path);
}

void config_save(struct run *run)
{
	unsigned int flags = request_has(run->request, OPTION_ALL) ? ISST_CONFIG_READ_ALL : 0;
	struct isst_config *config;
	char *text;
	size_t length;
	int error;

	if (config_call(run, NULL, isst_config_read(run->context, NULL, flags, &config)) != 0)
		return;
	run_report_notices(run);
	error = isst_config_to_text(config, 0, &text);
	if (error)
		run_error(run, status_of_error(error), "the configuration cannot be printed: %s",
			  strerror(-error));
	else if (run->request->operand)
		save_text(run, run->request->operand, text);
	if (!error && !run->request->operand) {
		/* The last line end is the renderer's. */
		length = strlen(text);
		if (length > 0 && text[length - 1] == '\n')
			text[length - 1] = '\0';
		report_text(config_node(run), KEY_CONFIG_TEXT, text);
	}
	free(text);
	isst_config_free(config);
}

/* ---- check ---- */

void config_check(struct run *run)
{
	const struct isst_message *part;
	struct report_node *top;

	if (!config_matches(run) ||
	    config_call(run, run->config, isst_config_check(run->config, run->context, 0)) != 0)
		return;
	run_report_notices(run);
	config_report_skipped(run, run->config);
	/* Servers are also run with a package offline: they are equal without it. */
	for (size_t i = 0; (part = isst_offline_part_at(run->context, i)) != NULL; i++)
		run_message(run, ENTRY_NOTE, part, "; nothing else there is compared");
	top = config_node(run);
	if (!config_report_comparison(run, top))
		run->status = status_worse(run->status, STATUS_FAILED);
}

/* ---- apply, reset ---- */

/** Whether a change may have left out something of what was stated. */
static bool may_be_incomplete(const struct run *run, const struct isst_config *config,
			      const struct isst_change *change)
{
	if (config != run->config)
		return false;
	/* Nothing to compare with: the CPUs are known as they were before. */
	for (size_t i = 0; isst_change_warning_at(change, i); i++)
		if (isst_message_code(isst_change_warning_at(change, i)) ==
		    ISST_MESSAGE_REDISCOVERY_FAILED)
			return false;
	return isst_change_warning_at(change, 0) || isst_offline_part_at(run->context, 0) ||
	       isst_left_out_at(run->context, 0);
}

/** Whether the machine, without what was left out, differs from what was stated. */
static bool is_incomplete(struct run *run, struct isst_config *config)
{
	const struct isst_message *problem;

	if (isst_config_check(config, run->context, 0) == 0)
		return isst_config_difference_at(config, 0);
	problem = isst_config_problem_at(config, 0);
	report_message(run->report, ENTRY_NOTE, "whether what was left out differs is unknown: %s",
		       problem ? isst_message_text(problem) : isst_error(run->context));
	report_code(run->report, "left-out");
	return true;
}

static void report_made(struct run *run, struct isst_config *config, struct report_node *top,
			enum key_id key, const struct isst_change *change)
{
	bool incomplete = may_be_incomplete(run, config, change) && is_incomplete(run, config);

	report_word(top, key, incomplete ? "incomplete" : "success");
	if (incomplete)
		config_report_differences(run, top, KEY_CONFIG_DIFFERENCE, config);
	if (incomplete && isst_change_is_unchanged(change))
		run_note_unchanged(run, "what differs was left out");
	else if (isst_change_is_unchanged(change))
		change_note_unchanged(run, change);
	else
		change_note_late_signal(run);
}

/** A person who typed statements and was refused knows it: that is no failed run. */
static void record_apply(struct run *run, int error, bool tried)
{
	if (!error || tried || request_config_file(run->request))
		config_record(run, run->config, error);
}

static void record_reset(struct run *run)
{
	if (!request_has(run->request, OPTION_ONLY))
		config_record(run, NULL, 0);
}

static void make(struct run *run, struct isst_config *config, struct report_node *top,
		 enum key_id key)
{
	bool dry = request_has(run->request, OPTION_DRY_RUN);
	struct isst_change *change;
	int error = config_change(run, config, 0, &change);

	if (!error)
		change_note_offline_parts(run);
	if (!dry && error)
		change_report_result(top, key, error);
	else if (!dry)
		report_made(run, config, top, key, change);
	if (!error)
		config_report_high_priority(run, config);
	if (config == run->config)
		record_apply(run, error, change);
	else if (!error)
		record_reset(run);
	isst_change_free(change);
}

void config_apply(struct run *run)
{
	if (config_matches(run))
		make(run, run->config, config_node(run), KEY_CONFIG_APPLY);
	else if (run->status != STATUS_DONE)
		record_apply(run, -EOPNOTSUPP, false);
}

/** The state to return to; NULL after reporting why there is none. */
static struct isst_config *find_state(struct run *run)
{
	const struct request *request = run->request;
	struct isst_config *config;
	int error;

	if (!request_has(request, OPTION_BOOT)) {
		error = isst_config_defaults(run->context, request_number(request, OPTION_ONLY),
					     &config);
		return config_call(run, NULL, error) == 0 ? config : NULL;
	}
	error = isst_config_boot(run->context, 0, &config);
	if (error == -ENOENT) {
		if (!request_has(request, OPTION_DRY_RUN))
			report_word(config_node(run), KEY_CONFIG_RESET, "success");
		run_note_unchanged(run, "isst made no change since boot, as far as is known");
		record_reset(run);
	} else if (config_call(run, NULL, error) == 0)
		return config;
	return NULL;
}

void config_reset(struct run *run)
{
	bool boot = request_has(run->request, OPTION_BOOT);
	struct isst_config *config = find_state(run);
	struct report_node *top;

	if (!config)
		return;
	run_report_notices(run);
	if (config_call(run, config, isst_config_check(config, run->context, 0)) == 0) {
		top = config_node(run);
		/* As text, the steps of a dry run are these differences. */
		if (!request_has(run->request, OPTION_DRY_RUN) ||
		    request_format(run->request) != FORMAT_TEXT)
			config_report_differences(
				run, top, boot ? KEY_CONFIG_NOT_AS_BOOTED : KEY_CONFIG_NOT_DEFAULT,
				config);
		make(run, config, top, KEY_CONFIG_RESET);
		if (run->status == STATUS_DONE && !request_has(run->request, OPTION_ONLY))
			report_message(run->report, ENTRY_NOTE,
				       "never reset: power limits, no_turbo, max_perf_pct and "
				       "min_perf_pct, governors, energy preferences, smt/control");
	}
	isst_config_free(config);
}
