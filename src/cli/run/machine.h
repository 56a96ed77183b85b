/* SPDX-License-Identifier: BSD-3-Clause */
/* Which machine a run works on: the real one, or an emulated one. */
#ifndef ISST_CLI_MACHINE_H
#define ISST_CLI_MACHINE_H

#include "../arguments/request.h"
#include "../process/exit_status.h"
#include "isst-emulator.h"

/** An emulated machine, and where it lives; the texts are the request's, or the environment's. */
struct emulation {
	const char *platform, *state_directory; /* NULL: none, or the default */
	bool unlock;
};

/** The emulator's target for it; to be freed, NULL without memory. */
struct isst_emulator_target *emulation_target(const struct emulation *emulation);

/**
 * Finds out which emulated machine is meant, by the command's operand, --emulate or the
 * environment, where real and effective ids agree.
 *
 * @emulation: its platform is NULL where the real machine is meant
 * @problem: on failure set to a message, to be freed (NULL without memory)
 */
enum exit_status machine_choose(const struct request *request, struct emulation *emulation,
				char **problem);

/** Opens a context on the machine that is meant, with options that are freed (NULL: there was no
 * memory). @context: NULL on failure. As above. */
enum exit_status machine_open(const struct request *request, struct isst_options *options,
			      struct isst_context **context, char **problem);

/**
 * The status for what the emulator returned, and a message with the nearest name of a platform
 * where there is none of the name given.
 *
 * @message: the emulator's, or NULL; freed and replaced
 */
enum exit_status machine_problem(int error, const struct emulation *emulation, char **message);

/** The machine that a command line means, for help and version, which do not depend on it; NULL: it
 * cannot be opened. */
struct isst_context *machine_look(const struct request *request);

#endif
