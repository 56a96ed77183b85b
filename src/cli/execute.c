/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute.h"

#include "../common/memory_stream.h"
#include "../common/printable.h"
#include "command_table.h"
#include "commands/watcher.h"
#include "process/program.h"
#include "process/terminal.h"
#include "process/xalloc.h"
#include "render/output.h"
#include "run/change.h"
#include "run/config.h"
#include "run/machine.h"
#include "run/reading.h"
#include "status/machine_status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void describe_command(struct report_header *header, const struct request *request)
{
	header->feature = request->feature ? request->feature->name : NULL;
	header->command = request->command ? request->command->name : NULL;
	if (request->command == &info_command)
		header->command = "--info";
	if (request->action == ACTION_VERSION)
		header->command = "--version";
}

static void describe_machine(struct report *report, struct isst_context *context)
{
	struct report_header *header = &report->header;
	const char *emulated, *processor;

	header->has_machine = true;
	header->family = (unsigned int)isst_platform_fact(context, ISST_FACT_FAMILY);
	header->model = (unsigned int)isst_platform_fact(context, ISST_FACT_MODEL);
	header->stepping = (unsigned int)isst_platform_fact(context, ISST_FACT_STEPPING);
	emulated = isst_platform_emulated_name(context);
	header->emulated = emulated ? xstrdup(emulated) : NULL;
	processor = isst_platform_name(context);
	header->processor = processor ? xstrdup(processor) : NULL;
	/* Not every machine reports a name: that is no error. */
	if (!header->processor && *isst_error(context))
		report_message(report, ENTRY_NOTE, "cannot read the name of the processor: %s",
			       isst_error(context));
}

static void trace(void *data, int level, const char *line)
{
	/* What is graver is reported where it belongs. */
	if (level != ISST_LOG_DEBUG)
		return;
	write_printable(line, "\t", data);
	fputc('\n', data);
}

static bool discover(struct run *run)
{
	bool journal = run->request->command->flags & COMMAND_JOURNAL;
	const char *holder;
	int error;

	if (journal)
		isst_journal_keep(run->context);
	error = isst_discover(run->context);
	run_report_notices(run);
	/* What a process holds looks like the state of the machine, and will be gone. */
	holder = run->shows_holder || journal ? NULL : isst_change_holder(run->context);
	if (holder)
		report_message(run->report, ENTRY_NOTE,
			       "%s: until it releases it or rolls it back, the machine is in a "
			       "temporary state",
			       holder);
	return run_driver_call(run, error) == 0;
}

/** Refuses most commands on preset platforms. Returns false if there is nothing to do. */
static bool check_command(struct run *run)
{
	const struct command *command = run->request->command;
	const struct feature *feature = run->request->feature;

	if (command_available(command, isst_platform_fact(run->context, ISST_FACT_PRESET) > 0))
		return true;
	if (command->flags & COMMAND_SWITCHES_OFF) {
		report_message(run->report, ENTRY_NOTE,
			       "%s is not supported on this platform: nothing to disable",
			       feature->name);
		return false;
	}
	run_error(run, STATUS_UNSUPPORTED,
		  "%s%s%s is not supported on this platform, which has base-freq only, configured "
		  "by the BIOS: isst status shows it, --help lists the commands that work",
		  feature ? feature->name : "", feature ? " " : "",
		  command == &info_command		  ? "--info"
		  : request_has(run->request, OPTION_OOB) ? "--oob"
							  : command->name);
	return false;
}

/** Finds the targets and carries the command out on them: from here on the machine may be changed.
 */
static void carry_out(struct run *run)
{
	const struct command *command = run->request->command;
	unsigned int flags = command->flags;
	enum unit_kind kind = flags & COMMAND_ALL_CPUS	    ? UNIT_CPU
			      : flags & COMMAND_HAVING_CPUS ? UNIT_DOMAIN_WITH_CPU
			      : flags & COMMAND_OFFLINE	    ? UNIT_PRESENT
							    : UNIT_DOMAIN;
	bool part, complete = true;
	const struct isst_message *what;

	if ((request_has(run->request, OPTION_ALL_ONLINE) && !change_all_online(run)) ||
	    (request_has(run->request, OPTION_CPU) &&
	     !(run->cpus = named_cpus_find(run, &run->request->options.cpus))) ||
	    !targets_find(run, kind, run->cpus))
		goto out;
	/* What discovery left out is an error unless CPUs are named, and ends a change. */
	part = run->targets.named || flags & COMMAND_JOURNAL;
	for (size_t i = 0; (what = isst_left_out_at(run->context, i)) != NULL; i++) {
		complete = part;
		if (part)
			run_message(run, ENTRY_NOTE, what, "");
		else
			run_message_error(run, -EIO, what);
	}
	if (!complete && flags & COMMAND_CHANGES)
		goto out;
	if (command->change)
		change_machine(run, command->change);
	else if (command->question)
		show_domains(run, command->question);
	else
		command->handler(run);
out:
	change_finish(run);
}

/** Releases the machine before the result is written, whose reader may not read. */
static void release_machine(struct run *run, struct output *output)
{
	isst_close(run->context);
	run->context = NULL;
	signals_unblock(&run->signals);
	output_may_wait(output);
}

/** --out is created under the lock, as another run may write to it, and before any change, as its
 * result must be reported. The reader of a FIFO is waited for before that. */
static enum exit_status work(struct run *run, struct output *output)
{
	const unsigned int flags = run->request->command->flags;
	int error = output_open(output, true);
	bool ready;

	if (error)
		return output_refuse_path(output, error);
	/* What is tried is looked at before there is a document. */
	run->progress = flags & COMMAND_HOLDS && !run->program
				? nowait_stream_file(output_nowait(output))
				: output_progress(output);
	run->columns = output->reference ? 0 : page_of(stderr, output->colour).width;
	run->counts = run_is_change(run) && run->progress && terminal_can_show(STDERR_FILENO) &&
		      !request_has(run->request, OPTION_DEBUG);
	ready = (!(flags & COMMAND_CONFIG) || config_wait(run)) &&
		(!run_is_change(run) || reserve_machine(run, true));
	error = output_open(output, false);
	if (error) {
		release_machine(run, output);
		return output_refuse_path(output, error);
	}
	if (flags & COMMAND_CHANGES && !request_has(run->request, OPTION_DRY_RUN))
		output->changing = true;
	run->nowait = output_nowait(output);
	output_banner(output, (unsigned int)isst_platform_fact(run->context, ISST_FACT_MODEL),
		      isst_platform_emulated_name(run->context),
		      !request_has(run->request, OPTION_EMULATE));
	ready = ready && discover(run) && check_command(run);
	if (ready && flags & COMMAND_WATCHES)
		return watch_machine(run, output);
	reserve_drop_privileges(run, output);
	if (ready && request_has(run->request, OPTION_WATCH))
		return rounds_run(run, output, carry_out);
	if (ready)
		carry_out(run);
	run_finish(run);
	release_machine(run, output);
	output->changed = run->changed;
	output->untargeted = ready && request_has(run->request, OPTION_CPU) &&
			     run->targets.unit_count == 0;
	return output_report(output, run->report, run->status);
}

static enum exit_status open_machine(struct run *run, struct output *output)
{
	struct isst_options *options = run_options(run->request);
	enum exit_status status;
	char *problem;

	if (request_has(run->request, OPTION_DEBUG))
		isst_options_set_log(options, ISST_LOG_DEBUG, trace, output_trace(output));
	isst_options_set_interrupted(options, run_is_interrupted, run);
	isst_options_set(options, ISST_OPTION_SYSTEM_LOG, 1);
	status = machine_open(run->request, options, &run->context, &problem);
	if (status == STATUS_DONE) {
		if (output->format == FORMAT_JSON_V2)
			describe_machine(run->report, run->context);
		return STATUS_DONE;
	}
	output_may_wait(output);
	status = output_problem(output, problem, status);
	free(problem);
	return status;
}

static enum exit_status work_without_machine(struct run *run, struct output *output)
{
	enum exit_status status = output_open_at_once(output);

	if (status != STATUS_DONE)
		return status;
	run->request->command->handler(run);
	report_fold_messages(run->report, NULL);
	return output_report(output, run->report, run->status);
}

/** The errors replace the contents of --out, unless its format has no place for them. */
static enum exit_status refuse_source(struct run *run, struct output *output)
{
	enum exit_status status;

	if (!output->path || renderers[output->format].file)
		return output_refusal(output, run->report, run->status);
	status = output_open_at_once(output);
	if (status != STATUS_DONE)
		return status;
	/* There is nothing to get a value of. */
	if (request_has(run->request, OPTION_GET))
		return output_refusal(output, run->report, run->status);
	return output_report(output, run->report, run->status);
}

/** What the command line names is read, and what it runs is forked, before a machine is touched. */
static enum exit_status prepare(struct run *run, struct output *output)
{
	const struct request *request = run->request;
	const struct program_inheritance inheritance = {
		.closed = output->closed, .file_limit_killed = output->file_limit_killed
	};

	run->complete = renderers[output->format].commands & COMMAND_EXPORTS;
	run->shows_holder = request->command->flags & COMMAND_EXPORTS &&
			    !renderers[output->format].file && !output->get;
	output->plain = request->command->flags & COMMAND_HAS_PROGRAM ||
			renderers[output->format].file ||
			(request->command->flags & COMMAND_HAS_TARGET && !request->operand);
	output->colour = (enum colour_choice)request_number(request, OPTION_COLOR);
	if (request->command->flags & (COMMAND_CONFIG | COMMAND_COMPARES) &&
	    !config_source_read(run)) {
		/* Old metrics would not show the error. */
		if (output->format != FORMAT_OPENMETRICS)
			return refuse_source(run, output);
		isst_config_free(run->config);
		run->config = NULL;
	}
	/* The program of `with`. */
	if (command_wraps_program(request->command)) {
		const char *program = request->program[0];
		int error = program_find(program);

		if (error) {
			run_error(run, STATUS_FAILED, "cannot run %s: %s",
				  *program ? program : "''", strerror(-error));
			run->program_refused = true;
			run->program_status = (int)program_status_of_error(error);
			return output_refusal(output, run->report, STATUS_FAILED);
		}
		error = program_fork(request->program, &inheritance, &run->program);
		if (error) {
			run_error(run, STATUS_FAILED, "cannot start a process: %s",
				  strerror(-error));
			return output_refusal(output, run->report, STATUS_FAILED);
		}
	}
	if (run_is_change(run))
		output_must_not_wait(output);
	return STATUS_DONE;
}

int execute_command(const struct request *request, struct output *output)
{
	struct run run = { .request = request, .report = report_new(), .program_status = -1 };
	bool machine = !(request->command->flags & COMMAND_NO_MACHINE);
	enum exit_status status;

	/* What was accepted though it has no effect comes before all else. */
	for (size_t i = 0; i < request->options.note_count; i++)
		report_message(run.report, ENTRY_NOTE, "%s", request->options.notes[i]);
	describe_command(&run.report->header, request);
	run.report->v2 = request_format(request) == FORMAT_JSON_V2;
	status = machine ? prepare(&run, output) : work_without_machine(&run, output);
	if (status == STATUS_DONE && machine)
		status = open_machine(&run, output);
	if (status == STATUS_DONE && machine)
		status = work(&run, output);
	targets_clear(&run.targets);
	isst_cpuset_free(run.cpus);
	isst_cpuset_free(run.chosen);
	report_free(run.report);
	isst_close(run.context);
	output_may_wait(output);
	isst_config_free(run.config);
	if (run.program)
		program_free(run.program);
	/* A rollback that is incomplete, and the status of a program, must not be hidden by a
	 * signal. */
	if (status == STATUS_ROLLBACK_INCOMPLETE || run.program_status >= 0)
		signals_discard(&run.signals);
	signals_release(&run.signals);
	/* A shell ends its script at Ctrl-C only if that ended what it had run. */
	if (status == STATUS_DONE && run.program_signal)
		signals_end_process(run.program_signal);
	if (run.program_refused)
		return run.program_status;
	if (!command_wraps_program(request->command))
		return (int)status;
	return status == STATUS_DONE ? run.program_status : PROGRAM_RUN_FAILED;
}
