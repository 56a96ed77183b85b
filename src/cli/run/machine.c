/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include "../../common/suggest.h"
#include "../process/privileges.h"
#include "../process/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define refuse(status, problem, ...) (*(problem) = xasprintf(__VA_ARGS__), (status))

/** A variable of the environment; NULL: unset or empty. Borrowed privileges do not follow it, but
 * must not change the real machine instead. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

enum exit_status machine_choose(const struct request *request, struct emulation *emulation,
				char **problem)
{
	const char *from_environment = environment("ISST_EMULATE");
	const char *option = request_text(request, OPTION_EMULATE);

	*problem = NULL;
	emulation->platform = option;
	if (request->operand && request->command->flags & COMMAND_HAS_OPERAND)
		emulation->platform = request->operand;
	if (request_has(request, OPTION_REAL)) {
		if (!from_environment)
			return STATUS_DONE;
		return refuse(STATUS_USAGE, problem,
			      "option --real refuses the emulated machine '%s' selected by "
			      "ISST_EMULATE",
			      from_environment);
	}
	if (!emulation->platform)
		emulation->platform = from_environment;
	emulation->state_directory = request_text(request, OPTION_EMULATE_STATE);
	if (emulation->state_directory && !emulation->platform)
		return refuse(STATUS_USAGE, problem, "option --emulate-state requires --emulate");
	emulation->unlock = request_has(request, OPTION_EMULATE_UNLOCK);
	if (emulation->unlock && !emulation->platform)
		return refuse(STATUS_USAGE, problem, "option --emulate-unlock requires --emulate");
	emulation->unlock |= environment("ISST_EMULATE_UNLOCK") != NULL;
	if (!emulation->state_directory)
		emulation->state_directory = environment("ISST_EMULATE_STATE");
	if (emulation->platform && privileges_borrowed())
		return refuse(STATUS_NOT_PERMITTED, problem,
			      "cannot emulate '%s'%s: the program has privileges that its caller "
			      "does not have (set-uid, set-gid or file capabilities)",
			      emulation->platform,
			      emulation->platform == from_environment ? ", selected by ISST_EMULATE"
								      : "");
	if (emulation->platform && !isst_emulator_is_available())
		return refuse(STATUS_UNSUPPORTED, problem, "cannot emulate '%s': %s",
			      emulation->platform, isst_emulator_unavailable_text());
	return STATUS_DONE;
}

enum exit_status machine_problem(int error, const struct emulation *emulation, char **message)
{
	struct suggestion nearest = { .word = emulation->platform };
	enum exit_status status = STATUS_FAILED;
	char *given = *message;
	const char *platform;

	if (error == -ENOENT || error == -EINVAL || error == -ENOEXEC)
		status = STATUS_USAGE;
	else if (error == -EPERM || error == -EACCES)
		status = STATUS_NOT_PERMITTED;
	else if (error == -EOPNOTSUPP)
		status = STATUS_UNSUPPORTED;
	for (size_t i = 0; error == -ENOENT && (platform = isst_emulator_platform_name(i)) != NULL;
	     i++)
		suggestion_consider(&nearest, platform);
	if (!given)
		return refuse(status, message, "cannot emulate '%s': %s", emulation->platform,
			      strerror(-error));
	if (!nearest.best)
		return status;
	status = refuse(status, message, "%s; did you mean '%s'?", given, nearest.best);
	free(given);
	return status;
}

struct isst_emulator_target *emulation_target(const struct emulation *emulation)
{
	struct isst_emulator_target *target = xcheck(isst_emulator_target_new(emulation->platform));

	xcall(isst_emulator_target_set_state(target, emulation->state_directory));
	isst_emulator_target_set_flags(target, emulation->unlock ? ISST_EMULATOR_TARGET_UNLOCK : 0);
	return target;
}

enum exit_status machine_open(const struct request *request, struct isst_options *options,
			      struct isst_context **context, char **problem)
{
	struct emulation emulation = { 0 };
	enum exit_status status = machine_choose(request, &emulation, problem);
	struct isst_emulator_target *target;
	struct isst_machine *machine = NULL;
	int error;

	*context = NULL;
	if (status == STATUS_DONE && emulation.platform) {
		target = emulation_target(&emulation);
		error = isst_emulator_open(target, &machine, problem);
		isst_emulator_target_free(target);
		if (error)
			status = machine_problem(error, &emulation, problem);
	}
	if (status == STATUS_DONE) {
		error = machine ? isst_open_machine(machine, options, context)
				: isst_open(options, context);
		if (error)
			status = refuse(STATUS_FAILED, problem, "%s", strerror(-error));
	}
	isst_options_free(options);
	return status;
}

struct isst_context *machine_look(const struct request *request)
{
	struct isst_context *context;
	char *problem;

	(void)machine_open(request, xcheck(isst_options_new()), &context, &problem);
	free(problem);
	return context;
}
