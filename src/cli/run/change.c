/* SPDX-License-Identifier: BSD-3-Clause */
#include "change.h"

#include "../../common/numbered.h"
#include "../process/xalloc.h"
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One change of the library ---- */

static void print_progress(void *data, unsigned int cpu, int online, unsigned int done,
			   unsigned int count)
{
	struct run *run = data;

	if (run->counts) {
		run_count(run, online ? "online" : "offline", done, count);
		return;
	}
	/* The reference names those that are so already, too. */
	if (!run->request->reference && done == run->cpus_taken)
		return;
	run->cpus_taken = done;
	run_progress(run, "%s cpu %u", online ? "online" : "offline", cpu);
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

int change_begin(struct run *run, unsigned int flags, struct isst_change **change)
{
	struct isst_change_options *options = xcheck(isst_change_options_new());
	const struct feature *feature = run->request->feature;
	const struct command *of = run->request->command;
	char *command;
	int error;

	*change = NULL;
	isst_change_options_set_flags(options, change_flags(run) | flags);
	run->cpus_taken = 0;
	isst_change_options_set_progress(options, print_progress, run);
	/* For the system log. */
	if (feature || of->flags & (COMMAND_CHANGES | COMMAND_WATCHES)) {
		command = xasprintf("%s%s%s", feature ? feature->name : "", feature ? " " : "",
				    of->name);
		xcall(isst_change_options_set_command(options, command));
		free(command);
	}
	error = run_call(run, isst_change_new(run->context, options, change));
	isst_change_options_free(options);
	return error;
}

/** A core is known to people by its CPUs. To be freed; NULL: it is none. */
static char *name_core(const struct isst_context *context, const struct isst_item *item)
{
	const struct isst_domain *domain = isst_item_domain(item);
	char *list, *name = NULL;
	struct isst_cpuset *cpus;
	unsigned int wanted, core, cpu;

	if (isst_item_kind(item) != ISST_ITEM_CLOS_ASSOCIATION || isst_item_index(item, &wanted))
		return NULL;
	cpus = xcheck(isst_cpuset_new());
	isst_cpuset_for_each (cpu, isst_domain_present_cpus(domain))
		if (isst_cpu_core(isst_cpu_by_number(context, cpu), &core) == 0 && core == wanted)
			xcall(isst_cpuset_add(cpus, cpu, cpu));
	if (isst_cpuset_count(cpus) > 0) {
		list = xcheck(name_numbers("CPU", cpus));
		name = xasprintf("CLOS of %s", list);
		free(list);
	}
	isst_cpuset_free(cpus);
	return name;
}

void change_fold_step(const struct isst_context *context, struct folds *folds,
		      const struct isst_change_step *step)
{
	char *core = name_core(context, isst_change_step_item(step));
	const char *target, *old_text, *new_text;

	for (size_t i = 0;
	     (target = isst_change_step_field_at(step, i, &old_text, &new_text)) != NULL; i++)
		xcall(folds_add(folds, NULL, "%s\n%s\n%s", core ? core : target, old_text,
				strcmp(old_text, new_text) == 0 ? "written again" : new_text));
	free(core);
}

void change_report_steps(struct run *run, struct folds *folds,
			 void (*report)(struct run *run, const char *target, const char *old_text,
					const char *new_text))
{
	report_join(folds, run->context);
	for (size_t i = 0; i < folds->count; i++) {
		char *target = xcheck(fold_text(&folds->all[i])), *rest = target;
		const char *old_text;

		(void)strsep(&rest, "\n");
		old_text = strsep(&rest, "\n");
		report(run, target, old_text, rest);
		free(target);
	}
	folds_clear(folds);
}

static void report_step_at(struct run *run, const struct isst_domain *domain, const char *target,
			   const char *old_text, const char *new_text)
{
	struct report_node *node = report_branch(run->steps, KEY_STEP, run->step_count++);

	report_domain_place(node, domain, run->context);
	report_text(node, KEY_STEP_TARGET, target);
	report_text(node, KEY_STEP_OLD, old_text);
	report_text(node, KEY_STEP_NEW, new_text);
}

static void report_step(struct run *run, const char *target, const char *old_text,
			const char *new_text)
{
	report_step_at(run, NULL, target, old_text, new_text);
}

/** Reports each field that a write changes, rather than words of registers. */
static void report_fields(struct run *run, const struct isst_change_step *step)
{
	const char *target, *old_text, *new_text;

	for (size_t i = 0;
	     (target = isst_change_step_field_at(step, i, &old_text, &new_text)) != NULL; i++)
		report_step_at(run, isst_item_domain(isst_change_step_item(step)), target, old_text,
			       new_text);
}

/** Reports what would be written: documents have each step, text what is alike together. */
static void list_steps(struct run *run, struct isst_change *change)
{
	bool fold = request_format(run->request) == FORMAT_TEXT;
	const struct isst_change_step *step;

	if (!run->steps)
		run->steps = report_section(run->report, KEY_DRY_RUN);
	for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++) {
		if (!isst_change_step_is_written(step))
			continue;
		if (fold)
			change_fold_step(run->context, &run->folds, step);
		else if (run->report->v2)
			report_fields(run, step);
		else
			report_step(run, isst_change_step_target(step),
				    isst_change_step_old_text(step),
				    isst_change_step_new_text(step));
	}
}

void change_report_warnings(struct run *run, const struct isst_change *change, size_t from)
{
	const struct isst_message *warning;

	for (size_t i = from; (warning = isst_change_warning_at(change, i)) != NULL; i++) {
		int code = isst_message_code(warning);

		/* Scripts of the reference tool know its sentence. */
		if (run->request->reference && code == ISST_MESSAGE_CPUFREQ_INTERFERES) {
			report_message(run->report, ENTRY_NOTE,
				       "cpufreq subsystem and core-power enable will interfere "
				       "with each other!");
			report_code(run->report, isst_message_code_name(code));
		}
		run_message(run, ENTRY_NOTE, warning, "");
	}
}

void change_report_failure(struct run *run, const struct isst_change *change, int error)
{
	const struct isst_message *difference;

	run_call(run, error);
	for (size_t i = 0; (difference = isst_change_difference_at(change, i)) != NULL; i++)
		run_message_error(run, error, difference);
}

int change_make(struct run *run, struct isst_change *change)
{
	const struct isst_change_step *step;
	int error = isst_change_run(change);
	uint64_t online;

	run_count(run, NULL, 0, 0);
	/* What was left out is reported already. */
	if (error == ISST_PARTIAL)
		error = 0;
	change_report_warnings(run, change, 0);
	if (!error && !request_has(run->request, OPTION_DRY_RUN) &&
	    !isst_change_is_unchanged(change))
		run->changed = true;
	if (error) {
		change_report_failure(run, change, error);
	} else if (request_has(run->request, OPTION_DRY_RUN)) {
		for (size_t i = 0; (step = isst_change_step_at(change, i)) != NULL; i++) {
			const struct isst_item *item = isst_change_step_item(step);

			/* A CPU that no domain is known to have. */
			if (isst_item_kind(item) == ISST_ITEM_CPU_ONLINE &&
			    !isst_item_domain(item) &&
			    isst_change_step_new_number(step, &online) == 0 && online)
				run->unseen_come_online = true;
		}
		list_steps(run, change);
	}
	return error;
}

void change_note_unchanged(struct run *run, const struct isst_change *change)
{
	bool left_out = isst_change_warning_at(change, 0) || isst_config_skipped_at(run->config, 0);

	if (isst_change_step_at(change, 0) || !left_out)
		run_note_unchanged(run, "already in the requested state");
	/* Scripts look for the word whatever was skipped. */
	else if (run->config)
		run_note_unchanged(run, "nothing else was to be changed");
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

void change_note_offline_parts(struct run *run)
{
	const struct isst_message *part;

	/* What comes online first is changed, too. */
	if (run->targets.named || run->comes_online)
		return;
	for (size_t i = 0; (part = isst_offline_part_at(run->context, i)) != NULL; i++)
		run_message(run, ENTRY_NOTE, part,
			    run->unseen_come_online
				    ? "; not changed, except for the CPUs that would come online"
				    : "; not changed");
	for (size_t i = 0; i < isst_domain_count(run->context); i++) {
		const struct isst_domain *domain = isst_domain_at(run->context, i);
		const struct isst_cpuset *present = isst_domain_present_cpus(domain);
		unsigned int cpu;
		char *cpus;

		/* Commands for CPUs do not reach domains without an online CPU; others do. */
		if (!(run->request->command->flags & COMMAND_ALL_CPUS) ||
		    isst_cpuset_next(isst_domain_online_cpus(domain), 0, &cpu) ||
		    isst_domain_is_io(domain))
			continue;
		if (isst_cpuset_count(present) == 0) {
			report_message(run->report, ENTRY_NOTE,
				       "%s: its CPUs, if it has any, are offline; not changed",
				       isst_domain_name(domain));
			continue;
		}
		cpus = xcheck(isst_cpuset_to_list(present));
		report_message(run->report, ENTRY_NOTE,
			       "%s: all its CPUs (%s) are offline; not changed",
			       isst_domain_name(domain), cpus);
		free(cpus);
	}
}

void change_finish(struct run *run)
{
	change_report_steps(run, &run->folds, report_step);
	if (run->steps && run->step_count == 0)
		report_message(run->report, ENTRY_NOTE, "nothing would be changed");
}

/* ---- Commands ---- */

struct attempt {
	struct run *run;
	const struct change_command *command;
	struct isst_change *change;
	struct isst_results *results; /* of planning: what stands against each subject */
	/* Of the domain that was looked at last, which many units have in common. */
	const struct isst_domain *domain;
	bool left_out;
};

static int plan(struct attempt *attempt)
{
	const struct change_command *command = attempt->command;
	struct run *run = attempt->run;
	struct isst_targets *targets = command->for_cpus ? cpu_targets(run) : domain_targets(run);
	const struct option_value *option = &run->request->options.value[command->option];
	struct isst_request *request = NULL;
	unsigned int flags = command->flags;
	int error;

	if (!targets)
		return -EIO;
	if (request_has(run->request, OPTION_AUTO))
		flags |= ISST_ADD_AUTO;
	if (request_has(run->request, OPTION_ONLINE))
		flags |= ISST_ADD_ONLINE;
	if (command->fill || command->value)
		request = xcheck(isst_request_new());
	/* Turbo ratio limits of zero stand for the default, as in the kernel tree's tool. */
	if (command->value && option->given &&
	    (option->number || command->value != ISST_VALUE_TURBO_RATIO_LIMITS))
		xcall(isst_request_set(request, command->value, option->number));
	if (command->fill)
		command->fill(run, request);
	error = isst_change_add(attempt->change, command->add, targets, request, flags,
				&attempt->results);
	/* Where there are results, each has the objection to it. */
	error = attempt->results ? 0 : run_call(run, error);
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
	/* Without results planning failed: it has left nothing out. */
	return !(result && isst_result_error(result, ISST_PART_RESULT)) && !attempt->left_out;
}

static void report_failure_of(struct run *run, struct failure failure, bool stopped)
{
	if (stopped)
		run_failure(run, failure);
	else if (failure.error)
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
			report_failure_of(attempt->run, failure, stopped);
		} else if (all.error && failure.error) {
			all.more++;
		} else if (failure.error == (stopped ? stopped : -EOPNOTSUPP)) {
			all = failure;
		}
	}
	report_failure_of(attempt->run, all, stopped);
}

void change_report_result(struct report_node *node, enum key_id result, int error)
{
	char failed[32] = "success";

	if (error)
		snprintf(failed, sizeof(failed), "failed(error %d)", error);
	report_add(node, NODE_WORD, result, error ? (uint64_t)-error : 0, failed, NULL);
}

/** Reports units, those that were left out excepted. */
static void report_results(struct attempt *attempt, int error)
{
	const struct change_command *command = attempt->command;
	struct run *run = attempt->run;

	for_each_unit (unit, &run->targets) {
		bool io = isst_domain_is_io(unit->domain);

		/* A change that failed is one of the units that it would have been made for. */
		if ((error && !io) || is_part(attempt, unit))
			change_report_result(
				report_branch(unit_report(run, unit), command->feature, 0),
				command->result, error);
	}
	/* Without CPUs there is nothing that could have a class of service. */
	for_each_unit (unit, &run->targets)
		if (command->extra_result && !error && unit->first &&
		    !isst_domain_is_io(unit->domain) && is_part(attempt, unit))
			change_report_result(
				report_branch(unit_report(run, unit), command->extra_result, 0),
				command->result, 0);
}

void change_machine(struct run *run, const struct change_command *command)
{
	struct attempt attempt = { .run = run, .command = command };
	int error;

	if ((command->check && !command->check(run)) || change_begin(run, 0, &attempt.change) != 0)
		return;
	error = plan(&attempt);
	if (!error) {
		error = isst_change_check(attempt.change);
		report_failures(&attempt, error);
		if (error)
			change_report_warnings(run, attempt.change, 0);
		else if (command->announce)
			command->announce(run);
		if (!error)
			error = change_make(run, attempt.change);
	}
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

bool change_all_online(struct run *run)
{
	const struct isst_change_step *step;
	struct isst_change *change;
	unsigned int count = 0;
	int error;

	if (change_begin(run, 0, &change) != 0)
		return false;
	if (run_is_change(run))
		run_progress(run, "Forcing all CPUs online");
	error = run_call(run, isst_change_add(change, ISST_SET_ALL_ONLINE, NULL, NULL, 0, NULL));
	if (!error)
		error = change_make(run, change);
	for (size_t i = 0; !error && (step = isst_change_step_at(change, i)) != NULL; i++)
		count += isst_change_step_is_written(step) &&
			 isst_item_kind(isst_change_step_item(step)) == ISST_ITEM_CPU_ONLINE;
	/* The command is planned for the machine as it is: in a dry run no CPU has come online. */
	if (request_has(run->request, OPTION_DRY_RUN) && count > 0) {
		run->comes_online = true;
		report_message(run->report, ENTRY_NOTE,
			       "%u CPU%s would come online first (--all-cpus-online): further "
			       "changes of the command on %s, and on packages, dies and power "
			       "domains that are completely offline, are not listed",
			       count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
	}
	isst_change_free(change);
	return error == 0;
}
