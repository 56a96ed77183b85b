/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of platform: the emulator's machines, and capturing one for it. Must not know output
 * formats. */
#include "handlers.h"
#include "machine.h"
#include "privileges.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void platform_list(struct run *run)
{
	const struct isst_emulator *emulator = isst_emulator();
	struct report_node *top;

	if (!emulator) {
		run_error(run, STATUS_UNSUPPORTED, "this build has no emulator");
		return;
	}
	top = report_unit(run->report, NULL, 0);
	for (size_t i = 0; emulator->platforms[i].name; i++) {
		const struct isst_emulator_platform *platform = &emulator->platforms[i];
		struct report_node *node = report_variant(top, KEY_PLATFORM_NAME, platform->name);

		report_sentence(node, "%-24s %s%s", platform->name, platform->title,
				platform->synthetic ? " (synthetic)" : "");
		report_sentence(report_text(node, KEY_TITLE, platform->title), "%s", "");
		report_sentence(report_state(node, KEY_SYNTHETIC, platform->synthetic), "%s", "");
	}
}

/** The emulator, and which machine is meant; NULL after an error. */
static const struct isst_emulator *choose(struct run *run, struct isst_emulator_target *target)
{
	const struct feature *feature = run->request->feature;
	char *problem;
	enum exit_status status = machine_choose(run->request, target, &problem);

	if (status != STATUS_DONE)
		run_error(run, status, "%s", problem ? problem : "out of memory");
	else if (!target->platform)
		run_error(run, STATUS_USAGE,
			  "%s%s%s needs a platform: its name, its path, or --emulate",
			  feature ? feature->name : "", feature ? " " : "",
			  run->request->command->name);
	free(problem);
	return status == STATUS_DONE && target->platform ? isst_emulator() : NULL;
}

/** Reports what the emulator answered. Returns true if it did what it was asked. */
static bool succeeded(struct run *run, const struct isst_emulator_target *target, int error,
		      char *message)
{
	enum exit_status status;

	if (!error)
		return true;
	status = machine_problem(error, target, &message);
	run_error(run, status, "%s", message ? message : "out of memory");
	free(message);
	return false;
}

/** The line end of the last line is the renderer's. */
static void trim(char *text)
{
	size_t length = strlen(text);

	if (length > 0 && text[length - 1] == '\n')
		text[length - 1] = '\0';
}

void platform_show(struct run *run)
{
	struct isst_emulator_target target = { 0 };
	const struct isst_emulator *emulator = choose(run, &target);
	char *text = NULL, *message = NULL;
	struct report_node *node;
	int error;

	if (!emulator)
		return;
	error = emulator->show(&target, &text, &message);
	if (!succeeded(run, &target, error, message))
		return;
	trim(text);
	node = report_branch(report_unit(run->report, NULL, 0), KEY_PLATFORM, 0);
	report_sentence(node, "%s", text);
	report_sentence(report_text(node, KEY_DESCRIPTION, text), "%s", "");
	free(text);
}

void platform_reset(struct run *run)
{
	struct isst_emulator_target target = { 0 };
	const struct isst_emulator *emulator = choose(run, &target);
	char *message = NULL;
	struct report_node *node;
	int error;

	if (!emulator)
		return;
	error = emulator->reset(&target, &message);
	if (!succeeded(run, &target, error, message))
		return;
	node = report_branch(report_unit(run->report, NULL, 0), KEY_PLATFORM, 0);
	report_word(node, KEY_RESET, "success");
}

void platform_statistics(struct run *run)
{
	struct isst_emulator_target target = { 0 };
	const struct isst_emulator *emulator = choose(run, &target);
	struct isst_emulator_statistics statistics;
	char *message = NULL;
	struct report_node *node;
	int error;

	if (!emulator)
		return;
	error = emulator->statistics(&target, request_has(run->request, OPTION_CLEAR), &statistics,
				     &message);
	if (!succeeded(run, &target, error, message))
		return;
	node = report_branch(report_unit(run->report, NULL, 0), KEY_STATISTICS, 0);
	report_number(node, KEY_DEVICE_OPENS, statistics.device_opens);
	report_number(node, KEY_DRIVER_CALLS, statistics.driver_calls);
	report_number(node, KEY_COMMANDS, statistics.commands);
	report_number(node, KEY_WRITES, statistics.writes);
	report_number(node, KEY_FILES_OPENED, statistics.files_opened);
}

/** Opens the machine that is to be captured. Returns false after an error. */
static bool open_captured(struct run *run)
{
	struct isst_options *options;
	struct isst_machine *machine;
	char *problem = NULL;
	enum exit_status status = machine_open(run->request, &machine, &problem);
	int error = -ENOMEM;

	if (status != STATUS_DONE) {
		run_error(run, status, "%s", problem ? problem : "out of memory");
		free(problem);
		return false;
	}
	options = run_options(run->request);
	if (options)
		error = isst_open_machine(machine, options, &run->context);
	else
		isst_machine_free(machine);
	isst_options_free(options);
	if (!error)
		return true;
	run_error(run, STATUS_FAILED, "out of memory");
	return false;
}

/* Discovery is not asked for: a machine on which it fails is the one that is wanted elsewhere. */
void platform_capture(struct run *run)
{
	struct report_node *node;
	const char *notice;
	int error;

	if (privileges_borrowed()) {
		run_error(run, STATUS_NOT_PERMITTED,
			  "cannot capture into '%s': the program has privileges that its caller "
			  "does not have (set-uid, set-gid or file capabilities)",
			  run->request->operand);
		return;
	}
	if (!open_captured(run))
		return;
	error = isst_capture(run->context, run->request->operand);
	for (size_t i = 0; (notice = isst_notice(run->context, i)) != NULL; i++)
		report_message(run->report, ENTRY_NOTE, "%s", notice);
	if (run_call(run, error) != 0)
		return;
	/* There is no banner that says so. */
	if (isst_platform_emulated(run->context) && !request_has(run->request, OPTION_EMULATE))
		report_message(run->report, ENTRY_NOTE,
			       "what was captured is the emulated machine %s",
			       isst_platform_emulated(run->context));
	node = report_branch(report_unit(run->report, NULL, 0), KEY_PLATFORM, 0);
	report_word(node, KEY_CAPTURE, "success");
}

void emulate_program(struct run *run)
{
	struct isst_emulator_target target = { 0 };
	const struct isst_emulator *emulator = choose(run, &target);
	const struct isst_emulator_program program = {
		.words = run->request->program,
		.as_user = request_has(run->request, OPTION_AS_USER),
		.user = request_number(run->request, OPTION_AS_USER),
	};
	char *message = NULL;
	int error;

	if (!emulator)
		return;
	error = emulator->run(&target, &program, &message);
	succeeded(run, &target, error, message);
}
