/* SPDX-License-Identifier: BSD-3-Clause */
/* One change of the library: begins and runs it, and reports what came of it. Must not know
 * features. */
#include "change_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_progress(void *data, unsigned int cpu, int online, unsigned int done,
			   unsigned int count)
{
	struct run *run = data;
	char line[32];

	if (run->counts) {
		run_count(run, online ? "online" : "offline", done, count);
		return;
	}
	/* The reference names those that are so already, too. */
	if (!run->request->reference && done == run->cpus_taken)
		return;
	run->cpus_taken = done;
	snprintf(line, sizeof(line), "%s cpu %u", online ? "online" : "offline", cpu);
	run_progress(run, line);
}

static unsigned int change_flags(const struct run *run)
{
	const struct request *request = run->request;
	unsigned int flags = 0;

	/* What was not named may lack the feature. */
	if (run->targets.named)
		flags |= ISST_CHANGE_LEAVE_UNKNOWN_CPUS;
	else if (!(request->command->flags & (COMMAND_WHOLE | COMMAND_EVERYWHERE)))
		flags |= ISST_CHANGE_SKIP_UNSUPPORTED;

	if (request_has(request, OPTION_DRY_RUN))
		flags |= ISST_CHANGE_DRY_RUN;
	if (request_has(request, OPTION_CGROUP))
		flags |= ISST_CHANGE_PARTITIONS;
	/* Scripts for the reference tool get what that does. */
	if (request->reference)
		flags |= ISST_CHANGE_PARTITIONS_IF_SUPPORTED;
	if (request_has(request, OPTION_CPU0_WORKAROUND))
		flags |= ISST_CHANGE_PARTITION_CPU0;
	return flags;
}

/** For the system log; without memory the lines do without it. */
static void name_command(const struct run *run, struct isst_change_options *options)
{
	const struct request *request = run->request;
	const struct feature *feature = request->feature;
	char *command;

	if ((!feature && !(request->command->flags & (COMMAND_CHANGES | COMMAND_WATCHES))) ||
	    asprintf(&command, "%s%s%s", feature ? feature->name : "", feature ? " " : "",
		     request->command->name) < 0)
		return;
	(void)isst_change_options_set_command(options, command);
	free(command);
}

int change_begin(struct run *run, unsigned int flags, struct isst_change **change)
{
	struct isst_change_options *options = isst_change_options_new();
	int error;

	*change = NULL;
	if (!options) {
		run_error(run, STATUS_FAILED, "out of memory");
		return -ENOMEM;
	}
	isst_change_options_set_flags(options, change_flags(run) | flags);
	run->cpus_taken = 0;
	isst_change_options_set_progress(options, print_progress, run);
	name_command(run, options);
	error = run_call(run, isst_change_new(run->context, options, change));
	isst_change_options_free(options);
	return error;
}

int change_fold_step(struct step_folds *folds, const struct isst_change_step *step)
{
	const char *target, *old_text, *new_text;
	int error = 0;

	for (size_t i = 0;
	     !error && (target = isst_change_step_field_at(step, i, &old_text, &new_text)) != NULL;
	     i++) {
		const struct step_texts texts = {
			.text = { [STEP_OLD] = old_text,
				  [STEP_NEW] = strcmp(old_text, new_text) == 0 ? "written again"
									       : new_text }
		};

		error = step_folds_add(folds, target, &texts);
	}
	return error;
}

static void report_step(struct run *run, const char *target, const char *old_text,
			const char *new_text)
{
	struct report_node *node = report_branch(run->steps, KEY_STEP, run->step_count++);

	report_text(node, KEY_STEP_TARGET, target);
	report_text(node, KEY_STEP_OLD, old_text);
	report_text(node, KEY_STEP_NEW, new_text);
}

static void report_group(void *data, const struct step_group *group)
{
	report_step(data, group->target, group->texts.text[STEP_OLD], group->texts.text[STEP_NEW]);
}

/** Reports what would be written: documents have each step, text what is alike together. */
static void list_steps(struct run *run, struct isst_change *change)
{
	bool fold = request_format(run->request) == FORMAT_TEXT;
	const struct isst_change_step *step;
	int error = 0;

	if (!run->steps)
		run->steps = report_branch(report_unit(run->report, NULL, 0), KEY_DRY_RUN, 0);
	if (fold && !run->folds)
		run->folds = step_folds_new();
	if (fold && !run->folds)
		error = -ENOMEM;
	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL && !error; i++) {
		if (!isst_change_step_is_written(step))
			continue;
		if (fold)
			error = change_fold_step(run->folds, step);
		else
			report_step(run, isst_change_step_target(step),
				    isst_change_step_old_text(step),
				    isst_change_step_new_text(step));
	}
	if (error)
		run_error(run, STATUS_FAILED, "out of memory");
}

void change_report_warnings(struct run *run, const struct isst_change *change, size_t from)
{
	const char *warning;

	for (size_t i = from; (warning = isst_change_warning_at(change, i)) != NULL; i++) {
		report_message(run->report, ENTRY_NOTE, "%s", warning);
		report_code(run->report,
			    isst_warning_code_name(isst_change_warning_code_at(change, i)));
	}
}

void change_report_failure(struct run *run, const struct isst_change *change, int error)
{
	const char *difference;

	run_call(run, error);
	for (size_t i = 0; (difference = isst_change_difference_at(change, i)) != NULL; i++) {
		report_message(run->report, ENTRY_ERROR, "%s", difference);
		report_code(run->report, status_code(status_of_error(error)));
	}
}

/** Whether a dry run lists a CPU that comes online, and that no domain is known to have. */
static bool lists_unseen(const struct isst_change *change)
{
	const struct isst_change_step *step;
	uint64_t online;

	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++) {
		const struct isst_item *item = isst_change_step_item(step);

		if (isst_item_kind(item) == ISST_ITEM_CPU_ONLINE && !isst_item_domain(item) &&
		    isst_change_step_new_number(step, &online) == 0 && online)
			return true;
	}
	return false;
}

int change_make(struct run *run, struct isst_change *change)
{
	int error = isst_change_run(change);

	run_count(run, NULL, 0, 0);
	/* What was left out is reported already. */
	if (error == ISST_PARTIAL)
		error = 0;
	change_report_warnings(run, change, 0);
	if (!error && !request_has(run->request, OPTION_DRY_RUN) &&
	    !isst_change_is_unchanged(change))
		run->changed = true;
	if (error)
		change_report_failure(run, change, error);
	else if (request_has(run->request, OPTION_DRY_RUN)) {
		run->unseen_come_online |= lists_unseen(change);
		list_steps(run, change);
	}
	return error;
}

void change_note_unchanged(struct run *run, const struct isst_change *change)
{
	bool left_out = isst_change_warning_at(change, 0) || isst_config_skipped_at(run->config, 0);

	if (isst_change_step_at(change, 0) || !left_out)
		run_note_unchanged(run, "already in the requested state");
}

void change_note_late_signal(struct run *run)
{
	const char *signal = signals_arrived(&run->signals);

	if (signal && !run->interrupted_by)
		report_message(run->report, ENTRY_NOTE,
			       "%s: arrived after the last write had begun; the change was "
			       "completed",
			       signal);
}

/** Whether a domain has CPUs, or may have, none of which is online: a command for single CPUs does
 * not reach it. Other commands do, alone or as a part of its package. */
static bool is_skipped(const struct run *run, const struct isst_domain *domain)
{
	unsigned int cpu;

	return run->request->command->flags & COMMAND_ALL_CPUS &&
	       isst_domain_first_cpu(domain, &cpu) != 0 && !isst_domain_is_io(domain);
}

static void note_skipped(struct run *run, const struct isst_domain *domain)
{
	const struct isst_cpuset *present = isst_domain_present_cpus(domain);
	char *cpus;

	if (isst_cpuset_count(present) == 0) {
		report_message(run->report, ENTRY_NOTE,
			       "%s: its CPUs, if it has any, are offline; not changed",
			       isst_domain_name(domain));
		return;
	}
	cpus = isst_cpuset_to_list(present);
	report_message(run->report, ENTRY_NOTE, "%s: all its CPUs (%s) are offline; not changed",
		       isst_domain_name(domain), cpus ? cpus : "out of memory");
	free(cpus);
}

void change_note_offline_parts(struct run *run)
{
	const char *part;

	/* What comes online first is changed, too. */
	if (run->targets.named || run->comes_online)
		return;
	for (size_t i = 0; (part = isst_offline_part_at(run->context, i)) != NULL; i++)
		report_message(run->report, ENTRY_NOTE, "%s; not changed%s", part,
			       run->unseen_come_online
				       ? ", except for the CPUs that would come online"
				       : "");
	for (size_t i = 0; i < isst_domain_count(run->context); i++) {
		const struct isst_domain *domain = isst_domain_at(run->context, i);

		if (is_skipped(run, domain))
			note_skipped(run, domain);
	}
}

void change_finish(struct run *run)
{
	if (run->folds && step_folds_visit(run->folds, run->context, report_group, run) != 0)
		run_error(run, STATUS_FAILED, "out of memory");
	step_folds_free(run->folds);
	run->folds = NULL;
	if (run->steps && run->step_count == 0)
		report_message(run->report, ENTRY_NOTE, "nothing would be changed");
}
