/* SPDX-License-Identifier: BSD-3-Clause */
#include "../process/privileges.h"
#include "../process/program.h"
#include "../run/handlers.h"
#include "../run/machine.h"
#include "../run/run.h"
#include "isst-explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void platform_list(struct run *run)
{
	struct report_node *top;
	const char *name;

	if (!isst_emulator_is_available()) {
		run_error(run, STATUS_UNSUPPORTED, "%s", isst_emulator_unavailable_text());
		return;
	}
	top = report_at_top(run->report);
	for (size_t i = 0; (name = isst_emulator_platform_name(i)) != NULL; i++) {
		struct report_node *node = report_variant(top, KEY_PLATFORM_NAME, name);

		report_text(node, KEY_TITLE, isst_emulator_platform_title(i));
		report_state(node, KEY_SYNTHETIC, isst_emulator_platform_is_synthetic(i));
	}
}

/** Which machine a command of the emulator is for, and what the emulator answered. */
struct operation {
	struct emulation emulation;
	struct isst_emulator_target *target;
	char *message; /* of what failed */
};

/** Finds out which machine is meant. Returns false after an error. */
static bool begin(struct run *run, struct operation *operation)
{
	const struct feature *feature = run->request->feature;
	char *problem;
	enum exit_status status;

	*operation = (struct operation){ 0 };
	status = machine_choose(run->request, &operation->emulation, &problem);
	if (status != STATUS_DONE)
		run_error(run, status, "%s", problem);
	else if (!operation->emulation.platform)
		run_error(run, STATUS_USAGE, "%s%s%s requires a platform: %s",
			  feature ? feature->name : "", feature ? " " : "",
			  run->request->command->name,
			  feature ? "its name, its path, or --emulate"
				  : "isst --emulate NAME|PATH emulate -- PROGRAM");
	free(problem);
	if (status != STATUS_DONE || !operation->emulation.platform)
		return false;
	operation->target = emulation_target(&operation->emulation);
	return true;
}

static bool finish(struct run *run, struct operation *operation, int error)
{
	enum exit_status status;

	isst_emulator_target_free(operation->target);
	if (!error)
		return true;
	status = machine_problem(error, &operation->emulation, &operation->message);
	run_error(run, status, "%s", operation->message);
	free(operation->message);
	return false;
}

void platform_show(struct run *run)
{
	struct operation operation;
	char *text = NULL;
	size_t length;

	if (!begin(run, &operation) ||
	    !finish(run, &operation,
		    isst_emulator_show(operation.target, &text, &operation.message)))
		return;
	/* The line end of the last line is the renderer's. */
	length = strlen(text);
	if (length > 0 && text[length - 1] == '\n')
		text[length - 1] = '\0';
	report_text(report_section(run->report, KEY_PLATFORM_TEXT), KEY_DESCRIPTION, text);
	free(text);
}

void platform_reset(struct run *run)
{
	struct operation operation;

	if (!begin(run, &operation) ||
	    !finish(run, &operation, isst_emulator_reset(operation.target, &operation.message)))
		return;
	report_word(report_section(run->report, KEY_PLATFORM), KEY_RESET, "success");
}

void platform_statistics(struct run *run)
{
	static const struct {
		enum key_id key;
		int counter;
	} COUNTERS[] = { { KEY_DEVICE_OPENS, ISST_EMULATOR_COUNTER_DEVICE_OPENS },
			 { KEY_DRIVER_CALLS, ISST_EMULATOR_COUNTER_DRIVER_CALLS },
			 { KEY_COMMANDS, ISST_EMULATOR_COUNTER_COMMANDS },
			 { KEY_WRITES, ISST_EMULATOR_COUNTER_WRITES },
			 { KEY_FILES_OPENED, ISST_EMULATOR_COUNTER_FILES_OPENED } };
	unsigned int flags = request_has(run->request, OPTION_CLEAR)
				     ? ISST_EMULATOR_STATISTICS_CLEAR
				     : 0;
	struct isst_emulator_statistics *statistics;
	struct operation operation;
	struct report_node *node;

	if (!begin(run, &operation) ||
	    !finish(run, &operation,
		    isst_emulator_read_statistics(operation.target, flags, &statistics,
						  &operation.message)))
		return;
	node = report_section(run->report, KEY_STATISTICS);
	for (size_t i = 0; i < sizeof(COUNTERS) / sizeof(COUNTERS[0]); i++)
		report_number(node, COUNTERS[i].key,
			      isst_emulator_statistics_count(statistics, COUNTERS[i].counter));
	isst_emulator_statistics_free(statistics);
}

/* Discovery is not asked for: a machine on which it fails is the one that is wanted elsewhere. */
void platform_capture(struct run *run)
{
	enum exit_status status;
	struct report_node *node;
	const struct isst_message *notice;
	char *problem;
	int error;

	if (privileges_borrowed()) {
		run_error(run, STATUS_NOT_PERMITTED,
			  "cannot capture into '%s': the program has privileges that its caller "
			  "does not have (set-uid, set-gid or file capabilities)",
			  run->request->operand);
		return;
	}
	status = machine_open(run->request, run_options(run->request), &run->context, &problem);
	if (status != STATUS_DONE) {
		run_error(run, status, "%s", problem);
		free(problem);
		return;
	}
	error = isst_capture(run->context, run->request->operand, 0);
	for (size_t i = 0; (notice = isst_notice_at(run->context, i)) != NULL; i++)
		run_message(run, ENTRY_NOTE, notice, "");
	if (run_call(run, error) != 0)
		return;
	/* There is no banner that shows it. */
	if (isst_platform_emulated_name(run->context) && !request_has(run->request, OPTION_EMULATE))
		report_message(run->report, ENTRY_NOTE, "the emulated machine %s was captured",
			       isst_platform_emulated_name(run->context));
	node = report_section(run->report, KEY_PLATFORM);
	report_word(node, KEY_CAPTURE, "success");
}

void emulate_program(struct run *run)
{
	const struct request *request = run->request;
	unsigned int flags = 0;
	struct operation operation;
	const char *name;
	int error;

	if (request_has(request, OPTION_AS_USER))
		flags |= ISST_EMULATOR_RUN_AS_USER;
	if (request_has(request, OPTION_READ_ONLY))
		flags |= ISST_EMULATOR_RUN_READ_ONLY;
	if (!begin(run, &operation))
		return;
	error = isst_emulator_run(operation.target, request->program, flags,
				  request_number(request, OPTION_AS_USER), request->options.texts,
				  &operation.message);
	finish(run, &operation, error);
	if (error != -ENOEXEC)
		return;
	/* A program that cannot be run ends emulate as it ends env(1). */
	error = program_find(request->program[0]);
	run->program_refused = true;
	run->program_status = (int)program_status_of_error(error ? error : -ENOEXEC);
	for (size_t i = 0; error && (name = isst_emulator_platform_name(i)) != NULL; i++)
		if (strcmp(name, request->program[0]) == 0)
			report_message(run->report, ENTRY_NOTE,
				       "the platform stands in front: isst --emulate %s emulate -- "
				       "PROGRAM",
				       name);
}
