/* SPDX-License-Identifier: BSD-3-Clause */
#include "../common/memory_stream.h"
#include "command_table.h"
#include "execute.h"
#include "process/program.h"
#include "process/xalloc.h"
#include "render/output.h"
#include "report/report.h"
#include "request_read.h"
#include "run/handlers.h"
#include "run/machine.h"

#include <stdlib.h>
#include <sys/utsname.h>

#ifndef ISST_COMMIT
#define ISST_COMMIT "unknown"
#endif

/* The version of the kernel tree's tool that the command is compatible with. */
#define COMPATIBLE_VERSION "1.26"

/** Scripts know the kernel tree's tool by its first lines, whatever it is asked for. */
static void print_title(const struct request *request, struct output *output)
{
	struct isst_context *context = output->reference ? machine_look(request) : NULL;

	if (context)
		output_banner(output, (unsigned int)isst_platform_fact(context, ISST_FACT_MODEL),
			      NULL, false);
	isst_close(context);
}

/** Writes help, on preset platforms of what works there. @page: the stream that it is laid out
 * for. */
static void write_help(const struct request *request, const char *program, FILE *page, FILE *stream)
{
	struct isst_context *context = machine_look(request);

	help_write(program, request->feature, request->command,
		   isst_platform_fact(context, ISST_FACT_PRESET) > 0,
		   page_of(page, COLOUR_NEVER).columns, stream);
	isst_close(context);
}

static enum exit_status print_help(const struct request *request, struct output *output)
{
	struct memory_stream memory;
	enum exit_status status;

	xcall(memory_stream_open(&memory));
	print_title(request, output);
	write_help(request, output->program, stdout, memory.stream);
	xcall(memory_stream_close(&memory));
	status = output_text(output, memory.text, memory.size);
	free(memory.text);
	return status;
}

/** What a report of a defect has to name besides: the kernel and its driver. */
static void report_system(const struct request *request, struct report *report,
			  struct report_node *top)
{
	struct isst_context *context = machine_look(request);
	struct utsname kernel;

	if (!context)
		return;
	if (!isst_platform_emulated_name(context) && uname(&kernel) == 0)
		report_text(top, KEY_KERNEL, kernel.release);
	if (isst_discover(context) == 0)
		report_platform(top, context);
	else
		report_message(report, ENTRY_NOTE, "%s", isst_error(context));
	isst_close(context);
}

static enum exit_status print_version(const struct request *request, struct output *output)
{
	enum exit_status status = output_open_at_once(output);
	struct report_node *top;
	struct report *report;

	if (status != STATUS_DONE)
		return status;
	report = report_new();
	print_title(request, output);
	describe_command(&report->header, request);
	top = report_at_top(report);
	report_text(top, KEY_VERSION, "v" COMPATIBLE_VERSION);
	report_text(top, KEY_ISST_VERSION, ISST_VERSION);
	report_text(top, KEY_COMMIT, ISST_COMMIT);
	if (request_has(request, OPTION_DEBUG))
		report_system(request, report, top);
	status = output_report(output, report, STATUS_DONE);
	report_free(report);
	return status;
}

static int refuse(const struct request *request, struct output *output, const char *problem)
{
	enum exit_status status;

	if (request->command && command_wraps_program(request->command))
		output->header.exit_status = PROGRAM_RUN_FAILED;
	if (request->action == ACTION_NO_COMMAND && !renderers[output->format].document)
		write_help(request, output->program, stderr, stderr);
	status = output_problem(output, problem, STATUS_USAGE);
	return output->header.exit_status ? output->header.exit_status : (int)status;
}

int main(int argc, char **argv)
{
	struct output output;
	struct request request;
	char *problem;
	int status;

	output_start(&output, argc > 0 ? argv[0] : "isst");
	problem = request_read(&request, output.reference, argc, argv);
	output.format = request_format(&request);
	output.get = request_text(&request, OPTION_GET);
	output.path = request_text(&request, OPTION_OUT);
	describe_command(&output.header, &request);
	if (request.command && command_wraps_program(request.command))
		xalloc_exit_with(PROGRAM_RUN_FAILED);
	if (problem)
		status = refuse(&request, &output, problem);
	else if (request.action == ACTION_HELP)
		status = (int)print_help(&request, &output);
	else if (request.action == ACTION_VERSION)
		status = (int)print_version(&request, &output);
	else
		status = execute_command(&request, &output);
	free(problem);
	request_clear(&request);
	output_close(&output);
	return status;
}
