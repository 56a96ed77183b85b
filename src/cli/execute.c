/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes a command, from opening the machine to the last byte of output. Must not know what the
 * command does: that is its handler's.
 */
#include "execute.h"

#include "../common/memory_stream.h"
#include "../common/printable.h"
#include "command_table.h"
#include "config/config_source.h"
#include "config/config_wait.h"
#include "describe.h"
#include "out_file.h"
#include "process/program.h"
#include "process/terminal.h"
#include "render/page.h"
#include "report/message_folds.h"
#include "run/change.h"
#include "run/change_run.h"
#include "run/machine.h"
#include "run/named_cpus.h"
#include "run/reserve.h"
#include "run/run.h"
#include "status/rounds.h"
#include "watch/watcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void trace(void *data, int level, const char *line)
{
	/* What is graver is reported where it belongs. */
	if (level != ISST_LOG_DEBUG)
		return;
	write_printable(line, "\t", data);
	fputc('\n', data);
}

/** Opens the context. @machine is the context's from then on, also on failure. */
static int open_context(struct run *run, struct output *output, struct isst_machine *machine)
{
	struct isst_options *options = run_options(run->request);
	int error;

	if (!options) {
		isst_machine_free(machine);
		return -ENOMEM;
	}
	if (request_has(run->request, OPTION_DEBUG))
		isst_options_set_log(options, ISST_LOG_DEBUG, trace, output_trace(output));
	isst_options_set_interrupted(options, run_is_interrupted, run);
	isst_options_set_flags(options, ISST_OPTION_SYSTEM_LOG);
	error = machine_open_context(machine, options, &run->context);
	isst_options_free(options);
	if (!error && output->format == FORMAT_JSON_V2)
		describe_machine(run->report, run->context);
	return error;
}

static void write_banner(struct run *run, struct output *output)
{
	const char *emulated = isst_platform_emulated_name(run->context);

	output_title(output, isst_platform_model(run->context));
	if (emulated)
		output_banner_name(output, "Emulated machine", emulated);
}

/**
 * A document has no banner. That the environment, and not the command line, chose an emulated
 * machine is printed beside it then: the document itself is as on a real one.
 */
static void note_emulated(const struct run *run, const struct output *output)
{
	const char *emulated = isst_platform_emulated_name(run->context);
	FILE *stream = output_messages(output);

	if (emulated && !request_has(run->request, OPTION_EMULATE) && !output_has_banner(output)) {
		fputs("Emulated machine: ", stream);
		write_printable(emulated, "", stream);
		fputc('\n', stream);
	}
}

/** What a process holds looks like the state of the machine, and will be gone. */
static void report_holder(struct run *run)
{
	const char *holder = run->shows_holder || run->request->command->flags & COMMAND_JOURNAL
				     ? NULL
				     : isst_change_holder(run->context);

	if (holder)
		report_message(run->report, ENTRY_NOTE,
			       "%s: until it releases it or rolls it back, the machine is in a "
			       "temporary state",
			       holder);
}

/** Returns false after an error. */
static bool discover(struct run *run)
{
	int error;

	if (run->request->command->flags & COMMAND_JOURNAL)
		isst_journal_keep(run->context);
	error = isst_discover(run->context);
	run_report_notices(run);
	report_holder(run);
	return run_driver_call(run, error) == 0;
}

/** Adds what is available of a feature: its name alone if everything is. */
static void print_feature(FILE *stream, const struct feature *feature, const char **separator)
{
	size_t available = 0, count = 0;

	for (; feature->commands[count].name; count++)
		available += command_available(&feature->commands[count], true);
	if (available == count) {
		fprintf(stream, "%s%s", *separator, feature->name);
		*separator = ", ";
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!command_available(&feature->commands[i], true))
			continue;
		fprintf(stream, "%s%s %s", *separator, feature->name, feature->commands[i].name);
		*separator = ", ";
	}
}

/** What works where the BIOS has set up Speed Select, by the command table. To be freed; NULL
 * without memory. */
static char *available_names(void)
{
	const char *separator = "";
	struct memory_stream memory;

	if (memory_stream_open(&memory))
		return NULL;
	for (const struct feature *feature = features; feature->name; feature++)
		print_feature(memory.stream, feature, &separator);
	for (const struct command *command = single_commands; command->name; command++) {
		if (!command_available(command, true) || command->flags & COMMAND_HELPS)
			continue;
		fprintf(memory.stream, "%s%s", separator, command->name);
		separator = ", ";
	}
	return memory_stream_text(&memory);
}

/** Where the BIOS has set up Speed Select few commands have something to work on. Returns false
 * where there is nothing to do, or after an error. */
static bool check_command(struct run *run)
{
	const struct command *command = run->request->command;
	const struct feature *feature = run->request->feature;
	char *names;

	if (command_available(command, isst_platform_fact(run->context, ISST_FACT_PRESET) > 0))
		return true;
	if (command->flags & COMMAND_SWITCHES_OFF) {
		report_message(run->report, ENTRY_NOTE,
			       "%s is not supported on this platform: nothing to disable",
			       feature->name);
		return false;
	}
	names = available_names();
	run_error(run, STATUS_UNSUPPORTED,
		  "%s%s%s is not supported on this platform: everything is pre-configured by the "
		  "BIOS, which leaves %s",
		  feature ? feature->name : "", feature ? " " : "",
		  command == &info_command		  ? "--info"
		  : request_has(run->request, OPTION_OOB) ? "--oob"
							  : command->name,
		  names ? names : "few commands");
	free(names);
	return false;
}

/** Returns false after an error. */
static bool find_targets(struct run *run)
{
	unsigned int flags = run->request->command->flags;
	enum unit_kind kind = flags & COMMAND_ALL_CPUS	    ? UNIT_CPU
			      : flags & COMMAND_HAVING_CPUS ? UNIT_DOMAIN_WITH_CPU
							    : UNIT_DOMAIN;
	int error;

	if (request_has(run->request, OPTION_CPU) &&
	    !named_cpus_find(run, &run->request->options.cpus, &run->cpus))
		return false;
	error = targets_find(&run->targets, run->context, kind, run->cpus, run->report);
	if (!error)
		return true;
	run->status = status_worse(run->status, status_of_error(error));
	if (error == -ENOMEM)
		report_message(run->report, ENTRY_ERROR, "out of memory");
	return false;
}

/**
 * Reports what discovery left out. Who names no CPUs means the whole machine: then it is an error,
 * and nothing is changed. A journal keeps what cannot be reached. Returns false after an error that
 * ends the run.
 */
static bool report_left_out(struct run *run)
{
	bool part = run->targets.named || run->request->command->flags & COMMAND_JOURNAL;
	bool complete = true;
	const char *what;

	for (size_t i = 0; (what = isst_left_out_at(run->context, i)) != NULL; i++) {
		if (part) {
			report_message(run->report, ENTRY_NOTE, "%s", what);
			continue;
		}
		run_error(run, STATUS_FAILED, "%s", what);
		complete = false;
	}
	return complete || !(run->request->command->flags & COMMAND_CHANGES);
}

/** From here on the machine may be changed. */
static void ask_machine(struct run *run)
{
	bool ready = true;

	if (request_has(run->request, OPTION_ALL_ONLINE))
		ready = change_all_online(run);
	if (ready && find_targets(run) && report_left_out(run))
		run->request->command->handler(run);
	change_finish(run);
}

/** The machine is done with: a reader that does not read the result must not keep others from it,
 * nor this run from being ended. */
static void release_machine(struct run *run, struct output *output)
{
	isst_close(run->context);
	run->context = NULL;
	signals_unblock(&run->signals);
	output_may_wait(output);
}

/** Where progress is printed; NULL: it is part of the document. */
static FILE *progress_stream(const struct run *run, const struct output *output)
{
	/* What is tried is looked at before there is a document. */
	if (run->request->command->flags & COMMAND_HOLDS && !run->program)
		return nowait_stream_file(output_nowait(output));
	return output_progress(output);
}

/**
 * The file of --out is created under the lock, since another run may be writing to it until then,
 * and before anything is changed, since that must not happen where its result cannot be reported.
 * For the reader of a FIFO it is waited before: others may take the lock, and signals end the run.
 */
static enum exit_status work(struct run *run, struct output *output)
{
	enum exit_status status = out_file_wait_for_reader(run->request, output);
	bool ready;
	int error;

	if (status != STATUS_DONE)
		return status;
	run->progress = progress_stream(run, output);
	run->columns = output->reference ? 0 : page_of(stderr, output->colour).width;
	run->counts = run->progress && terminal_can_show(STDERR_FILENO) &&
		      !request_has(run->request, OPTION_DEBUG);
	ready = config_wait(run) && (!run_changes(run) || reserve_machine(run));
	error = out_file_create(run->request, output);
	if (error) {
		release_machine(run, output);
		return out_file_refuse(run->request, output, error);
	}
	if ((run->request->command->flags & COMMAND_CHANGES) &&
	    !request_has(run->request, OPTION_DRY_RUN))
		output_expect_change(output);
	run->nowait = output_nowait(output);
	write_banner(run, output);
	note_emulated(run, output);
	ready = ready && discover(run) && check_command(run);
	if (ready && run->request->command->flags & COMMAND_WATCHES)
		return watch_machine(run, output);
	reserve_drop_privileges(run, output);
	if (ready && request_has(run->request, OPTION_WATCH))
		return rounds_run(run, output, ask_machine);
	if (ready)
		ask_machine(run);
	run_finish(run);
	release_machine(run, output);
	output->changed = run->changed;
	output->untargeted = ready && request_has(run->request, OPTION_CPU) &&
			     run->targets.unit_count == 0;
	return output_report(output, run->report, run->status);
}

static enum exit_status open_machine(struct run *run, struct output *output)
{
	struct isst_machine *machine;
	enum exit_status status;
	char *problem;

	status = machine_open(run->request, &machine, &problem);
	if (status == STATUS_DONE) {
		if (open_context(run, output, machine) == 0)
			return STATUS_DONE;
		problem = strdup("out of memory");
		status = STATUS_FAILED;
	}
	output_may_wait(output);
	status = output_problem(output, problem, status);
	free(problem);
	return status;
}

static enum exit_status work_without_machine(struct run *run, struct output *output)
{
	enum exit_status status = out_file_open(run->request, output);

	if (status != STATUS_DONE)
		return status;
	run->request->command->handler(run);
	message_folds_apply(run->report, NULL);
	return output_report(output, run->report, run->status);
}

/** What was accepted though it has no effect comes before all else. */
static void report_request_notes(const struct request *request, struct report *report)
{
	for (size_t i = 0; report && i < request->options.note_count; i++)
		report_message(report, ENTRY_NOTE, "%s", request->options.notes[i]);
}

/** The command line was valid, so that an existing file of --out does not keep what it had: it gets
 * the errors, unless its format has no place for them. */
static enum exit_status refuse_source(struct run *run, struct output *output)
{
	enum exit_status status;

	if (!request_has(run->request, OPTION_OUT) || renderers[output->format].file)
		return output_refusal(output, run->report, run->status);
	status = out_file_open(run->request, output);
	if (status != STATUS_DONE)
		return status;
	/* There is nothing to get a value of. */
	if (request_has(run->request, OPTION_GET))
		return output_refusal(output, run->report, run->status);
	return output_report(output, run->report, run->status);
}

/** The machine is not changed for a program that cannot be run. Returns false after an error. */
static bool find_program(struct run *run)
{
	const char *name = run->request->program[0];
	int error = program_find(name);

	if (!error)
		return true;
	run_error(run, STATUS_FAILED, "cannot run %s: %s", *name ? name : "''", strerror(-error));
	run->program_refused = true;
	run->program_status = (int)program_status_of_error(error);
	return false;
}

/** Finds and forks the program of a command that wraps one. Returns false after an error. */
static bool prepare_program(struct run *run, const struct output *output)
{
	const struct program_inheritance inheritance = {
		.closed = output->closed, .file_limit_killed = output->file_limit_killed
	};
	int error;

	if (!command_wraps_program(run->request->command))
		return true;
	if (!find_program(run))
		return false;
	error = program_fork(run->request->program, &inheritance, &run->program);
	if (error)
		run_error(run, STATUS_FAILED, "cannot start a process: %s", strerror(-error));
	return error == 0;
}

/** What the command line names is read, and what it runs is forked, before a machine is touched. */
static enum exit_status prepare(struct run *run, struct output *output)
{
	const struct request *request = run->request;

	run->complete = renderers[output->format].commands & COMMAND_EXPORTS;
	run->shows_holder = request->command->flags & COMMAND_EXPORTS &&
			    !renderers[output->format].file && !output->get;
	output->plain = request->command->flags & COMMAND_HAS_PROGRAM ||
			renderers[output->format].file ||
			(request->command->flags & COMMAND_HAS_TARGET && !request->operand);
	output->colour = (enum colour_choice)request_number(request, OPTION_COLOR);
	if (!config_source_read(run)) {
		/* Metrics count the error beside what else can be read: old ones would show none.
		 */
		if (output->format != FORMAT_OPENMETRICS)
			return refuse_source(run, output);
		isst_config_free(run->config);
		run->config = NULL;
	}
	if (!prepare_program(run, output))
		return output_refusal(output, run->report, STATUS_FAILED);
	if (!run_changes(run) || output_must_not_wait(output) == 0)
		return STATUS_DONE;
	run_error(run, STATUS_FAILED, "out of memory");
	return output_refusal(output, run->report, STATUS_FAILED);
}

static enum exit_status execute_on_machine(struct run *run, struct output *output)
{
	enum exit_status status = prepare(run, output);

	if (status == STATUS_DONE)
		status = open_machine(run, output);
	return status == STATUS_DONE ? work(run, output) : status;
}

/** What the process ends with: the status of the program, if all else went well. */
static int final_status(const struct run *run, enum exit_status status)
{
	if (run->program_refused)
		return run->program_status;
	if (!command_wraps_program(run->request->command))
		return (int)status;
	return status == STATUS_DONE ? run->program_status : PROGRAM_RUN_FAILED;
}

int execute_command(const struct request *request, struct output *output)
{
	struct run run = { .request = request, .report = report_new(), .program_status = -1 };
	bool machine = !(request->command->flags & COMMAND_NO_MACHINE);
	enum exit_status status = run.report ? STATUS_DONE : output_usage_error(output, NULL);

	report_request_notes(request, run.report);
	if (run.report)
		describe_command(report_header(run.report), request);
	if (status == STATUS_DONE)
		status = (machine ? execute_on_machine : work_without_machine)(&run, output);
	targets_clear(&run.targets);
	isst_cpuset_free(run.cpus);
	isst_cpuset_free(run.chosen);
	report_free(run.report);
	if (run.context)
		isst_close(run.context);
	output_may_wait(output);
	isst_config_free(run.config);
	program_free(run.program);
	/* A signal must not hide that the machine was left half changed, nor what a program ended
	 * with. */
	if (status == STATUS_ROLLBACK_INCOMPLETE || run.program_status >= 0)
		signals_discard(&run.signals);
	signals_release(&run.signals);
	/* A shell ends its script at Ctrl-C only if that ended what it had run. */
	if (status == STATUS_DONE && run.program_signal)
		signals_end_process(run.program_signal);
	return final_status(&run, status);
}
